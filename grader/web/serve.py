"""Running the application under uvicorn, in one process or several."""

from __future__ import annotations

import atexit
import logging
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI

from grader.services.settings import Settings, load_settings
from grader.services.websettings import WebSettings
from grader.web.app import create_app
from grader.web.context import open_context
from grader.web.garbage import settle_collector

DEFAULT_PORT = 8000
_FACTORY = "grader.web.serve:application"
_SHUTDOWN_S = 5
"""Streams of progress never end by themselves; browsers come back to the next server."""

_MOST_CONNECTIONS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where to listen, and in how many processes."""

    host: str
    port: int
    processes: int = 1


def application() -> FastAPI:
    """The application of the environment's settings; uvicorn calls this in each of its processes."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s [%(process)d] %(message)s"
    )
    stack = ExitStack()
    atexit.register(stack.close)
    app = create_app(stack.enter_context(open_context(load_settings())))
    settle_collector()
    return app


def serve(settings: Settings, listening: Listening) -> None:
    """Serve until SIGTERM or Ctrl-C."""
    uvicorn.run(
        _FACTORY,
        factory=True,
        host=listening.host,
        port=listening.port,
        workers=listening.processes,
        **options(settings.web),
    )


def options(settings: WebSettings) -> dict[str, Any]:
    """What uvicorn is told, wherever it listens.

    The address of a client is what a proxy says only where the settings name the proxy. Requests are not
    logged: their addresses hold the secrets of invitations.
    """
    return {
        "http": "h11",
        "ws": "none",
        "lifespan": "off",
        "access_log": False,
        "server_header": False,
        "proxy_headers": bool(settings.trusted_proxies),
        "forwarded_allow_ips": ",".join(settings.trusted_proxies),
        "limit_concurrency": _MOST_CONNECTIONS,
        "timeout_graceful_shutdown": _SHUTDOWN_S,
        "log_config": None,
    }


def default_port(settings: Settings) -> int:
    """The port in GRADER_URL where browsers reach us without a proxy, 8000 behind one."""
    parts = urlsplit(settings.web.url)
    return parts.port or DEFAULT_PORT if parts.scheme == "http" else DEFAULT_PORT
