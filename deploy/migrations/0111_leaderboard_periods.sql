-- The entries of a day or a week without a look at all the others.
CREATE INDEX leaderboard_entries_recent
    ON leaderboard_entries (game, at_ms) INCLUDE (player, points, position);
