"""Every rule of Speeddrill by its id; the worked examples are in tests/records."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import msgspec
import pytest

from domain.kernel import Ask, AskAll, Over, Resumed, act, begin, settle
from domain.records.run import run
from domain.records.text import parse
from domain.speeddrill.events import CardDrawn, RodDrilled, RodsRevealed, SeasonStarted
from domain.speeddrill.game import Speeddrill
from domain.speeddrill.legality import even
from domain.speeddrill.material import DECK, FELDER, LENGTHS, SQUARE_OF, SQUARES, STOCK, canonical
from domain.speeddrill.moves import Drill
from domain.speeddrill.seating import konzerne_of
from domain.speeddrill.state import NO_HOLES, Options
from tests.domain.playing import Variant, facts_of, play, shuffles
from tests.domain.speeddrill.playing import plays

GAME = Speeddrill()


def unordered(state: Any) -> list[str]:
    return [konzern.name for konzern in state.board.konzerne]


def cycle(*places: int) -> list[tuple[str, int, str]]:
    return [(konzern.name, konzern.seat, konzern.side) for konzern in konzerne_of(places)]


def test_drill_e01_material() -> None:
    assert sum(STOCK) == 24
    by_length = [n * length for n, length in zip(STOCK, LENGTHS, strict=True)]
    assert by_length == [1100, 1200, 1200, 1200]
    assert Counter(DECK) == dict.fromkeys(SQUARES, 5)
    assert len(DECK) == 45
    assert canonical(shuffles(1)(DECK)) == DECK
    assert FELDER == ("Texas", "Atacama", "Kimberley", "Island", "Sibirien", "Outback")
    assert len(NO_HOLES) == 54


def test_options_are_those_of_the_rules() -> None:
    assert Options() == Options(mode="KLASSISCH")
    for wrong in ({"mode": "klassisch"}, {"table": 1}, {"seasons": 3}, {"mode": 1}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, Options)


def test_drill_r01_one_colour_each_clockwise() -> None:
    assert cycle(0, 1, 2, 3) == [
        ("Sued", 0, "Sued"),
        ("West", 1, "West"),
        ("Nord", 2, "Nord"),
        ("Ost", 3, "Ost"),
    ]
    assert cycle(1, 2, 3) == [("West", 0, "West"), ("Nord", 1, "Nord"), ("Ost", 2, "Ost")]
    assert cycle(0, 1, 3) == [("Sued", 0, "Sued"), ("West", 1, "West"), ("Ost", 2, "Ost")]


@pytest.mark.parametrize(
    ("places", "names"),
    [
        ((0, 1), "Sued West Nord Ost"),  # DRILL-E06
        ((0, 2), "Sued Nord West Ost"),  # DRILL-E05
        ((0, 3), "Sued Ost Nord West"),
        ((1, 2), "West Nord Ost Sued"),
        ((1, 3), "West Ost Nord Sued"),
        ((2, 3), "Nord Ost Sued West"),
    ],
)
def test_drill_r02_r03_a02_a03_two_colours_each(places: tuple[int, int], names: str) -> None:
    konzerne = konzerne_of(places)
    assert [konzern.name for konzern in konzerne] == names.split()
    assert [konzern.seat for konzern in konzerne] == [0, 1, 0, 1]
    # Both colours of a player are read from his own side.
    own = names.split()[:2]
    assert [konzern.side for konzern in konzerne] == own + own


def test_drill_r03_e02_e04_every_card_from_every_side() -> None:
    for n, card in enumerate(SQUARES):
        r, c = divmod(n, 3)
        assert {side: divmod(SQUARE_OF[side][card], 3) for side in SQUARE_OF} == {
            "Sued": (r, c),
            "West": (c, 2 - r),
            "Nord": (2 - r, 2 - c),
            "Ost": (2 - c, r),
        }
    for square_of in SQUARE_OF.values():
        assert sorted(square_of.values()) == list(range(9))
        assert square_of["MM"] == 4


def test_drill_r03_the_view_gives_absolute_squares_and_the_viewer_s_side() -> None:
    state = begin(GAME, Options(), (1, 3), shuffles(1)).state
    assert GAME.view(state, 0).side == "West"
    assert GAME.view(state, 1).side == "Ost"
    assert GAME.view(state, None).side == "Sued"
    assert {GAME.view(state, seat).board == state.board for seat in (0, 1, None)} == {True}


def test_drill_r04_a20_the_deal_and_the_drawn_start() -> None:
    settled = begin(GAME, Options(), (0, 1), shuffles(4))
    pile, *deals, start, season = settled.facts
    assert canonical(pile.order) == DECK
    assert [deal.konzern for deal in deals] == ["Sued", "West", "Nord", "Ost"]
    assert [deal.seat for deal in deals] == [0, 1, 0, 1]
    assert [card for deal in deals for card in deal.cards] == list(pile.order[:16])
    # Drawn among all four colours, also with two players.
    assert (start.what, sorted(start.order)) == ("start", ["Nord", "Ost", "Sued", "West"])
    assert season == SeasonStarted(1, start.order[0])
    starts = {begin(GAME, Options(), (0, 1), shuffles(n)).facts[-1].start for n in range(40)}
    assert starts == {"Sued", "West", "Nord", "Ost"}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_drill_r05_a18_e07_four_seasons_each_started_by_the_next_in_the_cycle(seats: int) -> None:
    steps = play(Variant("speeddrill", {}, seats), 9)
    names = unordered(steps[0].after.state)
    starts = [f.start for f in facts_of(steps) if isinstance(f, SeasonStarted)]
    first = names.index(starts[0])
    assert starts == [names[(first + n) % len(names)] for n in range(4)]
    assert [line.start for line in steps[-1].after.state.board.history] == starts


def test_drill_e07_nord_ost_sued_west() -> None:
    source = 'game = "speeddrill"\nseats = 4\nshuffles = ["...", "Nord, ..."]\nplay = "expect start = Nord"\n'
    settled = run(parse(source))
    shuffle, starts = shuffles(1), ["Nord"]
    while not isinstance(settled.waiting, Over):
        match settled.waiting:
            case Ask() as ask:
                settled = act(GAME, settled.state, ask, ask.default, shuffle)
            case AskAll(asks):
                settled = act(GAME, settled.state, asks[0], asks[0].default, shuffle)
            case pause:
                settled = settle(GAME, settled.state, (Resumed(pause.kind),), shuffle)  # type: ignore[union-attr]
        starts += [fact.start for fact in settled.facts if isinstance(fact, SeasonStarted)]
    assert starts == ["Nord", "Ost", "Sued", "West"]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_drill_r07_e23_turns_per_game(seats: int) -> None:
    steps = play(Variant("speeddrill", {}, seats), 5)
    drills = [step.ask for step in steps if step.ask and step.ask.kind == "drill"]
    names = unordered(steps[0].after.state)
    assert len(drills) == 24 * len(names) == {2: 96, 3: 72, 4: 96}[seats]
    # In cycle order, six turns each, from the colour that starts the season.
    starts = [f.start for f in facts_of(steps) if isinstance(f, SeasonStarted)]
    expected = []
    for start in starts:
        first = names.index(start)
        expected += [names[(first + n) % len(names)] for n in range(6 * len(names))]
    assert [ask.part for ask in drills] == expected


def test_drill_r06_only_the_last_choice_reveals_and_everybody_s_supply_falls() -> None:
    plays(
        3,
        'phase = "rods"\nstart = "West"',
        "A rods Sued 6x200\nexpect Sued.rods = -\nexpect Sued.supply = 11x100, 6x200, 4x300, 3x400\n"
        "C rods Nord 3x100 3x400\nexpect asked = B\nB rods West 4x300 2x100\n"
        "expect Sued.supply = 11x100, 4x300, 3x400\nexpect Nord.supply = 8x100, 6x200, 4x300\n"
        "expect West.rods = 2x100, 4x300\nexpect asked = B\nexpect Sued.ready = no",
    )


def test_drill_r06_the_clock_of_the_rods_is_their_own() -> None:
    settled = begin(GAME, Options(), (0, 2), shuffles(1))
    assert isinstance(settled.waiting, AskAll)
    assert [(ask.seat, ask.part, ask.clock, ask.kind) for ask in settled.waiting.asks] == [
        (0, "Sued", "rods", "rods"),
        (1, "Nord", "rods", "rods"),
        (0, "West", "rods", "rods"),
        (1, "Ost", "rods", "rods"),
    ]


def test_drill_r06_e21_season_four_takes_the_rest_and_asks_nobody() -> None:
    steps = play(Variant("speeddrill", {}, 3), 6)
    reveals = [fact for fact in facts_of(steps) if isinstance(fact, RodsRevealed)]
    assert len(reveals) == 4
    taken = [
        [sum(lengths) for lengths in zip(*rods, strict=True)]
        for rods in zip(*(reveal.rods for reveal in reveals), strict=True)
    ]
    assert taken == [list(STOCK)] * 3
    assert sum(bool(step.ask and step.ask.kind == "rods") for step in steps) == 9


@pytest.mark.parametrize(
    ("supply", "seasons", "rods"),
    [
        (STOCK, 4, (3, 1, 1, 1)),
        ((8, 5, 3, 2), 3, (2, 2, 1, 1)),
        ((11, 1, 0, 0), 2, (5, 1, 0, 0)),
        ((0, 6, 3, 3), 2, (0, 3, 1, 2)),
    ],
)
def test_drill_r06_the_default_spreads_rods_evenly(
    supply: tuple[int, ...], seasons: int, rods: tuple[int, ...]
) -> None:
    assert even(supply, seasons) == rods


def test_drill_r07_the_rod_lies_under_the_others_and_a_card_is_drawn() -> None:
    source = """game = "speeddrill"
seats = 4
setup.holes = ["Texas OL: West 200, Nord 300"]
setup.Sued = {hand = "OL, UR, ...", rods = "3x100, 3x400"}
setup.pile = "MM, ..."
"""
    before = run(parse(source))
    assert isinstance(before.waiting, Ask)
    after = act(GAME, before.state, before.waiting, Drill("OL", 400, "Texas"), shuffles(1))
    assert after.facts == (
        RodDrilled("Sued", "OL", 400, "Texas", 0),
        CardDrawn(0, "Sued", "MM"),
    )
    hole = after.state.board.holes[0]
    assert [rod.metres for rod in hole.rods] == [200, 300, 400]
    assert (hole.owner, hole.depth) == (0, 900)
    assert after.state.held.hands[0][-1] == "MM"
    assert len(after.state.held.hands[0]) == 4


def test_drill_r07_every_combination_of_card_rod_and_field_is_offered_once() -> None:
    plays(
        4,
        'Sued = {hand = "OL, OL, OL, OM", rods = "5x100, 400"}',
        "expect offered = "
        + ", ".join(
            f"drill {card} {rod} {feld}"
            for card in ("OL", "OM")
            for rod in (100, 400)
            for feld in FELDER
        ),
    )


def test_drill_r07_at_most_96_options() -> None:
    source = """game = "speeddrill"
seats = 4
setup.Sued = {hand = "OL, OM, OR, ML", rods = "3x100, 200, 300, 400"}
"""
    ask = run(parse(source)).waiting
    assert isinstance(ask, Ask)
    assert len(ask.options.moves) == len(set(ask.options.moves)) == 96


def test_drill_r08_a14_the_owner_has_the_most_in_his_hole() -> None:
    """The proof of R08 by play: so comparing with the owner is comparing with everybody."""
    for step in play(Variant("speeddrill", {}, 4), 12):
        for hole in step.after.state.board.holes:
            if hole.owner is not None:
                assert hole.metres[hole.owner] == max(hole.metres)
                assert hole.owner == hole.rods[-1].konzern
                assert hole.depth == sum(hole.metres) == sum(rod.metres for rod in hole.rods)


def test_drill_r08_equal_metres_are_enough() -> None:
    plays(
        4,
        'turn = "West"\nholes = ["Texas MM: Sued 200"]\n'
        'West = {hand = "MM, ...", rods = "4x100, 2x200"}',
        "B drill MM 100 Texas refused not_offered\nB drill MM 200 Texas\n"
        "expect Texas.MM.owner = West\nexpect Texas.MM.needs = 0, 0, 200, 200",
    )


def test_drill_r09_a06_a15_first_card_and_shortest_of_this_season() -> None:
    held = ", ".join(f'"{feld} MM: Sued 400 100"' for feld in FELDER[:3])
    held += ", " + ", ".join(f'"{feld} MM: Sued 300 200"' for feld in FELDER[3:])
    plays(
        4,
        f'season = 3\nturn = "West"\nround = 2\nholes = [{held}]\n'
        # The supply has a shorter rod than those of this season.
        'West = {hand = "MM, MM, MM, MM", rods = "2x200, 2x300, 400", supply = "6x100"}\n'
        'Sued = {rods = "4x100", supply = "4x100, 2x200"}\npile = "OL, ..."',
        "expect turn = Nord\nexpect West.rods = 1x200, 2x300, 1x400\nexpect West.supply = 6x100\n"
        "expect West.hand = MM, MM, MM, OL\nexpect discard = MM",
    )


def test_drill_r09_a_forfeit_in_the_last_turn_ends_the_season() -> None:
    held = ", ".join(f'"{feld} MM: Sued 400 100"' for feld in FELDER[:3])
    held += ", " + ", ".join(f'"{feld} MM: Sued 300 200"' for feld in FELDER[3:])
    plays(
        4,
        f'turn = "Ost"\nround = 6\nholes = [{held}]\nOst = {{hand = "MM, MM, MM, MM"}}',
        "expect question = pause\nexpect seasons.1.holes = 6, 0, 0, 0",
    )


def test_drill_r10_a07_the_played_cards_are_shuffled_when_a_card_must_come() -> None:
    plays(
        4,
        'pile = "UR"\nSued = {hand = "OL, ..."}\nWest = {hand = "OM, ..."}',
        "A drill OL 100 Texas\nexpect pile_count = 0\nexpect discard contains OL\n"
        "B drill OM 100 Texas\nexpect pile_count = 29\nexpect discard = -\n"
        # The shuffle leaves the order of the deck, so West draws an OL.
        "expect West.hand contains OL",
    )


def test_drill_r10_hands_are_kept_between_seasons() -> None:
    steps = play(Variant("speeddrill", {}, 4), 3)
    for step in steps:
        if step.before and step.ask is None:  # "Weiter"
            assert step.after.state.held.hands == step.before.state.held.hands


def test_table_r05_the_saisonbilanz_stands_after_every_season() -> None:
    steps = play(Variant("speeddrill", {}, 2), 1)
    pauses = [step for step in steps if step.before and step.ask is None]
    assert len(pauses) == 4
    assert isinstance(pauses[-1].after.waiting, Over)


def test_all_choices_of_six_rods_and_no_others_are_admitted() -> None:
    pieces = [length for length, n in zip(LENGTHS, STOCK, strict=True) for _ in range(n)]
    legal = {tuple(map(chosen.count, LENGTHS)) for chosen in combinations(pieces, 6)}
    settled = begin(GAME, Options(), (0, 1), shuffles(1))
    assert isinstance(settled.waiting, AskAll)
    pick = settled.waiting.asks[0].options.descriptors[0]
    move = settled.waiting.asks[0].default
    found = {
        (a, b, c, d)
        for a in range(-1, 13)
        for b in range(-1, 8)
        for c in range(-1, 6)
        for d in range(-1, 5)
        if pick.admits(msgspec.structs.replace(move, rods=(a, b, c, d)))
    }
    assert found == legal
    assert len(found) == 70


@pytest.mark.parametrize(
    ("holes", "default"),
    [
        ('"Island OL: West 300"', "drill OL 300 Island"),  # a foreign hole first
        ('"Island OL: West 400"', "drill OL 100 Texas"),  # out of reach: a free square
        ('"Texas OL: Sued 100"', "drill OL 100 Atacama"),
        (", ".join(f'"{feld} OL: Sued 100"' for feld in FELDER), "drill OL 100 Texas"),
    ],
)
def test_the_default_takes_a_hole_with_the_shortest_rod_that_does_it(
    holes: str, default: str
) -> None:
    plays(
        4,
        f"season = 2\nholes = [{holes}]\n"
        'Sued = {hand = "OL, OL, OL, OL", rods = "4x100, 2x300", supply = "100, 6x200, 2x300, 3x400"}',
        f"expect default = {default}",
    )
