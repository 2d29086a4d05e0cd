"""What tests need from the outside: servers, databases, a pooler, a slow link, a clean environment."""
