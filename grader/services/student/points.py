"""What a student may know of their points: those of the checks that are open to them, and no others.

A stored score counts hidden checks too. Showing it, or which of two submissions it prefers, would tell what
the hidden checks found. So students' points, and the submission that counts *so far*, are worked out here
from what they may see.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.domain.standing import GradedWork
from grader.domain.verdicts import Visibility
from grader.domain.view import Disclosure, HiddenChecks, Reader
from grader.services.counting import Scope, WorkOf, adjusted_by, graded_works


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleWork:
    """One submission as its author may know it; `work` has the points of open checks only.

    `hidden` are the checks of its counting attempt that are not open yet.
    """

    assignment_id: UUID
    attempt_id: UUID | None
    work: GradedWork
    hidden: tuple[HiddenChecks, ...] = ()


def hidden_in(rubric: Mapping[str, Any], reader: Reader) -> tuple[HiddenChecks, ...]:
    """The checks of a stored rubric that a reader may not see, in the order in which they open."""
    worth: defaultdict[Visibility, list[Fraction]] = defaultdict(list)
    for check in rubric["checks"]:
        worth[Visibility(check["visibility"])].append(Fraction(check["points"]))
    return tuple(
        HiddenChecks(
            visibility=visibility, count=len(worth[visibility]), points=sum(worth[visibility], Fraction(0))
        )
        for visibility in Visibility
        if worth[visibility] and reader.may_see(visibility) is Disclosure.NOTHING
    )


def worth_of(rubric: Mapping[str, Any]) -> Fraction:
    """What a stored rubric is worth in all; no secret, unlike what its hidden checks ask."""
    return sum((Fraction(check["points"]) for check in rubric["checks"]), Fraction(0))


def disclosures(rubric: Mapping[str, Any], reader: Reader) -> Mapping[str, Disclosure]:
    """By check of a stored rubric, how much a reader may see of it."""
    return {check["id"]: reader.may_see(Visibility(check["visibility"])) for check in rubric["checks"]}


def visible_works(
    session: Session, scope: Scope, *, reader_of: Callable[[UUID], Reader]
) -> tuple[VisibleWork, ...]:
    """The submissions in scope, by number, for a reader of each assignment; seven queries."""
    works = graded_works(session, scope)
    attempts = {item.attempt_id: item for item in works if item.attempt_id is not None}
    rubrics = _rubrics(session, attempts)
    seen = {
        attempt_id: disclosures(rubrics[attempt_id], reader_of(item.assignment_id))
        for attempt_id, item in attempts.items()
    }
    points = _points(session, seen)
    by_submission = {item.work.submission_id: seen[key] for key, item in attempts.items()}

    def shown(submission_id: UUID, check_id: str) -> bool:
        return _open(by_submission.get(submission_id, {}), check_id)

    adjusted = adjusted_by(session, scope, shown=shown)
    return tuple(
        _visible(
            item,
            points=points.get(item.attempt_id) if item.attempt_id else None,
            adjusted=adjusted.get(item.work.submission_id, Fraction(0)),
            hidden=hidden_in(rubrics[item.attempt_id], reader_of(item.assignment_id))
            if item.attempt_id
            else (),
        )
        for item in works
    )


def _visible(
    item: WorkOf,
    *,
    points: tuple[Fraction, Fraction] | None,
    adjusted: Fraction,
    hidden: tuple[HiddenChecks, ...],
) -> VisibleWork:
    earned, worth = points if points is not None else (None, None)
    return VisibleWork(
        assignment_id=item.assignment_id,
        attempt_id=item.attempt_id,
        work=GradedWork(
            submission_id=item.work.submission_id,
            number=item.work.number,
            received_at=item.work.received_at,
            earned=earned,
            max_score=worth,
            adjusted_by=adjusted,
        ),
        hidden=hidden,
    )


def _open(seen: Mapping[str, Disclosure], check_id: str) -> bool:
    return seen.get(check_id, Disclosure.NOTHING) is not Disclosure.NOTHING


def _rubrics(session: Session, attempt_ids: Iterable[UUID]) -> Mapping[UUID, Mapping[str, Any]]:
    """The rubric that each attempt was graded by; each version's is read once."""
    versions = {
        row.id: row.version_id
        for row in session.execute(
            select(models.Attempt.id, models.Attempt.version_id).where(
                models.Attempt.id.in_(tuple(attempt_ids))
            )
        )
    }
    rubrics = {
        row.id: row.rubric
        for row in session.execute(
            select(models.AssignmentVersion.id, models.AssignmentVersion.rubric).where(
                models.AssignmentVersion.id.in_(set(versions.values()))
            )
        )
    }
    return {attempt_id: rubrics[version_id] for attempt_id, version_id in versions.items()}


def _points(
    session: Session, seen: Mapping[UUID, Mapping[str, Disclosure]]
) -> Mapping[UUID, tuple[Fraction, Fraction]]:
    """By attempt, what its open checks earned and are worth. Nothing open: 0 of 0, not "not graded"."""
    earned: dict[UUID, Fraction] = dict.fromkeys(seen, Fraction(0))
    worth: dict[UUID, Fraction] = dict.fromkeys(seen, Fraction(0))
    for row in _checks(session, seen.keys()):
        if _open(seen[row.attempt_id], row.check_id):
            earned[row.attempt_id] += row.earned or Fraction(0)
            worth[row.attempt_id] += row.points
    return {attempt_id: (earned[attempt_id], worth[attempt_id]) for attempt_id in seen}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    attempt_id: UUID
    check_id: str
    points: Fraction
    earned: Fraction | None


def _checks(session: Session, attempt_ids: Collection[UUID]) -> Iterable[_Check]:
    rows = session.execute(
        select(
            models.CheckResult.attempt_id,
            models.CheckResult.check_id,
            models.CheckResult.points,
            models.CheckResult.earned,
        ).where(models.CheckResult.attempt_id.in_(tuple(attempt_ids)))
    )
    return [
        _Check(attempt_id=row.attempt_id, check_id=row.check_id, points=row.points, earned=row.earned)
        for row in rows
    ]
