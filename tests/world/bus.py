"""The bus in memory: one server, clients that die with their process, and faults by kind."""

import asyncio
import contextvars
from typing import TYPE_CHECKING

from services.kit.bus import Handler, Message, NoAnswer, NoResponder, Subscription, TooLarge
from tests.world.capture import Capture, Delivered, Sent
from tests.world.faults import KINDS, BusFaults
from tests.world.processes import Life
from tests.world.subject import matches

if TYPE_CHECKING:
    from tests.world.world import World

MAX_PAYLOAD = 2**20
EPSILON_S = 1e-6
"""Keeps two deliveries in order: timers of the very same time have none."""


def kind_of(subject: str) -> str:
    """Return the kind of message whose faults apply to the subject."""
    head = subject.partition(".")[0]
    if head == "_INBOX":
        return "reply"
    return head if head in KINDS else "other"


class Net:
    """The server: who is subscribed to what, and how long a message takes."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.capture = Capture()
        self.down = False
        self.subscriptions: list[WorldSubscription] = []
        self._rng = world.rng("bus")
        self._arrived: dict[tuple[str, int], float] = {}
        self._numbers = 0
        self._queues = world.rng("queues")

    def client(self, name: str, inbox: str = "", life: Life | None = None) -> "WorldBus":
        """Return a connection; it dies with `life`. `inbox` is its prefix, `_INBOX.<name>`."""
        self._numbers += 1
        return WorldBus(self, name, inbox or f"_INBOX.{name}", self._numbers, life)

    def carry(self, sender: "WorldBus", message: Message) -> bool:
        """Bring a message to one member of each queue and to all others; False: nobody there."""
        self.capture.note(Sent(self.world.loop.now_ms(), sender.name, *message))
        self.world.trace("send", f"{sender.name} {message.subject} {message.reply}", message.data)
        targets: list[WorldSubscription] = []
        queues: dict[str, list[WorldSubscription]] = {}
        for subscription in self.subscriptions:
            if not matches(subscription.pattern, message.subject):
                continue
            if subscription.queue:
                queues.setdefault(subscription.queue, []).append(subscription)
            else:
                targets.append(subscription)
        targets += [self._queues.choice(members) for members in queues.values()]
        faults = self.world.faults.bus.get(kind_of(message.subject), BusFaults())
        for target in targets:
            self._deliver(sender, target, message, faults)
        return bool(targets)

    def _deliver(
        self, sender: "WorldBus", target: "WorldSubscription", message: Message, faults: BusFaults
    ) -> None:
        chance, loop = self._rng.random, self.world.loop
        if chance() < faults.loss:
            self.world.trace("lost", message.subject)
            return
        wait = self._rng.uniform(*faults.delay)
        if chance() < faults.double:
            again = wait + self._rng.uniform(*faults.late_s)
            loop.call_later(again, target.take, message, context=target.context)
        if chance() < faults.reorder:
            when = loop.time() + wait + self._rng.uniform(*faults.late_s)
            loop.call_at(when, target.take, message, context=target.context)
            return
        if chance() < faults.late:
            wait += self._rng.uniform(*faults.late_s)
        link = (sender.key, target.number)
        when = max(loop.time() + wait, self._arrived.get(link, 0.0) + EPSILON_S)
        self._arrived[link] = when
        loop.call_at(when, target.take, message, context=target.context)

    def number(self) -> int:
        """Return the number of the next subscription."""
        self._numbers += 1
        return self._numbers


class WorldSubscription:
    """An interest of one client, and the context in which its handler runs."""

    def __init__(self, bus: "WorldBus", pattern: str, handler: Handler, queue: str) -> None:
        self.pattern = pattern
        self.queue = queue
        self.number = bus.net.number()
        self.context = contextvars.copy_context()
        self._bus = bus
        self._handler = handler

    async def close(self) -> None:
        """End the interest."""
        self.drop()

    def drop(self) -> None:
        """Forget the interest at the server."""
        if self in self._bus.net.subscriptions:
            self._bus.net.subscriptions.remove(self)

    def take(self, message: Message) -> None:
        """Hand a message to the handler, if there still is one."""
        if self._bus.life is None:
            self._handle(message)
        else:
            self._bus.life.deliver(lambda: self._handle(message))

    def _handle(self, message: Message) -> None:
        net = self._bus.net
        if self not in net.subscriptions or not self._bus.up:
            return
        net.capture.delivered.append(
            Delivered(net.world.loop.now_ms(), self._bus.name, message.subject, message.data)
        )
        try:
            self._handler(message)
        except Exception as error:  # noqa: BLE001 - the real bus goes on as well
            net.world.failures.append(f"handler of {self.pattern}: {error!r}")


class WorldBus:
    """A client of the net: what `services.kit.bus.Bus` promises, and no more."""

    def __init__(self, net: Net, name: str, inbox: str, number: int, life: Life | None) -> None:
        self.net = net
        self.name = name
        self.life = life
        self.key = f"{name}/{number}"
        self.cut = False
        self._inbox = inbox
        self._replies = f"{inbox}.{number}."
        self._requests = 0
        self._pending: dict[str, asyncio.Future[bytes]] = {}
        self._mine: list[WorldSubscription] = []
        self._mux: WorldSubscription | None = None
        self._closed = False
        if life is not None:
            life.endings.append(self._end)

    @property
    def inbox(self) -> str:
        """The prefix of every reply subject of this client."""
        return self._inbox

    @property
    def up(self) -> bool:
        """Whether messages get through: server up, link not cut, client open."""
        return not (self._closed or self.cut or self.net.down)

    def publish(self, subject: str, data: bytes) -> None:
        """Send without promise."""
        if self.life is not None:
            self.life.step()
        if self.up and len(data) <= MAX_PAYLOAD:
            self.net.carry(self, Message(subject, data, ""))

    async def request(self, subject: str, data: bytes, timeout_s: float) -> bytes:
        """Return the first answer; raises NoResponder, NoAnswer, TooLarge."""
        self._step()
        if len(data) > MAX_PAYLOAD:
            raise TooLarge(f"{len(data)} bytes")
        if not self.up:
            raise NoResponder("the link is down")
        if self._mux is None:
            self._mux = self._add(f"{self._replies}*", self._answered, "")
        self._requests += 1
        token = str(self._requests)
        answer: asyncio.Future[bytes] = self.net.world.loop.create_future()
        self._pending[token] = answer
        timer = self.net.world.loop.call_later(timeout_s, self._expire, answer)
        try:
            if not self.net.carry(self, Message(subject, data, self._replies + token)):
                await asyncio.sleep(self.net.world.rng("no-responder").uniform(0.0002, 0.002))
                raise NoResponder("nobody serves this at the moment")
            return await answer
        finally:
            timer.cancel()
            del self._pending[token]
            self._step()

    async def subscribe(self, subject: str, handler: Handler, queue: str = "") -> Subscription:
        """Return when the interest stands; raises NoResponder when the link is down."""
        self._step()
        if not self.up:
            raise NoResponder("the link is down")
        subscription = self._add(subject, handler, queue)
        confirmed = False
        try:
            await asyncio.sleep(self.net.world.rng("subscribe").uniform(0.0002, 0.002))
            confirmed = self.up
        finally:
            if not confirmed:
                subscription.drop()
        if not confirmed:
            raise NoResponder("the bus did not confirm the subscription")
        return subscription

    async def close(self) -> None:
        """End every subscription."""
        self._end()

    def _step(self) -> None:
        if self.life is not None:
            self.life.must_live()

    def _add(self, pattern: str, handler: Handler, queue: str) -> WorldSubscription:
        subscription = WorldSubscription(self, pattern, handler, queue)
        self._mine.append(subscription)
        self.net.subscriptions.append(subscription)
        return subscription

    def _answered(self, message: Message) -> None:
        answer = self._pending.get(message.subject[len(self._replies) :])
        if answer is not None and not answer.done():
            answer.set_result(message.data)

    @staticmethod
    def _expire(answer: "asyncio.Future[bytes]") -> None:
        if not answer.done():
            answer.set_exception(NoAnswer("no answer in time"))

    def _end(self) -> None:
        self._closed = True
        for subscription in self._mine:
            subscription.drop()
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(NoAnswer("the bus was closed"))
