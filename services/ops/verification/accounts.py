"""All accounts' logs: each one's hash chain, and that no Taler ever appeared or vanished.

Whether the ledger's rows say the same is `logbuch ledger check`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from contracts import topics
from contracts.subjects import account_stream
from domain.account.recount import Recount
from services.kit.store import chain
from services.ops.verification.source import Snapshot
from services.ops.verification.stream import Finding


class Accounts(NamedTuple):
    """How many accounts and events were checked, and what was found."""

    accounts: int
    events: int
    findings: list[Finding]


async def check_accounts(snapshots: AsyncIterator[Snapshot]) -> Accounts:
    """Check all accounts there are, as of one moment: only together do they add up to zero."""
    books = Recount()
    heads: dict[str, int] = {}
    findings = []
    async for snapshot in snapshots:
        heads[snapshot.table] = len(snapshot.events)
        finding = _check(books, snapshot)
        if finding is not None:
            findings.append(finding)
    if not findings:  # or what is missing there would be named again and again
        findings = list(_of_all(books, heads))
    return Accounts(len(heads), sum(heads.values()), findings)


def _check(books: Recount, snapshot: Snapshot) -> Finding | None:
    name, index, events = snapshot
    stream = account_stream(name)
    if index is None:
        return Finding(stream, 1, "index", "the events have no index row")
    facts: list[Any] = []

    def check(topic: str, data: bytes) -> None:
        facts.append(topics.decode(topic, data))

    found = chain.verify(events, index.head, index.head_hash, check)
    if found is not None:
        return Finding(stream, found.version, found.kind, found.detail)
    for event, fact in zip(events, facts, strict=True):
        books.apply(name, event.originator_version, chain.decode(event).at, fact)
    if name in books.wrong:
        version, why = books.wrong[name]
        return Finding(stream, version, "booking", why)
    if index.kind != "account":
        return Finding(stream, index.head, "index", "the index row has another kind")
    return None


def _of_all(books: Recount, heads: dict[str, int]) -> list[Finding]:
    findings = []
    for name, transaction in sorted(books.unfinished().items()):
        detail = f"the booking of {transaction} is missing, which other accounts have"
        findings.append(Finding(account_stream(name), heads.get(name, 0) + 1, "booking", detail))
    if books.total and not findings:
        detail = f"all accounts together hold {books.total} Taler, not 0"
        findings.append(Finding(account_stream("house"), heads.get("house", 0), "booking", detail))
    return findings
