"""The table service as a process: which partitions it owns, and what it does beside the desks."""

from __future__ import annotations

import asyncio

import structlog

from services.kit.clock import now_ms
from services.kit.store.model import Lease, StoreUnavailable
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from services.table.desk import Ports
from services.table.partitions import GAPS_MS, Index, Partition

log = structlog.get_logger()

HEADS_S = 5.0
"""Every live feed repeats its head number so often."""
HEADS_AT_ONCE = 200
DRAIN_POLL_S = 0.02


class TableService:
    """The desks of all partitions that this process owns at the moment."""

    def __init__(self, ports: Ports, index: Index) -> None:
        """Own nothing yet; `gained` and `lost` are for the keeper of the leases."""
        self._ports = ports
        self._index = index
        self._partitions: dict[int, Partition] = {}

    async def gained(self, lease: Lease) -> None:
        """Serve a partition from now on; raises StoreUnavailable when it cannot be read."""
        partition = Partition(lease, self._ports, self._index)
        self._partitions[lease.partition] = partition
        try:
            await partition.open(now_ms() - GAPS_MS)
        except StoreUnavailable:
            await self.lost(lease.partition)
            raise
        log.info("partition_gained", partition=lease.partition, epoch=lease.epoch)

    async def lost(self, number: int) -> None:
        """Stop serving a partition at once."""
        partition = self._partitions.pop(number, None)
        if partition is not None:
            await partition.close()
            log.info("partition_lost", partition=number)

    async def repeat_heads(self) -> None:
        """Tell everybody every few seconds how far his table is."""
        while True:
            await asyncio.sleep(HEADS_S)
            desks = [desk for each in self._partitions.values() for desk in each.desks.values()]
            for count, desk in enumerate(desks):
                desk.show_head()
                if count % HEADS_AT_ONCE == 0:
                    await asyncio.sleep(0)

    async def drain(self) -> None:
        """Return when what was taken is stored and answered."""
        while not all(  # noqa: ASYNC110 - at the end of a process, bounded by its drain time
            partition.idle for partition in self._partitions.values()
        ):
            await asyncio.sleep(DRAIN_POLL_S)


class Store:
    """The event store as the desks use it: one way in, one way out."""

    def __init__(self, recorder: Recorder, reader: Reader) -> None:
        """Join the two."""
        self.submit = recorder.submit
        self.stream = reader.stream
