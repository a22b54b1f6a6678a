"""How many Taler people are given stands in the environment."""

from __future__ import annotations

import pytest

from services.kit.settings import SettingsError
from services.ledger.taler import Taler


def test_a_thousand_at_first_and_up_to_a_hundred_a_day() -> None:
    assert Taler.load({}) == Taler(1_000, 100)
    assert Taler.load({"LOGBUCH_TALER_START": "0", "LOGBUCH_TALER_TOPUP": "7"}) == Taler(0, 7)


@pytest.mark.parametrize("text", ["-1", "1.5", "viel", "1000001", "²"])
def test_what_is_no_number_of_taler_is_told(text: str) -> None:
    with pytest.raises(SettingsError, match="LOGBUCH_TALER_TOPUP"):
        Taler.load({"LOGBUCH_TALER_TOPUP": text})
