"""Appending inside somebody's own transaction: view rows and facts are committed together.

For those who seldom append and must change rows in the same breath; tables use the recorder.
"""

import asyncio

from services.kit.store import batch as batches
from services.kit.store.batch import Pending, Positions
from services.kit.store.database import Connection, Pooled
from services.kit.store.model import Unit

_LOCK_TIMEOUT = "2s"
# As in the recorder: a plan made while the log was small must also suit it when it has grown.
_SETTINGS = (
    "SELECT set_config('lock_timeout', $1, true), set_config('enable_seqscan', 'off', true),"
    " set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)"
)


async def prepare(link: Connection | Pooled) -> None:
    """Bound every wait for a lock in the present transaction, and suit it to an append."""
    await link.execute(_SETTINGS, _LOCK_TIMEOUT)


async def append(link: Connection | Pooled, unit: Unit) -> Positions:
    """Store the unit in the present transaction and return the positions of its rows.

    The lock of the log is held from here to the commit, and everybody else's appends wait for it:
    this is the last statement of a transaction that began with `prepare`. Raises Conflict and NotOwner, after which the
    transaction is to be rolled back, and ValueError like the recorder.
    """
    outcome: asyncio.Future[Positions] = asyncio.get_running_loop().create_future()
    batch = (Pending(unit, batches.row_count(unit), outcome),)
    arguments = batches.arguments(batch)
    answer = await link.fetchrow(batches.CALL, *arguments)
    assert answer is not None
    batches.tell(batch, *answer)
    return outcome.result()
