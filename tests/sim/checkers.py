"""What must hold when an evening is over: one function for each promise, giving what breaks it."""

from __future__ import annotations

import hmac
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import pairwise

import msgspec

from contracts import events, subjects, topics
from contracts.views import table_view
from domain.games import GAMES
from domain.kernel import Cards, Chance, Chosen, Shuffled
from domain.ranking import place_bonus
from domain.table.events import (
    GameFinished,
    GameStarted,
    PlayerLeft,
    StakesDenied,
    SuccessorOpened,
)
from domain.table.state import Table, seat_of
from services.kit.follow import LogFact
from services.kit.publish import PublicLog
from services.kit.store import chain
from services.ledger.entries import BoardEntry, entries_of
from services.ops.verification.stream import check_table
from tests.sim.absences import clock_accounts_add_up, nobody_is_replaced_early
from tests.sim.bank import START_TALER
from tests.sim.clocks import answered_in_time, not_taken_over_early
from tests.sim.scenario import Evening
from tests.sim.services import enter

Findings = Iterator[str]
_encode = msgspec.json.Encoder().encode
_plain = msgspec.json.decode


def nothing_broke(evening: Evening) -> Findings:
    """No process failed, no handler raised, no error was logged, no task died unseen."""
    yield from evening.world.failures
    yield from evening.world.loop.broken


def the_witness_is_content(evening: Evening) -> Findings:
    """What was judged at the moment it was sent."""
    yield from evening.witness.findings
    for person in evening.people.values():
        yield from person.findings


def acknowledged_is_stored(evening: Evening) -> Findings:
    """Every acknowledgement, received or not, names a fact of the log and its hash."""
    acks = [(a.table, a.last, a.head) for a in evening.witness.accepted]
    for person in evening.people.values():
        acks += [(ack.table, ack.last, ack.head) for ack in person.client.acks]
    for table, last, head in acks:
        if evening.history.of(table).hash(last) != head:
            yield f"{table} {last} was acknowledged and is not in the log"


def streams_are_sound(evening: Evening) -> Findings:
    """Versions, chain, index, and every command decided again, shuffles included."""
    store = evening.world.store
    for name, rows in store.streams.items():
        index = store.index[name]
        found = chain.verify(rows, index.head, index.head_hash, topics.check)
        if found is not None:
            yield f"{name} {found}"
        if not name.startswith(subjects.stream_of("")):
            continue
        checked = check_table(name.removeprefix(subjects.stream_of("")), index, rows)
        if checked.finding is not None or not checked.rules_rerun:
            yield f"{checked}"


def positions_rise(evening: Evening) -> Findings:
    """Positions order the log; each table's versions stand in it one after the other."""
    log = evening.world.store.log
    if any(one.id >= other.id for one, other in pairwise(log)):
        yield "positions do not rise"
    versions: Counter[str] = Counter()
    for row in log:
        versions[row.originator_id] += 1
        if row.originator_version != versions[row.originator_id]:
            yield f"{row.originator_id} {row.originator_version} is out of order"


def nothing_is_played_twice(evening: Evening) -> Findings:
    """A question is answered once, and a command carried out once, all its facts together."""
    for log in evening.history.all():
        answers = Counter(
            (each.fact.seat, each.fact.prompt, each.fact.part)
            for each in log.facts
            if isinstance(each.fact, Chosen)
        )
        yield from (
            f"{log.table}: {key} was answered {n} times" for key, n in answers.items() if n > 1
        )
        commands: list[tuple[str, str]] = []
        for each in log.facts:
            key = (each.stored.by, each.stored.command_id)
            if each.stored.command_id and (not commands or commands[-1] != key):
                commands.append(key)
            elif not each.stored.command_id:
                commands.append(("", str(each.version)))
        twice = [key for key, n in Counter(commands).items() if n > 1]
        yield from (f"{log.table}: command {key} was carried out twice" for key in twice)


def shuffles_are_fair(evening: Evening) -> Findings:
    """Shuffle k of a table is the k-th of its seed, each k once."""
    for log in evening.history.all():
        number = 0
        for each in log.facts:
            if isinstance(each.fact, Shuffled):
                number += 1
                before = log.states[each.version - 1]
                chance = log.waiting(before.version)
                cards = chance.cards if isinstance(chance, Chance) else ()
                names = (log.table, str(number), *before.client_seeds)
                if each.fact.order != _shuffled(before.seed, names, cards):
                    yield f"{log.table} {each.version}: shuffle {number} is another one"


def _shuffled(seed: str, names: tuple[str, ...], cards: Cards) -> Cards:
    """Shuffle as contracts/fairness describes it, written once more."""
    prefix = b"".join(len(name.encode()).to_bytes(4, "big") + name.encode() for name in names)
    blocks = (
        hmac.digest(bytes.fromhex(seed), prefix + count.to_bytes(4, "big"), "sha256")
        for count in itertools.count()
    )
    words = (int.from_bytes(b[at : at + 4], "big") for b in blocks for at in range(0, 32, 4))
    order = list(cards)
    for left in range(len(order), 1, -1):
        word = next(word for word in words if word < 2**32 // left * left)
        order[left - 1], order[word % left] = order[word % left], order[left - 1]
    return tuple(order)


def partitions_are_served_once(evening: Evening) -> Findings:
    """In the end every partition listens, and no former owner still does."""
    for partition, count in enumerate(evening.servers):
        if count != 1:
            yield f"{count} listen for partition {partition}"


def games_finish(evening: Evening) -> Findings:
    """Every game that was begun is over, by its own rules."""
    for table in evening.unfinished:
        log = evening.history.of(table)
        waits = log.waiting(log.state.version) if log.facts else None
        yield f"{table} does not finish: it is {log.state.phase} and waits for {waits}"
    for log in evening.history.all():
        if log.state.phase == "suspended":
            yield f"{log.table} was suspended: {log.state.ended_because}"


def feed_is_the_public_log(evening: Evening) -> Findings:
    """LOGBUCH holds the public form of the whole log, in order, without holes, once."""
    store, feed = evening.world.store, evening.world.feed
    assert feed.epoch is not None
    public = PublicLog(evening.world.store.reader(), feed.epoch)
    wanted = [
        public.entry(row, store.index[row.originator_id].game)
        for row in store.log
        if row.originator_id.startswith(subjects.stream_of(""))
    ]
    if feed.entries != wanted:
        at = next(
            (
                n
                for n, pair in enumerate(zip(feed.entries, wanted, strict=False))
                if pair[0] != pair[1]
            ),
            min(len(feed.entries), len(wanted)),
        )
        yield f"the feed has {len(feed.entries)} of {len(wanted)} entries and differs at {at}"


def leaderboard_follows(evening: Evening) -> Findings:
    """The read model, the feed and the tables themselves give the same entries."""
    from_feed: dict[str, BoardEntry] = {}
    for entry in evening.world.feed.entries:
        public = events.decode(entry.data)
        if public.type not in topics.TYPES:
            continue
        fact = topics.decode(public.type, public.data)
        at = round(datetime.fromisoformat(_plain(entry.data)["time"]).timestamp() * 1000)
        position = int(public.position)
        logged = LogFact(position, public.subject, public.number, at, "speeddive", fact)
        enter(from_feed, entries_of(logged))
    read = evening.world.store.views.get("ledger", {})
    if read != from_feed:
        yield f"the read model has {sorted(read)}, the feed {sorted(from_feed)}"
    points = sorted((each.table, each.player, each.points) for each in from_feed.values())
    wanted = sorted(_points(evening))
    if points != wanted:
        yield f"the feed gives {points}, the tables {wanted}"


def _points(evening: Evening) -> Iterator[tuple[str, str, int]]:
    """Compute from the last states of tables what they bring, by the rules as they are told."""
    for log in evening.history.all():
        table = log.state
        for each in log.facts:
            fact = each.fact
            if isinstance(fact, PlayerLeft) and fact.others and fact.player.startswith("p_"):
                yield log.table, fact.player, -10
        if table.phase != "finished" or table.result is None:
            continue
        ended = next(each for each in log.facts if isinstance(each.fact, GameFinished))
        took_ms = ended.stored.at - table.started_at
        for seat, who in enumerate(table.seats):
            if who.kind == "person" and not who.left and took_ms >= 90_000:
                base = table.result.leaderboard_base[seat]
                yield (
                    log.table,
                    who.player,
                    base + place_bonus(table.result.ranks[seat], len(table.seats)),
                )


def successors_are_one(evening: Evening) -> Findings:
    """A table is followed by one other at most, and the two know of each other."""
    logs = {log.table: log for log in evening.history.all()}
    for log in logs.values():
        named = [each.fact.table for each in log.facts if isinstance(each.fact, SuccessorOpened)]
        following = [each.table for each in logs.values() if each.state.former == log.table]
        if named != following or len(named) > 1:
            yield f"{log.table} is followed by {following} and says {named}"


def nobody_sits_twice(evening: Evening) -> Findings:
    """At no moment does anybody but a test player sit at two tables with people."""
    sitting: dict[str, set[str]] = {}
    for row in evening.world.store.log:
        name = row.originator_id.removeprefix(subjects.stream_of(""))
        if name == row.originator_id:
            continue
        table = evening.history.of(name).states[row.originator_version]
        sitting[name] = _sitting(table)
        for other, people in sitting.items():
            twice = people & sitting[name] if other != name else set()
            if twice:
                yield f"{sorted(twice)} sit at {name} and at {other}"


def _sitting(table: Table) -> set[str]:
    if table.rules.solo or table.phase not in {"gathering", "starting", "playing"}:
        return set()
    seats = table.seats or tuple(each for each in table.places if each is not None)
    return {
        each.player
        for each in seats
        if each.kind != "computer" and not each.left and not subjects.is_test(each.player)
    }


def stakes_come_first(evening: Evening) -> Findings:
    """No game with a stake begins unless all its people have paid for just this start."""
    bank = evening.bank
    for log in evening.history.all():
        for each in log.facts:
            before = log.states[each.version - 1]
            hold = bank.holds.get((log.table, before.attempt))
            match each.fact:
                case GameStarted(seats=seats) if before.rules.stake:
                    people = tuple(who.player for who in seats if who.kind == "person")
                    paid = hold is not None and hold.state in {"held", "paid"}
                    if hold is None or not paid or (hold.stake, hold.players) != (10, people):
                        yield f"{log.table} began without its stakes: {hold}"
                    if before.staked != before.rules.stake:
                        yield f"{log.table} began without the fact that they are held"
                case StakesDenied(short=short) if hold is None or hold.short != short:
                    yield f"{log.table} was told {short} lack Taler, the ledger says {hold}"


def taler_are_conserved(evening: Evening) -> Findings:
    """No Taler is made or lost, and nothing stays held once its table is over."""
    bank = evening.bank
    if bank.total != START_TALER * len(bank.balances) or min(bank.balances.values()) < 0:
        yield f"there are {bank.total} Taler: {bank.balances}"
    for (table, attempt), hold in bank.holds.items():
        log = evening.history.of(table)
        over = log.ended or log.state.attempt != attempt or log.state.phase == "gathering"
        if hold.state == "held" and over:
            yield f"{table} still holds the stakes of attempt {attempt}"


def lobby_follows(evening: Evening) -> Findings:
    """The lobby lists exactly the tables that gather."""
    kept = evening.world.store.views.get("lobby", {})
    listed = {name: each.open for name, each in kept.items() if not each.stopped}
    gathering = {
        log.table: log
        for log in evening.history.all()
        if log.state.phase in {"gathering", "starting"} and not log.state.rules.solo
    }
    if listed.keys() != gathering.keys():
        yield f"listed are {sorted(listed)}, open are {sorted(gathering)}"
    for name, table in listed.items():
        if name in gathering and table.places != gathering[name].state.places:
            yield f"{name} is listed with other places"


def views_converge(evening: Evening) -> Findings:
    """Everybody who stayed sees the end, with every fact of the game as he may see it."""
    for table, plan in evening.tables.items():
        log = evening.history.of(table)
        if not log.ended or not plan.starts:
            continue
        for name in plan.people:
            person = evening.people[name]
            if table in person.left:
                continue
            seat = person.client.seat(table)
            # Whoever plays again looks at the new table from then on.
            end = log.state.version - bool(log.state.successor)
            if seat.view is None or seat.view.version < end or not seat.complete:
                yield f"{name} does not see the end of {table}"
                continue
            mine = seat_of(log.state, name)
            view = table_view(GAMES[log.state.game], log.state, None, mine)
            if _plain(_encode(view.play)) != _plain(seat.view.play):
                yield f"{name} sees {table} otherwise than it is"
            known = [fact.hash for fact in seat.facts]
            if known != [each.hash for each in log.facts][seat.passed :][: len(known)]:
                yield f"{name} has other facts of {table}"


CHECKERS: tuple[Callable[[Evening], Findings], ...] = (
    nothing_broke,
    the_witness_is_content,
    acknowledged_is_stored,
    streams_are_sound,
    positions_rise,
    nothing_is_played_twice,
    shuffles_are_fair,
    partitions_are_served_once,
    games_finish,
    feed_is_the_public_log,
    leaderboard_follows,
    successors_are_one,
    nobody_sits_twice,
    stakes_come_first,
    taler_are_conserved,
    lobby_follows,
    views_converge,
    not_taken_over_early,
    answered_in_time,
    nobody_is_replaced_early,
    clock_accounts_add_up,
)


def findings(evening: Evening) -> dict[str, list[str]]:
    """Give what each checker found, without those that found nothing."""
    found = {checker.__name__: list(checker(evening)) for checker in CHECKERS}
    return {name: each for name, each in found.items() if each}
