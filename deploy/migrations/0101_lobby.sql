-- One row for each table that waits for its start, as contracts.lobby.OpenTable in JSON. Derived
-- from the log; the table itself decides who may still sit down.
CREATE TABLE lobby_tables (
    table_id text PRIMARY KEY,
    game text NOT NULL,
    opened_at_ms bigint NOT NULL,
    open bytea NOT NULL
);
CREATE INDEX lobby_tables_newest ON lobby_tables (opened_at_ms DESC, table_id);
