-- One row per stream, written in the transaction that appends to the stream: where it stands and
-- when somebody must look at it again. `awake` carries the index instead of next_wake_ms, because
-- next_wake_ms changes with every move and an index on it would forbid HOT updates.
CREATE TABLE log_index (
    stream text PRIMARY KEY,
    kind text NOT NULL,
    partition integer NOT NULL,
    game text NOT NULL,
    status text NOT NULL,
    head bigint NOT NULL,
    head_hash bytea NOT NULL,
    next_wake_ms bigint,
    awake boolean GENERATED ALWAYS AS (next_wake_ms IS NOT NULL) STORED
) WITH (
    fillfactor = 60,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05
);
CREATE INDEX log_index_awake ON log_index (partition) WHERE awake;
CREATE INDEX log_index_status ON log_index (kind, status, partition);

-- Who owns a partition. `epoch` grows with every taking and is the fence in log_append.
CREATE TABLE partitions (
    partition integer PRIMARY KEY,
    epoch bigint NOT NULL,
    owner text NOT NULL,
    alive_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- When a partition had no living owner; written at the taking that ends the gap. Whoever owns the
-- partition later can still credit a gap that its own predecessor did not live to credit.
CREATE TABLE partition_gaps (
    partition integer NOT NULL,
    epoch bigint NOT NULL,
    from_at timestamptz NOT NULL,
    to_at timestamptz NOT NULL,
    PRIMARY KEY (partition, epoch)
);

-- Heartbeats of the replicas; `replica` is also the key of the replica's presence lock.
CREATE TABLE replicas (
    replica integer PRIMARY KEY,
    owner text NOT NULL,
    alive_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- How far a projection has come. `epoch` is that of the feed; position is the notification id.
CREATE TABLE projections (
    name text PRIMARY KEY,
    epoch bigint NOT NULL,
    position bigint NOT NULL
) WITH (fillfactor = 50);
