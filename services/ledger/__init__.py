"""The ledger: what finished games brought to whom; a read model of the log."""
