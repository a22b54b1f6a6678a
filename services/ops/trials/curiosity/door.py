"""Tickets that are not his, or none at all: the server must not let anybody in with them."""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import nkeys

from services.kit.credentials import Credentials
from services.ops.trials.curiosity.scene import Scene

GROUP: Final = "tickets"
REFUSED: Final = ("authorization violation", "maximum control line")
LIVE_S: Final = 3_600


class Attempt(NamedTuple):
    """One attempt to come in: the options of CONNECT, and the path of the WebSocket.

    One of `refused` must stand in the words with which it is over.
    """

    what: str
    options: dict[str, Any]
    path: str = ""
    refused: tuple[str, ...] = REFUSED


class Keys:
    """A key of his own, which nobody has reason to believe; or a true one, for what has ended."""

    def __init__(self, seed: str = "", kind: int = nkeys.PREFIX_BYTE_ACCOUNT) -> None:
        """Take the key of this seed, or a new one of this kind."""
        made = nkeys.encode_seed(secrets.token_bytes(32), kind)
        self._pair = nkeys.from_seed(seed.encode() if seed else made)
        self.public: str = self._pair.public_key.decode().rstrip("=")

    def sign(self, data: bytes) -> bytes:
        """Give the signature."""
        signature: bytes = self._pair.sign(data)
        return signature

    def token(self, claims: dict[str, Any], alg: str = "ed25519-nkey") -> str:
        """Give a signed token as the gateway writes them."""
        whole = {"iss": self.public, "iat": int(time.time()), "jti": "x", **claims}
        said = _packed({"typ": "JWT", "alg": alg}) + b"." + _packed(whole)
        return (said + b"." + _text(self.sign(said))).decode()


def attempts(
    scene: Scene, ticket: str, others: tuple[str, ...], credentials: Credentials
) -> Iterator[Attempt]:
    """Give all attempts; `ticket` is his own good one, `others` are cookies and what else he found."""
    for what, token in (*_damaged(ticket), *_forged(scene, ticket, credentials)):
        yield Attempt(what, {"auth_token": token})
    for other in others:
        yield Attempt("a cookie for a ticket", {"auth_token": other})
    yield from _logins(scene, ticket)
    yield from _keys(scene)
    yield Attempt("without anything", {})
    yield Attempt("a good ticket by another field", {"jwt": ticket})
    yield Attempt("as a leaf node", {"auth_token": "x"}, "/leafnode", ("hung up",))
    yield Attempt("as a device", {"auth_token": "x"}, "/mqtt", ("404",))


def _damaged(ticket: str) -> Iterator[tuple[str, str]]:
    head, said, signature = ticket.split(".")
    yield "an empty ticket", ""
    yield "spaces", "   "
    yield "a ticket without its signature", f"{head}.{said}."
    yield "half a ticket", ticket[: len(ticket) // 2]
    yield "a ticket twice", f"{ticket}.{ticket}"
    for part, text in enumerate((head, said, signature)):
        at = len(text) // 2
        other = "A" if text[at] != "A" else "B"
        parts = [head, said, signature]
        parts[part] = text[:at] + other + text[at + 1 :]
        yield f"another character in part {part + 1}", ".".join(parts)
    yield "a very long ticket", ticket + "x" * 20_000
    yield "another end", ticket + "\u0000"


def _forged(scene: Scene, ticket: str, credentials: Credentials) -> Iterator[tuple[str, str]]:
    mine, true = Keys(), Keys(credentials.tickets)
    said: dict[str, Any] = json.loads(_unpacked(ticket.split(".")[1]))
    victims = {**said, "player": scene.victim, "number": 2**40}
    yield "a victim's ticket, signed by himself", mine.token({**victims, "iss": mine.public})
    yield "signed by himself in the gateway's name", mine.token(victims)
    unsigned = _packed({"typ": "JWT", "alg": "none"}) + b"." + _packed(victims)
    yield "not signed", unsigned.decode() + "."
    yield "by another algorithm", mine.token({**victims, "iss": mine.public}, "HS256")
    yield "his own words, a victim's name", _swapped(ticket, victims)
    yield "his own words, for ever", _swapped(ticket, {**said, "exp": 2**40})
    # These are truly signed, as nobody but the gateway can: what they say must not be enough.
    yield "a true one that has ended", true.token({**said, "exp": int(time.time()) - 1})
    yield "a true one of a victim with his session", true.token(victims)
    yield "a true one for something else", true.token({**said, "aud": "other"})
    for player in ("bot", "table", "ops", "house", "*", ">", f"{scene.me}.>", "P_X", ""):
        yield f"a true one of {player!r}", true.token({**said, "player": player, "session": ""})


def _logins(scene: Scene, ticket: str) -> Iterator[Attempt]:
    users = ("table", "bot", "lobby", "ledger", "gateway", "ops", "canary", "doorkeeper", "sys")
    for user in users:
        for password in ("", user, "password"):
            yield Attempt(f"password {password!r} of {user}", {"user": user, "pass": password})
    for user in ("table", scene.victim):
        yield Attempt(f"his ticket as password of {user}", {"user": user, "pass": ticket})
    yield Attempt("his ticket, and a user", {"user": "table", "pass": "", "auth_token": "x"})


def _keys(scene: Scene) -> Iterator[Attempt]:
    account, user = Keys(), Keys(kind=nkeys.PREFIX_BYTE_USER)
    rights = {"type": "user", "version": 2, "pub": {"allow": [">"]}, "sub": {"allow": [">"]}}
    claims = {"sub": user.public, "name": scene.victim, "aud": "LOGBUCH", "nats": rights}
    signature = _text(user.sign(b"nonce")).decode()
    token = account.token({**claims, "exp": int(time.time()) + LIVE_S})
    yield Attempt("rights that he has written", {"jwt": token, "sig": signature})
    yield Attempt("rights for a ticket", {"auth_token": token})
    yield Attempt("a key of his own", {"nkey": user.public, "sig": signature})
    yield Attempt("a key without signature", {"nkey": user.public})


def _swapped(ticket: str, claims: dict[str, Any]) -> str:
    head, _, signature = ticket.split(".")
    return f"{head}.{_packed(claims).decode()}.{signature}"


def _packed(value: dict[str, Any]) -> bytes:
    return _text(json.dumps(value).encode())


def _text(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _unpacked(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
