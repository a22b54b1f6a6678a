"""Judges every message at the moment it is sent, against the log at that moment.

What is acknowledged or shown must be stored already, views hold what follows from the log for their
receiver and nothing else, and the secrets of running tables are in no message at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeGuard

import msgspec
from msgspec import Raw, Struct

from contracts import subjects
from contracts.commands import BODIES, decode_move, digest
from contracts.envelope import chain_hash
from contracts.replies import Accepted, Advice, Rejected, StoredEvents
from contracts.views import BotPrompt, Feed, NumberedFact, question, table_view
from domain.kernel import asked
from domain.options import admits
from domain.speeddive.state import pile_left
from domain.table.clocks import decided_by
from domain.table.state import persons, seat_of
from domain.table.visibility import seen
from tests.sim.history import ENDED, History, TableLog
from tests.world.capture import Sent

PILE_SHOWN = 10
"""So many undrawn cards in their order are in no message by accident."""
_HEX = re.compile(rb"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
_encode = msgspec.json.Encoder().encode
_plain = msgspec.json.decode


class _Resumed(Struct, frozen=True, tag="resumed"):
    feed: Raw


class _Numbered(Struct, frozen=True):
    number: int


class _Feed(Struct, frozen=True):
    table: str
    version: int
    head: str
    now: int
    facts: tuple[_Numbered, ...] = ()
    view: Raw = Raw(b"")


class _Command(Struct, frozen=True):
    command_id: str


class Asked(Struct, frozen=True):
    """A command as it was sent: two with the same `id` and `digest` are one."""

    player: str
    table: str
    id: str
    digest: str


_reply = msgspec.json.Decoder(Accepted | Rejected | _Resumed | StoredEvents | Advice).decode
_feed = msgspec.json.Decoder(_Feed).decode
_command = msgspec.json.Decoder(_Command).decode


class Witness:
    """Notes in `findings` what must never happen."""

    def __init__(self, history: History) -> None:
        self.findings: list[str] = []
        self.accepted: list[Accepted] = []
        self._history = history
        self._tables: list[str] = []
        self._asked: dict[str, Asked] = {}
        self._answers: dict[Asked, Accepted] = {}
        self._piles: dict[str, tuple[int, tuple[bytes, ...]]] = {}
        self._kinds: dict[str, Callable[[Sent], None]] = {
            "cmd": self._asks,
            "view": self._shows,
            "watch": self._shows,
            "bot": self._prompts,
        }

    def __call__(self, sent: Sent) -> None:
        """Judge a message."""
        try:
            self._judge(sent)
        except Exception as error:  # noqa: BLE001 - a witness must not disturb what it looks at
            self._find(sent, f"cannot be judged: {error!r}")

    def _judge(self, sent: Sent) -> None:
        self._keep_secrets(sent)
        kind = sent.subject.partition(".")[0]
        judge = self._kinds.get(kind)
        if judge is not None:
            judge(sent)
        elif kind == "_INBOX" and sent.sender.startswith("table"):
            self._answers_to(sent)

    def _find(self, sent: Sent, what: str) -> None:
        self.findings.append(f"{sent.sender} {sent.subject} at {sent.at_ms}: {what}")

    # Answers

    def _asks(self, sent: Sent) -> None:
        _, player, _, table, verb = sent.subject.split(".")
        if table not in self._tables and subjects.is_table_id(table):
            self._tables.append(table)
        if verb not in BODIES or not sent.reply:
            return
        try:
            name = _command(sent.data).command_id
        except msgspec.DecodeError:
            return
        self._asked[sent.reply] = Asked(player, table, name, digest(verb, sent.data))

    def _answers_to(self, sent: Sent) -> None:
        reply, question_ = _reply(sent.data), self._asked.get(sent.subject)
        match reply:
            case Accepted():
                self.accepted.append(reply)
                log = self._history.of(reply.table)
                if log.hash(reply.last) != reply.head:
                    self._find(sent, f"fact {reply.last} is acknowledged, but not stored so")
                if _is_repeatable(question_) and reply.first <= reply.last:
                    first = self._answers.setdefault(question_, reply)
                    if first != reply:
                        self._find(sent, f"a repeat gets {reply}, not {first}")
            case Rejected() if question_ in self._answers and reply.outcome_known:
                if not reply.retry:
                    self._find(sent, f"refused as {reply.code} after it was acknowledged")
            case _Resumed():
                assert question_ is not None
                self._judge_feed(sent, _feed(reply.feed), reply.feed, question_.player)
            case Advice():
                assert question_ is not None
                self._judge_advice(sent, question_, reply)
            case StoredEvents():
                log = self._history.of(reply.stream.removeprefix(subjects.stream_of("")))
                self._judge_log(sent, log, reply)

    def _judge_advice(self, sent: Sent, asking: Asked, advice: Advice) -> None:
        """Only what the player's own question admitted is advised; it may be closed by now."""
        log = self._history.of(asking.table)
        seat = seat_of(log.states[advice.prompt], asking.player)
        move = decode_move(log.game, Raw(_encode(advice.move)))
        waits = [log.waiting(n) for n in log.heads if log.states[n].raised == advice.prompt]
        asks = [ask for waiting in waits if waiting is not None for ask in asked(waiting)]
        if not any(ask.seat == seat and admits(ask.options, move) for ask in asks):
            self._find(sent, f"question {advice.prompt} does not admit what is advised")

    def _judge_log(self, sent: Sent, log: TableLog, given: StoredEvents) -> None:
        if not log.ended:
            self._find(sent, "the log of a running table was given away")
        for version, topic, state in given.events:
            if chain_hash(given.stream, version, topic, state.encode()).hex() != log.hash(version):
                self._find(sent, f"event {version} of the log is not as stored")

    # Views

    def _shows(self, sent: Sent) -> None:
        tokens = sent.subject.split(".")
        player = tokens[1] if tokens[0] == "view" else ""
        self._judge_feed(sent, _feed(sent.data), sent.data, player)

    def _judge_feed(self, sent: Sent, feed: _Feed, data: bytes | Raw, player: str) -> None:
        log = self._history.of(feed.table)
        if log.hash(feed.version) != feed.head:
            self._find(sent, f"fact {feed.version} is shown, but not stored so")
            return
        wanted = expected_feed(log, feed, player)
        if _encode(wanted) != bytes(data) and _plain(_encode(wanted)) != _plain(data):
            self._find(sent, f"the feed at {feed.version} is not what {player or 'all'} may see")

    def _prompts(self, sent: Sent) -> None:
        prompt = msgspec.json.decode(sent.data, type=_Prompt)
        log = self._history.of(prompt.table)
        heads = [head for head in log.heads if head >= prompt.question.prompt]
        if not any(sent.data == _encode(_asks_at(log, prompt, head)) for head in reversed(heads)):
            self._find(sent, f"the prompt {prompt.question.prompt} does not follow from the log")
        if sent.subject == subjects.BOT_RAT:
            if prompt.seat not in persons(log.state):
                self._find(sent, f"advice is asked for seat {prompt.seat}, which nobody plays")
            if log.state.rules.stake and len(persons(log.state)) > 1:
                self._find(sent, "advice is asked for where a stake is played for")
        elif log.state.raised == prompt.question.prompt:
            waiting = log.waiting(log.state.version)
            asks = [] if waiting is None else asked(waiting)
            mine = [ask for ask in asks if ask.seat == prompt.seat]
            if not mine or decided_by(log.state, mine[0], sent.at_ms) == "human":
                self._find(sent, f"seat {prompt.seat} is asked through the computer too early")

    # Secrets

    def _keep_secrets(self, sent: Sent) -> None:
        words = None
        for table in self._tables:
            log = self._history.of(table)
            if not log.facts or log.state.phase in ENDED:
                continue
            if log.state.seed.encode() in sent.data:
                self._find(sent, f"the seed of running {table} is in it")
            if any(needle in sent.data for needle in self._pile(log)):
                self._find(sent, f"the pile of running {table} is in it")
            words = set(_HEX.findall(sent.data)) if words is None else words
            if any(word.decode() in log.salts for word in words):
                self._find(sent, f"a salt of running {table} is in it")

    def _pile(self, log: TableLog) -> tuple[bytes, ...]:
        """Give what the undrawn cards look like in JSON, forwards and backwards."""
        known = self._piles.get(log.table)
        if known is not None and known[0] == log.state.version:
            return known[1]
        needles: tuple[bytes, ...] = ()
        if log.state.play is not None:
            left = pile_left(log.state.play)[:PILE_SHOWN]
            if len(left) == PILE_SHOWN:
                needles = (_encode(left)[1:-1], _encode(left[::-1])[1:-1])
        self._piles[log.table] = (log.state.version, needles)
        return needles


def _is_repeatable(question_: Asked | None) -> TypeGuard[Asked]:
    """Whether a repeat gets the same answer; computers are refused, for they only ask again."""
    return question_ is not None and question_.player != subjects.BOT


class _Asked(Struct, frozen=True):
    prompt: int
    part: str = ""


class _Prompt(Struct, frozen=True):
    table: str
    seat: int
    question: _Asked
    strength: str
    deadline: int
    rng_seed: str


def expected_feed(log: TableLog, feed: _Feed, player: str) -> Feed:
    """Give what a receiver may see of the facts and the view that a feed message speaks of."""
    table = log.states[feed.version]
    seat = seat_of(table, player)
    facts = [log.facts[each.number - 1] for each in feed.facts]
    return Feed(
        feed.table,
        feed.version,
        feed.head,
        feed.now,
        tuple(
            NumberedFact(each.version, each.stored.at, each.hash, seen(log.game, each.fact, seat))
            for each in facts
        ),
        None
        if not bytes(feed.view)
        else table_view(log.game, table, log.waiting(feed.version), seat),
    )


def _asks_at(log: TableLog, prompt: _Prompt, version: int) -> BotPrompt | None:
    """Give the prompt as the table after a fact would put it; None when it would not."""
    table = log.states[version]
    waiting = log.waiting(version)
    if waiting is None or table.raised != prompt.question.prompt:
        return None
    for ask in asked(waiting):
        if (ask.seat, ask.part) == (prompt.seat, prompt.question.part):
            return BotPrompt(
                table.table_id,
                table.game,
                ask.seat,
                question(table, table.raised, ask),
                log.game.view(table.play, ask.seat),
                prompt.strength,
                prompt.deadline,
                prompt.rng_seed,
            )
    return None
