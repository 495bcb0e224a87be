"""Only our own names, and addresses that can name something.

A page of another host that points here must not be taken for ours (DNS rebinding, poisoned links and caches).
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from grader.web.security.answers import refuse

HEALTH = "/health"
"""What watches the server asks by whatever name it has; the answer holds nothing."""

_NUL = b"%00"
_WRONG_HOST = "this server has another name: whoever runs it sets GRADER_URL to the address that people use."


class HostGuard:
    """Refuses a Host header that is not one of ours (421), and NUL in an address (404, 400).

    No name of ours has a NUL in it, and PostgreSQL takes none.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, or answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).getlist("host")
        ours = len(given) == 1 and given[0].lower() in self._hosts
        if not ours and scope["path"] != HEALTH:
            await refuse(scope, receive, send, status=421, detail=_WRONG_HOST)
        elif "\0" in scope["path"]:
            await refuse(scope, receive, send, status=404)
        elif _NUL in scope["query_string"]:
            await refuse(scope, receive, send, status=400, detail="the address has a NUL in it.")
        else:
            await self._app(scope, receive, send)
