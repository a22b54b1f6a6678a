"""What crosses the bus and what is stored: subjects, messages, topics; no I/O."""
