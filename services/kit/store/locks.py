"""The advisory locks of the database, by class (first key)."""

APPEND = 0x4C42_0008  # the log itself; the number also stands in the migration log_append
WRITER = 0x4C42_0009  # held by each recorder's session; second key: the recorder
MIGRATION = 0x4C42_000A
PARTITION = 0x4C42_000B  # second key: the partition or other leased number
PRESENCE = 0x4C42_0100  # + first key of the lease group; second key: the replica
