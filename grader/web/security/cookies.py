"""Our cookies: which there are, and the attributes they all have."""

from __future__ import annotations

from enum import StrEnum

from starlette.requests import Request
from starlette.responses import Response

from grader.services.websettings import WebSettings


class Cookie(StrEnum):
    """Every cookie of ours."""

    SESSION = "grader-session"
    VISITOR = "grader-visitor"
    """Random, for who is not logged in: forms are bound to it as they are bound to a session later."""
    FLASH = "grader-flash"
    DEVICE = "grader-device"
    """By which an account knows this browser again; it stays after logging out and lets nobody in."""
    SINGLE_SIGN_ON = "grader-sso"


def cookie_name(cookie: Cookie, settings: WebSettings) -> str:
    """With TLS the prefix makes browsers refuse a cookie that a neighbouring host or plain HTTP has set."""
    return f"__Host-{cookie.value}" if settings.secure else cookie.value


def read_cookie(request: Request, cookie: Cookie, settings: WebSettings) -> str | None:
    """What the browser sent of ours."""
    return request.cookies.get(cookie_name(cookie, settings)) or None


def set_cookie(
    response: Response, cookie: Cookie, value: str, *, settings: WebSettings, max_age_s: int | None = None
) -> None:
    """Give the browser a cookie that scripts cannot read and other sites' forms do not send."""
    response.set_cookie(
        cookie_name(cookie, settings),
        value,
        max_age=max_age_s,
        path="/",
        secure=settings.secure,
        httponly=True,
        samesite="lax",
    )


def clear_cookie(response: Response, cookie: Cookie, *, settings: WebSettings) -> None:
    """Take a cookie back."""
    response.delete_cookie(
        cookie_name(cookie, settings), path="/", secure=settings.secure, httponly=True, samesite="lax"
    )
