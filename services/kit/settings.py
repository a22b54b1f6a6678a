"""Where the running system is: from the environment, or from the data directory of `logbuch up`."""

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from services.kit.credentials import Credentials, NoCredentials, load

DATABASE_URL = "LOGBUCH_DATABASE_URL"
NATS_URL = "LOGBUCH_NATS_URL"
WEB_URL = "LOGBUCH_WEB_URL"
"""Where players find the gateway."""
SOCKET_URL = "LOGBUCH_SOCKET_URL"
"""Where players' clients find the bus, over WebSocket."""
DATA = "LOGBUCH_DATA"
HTTP = "LOGBUCH_HTTP"
"""Where the gateway serves HTTP, as host:port."""
SECRETS = "LOGBUCH_SECRETS"
"""The file of passwords and keys; without it that of the data directory."""

_DATABASE = ("postgresql", "postgres")
_NATS = ("nats", "tls", "ws", "wss")
_LOGIN = re.compile(r"://([^/\s:@]+)(:[^/\s@]*)?@")


class SettingsError(Exception):
    """It is not known where the system is; the message is one line with what to do."""


class Settings(NamedTuple):
    """Addresses of one running system, and the process ids of an embedded one.

    `web_url` is the gateway's, `socket_url` the bus's for browsers; `secrets` the file of passwords
    and keys.
    """

    data: Path
    database_url: str
    nats_url: str
    web_url: str | None = None
    socket_url: str | None = None
    secrets: Path = Path("secrets.json")
    pids: dict[str, int] = {}  # noqa: RUF012 - never changed

    @classmethod
    def load(cls, data: Path | None) -> "Settings":
        """Return the configured clusters, and for what is not configured the running `up`.

        Raises SettingsError when neither says where the system is, or an address is none.
        """
        place = data_dir(data)
        database_url, nats_url = configured()
        run = _running(place)
        if run is None and not (database_url and nats_url):
            raise SettingsError(
                f"no Logbuch is running in {place}: start it with `make up` "
                f"or set {DATABASE_URL} and {NATS_URL}"
            )
        run = run or {}
        kept = None if nats_url else run.get("secrets")
        return cls(
            data=place,
            database_url=database_url or run["database_url"],
            nats_url=nats_url or run["nats_url"],
            web_url=os.environ.get(WEB_URL) or run.get("web_url"),
            socket_url=os.environ.get(SOCKET_URL) or run.get("socket_url"),
            secrets=Path(kept) if kept else secrets_file(place),
            pids=run.get("pids", {}),
        )

    @property
    def credentials(self) -> Credentials:
        """The passwords and keys; raises SettingsError when there are none."""
        try:
            return load(self.secrets)
        except NoCredentials as error:
            raise SettingsError(str(error)) from None

    def login(self, user: str) -> dict[str, Any]:
        """What `nats_bus.connect` takes to be this user; raises SettingsError."""
        try:
            return self.credentials.login(user)
        except NoCredentials as error:
            raise SettingsError(str(error)) from None


def secrets_file(place: Path) -> Path:
    """Where the secrets are: as configured, else in the data directory."""
    chosen = os.environ.get(SECRETS)
    return Path(chosen).absolute() if chosen else place / "secrets.json"


def configured() -> tuple[str | None, str | None]:
    """The addresses of clusters of one's own: database and bus; SettingsError when one is none."""
    return _address(DATABASE_URL, _DATABASE), _address(NATS_URL, _NATS)


def _address(name: str, schemes: tuple[str, ...]) -> str | None:
    url = os.environ.get(name)
    if url and not _is_address(url, schemes):
        # The value is not repeated: it may hold a password, at a place where none is looked for.
        raise SettingsError(f"{name} is no address of the form {schemes[0]}://host:port/...")
    return url or None


def _is_address(url: str, schemes: tuple[str, ...]) -> bool:
    """Tell whether the scheme is known and the hosts, of which there may be several, can be."""
    try:
        parts = urlsplit(url)
        hosts = parts.netloc.rpartition("@")[2].split(",")
        ports = [urlsplit(f"//{host}").port for host in hosts]
    except ValueError:
        return False
    named = parts.netloc != "" or "host=" in parts.query  # PostgreSQL's on a Unix socket
    return parts.scheme in schemes and named and 0 not in ports and not re.search(r"\s", url)


def data_dir(chosen: Path | None) -> Path:
    """Where an installation keeps its data: as chosen, else LOGBUCH_DATA, else the usual place."""
    if chosen is not None:
        return chosen.absolute()
    if value := os.environ.get(DATA):
        return Path(value).absolute()
    if os.geteuid() == 0:
        return Path("/var/lib/logbuch")
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "logbuch"


def _running(place: Path) -> dict[str, Any] | None:
    """What `up` announced, None when it is not running (a killed one leaves its file behind)."""
    try:
        run: dict[str, Any] = json.loads((place / "run.json").read_text())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        raise SettingsError(
            f"{place}/run.json belongs to another user: run this as the user who started Logbuch"
        ) from None
    with suppress(PermissionError):  # alive, under another user
        try:
            os.kill(run["pids"]["up"], 0)
        except ProcessLookupError:
            return None
    return run


def masked(text: str) -> str:
    """The text with the secrets of the URLs in it hidden; a login without a colon is a token."""
    return _LOGIN.sub(lambda login: f"://{login[1]}:***@" if login[2] else "://***@", text)
