"""A process that decides one prompt after the other: `python -m services.bot.thinker`.

It says on stdout when it is ready (an empty frame). A frame is its length (4 bytes, big-endian)
and so many bytes. A question is a byte that tells whether a reason is wanted, and the prompt as it
came from the bus; the answer is a `Thought`. At the end of stdin it ends, and so with its parent,
however that ended.

The limit ends the process without a word: a strategy that runs wild cannot be stopped otherwise.
It is kept here, by the kernel, so that it holds in the midst of foreign code and without a parent.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from types import TracebackType
from typing import BinaryIO, Final

import msgspec

from contracts.prompts import decode_prompt
from services.bot.deciding import decide
from services.bot.strategies import strategy_of

LIMIT_S: Final = 0.3
"""Processor time that one decision may take: on a busy machine a decision is not to blame for the
time in which it does not run. Who waits for it keeps a limit on the clock (thinkers.STANDSTILL_S).
"""
LIMIT_SIGNAL: Final = signal.SIGPROF
"""What the limit ends the process with."""
FRAME_HEAD: Final = 4

_ENCODER = msgspec.json.Encoder()


def frame(data: bytes) -> bytes:
    """Give the bytes as they are sent."""
    return len(data).to_bytes(FRAME_HEAD, "big") + data


def think(question: bytes) -> bytes:
    """Answer a question; raises PromptError when it holds no prompt."""
    prompt = decode_prompt(question[1:])
    strategy = strategy_of(prompt.game, prompt.strength)
    return _ENCODER.encode(decide(prompt, strategy, explain=question[0] == 1))


def main() -> None:
    """Answer until stdin ends."""
    # Who stops a service often signals all its processes: the service finishes what it has begun,
    # and needs its thinkers for that.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    sys.excepthook = _tell
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    sys.stdout = sys.stderr  # what anybody prints must not stand among the answers
    _say(answers, b"")
    while head := _read(FRAME_HEAD):
        question = _read(int.from_bytes(head, "big"))
        if not question:
            return
        signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
        answer = think(question)
        signal.setitimer(signal.ITIMER_PROF, 0)
        _say(answers, answer)


def _read(size: int) -> bytes:
    """Give so many bytes, none when stdin ends before."""
    data = sys.stdin.buffer.read(size)
    return data if len(data) == size else b""


def _say(answers: BinaryIO, data: bytes) -> None:
    rest = memoryview(frame(data))
    try:
        while rest:
            rest = rest[answers.write(rest) :]
    except BrokenPipeError:  # nobody waits any more
        sys.exit()


def _tell(kind: type[BaseException], _error: BaseException, trace: TracebackType | None) -> None:
    """Say what ended the process without the text of the exception: it may quote a card."""
    last = traceback.extract_tb(trace)[-1]
    print(f"thinker: {kind.__name__} at {last.filename}:{last.lineno}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
