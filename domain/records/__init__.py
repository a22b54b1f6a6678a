"""Text records: a game, or any position in one, with moves and expectations (RECORDS.md)."""
