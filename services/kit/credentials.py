"""With which passwords and keys the services and the commands work."""

from pathlib import Path

import msgspec
from msgspec import Struct


class NoCredentials(Exception):
    """The file of secrets is missing or not readable; the message is one line with what to do."""


class Credentials(Struct, frozen=True):
    """The secrets of one installation.

    `passwords` of the users of the bus, by user. `issuer` and `tickets` are seeds of the keys
    (nkeys) that sign rights and tickets; only the gateway needs them.
    """

    passwords: dict[str, str]
    issuer: str = ""
    tickets: str = ""

    def __repr__(self) -> str:
        """Show nothing: this lands in logs and tracebacks."""
        return "Credentials(***)"

    def login(self, user: str) -> dict[str, str]:
        """Give what `nats_bus.connect` takes; raises NoCredentials for a user without password."""
        if user not in self.passwords:
            raise NoCredentials(f"the file of secrets has no password for the user {user!r}")
        return {"user": user, "password": self.passwords[user]}


def load(path: Path) -> Credentials:
    """Read a file of secrets; raises NoCredentials."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Credentials)
    except OSError as error:
        reason = f"cannot be read ({error.strerror})"
    except msgspec.DecodeError:
        reason = "is no file of secrets"
    raise NoCredentials(
        f"{path} {reason}: set LOGBUCH_SECRETS to the file of this cluster's secrets"
    )
