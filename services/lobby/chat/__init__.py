"""Chat at tables: beside the game, never in its log, kept for a month."""
