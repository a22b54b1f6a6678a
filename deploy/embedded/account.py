"""Whom a child process runs as.

PostgreSQL refuses to run as root, so root starts it under an unprivileged account. That account
must be able to reach the binaries and the data, which a clone under `/root` is not.
"""

import os
import pwd
import stat
from pathlib import Path
from typing import NamedTuple


class Account(NamedTuple):
    """An account of this machine, by number: names can be renamed, files keep numbers."""

    uid: int
    gid: int
    name: str

    def reaches(self, path: Path) -> bool:
        """Tell whether this account may enter or read `path` and enter every folder above it."""
        return self.barrier(path) is None

    def barrier(self, path: Path) -> Path | None:
        """The outermost part of `path` that is closed to this account, None when there is none."""
        whole = path.resolve()
        for part in (*reversed(whole.parents), whole):
            state = part.stat()
            needed = stat.S_IXOTH if stat.S_ISDIR(state.st_mode) else (stat.S_IROTH | stat.S_IXOTH)
            if state.st_uid == self.uid:
                needed <<= 6
            elif state.st_gid == self.gid:
                needed <<= 3
            if state.st_mode & needed != needed:
                return part
        return None

    def own(self, path: Path) -> None:
        """Give `path` to this account."""
        os.chown(path, self.uid, self.gid)

    def become(self) -> None:
        """Drop this process to the account for good; for use between fork and exec."""
        os.setgroups([])
        os.setgid(self.gid)
        os.setuid(self.uid)


def unprivileged() -> Account | None:
    """Whom PostgreSQL must run as: None as a user, `postgres` or `nobody` as root."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("postgres")
    except KeyError:
        entry = pwd.getpwnam("nobody")
    return Account(entry.pw_uid, entry.pw_gid, entry.pw_name)
