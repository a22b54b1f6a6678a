"""`logbuch replay`: any position of a table, computed anew from its facts."""

from __future__ import annotations

import argparse
from typing import Any

import msgspec

from contracts.views import Question, TableView
from domain.table.events import Occupant
from services.kit.settings import Settings
from services.kit.store.database import Database
from services.ops.position import PerSeat, Position, Viewer, load, position
from services.ops.wording import aligned, bold, clock, described, fact_text, named, struct_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("table", metavar="TABLE", help="id of the table")
    add("--at", type=int, metavar="N", help="after fact number N (the newest)")
    viewer_help = "as this seat or a spectator saw it (as the operator)"
    add("--as", dest="viewer", type=_viewer, default="operator", metavar="SEAT", help=viewer_help)


async def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print one position; raises Failure when there is none."""
    async with Database(settings.database_url, name="replay") as database:
        snapshot = await load(database, args.table)
    shown = position(snapshot, args.at, args.viewer)
    if args.json:
        print(msgspec.json.format(msgspec.json.encode(shown), indent=1).decode())
    else:
        print("\n".join(lines_of(shown)))
    return 0


def lines_of(shown: Position) -> list[str]:
    """Give a position for people: the facts first, then how things stand."""
    view = shown.view
    viewer = shown.viewer
    if viewer.isdecimal():
        viewer = f"seat {named(int(viewer), view.seats)}"
    options = ", ".join(f"{key}={value}" for key, value in view.options.items())
    lines = [
        bold(f"{view.game} at table {shown.table}, as {viewer}"),
        *logbook(shown),
        "",
        bold(f"After fact {shown.version} of {shown.last}, {clock(shown.at, date=True)}"),
        *aligned(_standing(view, options)),
    ]
    for each in shown.seats or (view,):
        lines += _asked(each)
    state = shown.state if shown.state is not None else view.play
    if state is not None:
        lines += ["", *described(msgspec.to_builtins(state))]
    if shown.viewer == "operator" and shown.state is None:
        lines += _hands(shown)
    return lines


def logbook(shown: Position) -> list[str]:
    """Give the facts, one a line: number, time, who, what."""
    seats: tuple[Occupant, ...] = shown.view.seats
    rows = []
    for each in shown.facts:
        if isinstance(each.fact, PerSeat):
            texts = [fact_text(form, seats)[1] for form in each.fact.seats]
            who, what = "", " | ".join(f"{seat}: {text}" for seat, text in enumerate(texts))
        else:
            who, what = fact_text(each.fact, seats)
        rows.append((str(each.number).rjust(5), clock(each.at), who, what))
    return aligned(rows)


def _standing(view: TableView, options: str) -> list[tuple[str, str]]:
    people = [
        f"{seat} {each.player}{' (left)' if each.left else ''}"
        for seat, each in enumerate(view.seats)
    ] or [f"place {each.place} {each.player}" for each in view.places if each is not None]
    rows = [("phase", view.phase), ("options", options or "-"), ("seats", "  ".join(people))]
    if view.awaited is not None:
        who = ", ".join(named(seat, view.seats) for seat in view.awaited.seats) or "nobody"
        until = f", until {clock(view.awaited.deadline)}" if view.awaited.deadline else ""
        rows.append(("awaited", f"{view.awaited.kind} of {who}{until}"))
    if view.ended_because:
        rows.append(("because", view.ended_because))
    rows.append(("commitment", view.commitment))
    if view.seed:
        rows.append(("seed", view.seed))
    return rows


def _asked(view: TableView) -> list[str]:
    return [
        f"seat {named(view.seat, view.seats)} is asked at {each.prompt} ({each.kind}): "
        + " | ".join(_choices(each, view))
        for each in view.questions
    ]


def _choices(question: Question, view: TableView) -> list[str]:
    options = (*question.options.moves, *question.options.descriptors)
    return [
        struct_text(each, view.seats) + (" (default)" if each == question.default else "")
        for each in options
    ]


def _hands(shown: Position) -> list[str]:
    """Give each seat's own knowledge where it differs from everybody's."""
    public: dict[str, Any] = msgspec.to_builtins(shown.view.play) or {}
    lines: list[str] = []
    for each in shown.seats:
        own: dict[str, Any] = msgspec.to_builtins(each.play) or {}
        differs = {
            key: held for key, held in own.items() if key != "seat" and public.get(key) != held
        }
        if differs:
            lines += [
                "",
                f"only for seat {named(each.seat, each.seats)}",
                *described(differs, "  "),
            ]
    return lines


def _viewer(word: str) -> Viewer:
    if word in {"spectator", "operator"}:
        return "spectator" if word == "spectator" else "operator"
    if word.isdecimal():
        return int(word)
    raise argparse.ArgumentTypeError(f"{word!r} is no seat number, `spectator` or `operator`")
