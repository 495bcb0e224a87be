"""Whether the server and its database answer, for whoever watches it."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import text
from starlette.responses import PlainTextResponse

from grader.web.dependencies import Db

router = APIRouter()


@router.get("/health")
def health(database: Db) -> PlainTextResponse:
    """The word "fine", once the database has answered."""
    with database.reading() as session:
        session.execute(text("SELECT 1"))
    return PlainTextResponse("fine\n")
