"""What people say to each other is in no log, no table of the database and nobody else's message."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import LiteralString

import msgspec
import psycopg
from psycopg import sql

from contracts import subjects
from contracts.chat import Said, decode_chat
from contracts.replies import Rejected
from contracts.subjects import inbox
from domain.table.events import TableRules
from services.kit import nats_bus
from services.kit.bus import Message
from services.kit.client import PlayerClient
from services.kit.settings import Settings
from services.ops.players import door
from tests.system.conftest import System

SAID = "Kanarienvogel im Schacht"
REFUSED = "Kanarienvogel\nmit Umbruch"
TABLES: LiteralString = (
    "SELECT table_schema, table_name FROM information_schema.tables"
    " WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')"
)


def in_database(url: str, text: str) -> list[str]:
    """The tables of which a row holds the text, as it is or in bytes."""
    found = []
    patterns = [f"%{text}%", f"%{text.encode().hex()}%"]
    with psycopg.connect(url) as link:
        for schema, name in link.execute(TABLES).fetchall():
            query = sql.SQL("SELECT count(*) FROM {} AS t WHERE t::text LIKE ANY (%s)")
            row = link.execute(query.format(sql.Identifier(schema, name)), [patterns]).fetchone()
            found += [name] if row and row[0] else []
    return found


def in_files(folder: Path, text: str) -> list[str]:
    """The logs of the services and of the clusters that hold the text."""
    logs = [path for path in folder.rglob("*.log") if path.is_file()]
    return [path.name for path in logs if text.encode() in path.read_bytes()]


async def test_chat_is_nowhere_but_in_the_chat(system: System) -> None:
    settings = Settings.load(system.data)
    heard: list[Message] = []
    login = settings.login("canary")
    spy = await nats_bus.connect(settings.nats_url, "spy", inbox("canary"), lambda: None, **login)
    await spy.subscribe(">", heard.append)
    async with door(settings) as opened:
        bus = await opened.connect("p_test_anna")
        async with PlayerClient(bus, "p_test_anna") as anna:
            table = (await anna.open("speeddive", TableRules(places=2, thinking_s=0))).table
            await anna.start(table)
        answers = []
        for number, text in enumerate((SAID, REFUSED, SAID)):
            data = msgspec.json.encode({"command_id": f"chat-command-{number}", "text": text})
            subject = subjects.chat("p_test_anna", table, "say")
            answers.append(decode_chat(await bus.request(subject, data, 10)))
    await spy.close()

    assert [type(each) for each in answers] == [Said, Rejected, Rejected], answers
    assert all("Kanarienvogel" not in str(each) for each in answers[1:])
    about = {message.subject for message in heard if b"Kanarienvogel" in message.data}
    allowed = {
        subjects.chat_lines(table),
        subjects.chat("p_test_anna", table, "say"),
        subjects.chat_line("p_test_anna", table),
        subjects.chat_line(subjects.WATCHERS, table),
    }
    others = {each for each in about if not each.startswith(inbox("p_test_anna"))}
    assert allowed == others
    url = settings.database_url
    assert "stored_events" in await asyncio.to_thread(in_database, url, "TableOpened")
    assert await asyncio.to_thread(in_database, url, "Kanarienvogel") == []
    assert "lobby.log" in in_files(system.data, "service_started")
    assert in_files(system.data, "Kanarienvogel") == []
