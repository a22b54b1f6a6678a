"""Who is there while the curious player tries."""

from __future__ import annotations

from msgspec import Struct

from contracts.subjects import successor_id


class Scene(Struct, frozen=True):
    """He sits alone at `mine`; `victims` play with hidden hands at `table`.

    `mark` is in what he sends, and in subjects that nobody else uses: so its way can be followed.
    """

    me: str
    mine: str
    victims: tuple[str, str]
    table: str
    mark: str

    @property
    def victim(self) -> str:
        """One of the two."""
        return self.victims[0]

    @property
    def other(self) -> str:
        """The other one."""
        return self.victims[1]

    @property
    def next_table(self) -> str:
        """The table at which the victims would play again."""
        return successor_id(self.table)

    @property
    def no_table(self) -> str:
        """A table that nobody has opened, in the partition of the victims' one."""
        return f"{self.table[:3]}{'c' * 24}"

    def mine_to(self, verb: str) -> str:
        """His own command to his own table."""
        return f"cmd.{self.me}.{self.mine[:2]}.{self.mine}.{verb}"

    def theirs_to(self, verb: str) -> str:
        """His own command to the victims' table."""
        return f"cmd.{self.me}.{self.table[:2]}.{self.table}.{verb}"

    def as_victim(self, verb: str) -> str:
        """A victim's command to the victims' table."""
        return f"cmd.{self.victim}.{self.table[:2]}.{self.table}.{verb}"
