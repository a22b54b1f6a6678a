"""What every answer over HTTP has in common: its headers, its counts, its errors; and static files."""

from __future__ import annotations

import time
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import structlog
from aiohttp import web

from contracts.gateway import Trouble
from services.gateway.http import BODY_BYTES_MAX, Parts, Site, refusal_of, told
from services.gateway.metrics import REQUESTS, SECONDS
from services.gateway.problems import Refusal

WEB: Final = Path(__file__).parent / "web" / "dist"
"""The built web client, when there is one."""

log = structlog.get_logger(__name__)
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def application(parts: Parts) -> web.Application:
    """Give the whole site."""
    headers = _headers(parts.socket_url, secure=parts.secure)

    @web.middleware
    async def common(request: web.Request, handler: _Handler) -> web.StreamResponse:
        begun = time.monotonic()
        answer = await _answered(request, handler)
        for name, value in headers.items():
            answer.headers.setdefault(name, value)
        resource = request.match_info.route.resource
        route = "other" if resource is None else resource.canonical
        REQUESTS.labels(route, str(answer.status)).inc()
        SECONDS.labels(route).observe(time.monotonic() - begun)
        return answer

    app = web.Application(middlewares=[common], client_max_size=BODY_BYTES_MAX)
    app.add_routes(Site(parts).routes())
    if WEB.is_dir():
        app.router.add_get("/", _index)
        app.router.add_static("/", WEB)
    return app


async def _index(_request: web.Request) -> web.FileResponse:
    return web.FileResponse(WEB / "index.html", headers={"Cache-Control": "no-cache"})


async def _answered(request: web.Request, handler: _Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except Exception as error:  # noqa: BLE001 - no error leaves as text of an exception
        refusal = refusal_of(error)
        if refusal is None:
            where = traceback.extract_tb(error.__traceback__)[-1]
            log.error(  # noqa: TRY400 - the text may hold a name or worse
                "http_failed",
                error=type(error).__name__,
                where=f"{where.filename}:{where.lineno}",
            )
            refusal = Refusal(Trouble.INTERNAL, "The request could not be answered.")
        return told(refusal)


def _headers(socket_url: str, *, secure: bool) -> dict[str, str]:
    parts = urlsplit(socket_url)
    bus = f" {parts.scheme}://{parts.netloc}" if parts.netloc else ""
    headers = {
        "Content-Security-Policy": (
            f"default-src 'self'; connect-src 'self'{bus}; img-src 'self' data:; "
            "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        ),
        "Server": "logbuch",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    return headers
