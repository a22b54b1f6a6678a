-- The one lock under which the log is written: ids follow commit order because nobody draws an id
-- before he holds it. (A stock writer takes LOCK TABLE ... EXCLUSIVE, which our INSERT excludes.)
CREATE FUNCTION log_lock() RETURNS void LANGUAGE sql VOLATILE AS
$$ SELECT pg_advisory_xact_lock(1279393800, 0) $$;

-- Appends a batch of units, each all or nothing. A unit is refused when a stream's head is not the
-- expected one, or when the epoch of its lease is no longer the partition's. The numbers in *_unit
-- say which unit a row belongs to. One stream may occur once in a batch.
--   positions       notification ids of the stored events, in the order given, refused ones left out
--   refused_unit    one entry per reason; refused_stream is NULL when the lease is lost,
--   refused_head    is the head found in the index
-- VOLATILE: each statement has its own snapshot, so those after the lock see the newest commits.
CREATE FUNCTION log_append(
    event_stream text[], event_version bigint[], event_topic text[], event_state bytea[],
    event_unit integer[],
    index_stream text[], index_kind text[], index_partition integer[], index_game text[],
    index_status text[], index_head bigint[], index_hash bytea[], index_wake bigint[],
    index_expected bigint[], index_unit integer[],
    lease_partition integer[], lease_epoch bigint[], lease_unit integer[],
    OUT positions bigint[], OUT refused_unit integer[], OUT refused_stream text[],
    OUT refused_head bigint[]
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    refused integer[];
BEGIN
    PERFORM log_lock();

    SELECT array_agg(r.unit), array_agg(r.stream), array_agg(r.head)
    INTO refused_unit, refused_stream, refused_head
    FROM (
        SELECT l.unit, NULL::text AS stream, NULL::bigint AS head
        FROM unnest(lease_partition, lease_epoch, lease_unit) AS l (partition, epoch, unit)
        LEFT JOIN partitions AS p ON p.partition = l.partition
        WHERE p.epoch IS DISTINCT FROM l.epoch
        UNION ALL
        SELECT a.unit, a.stream, coalesce(i.head, 0)
        FROM unnest(index_stream, index_expected, index_unit) AS a (stream, expected, unit)
        LEFT JOIN log_index AS i ON i.stream = a.stream
        WHERE coalesce(i.head, 0) <> a.expected
    ) AS r;
    refused := coalesce(refused_unit, '{}');

    WITH stored AS (
        INSERT INTO stored_events (originator_id, originator_version, topic, state)
        SELECT e.stream, e.version, e.topic, e.state
        FROM unnest(event_stream, event_version, event_topic, event_state, event_unit)
            WITH ORDINALITY AS e (stream, version, topic, state, unit, nr)
        WHERE e.unit <> ALL (refused)
        ORDER BY e.nr
        RETURNING notification_id
    )
    SELECT array_agg(notification_id ORDER BY notification_id) INTO positions FROM stored;

    IF positions IS NULL THEN
        RETURN;
    END IF;

    INSERT INTO log_index AS i (
        stream, kind, partition, game, status, head, head_hash, next_wake_ms
    )
    SELECT a.stream, a.kind, a.partition, a.game, a.status, a.head, a.hash, a.wake
    FROM unnest(
        index_stream, index_kind, index_partition, index_game, index_status, index_head,
        index_hash, index_wake, index_unit
    ) AS a (stream, kind, partition, game, status, head, hash, wake, unit)
    WHERE a.unit <> ALL (refused)
    ON CONFLICT (stream) DO UPDATE SET
        status = excluded.status, head = excluded.head,
        head_hash = excluded.head_hash, next_wake_ms = excluded.next_wake_ms;

    -- The channel is the one the stock recorder's subscriptions listen on.
    PERFORM pg_notify('stored_events', '');
END;
$$;
