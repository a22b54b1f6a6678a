-- Who is who. Names and passwords are here alone and never in the log; a player is known elsewhere
-- by his id, which is random.
CREATE TABLE gateway_players (
    player text PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('guest', 'person')),
    name text NOT NULL,
    -- The name as it is compared (NFKC, case-folded); guests have none and cannot take one away.
    name_key text UNIQUE,
    password text,  -- argon2id, with its parameters
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((kind = 'person') = (name_key IS NOT NULL AND password IS NOT NULL))
);

-- A login. `id` is the SHA-256 of the cookie, which only the browser has.
CREATE TABLE gateway_sessions (
    id text PRIMARY KEY,
    player text NOT NULL REFERENCES gateway_players ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);
CREATE INDEX gateway_sessions_expiry ON gateway_sessions (expires_at);

-- Tickets are numbered; of each player only those count that are at least the newest one that was
-- used.
CREATE SEQUENCE gateway_ticket_numbers;
CREATE TABLE gateway_admitted (
    player text PRIMARY KEY,
    number bigint NOT NULL,
    at timestamptz NOT NULL
);
CREATE INDEX gateway_admitted_age ON gateway_admitted (at);
