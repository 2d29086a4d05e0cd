"""An embedded PostgreSQL with a believable queue and incidents on demand."""
