"""What a browser keeps while it is away at a log-in provider: signed, short-lived, its own."""

from __future__ import annotations

import base64
import json
import time
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from grader.services.accounts.oidc import Question
from grader.services.accounts.secrets import Purpose, derived, equal
from grader.web.context import WebContext
from grader.web.security.cookies import Cookie, clear_cookie, read_cookie, set_cookie

_LIFE_S = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """The question sent to the provider, and the page that was wanted."""

    question: Question
    wanted: str


def remember_journey(response: Response, journey: Journey, *, context: WebContext) -> None:
    """Let the browser keep it."""
    question = journey.question
    value = [question.state, question.nonce, question.verifier, journey.wanted, int(time.time()) + _LIFE_S]
    payload = base64.urlsafe_b64encode(json.dumps(value).encode("ascii")).decode("ascii")
    signed = f"{payload}.{derived(context.secret, Purpose.SINGLE_SIGN_ON, payload)}"
    set_cookie(response, Cookie.SINGLE_SIGN_ON, signed, settings=context.web, max_age_s=_LIFE_S)


def read_journey(request: Request, *, state: str, context: WebContext) -> Journey | None:
    """What this browser set out with; None where it did not, too long ago, or with another state."""
    cookie = read_cookie(request, Cookie.SINGLE_SIGN_ON, context.web) or ""
    payload, _, signature = cookie.partition(".")
    if not equal(signature, derived(context.secret, Purpose.SINGLE_SIGN_ON, payload)):
        return None
    kept, nonce, verifier, wanted, ends_at = json.loads(base64.urlsafe_b64decode(payload))
    if time.time() > ends_at or not equal(state, kept):
        return None
    return Journey(question=Question(state=kept, nonce=nonce, verifier=verifier), wanted=wanted)


def clear_journey(response: Response, *, context: WebContext) -> None:
    """The journey is over; its answer works once."""
    clear_cookie(response, Cookie.SINGLE_SIGN_ON, settings=context.web)
