"""Only our own names: a page of another host that points here must not be taken for ours."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from grader.web.security.answers import refuse


class HostGuard:
    """Refuses requests whose Host header is not one of ours (DNS rebinding, poisoned links and caches)."""

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, or answer 421."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).getlist("host")
        if len(given) == 1 and given[0].lower() in self._hosts:
            await self._app(scope, receive, send)
            return
        await refuse(
            scope,
            receive,
            send,
            status=421,
            detail="this server does not answer for that host. Whoever runs it sets GRADER_URL to the "
            "address that people use.",
        )
