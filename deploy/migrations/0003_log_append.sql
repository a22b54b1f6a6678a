-- The one lock under which the log is written: ids follow commit order because nobody draws an id
-- before he holds it. (A stock writer takes LOCK TABLE ... EXCLUSIVE, which our INSERT excludes.)
CREATE FUNCTION log_lock() RETURNS void LANGUAGE sql VOLATILE AS
$$ SELECT pg_advisory_xact_lock(1279393800, 0) $$;

-- Appends a batch of units, each all or nothing. A unit is refused when the head of one of its
-- streams is not the expected one, or when the epoch of its lease is no longer the partition's.
-- A stream may occur once in a batch.
--
-- Columns come as one text each, names joined by newlines and numbers as array literals, bytes
-- joined without a separator: the client makes them ten times as fast as arrays.
--   event_*   one entry per event, events of a stream in order; start and size of its state are
--             bytes in event_states, the first byte is 1
--   index_*   one entry per stream: its index row, the head it must have now, the number of its
--             unit, and the number of the unit's lease in lease_* (0: none); hashes of 32 bytes
--   new_*     what only a new stream needs
-- Events whose stream has no index entry are guarded by the unique key alone.
--   positions       notification ids of the stored events, in the order given, refused ones left out
--   refused_unit    one entry per reason; refused_stream is NULL when the lease is lost,
--   refused_head    is the head found in the index
-- VOLATILE: each statement has its own snapshot, so those after the lock see the newest commits.
CREATE FUNCTION log_append(
    event_stream text, event_version text, event_topic text, event_start text, event_size text,
    event_states bytea,
    index_stream text, index_expected text, index_unit text, index_lease text,
    index_status text, index_head text, index_wake text, index_hash bytea,
    new_stream text[], new_kind text[], new_partition integer[], new_game text[],
    lease_partition integer[], lease_epoch bigint[],
    OUT positions bigint[], OUT refused_unit integer[], OUT refused_stream text[],
    OUT refused_head bigint[]
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    streams text[] := string_to_array(index_stream, E'\n');
    units integer[] := index_unit;
    lost integer[];
    refused text[] := '{}';
BEGIN
    PERFORM log_lock();

    SELECT array_agg(l.nr) INTO lost
    FROM unnest(lease_partition, lease_epoch) WITH ORDINALITY AS l (partition, epoch, nr)
    LEFT JOIN partitions AS p ON p.partition = l.partition
    WHERE p.epoch IS DISTINCT FROM l.epoch;

    SELECT array_agg(r.unit), array_agg(r.stream), array_agg(r.head)
    INTO refused_unit, refused_stream, refused_head
    FROM (
        SELECT
            a.unit,
            CASE WHEN a.lease = ANY (lost) THEN NULL ELSE a.stream END AS stream,
            coalesce(i.head, 0) AS head
        FROM unnest(streams, index_expected::bigint[], units, index_lease::integer[])
            AS a (stream, expected, unit, lease)
        LEFT JOIN log_index AS i ON i.stream = a.stream
        WHERE coalesce(i.head, 0) <> a.expected OR a.lease = ANY (lost)
    ) AS r;

    IF refused_unit IS NOT NULL THEN
        SELECT array_agg(a.stream) INTO refused
        FROM unnest(streams, units) AS a (stream, unit) WHERE a.unit = ANY (refused_unit);
    END IF;

    WITH stored AS (
        INSERT INTO stored_events (originator_id, originator_version, topic, state)
        SELECT e.stream, e.version, e.topic, substr(event_states, e.start, e.size)
        FROM unnest(
            string_to_array(event_stream, E'\n'), event_version::bigint[],
            string_to_array(event_topic, E'\n'), event_start::integer[], event_size::integer[]
        ) WITH ORDINALITY AS e (stream, version, topic, start, size, nr)
        WHERE e.stream <> ALL (refused)
        ORDER BY e.nr
        RETURNING notification_id
    )
    SELECT array_agg(notification_id ORDER BY notification_id) INTO positions FROM stored;

    IF positions IS NULL THEN
        RETURN;
    END IF;

    IF new_stream <> '{}' THEN
        INSERT INTO log_index (stream, kind, partition, game, status, head, head_hash)
        SELECT n.stream, n.kind, n.partition, n.game, '', 0, ''
        FROM unnest(new_stream, new_kind, new_partition, new_game)
            AS n (stream, kind, partition, game)
        WHERE n.stream <> ALL (refused);
    END IF;
    UPDATE log_index AS i SET
        status = a.status, head = a.head, next_wake_ms = a.wake,
        head_hash = substr(index_hash, a.nr::integer * 32 - 31, 32)
    FROM unnest(
        streams, string_to_array(index_status, E'\n'), index_head::bigint[], index_wake::bigint[]
    ) WITH ORDINALITY AS a (stream, status, head, wake, nr)
    WHERE i.stream = a.stream AND a.stream <> ALL (refused);

    -- The channel is the one the stock recorder's subscriptions listen on.
    PERFORM pg_notify('stored_events', '');
END;
$$;
