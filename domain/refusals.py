"""One refusal type with closed codes; any other exception in the domain is a bug."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """Why a command was refused; clients switch on the code, people read the sentence."""

    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    BAD_TABLE_ID = "bad_table_id"
    WRONG_REPLY = "wrong_reply"
    UNKNOWN_TABLE = "unknown_table"
    COMMAND_REUSED = "command_reused"
    BAD_OPTIONS = "bad_options"
    NOT_GATHERING = "not_gathering"
    GUEST_NO_STAKE = "guest_no_stake"
    STARTING = "starting"
    STAKE_DENIED = "stake_denied"
    SEATED_ELSEWHERE = "seated_elsewhere"
    TABLE_FULL = "table_full"
    SEAT_HELD = "seat_held"
    COMPUTERS_ONLY = "computers_only"
    SOLO_TABLE = "solo_table"
    TOO_FEW_SEATS = "too_few_seats"
    NOT_OPENER = "not_opener"
    NOT_SEATED = "not_seated"
    NOT_YOUR_TURN = "not_your_turn"
    STALE_PROMPT = "stale_prompt"
    NOT_OFFERED = "not_offered"
    NOT_PLAYING = "not_playing"
    NOT_OVER = "not_over"
    NOT_SOLO = "not_solo"
    NO_RAT = "no_rat"
    NO_ADVICE = "no_advice"
    NOT_OFFLINE = "not_offline"
    TOO_EARLY = "too_early"
    NOT_SUSPENDED = "not_suspended"
    TOO_FAST = "too_fast"
    TOO_LONG = "too_long"
    BAD_TEXT = "bad_text"
    FINISHED = "finished"
    SEALED = "sealed"
    SUSPENDED = "suspended"
    BUSY = "busy"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


class Refused(Exception):
    """The command changes nothing; `code` is for programs, `sentence` tells a person what to do."""

    def __init__(self, code: Code, sentence: str, hint: str = "") -> None:
        """Keep the code, the sentence and an id that leads on (a finished table's successor)."""
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.hint = hint
