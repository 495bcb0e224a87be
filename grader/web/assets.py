"""Style sheets and scripts, held in memory and addressed by content: browsers may keep them for ever."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import Response

from grader.domain.errors import NotFound

_SOURCES = {
    "report.css": ("grader.presentation", "static/report.css"),
    "site.css": ("grader.web", "static/site.css"),
    "instructor.css": ("grader.web", "static/instructor.css"),
    "review.css": ("grader.web", "static/review.css"),
    "review.js": ("grader.web", "static/review.js"),
    "app.js": ("grader.web", "static/app.js"),
    "htmx.js": ("grader.web", "static/vendor/htmx.min.js"),
    "sse.js": ("grader.web", "static/vendor/sse.min.js"),
    "icon.svg": ("grader.web", "static/icon.svg"),
}
"""Name in an address, and the package and path it is read from."""

_FOR_EVER = "public, max-age=31536000, immutable"
_DIGITS = 16

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One file as it is served."""

    path: str
    media_type: str
    body: bytes
    packed: bytes


@cache
def assets() -> Mapping[str, Asset]:
    """Every asset by its name."""
    return {name: _read(name, *where) for name, where in _SOURCES.items()}


def asset_url(name: str) -> str:
    """The address of an asset; another content has another address."""
    return assets()[name].path


@router.get("/static/{digest}/{name}")
def asset(request: Request, digest: str, name: str) -> Response:
    """One asset, as it is or packed."""
    found = assets().get(name)
    if found is None or found.path != f"/static/{digest}/{name}":
        raise NotFound("file", name)
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"cache-control": _FOR_EVER, "vary": "accept-encoding"}
    if packed:
        headers["content-encoding"] = "gzip"
    return Response(found.packed if packed else found.body, media_type=found.media_type, headers=headers)


def _read(name: str, package: str, path: str) -> Asset:
    body = files(package).joinpath(path).read_bytes()
    digest = hashlib.sha256(body).hexdigest()[:_DIGITS]
    return Asset(
        path=f"/static/{digest}/{name}",
        media_type=mimetypes.guess_type(name)[0] or "application/octet-stream",
        body=body,
        packed=gzip.compress(body, mtime=0),
    )
