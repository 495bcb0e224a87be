"""The one door to a server: requests with a token, answers as typed values, refusals as our own errors."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Self, TypeVar, cast
from urllib.parse import quote, unquote

import httpx
from pydantic import TypeAdapter, ValidationError

from grader.cli.remote.addresses import on_this_machine
from grader.cli.remote.choosing import Access, required_access
from grader.domain.errors import NotLoggedIn, ServerFailed, ServerRefused
from grader.domain.results import JsonValue
from grader.domain.text import one_line, printable

T = TypeVar("T")

API_ROOT: Final = "/api/v1"
TIMEOUT: Final = httpx.Timeout(60.0, connect=10.0)
PATIENCE_S: Final = 60.0
"""How long in all a reading request waits for a server that says "later"."""

_TRIES: Final = 3
_PAUSE_S: Final = 0.5
_LATER: Final = (429, 503)
_UNAUTHORISED: Final = 401
_SERVERS_FAULT: Final = 500
_FILENAME: Final = re.compile(r"filename\*=UTF-8''([^;]+)")

Upload = tuple[str, bytes]
"""A file's name and content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A server's answer to a request that it accepted."""

    server: str
    data: bytes
    filename: str = ""

    def of(self, kind: type[T]) -> T:
        """The answer as a value of that type; ServerFailed if it is none. Keys we do not know are ignored."""
        try:
            return cast("T", _adapter(cast("Any", kind)).validate_json(self.data))
        except ValidationError as error:
            where = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise _no_sense(self.server, one_line(where, 80)) from error

    @property
    def value(self) -> JsonValue:
        """The answer as plain JSON."""
        try:
            return cast("JsonValue", json.loads(self.data))
        except ValueError as error:
            raise _no_sense(self.server, "no JSON") from error


class Client:
    """A connection to one server. Path segments are quoted here, so any text may be one."""

    def __init__(self, server: str, *, token: str | None = None, timeout: httpx.Timeout = TIMEOUT) -> None:
        self.server = server
        headers = {"user-agent": "grader-cli", "accept": "application/json"}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        # A proxy for the world outside is no way to this machine itself.
        self._http = httpx.Client(headers=headers, timeout=timeout, trust_env=not on_this_machine(server))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, *segments: str, **params: Any) -> Reply:  # noqa: ANN401 - whatever a query can say
        """Ask; waits where the server says "later", and tries again where it could not be reached."""
        wanted = _said(params)
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self._repeated("GET", segments, params=wanted)
            pause = _retry_after_s(answer)
            if answer.status_code not in _LATER or pause is None or time.monotonic() + pause > until:
                return self._reply(answer)
            time.sleep(pause)

    def post(self, *segments: str, body: Mapping[str, Any] | None = None) -> Reply:
        """Have something done, once: an answer that is lost is not asked for again."""
        return self._reply(self._sent("POST", segments, json=body))

    def put(self, *segments: str, body: Mapping[str, Any]) -> Reply:
        """Set something."""
        return self._reply(self._sent("PUT", segments, json=body))

    def patch(self, *segments: str, body: Mapping[str, Any]) -> Reply:
        """Change a part of something."""
        return self._reply(self._sent("PATCH", segments, json=body))

    def delete(self, *segments: str, **params: Any) -> None:  # noqa: ANN401 - whatever a query can say
        """Take something away."""
        self._reply(self._sent("DELETE", segments, params=_said(params)))

    def upload(
        self,
        *segments: str,
        files: Sequence[tuple[str, Upload]],
        form: Mapping[str, str] | None = None,
        params: Mapping[str, Any] | None = None,
        repeatable: bool = False,
    ) -> Reply:
        """Send files, each in a field of a form. `repeatable`: sent twice, it is done once all the same."""
        send = self._repeated if repeatable else self._sent
        wanted = _said(params or {})
        return self._reply(send("POST", segments, files=list(files), data=dict(form or {}), params=wanted))

    def _repeated(self, method: str, segments: Sequence[str], **options: Any) -> httpx.Response:  # noqa: ANN401
        for left in reversed(range(_TRIES)):
            try:
                return self._sent(method, segments, **options)
            except ServerFailed:
                if not left:
                    raise
                time.sleep(_PAUSE_S)
        raise AssertionError

    def _sent(self, method: str, segments: Sequence[str], **options: Any) -> httpx.Response:  # noqa: ANN401
        path = "/".join(quote(segment, safe="") for segment in segments)
        try:
            return self._http.request(method, f"{self.server}{API_ROOT}/{path}", **options)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            what = one_line(str(error) or type(error).__name__, 160)
            raise ServerFailed(
                f"{self.server} cannot be reached ({what}). Check the address and your connection, or try "
                "again later."
            ) from error

    def _reply(self, answer: httpx.Response) -> Reply:
        if answer.is_success:
            found = _FILENAME.search(answer.headers.get("content-disposition", ""))
            name = one_line(unquote(found[1]), 120) if found else ""
            return Reply(server=self.server, data=answer.content, filename=name)
        raise self._refusal(answer)

    def _refusal(self, answer: httpx.Response) -> ServerRefused | ServerFailed | NotLoggedIn:
        if answer.is_redirect:
            where = one_line(answer.headers.get("location", "nowhere"), 120)
            return ServerFailed(f"{self.server} points to {where}. Log in at that address instead.")
        try:
            told = answer.json()["error"]
            message, code = printable(_with_field(told), limit=2000), str(told["code"])
        except (ValueError, KeyError, TypeError):
            return ServerFailed(
                f"{self.server} answered with status {answer.status_code}, and not as a grader does. "
                "Check the address, or try again later."
            )
        remedy = printable(str(told.get("remedy") or ""), limit=500)
        if answer.status_code >= _SERVERS_FAULT:
            number = one_line(str(told.get("request_id", "")), 60)
            return ServerFailed(f"{self.server} failed: {message} {remedy} Number {number}.")
        if answer.status_code == _UNAUTHORISED and "authorization" in self._http.headers:
            return NotLoggedIn(
                f"{self.server} does not take your token: it may have expired or been revoked. Log in again "
                f"with `grader login {self.server}`."
            )
        # Some messages tell the way out themselves.
        return ServerRefused(
            status=answer.status_code,
            code=one_line(code, 80),
            message=message,
            remedy="" if remedy in message else remedy,
        )


@contextmanager
def connected(server: str | None) -> Iterator[Client]:
    """A connection to the server that is meant, as who is logged in there."""
    with client_of(required_access(server)) as client:
        yield client


def client_of(access: Access, *, timeout: httpx.Timeout = TIMEOUT) -> Client:
    """A connection by a token."""
    return Client(access.server, token=access.token, timeout=timeout)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - any type that answers are made of
    return TypeAdapter(kind)


def _with_field(told: Mapping[str, Any]) -> str:
    """An error's words; a page puts them beside the field they are about, we before them."""
    message, fields = str(told["message"]), told.get("fields") or []
    if len(fields) == 1 and message == fields[0]["problem"]:
        return f"{fields[0]['field']}: {message}"
    return message


def _said(params: Mapping[str, Any]) -> dict[str, Any]:
    """A query without what was left out."""
    return {name: value for name, value in params.items() if value is not None}


def _retry_after_s(answer: httpx.Response) -> float | None:
    try:
        return max(0.1, float(answer.headers["retry-after"]))
    except (KeyError, ValueError):
        return None


def _no_sense(server: str, where: str) -> ServerFailed:
    return ServerFailed(
        f"an answer of {server} makes no sense to this version of the grader ({where}). Update it, or use "
        "the pages."
    )
