"""What the gateway counts, for Prometheus."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

REGISTRY: Final = CollectorRegistry()
ADMISSIONS: Final = Counter(
    "logbuch_gateway_admissions", "Clients at the door of the bus", ["outcome"], registry=REGISTRY
)
ENDED: Final = Counter(
    "logbuch_gateway_connections_ended",
    "Connections that a newer one of the same player has replaced, or a logout",
    registry=REGISTRY,
)
REQUESTS: Final = Counter(
    "logbuch_gateway_http_requests", "HTTP requests", ["route", "status"], registry=REGISTRY
)
SECONDS: Final = Histogram(
    "logbuch_gateway_http_seconds", "Time to the answer", ["route"], registry=REGISTRY
)
