"""Which submission a command is about, by what people type."""

from __future__ import annotations

import re
from uuid import UUID

from grader.cli.remote.answers.courses import Membership
from grader.cli.remote.answers.submissions import Submission
from grader.cli.remote.client import Client
from grader.cli.remote.courses import assignments_of, the_course
from grader.domain.errors import NotFound
from grader.domain.text import one_line

SHORT = 8
_HEX = re.compile(r"[0-9a-f]{4,32}")
_NUMBERED = re.compile(r"(?P<slug>[a-z0-9][a-z0-9-]*)(?:/(?P<number>[0-9]{1,6}))?")


def find_submission(client: Client, typed: str, *, course: str | None) -> UUID:
    """The submission that is meant: by its id, the start of it, or as ASSIGNMENT or ASSIGNMENT/NUMBER.

    An id, whole or its start, may be of any submission that the server lets me read; names are of my own.
    """
    plain = typed.strip().lower()
    try:
        return UUID(plain)
    except ValueError:
        pass
    courses = [the_course(client, course)] if course else client.get("courses").of(list[Membership])
    own = [
        (item.slug, work)
        for found in courses
        for item in assignments_of(client, found).assignments
        if item.submissions
        for work in _own(client, found, item.slug)
    ]
    named = _NUMBERED.fullmatch(plain)
    number = int(named["number"]) if named and named["number"] else None
    by_name = [
        UUID(work.id)
        for slug, work in own
        if named and slug == named["slug"] and number in (None, work.number)
    ]
    # Of an assignment without a number the latest is meant; they come oldest first.
    matches = by_name[-1:] or _by_id(client, plain, course=course)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NotFound(
            "single submission", one_line(typed, 80), "Several ids begin so; give more characters."
        )
    raise NotFound(
        "submission that you may read",
        one_line(typed, 80),
        "Give its id, the start of it, or ASSIGNMENT/NUMBER such as functional-core/2.",
    )


def short(submission_id: UUID) -> str:
    """An id as people see and type it."""
    return submission_id.hex[:SHORT]


def _by_id(client: Client, plain: str, *, course: str | None) -> list[UUID]:
    if not _HEX.fullmatch(plain):
        return []
    return client.get("submissions", start=plain, course=course).of(list[UUID])


def _own(client: Client, course: Membership, slug: str) -> list[Submission]:
    reply = client.get("courses", course.slug, "assignments", slug, "submissions")
    return reply.of(list[Submission])
