"""The outermost layer: numbers each request, adds protective headers, leaves no failure unanswered."""

from __future__ import annotations

import logging
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader.web.errors import our_fault
from grader.web.security.answers import tell

log = logging.getLogger(__name__)

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)

_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_TLS_ONLY = "max-age=31536000"


class Boundary:
    """What every answer has, whatever made it."""

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        self._app = app
        self._secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on; answer 500 and log where something escapes."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        number = uuid4().hex[:12]
        scope.setdefault("state", {})["request_id"] = number
        begun = False

        async def dressed(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                self._dress(MutableHeaders(scope=message), number)
            await send(message)

        try:
            await self._app(scope, receive, dressed)
        except Exception:  # the process boundary: log, answer, go on serving
            log.exception("request %s failed: %s %s", number, scope["method"], scope["path"])
            if begun:
                raise  # a half-sent answer can only be cut off
            await tell(scope, receive, dressed, our_fault())

    def _dress(self, headers: MutableHeaders, number: str) -> None:
        for name, value in _HEADERS.items():
            headers.setdefault(name, value)
        headers.setdefault("cache-control", "no-store")
        headers["x-request-id"] = number
        if self._secure:
            headers.setdefault("strict-transport-security", _TLS_ONLY)
