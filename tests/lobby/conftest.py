"""The same real clusters and played tables as for the ledger."""

from tests.ledger.conftest import bus, database, news, table

__all__ = ["bus", "database", "news", "table"]
