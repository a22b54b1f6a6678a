"""The same real clusters and played tables as for the ledger."""

from tests.ledger.conftest import bus, database, log_url, news, recorder, table

__all__ = ["bus", "database", "log_url", "news", "recorder", "table"]
