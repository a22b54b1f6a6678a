"""The default stack: PostgreSQL and NATS as child processes of one supervisor, from wheels."""
