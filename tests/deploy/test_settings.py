"""Which addresses of clusters are taken from the environment."""

import pytest

from services.kit.settings import DATABASE_URL, NATS_URL, SettingsError, configured

DATABASE = "postgresql://me:secret@127.0.0.1:5432/logbuch"
BUS = "nats://127.0.0.1:4222"


@pytest.mark.parametrize(
    ("database_url", "nats_url"),
    [
        (DATABASE, BUS),
        ("postgres://db.example/logbuch", "tls://token@bus.example"),
        ("postgresql://a:5432,b:5433/logbuch", "nats://a:4222,nats://b:4222"),
        ("postgresql://me@[::1]:5432/logbuch", "nats://[::1]:4222"),
        ("postgresql:///logbuch?host=/run/postgresql", "wss://bus.example/nats"),
    ],
)
def test_addresses_are_taken_as_they_are(
    database_url: str, nats_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATABASE_URL, database_url)
    monkeypatch.setenv(NATS_URL, nats_url)
    assert configured() == (database_url, nats_url)


@pytest.mark.parametrize("url", ["", None])
def test_without_an_address_there_is_none(url: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (DATABASE_URL, NATS_URL):
        if url is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, url)
    assert configured() == (None, None)


@pytest.mark.parametrize(
    ("name", "url"),
    [
        (DATABASE_URL, "127.0.0.1:5432/secret"),
        (DATABASE_URL, "secret"),
        (DATABASE_URL, "mysql://me:secret@127.0.0.1/logbuch"),
        (DATABASE_URL, "postgresql://"),
        (DATABASE_URL, "postgresql:///secret"),
        (DATABASE_URL, "postgresql://me:secret@127.0.0.1:port/logbuch"),
        (DATABASE_URL, "postgresql://me:sec/ret@127.0.0.1/logbuch"),
        (DATABASE_URL, "postgresql://[secret"),
        (NATS_URL, "127.0.0.1:4222"),
        (NATS_URL, "http://127.0.0.1:4222"),
        (NATS_URL, "nats://127.0.0.1:99999"),
        (NATS_URL, "nats://127.0.0.1:4222 secret"),
    ],
)
def test_what_is_no_address_is_one_line(
    name: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATABASE_URL, DATABASE)
    monkeypatch.setenv(NATS_URL, BUS)
    monkeypatch.setenv(name, url)
    with pytest.raises(SettingsError, match=f"^{name} is no address of the form ") as told:
        configured()
    assert "sec" not in str(told.value)
