"""What routes ask for by annotation: who is there, the database, the server's context."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from grader.db.database import Database
from grader.domain.errors import NotLoggedIn
from grader.services.access import Actor
from grader.web.context import WebContext
from grader.web.visitors import context_of, visitor_of


def _context(request: Request) -> WebContext:
    return context_of(request)


def _database(request: Request) -> Database:
    return context_of(request).database


def _maybe_actor(request: Request) -> Actor | None:
    return visitor_of(request).actor


def _actor(request: Request) -> Actor:
    actor = visitor_of(request).actor
    if actor is None:
        raise NotLoggedIn("you are not logged in, or have been logged out meanwhile.")
    return actor


Web = Annotated[WebContext, Depends(_context)]
"""The server's settings, secret and links."""

Db = Annotated[Database, Depends(_database)]
"""The database."""

CurrentActor = Annotated[Actor, Depends(_actor)]
"""Who is logged in. A page sends anybody else to the log-in form and back; the API answers 401."""

MaybeActor = Annotated[Actor | None, Depends(_maybe_actor)]
"""Who is logged in, if anybody is."""
