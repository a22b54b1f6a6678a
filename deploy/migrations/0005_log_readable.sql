-- The log for people at a psql prompt. Holds what is hidden from players: operators only.
CREATE FUNCTION log_json(state bytea) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN convert_from(state, 'UTF8')::jsonb;
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;  -- a damaged or foreign row must not spoil the view of the others
END;
$$;

CREATE VIEW log_readable AS
SELECT
    e.notification_id AS position,
    e.originator_id AS stream,
    e.originator_version AS version,
    e.topic,
    to_timestamp((j.stored ->> 'at')::numeric / 1000) AS at,
    j.stored ->> 'by' AS by,
    j.stored ->> 'command_id' AS command_id,
    j.stored -> 'data' AS data
FROM stored_events AS e
CROSS JOIN LATERAL (SELECT log_json(e.state) AS stored OFFSET 0) AS j;
