"""top for job queues that live in a PostgreSQL table."""

__version__ = "0.1.0"
