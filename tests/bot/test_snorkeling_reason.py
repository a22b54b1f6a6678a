"""What Rat says to a player of Snorkeling: one sentence with numbers that he can check."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from msgspec.structs import replace

from contracts.views import Question
from domain.games import GAMES
from domain.options import sample
from domain.snorkeling.moves import Attack, DrawCard, Move, Pass, PlayCards, TakeCard
from domain.snorkeling.views import View
from services.bot.arena.match import Pairing, play_deal
from services.bot.strategies import COMPUTERS
from services.bot.strategies.strategy import Strategy
from tests.bot.test_snorkeling_asked import Asked

REASON = COMPUTERS["snorkeling"].reason


def why(asked: Asked, move: Move) -> str:
    return REASON(asked.view, asked.question, move)


def test_an_attack_tells_both_piles_and_the_hand_that_follows() -> None:
    asked = Asked("b0 g4 r1 v2", "r3", (4, 5))

    assert why(asked, PlayCards(("r1",), Attack("g4", 1))) == (
        "Dein Angriff drückt einen Stapel von 5 auf 4, deiner zeigt 4; "
        "mit der gezogenen hast du dann 3 Karten."
    )


def test_a_strand_tells_what_the_round_brings() -> None:
    asked = Asked("b0 r1", "r3", (1, 1))

    assert why(asked, PlayCards(("r1",), Attack("b0", 1))) == (
        "Der Strand beendet die Runde: du bekommst 1 Punkt, der Angegriffene 0 statt 1."
    )
    assert "du bekommst 2 Punkte" in why(
        Asked("b0 r1", "r3", (2, 1)), PlayCards(("r1",), Attack("b0", 1))
    )


def test_an_emptied_hand_tells_what_comes_back() -> None:
    assert why(Asked("r0 r2", "r4", (3, 5)), PlayCards(("r0", "r2"))).endswith(
        "deine Hand ist dann leer und dein Stapel kann von 3 auf 4 zurück."
    )
    assert why(Asked("r0 r2", "r4"), PlayCards(("r0", "r2"))).endswith(
        "deine Hand ist dann leer und du ziehst 2 Karten."
    )


def test_a_play_without_attack_tells_what_the_kept_cards_hit() -> None:
    assert why(Asked("b4 g4 r1", "r3"), PlayCards(("r1",))).endswith(
        "von den behaltenen treffen 2 einen fremden Stapel."
    )


def test_kept_cards_that_hit_are_counted() -> None:
    said = [why(Asked(f"{hand} r1", "r3"), PlayCards(("r1",))) for hand in ("b0 g0", "b4 g0")]

    assert said == [
        "Du legst 1 Karte ab; mit der gezogenen hast du dann 3 Karten.",
        (
            "Du legst 1 Karte ab; mit der gezogenen hast du dann 3 Karten, "
            "und von den behaltenen trifft 1 einen fremden Stapel."
        ),
    ]


def test_cards_that_hit_are_none_one_or_more() -> None:
    asked = Asked("b3", "r2", (3, 4), phase="take")

    def hitting(**left: int) -> str:
        view = replace(asked.view, left=left)
        return REASON(view, asked.question, DrawCard()).partition(" gleich")[0]

    assert hitting(r0=2) == "Von 2 Karten, die du nicht siehst, trifft keine"
    assert hitting(r3=1) == "Von 1 Karte, die du nicht siehst, trifft 1"
    assert hitting(r3=2) == "Von 2 Karten, die du nicht siehst, treffen 2"


def test_a_pass_tells_how_many_cards_fit() -> None:
    assert why(Asked("b0 g0", "r3"), Pass()) == (
        "Auf Rot 3 passt keine deiner 2 Karten: du ziehst eine dazu."
    )
    assert "passt 1 deiner 2 Karten" in why(Asked("b0 r0", "r3"), Pass())
    assert "passen 2 deiner 2 Karten" in why(Asked("r1 r0", "r3"), Pass())
    assert why(Asked("b0", "r3"), Pass()).startswith("Auf Rot 3 passt deine Karte nicht: ")
    assert why(Asked("r0", "r3"), Pass()).startswith("Auf Rot 3 passt deine Karte, aber mit 2 ")


def test_nothing_is_promised_that_cannot_be_drawn() -> None:
    asked = Asked("r0 r2", "r4")

    def with_pile(cards: int) -> Asked:
        asked.view = replace(asked.view, board=replace(asked.view.board, pile_count=cards))
        return asked

    assert why(with_pile(0), Pass()) == (
        "Auf Rot 4 passen 2 deiner 2 Karten, und zu ziehen gibt es keine Karte mehr."
    )
    assert why(with_pile(0), PlayCards(("r0", "r2"))).endswith("du ziehst 2 Karten.")
    assert why(with_pile(1), Pass()).endswith("zur Wahl.")
    asked = Asked("r0", "r4")
    assert why(with_pile(0), PlayCards(("r0",))).endswith("du ziehst 1 Karte.")


def test_taking_back_and_leaving_tell_the_depth_and_the_cards_out_of_sight() -> None:
    asked = Asked("b3", "r2", (3, 4), phase="take")

    assert "zeigt dein Stapel wieder 4 statt 3" in why(asked, TakeCard())
    # He sees 5 of the 75: b3, the r2, and y4, y3, y4 on the piles. 15 - 2 of the 3s hit the 4.
    assert why(asked, DrawCard()).startswith(
        "Von 70 Karten, die du nicht siehst, treffen 13 gleich"
    )


@pytest.mark.parametrize("variant", ["BASIS", "EXPERTEN"])
@pytest.mark.parametrize("seats", [2, 4])
def test_every_offered_move_has_one_sentence_with_numbers(variant: Any, seats: int) -> None:
    said: set[str] = set()

    def choose(view: View, question: Question, rng: random.Random) -> Move:
        move: Move = sample(question.options, rng.randrange)
        said.add(REASON(view, question, move))
        return move

    game = GAMES["snorkeling"]
    anything = Strategy("anything", 1, choose)
    options = game.options_type(variant=variant)
    play_deal(Pairing(game, options, seats, anything, anything, "reasons"), 0)

    assert len(said) > 20
    for sentence in said:
        assert re.fullmatch(r"[A-ZÄÖÜ][^.]*\d[^.]*\.", sentence), sentence
