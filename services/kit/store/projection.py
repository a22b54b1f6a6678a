"""A read model moves together with its checkpoint, or not at all."""

from collections.abc import Awaitable, Callable

from services.kit.store.database import Database, Pooled

Change = Callable[[Pooled], Awaitable[None]]


class Projection:
    """View rows and the log position they stand for, in the same transactions.

    `position` is that of the log in the envelope of what is applied, never a number of the feed.
    """

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name

    async def checkpoint(self) -> tuple[int, int]:
        """Return (epoch of the feed, position) of the last batch applied; (0, 0) at first."""
        async with self._database.connection() as connection:
            row = await connection.fetchrow(
                "SELECT epoch, position FROM projections WHERE name = $1", self._name
            )
        return (row[0], row[1]) if row else (0, 0)

    async def advance(self, after: int, position: int, apply: Change) -> bool:
        """Apply a batch of everything in (after, position] and move the checkpoint there.

        False, and nothing is applied, when the checkpoint is not `after`: the batch, or a part of
        it, has been applied before, or something before it is missing. Raises StoreUnavailable,
        after which the checkpoint tells whether the batch counts. What `apply` raises undoes all.
        """
        if position <= after:
            raise ValueError(f"a batch that ends at {position} does not follow {after}")
        async with self._database.connection() as connection, connection.transaction():
            await connection.execute(
                "INSERT INTO projections VALUES ($1, 0, 0) ON CONFLICT DO NOTHING", self._name
            )
            moved = await connection.fetchval(
                "UPDATE projections SET position = $3 WHERE name = $1 AND position = $2"
                " RETURNING true",
                self._name,
                after,
                position,
            )
            if moved:
                await apply(connection)
        return bool(moved)

    async def restart(self, epoch: int, clear: Change) -> None:
        """Clear the view rows and go back to position 0, under an epoch of the feed."""
        async with self._database.connection() as connection, connection.transaction():
            await connection.execute(
                "INSERT INTO projections VALUES ($1, $2, 0)"
                " ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch, position = 0",
                self._name,
                epoch,
            )
            await clear(connection)
