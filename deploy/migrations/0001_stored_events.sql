-- The log itself: the table of eventsourcing 9.5's PostgresApplicationRecorder with text ids, to the
-- letter, so that the library's stock recorder reads and writes it (it also expects the type).
CREATE TABLE IF NOT EXISTS stored_events (
    originator_id text NOT NULL,
    originator_version bigint NOT NULL,
    topic text,
    state bytea,
    notification_id bigserial,
    PRIMARY KEY (originator_id, originator_version)
) WITH (
    autovacuum_enabled = true,
    autovacuum_vacuum_threshold = 100000000,
    autovacuum_vacuum_scale_factor = 0.5,
    autovacuum_analyze_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.01
);

CREATE UNIQUE INDEX IF NOT EXISTS stored_events_notification_id_idx
    ON stored_events (notification_id ASC);

DO $$
BEGIN
    CREATE TYPE stored_event_text AS (
        originator_id text, originator_version bigint, topic text, state bytea
    );
EXCEPTION WHEN duplicate_object THEN NULL;
END;
$$;
