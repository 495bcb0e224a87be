"""One reviewer at one submission: the page as they see it, and what becomes of what they type.

What cannot be taken comes back on the same page, with the newest state around it and everything that was
typed still in its field: nobody's words are lost to a conflict.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Request
from starlette.responses import Response

from grader.domain.errors import Conflict, EditConflict, InvalidInput
from grader.presentation.words import VERDICT_WORDS
from grader.services.access import submission_under_review
from grader.services.reviewing.bank import bank_of
from grader.services.reviewing.opening import open_submission, real_file
from grader.services.reviewing.places import Place
from grader.services.reviewing.queue import next_in_queue
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.errors import problem_of
from grader.web.rendering import page, see_other
from grader.web.review_forms import Form
from grader.web.review_page import NO_DRAFT, Draft, at_of, review_page
from grader.web.reviewing import AT_PATTERN, OpenParams, blind_at, blind_in_course

Params = Annotated[OpenParams, Query()]


class Desk:
    """A reviewer, a submission, and the queue that it was opened from."""

    def __init__(
        self,
        request: Request,
        actor: CurrentActor,
        database: Db,
        web: Web,
        submission_id: UUID,
        params: Params,
    ) -> None:
        self.request, self.actor, self.database, self.web = request, actor, database, web
        self.submission_id, self.params = submission_id, params

    def show(self, draft: Draft = NO_DRAFT, *, status_code: int = 200) -> Response:
        """The page, with what somebody had typed."""
        params = self.params
        blind = blind_at(
            self.database,
            params,
            actor=self.actor,
            submission_id=self.submission_id,
            secret=self.web.secret,
        )
        dossier = open_submission(
            self.database,
            actor=self.actor,
            submission_id=self.submission_id,
            attempt=params.attempt,
            blind=blind,
        )
        shown = review_page(dossier, at=params.at, check=params.check, draft=draft)
        codes = {row.check.feedback.code for row in shown.rows if row.check.feedback is not None}
        return page(
            self.request,
            "review/submission.html",
            status_code=status_code,
            seat=dossier.seat,
            review=shown,
            dossier=dossier,
            view=dossier.view,
            draft=draft,
            bank=bank_of(
                self.database, actor=self.actor, course=dossier.seat.course_slug, codes=codes
            ).entries,
            query=params.query(),
            path_here=f"/review/{self.submission_id}",
            page=shown.report,
            verdict_words=VERDICT_WORDS,
            at=at_of(dossier, shown.place),
            params=params,
        )

    def take(
        self,
        name: str,
        act: Callable[[], object],
        *,
        done: str,
        form: Form | None = None,
        anchor: str = "",
        then: Callable[[], Response] | None = None,
    ) -> Response:
        """Do what the form of that name asks for, and come back, or go on to what is `then`.

        Where it cannot be done, the page says why, with what was typed.
        """
        try:
            act()
        except (InvalidInput, EditConflict, Conflict) as error:
            typed = {} if form is None else form.typed()
            return self.show(
                Draft(form=name, values=typed, error=str(error)), status_code=problem_of(error).status
            )
        if then is not None:
            return then()
        return see_other(self.address(anchor), request=self.request, flash=done)

    def course(self) -> str:
        """The course of the submission, for its staff."""
        with self.database.reading() as session:
            found = submission_under_review(
                session, submission_id=self.submission_id, user_id=self.actor.user_id
            )
        return found.seat.require_staff().course_slug

    def go_on(self) -> Response:
        """On to the next submission of the queue; to the queue itself after the last."""
        course, params = self.course(), self.params
        found = next_in_queue(
            self.database,
            actor=self.actor,
            course=course,
            wanted=params.wanted,
            order=params.order,
            blind=blind_in_course(
                self.database, params, actor=self.actor, course=course, secret=self.web.secret
            ),
            after=self.submission_id,
        )
        tail = f"?{params.query()}".rstrip("?")
        if found is None:
            flash = "That was the last one of this queue."
            return see_other(f"/courses/{course}/review{tail}", request=self.request, flash=flash)
        return see_other(f"/review/{found}{tail}")

    def address(self, anchor: str = "") -> str:
        """This page, in the same queue."""
        query = self.params.query(attempt=self.params.attempt)
        return f"/review/{self.submission_id}{'?' if query else ''}{query}{anchor}"

    def place(self, at: str, check: str) -> Place:
        """What a comment is about, as a form sends it."""
        if at:
            if not AT_PATTERN.fullmatch(at):
                raise InvalidInput("line", "this is not a line.", "Choose one in the code.")
            file, line = (int(part) for part in at.split("."))
            name = real_file(self.database, actor=self.actor, submission_id=self.submission_id, shown=file)
            return Place(file=name, line=line)
        return Place(check_id=check or None)


AtDesk = Annotated[Desk, Depends()]
"""The desk that a request comes from."""
