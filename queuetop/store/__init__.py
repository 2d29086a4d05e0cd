"""The only place that speaks to PostgreSQL."""
