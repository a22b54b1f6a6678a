"""Rat over the real bus: asked of a computer, admitted by the question, stored nowhere."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from contracts import subjects
from contracts.advice import NO_ADVICE, Advised
from contracts.prompts import decode_prompt
from contracts.replies import Advice, Reply, decode_reply, rejected
from contracts.stakes import HoldAnswer, HoldRequest
from contracts.views import BotPrompt
from domain.refusals import Code, Refused
from domain.table.events import TableRules
from services.kit.bus import Message
from services.kit.client import PlayerClient
from services.kit.nats_bus import NatsBus
from services.kit.seen import SeenView
from services.kit.store.reader import Reader
from services.table import rat
from tests.entrance import Entrance
from tests.table.conftest import Connect, Sit

pytestmark = pytest.mark.usefixtures("owner")
NONE = rejected(Refused(Code.NO_ADVICE, "No computer gave advice; ask again."))
REASON = "7 von 52 Karten werfen dich raus."


class Bot:
    """Answers requests for advice with what `says` gives; None is silence for now."""

    def __init__(self, bus: NatsBus) -> None:
        self.asked: list[BotPrompt] = []
        self.says: Callable[[BotPrompt], bytes | None] = honest
        self.heard = asyncio.Event()
        self._bus = bus
        self._reply = ""

    def take(self, message: Message) -> None:
        self.asked.append(decode_prompt(message.data))
        self._reply = message.reply
        if (said := self.says(self.asked[-1])) is not None:
            self.answer(said)
        self.heard.set()

    def answer(self, said: bytes) -> None:
        self._bus.publish(self._reply, said)


def honest(prompt: BotPrompt) -> bytes:
    return msgspec.json.encode(Advised(prompt.question.default, REASON))


@pytest.fixture
async def bot(connect: Connect) -> Bot:
    bus = await connect(subjects.BOT)
    bot = Bot(bus)
    await bus.subscribe(subjects.BOT_RAT, bot.take, subjects.BOT)
    return bot


async def at_turn(*people: PlayerClient, **rules: Any) -> tuple[PlayerClient, str, SeenView]:
    """Start a game without computers; give who is on turn."""
    opener, *others = people
    how = TableRules(places=len(people), computers=False, thinking_s=0, **rules)
    table = (await opener.open("speeddive", how, {"bilanz": False})).table
    for other in others:
        await other.join(table)
    await opener.start(table)
    while (view := await opener.seat(table).resume()).phase == "starting":
        await opener.seat(table).newer(view.version, 20)
    for person in people:
        view = await person.seat(table).resume()
        if view.questions:
            return person, table, view
    raise AssertionError("nobody is asked")


async def refusal(person: PlayerClient, table: str, prompt: int) -> Reply:
    """Ask for advice once."""
    body = {"command_id": "12345678", "prompt": prompt}
    subject = subjects.command(person.player, table, "rat")
    return decode_reply(await person.bus.request(subject, msgspec.json.encode(body), 10))


async def code(asking: Awaitable[Advice]) -> Code:
    with pytest.raises(Refused) as refused:
        await asking
    return refused.value.code


async def test_advice_is_an_offered_move_with_its_reason_and_no_fact(
    bot: Bot, sit: Sit, reader: Reader
) -> None:
    anna, ben = await sit("p_anna"), await sit("p_ben")
    person, table, view = await at_turn(anna, ben)
    question = view.questions[0]
    before = await reader.stream(subjects.stream_of(table))

    advice = await person.rat(table, question.prompt)

    assert (advice.prompt, advice.part, advice.reason) == (question.prompt, "", REASON)
    assert await reader.stream(subjects.stream_of(table)) == before
    (prompt,) = bot.asked
    assert (prompt.strength, prompt.seat) == ("stark", view.seat)
    assert msgspec.json.encode(prompt.view) == bytes(view.play)
    await person.move(table, advice.prompt, advice.move)  # and it can be played as it is


async def test_where_rat_is_not_allowed_no_computer_is_asked(
    bot: Bot, sit: Sit, entrance: Entrance
) -> None:
    ledger = await entrance.service("ledger")

    def hold(message: Message) -> None:
        asked = msgspec.json.decode(message.data, type=HoldRequest)
        held = HoldAnswer(asked.table, asked.attempt, held=True)
        ledger.publish(message.reply, msgspec.json.encode(held))

    await ledger.subscribe(subjects.HOLD, hold)
    anna, ben = await sit("p_anna"), await sit("p_ben")
    person, table, view = await at_turn(anna, ben, stake=10)
    other = ben if person is anna else anna
    prompt = view.questions[0].prompt

    assert await code(person.rat(table, prompt)) == Code.NO_RAT
    assert await code(other.rat(table, prompt)) == Code.NOT_YOUR_TURN
    assert await code(person.rat(table, prompt - 1)) == Code.STALE_PROMPT
    assert bot.asked == []

    await other.leave(table)
    assert (await person.rat(table, prompt)).reason == REASON


@pytest.mark.parametrize(
    "says",
    [
        b"",
        b"{}",
        b'{"move":{"type":"ChooseTarget","target":9},"reason":"So."}',
        b'{"move":{"type":"Dive"},"reason":""}',
        b'{"move":{"type":"Dive"},"reason":"So.","seed":"00"}',
        NO_ADVICE,
    ],
)
async def test_advice_that_cannot_be_followed_is_none(bot: Bot, sit: Sit, says: bytes) -> None:
    person, table, view = await at_turn(await sit("p_anna"), await sit("p_ben"))
    bot.says = lambda _: says

    assert await refusal(person, table, view.questions[0].prompt) == NONE
    assert bot.asked


async def test_without_a_computer_there_is_none(sit: Sit) -> None:
    person, table, view = await at_turn(await sit("p_anna"), await sit("p_ben"))

    assert await refusal(person, table, view.questions[0].prompt) == NONE


async def test_a_computer_that_thinks_keeps_nobody_from_playing(
    bot: Bot, sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One question of a player at a time; the table goes on, and a late answer names its prompt."""
    monkeypatch.setattr(rat, "RAT_S", 20.0)
    person, table, view = await at_turn(await sit("p_anna"), await sit("p_ben"))
    question = view.questions[0]
    bot.says = lambda _: None
    person._answer_s, person._patience_s = 20.0, 20.0
    waiting = asyncio.create_task(person.rat(table, question.prompt))
    await asyncio.wait_for(bot.heard.wait(), 10)

    body = {"command_id": "12345678", "prompt": question.prompt}
    subject = subjects.command(person.player, table, "rat")
    second = await person.bus.request(subject, msgspec.json.encode(body), 5)
    assert msgspec.json.decode(second)["code"] == Code.BUSY
    moved = await person.move(table, question.prompt, question.options.moves[0])
    assert moved.last > view.version

    bot.answer(honest(bot.asked[0]))
    assert (await waiting).prompt == question.prompt
