"""What Rat says to a player of Speedclimb: one sentence with numbers that he can check."""

from __future__ import annotations

import random
import re
from typing import Any, get_args

from contracts.views import Question
from domain.kernel import Ask, asked
from domain.options import sample
from domain.records.run import run
from domain.records.text import parse
from domain.speedclimb.game import Speedclimb
from domain.speedclimb.moves import (
    AttachCard,
    ChooseCarry,
    ChooseStage,
    Discard,
    Move,
    Pack,
    PlaySchneesturm,
    TakeDepot,
    TakeMaterial,
)
from services.bot.strategies import COMPUTERS
from tests.domain.playing import VARIANTS, opened, play
from tests.domain.speedclimb.test_rules import record

GAME = Speedclimb()
REASON = COMPUTERS["speedclimb"].reason
SENTENCE = re.compile(r"[A-ZÄÖÜ][^.!?]*\.")


def why(move: Any, setup: str, route: str = "GIPFELSTURM") -> str:
    """Give the reason for a move of seat A, who is on turn."""
    settled = run(parse(record(2, f'turn = "A"\n{setup}', "", route)))
    ask = settled.waiting
    assert isinstance(ask, Ask)
    question = Question(1, ask.kind, ask.options, ask.default)
    return REASON(GAME.view(settled.state, 0), question, move)


HAND = "R1, B2, G3, W4, O5, R6, R12, B14, G10, W15"
TAKES = f'A = {{camp = 5, hand = "{HAND}", depot = "L7"}}'
MAIN = f'phase = "main"\nA = {{camp = 5, hand = "{HAND}, R9"}}\nB = {{hand = "B1, B3"}}'


def test_the_material_is_named_with_the_cards_that_help() -> None:
    """Unseen are 98 - 10 - 1; a seven is missing: five of them are left, and five Sherpas."""
    assert why(TakeMaterial(), TAKES.replace("L7", "L13")) == (
        "Keine offene Karte hilft deinem Lager, aber von 87 Karten, die du nicht siehst, "
        "bringen dich 11 deinem Lager näher."
    )


def test_an_open_card_is_named_with_what_is_missing_then() -> None:
    assert why(TakeDepot(0), TAKES) == "Mit Lila 7 ist dein Lager vollständig."
    assert why(TakeDepot(0), TAKES.replace("R6", "L4")) == (
        "Mit Lila 7 fehlt deinem Lager nur noch eine Karte statt 2."
    )


def test_a_discard_is_named_with_the_cards_that_help() -> None:
    assert why(Discard("W15"), MAIN).startswith(
        "Dein Lager braucht Weiß 15 nicht, und von 87 Karten"
    )
    assert why(Discard("B2"), MAIN).startswith("Ohne Blau 2 fehlen deinem Lager 2 Karten")


def test_a_sherpa_is_a_he_and_a_saved_point_one() -> None:
    main = 'phase = "main"\nA = {laid = true, hand = "Sherpa, R1, B2"}\nmelds = ["B run R4 R5 R6"]'
    expedition = "GROSSE_EXPEDITION"

    assert why(Discard("Sherpa"), main) == (
        "Den Sherpa brauchst du nicht mehr, die anderen können ihn anlegen; du behältst 2 Karten."
    )
    assert why(Discard("Sherpa"), main, expedition) == (
        "Den Sherpa brauchst du nicht mehr, die anderen können ihn anlegen; "
        "du sparst 25 Strafpunkte und behältst 2 Karten."
    )
    assert "sie passt nirgends an; du sparst" in why(Discard("B2"), main, expedition)
    assert why(AttachCard("Sherpa", 0, "high"), main) == (
        "Der Sherpa passt an: danach hast du 2 Karten auf der Hand."
    )
    assert why(Discard("Sherpa"), MAIN.replace("R9", "Sherpa")).startswith("Ohne den Sherpa fehl")
    assert why(TakeDepot(0), TAKES.replace("L7", "Sherpa")).startswith("Mit dem Sherpa ist dein")


def test_one_lacking_card_is_lacking_and_two_are() -> None:
    two = TAKES.replace("R6", "L4").replace("O5", "L15")

    assert why(TakeDepot(0), TAKES.replace("L7", "L13")) == (
        "Lila 13 bringt dich nicht näher: deinem Lager fehlt weiter eine Karte."
    )
    assert why(TakeDepot(0), two) == "Mit Lila 7 fehlen deinem Lager nur noch 2 Karten statt 3."
    assert why(Discard("R1"), MAIN).startswith("Ohne Rot 1 fehlen deinem Lager 2 Karten")


def test_a_packed_card_tells_what_room_is_left() -> None:
    pack = 'phase = "main"\nA = {hand = "R1, B2, G3", rucksack = "%s"}'

    said = [
        why(Pack("R1"), pack % packed, "MEISTER_EXPEDITION")
        for packed in ("R2, R3, R4", "R2, R3", "R2")
    ]

    assert [each.rpartition("danach ")[2] for each in said] == [
        *("ist er voll.", "ist noch Platz für eine Karte.", "ist noch Platz für 2 Karten.")
    ]


def test_a_schneesturm_tells_whom_it_costs_a_turn() -> None:
    assert why(PlaySchneesturm(1), MAIN) == (
        "Platz 2 sammelt noch, hat 2 Karten und verliert seinen nächsten Zug."
    )


def test_an_attached_card_tells_how_many_are_left() -> None:
    setup = 'phase = "main"\nmelds = ["B run R4 R5 R6"]\nA = {laid = true, hand = "%s"}'
    assert why(AttachCard("L7", 0, "high"), setup % "L7, L1, L2") == (
        "Lila 7 passt an: danach hast du 2 Karten auf der Hand."
    )
    assert why(AttachCard("L7", 0, "high"), setup % "L7, L1").endswith("bist du fertig.")


def test_stage_and_carried_cards_are_named_with_what_is_missing() -> None:
    setup = 'A = {stage = 4, locked = false, hand = "R1, B2, G3, W4, R5, B6, R12, B12, G12, W12"}'
    assert why(ChooseStage(4), setup, "MEISTER_EXPEDITION") == (
        "Für Etappe 4 fehlt dir jetzt eine Karte."
    )
    wall = 'A = {camp = 5, hand = "R1, B2, G3, W4, O5"}'
    assert why(ChooseCarry(("R1", "B2")), wall, "NORDWAND") == (
        "Mit 2 Karten im Gepäck fehlen dir für dein Lager noch 6 von 8, bevor neue kommen."
    )
    assert why(ChooseCarry(("R1",)), wall, "NORDWAND").startswith(
        "Mit einer Karte im Gepäck fehlen"
    )
    assert why(ChooseStage(4), setup.replace("B6", "B10"), "MEISTER_EXPEDITION") == (
        "Für Etappe 4 fehlen dir jetzt 2 Karten."
    )


def test_every_move_of_every_question_has_a_sentence() -> None:
    told: set[type] = set()
    for variant in VARIANTS:
        if variant.game != "speedclimb" or variant.seats not in {2, 5}:
            continue
        game, _ = opened(variant)
        rng = random.Random(str(variant))
        for step in play(variant, 7):
            for ask in (*asked(step.after.waiting), *game.offers(step.after.state)):
                view = game.view(step.after.state, ask.seat)
                question = Question(1, ask.kind, ask.options, ask.default)
                for move in (ask.default, sample(ask.options, rng.randrange)):
                    sentence = REASON(view, question, move)
                    assert SENTENCE.fullmatch(sentence), sentence
                    told.add(type(move))
    assert told == set(get_args(Move))
