"""Answers made of templates, redirects that stay on this site, and a sentence for the next page."""

from __future__ import annotations

import base64
from functools import cache
from urllib.parse import urlsplit

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from grader.domain.text import one_line, printable
from grader.presentation.html import dressed
from grader.services.accounts.secrets import Purpose, derived, equal
from grader.web.assets import asset_url
from grader.web.context import WebContext
from grader.web.moments import moment
from grader.web.prices import price_words
from grader.web.security.cookies import Cookie, clear_cookie, read_cookie, set_cookie
from grader.web.security.forgery import FIELD
from grader.web.visitors import context_of, known_visitor, visitor_of

_FLASH_CHARACTERS = 400
_FLASH_LIFE_S = 60


def page(request: Request, template: str, /, *, status_code: int = 200, **values: object) -> HTMLResponse:
    """A page made from one of our templates.

    Every template may use `actor`, `csrf_token`, `flash`, `seat` (pass the reader's Seat to get the course's
    navigation) and `zone` (the reader's own zone, else the course's, as an IANA name).
    """
    context = context_of(request)
    visitor = visitor_of(request)
    flash = _read_flash(request, context)
    common = {
        "actor": visitor.actor,
        "csrf_token": visitor.csrf_token(context.secret),
        "flash": flash,
        "path": request.url.path,
        "zone": _zone(request, values.get("seat")),
    }
    html = _templates().get_template(template).render({"seat": None, **common, **values})
    response = HTMLResponse(html, status_code=status_code)
    if visitor.new_anchor:
        set_cookie(response, Cookie.VISITOR, visitor.anchor, settings=context.web)
    if flash is not None:
        clear_cookie(response, Cookie.FLASH, settings=context.web)
    return response


def fragment(template: str, /, **values: object) -> HTMLResponse:
    """A part of a page, for HTMX to put in its place; `zone` and whatever else it uses are passed."""
    return HTMLResponse(_templates().get_template(template).render(values))


def render(template: str, /, **values: object) -> str:
    """The text of a template that needs no request: of a stream, or of a page about an error."""
    return _templates().get_template(template).render(values)


def see_other(path: str, *, request: Request | None = None, flash: str = "") -> RedirectResponse:
    """Go on to another page of ours, after a form; `flash`, which needs the request, is a sentence for it."""
    response = RedirectResponse(local_path(path), status_code=303)
    if flash:
        if request is None:
            raise TypeError("a flash needs the request it answers")
        context = context_of(request)
        value = _signed(context.secret, one_line(flash, _FLASH_CHARACTERS))
        set_cookie(response, Cookie.FLASH, value, settings=context.web, max_age_s=_FLASH_LIFE_S)
    return response


def local_path(path: str | None, *, otherwise: str = "/") -> str:
    r"""The path, if it leads to a page of this site and nowhere else.

    >>> local_path("/courses?x=1"), local_path("//evil.example"), local_path("/\\evil.example")
    ('/courses?x=1', '/', '/')
    """
    if not path or not path.startswith("/") or path.startswith("//"):
        return otherwise
    # Browsers read a backslash as a slash, and leave out blanks and control characters before they look.
    if "\\" in path or not path.isprintable() or " " in path:
        return otherwise
    try:
        parts = urlsplit(path)
    except ValueError:
        return otherwise
    return path if not parts.scheme and not parts.netloc else otherwise


def sentence(text: str) -> str:
    """A message of ours as it stands alone: errors begin in small letters, to fit into others.

    >>> sentence("the form is too old.")
    'The form is too old.'
    """
    return text[:1].upper() + text[1:]


def _zone(request: Request, seat: object) -> str:
    visitor = known_visitor(request)
    if visitor is not None and visitor.actor is not None and visitor.actor.timezone:
        return visitor.actor.timezone
    return str(getattr(seat, "timezone", "UTC"))


def _signed(secret: bytes, text: str) -> str:
    payload = base64.urlsafe_b64encode(text.encode("utf-8")).decode("ascii")
    return f"{payload}.{derived(secret, Purpose.FLASH, payload)}"


def _read_flash(request: Request, context: WebContext) -> str | None:
    value = read_cookie(request, Cookie.FLASH, context.web)
    if value is None:
        return None
    payload, _, signature = value.partition(".")
    if not equal(signature, derived(context.secret, Purpose.FLASH, payload)):
        return None
    return base64.urlsafe_b64decode(payload).decode("utf-8")


@cache
def _templates() -> Environment:
    # Ours come first: reports, whose templates lie beside, extend our base.html here.
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("grader.web"), PackageLoader("grader.presentation")]),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    environment.filters |= {"moment": moment, "price_words": price_words, "sentence": sentence}
    environment.globals |= {"asset_url": asset_url, "csrf_field": FIELD}
    return dressed(environment)


def _harmless(value: object) -> object:
    """What a template shows, with nothing in it that turns text round or acts on a terminal.

    Escaping keeps markup from acting; this is for the rest, wherever a template forgot it.
    """
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return printable(value)
