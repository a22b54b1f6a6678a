"""Computes a read model anew from the whole log, beside the living one, and compares the two."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from services.kit.follow import Link, ReadModel, checkpoint, log_end, read
from services.kit.publish import topics_of
from services.kit.store.database import TROUBLE, connect, unavailable

Text = Callable[[Link], Awaitable[bytes]]
"""Gives a read model's whole content in canonical form; names tables unqualified."""


class Outcome(NamedTuple):
    """Both contents at the same log position, in canonical form."""

    position: int
    living: bytes
    computed: bytes

    @property
    def equal(self) -> bool:
        """Whether the living read model is byte-equal to the one computed anew."""
        return self.living == self.computed


async def rebuild(database_url: str, model: ReadModel, text: Text, *, swap: bool) -> Outcome:
    """Compute the read model anew; with `swap` what was computed takes the place of what was there.

    The service may run meanwhile: it is held up only for the last facts and the swap. Raises
    StoreUnavailable and Undecodable; then nothing has changed.
    """
    wanted = topics_of(model.facts)
    link = await connect(database_url, "rebuild")  # its end takes the temporary tables with it
    try:
        for table in model.tables:
            # A temporary table comes before one of the same name in the schema, so the code that
            # keeps the living read model writes the shadow here.
            await link.execute(f"CREATE TEMPORARY TABLE {table} (LIKE {table} INCLUDING ALL)")
        upto = min(await checkpoint(link, model.name), await log_end(link))
        await _catch_up(link, model, wanted, 0, upto)
        async with link.transaction():
            end = min(await checkpoint(link, model.name, lock=True), await log_end(link))
            await _catch_up(link, model, wanted, upto, end)
            computed = await text(link)
            await link.execute("SET LOCAL search_path TO public, pg_temp")
            living = await text(link)
            if swap:
                # Back, too, when the log was restored to an earlier state.
                await link.execute(
                    "UPDATE projections SET position = $2 WHERE name = $1", model.name, end
                )
                for table in model.tables:
                    await link.execute(f"DELETE FROM public.{table}")  # noqa: S608 - our own names
                    await link.execute(f"INSERT INTO public.{table} TABLE pg_temp.{table}")
        return Outcome(end, living, computed)
    except TROUBLE as error:
        raise unavailable(error) from error
    finally:
        link.terminate()


async def _catch_up(
    link: Link, model: ReadModel, wanted: Sequence[str], at: int, upto: int
) -> None:
    """Apply the facts after `at` up to `upto` to the shadow, telling nobody."""
    while at < upto:
        window = await read(link, wanted, at, upto)
        if window.facts:
            await model.apply(link, window.facts)
        at = window.position
