"""What the reviewers of a course share: clusters of like failures, and comments kept for use again."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query

from grader.services.reviewing import bank
from grader.services.reviewing.clusters import clusters_of, comment_on_cluster
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.api.review_json import (
    Cluster,
    ClusterComment,
    ClusterCommentWanted,
    KeptComment,
    KeptCommentChange,
    KeptCommentWanted,
)
from grader.web.dependencies import CurrentActor, Db

router = APIRouter(tags=["review"])

Key = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The cluster's.")]
Version = Annotated[int, Query(ge=1, le=2**31 - 1, description="The version that was seen.")]
Code = Annotated[list[str], Query(max_length=50, description="Feedback codes at hand: theirs come first.")]


@router.get("/courses/{course}/assignments/{slug}/clusters")
def clusters(actor: CurrentActor, database: Db, course: CourseSlug, slug: AssignmentSlug) -> list[Cluster]:
    """The failures of an assignment that are one and the same in two submissions or more."""
    found = clusters_of(database, actor=actor, course=course, assignment=slug)
    return [Cluster.model_validate(item) for item in found.clusters]


@router.post("/courses/{course}/assignments/{slug}/clusters/{key}/comments", status_code=201)
def comment_cluster(
    actor: CurrentActor,
    database: Db,
    course: CourseSlug,
    slug: AssignmentSlug,
    key: Key,
    body: ClusterCommentWanted,
) -> ClusterComment:
    """One comment for a whole cluster; again, it reaches only whoever is new."""
    return ClusterComment.model_validate(
        comment_on_cluster(
            database,
            actor=actor,
            course=course,
            assignment=slug,
            key=key,
            text=body.text,
            staff_only=body.staff_only,
        )
    )


@router.get("/courses/{course}/comment-bank")
def kept(actor: CurrentActor, database: Db, course: CourseSlug, code: Code = []) -> list[KeptComment]:  # noqa: B006 - the framework copies it
    """The comments that a course keeps for use again."""
    found = bank.bank_of(database, actor=actor, course=course, codes=code)
    return [KeptComment.model_validate(entry) for entry in found.entries]


@router.post("/courses/{course}/comment-bank", status_code=201)
def keep(actor: CurrentActor, database: Db, course: CourseSlug, body: KeptCommentWanted) -> KeptComment:
    """Keep a comment for use again."""
    return KeptComment.model_validate(
        bank.keep(database, actor=actor, course=course, title=body.title, text=body.text, code=body.code)
    )


@router.patch("/courses/{course}/comment-bank/{entry_id}")
def edit_kept(
    actor: CurrentActor, database: Db, course: CourseSlug, entry_id: UUID, body: KeptCommentChange
) -> KeptComment:
    """Change a kept comment."""
    return KeptComment.model_validate(
        bank.edit(
            database,
            actor=actor,
            course=course,
            entry_id=entry_id,
            title=body.title,
            text=body.text,
            code=body.code,
            seen=body.version,
        )
    )


@router.delete("/courses/{course}/comment-bank/{entry_id}", status_code=204)
def drop(actor: CurrentActor, database: Db, course: CourseSlug, entry_id: UUID, version: Version) -> None:
    """Keep a comment no longer."""
    bank.delete(database, actor=actor, course=course, entry_id=entry_id, seen=version)
