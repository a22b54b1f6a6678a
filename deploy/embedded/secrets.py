"""The secrets of one installation: made once, kept in `secrets.json`, readable by its owner alone.

* `passwords`: of every user in nats.conf
* `issuer`: seed of the key that signs players' rights; the server knows the public half
* `tickets`: seed of the key that signs what players log in with
"""

import json
import os
import secrets
from pathlib import Path
from typing import Any, Final

import nkeys

from deploy.embedded.datadir import DataDir
from deploy.embedded.errors import StackError

USERS: Final = (
    "table",
    "bot",
    "lobby",
    "ledger",
    "gateway",
    "ops",
    "canary",
    "analyst",
    "operator",
    "doorkeeper",
)
"""The users that nats.conf lists."""
KEYS: Final = ("issuer", "tickets")
FILE: Final = "secrets.json"


def keep_secrets(data: DataDir) -> Path:
    """The file of a data directory's secrets; what is missing in it is made.

    Raises StackError when it cannot be read or written.
    """
    path = data.path / FILE
    before = _read(path)
    passwords = before.get("passwords", {})
    after = {
        "passwords": {user: passwords.get(user) or secrets.token_hex(16) for user in USERS},
        **{name: before.get(name) or _new_seed() for name in KEYS},
    }
    if after != before:
        data.write(FILE, json.dumps(after, indent=1) + "\n")
    return path


def server_env(path: Path) -> dict[str, str]:
    """What nats.conf takes from the environment, out of a file of secrets."""
    kept = _read(path)
    issuer = nkeys.from_seed(kept["issuer"].encode()).public_key.decode().rstrip("=")
    passwords = {f"LOGBUCH_PASSWORD_{user.upper()}": kept["passwords"][user] for user in USERS}
    values = {"LOGBUCH_ISSUER": issuer, **passwords}
    return {name: json.dumps(value) for name, value in values.items()}


def _new_seed() -> str:
    seed: bytes = nkeys.encode_seed(os.urandom(32), nkeys.PREFIX_BYTE_ACCOUNT)
    return seed.decode()


def _read(path: Path) -> dict[str, Any]:
    try:
        kept: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise StackError(
            f"{path} cannot be read ({type(error).__name__}): restore it, or remove it and "
            "everybody must log in again"
        ) from error
    return kept
