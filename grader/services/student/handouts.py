"""What a student gets of an assignment: its lesson, its starter files, and what the rubric says openly.

An assignment's folder also holds the solution, the suite and the manifest, which names hidden checks; none of
that is ever part of a handout: only `starter/` and the lesson are looked at. The visible checks are handed
out as the bundle that was made of them when the version was published.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from uuid import UUID

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from grader.content.decoding import decode_source
from grader.content.student_bundles import zipped
from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotFound, UploadRefused
from grader.domain.verdicts import FAMILY_TITLE, Family, Visibility
from grader.domain.view import Disclosure, HiddenChecks, Reader
from grader.services.access import Actor, assignment_in, seat_in
from grader.services.publishing import version_for
from grader.services.student.points import hidden_in

_STARTER = "starter/"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCheck:
    """A check that its reader may see: what it asks for, and what it is worth."""

    title: str
    points: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCriterion:
    """The open checks of one quality of one function."""

    function: str
    family: str
    checks: tuple[OpenCheck, ...]

    @property
    def points(self) -> Fraction:
        return sum((check.points for check in self.checks), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricSheet:
    """What a rubric says openly; of checks that open later only their number and what they are worth."""

    criteria: tuple[OpenCriterion, ...]
    hidden: tuple[HiddenChecks, ...]
    max_score: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Handout:
    """A zip archive to download."""

    name: str
    data: bytes


def rubric_sheet(rubric: Mapping[str, Any], reader: Reader) -> RubricSheet:
    """A stored rubric as that reader may see it."""
    grouped: defaultdict[tuple[str, str], list[OpenCheck]] = defaultdict(list)
    total = Fraction(0)
    for check in rubric["checks"]:
        points = Fraction(check["points"])
        total += points
        if reader.may_see(Visibility(check["visibility"])) is Disclosure.FULL:
            family = FAMILY_TITLE[Family(check["family"])]
            grouped[check["function"], family].append(OpenCheck(title=check["title"], points=points))
    criteria = tuple(
        OpenCriterion(function=function, family=family, checks=tuple(checks))
        for (function, family), checks in grouped.items()
    )
    return RubricSheet(criteria=criteria, hidden=hidden_in(rubric, reader), max_score=total)


def starter_of(database: Database, *, actor: Actor, course: str, slug: str) -> Handout:
    """The newest version's starter and lesson; NotFound for whoever may not see the assignment."""
    with database.reading() as session:
        version = _version(database, session, actor=actor, course=course, slug=slug)
        lesson = version.manifest["lesson"]
        files = handed_out(session, version.id, lesson=lesson)
    named = [(path.removeprefix(_STARTER), data) for path, data in files.items()]
    return Handout(name=f"{slug}-{version.number}.zip", data=zipped(named, folder=slug))


def bundle_of(database: Database, *, actor: Actor, course: str, slug: str) -> Handout:
    """Starter, lesson and visible checks of the newest version, to be run with `grader check`.

    NotFound as `starter_of`, and where nothing can be handed out.
    """
    with database.reading() as session:
        version = _version(database, session, actor=actor, course=course, slug=slug)
        bundle = session.get(models.AssignmentVersionBundle, version.id)
        if bundle is None:
            raise NotFound("checks to download of", slug, "They run on the server only: hand in.")
        data = session.get_one(models.StoredFile, bundle.sha256).data
    return Handout(name=f"{slug}-{version.number}-checks.zip", data=data)


def has_bundle(session: Session, version_id: UUID) -> bool:
    """Whether visible checks of a version can be downloaded."""
    return session.get(models.AssignmentVersionBundle, version_id) is not None


def lesson_text(session: Session, version: models.AssignmentVersion) -> str:
    """The lesson's Markdown; empty where the assignment has none that can be read."""
    lesson = version.manifest["lesson"]
    data = handed_out(session, version.id, lesson=lesson).get(lesson)
    if data is None:
        return ""
    try:
        return decode_source(data, name=lesson).text
    except UploadRefused:
        return ""


def starter_text(session: Session, version: models.AssignmentVersion) -> str | None:
    """The starter's main module, for comparing signatures; None where there is none."""
    data = handed_out(session, version.id).get(f"{_STARTER}{version.manifest['entry']}")
    if data is None:
        return None
    try:
        return decode_source(data, name="starter").text
    except UploadRefused:
        return None


def handed_out(session: Session, version_id: UUID, *, lesson: str | None = None) -> Mapping[str, bytes]:
    """The files of a version that students may have, by path: the starter's, and the lesson."""
    path = models.AssignmentVersionFile.path
    rows = session.execute(
        select(path, models.StoredFile.data)
        .join(models.StoredFile, models.StoredFile.sha256 == models.AssignmentVersionFile.sha256)
        .where(
            models.AssignmentVersionFile.version_id == version_id,
            or_(path.startswith(_STARTER, autoescape=True), path == lesson),
        )
    )
    return {name: data for name, data in rows if name.startswith(_STARTER) or name == lesson}


def _version(
    database: Database, session: Session, *, actor: Actor, course: str, slug: str
) -> models.AssignmentVersion:
    seat = seat_in(session, course=course, user_id=actor.user_id)
    row = assignment_in(session, seat, slug=slug, now=database.now(session))
    try:
        return version_for(session, row.id)
    except NotFound:
        raise NotFound("assignment", slug) from None
