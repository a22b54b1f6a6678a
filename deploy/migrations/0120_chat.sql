-- Who said something last and when: the lock of two seconds after each line. What was said stands in
-- the stream CHAT alone. Rows are forgotten after a day.
CREATE TABLE chat_senders (
    player text PRIMARY KEY,
    command_id text NOT NULL,
    said_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Whom a player does not want to hear, at any table.
CREATE TABLE chat_mutes (
    player text NOT NULL,
    muted text NOT NULL,
    PRIMARY KEY (player, muted)
);
CREATE INDEX chat_mutes_muted ON chat_mutes (muted, player);
