"""Who sends a request: found at most once for each, from its cookie or its token."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request

from grader.domain.errors import NotLoggedIn
from grader.services.access import Actor
from grader.services.accounts.secrets import Purpose, derived, new_secret
from grader.services.accounts.sessions import resume_session
from grader.services.accounts.tokens import resume_token
from grader.web.context import WebContext
from grader.web.security.cookies import Cookie, read_cookie

API_PREFIX = "/api/"
_SCHEME = "bearer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who is there: nobody we know, somebody with a browser (`session_id`), or a script with a token.

    `anchor` is what this browser's forms are bound to, the session's token or the visitor cookie;
    `new_anchor` says that the browser has still to be given it.
    """

    actor: Actor | None = None
    session_id: UUID | None = None
    by_token: bool = False
    anchor: str = ""
    new_anchor: bool = False

    def csrf_token(self, secret: bytes) -> str:
        """What this browser's forms carry, and another site cannot know."""
        return derived(secret, Purpose.CSRF, self.anchor)


def context_of(request: Request) -> WebContext:
    """The server's context."""
    context = request.app.state.context
    if not isinstance(context, WebContext):
        raise TypeError("the application was not made by create_app")
    return context


def for_programs(request: Request) -> bool:
    """Whether the answer goes to a program: it is JSON then, and nobody is sent to a form."""
    return request.url.path.startswith(API_PREFIX)


def visitor_of(request: Request) -> Visitor:
    """Who sent this. NotLoggedIn where a token was given that does not work."""
    known = getattr(request.state, "visitor", None)
    if isinstance(known, Visitor):
        return known
    visitor = _identify(request)
    request.state.visitor = visitor
    return visitor


def known_visitor(request: Request) -> Visitor | None:
    """Who sent this, if somebody has asked before; looks nothing up."""
    known = getattr(request.state, "visitor", None)
    return known if isinstance(known, Visitor) else None


def _identify(request: Request) -> Visitor:
    context = context_of(request)
    header = request.headers.get("authorization")
    if header is not None and for_programs(request):
        return _by_token(context, header)
    if token := read_cookie(request, Cookie.SESSION, context.web):
        found = resume_session(context.database, token=token, settings=context.web)
        if found is not None:
            return Visitor(actor=found.actor, session_id=found.session_id, anchor=token)
    anchor = read_cookie(request, Cookie.VISITOR, context.web)
    return Visitor(anchor=anchor or new_secret(), new_anchor=anchor is None)


def _by_token(context: WebContext, header: str) -> Visitor:
    scheme, _, secret = header.partition(" ")
    actor = resume_token(context.database, secret=secret.strip()) if scheme.lower() == _SCHEME else None
    if actor is None:
        raise NotLoggedIn(
            "the token is not valid: it may have expired or been revoked. Make a new one on your account's "
            "page."
        )
    return Visitor(actor=actor, by_token=True)
