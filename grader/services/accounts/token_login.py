"""A name and a password for a personal token: how a command line logs in, without a browser."""

from __future__ import annotations

from grader.db.database import Database
from grader.services.accounts.logging_in import Credentials, log_in, wrong_name_or_password
from grader.services.accounts.sessions import end_session, resume_session
from grader.services.accounts.tokens import NewToken, create_token
from grader.services.websettings import WebSettings


def token_for_password(
    database: Database,
    given: Credentials,
    *,
    name: str,
    days: int,
    settings: WebSettings,
    secret: bytes,
) -> NewToken:
    """A new token called `name`, for whoever knows the password.

    NotLoggedIn and TooManyRequests as for a browser's log-in, which it is for a moment: tries are counted
    together, so that neither way in is easier to guess at.
    """
    session = log_in(database, given, settings=settings, secret=secret)
    try:
        found = resume_session(database, token=session, settings=settings)
        if found is None:
            raise wrong_name_or_password()
        return create_token(database, actor=found.actor, name=name, days=days)
    finally:
        end_session(database, token=session)
