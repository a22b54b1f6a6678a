"""Decides recorded prompts again: a line of JSON in, the move of its strategy out."""

import random
import sys

import msgspec

from contracts.prompts import decode_prompt
from services.bot.strategies import strategy_of


def main() -> None:
    """Answer every line of the input."""
    for line in sys.stdin.buffer:
        prompt = decode_prompt(line)
        strategy = strategy_of(prompt.game, prompt.strength)
        move = strategy.choose(prompt.view, prompt.question, random.Random(prompt.rng_seed))
        sys.stdout.buffer.write(msgspec.json.encode(move) + b"\n")


if __name__ == "__main__":
    main()
