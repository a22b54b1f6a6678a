"""The aggregate that hosts any game: seats, clocks, chance, leaving, and the game's own facts."""
