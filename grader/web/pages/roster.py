"""The roster: who is in a course, importing a file, links for people to come in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, File, Form, Request, UploadFile
from starlette.responses import Response

from grader.content.tables import MOST_BYTES
from grader.db.database import Database
from grader.domain.errors import Conflict, EditConflict, GraderError, InvalidInput, NotAllowed
from grader.domain.people import Role
from grader.services.access import Actor, Seat, seat_in
from grader.services.accounts.invitations import (
    NewInvitation,
    invitations_of,
    invite,
    invite_people,
    reset_password,
    revoke_invitation,
)
from grader.services.roster.changes import ChangeKind
from grader.services.roster.importing import import_roster
from grader.services.roster.members import Entry, Member, change_member, member_of, members, remove_member
from grader.services.roster.previewing import preview_roster
from grader.web.addresses import CourseSlug
from grader.web.api.courses import Login
from grader.web.context import WebContext
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.errors import problem_of
from grader.web.files import bytes_of
from grader.web.instructor_forms import ImportForm, InviteForm, MemberForm, whole
from grader.web.packing import pack, unpack
from grader.web.rendering import page, see_other

router = APIRouter(prefix="/courses/{course}/roster")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An invitation as a full address, shown this once. `person` is whom it is for."""

    address: str
    person: str
    expires: datetime


@router.get("")
def roster(request: Request, actor: CurrentActor, web: Web, course: CourseSlug) -> Response:
    """The members of a course, and the ways to bring others in."""
    return _roster(request, web, actor, course)


@router.post("/preview")
def preview(
    request: Request,
    actor: CurrentActor,
    web: Web,
    course: CourseSlug,
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:
    """What importing a file would do."""
    try:
        data = bytes_of(file, most=MOST_BYTES, field="roster")
        found = preview_roster(web.database, actor=actor, course=course, data=data)
    except InvalidInput as error:
        return _roster(request, web, actor, course, error=error)
    return page(
        request,
        "instructor/roster_preview.html",
        seat=_seat(web.database, actor, course),
        preview=found,
        kinds=ChangeKind,
        packed=pack(data),
        name="" if file is None else file.filename,
    )


@router.post("/import")
def apply_import(
    request: Request, actor: CurrentActor, web: Web, course: CourseSlug, form: Annotated[ImportForm, Form()]
) -> Response:
    """Import what was previewed."""
    try:
        data = unpack(form.packed, most=MOST_BYTES, field="roster")
        done = import_roster(
            web.database,
            actor=actor,
            course=course,
            data=data,
            fingerprint=form.fingerprint,
            remove_missing=form.remove_missing,
        )
    except (InvalidInput, Conflict) as error:
        return _roster(request, web, actor, course, error=error)
    flash = f"Imported: {done.added} added, {done.changed} changed, {done.removed} removed."
    return see_other(f"/courses/{course}/roster", request=request, flash=flash)


@router.post("/invite")
def invite_anybody(
    request: Request, actor: CurrentActor, web: Web, course: CourseSlug, form: Annotated[InviteForm, Form()]
) -> Response:
    """A link by which whoever has it joins."""
    try:
        days = whole(form.days, field="days") or 1
        made = invite(web.database, actor=actor, course=course, role=form.role, days=days)
    except InvalidInput as error:
        return _roster(request, web, actor, course, error=error)
    return _roster(request, web, actor, course, links=[_link(web, made, f"a new {form.role.value}")])


@router.post("/invite-members")
def invite_members(request: Request, actor: CurrentActor, web: Web, course: CourseSlug) -> Response:
    """A link for each member who cannot log in yet."""
    waiting = {
        item.user_id: item
        for item in members(web.database, actor=actor, course=course)
        if not item.has_account
    }
    made = invite_people(web.database, actor=actor, course=course, user_ids=list(waiting))
    links = [_link(web, one, _called(waiting[one.user_id])) for one in made if one.user_id in waiting]
    return _roster(request, web, actor, course, links=links)


@router.post("/invitations/{invitation_id}/revoke")
def revoke(
    request: Request, actor: CurrentActor, database: Db, course: CourseSlug, invitation_id: UUID
) -> Response:
    """Make a link worthless."""
    revoke_invitation(database, actor=actor, course=course, invitation_id=invitation_id)
    return see_other(f"/courses/{course}/roster", request=request, flash="The link no longer works.")


@router.get("/members/{login}")
def member(request: Request, actor: CurrentActor, database: Db, course: CourseSlug, login: Login) -> Response:
    """One member."""
    return _member(request, database, actor, course, login)


@router.post("/members/{login}")
def change(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    login: Login,
    form: Annotated[MemberForm, Form()],
) -> Response:
    """Set what the roster says of a member."""
    try:
        change_member(
            database,
            actor=actor,
            course=course,
            login=login,
            seen=form.seen,
            wanted=Entry(
                role=form.role,
                student_number=form.student_number,
                section=form.section,
                extra_days=whole(form.extra_days, field="extra days") or 0,
            ),
        )
    except EditConflict as error:
        return _member(request, database, actor, course, login, error=error)
    except (InvalidInput, Conflict, NotAllowed) as error:
        return _member(request, database, actor, course, login, form=form, error=error)
    return see_other(f"/courses/{course}/roster", request=request, flash=f"{login} is changed.")


@router.post("/members/{login}/remove")
def remove(request: Request, actor: CurrentActor, database: Db, course: CourseSlug, login: Login) -> Response:
    """Take somebody out of the course."""
    try:
        remove_member(database, actor=actor, course=course, login=login)
    except NotAllowed as error:
        return _member(request, database, actor, course, login, error=error)
    flash = f"{login} is no longer in this course. What they handed in stays."
    return see_other(f"/courses/{course}/roster", request=request, flash=flash)


@router.post("/members/{login}/password-link")
def password_link(
    request: Request, actor: CurrentActor, web: Web, course: CourseSlug, login: Login
) -> Response:
    """A link by which a member sets a new password."""
    with web.database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require(Role.INSTRUCTOR)
        found = member_of(session, seat, login)
    made = reset_password(web.database, actor=actor, course=course, user_id=found.user_id)
    return _roster(request, web, actor, course, links=[_link(web, made, _called(found))])


def _roster(
    request: Request,
    web: WebContext,
    actor: Actor,
    course: str,
    *,
    error: GraderError | None = None,
    links: Sequence[Link] = (),
) -> Response:
    return page(
        request,
        "instructor/roster.html",
        seat=_seat(web.database, actor, course),
        members=members(web.database, actor=actor, course=course),
        invitations=invitations_of(web.database, actor=actor, course=course),
        roles=[(role.value, role.value) for role in Role],
        error="" if error is None else str(error),
        links=links,
        status_code=200 if error is None else problem_of(error).status,
    )


def _member(
    request: Request,
    database: Database,
    actor: Actor,
    course: str,
    login: str,
    *,
    form: MemberForm | None = None,
    error: GraderError | None = None,
) -> Response:
    """The page of a member: as stored, or, where a mistake is to be mended, as typed and seen."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require(Role.INSTRUCTOR)
        found = member_of(session, seat, login)
    stored = {
        "role": found.role.value,
        "student_number": found.student_number or "",
        "section": found.section or "",
        "extra_days": str(found.extra_days),
    }
    return page(
        request,
        "instructor/member.html",
        seat=seat,
        member=found,
        typed=stored if form is None else form.typed(),
        seen=found.version if form is None else form.seen,
        roles=[(role.value, role.value) for role in Role],
        error="" if error is None else str(error),
        status_code=200 if error is None else problem_of(error).status,
    )


def _seat(database: Database, actor: Actor, course: str) -> Seat:
    with database.reading() as session:
        return seat_in(session, course=course, user_id=actor.user_id).require(Role.INSTRUCTOR)


def _link(web: WebContext, made: NewInvitation, person: str) -> Link:
    return Link(address=web.link(made.path), person=person, expires=made.expires_at)


def _called(found: Member) -> str:
    return f"{found.name} ({found.login})"
