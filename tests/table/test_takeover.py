"""After thinking time and grace a real computer decides once, on the real bus and store."""

import asyncio

import msgspec
import pytest

from contracts import subjects, topics
from domain.kernel import Chosen
from domain.table.events import TableRules
from services.bot.strategies import strategy_of
from services.kit.bus import Message
from services.kit.client import PlayerClient
from services.kit.seen import SeenFeed, SeenView
from services.kit.store import chain
from services.kit.store.reader import Reader
from tests.table.conftest import Own, Sit

RULES = TableRules(places=2, thinking_s=30, strengths=("leicht",), tempo="sofort")

pytestmark = pytest.mark.usefixtures("bots")


async def asked(person: PlayerClient, table: str, after: int = 0) -> SeenView:
    """Wait until the person is asked a question above number `after`."""
    view = await person.seat(table).newer(0, 20)
    while not any(question.prompt > after for question in view.questions):
        view = await person.seat(table).newer(view.version, 20)
    return view


async def decisions(reader: Reader, table: str) -> list[Chosen[object]]:
    rows = await reader.stream(subjects.stream_of(table))
    facts = [topics.decode(row.topic, chain.decode(row).data) for row in rows]
    return [fact for fact in facts if isinstance(fact, Chosen)]


async def test_the_computer_decides_one_question_and_gives_the_seat_back(
    own: Own, sit: Sit, reader: Reader, ahead: list[int]
) -> None:
    """TABLE-R01.2, over a change of owner: the deadline is found in the log."""
    first = await own(1)
    anna = await sit("p_test_anna")
    table = (await anna.open("speeddive", RULES, {"bilanz": False})).table
    await anna.start(table)
    view = await asked(anna, table)
    prompt = view.questions[0].prompt
    before = len(await decisions(reader, table))

    first.valid = False
    ahead[0] = 40_000
    await own(2)
    view = await asked(anna, table, prompt)
    question = view.questions[0]
    await anna.move(table, question.prompt, question.default)

    late, *others = (await decisions(reader, table))[before:]
    leicht = strategy_of("speeddive", "leicht")
    assert (late.decided_by, late.prompt, late.seat) == ("timeout", prompt, view.seat)
    assert (late.strategy, late.strategy_version) == (leicht.name, leicht.version)
    assert late.rng_seed
    mine = [each for each in others if each.seat == late.seat]
    assert [each.decided_by for each in mine] == ["human"]
    assert (view.seats[late.seat].kind, view.seats[late.seat].left) == ("person", False)


@pytest.mark.usefixtures("owner")
async def test_a_leavers_game_is_played_to_its_end(sit: Sit, reader: Reader) -> None:
    anna = await sit("p_anna")
    rules = msgspec.structs.replace(RULES, tempo="normal")
    table = (await anna.open("speeddive", rules, {"bilanz": False, "target": 100})).table
    await anna.start(table)
    over = asyncio.Event()

    def look(message: Message) -> None:
        view = msgspec.json.decode(message.data, type=SeenFeed).view
        if view is not None and view.ended:
            over.set()

    await anna.bus.subscribe(subjects.watch(table), look)
    await anna.leave(table)
    await anna.seat(table).resume()  # as a spectator from now on
    await asyncio.wait_for(over.wait(), 60)  # nobody looks, so there are no pauses

    leicht = strategy_of("speeddive", "leicht")
    made = await decisions(reader, table)
    assert made
    assert {each.decided_by for each in made} == {"computer"}
    assert {each.strategy for each in made if each.seat == 0} == {leicht.name}
