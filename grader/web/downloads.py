"""Files that a browser saves and never shows: whatever they hold, it does not act on this site."""

from __future__ import annotations

import re
from urllib.parse import quote

from starlette.responses import Response

from grader.domain.text import one_line

_UNSAFE = re.compile(r"[^A-Za-z0-9._ -]")
_LONGEST = 120


def attachment(data: bytes, *, name: str, media_type: str = "text/plain; charset=utf-8") -> Response:
    """The bytes as a download under that name, which may be anybody's text (RFC 6266)."""
    shown = one_line(name.replace("/", "_").replace("\\", "_"), _LONGEST)
    plain = _UNSAFE.sub("_", shown).lstrip(". ") or "file"
    encoded = quote(shown, safe="", errors="replace")
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"
    return Response(
        data,
        media_type=media_type,
        headers={"content-disposition": disposition, "x-content-type-options": "nosniff"},
    )
