"""Speedclimb's computers collect, attach and give away as their strength says (RULES.md 3.13)."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from contracts.views import Question
from domain.games import GAMES
from domain.kernel import Ask
from domain.records.run import run
from domain.records.text import parse
from domain.speedclimb.cards import MOUNTAINS, NUMBER, SHERPA, SIZE, canonical
from domain.speedclimb.fitting import fit
from domain.speedclimb.game import Speedclimb
from domain.speedclimb.moves import (
    AttachCard,
    Discard,
    LayLager,
    Move,
    Pack,
    PlaySchneesturm,
    TakeAblage,
    TakeDepot,
    TakeMaterial,
    TakeRucksack,
)
from services.bot.arena.match import Pairing, play_deal, play_game
from services.bot.strategies import strategy_of
from services.bot.strategies.speedclimb.camps import KIND, UNIT, key_of, reach
from tests.domain.speedclimb.test_rules import record

GAME = Speedclimb()
MEISTER = "MEISTER_EXPEDITION"
GROSSE = "GROSSE_EXPEDITION"
STRENGTHS = ("leicht", "normal", "stark")


def choices(
    strength: str, setup: str, route: str = "GIPFELSTURM", *, seats: int = 2, moves: str = ""
) -> set[Any]:
    """Ask seat A, who is on turn, with ten seeds; `moves` come before."""
    settled = run(parse(record(seats, f'turn = "A"\n{setup}', moves, route)))
    ask = settled.waiting
    assert isinstance(ask, Ask)
    question = Question(1, ask.kind, ask.options, ask.default)
    view = GAME.view(settled.state, 0)
    choose = strategy_of("speedclimb", strength).choose
    return {choose(view, question, random.Random(seed)) for seed in range(10)}


def choice(strength: str, setup: str, route: str = "GIPFELSTURM", *, seats: int = 2) -> Move:
    """Ask it where chance has no say."""
    (move,) = choices(strength, setup, route, seats=seats)
    assert isinstance(move, Move)
    return move


@pytest.mark.parametrize("route", MOUNTAINS)
def test_what_a_camp_can_use_and_what_helps_it_is_exact(route: Any) -> None:
    mountain = MOUNTAINS[route]
    rng = random.Random(route)
    for camp in mountain.camps:
        for _ in range(12):
            hand = canonical(rng.sample(mountain.deck, rng.randint(9, 11)))
            key = key_of(hand, camp)
            used, outs = reach(key, camp, mountain.top)
            lacking = SIZE[camp] - used - hand.count(SHERPA)
            assert max(0, lacking) == fit(hand, camp, mountain.top).missing
            for card in Counter(mountain.deck) - Counter(hand):
                if card in NUMBER:
                    more = reach(key + UNIT[camp][card], camp, mountain.top).used
                    assert more - used == bool(outs & KIND[camp][card]), (camp, hand, card)


NEEDS_TWO = 'A = {camp = 5, hand = "R1, B2, G3, W4, O5, L12, R12, B14, G10, W15", depot = "%s"}'


def test_leicht_takes_only_what_is_obviously_good() -> None:
    assert choice("leicht", NEEDS_TWO % "L6") == TakeMaterial()
    assert choice("leicht", NEEDS_TWO % "Sherpa") == TakeDepot(0)
    one = NEEDS_TWO.replace("L12", "L6")
    assert choice("leicht", one % "O7") == TakeDepot(0)


def test_leicht_often_errs() -> None:
    setup = 'phase = "main"\n' + NEEDS_TWO % "R9"
    needed = {Discard(card) for card in ("R1", "B2", "G3", "W4", "O5")}
    assert needed & choices("leicht", setup)
    assert not needed & choices("normal", setup)


@pytest.mark.parametrize("strength", ["normal", "stark"])
def test_normal_and_stark_take_what_brings_the_camp_nearer(strength: str) -> None:
    assert choice(strength, NEEDS_TWO % "L6") == TakeDepot(0)
    assert choice(strength, NEEDS_TWO % "L10") == TakeMaterial()


LAID = 'phase = "main"\nmelds = ["B run R4 R5 R6", "A W9 O9 B9"]\nB = {laid = true, hand = "R15"}\n'


@pytest.mark.parametrize("strength", ["normal", "stark"])
def test_normal_and_stark_attach_so_that_most_cards_can_follow(strength: str) -> None:
    """The 7 must lie at the run, so that the 8 fits too."""
    setup = 'melds = ["B run R4 R5 R6", "B W7 O7 B7"]\nA = {laid = true, hand = "L7, L8, L14"}\n'
    setup = 'phase = "main"\nB = {laid = true, hand = "R15"}\n' + setup
    assert choice(strength, setup) == AttachCard("L7", 0, "high")


@pytest.mark.parametrize("strength", ["normal", "stark"])
def test_normal_and_stark_do_not_discard_what_others_can_attach(strength: str) -> None:
    hand = "R1, B2, G3, W4, O5, L6, G6, W12, O12, B12, L9"
    setup = LAID + f'A = {{camp = 5, hand = "{hand}"}}'
    assert Discard("L9") not in choices(strength, setup)
    assert all(isinstance(move, Discard) for move in choices(strength, setup))


@pytest.mark.parametrize("strength", STRENGTHS)
def test_every_strength_lays_a_complete_camp(strength: str) -> None:
    setup = 'phase = "main"\nA = {hand = "R1, R2, R3, B7, B8, B9, G10, G4, W15, W1, O1"}'
    assert isinstance(choice(strength, setup), LayLager)


def test_stark_keeps_what_leaves_most_cards_to_come() -> None:
    """Two Drillinge can grow from any of three pairs, though two of them would do."""
    hand = "R1, B1, R5, B5, R12, G12, W7, B9, G3, R10, Sherpa"
    setup = f'phase = "main"\nA = {{camp = 1, hand = "{hand}"}}'
    singles = {Discard(card) for card in ("W7", "B9", "G3", "R10")}
    assert choices("stark", setup, GROSSE) <= singles
    assert not choices("normal", setup, GROSSE) <= singles


@pytest.mark.parametrize("number", [9, 11])
def test_stark_does_not_give_what_the_next_climber_took_openly(number: int) -> None:
    """B is to lay two Drillinge, and took two of the number that A has a third of."""
    setup = """A = {camp = 4, hand = "R1, B2, G3, W4, R5, B6, R9, B9, R11, B11"}
B = {camp = 1, hand = "W1, W2, R3, B4, G6, W7, R8, G10, B12, W3"}
material = "G9, G11, W12, ..."
"""
    moves = f"""A take material
A discard R{number}
B take ablage
B discard W1
A take material
A discard B{number}
B take ablage
B discard W2
A take material"""
    got = choices("stark", setup, GROSSE, moves=moves)
    assert got
    assert Discard(f"G{number}") not in got


def test_normal_plays_a_schneesturm_at_once_and_stark_keeps_it() -> None:
    setup = 'phase = "main"\n' + NEEDS_TWO.replace("W15", "W15, Schneesturm") % "R9"
    b_and_c = 'B = {hand = "R2, R3, R4"%s}\nC = {hand = "B3, B4%s"%s}\n'
    nobody = b_and_c % ("", "", "") + setup
    assert choice("normal", nobody, seats=3) == PlaySchneesturm(2)
    assert all(isinstance(move, Discard) for move in choices("stark", nobody, seats=3))


def test_stark_plays_the_schneesturm_at_who_is_about_to_finish() -> None:
    setup = 'phase = "main"\n' + NEEDS_TWO.replace("W15", "W15, Schneesturm") % "R9"
    laid = 'B = {hand = "R2, R3, R4", laid = true}\nC = {hand = "B3, B4"}\n' + setup
    assert choice("stark", laid, seats=3) == PlaySchneesturm(1)


def test_of_two_there_is_nobody_to_keep_the_schneesturm_for() -> None:
    setup = 'phase = "main"\n' + NEEDS_TWO.replace("W15", "W15, Schneesturm") % "R9"
    assert choice("stark", setup + '\nB = {hand = "R2, R3, R4"}') == PlaySchneesturm(1)


RUCKSACK = 'phase = "main"\nmelds = ["B R7 B7 G7"]\nA = {laid = true, hand = "%s"}\nB = {hand = "R1", laid = %s}'


def test_a_sherpa_that_is_left_goes_into_the_rucksack() -> None:
    for strength in ("normal", "stark"):
        assert choice(strength, RUCKSACK % ("Sherpa, R2, R4", "true"), MEISTER) == Pack(SHERPA)


def test_stark_rather_ends_a_round_in_which_another_has_not_laid() -> None:
    assert choice("stark", RUCKSACK % ("Sherpa, R2", "true"), MEISTER) == Pack(SHERPA)
    attached = choice("stark", RUCKSACK % ("Sherpa, R2", "false"), MEISTER)
    assert attached == AttachCard(SHERPA, 0)


@pytest.mark.parametrize("strength", ["normal", "stark"])
def test_the_rucksack_is_opened_when_it_has_all_that_lacks(strength: str) -> None:
    hand = "R1, B2, G3, W4, R5, B6, G10, W10, B12"
    setup = f'A = {{stage = 4, hand = "{hand}", rucksack = "%s"}}\nablage = "R12"'
    assert choice(strength, setup % "Sherpa", MEISTER) == TakeRucksack(SHERPA)
    assert choice(strength, setup % "R11", MEISTER) == TakeMaterial()
    assert choice(strength, setup.replace("R12", "R7") % "Sherpa", MEISTER) == TakeAblage()


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("route", MOUNTAINS)
def test_whole_games_of_all_strengths_end_soon(route: str, seats: int) -> None:
    """`play_game` fails on a move that is not offered; 40 rounds would be the most."""
    options = GAMES["speedclimb"].options_type(route=route)
    players = [strategy_of("speedclimb", STRENGTHS[seat % 3]) for seat in range(seats)]
    finished = play_game(GAMES["speedclimb"], options, players, f"{route}/{seats}")
    decisions = sum([len(each) for each in finished.took_ns])
    assert decisions < 400 * seats


@pytest.mark.parametrize("route", MOUNTAINS)
def test_normal_beats_leicht(route: str) -> None:
    """In about 95 of 100 games; twenty with fixed seeds are enough to notice a fault."""
    assert share("normal", "leicht", route, 10) > 0.8


def share(one: str, other: str, route: str, deals: int) -> float:
    game = GAMES["speedclimb"]
    a, b = strategy_of("speedclimb", one), strategy_of("speedclimb", other)
    pairing = Pairing(game, game.options_type(route=route), 2, a, b, "test")
    return sum([sum(play_deal(pairing, deal).shares) for deal in range(deals)]) / (2 * deals)
