"""The program `logbuch`: one command line for players' tables, operators and services.

A command is a module of `services.ops` with `add_arguments(parser)` and `run(args, settings)`,
which returns the exit code or is a coroutine that does. It is imported only when it is called.
Exit codes: 0 fine, 1 a finding or failure, 2 wrong usage, 130 interrupted.
"""

import argparse
import asyncio
import errno
import importlib
import inspect
import json
import os
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

import uvloop

from services.kit import logging
from services.kit.settings import Settings, SettingsError, masked

DEBUG = "LOGBUCH_DEBUG"


class Command(NamedTuple):
    """A row of the table of commands.

    A command that needs no running system gets `settings=None`; so does one that is called with
    its word `offline` (`record check`). `module` is for a command that does not live in ops.
    """

    summary: str
    needs_system: bool = True
    offline: str = ""
    module: str = ""


COMMANDS: Final = {
    "up": Command("start everything and keep it running; Ctrl-C stops it", needs_system=False),
    "service": Command("run one service against the configured clusters"),
    "simulate": Command("play whole games through the real bus"),
    "tables": Command("list tables"),
    "table": Command("end a table without a result, or let a stopped one go on"),
    "watch": Command("follow a table live, one line a move"),
    "replay": Command("show any position as somebody saw it"),
    "verify": Command("check hash chain, replay, rules and shuffles"),
    "explain": Command("account for a table's clock, score or stake, fact by fact"),
    "record": Command("check records of games, or write one from a table", offline="check"),
    "ledger": Command(
        "Taler and leaderboards: show, check, rebuild", module="services.ledger.command"
    ),
    "arena": Command(
        "let computer players play each other",
        needs_system=False,
        module="services.bot.arena.command",
    ),
    "trial": Command("run an acceptance trial against the running system"),
    "bench": Command("measure beside the alternatives", offline="rules"),
    "doctor": Command("say what is wrong here and how to mend it", needs_system=False),
}


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code; no error leaves as a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not os.environ.get(DEBUG):
        logging.silence()
    try:
        args = _parse(words)
        settings = Settings.load(args.data) if args.needs_system else None
        outcome: Any = args.run(args, settings)
        if inspect.iscoroutine(outcome):
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                outcome = runner.run(outcome)
        sys.stdout.flush()
        return int(outcome)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _drop_output()
        return 1
    except Exception as error:  # noqa: BLE001 - the last resort: one line instead of a traceback
        if os.environ.get(DEBUG):
            traceback.print_exc()
        unwritable = _is_unwritable(error)
        if unwritable:
            _drop_output()
        _tell(error_line(error), as_json="--json" in words and not unwritable)
        return 1


def _parse(words: list[str]) -> argparse.Namespace:
    parser = _Parser(prog="logbuch", description="Event-sourced tables for turn-based games.")
    parser.add_argument("--version", action="version", version=f"logbuch {version('logbuch')}")
    _add_common(parser, json=False, data=None)
    rows = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    called = _called(words)
    for name, command in COMMANDS.items():
        row = rows.add_parser(name, help=command.summary, description=command.summary)
        _add_common(row, json=argparse.SUPPRESS, data=argparse.SUPPRESS)
        row.set_defaults(needs_system=command.needs_system and command.offline not in words)
        if name == called:
            module = importlib.import_module(command.module or f"services.ops.{name}")
            module.add_arguments(row)
            row.set_defaults(run=module.run)
            for verb in _verbs(row):  # what stands behind a verb must count as well
                _add_common(verb, json=argparse.SUPPRESS, data=argparse.SUPPRESS)
    return parser.parse_args(words)


def _called(words: list[str]) -> str | None:
    """The command: the first word that is no option, nor the value of one that stands before."""
    common = _Parser(prog="logbuch", add_help=False, allow_abbrev=False)
    _add_common(common, json=False, data=None)
    _, others = common.parse_known_args(words)
    return next((word for word in others if not word.startswith("-")), None)


def _add_common(parser: argparse.ArgumentParser, **defaults: Any) -> None:
    parser.add_argument(
        "--json", action="store_true", default=defaults["json"], help="output for machines"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        default=defaults["data"],
        help="data directory of `logbuch up`",
    )


def _verbs(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parsers of a command's own verbs, such as `check` in `record check`."""
    return [
        verb
        for action in parser._actions  # noqa: SLF001 - argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction)  # noqa: SLF001
        for verb in action.choices.values()
    ]


def error_line(error: BaseException) -> str:
    """One line for people: what happened and, where it is known, what to do."""
    from asyncpg import InterfaceError, PostgresError  # noqa: PLC0415 - slow, rarely needed
    from nats.errors import Error as NatsError  # noqa: PLC0415

    from deploy.embedded.errors import StackError  # noqa: PLC0415
    from services.kit.bus import BusError  # noqa: PLC0415
    from services.kit.console.failure import Failure  # noqa: PLC0415
    from services.kit.store.model import StoreError  # noqa: PLC0415

    text = masked(" ".join(str(error).split())) or type(error).__name__
    match error:
        case StackError() | SettingsError() | Failure():
            return text
        case PostgresError() | InterfaceError() | StoreError():
            return f"the database: {text} (`logbuch doctor` tells more)"
        case NatsError() | BusError():
            return f"the bus: {text} (`logbuch doctor` tells more)"
        case OSError() if error.filename is not None:
            return f"{error.filename}: {error.strerror}"
        case OSError() if _is_unwritable(error):
            return f"the output cannot be written: {error.strerror}"
        case OSError() | TimeoutError():
            return f"no connection: {text} (`logbuch doctor` tells more)"
        case _:
            # The text of an unexpected exception may quote a hidden card: its type must do.
            kind = type(error).__name__
            return f"an error in Logbuch itself ({kind}); set {DEBUG}=1 to see where"


def _is_unwritable(error: BaseException) -> bool:
    """Tell whether a failed write is a file's: no connection ends with these."""
    numbers = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
    return isinstance(error, OSError) and error.filename is None and error.errno in numbers


def _drop_output() -> None:
    """Nobody gets what is still to be written, so that the interpreter ends without complaint."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(line: str, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"error": line}, ensure_ascii=False))
    else:
        print(f"logbuch: {line}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
