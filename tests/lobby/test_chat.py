"""Chat at tables (RULES.md section 8, TABLE-A14): the service with its own rights, players with theirs."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import msgspec
import pytest

from contracts import subjects
from contracts.chat import (
    LINES_MAX,
    LOCK_MS,
    ChatLine,
    ChatLines,
    ChatReply,
    Muted,
    Said,
    decode_chat,
    decode_line,
)
from contracts.replies import Rejected
from domain.refusals import Code, Refused
from domain.table import commands as c
from services.kit.bus import Denied, NoAnswer, NoResponder
from services.kit.nats_bus import NatsBus
from services.kit.store.database import Database
from services.lobby.chat.exclamations import EXCLAMATIONS
from services.lobby.chat.lines import Lines
from services.lobby.chat.service import ChatService
from tests.entrance import Entrance
from tests.ledger.conftest import Play
from tests.ledger.played import Played

LONG_MS = 600_000
"""The lock in these tests: on a busy machine two seconds may pass between any two lines of code."""


@pytest.fixture(autouse=True)
def lock(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LOCK_MS == 2_000
    monkeypatch.setattr("services.lobby.chat.voices.LOCK_MS", LONG_MS)


class Chatter:
    """One player at one table's chat."""

    def __init__(self, bus: NatsBus, player: str, table: str) -> None:
        self.bus = bus
        self.player = player
        self.table = table
        self.heard: asyncio.Queue[ChatLine] = asyncio.Queue()

    async def listen(self, reader: str = "") -> None:
        subject = subjects.chat_line(reader or self.player, self.table)
        await self.bus.subscribe(subject, lambda m: self.heard.put_nowait(decode_line(m.data)))

    async def ask(self, verb: str, **fields: Any) -> ChatReply:
        subject = subjects.chat(self.player, self.table, verb)
        return decode_chat(await self.bus.request(subject, json.dumps(fields).encode(), 10))

    async def say(self, text: str, command_id: str = "") -> ChatReply:
        return await self.ask("say", command_id=command_id or new_id(), text=text)

    async def read(self, after: int = 0) -> list[ChatLine]:
        answer = await self.ask("read", after=after)
        assert isinstance(answer, ChatLines)
        return list(answer.lines)


def new_id() -> str:
    return uuid.uuid4().hex


def said(answer: ChatReply) -> ChatLine:
    assert isinstance(answer, Said), answer
    return answer.line


def code(answer: ChatReply) -> Code:
    assert isinstance(answer, Rejected), answer
    return answer.code


@pytest.fixture
async def service(entrance: Entrance, database: Database) -> AsyncIterator[None]:
    """Two replicas, with the rights of the lobby."""
    stop = asyncio.Event()
    serving = []
    for _ in range(2):
        bus = await entrance.service("lobby")
        service = ChatService(bus, database, Lines(bus))
        serving.append(asyncio.create_task(service.answering.serve(stop)))
    probe = await entrance.master("probe")
    async with asyncio.timeout(20):
        while True:
            try:
                await probe.request(subjects.chat("probe", "x", "read"), b"{}", 5)
            except NoResponder:
                await asyncio.sleep(0.02)
            else:
                break
    yield
    stop.set()
    await asyncio.gather(*serving)


@pytest.fixture
async def played(table: Play) -> Played:
    """A table where Anna, Ben and a guest sit."""
    played = table(new_id())
    await played.open(3)
    await played.do(c.Join(), "p_ben")
    await played.do(c.Join(), "g_gast")
    return played


@pytest.fixture
async def people(
    service: None,  # noqa: ARG001
    played: Played,
    entrance: Entrance,
    log_url: str,  # noqa: ARG001
) -> list[Chatter]:
    names = ("p_anna", "p_ben", "g_gast")
    return [Chatter(await entrance.player(name), name, played.table.table_id) for name in names]


async def unlocked(log_url: str) -> None:
    """Let the time of the lock pass for everybody."""
    link = await asyncpg.connect(log_url)
    await link.execute("UPDATE chat_senders SET said_at = said_at - interval '600 seconds'")
    await link.close()


async def test_a_line_is_kept_heard_and_read(people: list[Chatter]) -> None:
    anna, ben, guest = people
    await ben.listen()
    await guest.listen()

    answer = await anna.say("  Schöne  Gru\u0308ße <b>an alle</b> 🐟 ")
    line = said(answer)

    assert isinstance(answer, Said)
    assert answer.wait_ms == LONG_MS
    assert (line.player, line.kind) == ("p_anna", "text")
    assert line.text == "Schöne  Grüße <b>an alle</b> 🐟"
    async with asyncio.timeout(20):
        assert await ben.heard.get() == await guest.heard.get() == line
    assert await ben.read() == [line]
    assert await ben.read(line.number) == []
    second = said(await guest.say("Hallo"))
    assert await anna.read(line.number) == [second]
    assert second.number > line.number


@pytest.mark.parametrize("kind", ["jubel", "aerger"])
async def test_the_server_picks_exclamations(people: list[Chatter], kind: Any) -> None:
    anna, *_ = people
    command_id = new_id()

    line = said(await anna.ask(kind, command_id=command_id))

    assert line.kind == kind
    assert line.text in EXCLAMATIONS[kind]
    assert said(await anna.ask(kind, command_id=command_id)) == line
    assert code(await anna.ask(kind, command_id=new_id())) == Code.TOO_FAST
    assert code(await anna.ask(kind, command_id=new_id(), text="selbst")) == Code.MALFORMED


async def test_two_seconds_lie_between_two_lines(people: list[Chatter], log_url: str) -> None:
    """TABLE-A14; exclamations count, and a refused line does not begin the wait anew."""
    anna, ben, _ = people
    said(await anna.say("eins"))

    for verb, fields in (("say", {"text": "zwei"}), ("jubel", {}), ("aerger", {})):
        refused = await anna.ask(verb, command_id=new_id(), **fields)
        assert code(refused) == Code.TOO_FAST
        assert isinstance(refused, Rejected)
        assert 0 < int(refused.hint) <= LONG_MS
    said(await ben.say("Der Nächste bitte"))  # the lock is the sender's
    await unlocked(log_url)
    said(await anna.say("zwei"))
    assert [line.text for line in await ben.read()] == ["eins", "Der Nächste bitte", "zwei"]


async def test_the_lock_holds_at_all_tables(people: list[Chatter], table: Play) -> None:
    anna, *_ = people
    other = table(new_id())
    await other.open()
    elsewhere = Chatter(anna.bus, "p_anna", other.table.table_id)
    said(await anna.say("hier"))

    assert code(await elsewhere.say("dort")) == Code.TOO_FAST


async def test_of_many_at_once_one_is_taken(people: list[Chatter]) -> None:
    anna, *_ = people

    answers = await asyncio.gather(*(anna.say(f"Nummer {n}") for n in range(40)))

    taken = Counter("said" if isinstance(each, Said) else code(each) for each in answers)
    assert taken == {"said": 1, Code.TOO_FAST: 39}
    assert len(await anna.read()) == 1


async def test_a_repeat_is_the_same_line(people: list[Chatter], log_url: str) -> None:
    anna, ben, _ = people
    command_id = new_id()
    lines = await asyncio.gather(*(anna.say("einmal", command_id) for _ in range(20)))
    await unlocked(log_url)
    later = await anna.say("einmal", command_id)

    assert len({said(answer) for answer in (*lines, later)}) == 1
    assert len(await ben.read()) == 1
    await unlocked(log_url)
    assert code(await anna.say("anders", command_id)) == Code.COMMAND_REUSED
    assert code(await anna.ask("jubel", command_id=command_id)) == Code.COMMAND_REUSED
    said(await ben.say("auch einmal", command_id))  # ids are each player's own
    assert len(await ben.read()) == 2


async def test_a_line_that_was_not_kept_may_be_repeated_at_once(
    people: list[Chatter], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock was taken, and then JetStream did not answer."""
    anna, *_ = people
    command_id = new_id()
    add = Lines.add
    monkeypatch.setattr(Lines, "add", _unavailable)
    assert code(await anna.say("nun aber", command_id)) == Code.UNAVAILABLE
    monkeypatch.setattr(Lines, "add", add)

    assert said(await anna.say("nun aber", command_id)).text == "nun aber"


async def _unavailable(_lines: Lines, _table: str, _name: str, _data: bytes) -> Any:
    raise Refused(Code.UNAVAILABLE, "The chat does not answer; repeat it soon.")


async def test_only_who_sits_or_sat_there_speaks_and_everybody_reads(
    people: list[Chatter], played: Played, entrance: Entrance
) -> None:
    anna, *_ = people
    stranger = Chatter(await entrance.player("p_fritz"), "p_fritz", anna.table)
    assert code(await stranger.say("Ich auch!")) == Code.NOT_SEATED
    await played.do(c.Start())
    await played.do(c.Leave(), "p_ben")
    ben = Chatter(people[1].bus, "p_ben", anna.table)
    await stranger.listen(subjects.WATCHERS)

    line = said(await ben.say("Muss los"))

    assert await stranger.read() == [line]
    async with asyncio.timeout(20):
        assert await stranger.heard.get() == line
    nowhere = Chatter(anna.bus, "p_anna", "07-0123456789abcdef01234567")
    assert code(await nowhere.say("Hallo?")) == Code.UNKNOWN_TABLE
    assert await nowhere.read() == []
    wrong = Chatter(anna.bus, "p_anna", "99-0123456789abcdef01234567")
    assert code(await wrong.say("Hallo?")) == Code.BAD_TABLE_ID


async def test_who_got_up_before_the_game_neither_speaks_nor_hears(
    table: Play, people: list[Chatter], entrance: Entrance, log_url: str
) -> None:
    """Else a stranger sits down for a moment, and then says to the table what he likes."""
    played = table(new_id())
    await played.open(3)
    name = played.table.table_id
    anna = Chatter(people[0].bus, "p_anna", name)
    fritz = Chatter(await entrance.player("p_fritz"), "p_fritz", name)
    await fritz.listen()
    await played.do(c.Join(1), "p_fritz")
    first = said(await anna.say("Willkommen"))
    said(await fritz.say("Hallo"))
    await played.do(c.Leave(), "p_fritz")
    await unlocked(log_url)
    assert code(await fritz.say("Ätsch")) == Code.NOT_SEATED
    assert code(await fritz.ask("aerger", command_id=new_id())) == Code.NOT_SEATED
    said(await anna.say("Ohne ihn"))

    await played.do(c.Join(2), "p_fritz")
    await played.do(c.Start())
    await played.do(c.Leave(), "p_fritz")
    await unlocked(log_url)
    last = said(await anna.say("Mit ihm"))
    said(await fritz.say("Ich saß hier, als es begann"))

    async with asyncio.timeout(20):
        heard = [await fritz.heard.get() for _ in range(4)]
    assert [heard[0], heard[2]] == [first, last]


async def test_who_is_muted_is_neither_heard_nor_read(people: list[Chatter], log_url: str) -> None:
    anna, ben, guest = people
    await ben.listen()
    await guest.listen()
    first = said(await anna.say("vorher"))

    answer = await ben.ask("mute", player="p_anna")
    assert answer == Muted(("p_anna",))
    await unlocked(log_url)
    second = said(await anna.say("ungehört"))
    last = said(await guest.say("gehört"))

    async with asyncio.timeout(20):
        assert [await ben.heard.get() for _ in range(2)] == [first, last]
        assert [await guest.heard.get() for _ in range(3)] == [first, second, last]
    assert await ben.read() == [last]
    assert await guest.read() == [first, second, last]
    assert await ben.ask("read") == ChatLines((last,), ("p_anna",))
    assert await ben.ask("mute", player="p_anna", on=False) == Muted(())
    assert await ben.read() == [first, second, last]
    for wrong in ("p_ben", "computer_1", "x", ""):
        assert code(await ben.ask("mute", player=wrong)) == Code.MALFORMED


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", Code.BAD_TEXT),
        ("  \t ", Code.BAD_TEXT),
        ("\u200b\u200d", Code.BAD_TEXT),
        ("eins\nzwei", Code.BAD_TEXT),
        ("Glocke \a", Code.BAD_TEXT),
        ("\u2028", Code.BAD_TEXT),
        ("um\u202egekehrt", Code.BAD_TEXT),
        ("x" * 201, Code.TOO_LONG),
        ("x" * 801, Code.MALFORMED),
    ],
)
async def test_what_is_no_line_is_refused_and_not_quoted(
    people: list[Chatter], text: str, wanted: Code
) -> None:
    anna, *_ = people

    refused = await anna.say(text)

    assert code(refused) == wanted
    assert isinstance(refused, Rejected)
    assert not text.strip() or text.strip() not in refused.sentence
    said(await anna.say("🐙" * 200))  # it did not cost the two seconds


async def test_the_oldest_lines_are_forgotten(people: list[Chatter], entrance: Entrance) -> None:
    anna, *_ = people
    lines = Lines(await entrance.service("lobby"))
    kept = [
        await lines.add(anna.table, new_id(), b'{"at":1,"player":"p_ben","kind":"text","text":"x"}')
        for _ in range(LINES_MAX + 3)
    ]

    assert [line.number for line in await anna.read()] == [each.number for each in kept[3:]]
    assert len(await anna.read(kept[-3].number)) == 2


async def test_nobody_chats_under_another_name_or_into_another_inbox(
    people: list[Chatter], entrance: Entrance
) -> None:
    anna, ben, _ = people
    body = msgspec.json.encode({"command_id": new_id(), "text": "Ich bin Anna"})
    for subject in (
        subjects.chat("p_anna", anna.table, "say"),
        subjects.chat_lines(anna.table),
        subjects.chat_line("p_anna", anna.table),
        subjects.chat_line(subjects.WATCHERS, anna.table),
        subjects.chat("p_ben", anna.table, "forget"),
    ):
        with pytest.raises(Denied):
            await ben.bus.request(subject, body, 5)
    for subject in (
        subjects.chat_line("p_anna", "*"),
        subjects.chat_lines("*"),
        "chat.>",
        "chatline.>",
        subjects.CHAT,
    ):
        with pytest.raises(Denied):
            await ben.bus.subscribe(subject, lambda _: None)
    master = await entrance.master("p_anna")
    with pytest.raises(NoAnswer):  # Ben's name, and an answer to Anna's inbox
        await master.request(subjects.chat("p_ben", anna.table, "say"), body, 1)
    assert await anna.read() == []
