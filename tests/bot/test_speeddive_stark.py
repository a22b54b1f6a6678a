"""Speeddive's stark, leicht and the reasons: what the rule document promises of them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from contracts.views import Question
from domain.kernel import Ask
from domain.options import admits
from domain.speeddive.cards import DECKS
from domain.speeddive.moves import ChargeDiver, ChooseTarget, Dive, Move, Surface, TakeBonus
from domain.speeddive.rules import waiting
from domain.speeddive.state import Board, Diver, Frame, GiveCards, Options, UseBonus
from domain.speeddive.views import View, view_of
from services.bot.strategies import COMPUTERS, strategy_of
from services.bot.strategies.speeddive.course import course_of, ends, sea_of
from services.bot.strategies.speeddive.stark import chance_after, scene_of
from services.bot.strategies.speeddive.tables import Plan, solve
from services.bot.strategies.speeddive.wins import EDITIONS, FAR, wins_of
from tests.bot.duel import play, share

VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"edition": "DEEPER_DIVE"},
    {"edition": "DEEPER_DIVE", "brutal": True},
)
STARK = strategy_of("speeddive", "stark").choose
NORMAL = strategy_of("speeddive", "normal").choose
LEICHT = strategy_of("speeddive", "leicht").choose


def situation(
    *divers: Diver, frame: Frame | None = None, gone: tuple[str, ...] = (), **options: Any
) -> tuple[View, Question]:
    """Give what seat 0 sees and is asked; all that does not lie open is in the pile."""
    rules = Options(**options)
    pending = len(frame.cards) if isinstance(frame, GiveCards) else 0
    lying = sum(len(each.spur) + len(each.beside) + each.reserveflasche for each in divers)
    board = Board(
        rules,
        divers,
        phase="round",
        round=1,
        dealer=len(divers) - 1,
        last=len(divers) - 1,
        frames=(frame,) if frame else (),
        pile_count=len(DECKS[rules.edition]) - lying - pending - len(gone),
        discard=gone,
    )
    ask = waiting(board)
    assert isinstance(ask, Ask)
    assert ask.seat == 0
    return view_of(board, 0), Question(1, ask.kind, ask.options, ask.default)


def stark(*divers: Diver, frame: Frame | None = None, **more: Any) -> Move:
    view, question = situation(*divers, frame=frame, **more)
    move: Move = STARK(view, question, random.Random(1))
    return move


def diver(*spur: str, total: int = 0, status: str = "DOWN", **more: Any) -> Diver:
    return Diver(status, spur, dealt=True, total=total, **more)  # type: ignore[arg-type]  # one of the statuses


def test_bold_behind_and_careful_ahead() -> None:
    spur = ("12", "9")
    rich = diver("10", "8", total=175, status="SURFACED")
    poor = diver("10", "8", total=20, status="SURFACED")

    assert stark(diver(*spur, total=60), rich) == Dive()
    assert stark(diver(*spur, total=170), poor) == Surface()


def test_surfaces_once_it_is_enough_to_win() -> None:
    up = diver("10", total=150, status="SURFACED")

    assert stark(diver("2", total=199), up) == Surface()


def test_counts_every_card_in_the_sea() -> None:
    rest = ("12",) * 11 + ("11",) * 10 + ("10",) * 9
    spur = ("12", "11", "10")

    assert stark(diver(*spur), diver("3"), gone=rest) == Dive()
    assert stark(diver(*spur), diver("3")) == Surface()


def test_a_sog_hits_the_leader_of_two_alike() -> None:
    sog = GiveCards(0, ("Sog",))
    weak, leader = diver("12", "11", total=20), diver("12", "11", total=170)

    assert stark(diver("9", "8", total=120), weak, leader, frame=sog) == ChooseTarget(2)


def test_a_stroemung_for_a_leader_who_has_few_points_yet() -> None:
    stroemung = GiveCards(0, ("Stroemung",))
    weak, leader = diver("2", total=20), diver("2", total=170)

    assert stark(diver("9", "8", total=120), weak, leader, frame=stroemung) == ChooseTarget(2)


def test_the_bonus_is_taken_from_who_would_win_by_it() -> None:
    seven = ("0", "1", "2", "3", "4", "5", "6")
    opener = diver(*seven, total=165, status="TREASURE")
    leader = diver("12", total=189, status="SURFACED")
    brutal = {"edition": "DEEPER_DIVE", "brutal": True}

    assert stark(opener, leader, frame=UseBonus(0), **brutal) == ChargeDiver(1)
    assert stark(opener, diver("5", total=20), frame=UseBonus(0), **brutal) == TakeBonus()


def test_the_chances_of_an_end_add_up() -> None:
    rules = Options()
    sea = sea_of({"12": 12, "5": 5, "3": 3, "Sog": 3, "+4": 1}, 24, rules)
    course = course_of(diver("5"), sea, rules)

    for forced in (0, 3):
        chances = ends(course, sea, forced)
        assert sum(chances.values()) == pytest.approx(1)
        assert chances[0] > 0
    assert ends(course, sea, stops=True) == {5: 1.0}
    assert ends(course_of(diver("5"), sea, rules, 5), sea) == {5: 1.0}


@pytest.mark.parametrize("forced", [0, 1, 3])
@pytest.mark.parametrize("bottle", [False, True])
def test_the_chances_are_those_of_all_orders_of_the_cards(forced: int, *, bottle: bool) -> None:
    rules = Options()
    sea_counts = {"12": 3, "8": 2, "5": 2, "3": 1, "Sog": 1}
    start = diver("5", "9", reserveflasche=bottle)
    found: dict[int, float] = {}

    def draw(spur: tuple[str, ...], left: dict[str, int], has: int, go: int, chance: float) -> None:
        held = sum(int(card) for card in spur)
        risky = sum(left.get(card, 0) for card in spur)
        gain = sum(n * int(card) for card, n in left.items() if card not in (*spur, "Sog"))
        if go <= 0 and gain <= risky * (5 if has else held):
            found[held] = found.get(held, 0.0) + chance
            return
        come = [card for card, n in left.items() for _ in range(n) if go > 0 or card != "Sog"]
        for card in come:
            each = chance / len(come)
            if card == "Sog":  # looked at as a card that changes nothing
                draw(spur, left, has, go - 1, each)
            elif card not in spur:
                draw((*spur, card), {**left, card: left[card] - 1}, has, go - 1, each)
            elif has:
                draw(spur, left, 0, go - 1, each)
            else:
                found[0] = found.get(0, 0.0) + each

    draw(start.spur, sea_counts, bottle, forced, 1.0)

    sea = sea_of(sea_counts, sum(sea_counts.values()), rules)
    assert ends(course_of(start, sea, rules), sea, forced) == pytest.approx(found)


def test_divers_who_stand_alike_are_looked_at_once() -> None:
    view, question = situation(*[diver()] * 4, frame=GiveCards(0, ("Sog",)))
    scene = scene_of(view, random.Random(1))

    for move in question.options.moves:
        chance_after(scene, move)

    assert len(scene.known) == 2  # with and without the Sog


def test_the_table_knows_who_is_ahead() -> None:
    for each in EDITIONS:
        wins = wins_of(each.edition, brutal=each.brutal)
        assert 0.47 < wins[200][200] < 0.6
        assert wins[30][60] > 0.7
        assert wins[60][30] < 0.4
        assert all(0 <= wins[own][FAR] <= 1 for own in range(1, FAR + 1))


def test_a_table_is_solved_backwards() -> None:
    """Who always gets 100 wins against who gets 100 in half of the rounds, unless he is late."""
    low, high = 30, 90

    def chances(*of: tuple[int, float]) -> list[float]:
        line = [0.0] * (low + high + 1)
        for points, chance in of:
            line[low + points] += chance
        return line

    wins = solve([Plan(chances((50, 1.0)), chances((50, 0.5), (0, 0.5)))], 1, 100)

    assert wins[40][10] == 0.5  # normal reaches the target first or not at all
    assert wins[10][10] == pytest.approx(0.5 + 0.5 * 0.5)
    assert wins[100][100] == pytest.approx(0.75 * 1.0 + 0.25 * 0.5)


@pytest.mark.parametrize("options", VARIANTS)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_question_of_whole_games_gets_an_offered_move_and_a_reason(
    options: dict[str, Any], seats: int
) -> None:
    kinds = set()

    def explained(view: View, question: Question, rng: random.Random) -> Any:
        seed = rng.getrandbits(32)
        move = STARK(view, question, random.Random(seed))
        assert admits(question.options, move)
        assert move == STARK(view, question, random.Random(seed))
        if question.kind not in kinds:
            kinds.add(question.kind)
            for each in (move, question.default):
                said = COMPUTERS["speeddive"].reason(view, question, each)
                assert 20 < len(said) <= 400
                assert said.endswith(".")
        return move

    play((explained, *[LEICHT] * (seats - 1)), 3, **options)
    assert "dive" in kinds


def test_a_reason_names_numbers_of_the_table() -> None:
    view, question = situation(diver("12", "9"), diver("3"))

    said = COMPUTERS["speeddive"].reason(view, question, Surface())

    assert said.startswith("19 von 91 Karten werfen dich raus, und du hast 21 Punkte")


@pytest.mark.parametrize("options", VARIANTS)
def test_leicht_is_clearly_weaker_than_normal(options: dict[str, Any]) -> None:
    """Normal wins 65 to 69 % (arena/results); 200 duels are enough to notice a fault."""
    assert share(NORMAL, LEICHT, 200, **options) > 0.56
