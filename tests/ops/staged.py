"""The stage on which the curious player is tried, as tests set it."""

from __future__ import annotations

from typing import Any, cast

from contracts.subjects import table_id
from services.ops.trials.curiosity.scene import Scene
from services.ops.trials.curiosity.stage import Stage

ME = "g_eve"
TABLE = table_id("p_anna", "opening-1")
SCENE = Scene(ME, table_id(ME, "opening-2"), ("p_anna", "g_ben"), TABLE, "neugier0123")


def stage(**parts: Any) -> Stage:
    """A stage of which only some parts are there."""
    fields = {**dict.fromkeys(Stage._fields), "scene": SCENE, "everything": [], **parts}
    return Stage(**cast(Any, fields))
