"""What a player's connection to the bus may do; the gateway signs exactly this, nothing else exists.

So a player cannot act for another, nor hear another's seat, answers or prompts, and no service
need ask who has sent a message: the subject says it.

A closing `*` in what may be heard lets a subscription to `>` through as well (nats-server takes that
for a token), so below `watch`, `chat` and a player's views there must never be anything else.
"""

from __future__ import annotations

from typing import Final

from contracts.subjects import (
    LOBBY_CHANGE,
    RESERVED,
    VERBS,
    WATCHERS,
    account,
    inbox,
    leaderboard,
    lobby_list,
    names,
)

PAYLOAD_BYTES_MAX: Final = 16_384
SUBSCRIPTIONS_MAX: Final = 100
"""What a player's connection may send at once, and listen to. nats-server 2.15 does not enforce the
limits of rights that come from a callout (nats-server#5002): the second is set for all in nats.conf,
and every service refuses more than it takes."""
CHAT_VERBS: Final = ("say", "jubel", "aerger", "read", "mute")
PLAYER_VERBS: Final = tuple(verb for verb in VERBS if verb not in RESERVED)


def may_publish(player: str) -> tuple[str, ...]:
    """Give the subjects on which the player may send: his own commands and questions.

    Each of them names him, so that no service answers anywhere but in his inbox.
    """
    commands = tuple(f"cmd.{player}.*.*.{verb}" for verb in PLAYER_VERBS)
    chat = tuple(f"chat.{player}.*.{verb}" for verb in CHAT_VERBS)
    asks = (account(player), lobby_list(player), leaderboard(player, "*"), names(player))
    return (*commands, *chat, *asks)


def may_subscribe(player: str) -> tuple[str, ...]:
    """Give the subjects which the player may hear: his own inbox and seats, and what is public."""
    chat = (f"chatline.{player}.*", f"chatline.{WATCHERS}.*")
    return (f"{inbox(player)}.>", f"view.{player}.*", "watch.*", *chat, LOBBY_CHANGE)
