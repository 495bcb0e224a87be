"""Bodies: how large, how slow and how deep a request may be, decided while it is read.

JSON and plain forms are small; they are read here whole, so that a slow sender holds no worker thread and
JSON that a parser would choke on is refused in one place. Files are passed on as they come, counted.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader.domain.errors import InvalidInput
from grader.web.errors import Problem
from grader.web.security.answers import Refused, refuse, tell
from grader.web.security.strictjson import require_strict
from grader.web.visitors import API_PREFIX

MIB = 1 << 20
_FORM = "application/x-www-form-urlencoded"
_FILES = "multipart/form-data"
_LONGEST_LENGTH = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """What a request may bring. An upload may take `seconds_per_mib` longer for each MiB it announces."""

    small_bytes: int = MIB
    upload_bytes: int = 64 * MIB
    seconds: float = 30.0
    seconds_per_mib: float = 10.0


class BodyGuard:
    """Refuses bodies that are too large (413), too slow (408) or not plain JSON (400)."""

    def __init__(self, app: ASGIApp, *, limits: BodyLimits | None = None) -> None:
        self._app = app
        self._limits = limits or BodyLimits()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on with a body that keeps to the limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        files = kind == _FILES and ("cookie" in headers or "authorization" in headers)
        most = self._limits.upload_bytes if files else self._limits.small_bytes
        announced = _announced(headers)
        if announced is not None and (announced < 0 or announced > most):
            await refuse(scope, receive, send, status=413, detail=_too_large(most))
            return
        metered = _Metered(receive, most=most, seconds=self._seconds(announced, files=files))
        if kind == _FILES:
            await self._app(scope, metered, send)
            return
        if not announced and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        if scope["path"].startswith(API_PREFIX) and not _is_json(kind):
            # Forms and plain text are what another site's page could send without asking.
            await refuse(scope, receive, send, status=415)
            return
        await self._whole(scope, receive, send, metered=metered, kind=kind)

    async def _whole(
        self, scope: Scope, receive: Receive, send: Send, *, metered: _Metered, kind: str
    ) -> None:
        try:
            body = await _read_all(metered)
            if body and _is_json(kind):
                require_strict(body)
        except Refused as error:
            await refuse(scope, receive, send, status=error.status_code, detail=error.detail)
            return
        except InvalidInput as error:
            await tell(scope, receive, send, _as_bad_request(str(error)))
            return
        if body is not None:
            await self._app(scope, _replayed(body, receive), send)

    def _seconds(self, announced: int | None, *, files: bool) -> float:
        if not files:
            return self._limits.seconds
        size = self._limits.upload_bytes if announced is None else announced
        return self._limits.seconds + self._limits.seconds_per_mib * size / MIB


class _Metered:
    """A `receive` that counts bytes and watches the clock until the body has ended."""

    def __init__(self, receive: Receive, *, most: int, seconds: float) -> None:
        self._receive = receive
        self._most = most
        self._seconds = seconds
        self._deadline = asyncio.get_running_loop().time() + seconds
        self._got = 0
        self._ended = False

    async def __call__(self) -> Message:
        if self._ended:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError as error:
            raise Refused(
                408, f"the request did not arrive within {self._seconds:.0f} seconds. Nothing was stored."
            ) from error
        self._got += len(message.get("body", b""))
        if self._got > self._most:
            raise Refused(413, _too_large(self._most))
        self._ended = not message.get("more_body", False)
        return message


async def _read_all(receive: Receive) -> bytes | None:
    """The whole body; None where the sender has gone."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body at once, and then whatever still comes."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _is_json(kind: str) -> bool:
    return kind == "application/json" or kind.endswith("+json")


def _announced(headers: Headers) -> int | None:
    """The body's length by its header; -1 where that is no length."""
    text = headers.get("content-length")
    if text is None:
        return None
    return int(text) if text.isascii() and text.isdigit() and len(text) < _LONGEST_LENGTH else -1


def _too_large(most: int) -> str:
    return f"the request is larger than {most // MIB:,} MiB, which is the most this address takes."


def _as_bad_request(message: str) -> Problem:
    return Problem(status=400, code="invalid_json", message=message)
