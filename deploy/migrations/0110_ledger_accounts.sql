-- Where each account stands: the sum of its facts in the log. `logbuch ledger rebuild` adds them up
-- anew. The row is also the lock of the account: who books on it holds the row first.
-- `topped_up` is a day since 1970 (UTC), `at_ms` the time of the last fact.
CREATE TABLE ledger_accounts (
    account text PRIMARY KEY,
    balance bigint NOT NULL DEFAULT 0,
    topped_up bigint NOT NULL DEFAULT 0,
    at_ms bigint NOT NULL DEFAULT 0,
    CONSTRAINT ledger_none_overdrawn CHECK (balance >= 0 OR account = 'house')
) WITH (fillfactor = 60);

-- What became of each request to hold the stakes of a table's people: also the memory that lets the
-- same question have the same answer.
CREATE TABLE ledger_holds (
    table_id text NOT NULL,
    attempt integer NOT NULL,
    stake bigint NOT NULL,
    players text[] NOT NULL,
    state text NOT NULL CHECK (state IN ('held', 'denied', 'barred', 'released', 'settled')),
    short text[] NOT NULL,
    PRIMARY KEY (table_id, attempt)
) WITH (fillfactor = 60);
CREATE INDEX ledger_holds_held ON ledger_holds USING gin (players) WHERE state = 'held';
