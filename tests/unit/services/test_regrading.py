from __future__ import annotations

import threading
from collections.abc import Callable
from fractions import Fraction
from uuid import UUID

import pytest
from sqlalchemy import func, select

from grader.db import models
from grader.domain.attempts import AttemptState, Lane
from grader.domain.errors import Conflict, EditConflict, InvalidInput, NotAllowed, NotFound
from grader.domain.regrades import Cause, Selection, Which
from grader.domain.reviewing import AdjustmentKind, PlanState
from grader.domain.verdicts import Blame, Verdict
from grader.services.access import Actor
from grader.services.counting import Scope, graded_works
from grader.services.queueing import enqueue
from grader.services.regrading.comparing import PlanChanges, WorthChange, plan_changes
from grader.services.regrading.deciding import apply_plan, discard_plan, undo_plan
from grader.services.regrading.planning import make_plan
from grader.services.regrading.plans import PlanView, plan, plans
from tests.courses import SECRET
from tests.engines import Judge
from tests.reviews import DOUBLES, HALVES, ReviewedCourse, text
from tests.students import a_result, grade, publish_hidden

FULL = Fraction(5)
COUNTING = Selection()


def all_pass(*_: object) -> tuple[Verdict, Blame | None]:
    return Verdict.PASSED, None


def nobody_can_say(*_: object) -> tuple[Verdict, Blame | None]:
    return Verdict.INTERNAL_ERROR, Blame.COURSE


class Planner:
    """Plans regrades as Ines."""

    def __init__(self, review: ReviewedCourse) -> None:
        self.review, self.database = review, review.database

    def make(self, selection: Selection = COUNTING, *, actor: Actor | None = None) -> PlanView:
        return make_plan(
            self.database,
            actor=actor or self.review.ines,
            course="jax",
            slug="doubling",
            selection=selection,
            reason="The tolerance was too small.",
            secret=SECRET,
        )

    def grade(self, view: PlanView, judge: Judge = all_pass) -> None:
        for attempt_id in self.attempts(view):
            self.review.grade(attempt_id, judge=judge)

    def made(self, selection: Selection = COUNTING, judge: Judge = all_pass) -> PlanView:
        """A plan whose attempts are all graded."""
        view = self.make(selection)
        self.grade(view, judge)
        return self.look(view)

    def attempts(self, view: PlanView) -> list[UUID]:
        query = select(models.RegradeItem.attempt_id).where(models.RegradeItem.plan_id == view.id)
        with self.database.reading() as session:
            return list(session.scalars(query))

    def look(self, view: PlanView) -> PlanView:
        return plan(self.database, actor=self.review.tia, course="jax", slug="doubling", plan_id=view.id)

    def changes(self, view: PlanView) -> PlanChanges:
        return plan_changes(
            self.database, actor=self.review.tia, course="jax", slug="doubling", plan_id=view.id
        )

    def decide(self, how: Callable[..., PlanView], view: PlanView, *, seen: int | None = None) -> PlanView:
        return how(
            self.database,
            actor=self.review.ines,
            course="jax",
            slug="doubling",
            plan_id=view.id,
            seen=view.version if seen is None else seen,
        )

    def points(self, submission_id: UUID) -> Fraction | None:
        with self.database.reading() as session:
            return graded_works(session, Scope(submission_ids=[submission_id]))[0].work.points


@pytest.fixture
def planner(review: ReviewedCourse) -> Planner:
    return Planner(review)


def test_a_plan_makes_attempts_in_the_bulk_lane_and_changes_no_grade(planner: Planner) -> None:
    submission = planner.review.submit(text("it_halves"))
    view = planner.make()
    assert (view.state, view.progress.total, view.progress.done) == (PlanState.RUNNING, 1, 0)
    with planner.database.reading() as session:
        attempt = session.get_one(models.Attempt, planner.attempts(view)[0])
    assert (attempt.lane, attempt.number) == (Lane.BULK, 2)
    planner.grade(view)
    assert planner.look(view).state is PlanState.READY
    assert planner.points(submission) == 3


def test_counting_means_one_submission_a_student_and_all_means_all(planner: Planner) -> None:
    for by in (planner.review.ada, planner.review.ada, planner.review.ben):
        planner.review.submit(by=by)
    assert planner.make().progress.total == 2
    assert planner.make(Selection(which=Which.ALL)).progress.total == 3


def test_a_plan_can_be_for_those_who_failed_one_check(planner: Planner) -> None:
    planner.review.submit(text("it_halves"))
    planner.review.submit(text("it_doubles"), by=planner.review.ben)
    chosen = Selection(check_id=HALVES, verdicts=frozenset({Verdict.FAILED}))
    assert [row.login for row in planner.changes(planner.make(chosen)).rows] == ["ada"]
    assert planner.make(Selection(check_id=HALVES)).progress.total == 2


def test_a_choice_that_nothing_fits_is_told(planner: Planner) -> None:
    with pytest.raises(Conflict, match="nothing to grade again"):
        planner.make()


def test_the_plan_says_who_changes_by_how_much_and_why(planner: Planner) -> None:
    planner.review.submit(text("it_halves"))
    planner.review.submit(by=planner.review.ben)
    changes = planner.changes(planner.made())
    first, second = changes.rows
    assert (first.login, first.before, first.after, first.delta) == ("ada", Fraction(3), FULL, Fraction(2))
    assert [(item.check_id, item.cause, item.delta) for item in first.checks] == [
        (HALVES, Cause.VERDICT, Fraction(2))
    ]
    assert (second.login, second.changes) == ("ben", False)
    assert (changes.up, changes.down) == (1, 0)


def test_the_plan_says_that_a_newer_version_is_worth_other_points(planner: Planner) -> None:
    planner.review.submit()
    assert planner.changes(planner.made()).worth == ()
    newer = publish_hidden(planner.review.course)
    view = planner.make()
    assert planner.changes(view).worth == ()  # nothing is graded again so far
    for attempt_id in planner.attempts(view):
        grade(planner.review.course, attempt_id, a_result())
    changes = planner.changes(view)
    (row,) = changes.rows
    assert (row.worth_before, row.worth_after) == (FULL, 14)
    assert changes.worth == (WorthChange(before=FULL, after=Fraction(14), submissions=1),)
    assert changes.plan.assignment_version == newer.number


def test_what_the_plan_foretells_is_what_applying_it_does(planner: Planner) -> None:
    submissions = [
        planner.review.submit(text("it_halves")),
        planner.review.submit(text("it_doubles"), by=planner.review.ben),
    ]
    view = planner.made(judge=lambda check, _: _only(check.id))
    foretold = {row.submission_id: row.after for row in planner.changes(view).rows}
    planner.decide(apply_plan, view)
    assert {item: planner.points(item) for item in submissions} == foretold


def _only(check_id: str) -> tuple[Verdict, Blame | None]:
    return (Verdict.PASSED, None) if check_id == DOUBLES else (Verdict.FAILED, Blame.STUDENT)


def test_applied_undone_and_applied_again(planner: Planner) -> None:
    submission = planner.review.submit(text("it_halves"))
    view = planner.made()
    for how, points in ((apply_plan, FULL), (undo_plan, Fraction(3)), (apply_plan, FULL)):
        view = planner.decide(how, view)
        assert planner.points(submission) == points
    assert view.undone_at is None


def test_a_plan_that_still_runs_cannot_be_applied(planner: Planner) -> None:
    planner.review.submit()
    with pytest.raises(Conflict, match="1 of its attempts are not graded yet"):
        planner.decide(apply_plan, planner.make())


def test_an_attempt_without_a_grade_changes_nothing(planner: Planner) -> None:
    submission = planner.review.submit(text("it_halves"))
    view = planner.made(judge=nobody_can_say)
    assert (view.progress.failed, view.can_apply) == (1, True)
    planner.decide(apply_plan, view)
    assert planner.points(submission) == 3


def test_a_later_attempt_of_another_kind_is_never_replaced(planner: Planner) -> None:
    submission = planner.review.submit(text("it_halves"))
    view = planner.made()
    with planner.database.writing() as session:
        version = session.get_one(models.AssignmentVersion, planner.review.course.version.version_id)
        later = enqueue(
            session,
            submission_id=submission,
            version=version,
            lane=Lane.INTERACTIVE,
            secret=SECRET,
            now=planner.database.now(session),
        )
    planner.review.grade(later.id, judge=lambda check, _: _only(check.id))
    planner.decide(apply_plan, view)
    assert planner.points(submission) == Fraction(5, 3)


def test_adjustments_survive_applying_and_undoing(planner: Planner) -> None:
    submission = planner.review.submit(text("it_halves"))
    with planner.database.writing() as session:
        adjustment = models.Adjustment(
            submission_id=submission,
            kind=AdjustmentKind.ADD,
            points=Fraction(1, 2),
            reason="because",
            created_at=planner.database.now(session),
        )
        session.add(adjustment)
    view = planner.made()
    [row] = planner.changes(view).rows
    assert (row.before, row.after) == (Fraction(7, 2), Fraction(11, 2))
    planner.decide(undo_plan, planner.decide(apply_plan, view))
    assert planner.points(submission) == Fraction(7, 2)


def test_a_discarded_plan_is_over_and_what_has_not_begun_never_runs(planner: Planner) -> None:
    submission = planner.review.submit(text("it_halves"))
    view = planner.decide(discard_plan, planner.make())
    planner.grade(view)
    with planner.database.reading() as session:
        attempt = session.get_one(models.Attempt, planner.attempts(view)[0])
    assert attempt.state is AttemptState.NOT_GRADED
    for how in (apply_plan, undo_plan, discard_plan):
        with pytest.raises(Conflict, match="discarded"):
            planner.decide(how, view)
    assert planner.points(submission) == 3


def test_an_applied_plan_has_to_be_undone_before_it_is_discarded(planner: Planner) -> None:
    planner.review.submit()
    with pytest.raises(Conflict, match="Undo it"):
        planner.decide(discard_plan, planner.decide(apply_plan, planner.made()))


def test_a_decision_on_a_plan_that_somebody_else_decided_on_is_refused(planner: Planner) -> None:
    planner.review.submit()
    view = planner.made()
    planner.decide(apply_plan, view)
    with pytest.raises(EditConflict):
        planner.decide(undo_plan, view)


def test_of_many_who_apply_at_once_one_does(planner: Planner) -> None:
    submission = planner.review.submit(text("it_halves"))
    view, outcomes = planner.made(), list[str]()

    def work() -> None:
        try:
            planner.decide(apply_plan, view)
            outcomes.append("applied")
        except (Conflict, EditConflict) as error:
            outcomes.append(type(error).__name__)

    threads = [threading.Thread(target=work) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(outcomes), outcomes.count("applied")) == (50, 1)
    assert planner.points(submission) == FULL
    query = select(func.count()).where(models.AuditEvent.action == "regrade.applied")
    with planner.database.reading() as session:
        assert session.scalar(query) == 1


def test_several_plans_made_at_once_number_their_attempts_one_after_the_other(planner: Planner) -> None:
    submission = planner.review.submit()
    threads = [threading.Thread(target=planner.make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    query = select(models.Attempt.number).where(models.Attempt.submission_id == submission)
    with planner.database.reading() as session:
        assert sorted(session.scalars(query)) == list(range(1, 10))


def test_a_plan_needs_a_reason(planner: Planner) -> None:
    with pytest.raises(InvalidInput, match="reason"):
        make_plan(
            planner.database,
            actor=planner.review.ines,
            course="jax",
            slug="doubling",
            selection=COUNTING,
            reason="  ",
            secret=SECRET,
        )


def test_only_instructors_plan_and_only_staff_look(planner: Planner) -> None:
    planner.review.submit()
    with pytest.raises(NotAllowed):
        planner.make(actor=planner.review.tia)
    planner.make()
    for actor, error in ((planner.review.ada, NotAllowed), (planner.review.stranger, NotFound)):
        with pytest.raises(error):
            plans(planner.database, actor=actor, course="jax", slug="doubling")
    assert len(plans(planner.database, actor=planner.review.tia, course="jax", slug="doubling")) == 1
