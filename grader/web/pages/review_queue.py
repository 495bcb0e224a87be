"""A course's review queue, its clusters of like failures, and its bank of comments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from grader.domain.errors import EditConflict, GraderError, InvalidInput, NotFound
from grader.domain.text import one_line
from grader.domain.verdicts import FAMILY_TITLE
from grader.presentation.words import VERDICT_WORDS
from grader.services.access import Actor
from grader.services.reviewing import bank
from grader.services.reviewing.clusters import clusters_of, comment_on_cluster
from grader.services.reviewing.filters import Order
from grader.services.reviewing.queue import review_queue
from grader.web.addresses import AssignmentSlug, CourseSlug
from grader.web.context import WebContext
from grader.web.dependencies import CurrentActor, Web
from grader.web.errors import problem_of
from grader.web.rendering import page, see_other
from grader.web.review_forms import BankForm, ClusterForm
from grader.web.review_page import NO_DRAFT, Draft
from grader.web.reviewing import PageParams, blind_in_course

ORDERS = [
    (Order.OLDEST.value, "oldest first"),
    (Order.NEWEST.value, "newest first"),
    (Order.NAME.value, "by name"),
    (Order.FEWEST_POINTS.value, "fewest points first"),
    (Order.REQUESTS.value, "regrade requests first"),
    (Order.SHUFFLED.value, "shuffled"),
]

router = APIRouter(prefix="/courses/{course}/review")


@router.get("")
def queue(
    request: Request,
    actor: CurrentActor,
    web: Web,
    course: CourseSlug,
    params: Annotated[PageParams, Query()],
) -> Response:
    """The submissions that wait for a look."""
    found = review_queue(
        web.database,
        actor=actor,
        course=course,
        wanted=params.wanted,
        order=params.order,
        blind=blind_in_course(web.database, params, actor=actor, course=course, secret=web.secret),
        after=params.after,
        limit=params.limit,
    )
    return page(
        request,
        "review/queue.html",
        seat=found.seat,
        queue=found,
        params=params,
        query=params.query(),
        next_query=params.query(after=str(found.after)) if found.after else "",
        families=[(family.value, title) for family, title in FAMILY_TITLE.items()],
        verdicts=[(verdict.value, word.label) for verdict, word in VERDICT_WORDS.items()],
        orders=ORDERS,
        named=_named,
    )


@router.get("/clusters/{slug}")
def clusters_page(
    request: Request, actor: CurrentActor, web: Web, course: CourseSlug, slug: AssignmentSlug
) -> Response:
    """The failures of an assignment that are one and the same."""
    return _clusters(request, actor, web, course=course, slug=slug)


@router.post("/clusters/{slug}")
def comment_cluster(
    request: Request,
    actor: CurrentActor,
    web: Web,
    course: CourseSlug,
    slug: AssignmentSlug,
    form: Annotated[ClusterForm, Form()],
) -> Response:
    """One comment for a whole cluster."""
    try:
        done = comment_on_cluster(
            web.database,
            actor=actor,
            course=course,
            assignment=slug,
            key=form.key,
            text=form.text,
            staff_only=form.staff_only,
        )
    except InvalidInput as error:
        draft = Draft(form=form.key, values=form.typed(), error=str(error))
        return _clusters(request, actor, web, course=course, slug=slug, draft=draft, error=error)
    flash = f"Comments written: {done.written}; there already: {done.present}."
    return see_other(f"/courses/{course}/review/clusters/{slug}", request=request, flash=flash)


@router.get("/bank")
def bank_page(request: Request, actor: CurrentActor, web: Web, course: CourseSlug) -> Response:
    """The comments that are kept for use again."""
    return _bank(request, actor, web, course=course)


@router.post("/bank")
def keep(
    request: Request, actor: CurrentActor, web: Web, course: CourseSlug, form: Annotated[BankForm, Form()]
) -> Response:
    """Keep one more, or change one."""
    try:
        if form.entry_id is None:
            bank.keep(
                web.database,
                actor=actor,
                course=course,
                title=form.title,
                text=form.text,
                code=form.code,
            )
        else:
            bank.edit(
                web.database,
                actor=actor,
                course=course,
                entry_id=form.entry_id,
                title=form.title,
                text=form.text,
                code=form.code,
                seen=form.seen,
            )
    except (InvalidInput, EditConflict) as error:
        name = form.entry_id.hex if form.entry_id else "new"
        draft = Draft(form=name, values=form.typed(), error=str(error))
        return _bank(request, actor, web, course=course, draft=draft, error=error)
    return see_other(f"/courses/{course}/review/bank", request=request, flash="The comment is kept.")


@router.post("/bank/delete")
def delete(
    request: Request, actor: CurrentActor, web: Web, course: CourseSlug, form: Annotated[BankForm, Form()]
) -> Response:
    """Keep one no longer."""
    if form.entry_id is None:
        raise NotFound("kept comment", "")
    bank.delete(web.database, actor=actor, course=course, entry_id=form.entry_id, seen=form.seen)
    return see_other(
        f"/courses/{course}/review/bank", request=request, flash="The comment is kept no longer."
    )


def _named(values: Iterable[str]) -> list[tuple[str, str]]:
    """Values as a choice offers them."""
    return [(value, one_line(value, 60)) for value in values]


def _clusters(
    request: Request,
    actor: Actor,
    web: WebContext,
    *,
    course: str,
    slug: str,
    draft: Draft = NO_DRAFT,
    error: GraderError | None = None,
) -> Response:
    found = clusters_of(web.database, actor=actor, course=course, assignment=slug)
    return page(
        request,
        "review/clusters.html",
        status_code=problem_of(error).status if error else 200,
        seat=found.seat,
        title=found.title,
        clusters=found.clusters,
        slug=slug,
        draft=draft,
    )


def _bank(
    request: Request,
    actor: Actor,
    web: WebContext,
    *,
    course: str,
    draft: Draft = NO_DRAFT,
    error: GraderError | None = None,
) -> Response:
    found = bank.bank_of(web.database, actor=actor, course=course)
    return page(
        request,
        "review/bank.html",
        status_code=problem_of(error).status if error else 200,
        seat=found.seat,
        entries=found.entries,
        draft=draft,
    )
