"""The commands, one a file. What is dear to import is imported when the command runs."""
