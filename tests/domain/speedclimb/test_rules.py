"""Every rule of Speedclimb by its id; the worked examples are in tests/records."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from domain.kernel import Over, Resumed, act, begin, settle
from domain.options import admits
from domain.ranking import place_bonus
from domain.records.run import check, run
from domain.records.text import parse
from domain.speedclimb.cards import MOUNTAINS, PARTS, SIZE, Route, canonical
from domain.speedclimb.events import (
    CardPacked,
    CardTaken,
    CarryChosen,
    RoundEnded,
    RoundStarted,
    StageChosen,
)
from domain.speedclimb.fitting import fit
from domain.speedclimb.game import Speedclimb
from domain.speedclimb.moves import (
    AttachCard,
    ChooseCarry,
    ChooseStage,
    Chosen,
    Discard,
    LaidPart,
    LayLager,
    Pack,
    PlaySchneesturm,
    TakeAblage,
    TakeDepot,
    TakeMaterial,
    TakeRucksack,
)
from domain.speedclimb.scoring import base, over
from domain.speedclimb.state import Board, Climber, Options, State
from tests.domain.playing import Variant, facts_of, play, shuffles

GAME = Speedclimb()
MEISTER: Route = "MEISTER_EXPEDITION"
GROSSE: Route = "GROSSE_EXPEDITION"


def record(seats: int, setup: str, moves: str, route: str = "GIPFELSTURM") -> str:
    fields = "\n".join(f"setup.{line.strip()}" for line in setup.strip().splitlines())
    return (
        f'game = "speedclimb"\nseats = {seats}\noptions = {{route = "{route}"}}\n{fields}\n'
        f'play = """\n{moves}\n"""\n'
    )


def plays(seats: int, setup: str, moves: str, route: str = "GIPFELSTURM") -> None:
    """Hold a record to its word: `setup` one field a line, `moves` one a line."""
    source = record(seats, setup, moves, route)
    failure = check(source, "test")
    assert failure is None, f"{source.splitlines()[failure.line - 1]}: {failure.detail}"


def test_climb_e01_the_decks() -> None:
    a, b = Counter(MOUNTAINS["NORDWAND"].deck), Counter(MOUNTAINS[GROSSE].deck)
    assert (a.total(), b.total()) == (98, 108)
    assert (a["Sherpa"], a["Schneesturm"]) == (5, 3)
    assert (b["Sherpa"], b["Schneesturm"]) == (8, 4)
    assert {n: sum(a[f"{c}{n}"] for c in "RBGWOL") for n in range(1, 16)} == dict.fromkeys(
        range(1, 16), 6
    )
    assert all(b[f"{c}{n}"] == 2 for c in "RBGW" for n in range(1, 13))
    assert MOUNTAINS["GIPFELSTURM"].deck == MOUNTAINS["NORDWAND"].deck
    assert MOUNTAINS[MEISTER].deck == MOUNTAINS[GROSSE].deck
    for mountain in MOUNTAINS.values():
        assert canonical(shuffles(1)(mountain.deck)) == mountain.deck


@pytest.mark.parametrize(
    ("route", "sizes"),
    [
        ("GIPFELSTURM", [6, 8, 7, 8, 7, 8, 8, 9]),
        ("NORDWAND", [7, 9, 8, 8, 8, 8, 8, 10]),
        (GROSSE, [6, 7, 8, 7, 8, 9, 8, 7, 7, 8]),
        (MEISTER, [6, 7, 8, 7, 8, 9, 8, 7, 7, 8]),
    ],
)
def test_the_camps_have_the_sizes_of_the_table(route: Any, sizes: list[int]) -> None:
    assert [SIZE[camp] for camp in MOUNTAINS[route].camps] == sizes
    assert all(part.size > 1 for camp in MOUNTAINS[route].camps for part in PARTS[camp])


def test_options_are_those_of_the_rules() -> None:
    assert Options() == Options(route="GIPFELSTURM")
    for wrong in ({"route": "SUEDWAND"}, {"bilanz": False}, {"route": 1}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, Options)


def test_climb_r01_the_dealer_is_drawn_and_then_the_next_seat_deals() -> None:
    facts = facts_of(play(Variant("speedclimb", {"route": "NORDWAND"}, 5), 3))
    assert facts[0].what == "dealer"
    dealers = [fact.dealer for fact in facts if isinstance(fact, RoundStarted)]
    assert len(dealers) > 2
    assert dealers[0] == int(facts[0].order[0])
    assert dealers == [(dealers[0] + n) % 5 for n in range(len(dealers))]


def test_climb_r02_all_cards_but_rucksack_and_carried_ones_are_shuffled() -> None:
    state = run(parse(record(2, 'A = {hand = "R1", rucksack = "R7, Sherpa"}', "", MEISTER))).state
    settled = settle(
        GAME, msgspec.structs.replace(state, board=ended(state.board)), (), shuffles(1)
    )
    dealt = settled.facts[0]
    assert dealt.what == "deal"
    assert Counter(MOUNTAINS[MEISTER].deck) - Counter(dealt.order) == Counter(["R7", "Sherpa"])
    started = settled.facts[1]
    assert [len(hand) for hand in started.hands] == [10, 10]
    assert settled.state.board.material_count == 108 - 2 - 21
    assert settled.state.owns[0].rucksack == ("R7", "Sherpa")


def ended(board: Board) -> Board:
    return msgspec.structs.replace(board, phase="between")


def test_climb_r02_a01_the_open_card_lies_on_the_dealers_depot() -> None:
    settled = begin(GAME, Options(), (0, 1, 2), lambda cards: cards)
    board = settled.state.board
    assert [pile.count for pile in board.piles] == [1, 0, 0]
    assert settled.state.owns[1].hand == canonical(MOUNTAINS["GIPFELSTURM"].deck[:10])
    assert board.piles[0].top == MOUNTAINS["GIPFELSTURM"].deck[30]


def test_climb_r03_nothing_of_the_last_round_is_left() -> None:
    plays(
        3,
        'phase = "main"\nturn = "A"\nmelds = ["B run R4 R5 R6"]\nA = {laid = true, hand = "B7"}\n'
        'B = {hand = "B1"}\nC = {storm = true, hand = "B2"}',
        "A discard B7\nweiter\nexpect meld_count = 0\nexpect C.storm = no\nexpect A.laid = no\n"
        "expect dealer = B\nexpect asked = C\nexpect A.depot = -\nexpect storms_below = 0",
    )


def test_climb_r04_the_proposed_stage_is_the_one_with_the_fewest_missing_cards() -> None:
    for seed in range(12):
        settled = begin(GAME, Options(route=MEISTER), (0, 1, 2, 3), shuffles(seed))
        for own in settled.state.owns:
            missing = [fit(own.hand, camp, 12).missing for camp in MOUNTAINS[MEISTER].camps]
            assert missing[own.stage - 1] == min(missing)


def test_climb_r04_the_offer_stands_for_every_seat_until_its_own_first_take() -> None:
    settled = begin(GAME, Options(route=MEISTER), (0, 1, 2), shuffles(1))
    first = settled.state.board.turn
    offers = GAME.offers(settled.state)
    assert [ask.seat for ask in offers] == [0, 1, 2]
    assert all(ask.clock == "none" and len(ask.options.moves) == 10 for ask in offers)
    assert all(ask.default == ChooseStage(settled.state.owns[ask.seat].stage) for ask in offers)
    settled = act(GAME, settled.state, settled.waiting, TakeMaterial(), shuffles(2))  # type: ignore[arg-type]
    assert [type(fact).__name__ for fact in settled.facts] == ["CardTaken", "StageLocked"]
    assert [ask.seat for ask in GAME.offers(settled.state)] == [s for s in (0, 1, 2) if s != first]


def test_climb_r06_a05_a18_the_own_depot_may_be_taken_and_the_card_put_back() -> None:
    plays(
        2,
        'turn = "A"\nA = {hand = "R1", depot = "R9"}\nB = {hand = "B1"}',
        "expect offered = take material, take A\nA take A\nA discard R9\nexpect A.depot = R9",
    )


def test_climb_r08_a_fresh_camp_may_be_attached_to_in_the_same_turn_and_by_everybody() -> None:
    plays(
        2,
        'phase = "main"\nturn = "A"\nA = {hand = "R1, R2, R3, B7, B8, B9, G10, G4, W15"}\n'
        'B = {laid = true, hand = "W11, W1"}',
        "expect A.fits = -\nA lay run R1 R2 R3 / run B7 B8 B9\nA attach G10 2 high\n"
        "A discard G4\nB take material\nB attach W11 2 high\nexpect melds.2.high = 11",
    )


def test_climb_r11_the_last_number_that_a_run_may_begin_with_holds() -> None:
    six = ", ".join(["Sherpa"] * 6)
    setup = f'phase = "main"\nturn = "A"\nA = {{camp = 4, hand = "R9, B1, {six}"}}'
    for low, legal in ((2, False), (3, True), (6, True), (7, False)):
        cards = ["Sherpa"] * 7
        if 0 <= 9 - low < 7:
            cards[9 - low] = "R9"
        words = " ".join(cards)
        plays(2, setup, f"A lay run {words}{'' if legal else ' refused not_offered'}", GROSSE)


def test_climb_r13_a_round_ends_for_everybody_at_once() -> None:
    facts = facts_of(play(Variant("speedclimb", {"route": GROSSE}, 4), 5))
    for before, fact in pairwise(facts):
        if isinstance(fact, RoundEnded) and fact.finisher is not None:
            assert type(before).__name__ in {"CardDiscarded", "CardAttached"}
            assert before.seat == fact.finisher


def test_climb_r15_m_a_laid_camp_is_its_stage() -> None:
    plays(
        2,
        'phase = "main"\nturn = "A"\nA = {stage = 7, done = "3", laid = true, hand = "R1"}\n'
        'B = {stage = 2, hand = "Sherpa, Schneesturm", rucksack = "Sherpa"}',
        "A discard R1\nexpect A.done = 3, 7\nexpect B.done = -\nexpect rounds.1.penalties = 0, 40\n"
        "expect B.penalty = 40\nexpect B.rucksack = Sherpa",
        MEISTER,
    )


def test_climb_r16_the_finisher_of_an_expedition_pays_nothing_and_the_others_every_round() -> None:
    plays(
        2,
        'phase = "main"\nturn = "A"\nA = {laid = true, hand = "R1", penalty = 15}\n'
        'B = {hand = "R9, R10", penalty = 30}',
        "A discard R1\nexpect A.penalty = 15\nexpect B.penalty = 45\nexpect question = pause",
        GROSSE,
    )


def test_climb_r18_the_bilanz_is_a_pause_before_every_further_round() -> None:
    steps = play(Variant("speedclimb", {"route": "GIPFELSTURM"}, 3), 4)
    ends = [f for f in facts_of(steps) if isinstance(f, RoundEnded)]
    resumed = [s for s in steps if s.before and s.ask is None]
    assert len(resumed) == len(ends) - 1
    assert all(isinstance(step.after.facts[0], Resumed) for step in resumed)


@pytest.mark.parametrize("route", ["GIPFELSTURM", "NORDWAND"])
def test_climb_r20_the_first_at_the_summit_is_first_alone(route: str) -> None:
    for seed in range(6):
        last = play(Variant("speedclimb", {"route": route}, 4), seed)[-1].after
        assert isinstance(last.waiting, Over)
        if max(last.waiting.scores) == 8:
            assert last.waiting.ranks.count(1) == 1


def test_climb_r23_ties_are_broken_by_cards_or_penalties_and_else_shared() -> None:
    climbers = (
        Climber(position=4, hand_count=3, penalty=50),
        Climber(position=4, hand_count=3, penalty=20),
        Climber(position=4, hand_count=2, penalty=50),
        Climber(position=5, hand_count=9, penalty=90),
    )
    assert over(Board(Options(), climbers)).ranks == (3, 3, 2, 1)
    assert over(Board(Options(route=GROSSE), climbers)).ranks == (3, 2, 3, 1)


def test_climb_e18_r24_a11_leaderboard_fractions_are_rounded_half_up() -> None:
    eighths = Board(Options(), ())
    assert [base(eighths, n) for n in range(9)] == [0, 13, 25, 38, 50, 63, 75, 88, 100]
    tenths = Board(Options(route=GROSSE), ())
    assert [base(tenths, n) for n in range(11)] == list(range(0, 101, 10))


def test_climb_e13_points_with_the_place_bonus() -> None:
    done = [base(Board(Options(), ()), camps) for camps in (8, 7, 5)]
    assert [d + place_bonus(r, 3) for d, r in zip(done, (1, 2, 3), strict=True)] == [130, 103, 63]


def test_climb_a14_a_stage_is_seen_by_others_after_the_lock_only() -> None:
    settled = begin(GAME, Options(route=MEISTER), (0, 1, 2), shuffles(4))
    started = next(f for f in settled.facts if isinstance(f, RoundStarted))
    for seat in (0, 1, 2, None):
        seen = GAME.seen(started, seat)
        assert isinstance(seen, RoundStarted)
        assert [bool(hand) for hand in seen.hands] == [s == seat for s in range(3)]
        assert [bool(stage) for stage in seen.stages] == [s == seat for s in range(3)]
    assert GAME.seen(StageChosen(1, 7), 1) == StageChosen(1, 7)
    assert GAME.seen(StageChosen(1, 7), 0) is None
    assert GAME.seen(StageChosen(1, 7), None) is None


def test_hidden_choices_are_blanks_and_hidden_cards_are_not_named_to_others() -> None:
    for move in (ChooseStage(3), TakeRucksack("R1"), Pack("R1"), ChooseCarry(("R1",))):
        assert GAME.seen(Chosen(1, 5, move), 0) is None
        assert GAME.seen(Chosen(1, 5, move), 1) == Chosen(1, 5, move)
    for open_move in (TakeMaterial(), TakeDepot(2), TakeAblage(), Discard("R1")):
        assert GAME.seen(Chosen(1, 5, open_move), 0) == Chosen(1, 5, open_move)
    assert GAME.seen(CardPacked(1, "R1"), 0) == CardPacked(1)
    assert GAME.seen(CarryChosen(1, ("R1",)), None) is None
    assert GAME.seen(CardTaken(1, "material", "R1"), 0) == CardTaken(1, "material")
    assert GAME.seen(CardTaken(1, "rucksack", "R1"), None) == CardTaken(1, "rucksack")
    taken = CardTaken(1, "depot", "R1", 2, "G3")
    assert GAME.seen(taken, 0) is taken


def test_climb_a20_lower_cards_of_a_depot_are_not_shown() -> None:
    state = run(parse(record(2, 'A = {hand = "R1", depot = "R9, G11, G12"}', ""))).state
    text = msgspec.json.encode(GAME.view(state, 1))
    assert b"R9" in text
    assert b"G11" not in text
    assert GAME.view(state, None).board.piles[0].count == 3


def test_the_view_carries_the_aids_of_the_own_seat_alone() -> None:
    setup = (
        'phase = "main"\nturn = "A"\nmelds = ["B run G4 G5 G6"]\n'
        'A = {laid = true, hand = "R7, R1", locked = true}\n'
        'B = {stage = 1, locked = false, hand = "R9, B9, G9, R5, B5, W5, W12"}'
    )
    state = run(parse(record(2, setup, "", MEISTER))).state
    mine, other, nobody = (GAME.view(state, seat) for seat in (0, 1, None))
    assert [(p.meld, p.end, p.cards) for p in mine.fits] == [(0, "high", ("R7",))]
    assert {frozenset(part.cards) for part in other.suggestion} == {
        frozenset(("R9", "B9", "G9")),
        frozenset(("R5", "B5", "W5")),
    }
    assert other.stages == (1,)
    assert (mine.stages, mine.suggestion, other.fits) == ((), (), ())
    assert (nobody.own, nobody.suggestion, nobody.fits, nobody.stages) == (None, (), (), ())


EVERY_MOVE = (
    TakeMaterial(),
    TakeDepot(0),
    TakeDepot(5),
    TakeDepot(-1),
    TakeAblage(),
    TakeRucksack("R7"),
    TakeRucksack("nonsense"),
    LayLager(()),
    LayLager((LaidPart(("R1", "R2", "R3"), 1),)),
    LayLager((LaidPart(("R1", "R1", "R1")), LaidPart(("R2", "R2", "R2")))),
    LayLager((LaidPart(("R1", "R2", "R3"), 1), LaidPart(("R2", "R3", "R4"), 2))),
    AttachCard("R1", 0, "low"),
    AttachCard("R7", 99, ""),
    AttachCard("R7", -1, "high"),
    AttachCard("nonsense", 0, ""),
    Discard("G15"),
    Discard("nonsense"),
    Discard(""),
    PlaySchneesturm(0),
    PlaySchneesturm(1),
    PlaySchneesturm(-1),
    PlaySchneesturm(9),
    Pack("R1"),
    Pack("Schneesturm"),
    ChooseStage(0),
    ChooseStage(11),
    ChooseStage(-1),
    ChooseCarry(("R1", "R1")),
    ChooseCarry(("R1", "R2", "R3", "R4", "R5")),
)


@pytest.mark.parametrize("phase", ["take", "main"])
@pytest.mark.parametrize("route", list(MOUNTAINS))
def test_bad_moves_of_every_type_are_refused(route: str, phase: str) -> None:
    """A Schneesturm is not held, no card fits, no camp is complete: all these are wrong."""
    setup = (
        f'phase = "{phase}"\nturn = "A"\nmaterial = "-"\nA = {{hand = "R1, G2, B12"}}\n'
        'B = {hand = "W1"}'
    )
    if phase == "take":
        setup = setup.replace('"-"', '"..."')
    state: State = run(parse(record(2, setup, "", route))).state
    waiting: Any = GAME.waiting(state)
    before = msgspec.json.encode(state)
    legal = {TakeMaterial(), Discard("R1"), Pack("R1")} & set(waiting.options.moves)
    for move in EVERY_MOVE:
        assert admits(waiting.options, move) == (move in legal), move
    assert msgspec.json.encode(state) == before


def test_any_text_as_a_card_is_refused_and_never_an_error() -> None:
    rng = random.Random(3)
    setup = (
        'phase = "main"\nturn = "A"\nA = {camp = 1, hand = "R1, R2, R3, R4, R5, R6, Sherpa"}\n'
        'B = {hand = "W1"}'
    )
    waiting: Any = run(parse(record(2, setup, ""))).waiting
    (offer,) = waiting.options.descriptors
    words = ["R1", "R2", "Sherpa", "Schneesturm", "", "R", "R99", "7", "ä", "R1 ", "None", "W1"]
    for _ in range(3_000):
        parts = tuple(
            LaidPart(
                tuple(rng.choice(words) for _ in range(rng.randint(0, 4))), rng.randint(-2, 20)
            )
            for _ in range(rng.randint(0, 3))
        )
        move = LayLager(parts)
        if offer.admits(move):
            assert all(len(part.cards) == 3 and part.low for part in parts)
