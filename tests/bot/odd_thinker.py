"""A thinker whose strategies do what the number of the question says."""

import os
import signal
import sys
from collections.abc import Callable
from random import Random
from typing import Any, Final

from contracts.views import Question
from services.bot import strategies, thinker
from services.bot.strategies.strategy import Computers, Strategy

GOOD: Final = 1
FAILS: Final = 2
NOT_OFFERED: Final = 3
RUNS_WILD: Final = 4
DIES: Final = 5
PRINTS: Final = 6
STANDS_STILL: Final = 7
SECRET: Final = "card_12"


def _fail() -> None:
    raise RuntimeError(SECRET)


def _run_wild() -> None:
    while True:
        pass


ACTS: dict[int, Callable[[], object]] = {
    FAILS: _fail,
    RUNS_WILD: _run_wild,
    DIES: lambda: os._exit(3),
    PRINTS: lambda: sys.stdout.write("hello"),
    STANDS_STILL: lambda: os.kill(os.getpid(), signal.SIGSTOP),
}


def choose(_view: Any, question: Question, _rng: Random) -> Any:
    """Do something, and then give the last move that is offered."""
    if question.prompt in ACTS:
        ACTS[question.prompt]()
    return None if question.prompt == NOT_OFFERED else question.options.moves[-1]


def reason(_view: Any, question: Question, move: Any) -> str:
    """Name what can be seen from outside."""
    return f"{type(move).__name__} bei Frage {question.prompt}."


ODD = Computers({"stark": Strategy("odd", 5, choose, thinks=True)}, reason)

if __name__ == "__main__":
    strategies.COMPUTERS = {"speeddive": ODD}  # type: ignore[misc]  # this process has others
    thinker.main()
