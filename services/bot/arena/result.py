"""What a match came to, and the text file that keeps it with the outcome of every game."""

from __future__ import annotations

import json
import platform
import shlex
import tomllib
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from services.bot.arena.interval import share_of
from services.bot.arena.opponents import opponent
from services.bot.arena.series import Deal, Match, command_of
from services.bot.arena.times import Times
from services.kit.clock import now_ms
from services.kit.console.failure import Failure

RESULTS: Final = Path(__file__).parent / "results"
"""The results that are checked in."""
_ROOT = Path(__file__).parents[3]
_DIGITS = 4
_LINE = 100
_HEAD = f"""\
# outcomes: one character a game, {_LINE} a line; 1: A won alone, 2: A shared the first place with one
# other, 3: with two, ...; 0: A did not have it. Deal after deal; in each A takes the seats in turn.
"""


class Pace(Struct, frozen=True, forbid_unknown_fields=True):
    """How many decisions a side made, and their processor time in ms."""

    decisions: int
    mean: float
    p50: float
    p99: float
    max: float
    over_300: int


class Result(Match, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match with its outcomes; the shares are those of A, from 0 to 1."""

    a_version: int
    b_version: int
    games: int
    a_share: float
    ci_low: float
    ci_high: float
    date: date
    python: str
    a_ms: Pace
    b_ms: Pace
    outcomes: str

    @property
    def deals(self) -> tuple[str, ...]:
        """The outcomes of each deal."""
        return _cut(self.outcomes, self.seats)


def result_of(match: Match, deals: Iterable[Deal]) -> Result:
    """Sum up a match that was played now, by the present strategies."""
    outcomes: list[str] = []
    a, b = Times(), Times()
    for deal in deals:
        outcomes.append("".join(map(str, deal.outcomes)))
        a.merge(deal.a)
        b.merge(deal.b)
    share, low, high = _shares(outcomes)
    return Result(
        **msgspec.structs.asdict(match),
        a_version=opponent(match.game, match.a).version,
        b_version=opponent(match.game, match.b).version,
        games=len(outcomes) * match.seats,
        a_share=share,
        ci_low=low,
        ci_high=high,
        date=datetime.fromtimestamp(now_ms() / 1000, UTC).date(),
        python=platform.python_version(),
        a_ms=_pace(a),
        b_ms=_pace(b),
        outcomes="".join(outcomes),
    )


def _shares(deals: Iterable[str]) -> tuple[float, float, float]:
    means = [sum([1 / int(each) for each in deal if each != "0"]) / len(deal) for deal in deals]
    share, low, high = share_of(means)
    return round(share, _DIGITS), round(low, _DIGITS), round(high, _DIGITS)


def _pace(times: Times) -> Pace:
    p50, p99 = times.quantile_ms(0.5), times.quantile_ms(0.99)
    mean, p50, p99, most = map(_short, (times.mean_ms, p50, p99, times.max_ms))
    return Pace(times.count, mean, p50, p99, most, times.slow)


def _short(ms: float) -> float:
    return float(f"{ms:.3g}")


def write(result: Result) -> str:
    """Give the text of the file."""
    lines = [f"# {command_of(result, result.games)}"]
    for name, value in msgspec.structs.asdict(result).items():
        if name != "outcomes":
            lines.append(f"{name} = {_toml(value)}")
    body = "\n".join(_cut(result.outcomes, _LINE))
    return "\n".join([*lines, f'{_HEAD}outcomes = """', body, '"""', ""])


def _cut(text: str, length: int) -> tuple[str, ...]:
    return tuple(text[at : at + length] for at in range(0, len(text), length))


def _toml(value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Struct):
        value = msgspec.structs.asdict(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    return json.dumps(value)


def read(file: Path) -> Result:
    """Read a file; raises Failure when it is none, or when its shares are not its outcomes'."""
    try:
        plain = tomllib.loads(file.read_text(encoding="utf-8"))
        plain["outcomes"] = "".join(str(plain.get("outcomes", "")).split())
        result = msgspec.convert(plain, Result)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise Failure(f"{file} is no result of the arena: {error}") from None
    if len(result.outcomes) != result.games or result.games % result.seats or not result.games:
        raise Failure(f"{file} says {result.games} games and has {len(result.outcomes)} outcomes")
    if not set(result.outcomes) <= set("0123456789"[: result.seats + 1]):
        raise Failure(f"{file} has outcomes other than 0 to {result.seats}")
    said = (result.a_share, result.ci_low, result.ci_high)
    if said != (found := _shares(result.deals)):
        raise Failure(f"{file} says share and interval {said}, its outcomes say {found}")
    return result


def renewing(result: Result, file: Path) -> str:
    """Give the command that makes a file again."""
    return f"{command_of(result, result.games)} --save {shlex.quote(shown(file))}"


def shown(file: Path) -> str:
    """Give a path as it is seen from the root of the repository, where it lies in there."""
    whole = file.resolve()
    return str(whole.relative_to(_ROOT) if whole.is_relative_to(_ROOT) else file)


def files_in(places: Iterable[Path]) -> list[Path]:
    """Give the files that are meant, all that are checked in when none is; raises Failure."""
    found = list(places) or sorted(RESULTS.glob("*.toml"))
    if not found:
        raise Failure(f"no result is kept in {shown(RESULTS)} yet (--save)")
    if missing := [file for file in found if not file.is_file()]:
        raise Failure(f"there is no file {missing[0]}")
    return found
