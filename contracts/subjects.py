"""The subjects of the bus, and the ids that stand in them.

| subject                                        | who sends | what                               |
|------------------------------------------------|-----------|------------------------------------|
| `cmd.<player>.<partition>.<table>.<verb>`      | player    | command, answered on his inbox     |
| `view.<player>.<table>`                        | table     | `Feed` for this player's seat      |
| `watch.<table>`                                | table     | `Feed` for spectators              |
| `bot.prompt`                                   | table     | `BotPrompt`, only for bot services |
| `bot.rat`                                      | table     | request: `BotPrompt`, `Advised`    |
| `lobby.<player>.list`                          | player    | request: open tables, from lobby   |
| `lobby.change`                                 | lobby     | what has changed about one of them |
| `leaderboard.<player>.<game>`                  | player    | request: the best, from ledger     |
| `account.<player>`                             | player    | request: his Taler, from ledger    |
| `ledger.hold`                                  | table     | request: hold stakes, from ledger  |
| `names.<player>.get`                           | player    | request: names, from gateway       |
| `gateway.ticket`                               | gateway   | request by `ops`: be a test player |
| `chat.<player>.<table>.<verb>`                 | player    | request: chat, from lobby          |
| `chatline.<player>.<table>`                    | lobby     | lines for who may speak there      |
| `chatline.watch.<table>`                       | lobby     | lines for spectators               |
| `chat.<table>`                                 | lobby     | the lines, stream `CHAT`           |
| `log.<game>.<table>`                           | outbox    | public facts, stream `LOGBUCH`     |
| `_INBOX.<owner>.>`                             | all       | answers; the owner alone hears it  |

Who may use what: `rights` for players, deploy/nats.conf for everybody else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256

PARTITIONS = 32
BOT = "bot"
"""The player token of the bot services."""
OPS = "ops"
"""That of operators."""
STREAM = "LOGBUCH"
BOT_PROMPT = "bot.prompt"
BOT_RAT = "bot.rat"
LOBBY_LIST = "lobby.*.list"
LOBBY_CHANGE = "lobby.change"
LEADERBOARD = "leaderboard.*.*"
ACCOUNTS = "account.*"
HOLD = "ledger.hold"
LOG_ALL = "log.>"
CHAT = "chat.*.*.*"
CHAT_STREAM = "CHAT"
CHAT_STREAM_SUBJECTS = ("chat.*",)
WATCHERS = "watch"
"""The token of those who read along: no player's."""
NAMES = "names.*.get"
TICKET = "gateway.ticket"
COMMAND_TOKENS = 5

VERBS = (
    *("open", "join", "start", "leave", "move", "weiter", "turbo", "rat"),
    *("again", "substitute", "resume", "decide", "log", "unsuspend", "void"),
)
RESERVED: Mapping[str, str] = {"decide": BOT, "unsuspend": OPS, "void": OPS}
"""Verbs that are not for players, and whose they are."""

_CLIENT = re.compile(r"[a-z0-9_]{2,40}")
_PLAYER = re.compile(r"[gp]_[a-z0-9_]{1,38}")
_TABLE = re.compile(r"[0-3][0-9]-[0-9a-f]{24}")
_INBOX_REST = re.compile(r"[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){0,3}")


def is_player(token: str) -> bool:
    """Tell whether a token names a player: `p_` or `g_`, then 1 to 38 of a-z, 0-9 and _.

    So nobody plays under the name of a computer, of the house or of a service.
    """
    return _PLAYER.fullmatch(token) is not None


def is_client(token: str) -> bool:
    """Tell whether a token can own an inbox: a player's, a service's or an operator's."""
    return _CLIENT.fullmatch(token) is not None


def is_registered(player: str) -> bool:
    """Tell whether the player has an account; guests' tokens start with `g_`."""
    return not player.startswith("g_")


def is_test(player: str) -> bool:
    """Tell whether the player is one of the simulator's; they may shorten some limits."""
    return player.startswith("p_test_")


def is_table_id(token: str) -> bool:
    """Tell whether a token is a table id: its partition, then 24 hexadecimal digits."""
    return _TABLE.fullmatch(token) is not None and int(token[:2]) < PARTITIONS


def table_id(player: str, command_id: str) -> str:
    r"""Give the id of the table that this player opens with this command.

    SHA-256 of `<player>\n<command_id>`: the first byte modulo 32 is the partition, in two
    decimal digits; the next 12 bytes follow in hexadecimal. So a repeated `open` opens one table.
    """
    digest = sha256(f"{player}\n{command_id}".encode()).digest()
    return f"{digest[0] % PARTITIONS:02d}-{digest[1:13].hex()}"


def successor_id(table: str) -> str:
    r"""Give the id of the table at which the people of this one play again.

    Its partition is the same; then the first 12 bytes of SHA-256 of `<table>\nagain` follow in
    hexadecimal. So however often and by whomever it is wanted, there is one.
    """
    digest = sha256(f"{table}\nagain".encode())
    return f"{table[:2]}-{digest.hexdigest()[:24]}"


def partition_of(table: str) -> int:
    """Give the partition of a valid table id."""
    return int(table[:2])


def stream_of(table: str) -> str:
    """Give the event stream of a table."""
    return f"table-{table}"


def command(player: str, table: str, verb: str) -> str:
    """Give the subject of a player's command to a table."""
    return f"cmd.{player}.{table[:2]}.{table}.{verb}"


def commands_of(partition: int) -> str:
    """Give the pattern of all commands to the tables of a partition."""
    return f"cmd.*.{partition:02d}.*.*"


def view(player: str, table: str) -> str:
    """Give the subject of a player's own feed from a table."""
    return f"view.{player}.{table}"


def watch(table: str) -> str:
    """Give the subject of a table's feed for spectators."""
    return f"watch.{table}"


def lobby_list(player: str) -> str:
    """Give the subject on which a player asks which tables are open.

    Questions name who asks, also those that are answered to everybody alike: a service can only
    tell by the subject in whose inbox the answer belongs.
    """
    return f"lobby.{player}.list"


def leaderboard(player: str, game: str) -> str:
    """Give the subject on which a player asks for the best of a game."""
    return f"leaderboard.{player}.{game}"


def names(player: str) -> str:
    """Give the subject on which a player asks for names of players."""
    return f"names.{player}.get"


def account(player: str) -> str:
    """Give the subject on which a player asks for his Taler."""
    return f"account.{player}"


def seat_stream(player: str) -> str:
    """Give the event stream that tells where a person sits."""
    return f"seat-{player}"


def account_stream(account: str) -> str:
    """Give the event stream of an account: a player's, a pot's or the house's."""
    return f"account-{account}"


def chat(player: str, table: str, verb: str) -> str:
    """Give the subject of a player's request to the chat of a table."""
    return f"chat.{player}.{table}.{verb}"


def chat_line(reader: str, table: str) -> str:
    """Give the subject on which a reader hears the chat of a table: a player, or WATCHERS."""
    return f"chatline.{reader}.{table}"


def chat_lines(table: str) -> str:
    """Give the subject of a table's lines in the stream CHAT."""
    return f"chat.{table}"


def log(game: str, table: str) -> str:
    """Give the subject of a table's public facts in the stream LOGBUCH."""
    return f"log.{game}.{table}"


def inbox(player: str) -> str:
    """Give the prefix of the player's private inbox; answers go nowhere else.

    The owner is a token of its own, so that a right can say "everybody's" and "his alone".
    """
    return f"_INBOX.{player}"


def is_reply_of(player: str, reply: str) -> bool:
    """Tell whether a reply subject lies in the player's own inbox.

    Without this check a player could make a service publish where only the service may.
    """
    prefix = f"{inbox(player)}."
    return reply.startswith(prefix) and _INBOX_REST.fullmatch(reply, len(prefix)) is not None
