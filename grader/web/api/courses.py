"""Courses and their people: making one, its settings, its members, importing a roster."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, File, Form, Path, UploadFile
from pydantic import Field

from grader.content.rosters import MOST_EXTRA_DAYS
from grader.content.tables import MOST_BYTES
from grader.domain.people import Role
from grader.services import courses
from grader.services.courses import MOST_GRACE_DAYS, change_course, course_settings, create_course
from grader.services.roster.importing import import_roster
from grader.services.roster.members import Entry, change_member, members, remove_member
from grader.services.roster.previewing import RosterPreview, preview_roster
from grader.web.addresses import CourseSlug
from grader.web.api.schemas import Answer, Body
from grader.web.dependencies import CurrentActor, Db
from grader.web.files import bytes_of

router = APIRouter(tags=["courses"])

Login = Annotated[str, Path(max_length=200, description="A member's login.")]
Version = Annotated[int, Field(ge=1, le=2**31 - 1, description="The version that was looked at.")]


class CourseWanted(Body):
    """A course to be made."""

    slug: str = Field(max_length=100)
    title: str = Field(max_length=500)
    timezone: str = Field(max_length=100)


class SettingsWanted(Body):
    """What is to hold in a course."""

    version: Version
    title: str = Field(max_length=500)
    timezone: str = Field(max_length=100)
    grace_days: int = Field(ge=0, le=MOST_GRACE_DAYS)
    archived: bool = False
    names_hidden: bool | None = Field(
        default=None,
        description="Whether teaching assistants read without names; left as it is where it is not said.",
    )

    def as_wanted(self) -> courses.SettingsWanted:
        """The same, as services take it."""
        return courses.SettingsWanted(
            title=self.title,
            timezone=self.timezone,
            grace_days=self.grace_days,
            archived=self.archived,
            names_hidden=self.names_hidden,
        )


class Settings(Answer):
    """What holds in a course."""

    id: UUID
    slug: str
    title: str
    timezone: str
    grace_days: int
    archived_at: datetime | None
    names_hidden: bool
    version: int


class Member(Answer):
    """A member as the roster knows them; `version` is what a change of them has to name."""

    user_id: UUID
    login: str
    name: str
    email: str | None
    role: Role
    student_number: str | None
    section: str | None
    extra_days: int
    has_account: bool
    version: int


class MemberWanted(Body):
    """What the roster is to say of a member."""

    version: Version
    role: Role
    student_number: str | None = Field(default=None, max_length=200)
    section: str | None = Field(default=None, max_length=200)
    extra_days: int = Field(default=0, ge=0, le=MOST_EXTRA_DAYS)


class Imported(Answer):
    """How many people an import added, changed and removed."""

    added: int
    changed: int
    removed: int


@router.post("/courses", status_code=201)
def make_course(actor: CurrentActor, database: Db, body: CourseWanted) -> Settings:
    """Make a course, with me as its instructor."""
    made = create_course(database, actor=actor, slug=body.slug, title=body.title, timezone=body.timezone)
    return Settings.model_validate(made)


@router.get("/courses/{course}/settings")
def settings(actor: CurrentActor, database: Db, course: CourseSlug) -> Settings:
    """What holds in a course."""
    return Settings.model_validate(course_settings(database, actor=actor, course=course))


@router.put("/courses/{course}/settings")
def change_settings(actor: CurrentActor, database: Db, course: CourseSlug, body: SettingsWanted) -> Settings:
    """Change what holds in a course."""
    changed = change_course(database, actor=actor, course=course, seen=body.version, wanted=body.as_wanted())
    return Settings.model_validate(changed)


@router.get("/courses/{course}/members")
def course_members(actor: CurrentActor, database: Db, course: CourseSlug) -> list[Member]:
    """The members of a course."""
    return [Member.model_validate(item) for item in members(database, actor=actor, course=course)]


@router.put("/courses/{course}/members/{login}")
def change_one(
    actor: CurrentActor, database: Db, course: CourseSlug, login: Login, body: MemberWanted
) -> Member:
    """Set what the roster says of a member."""
    return Member.model_validate(
        change_member(
            database,
            actor=actor,
            course=course,
            login=login,
            seen=body.version,
            wanted=Entry(
                role=body.role,
                student_number=body.student_number,
                section=body.section,
                extra_days=body.extra_days,
            ),
        )
    )


@router.delete("/courses/{course}/members/{login}", status_code=204)
def remove_one(actor: CurrentActor, database: Db, course: CourseSlug, login: Login) -> None:
    """Take somebody out of a course; what they handed in stays."""
    remove_member(database, actor=actor, course=course, login=login)


@router.post("/courses/{course}/roster/preview", response_model=None)
def preview(
    actor: CurrentActor, database: Db, course: CourseSlug, file: Annotated[UploadFile, File()]
) -> dict[str, Any]:
    """What importing a roster (CSV) would do; its `fingerprint` is what importing it has to name."""
    data = bytes_of(file, most=MOST_BYTES, field="roster")
    return preview_json(preview_roster(database, actor=actor, course=course, data=data))


@router.post("/courses/{course}/roster")
def import_file(
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    file: Annotated[UploadFile, File()],
    fingerprint: Annotated[str, Form(max_length=64)],
    *,
    remove_missing: Annotated[bool, Form()] = False,
) -> Imported:
    """Import a roster exactly as its preview said."""
    done = import_roster(
        database,
        actor=actor,
        course=course,
        data=bytes_of(file, most=MOST_BYTES, field="roster"),
        fingerprint=fingerprint,
        remove_missing=remove_missing,
    )
    return Imported.model_validate(done)


def preview_json(found: RosterPreview) -> dict[str, Any]:
    """A preview for programs."""
    return {
        "fingerprint": found.fingerprint,
        "columns": {key.value: name for key, name in found.used.items()},
        "ignored_columns": list(found.ignored),
        "changes": [
            {
                "line": change.line,
                "kind": change.kind.value,
                "member": Member.model_validate(change.after).model_dump(
                    mode="json", exclude={"user_id", "version"}
                ),
                "differences": [
                    {"field": item.field.value, "old": item.old, "new": item.new}
                    for item in change.differences
                ],
            }
            for change in found.changes
        ],
        "missing": [member.login for member in found.missing],
        "problems": [{"line": problem.line, "says": problem.says} for problem in found.problems],
    }
