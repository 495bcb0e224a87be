"""Who I am, my tokens, and the links by which others come in."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import Field

from grader.domain.people import Role
from grader.services.accounts.invitations import (
    LIFE_DAYS,
    MOST_DAYS,
    NewInvitation,
    invitations_of,
    invite,
    invite_people,
    reset_password,
    revoke_invitation,
)
from grader.services.accounts.profile import change_profile, profile_of
from grader.services.accounts.tokens import (
    MOST_DAYS as LONGEST_TOKEN_DAYS,
)
from grader.services.accounts.tokens import create_token, revoke_token, tokens_of
from grader.web.api.schemas import Answer, Body
from grader.web.context import WebContext
from grader.web.dependencies import CurrentActor, Db, Web

router = APIRouter(tags=["accounts"])

CourseSlug = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]


class Me(Answer):
    """The person whose token or session it is."""

    user_id: UUID
    login: str
    name: str
    email: str | None
    timezone: str | None
    may_create_courses: bool


class MyChanges(Body):
    """All that people change about themselves; no time zone means each course's own."""

    name: str = Field(max_length=1000)
    email: str | None = Field(max_length=1000)
    timezone: str | None = Field(max_length=100)


class Token(Answer):
    """A token of mine; `hint` is how its secret ends."""

    id: UUID
    name: str
    hint: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class TokenWanted(Body):
    """A token to be made."""

    name: str = Field(max_length=1000)
    days: int = Field(ge=1, le=LONGEST_TOKEN_DAYS)


class TokenMade(Answer):
    """A token just made; its secret is shown this once."""

    id: UUID
    secret: str
    expires_at: datetime


class Invitation(Answer):
    """A link that can still be used."""

    id: UUID
    role: Role
    person: str | None
    made_by: str | None
    created_at: datetime
    expires_at: datetime


class InvitationWanted(Body):
    """A link for whoever has it."""

    role: Role
    days: int = Field(default=LIFE_DAYS, ge=1, le=MOST_DAYS)


class PeopleWanted(Body):
    """Links for members who cannot log in yet, one each."""

    user_ids: list[UUID] = Field(max_length=2000)
    days: int = Field(default=LIFE_DAYS, ge=1, le=MOST_DAYS)


class InvitationMade(Answer):
    """A link just made; it is shown this once."""

    id: UUID
    link: str
    user_id: UUID | None
    expires_at: datetime


@router.get("/me")
def me(database: Db, actor: CurrentActor) -> Me:
    """Who I am."""
    mine = profile_of(database, actor=actor)
    return Me(
        user_id=actor.user_id,
        login=mine.login,
        name=mine.name,
        email=mine.email,
        timezone=mine.timezone,
        may_create_courses=actor.may_create_courses,
    )


@router.put("/me")
def change_me(database: Db, actor: CurrentActor, body: MyChanges) -> Me:
    """Change my name, address and time zone."""
    change_profile(database, actor=actor, name=body.name, email=body.email, timezone=body.timezone)
    return me(database, actor)


@router.get("/me/tokens")
def my_tokens(database: Db, actor: CurrentActor) -> list[Token]:
    """My tokens that still work."""
    return [Token.model_validate(token) for token in tokens_of(database, actor=actor)]


@router.post("/me/tokens", status_code=201)
def make_token(database: Db, actor: CurrentActor, body: TokenWanted) -> TokenMade:
    """Make a token."""
    return TokenMade.model_validate(create_token(database, actor=actor, name=body.name, days=body.days))


@router.delete("/me/tokens/{token_id}", status_code=204)
def revoke(database: Db, actor: CurrentActor, token_id: UUID) -> None:
    """Make a token of mine worthless."""
    revoke_token(database, actor=actor, token_id=token_id)


@router.get("/courses/{course}/invitations")
def list_invitations(database: Db, actor: CurrentActor, course: CourseSlug) -> list[Invitation]:
    """The course's links that can still be used."""
    return [Invitation.model_validate(row) for row in invitations_of(database, actor=actor, course=course)]


@router.post("/courses/{course}/invitations", status_code=201)
def make_invitation(
    database: Db, web: Web, actor: CurrentActor, course: CourseSlug, body: InvitationWanted
) -> InvitationMade:
    """Make a link by which whoever has it joins the course."""
    return _made(web, invite(database, actor=actor, course=course, role=body.role, days=body.days))


@router.post("/courses/{course}/invitations/people", status_code=201)
def make_invitations_for_people(
    database: Db, web: Web, actor: CurrentActor, course: CourseSlug, body: PeopleWanted
) -> list[InvitationMade]:
    """Make a link for each of these members; those who can log in already are left out."""
    made = invite_people(database, actor=actor, course=course, user_ids=body.user_ids, days=body.days)
    return [_made(web, one) for one in made]


@router.delete("/courses/{course}/invitations/{invitation_id}", status_code=204)
def take_back_invitation(database: Db, actor: CurrentActor, course: CourseSlug, invitation_id: UUID) -> None:
    """Make a link of the course worthless."""
    revoke_invitation(database, actor=actor, course=course, invitation_id=invitation_id)


@router.post("/courses/{course}/members/{user_id}/password-link", status_code=201)
def make_password_link(
    database: Db, web: Web, actor: CurrentActor, course: CourseSlug, user_id: UUID
) -> InvitationMade:
    """Make a link by which a member sets a new password."""
    return _made(web, reset_password(database, actor=actor, course=course, user_id=user_id))


def _made(web: WebContext, made: NewInvitation) -> InvitationMade:
    return InvitationMade(
        id=made.id, link=web.link(made.path), user_id=made.user_id, expires_at=made.expires_at
    )
