"""JSON web tokens signed with NATS keys (`ed25519-nkey`): rights for the server, tickets for us."""

from __future__ import annotations

import base64
import binascii
import secrets
import time
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec
import nkeys
from msgspec import Struct
from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey

T = TypeVar("T")
TOKEN_BYTES_MAX: Final = 16_384
_PARTS: Final = 3
_KEY_BYTES: Final = 35  # a byte for the kind, the key, two for its check sum


class BadToken(Exception):
    """The token is none, is altered, or was signed by somebody else."""


class _Header(Struct):
    alg: str


class _Claims(Struct):
    iss: str


class Key:
    """A key that signs; `public` is what others know it by."""

    def __init__(self, seed: str) -> None:
        """Take the key of this seed; raises BadToken when it is none."""
        try:
            self._pair = nkeys.from_seed(seed.encode())
            self.public: str = self._pair.public_key.decode().rstrip("=")
        except (nkeys.NkeysError, ValueError) as error:
            raise BadToken("the seed of a key is none") from error

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Give the token that says this, and that we say it now."""
        whole = {**claims, "iss": self.public, "iat": int(time.time()), "jti": secrets.token_hex(8)}
        said = _HEADER + b"." + _packed(msgspec.json.encode(whole))
        return (said + b"." + _packed(self._pair.sign(said))).decode()


def read(token: str | bytes, kind: type[T], issuer: str | None = None) -> T:
    """Give what a token says, having checked the signature; raises BadToken.

    Without `issuer` the token speaks for whom it names as issuer: the caller must judge him.
    """
    raw = token.encode() if isinstance(token, str) else token
    parts = raw.split(b".")
    if len(parts) != _PARTS or len(raw) > TOKEN_BYTES_MAX:
        raise BadToken("not a token")
    try:
        head, body, signature = (_unpacked(part) for part in parts)
        if msgspec.json.decode(head, type=_Header).alg != "ed25519-nkey":
            raise BadToken("not signed with a NATS key")
        by = msgspec.json.decode(body, type=_Claims).iss
        if issuer is not None and by != issuer:
            raise BadToken("signed by somebody else")
        _verifier(by).verify(parts[0] + b"." + parts[1], signature)
        return msgspec.json.decode(body, type=kind)
    except (binascii.Error, CryptoError, ValueError) as error:  # a DecodeError is a ValueError
        raise BadToken("altered, or no token") from error


def _verifier(public: str) -> VerifyKey:
    raw = base64.b32decode(public + "=" * (-len(public) % 8))
    if len(raw) != _KEY_BYTES:
        raise BadToken("not a public key")
    return VerifyKey(raw[1:33])


def _packed(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _unpacked(data: bytes) -> bytes:
    return base64.b64decode(data + b"=" * (-len(data) % 4), altchars=b"-_", validate=True)


_HEADER: Final = _packed(b'{"typ":"JWT","alg":"ed25519-nkey"}')
