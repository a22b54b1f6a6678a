"""Clients read every question of every game from its JSON, and answer it with any legal move."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import msgspec
import pytest

from contracts.commands import decode_move
from contracts.prompts import decode_prompt
from contracts.views import BotPrompt, Question
from domain.games import GAMES
from domain.kernel import Ask, asked
from domain.options import admits
from services.kit.seen import SeenQuestion
from services.ops.simulation.play import choose
from tests.domain.playing import VARIANTS, Variant, play

STEPS = 120
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


def asks(variant: Variant, seed: int) -> list[tuple[Any, Ask[Any]]]:
    """Give the questions of the first steps of a game, each with the state it is asked in."""
    game = GAMES[variant.game]
    return [
        (step.after.state, ask)
        for step in islice(play(variant, seed, rare=True), STEPS)
        for ask in asked(step.after.waiting) + tuple(game.offers(step.after.state))
    ]


def question(ask: Ask[Any]) -> Question:
    return Question(7, ask.kind, ask.options, ask.default, None, None, ask.part)


@every_variant
def test_a_simulated_person_answers_with_any_legal_move(variant: Variant) -> None:
    game = GAMES[variant.game]
    rng = random.Random(3)
    for _, ask in asks(variant, 11):
        seen = msgspec.json.decode(msgspec.json.encode(question(ask)), type=SeenQuestion)
        assert len(seen.options.descriptors) == len(ask.options.descriptors)
        for _ in range(3):
            chosen = msgspec.Raw(msgspec.json.encode(choose(seen, rng, game)))
            assert admits(ask.options, decode_move(game, chosen))


@every_variant
def test_a_prompt_comes_back_with_everything_in_it_of_its_game(variant: Variant) -> None:
    game = GAMES[variant.game]
    for state, ask in asks(variant, 12)[::4]:
        view = game.view(state, ask.seat)
        prompt = BotPrompt(
            "07-0123", variant.game, ask.seat, question(ask), view, "stark", 99, "5eed"
        )
        assert decode_prompt(msgspec.json.encode(prompt)) == prompt


def test_every_kind_of_option_of_every_game_is_chosen_by_and_by() -> None:
    offered: set[type] = set()
    for variant in VARIANTS:
        for _, ask in asks(variant, 13):
            offered |= {type(each) for each in ask.options.descriptors}
    for name, game in GAMES.items():
        missing = set(game.descriptor_types) - offered
        assert not missing, f"{name} names descriptors that are never offered: {missing}"


def test_a_descriptor_of_a_newer_server_is_answered_with_the_default() -> None:
    seen = msgspec.json.decode(
        b'{"prompt":7,"kind":"turn","options":{"moves":[],"descriptors":[{"type":"Newer"}]},'
        b'"default":{"type":"Pass"}}',
        type=SeenQuestion,
    )
    for game in GAMES.values():
        assert choose(seen, random.Random(1), game) == seen.default
