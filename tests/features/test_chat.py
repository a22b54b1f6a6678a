"""Chat at a table (TABLE-A14): said, heard, muted, and never in the log."""

from __future__ import annotations

import asyncio
from typing import Any

from contracts import subjects
from contracts.chat import LOCK_MS, ChatLines, ChatReply, Muted, Said, decode_chat
from contracts.replies import Rejected
from domain.refusals import Code
from services.lobby.chat.exclamations import EXCLAMATIONS
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import WITHIN_S, Person, gathered

WORDS = "Papageientaucher"


class Chatter:
    """Somebody who talks at a table, and who waits as long as he is told to."""

    def __init__(self, person: Person, table: str) -> None:
        self.person = person
        self.table = table
        self.heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def listens(self) -> None:
        self.heard = await self.person.hear(subjects.chat_line(self.person.id, self.table))

    async def hears(self) -> str:
        async with asyncio.timeout(WITHIN_S):
            return str((await self.heard.get())["text"])

    async def asks(self, verb: str, **fields: Any) -> ChatReply:
        subject = subjects.chat(self.person.id, self.table, verb)
        return decode_chat(await self.person.ask(subject, **fields))

    async def speaks(self, verb: str = "say", **fields: Any) -> ChatReply:
        return await self.asks(verb, command_id=self.person.client.new_id(), **fields)

    async def read(self) -> list[str]:
        answer = await self.asks("read", after=0)
        assert isinstance(answer, ChatLines)
        return [line.text for line in answer.lines]


async def chatters(come: Come, count: int = 3) -> list[Chatter]:
    people = [await come() for _ in range(count)]
    table = await gathered(*people)
    found = [Chatter(person, table) for person in people]
    for chatter in found:
        await chatter.listens()
    return found


async def test_a_line_is_heard_and_the_next_one_has_to_wait(come: Come) -> None:
    anna, ben, _ = await chatters(come)

    said = await anna.speaks(text="Wer taucht zuerst?")
    assert isinstance(said, Said)
    assert said.wait_ms == LOCK_MS == 2_000
    for verb, fields in (("say", {"text": "Ich?"}), ("jubel", {}), ("aerger", {})):
        refused = await anna.speaks(verb, **fields)
        assert isinstance(refused, Rejected)
        assert refused.code == Code.TOO_FAST
        left_ms = int(refused.hint)
        assert 0 < left_ms <= LOCK_MS
    assert isinstance(await ben.speaks(text="Du!"), Said)  # the lock is the sender's
    await asyncio.sleep(left_ms / 1_000)
    assert isinstance(await anna.speaks(text="Ich!"), Said)

    assert [await ben.hears() for _ in range(3)] == ["Wer taucht zuerst?", "Du!", "Ich!"]
    assert await ben.read() == ["Wer taucht zuerst?", "Du!", "Ich!"]


async def test_the_server_finds_words_for_joy_and_anger(come: Come) -> None:
    anna, ben, eve = await chatters(come)

    await anna.speaks("jubel")
    await ben.speaks("aerger")

    assert await eve.hears() in EXCLAMATIONS["jubel"]
    assert await eve.hears() in EXCLAMATIONS["aerger"]


async def test_who_is_muted_is_not_heard(come: Come) -> None:
    anna, ben, eve = await chatters(come)
    assert await ben.asks("mute", player=anna.person.id) == Muted((anna.person.id,))

    await anna.speaks(text="Hört mich jemand?")
    await eve.speaks(text="Ja.")

    assert await ben.hears() == "Ja."
    assert [await eve.hears() for _ in range(2)] == ["Hört mich jemand?", "Ja."]
    assert await ben.read() == ["Ja."]


async def test_lines_have_a_limit(come: Come) -> None:
    anna, _, _ = await chatters(come)

    refused = await anna.speaks(text="x" * 201)
    assert isinstance(refused, Rejected)
    assert refused.code == Code.TOO_LONG
    assert isinstance(await anna.speaks(text="x" * 200), Said)  # the refused one cost nothing


async def test_what_is_said_is_no_part_of_the_log(house: House, come: Come) -> None:
    anna, ben, _ = await chatters(come)
    before = await anna.person.client.seat(anna.table).resume()

    await anna.speaks(text=WORDS)
    assert await ben.hears() == WORDS

    assert (await anna.person.client.seat(anna.table).resume()).version == before.version
    query = "SELECT count(*) FROM stored_events WHERE position($1::bytea IN state) > 0"
    async with house.database.connection() as link:
        assert await link.fetchval(query, WORDS.encode()) == 0
        assert await link.fetchval(query, anna.person.id.encode()) > 0
