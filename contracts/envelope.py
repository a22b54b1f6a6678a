"""What is stored of a fact, and the hash that chains it to the one before."""

from hashlib import sha256

from msgspec import Raw, Struct


class Stored(Struct, frozen=True):
    """The state column of one stored event, as JSON in this order of fields.

    Readers are tolerant of further fields. Hashes and salt are lower-case hexadecimal.
    """

    at: int  # milliseconds since 1970 UTC
    by: str  # pseudonymous player id, or the part of the system that acted
    command_id: str
    digest: str  # of the command, to tell a repeat from another content under the same id
    prev: str  # chain_hash of the preceding event of the stream, "" in the first
    salt: str  # 16 secret random bytes: a hash alone lets nobody try out which card it hides
    data: Raw  # the fact itself


def chain_hash(originator_id: str, version: int, topic: str, state: bytes) -> bytes:
    """Thirty-two bytes that change with every byte of a stored event.

    SHA-256 of four parts in this order: originator_id in UTF-8, version in ASCII decimal digits
    without leading zeros, topic in UTF-8, and state exactly as stored. Before each part stands
    its length in bytes as an unsigned 32-bit big-endian number.
    """
    stream, number, name = originator_id.encode(), b"%d" % version, topic.encode()
    return sha256(
        len(stream).to_bytes(4, "big")
        + stream
        + len(number).to_bytes(4, "big")
        + number
        + len(name).to_bytes(4, "big")
        + name
        + len(state).to_bytes(4, "big")
        + state
    ).digest()
