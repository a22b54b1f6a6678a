"""A person's line to the bus, which breaks, is hung up and comes back with another ticket."""

from __future__ import annotations

import asyncio
from typing import Final

from contracts.subjects import inbox
from services.kit import nats_bus
from services.kit.bus import BusError, Handler, NoResponder, Subscription
from services.kit.console.failure import Failure
from services.kit.nats_bus import NatsBus
from services.ops.players import Door

AGAIN_S: Final = 1.0
"""The pause after a vain attempt to come in: while the gateway or the bus is away."""
AT_ONCE: Final = 16
"""So many come in at the same time."""


class Line:
    """A bus that stays the same for its client while connections come and go.

    While there is none, requests fail at once with NoResponder, as they do on a broken one. Each
    connection has a ticket of its own. One that the server ends for good is replaced.
    """

    def __init__(
        self, player: str, entrance: Door, address: str, dialling: asyncio.Semaphore
    ) -> None:
        """Know the door for tickets, and where the bus is; nothing is connected yet.

        `dialling` (of `AT_ONCE`) is shared by all lines.
        """
        self.cuts = 0
        self._player = player
        self._entrance = entrance
        self._address = address
        self._dialling = dialling
        self._bus: NatsBus | None = None
        self._wanted: list[tuple[str, Handler, str]] = []
        self._redialling: asyncio.Task[None] | None = None

    @property
    def inbox(self) -> str:
        """The player's own prefix."""
        return inbox(self._player)

    @property
    def is_up(self) -> bool:
        """Whether there is a connection at the moment, as far as is known."""
        return self._bus is not None

    def publish(self, subject: str, data: bytes) -> None:
        """Send without promise; nothing while there is no connection."""
        if self._bus is not None:
            self._bus.publish(subject, data)

    async def request(self, subject: str, data: bytes, timeout_s: float) -> bytes:
        """Return the first answer; raises NoResponder, NoAnswer, Denied, TooLarge."""
        if self._bus is None:
            raise NoResponder("the line is down; nothing was sent")
        return await self._bus.request(subject, data, timeout_s)

    async def subscribe(self, subject: str, handler: Handler, queue: str = "") -> Subscription:
        """Listen on this connection and all later ones, until the line is closed."""
        if self._bus is None:
            raise NoResponder("the line is down; nothing is subscribed")
        subscription = await self._bus.subscribe(subject, handler, queue)
        self._wanted.append((subject, handler, queue))
        return subscription

    async def dial(self) -> None:
        """Come in with a new ticket, however long that takes."""
        while True:
            try:
                async with self._dialling:
                    await self._connect()
            except (BusError, Failure, OSError):
                await asyncio.sleep(AGAIN_S)
            else:
                return

    async def hang_up(self) -> None:
        """End the connection; what was wanted is kept for the next one."""
        bus, self._bus = self._bus, None
        if bus is not None:
            await bus.close()

    async def close(self) -> None:
        """End the connection for good."""
        if self._redialling is not None:
            self._redialling.cancel()
        await self.hang_up()

    async def _connect(self) -> None:
        ticket = await self._entrance.ticket(self._player)
        opened: list[NatsBus] = []

        def ended() -> None:
            if opened and opened[0] is self._bus:
                self.cuts += 1
                self._bus = None
                self._redialling = asyncio.create_task(self.dial())

        bus = await nats_bus.connect(
            self._address, self._player, self.inbox, ended, token=ticket, wait_s=20.0
        )
        try:
            for subject, handler, queue in self._wanted:
                await bus.subscribe(subject, handler, queue)
        except BaseException:
            await bus.close()
            raise
        opened.append(bus)
        self._bus = bus
