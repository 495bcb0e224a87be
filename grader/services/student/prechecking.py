"""A look at an upload before it costs a submission: can it be read, does it parse, are the functions there.

Nothing is stored and nothing runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.content.codes import NoticeCode
from grader.content.precheck import parameters_of, precheck
from grader.content.syntax import SyntaxProblem, definitions, parse
from grader.db.database import Database
from grader.domain.errors import UploadRefused
from grader.domain.rubric import FunctionSpec
from grader.domain.submission import Notice, SubmittedFiles
from grader.services.access import Actor, assignment_in, seat_in
from grader.services.publishing import version_for
from grader.services.student.coursework import course_view
from grader.services.student.handouts import starter_text
from grader.services.student.prices import PriceTag, price_tag
from grader.services.turns import Turn, turn_of
from grader.services.uploads import Upload, content_hash_of, read


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionFound:
    """A function that is asked for; `found` is None where it does not parse, or only running could tell."""

    name: str
    found: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Precheck:
    """What can be said of an upload without running it.

    `turn` says whether it could be handed in now, `price` what that would cost because it is late.
    """

    files: tuple[str, ...]
    content_hash: str
    parses: bool
    functions: tuple[FunctionFound, ...]
    notices: tuple[Notice, ...]
    turn: Turn
    price: PriceTag | None

    @property
    def ready(self) -> bool:
        """Whether nothing stands in the way of every check."""
        return self.parses and all(item.found is not False for item in self.functions)


def precheck_upload(
    database: Database, *, actor: Actor, course: str, slug: str, uploads: Sequence[Upload]
) -> Precheck:
    """Look an upload over; UploadRefused where it could not be handed in at all, and why."""
    if not uploads:
        raise UploadRefused("upload.empty", "upload", "there is no file in it.", "Choose a file, or paste.")
    with database.reading() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id)
        row = assignment_in(session, seat, slug=slug, now=now)
        version = version_for(session, row.id)
        starter = starter_text(session, version)
        turn = turn_of(session, row, user_id=actor.user_id, role=seat.role, at=now)
        view = course_view(session, seat, user_id=actor.user_id, now=now) if turn.past_due else None
    manifest = version.manifest
    asked = [
        FunctionSpec(name=function["name"], static=tuple(function["static"]))
        for function in manifest["functions"]
    ]
    files = read(uploads, entry=manifest["entry"], functions=[function.name for function in asked])
    found = precheck(files, asked, parameters=parameters_of(starter) if starter else None)
    notices = tuple(dict.fromkeys((*files.notices, *found)))
    return Precheck(
        files=tuple(file.name for file in files.files),
        content_hash=content_hash_of(uploads),
        parses=all(notice.code != NoticeCode.SYNTAX for notice in notices),
        functions=_functions(files, asked),
        notices=notices,
        turn=turn,
        price=None if view is None else price_tag(view, view.item(slug), at=now),
    )


def _functions(files: SubmittedFiles, asked: Sequence[FunctionSpec]) -> tuple[FunctionFound, ...]:
    module = parse(files.text_of(files.entry))
    if isinstance(module, SyntaxProblem):
        return tuple(FunctionFound(name=function.name, found=None) for function in asked)
    names = {definition.name for definition in definitions(module)}
    # `from helpers import *` may well bring it; only loading tells.
    missing = None if "*" in names else False
    return tuple(
        FunctionFound(name=function.name, found=True if function.name in names else missing)
        for function in asked
    )
