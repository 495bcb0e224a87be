"""Logging in without a browser: a name and a password for a token."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import Field

from grader.services.accounts.logging_in import Credentials
from grader.services.accounts.token_login import token_for_password
from grader.services.accounts.tokens import MOST_DAYS
from grader.web.api.accounts import TokenMade
from grader.web.api.schemas import Body
from grader.web.dependencies import Db, Web
from grader.web.security.logins import address_of, agent_of, device_of

router = APIRouter(tags=["accounts"])


class LogIn(Body):
    """Who I am, and the token that I want: what it is called, and how many days it lives."""

    login: str = Field(min_length=1, max_length=1000, description="My login or e-mail address.")
    password: str = Field(min_length=1, max_length=4096)
    name: str = Field(min_length=1, max_length=1000)
    days: int = Field(ge=1, le=MOST_DAYS)


@router.post("/tokens", status_code=201)
def log_in(request: Request, database: Db, web: Web, body: LogIn) -> TokenMade:
    """Make a token for whoever knows the password. Failed tries count as those of the log-in page do."""
    given = Credentials(
        name=body.login,
        password=body.password,
        address=address_of(request),
        user_agent=agent_of(request),
        device=device_of(request),
    )
    made = token_for_password(
        database, given, name=body.name, days=body.days, settings=web.web, secret=web.secret
    )
    return TokenMade.model_validate(made)
