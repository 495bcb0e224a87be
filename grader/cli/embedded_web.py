"""A web server for one machine, which ends with us."""

from __future__ import annotations

import errno
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

from grader.cli.children import Child, child
from grader.cli.embedded import worker_environment
from grader.domain.errors import ConfigurationInvalid, EngineFault
from grader.services.settings import Settings
from grader.services.websettings import DEFAULT_URL
from grader.web.serve import default_port

WEB_LOG = "web.log"
HOST = "127.0.0.1"
_READY_WITHIN_S = 60.0
_PORTS_TRIED = 20
_PATIENCE_S = 8.0


def with_free_address(settings: Settings) -> Settings:
    """The settings with an address that nobody listens at yet.

    An address that somebody chose is theirs to mend where it is taken; the one that nobody chose gives way.
    """
    port = default_port(settings)
    if settings.web.url != DEFAULT_URL:
        if not _free(port):
            raise ConfigurationInvalid(
                "GRADER_URL", f"port {port} is in use.", "Stop what uses it, or choose another."
            )
        return settings
    for candidate in range(port, port + _PORTS_TRIED):
        if _free(candidate):
            return replace(settings, web=replace(settings.web, url=f"http://{HOST}:{candidate}"))
    raise ConfigurationInvalid(
        "GRADER_URL",
        f"the ports {port} to {port + _PORTS_TRIED - 1} are all in use.",
        "Set it to http://127.0.0.1:PORT with a port that is free.",
    )


@contextmanager
def embedded_web(settings: Settings) -> Iterator[Child]:
    """A web server process on this machine alone, until the block ends; it answers when the block begins."""
    port = default_port(settings)
    with child(
        "web server",
        ["web", "--host", HOST, "--port", str(port)],
        log=settings.home / "logs" / WEB_LOG,
        environment={**worker_environment(settings), "GRADER_URL": settings.web.url},
        patience_s=_PATIENCE_S,
    ) as server:
        _wait_until_it_answers(server, settings=settings, port=port)
        yield server


def _wait_until_it_answers(server: Child, *, settings: Settings, port: int) -> None:
    host = urlsplit(settings.web.url).netloc
    request = urllib.request.Request(f"http://{HOST}:{port}/health", headers={"host": host})
    deadline = time.monotonic() + _READY_WITHIN_S
    while True:
        server.require_running()
        try:
            with urllib.request.urlopen(request, timeout=5):  # noqa: S310 - the address is ours
                return
        except (urllib.error.URLError, OSError) as error:
            if time.monotonic() > deadline:
                raise EngineFault(
                    f"the web server did not answer within {_READY_WITHIN_S:g} s (log: {server.log})"
                ) from error
        time.sleep(0.1)


def _free(port: int) -> bool:
    with socket.socket() as probe:
        # As the server does: connections of the one before, long closed, do not keep it from listening.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True
