"""Where the running system is: from the environment, or from the data directory of `logbuch up`."""

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

DATABASE_URL = "LOGBUCH_DATABASE_URL"
NATS_URL = "LOGBUCH_NATS_URL"
DATA = "LOGBUCH_DATA"

_LOGIN = re.compile(r"://([^/\s:@]+)(:[^/\s@]*)?@")


class SettingsError(Exception):
    """It is not known where the system is; the message is one line with what to do."""


class Settings(NamedTuple):
    """Addresses of one running system, and the process ids of an embedded one."""

    data: Path
    database_url: str
    nats_url: str
    web_url: str | None = None
    pids: dict[str, int] = {}  # noqa: RUF012 - never changed

    @classmethod
    def load(cls, data: Path | None) -> "Settings":
        """Return the configured clusters, and for what is not configured the running `up`.

        Raises SettingsError when neither says where the system is.
        """
        place = data_dir(data)
        database_url, nats_url = os.environ.get(DATABASE_URL), os.environ.get(NATS_URL)
        run = _running(place)
        if run is None and not (database_url and nats_url):
            raise SettingsError(
                f"no Logbuch is running in {place}: start it with `make up` "
                f"or set {DATABASE_URL} and {NATS_URL}"
            )
        run = run or {}
        return cls(
            data=place,
            database_url=database_url or run["database_url"],
            nats_url=nats_url or run["nats_url"],
            web_url=run.get("web_url"),
            pids=run.get("pids", {}),
        )


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
