"""Lobby: what an opener may set, and how open tables come, fill and go before everybody's eyes."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from msgspec.structs import asdict

from contracts import subjects
from contracts.lobby import OpenTable, OpenTables, decode_change, decode_lobby
from domain.refusals import Code
from domain.table.events import TableRules
from services.kit.bus import Message
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import WITHIN_S, Options, Person, begun, gathered, refusal

DEFAULTS: dict[str, Options] = {
    "speeddive": {"edition": "KLASSISCH", "target": 200, "bilanz": True, "brutal": False},
    "speedclimb": {"route": "GIPFELSTURM"},
    "snorkeling": {"variant": "BASIS", "bilanz": True},
    "speeddrill": {"mode": "KLASSISCH"},
}
CHOICES: dict[str, list[Options]] = {
    "speeddive": [
        {"target": 100},
        {"target": 200},
        {"target": 300},
        {"edition": "DEEPER_DIVE"},
        {"edition": "DEEPER_DIVE", "brutal": True},
        {"bilanz": False},
    ],
    "speedclimb": [
        {"route": "GIPFELSTURM"},
        {"route": "NORDWAND"},
        {"route": "GROSSE_EXPEDITION"},
        {"route": "MEISTER_EXPEDITION"},
    ],
    "snorkeling": [{"variant": "BASIS"}, {"variant": "EXPERTEN"}, {"bilanz": False}],
    "speeddrill": [{"mode": "KLASSISCH"}, {"mode": "ROHSTOFFE"}],
}
WRONG: list[tuple[str, Options]] = [
    ("speeddive", {"target": 150}),
    ("speeddive", {"brutal": True}),
    ("speedclimb", {"route": "SUEDWAND"}),
    ("snorkeling", {"variant": "PROFIS"}),
    ("speeddrill", {"mode": "ROHSTOFFE", "target": 100}),
]
PLACES = {"speeddive": (2, 4), "speedclimb": (2, 6), "snorkeling": (2, 6), "speeddrill": (2, 4)}
RULES: dict[str, tuple[Any, ...]] = {
    "thinking_s": (0, 30, 60, 90, 120),
    "stake": (0, 10, 25, 50, 100),
    "strengths": (("leicht",), ("normal",), ("stark",)),
    "tempo": ("normal", "schnell"),
    "computers": (True, False),
}


class Visitor:
    """A page that shows the open tables: asked for once, then kept up by changes alone."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.shown: dict[str, OpenTable] = {}
        self._versions: dict[str, int] = {}
        self._news = asyncio.Event()

    async def enters(self, game: str) -> None:
        await self.person.bus.subscribe(subjects.LOBBY_CHANGE, self._changed)
        answer = decode_lobby(
            await self.person.ask(subjects.lobby_list(self.person.id), game=game, limit=100)
        )
        assert isinstance(answer, OpenTables)
        for table in answer.tables:
            if table.version > self._versions.get(table.table, 0):
                self.shown[table.table] = table

    def _changed(self, message: Message) -> None:
        change = decode_change(message.data)
        if change.version > self._versions.get(change.table, 0):
            self._versions[change.table] = change.version
            if change.open is None:
                self.shown.pop(change.table, None)
            else:
                self.shown[change.table] = change.open
            self._news.set()

    async def sees(self, table: str) -> OpenTable:
        await self._until(lambda: table in self.shown)
        return self.shown[table]

    async def sees_at(self, table: str, *people: str | None) -> OpenTable:
        """Wait until these sit there, in order of places; None is a free one."""

        def sit() -> bool:
            places = self.shown[table].places if table in self.shown else ()
            return tuple(each and each.player for each in places) == people

        await self._until(sit)
        return self.shown[table]

    async def sees_no(self, table: str) -> None:
        await self._until(lambda: table not in self.shown and table in self._versions)

    async def _until(self, holds: Any) -> None:
        async with asyncio.timeout(WITHIN_S):
            while not holds():
                self._news.clear()
                await self._news.wait()


@pytest.mark.parametrize("game", DEFAULTS)
async def test_who_sets_nothing_has_the_defaults(come: Come, game: str) -> None:
    anna, visitor = await come(), Visitor(await come())
    await visitor.enters(game)

    table = await gathered(anna, game=game, rules=TableRules(places=2), options={})

    shown = await visitor.sees(table)
    assert (shown.game, shown.options, shown.opener) == (game, DEFAULTS[game], anna.id)
    assert asdict(shown.rules) == {
        "places": 2,
        "computers": True,
        "thinking_s": 120,
        "strengths": ("normal",),
        "min_game_s": 90,
        "tempo": "normal",
        "stake": 0,
        "solo": False,
    }


@pytest.mark.parametrize("game", DEFAULTS)
async def test_the_opener_sets_what_section_8_offers(come: Come, game: str) -> None:
    anna = await come("Anna")
    least, most = PLACES[game]
    ways = {**RULES, "places": tuple(range(least, most + 1)), "options": tuple(CHOICES[game])}

    for turn in range(max(map(len, ways.values()))):
        settings = {name: values[turn % len(values)] for name, values in ways.items()}
        chosen = settings.pop("options")
        rules = TableRules(**settings)
        table = await gathered(anna, game=game, rules=rules, options=chosen)
        await anna.client.seat(table).resume()
        (opened,) = anna.facts(table, "TableOpened")
        assert opened["options"] == {**DEFAULTS[game], **chosen}
        assert msgspec.convert(opened["rules"], TableRules) == rules
        await anna.client.leave(table)
        assert (await anna.client.seat(table).resume()).ended_because == "empty"


@pytest.mark.parametrize(("game", "options"), WRONG)
async def test_options_that_do_not_exist_are_refused(
    come: Come, game: str, options: Options
) -> None:
    anna = await come()

    with refusal(Code.BAD_OPTIONS):
        await anna.client.open(game, TableRules(places=2), options)


async def test_rules_that_do_not_exist_are_refused(come: Come) -> None:
    anna = await come("Anna")
    wrong: list[dict[str, Any]] = [{"thinking_s": 45}, {"stake": 30}, {"tempo": "rasend"}]
    for each in wrong:
        with refusal(Code.MALFORMED):
            await anna.client.open("speeddive", TableRules(places=2, **each))
    of_tests: list[dict[str, Any]] = [{"tempo": "sofort"}, {"min_game_s": 0}]
    for each in (*of_tests, {"solo": True, "stake": 10}, {"solo": True, "computers": False}):
        with refusal(Code.BAD_OPTIONS):
            await anna.client.open("speeddive", TableRules(places=2, **each))
    for game, (least, most) in PLACES.items():
        for places in (least - 1, most + 1):
            with refusal(Code.BAD_OPTIONS):
                await anna.client.open(game, TableRules(places=places))


async def test_an_open_table_is_seen_to_fill_and_to_begin(come: Come) -> None:
    visitor, anna, ben, eve = Visitor(await come()), await come("Anna"), await come(), await come()
    await visitor.enters("speeddive")
    table = await gathered(anna, rules=TableRules(places=3, computers=False))
    await visitor.sees_at(table, anna.id, None, None)
    with refusal(Code.TOO_FEW_SEATS):
        await anna.client.start(table)

    await ben.client.join(table, 2)
    await visitor.sees_at(table, anna.id, None, ben.id)
    await ben.client.leave(table)
    await visitor.sees_at(table, anna.id, None, None)
    await eve.client.join(table)
    await visitor.sees_at(table, anna.id, eve.id, None)
    with refusal(Code.NOT_OPENER):
        await eve.client.start(table)
    with refusal(Code.SEATED_ELSEWHERE):
        await gathered(eve)
    await anna.client.start(table)

    await visitor.sees_no(table)
    view = await eve.until(table, lambda view: view.phase == "playing")
    assert [each.player for each in view.seats] == [anna.id, eve.id]
    with refusal(Code.NOT_GATHERING):
        await ben.client.join(table)


async def test_computers_take_what_is_free(come: Come) -> None:
    anna = await come()
    rules = TableRules(places=4, strengths=("leicht", "stark"))

    table = await begun(anna, rules=rules, game="speeddrill", options={})

    view = await anna.client.seat(table).resume()
    assert [each.kind for each in view.seats] == ["guest", "computer", "computer", "computer"]
    assert [each.strength for each in view.seats[1:]] == ["leicht", "stark", "leicht"]


@pytest.mark.parametrize("computers", [True, False])
async def test_places_4_and_5_of_speedclimb_are_computers(come: Come, *, computers: bool) -> None:
    """RULES.md 1.1: with „leer“ as well."""
    people = [await come() for _ in range(4)]
    opener, second, late, later = people
    rules = TableRules(places=6, computers=computers)
    table = await gathered(opener, second, game="speedclimb", rules=rules, options={})
    for place in (4, 5):
        with refusal(Code.COMPUTERS_ONLY):
            await late.client.join(table, place)
    if computers:
        await late.client.join(table)
        await later.client.join(table)
        with refusal(Code.TABLE_FULL):
            await (await come()).client.join(table)
    await opener.client.start(table)

    view = await opener.until(table, lambda view: view.phase == "playing")
    kinds = {each.place: each.kind for each in view.seats}
    taken = 4 if computers else 2
    assert kinds == {**dict.fromkeys(range(taken), "guest"), 4: "computer", 5: "computer"}


@pytest.mark.parametrize("game", DEFAULTS)
async def test_alone_one_begins_at_once_and_no_lobby_shows_it(come: Come, game: str) -> None:
    visitor, anna, ben = Visitor(await come()), await come("Anna"), await come()
    await visitor.enters(game)

    solo = await anna.client.solo(game, TableRules(places=3))

    view = await anna.until(solo.table, lambda view: view.phase == "playing")
    assert [each.kind for each in view.seats] == ["person", "computer", "computer"]
    with refusal(Code.NOT_GATHERING):
        await ben.client.join(solo.table)
    later = await gathered(anna, game=game, options={})  # changes come in order
    await visitor.sees(later)
    assert solo.table not in visitor.shown


async def test_a_table_that_does_not_begin_is_closed(house: House, come: Come) -> None:
    visitor, anna = Visitor(await come()), await come()
    await visitor.enters("snorkeling")
    table = await gathered(anna, game="snorkeling", options={})
    await visitor.sees(table)

    house.passes(30 * 60)

    await visitor.sees_no(table)
    view = await anna.until(table, lambda view: view.ended)
    assert (view.phase, view.ended_because) == ("cancelled", "expired")
