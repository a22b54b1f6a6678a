"""The lobby: the tables that wait for their start; a read model of the log."""
