"""Failures that are one and the same, and one comment for all of them.

Two submissions belong together where the same check failed with the same feedback code at a line of the same
shape (`grader.domain.shapes`). Only the attempt that counts of each student's newest submission is looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotFound
from grader.domain.verdicts import Verdict
from grader.services.access import Actor, Seat, assignment_in, seat_in
from grader.services.counting import Scope, counting_query
from grader.services.reviewing.blind import Mask
from grader.services.reviewing.commenting import add_comment
from grader.services.reviewing.inputs import text_of
from grader.services.reviewing.listing import load_listed
from grader.services.reviewing.masking import masks_of_authors
from grader.services.reviewing.places import Place
from grader.services.reviewing.versions import lock

_KEY_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One submission's part in a cluster: where in it the failure is."""

    submission_id: UUID
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Identical failures. `key` names the cluster as long as check, code and shape are the same.

    Attributes stay in a shape, so names are covered in it where they are hidden; the key is that of the line.
    """

    key: str
    check_id: str
    code: str
    shape: str | None
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterComment:
    """What came of commenting on a cluster: so many comments written, so many were there already."""

    written: int
    present: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """The clusters of one assignment, the largest first."""

    seat: Seat
    title: str
    clusters: tuple[Cluster, ...]


def clusters_of(
    database: Database, *, actor: Actor, course: str, assignment: str, least: int = 2
) -> Clusters:
    """The clusters of an assignment with at least so many members."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        found = assignment_in(session, seat, slug=assignment, now=database.now(session))
        kept = tuple(item for item in _clusters(session, found.id) if len(item.members) >= least)
        if seat.names_hidden:
            kept = _without_names(session, seat, kept)
        return Clusters(seat=seat, title=found.title, clusters=kept)


def comment_on_cluster(
    database: Database,
    *,
    actor: Actor,
    course: str,
    assignment: str,
    key: str,
    text: str,
    staff_only: bool = False,
) -> ClusterComment:
    """Write one comment at the line of every member, all in one transaction.

    Doing it again adds nothing where the same words of the same author stand already: a repeated click, or a
    cluster that has grown, is no trouble.
    """
    said = text_of(text, field="comment")
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        found = assignment_in(session, seat, slug=assignment, now=now)
        cluster = next((item for item in _clusters(session, found.id) if item.key == key), None)
        if cluster is None:
            raise NotFound("cluster", key[:_KEY_DIGITS], "Its submissions may have been followed by others.")
        # Before it is asked what stands there: whoever says the same at the same time is waited for.
        lock(session, *(member.submission_id for member in cluster.members))
        present = _said_already(session, cluster, actor=actor, text=said)
        missing = [member for member in cluster.members if member.submission_id not in present]
        for member in missing:
            add_comment(
                session,
                actor=actor,
                submission_id=member.submission_id,
                text=said,
                place=member.place,
                staff_only=staff_only,
                now=now,
            )
        return ClusterComment(written=len(missing), present=len(cluster.members) - len(missing))


def _without_names(session: Session, seat: Seat, found: tuple[Cluster, ...]) -> tuple[Cluster, ...]:
    """The clusters without their members' files, whose names their authors gave them, nor names in shapes."""
    ids = {member.submission_id for cluster in found for member in cluster.members}
    masks = masks_of_authors(session, ids, course_id=seat.course_id)
    return tuple(_covered(cluster, masks) for cluster in found)


def _covered(cluster: Cluster, masks: Mapping[UUID, Mask]) -> Cluster:
    place, shape = Place(check_id=cluster.check_id), cluster.shape
    # Whose name it is makes no difference: who copies a line copies the name in it.
    for mask in dict.fromkeys(masks[member.submission_id] for member in cluster.members):
        shape = None if shape is None else mask.text(shape)
    members = tuple(replace(member, place=place) for member in cluster.members)
    return replace(cluster, shape=shape, members=members)


def _clusters(session: Session, assignment_id: UUID) -> tuple[Cluster, ...]:
    scope = Scope(assignment_id=assignment_id)
    newest = {row.submission_id for row in load_listed(session, scope) if row.newest}
    counting = counting_query(scope)
    check = models.CheckResult
    rows = session.execute(
        select(counting.c.submission_id, check.check_id, check.code, check.shape, check.file, check.line)
        .join(check, check.attempt_id == counting.c.attempt_id)
        .where(check.verdict.not_in((Verdict.PASSED, Verdict.INCONCLUSIVE)), check.code.is_not(None))
        .order_by(check.check_id, counting.c.submission_id)
    )
    grouped: defaultdict[tuple[str, str, str | None], list[Member]] = defaultdict(list)
    for row in rows:
        if row.submission_id in newest:
            place = Place(file=row.file, line=row.line if row.file else None, check_id=row.check_id)
            grouped[row.check_id, row.code, row.shape].append(
                Member(submission_id=row.submission_id, place=place)
            )
    return _largest_first(
        Cluster(
            key=_key(check_id, code, shape or ""),
            check_id=check_id,
            code=code,
            shape=shape,
            members=tuple(members),
        )
        for (check_id, code, shape), members in grouped.items()
    )


def _key(*told: str) -> str:
    return sha256("\x00".join(told).encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_DIGITS]


def _largest_first(found: Iterable[Cluster]) -> tuple[Cluster, ...]:
    return tuple(
        sorted(found, key=lambda item: (-len(item.members), item.check_id, item.code, item.shape or ""))
    )


def _said_already(session: Session, cluster: Cluster, *, actor: Actor, text: str) -> frozenset[UUID]:
    """The members where the same author has said the same of the same check."""
    return frozenset(
        session.scalars(
            select(models.Comment.submission_id).where(
                models.Comment.submission_id.in_([member.submission_id for member in cluster.members]),
                models.Comment.author_id == actor.user_id,
                models.Comment.check_id == cluster.check_id,
                models.Comment.text == text,
                models.Comment.deleted_at.is_(None),
            )
        )
    )
