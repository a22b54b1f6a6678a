-- One row for what a finished (or left) game brought a registered person: TABLE-R03. Derived from
-- the log; `logbuch ledger rebuild` makes it anew. `rank` is NULL for somebody who left.
CREATE TABLE leaderboard_entries (
    table_id text NOT NULL,
    player text NOT NULL,
    game text NOT NULL,
    points bigint NOT NULL,
    rank integer,
    at_ms bigint NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (table_id, player)
);
CREATE INDEX leaderboard_entries_board
    ON leaderboard_entries (game, player) INCLUDE (points, position);
