"""The gradebook, and one student's record."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from grader.domain.reviewing import AdjustmentKind
from grader.presentation.ledgers import ledger_text, share_text
from grader.services.gradebook import SortKey, gradebook
from grader.services.student_record import student_record
from grader.web.addresses import CourseSlug
from grader.web.api.courses import Login
from grader.web.dependencies import CurrentActor, Db
from grader.web.rendering import page

router = APIRouter(prefix="/courses/{course}")


@router.get("/gradebook")
def grades(
    request: Request,
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    section: Annotated[str, Query(max_length=200)] = "",
    sort: Annotated[str, Query(max_length=100)] = SortKey.NAME.value,
    *,
    descending: bool = False,
) -> Response:
    """Who has how many points in what, in one table."""
    book = gradebook(
        database, actor=actor, course=course, section=section or None, sort=sort, descending=descending
    )

    def sorted_by(key: str) -> str:
        """The address of this table sorted by a column; once more turns it round."""
        turned = descending if key != sort else not descending
        return "?" + urlencode({"sort": key, "descending": str(turned).lower(), "section": section})

    return page(
        request,
        "instructor/gradebook.html",
        seat=book.seat,
        book=book,
        section=section,
        sort=sort,
        descending=descending,
        sorted_by=sorted_by,
    )


@router.get("/students/{login}")
def record(request: Request, actor: CurrentActor, database: Db, course: CourseSlug, login: Login) -> Response:
    """What one student has, how it came about, and what staff changed."""
    found = student_record(database, actor=actor, course=course, login=login)
    return page(
        request,
        "instructor/student.html",
        seat=found.seat,
        record=found,
        ledger_text=ledger_text,
        share_text=share_text,
        kinds=AdjustmentKind,
    )
