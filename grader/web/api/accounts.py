"""Who I am, and my tokens."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter

from grader.web.api.schemas import Answer
from grader.web.dependencies import CurrentActor

router = APIRouter(tags=["account"])


class Me(Answer):
    """The person whose token or session it is."""

    user_id: UUID
    login: str
    name: str
    timezone: str | None
    may_create_courses: bool


@router.get("/me")
def me(actor: CurrentActor) -> Me:
    """Who I am."""
    return Me.model_validate(actor)
