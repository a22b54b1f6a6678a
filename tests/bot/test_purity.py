"""A decision follows from the seat's view, the offered options and the seed, and nothing else."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from contracts.views import BotPrompt, Question
from domain.games import GAMES
from domain.kernel import AnyGame
from domain.variants import label, variants
from services.bot.arena.match import play_game
from services.bot.strategies import COMPUTERS
from services.bot.strategies.strategy import Strategy

ROOT = Path(__file__).parents[2]
STRENGTHS = ("leicht", "normal", "stark")
EVERY = [(game, variant) for game in GAMES.values() for variant in variants(game)]


class Recorder:
    """Every decision of one game as a prompt on the bus would have asked for it, and its move."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.prompts: list[bytes] = []
        self.moves: list[bytes] = []

    def of(self, strength: str) -> Strategy:
        """Give the strategy of this strength, listened to."""
        strategy = COMPUTERS[self.game.name].strengths[strength]

        def choose(view: Any, question: Question, rng: random.Random) -> Any:
            seed = f"{rng.getrandbits(64):x}"
            prompt = BotPrompt(
                "07-0123", self.game.name, view.seat, question, view, strength, 0, seed
            )
            self.prompts.append(msgspec.json.encode(prompt))
            move = strategy.choose(view, question, random.Random(seed))
            self.moves.append(msgspec.json.encode(move))
            return move

        return strategy._replace(choose=choose)


def decided_again(prompts: list[bytes], hash_seed: str) -> list[bytes]:
    """Decide in a fresh process, which knows the bytes of the prompts alone."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bot.rerun"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        input=b"\n".join(prompts),
        capture_output=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize(("game", "variant"), EVERY, ids=[label(*each) for each in EVERY])
def test_a_decision_is_run_again_from_its_prompt_alone(
    game: AnyGame, variant: dict[str, Any], seats: int
) -> None:
    recorder = Recorder(game)
    players = [recorder.of(strength) for strength in STRENGTHS[-seats:]]
    options = msgspec.convert(variant, game.options_type)

    play_game(game, options, players, "purity")

    other = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    again = decided_again(recorder.prompts, other)
    decisions = zip(recorder.prompts, recorder.moves, again, strict=True)
    assert [each for each in decisions if each[1] != each[2]][:1] == []
    assert len(again) > seats
