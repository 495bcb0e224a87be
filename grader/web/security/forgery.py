"""Cross-site request forgery: nothing is changed by a form or script of another site.

A browser's every change must carry a token made from its session (before log-in, from its visitor cookie), as
a form's field or as a header. Other sites can make a browser send our cookie but cannot read a page of
ours, and so do not know the token. An Origin header that names another site, be it ours without
TLS, is refused whatever it carries.
"""

from __future__ import annotations

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from grader.domain.errors import InvalidInput, NotAllowed
from grader.services.accounts.secrets import equal
from grader.web.visitors import Visitor, context_of, for_programs, visitor_of

FIELD = "csrf_token"
HEADER = "x-csrf-token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


async def refuse_forgery(request: Request) -> None:
    """The guard before every route; NotAllowed where the token is missing or another's."""
    if request.method in SAFE_METHODS:
        return
    visitor = await run_in_threadpool(visitor_of, request)
    if visitor.by_token:
        return  # no browser adds an Authorization header by itself
    _refuse_another_site(request)
    if for_programs(request) and visitor.actor is None:
        return  # nobody to act as: the route says so
    field = await _field(request)
    given = request.headers.get(HEADER) or field
    if not (given and _fits(request, visitor, given)):
        raise NotAllowed(
            "this form is too old, or was not made by this site, so nothing was changed. Load the page "
            "again, and repeat what you did."
        )


def _fits(request: Request, visitor: Visitor, given: str) -> bool:
    return not visitor.new_anchor and equal(given, visitor.csrf_token(context_of(request).secret))


async def _field(request: Request) -> str | None:
    if for_programs(request):
        return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return None
    form = await request.form()
    if any(isinstance(value, str) and "\0" in name + value for name, value in form.multi_items()):
        raise InvalidInput("form", "a field has a NUL in it.", "Leave it out.")
    value = form.get(FIELD)
    return value if isinstance(value, str) else None


def _refuse_another_site(request: Request) -> None:
    origin = request.headers.get("origin")
    # Some browsers say "null" where they mean to keep our address to themselves; the token decides then.
    if origin in (None, "null"):
        return
    scheme, _, host = origin.lower().partition("://")
    if host != request.headers.get("host", "").lower():
        raise NotAllowed("this was sent by a page of another site, so nothing was changed.")
    if scheme != _own_scheme(request):
        raise NotAllowed(
            f"this was sent by a page with {scheme} in its address, which is another site, so nothing was "
            "changed. Whoever runs this server sets GRADER_URL to the address that people use."
        )


def _own_scheme(request: Request) -> str:
    """How pages of ours are reached: anybody on the way can write a page of our host's that is not in TLS.

    Where TLS is configured it is TLS, whatever a proxy forgets to say; elsewhere a trusted proxy says.
    """
    return "https" if context_of(request).web.secure else request.url.scheme
