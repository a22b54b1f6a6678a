"""Rules only: values and pure functions; no I/O, clock, uuid, random or logging."""
