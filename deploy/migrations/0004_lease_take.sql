-- Takes those of the wanted partitions whose session lock is free, for the calling session: the lock,
-- then epoch + 1 under the log's lock, so that when this commits no append of an older epoch can
-- still come. former_alive_at is the last sign of life of the owner before, NULL for the first one.
CREATE FUNCTION lease_take(wanted integer[], new_owner text, lock_class integer)
RETURNS TABLE (taken integer, new_epoch bigint, former_alive_at timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    now_at timestamptz;
BEGIN
    PERFORM log_lock();
    now_at := clock_timestamp();
    FOREACH taken IN ARRAY wanted LOOP
        CONTINUE WHEN NOT pg_try_advisory_lock(lock_class, taken);
        SELECT p.alive_at INTO former_alive_at FROM partitions AS p WHERE p.partition = taken;
        INSERT INTO partitions AS p (partition, epoch, owner, alive_at)
        VALUES (taken, 1, new_owner, now_at)
        ON CONFLICT (partition) DO UPDATE
        SET epoch = p.epoch + 1, owner = excluded.owner, alive_at = excluded.alive_at
        RETURNING p.epoch INTO new_epoch;
        IF former_alive_at IS NOT NULL THEN
            INSERT INTO partition_gaps VALUES (taken, new_epoch, former_alive_at, now_at);
        END IF;
        RETURN NEXT;
    END LOOP;
END;
$$;
