"""What a player's connection to the bus may do; the gateway signs exactly this, nothing else exists.

So a player cannot act for another, nor hear another's seat, answers or prompts, and no service
need ask who has sent a message: the subject says it.
"""

from __future__ import annotations

from typing import Final

from contracts.subjects import (
    LEADERBOARD,
    LOBBY_CHANGE,
    LOBBY_LIST,
    NAMES,
    RESERVED,
    VERBS,
    WATCHERS,
    account,
    inbox,
)

PAYLOAD_BYTES_MAX: Final = 16_384
SUBSCRIPTIONS_MAX: Final = 100
CHAT_VERBS: Final = ("say", "jubel", "aerger", "read", "mute")
PLAYER_VERBS: Final = tuple(verb for verb in VERBS if verb not in RESERVED)


def may_publish(player: str) -> tuple[str, ...]:
    """Give the subjects on which the player may send: his own commands and questions, and public ones."""
    commands = tuple(f"cmd.{player}.*.*.{verb}" for verb in PLAYER_VERBS)
    own = (*(f"chat.{player}.*.{verb}" for verb in CHAT_VERBS), account(player))
    return (*commands, *own, LOBBY_LIST, LEADERBOARD, NAMES)


def may_subscribe(player: str) -> tuple[str, ...]:
    """Give the subjects which the player may hear: his own inbox and seats, and what is public."""
    chat = (f"chatline.{player}.*", f"chatline.{WATCHERS}.*")
    return (f"{inbox(player)}.>", f"view.{player}.*", "watch.*", *chat, LOBBY_CHANGE)
