"""Files that a browser saves and never shows: whatever they hold, it does not act on this site."""

from __future__ import annotations

import errno
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import IO
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from grader.domain.errors import ServiceUnavailable
from grader.domain.text import one_line

_UNSAFE = re.compile(r"[^A-Za-z0-9._ -]")
_LONGEST = 120
_PIECE_BYTES = 1 << 16
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def attachment(data: bytes, *, name: str, media_type: str = "text/plain; charset=utf-8") -> Response:
    """The bytes as a download under that name, which may be anybody's text."""
    return Response(data, media_type=media_type, headers=_headers(name))


def written(write: Callable[[IO[bytes]], str], *, media_type: str) -> Response:
    """What `write` puts into a file, as a download under the name that it returns.

    A temporary file holds all of it before the first byte is sent: what goes wrong is told as any error is,
    and nobody with a slow connection keeps the database waiting. It is never whole in memory.
    """
    with ExitStack() as undo:
        try:
            file = undo.enter_context(tempfile.TemporaryFile(prefix="grader-download-"))
            name = write(file)
            file.flush()
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            raise ServiceUnavailable(
                "the server has no room to make this file. Ask whoever runs it to free some, or to name a "
                "larger folder in TMPDIR."
            ) from error
        undo.pop_all()
    return _FileResponse(file, media_type=media_type, headers=_headers(name))


class _FileResponse(StreamingResponse):
    """Sends an open file piece by piece, and closes it also where nobody reads to the end."""

    def __init__(self, file: IO[bytes], *, media_type: str, headers: dict[str, str]) -> None:
        length = str(file.seek(0, 2))
        file.seek(0)
        super().__init__(_pieces(file), media_type=media_type, headers={**headers, "content-length": length})
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(_PIECE_BYTES):
        yield piece


def _headers(name: str) -> dict[str, str]:
    """Those of a download under that name (RFC 6266)."""
    shown = one_line(name.replace("/", "_").replace("\\", "_"), _LONGEST)
    plain = _UNSAFE.sub("_", shown).lstrip(". ") or "file"
    encoded = quote(shown, safe="", errors="replace")
    return {
        "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}",
        "x-content-type-options": "nosniff",
    }
