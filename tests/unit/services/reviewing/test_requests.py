from __future__ import annotations

import threading
from fractions import Fraction
from uuid import UUID, uuid4

import pytest
from sqlalchemy import update

from grader.db import models
from grader.domain.errors import Conflict, EditConflict, GraderError, InvalidInput, NotAllowed, NotFound
from grader.domain.reviewing import RequestState
from grader.domain.verdicts import Visibility
from grader.services.counting import Scope, graded_works
from grader.services.reviewing import requests
from grader.services.reviewing.adjusting import Change, history
from grader.services.reviewing.requests import Answer, RequestView, open_requests, requests_of
from tests.reviews import DOUBLES, HALVES, ReviewedCourse, text


def ask(school: ReviewedCourse, submission_id: UUID, *, check: str | None = None) -> RequestView:
    return requests.ask(
        school.database, actor=school.ada, submission_id=submission_id, text="Please look.", check_id=check
    )


def accepted(change: Change | None = None) -> Answer:
    return Answer(state=RequestState.ACCEPTED, text="You are right.", change=change)


def test_a_request_is_open_until_staff_answer_it(school: ReviewedCourse) -> None:
    submission = school.submit()
    request = ask(school, submission, check=DOUBLES)
    with school.database.reading() as session:
        assert open_requests(session, Scope(course_id=school.course.course_id)) == {
            submission: request.created_at
        }
    answered = requests.answer(
        school.database,
        actor=school.tia,
        request_id=request.id,
        answer=Answer(state=RequestState.DECLINED, text="The report is right."),
        seen=request.version,
    )
    assert (answered.state, answered.answer, answered.answered_by) == (
        RequestState.DECLINED,
        "The report is right.",
        "Tia",
    )
    with school.database.reading() as session:
        assert open_requests(session, Scope(course_id=school.course.course_id)) == {}
        assert requests_of(session, submission) == (answered,)


def test_points_change_with_the_answer_or_not_at_all(school: ReviewedCourse) -> None:
    submission = school.submit(text("it_doubles"))
    request = ask(school, submission)
    with pytest.raises(InvalidInput):
        requests.answer(
            school.database,
            actor=school.tia,
            request_id=request.id,
            answer=accepted(Change(points=Fraction(100), check_id=DOUBLES)),
            seen=1,
        )
    with school.database.reading() as session:
        assert requests_of(session, submission)[0].state is RequestState.OPEN
    requests.answer(
        school.database,
        actor=school.tia,
        request_id=request.id,
        answer=accepted(Change(points=Fraction(5, 3), check_id=DOUBLES)),
        seen=1,
    )
    with school.database.reading() as session:
        assert graded_works(session, Scope(submission_ids=[submission]))[0].work.points == 5
        assert history(session, submission)[0].reason == "Regrade request: You are right."


def test_a_declined_request_changes_no_points(school: ReviewedCourse) -> None:
    request = ask(school, school.submit())
    with pytest.raises(InvalidInput, match="declined"):
        requests.answer(
            school.database,
            actor=school.tia,
            request_id=request.id,
            answer=Answer(state=RequestState.DECLINED, text="No.", change=Change(points=Fraction(1))),
            seen=1,
        )


def test_one_request_at_a_time_and_five_in_all(school: ReviewedCourse) -> None:
    submission = school.submit()
    for number in range(1, 6):
        request = ask(school, submission)
        with pytest.raises(Conflict, match="asked already"):
            ask(school, submission)
        requests.withdraw(school.database, actor=school.ada, request_id=request.id, seen=1)
        assert number <= requests.MOST_REQUESTS
    with pytest.raises(Conflict, match="has had 5 requests"):
        ask(school, submission)


def test_of_many_requests_made_at_once_one_is_kept(school: ReviewedCourse) -> None:
    submission = school.submit()
    outcomes: list[str] = []

    def work() -> None:
        try:
            ask(school, submission)
            outcomes.append("asked")
        except GraderError as error:
            outcomes.append(type(error).__name__)

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["Conflict"] * 9 + ["asked"]


def test_what_is_not_graded_cannot_be_asked_about(school: ReviewedCourse) -> None:
    with pytest.raises(Conflict, match="not been graded"):
        ask(school, school.waiting())


def test_a_hidden_check_is_answered_like_one_that_does_not_exist(school: ReviewedCourse) -> None:
    submission = school.submit(text("it_halves"))
    with school.database.writing() as session:
        attempt = session.query(models.Attempt).filter_by(submission_id=submission).one()
        assert attempt.result is not None
        hidden = {**attempt.result}
        for check in (*hidden["rubric"], *(item["spec"] for item in hidden["results"])):
            if check["id"] == HALVES:
                check["visibility"] = Visibility.HIDDEN.value
        session.execute(update(models.Attempt).where(models.Attempt.id == attempt.id).values(result=hidden))
    told = []
    for check in (HALVES, "half.values.nothing"):
        with pytest.raises(InvalidInput) as refused:
            ask(school, submission, check=check)
        told.append(str(refused.value).replace(check, "X"))
    assert told[0] == told[1]
    assert ask(school, submission, check=DOUBLES).check_id == DOUBLES


def test_an_answer_to_a_request_that_has_moved_on_is_refused(school: ReviewedCourse) -> None:
    request = ask(school, school.submit())
    requests.withdraw(school.database, actor=school.ada, request_id=request.id, seen=1)
    with pytest.raises(EditConflict):
        requests.answer(school.database, actor=school.tia, request_id=request.id, answer=accepted(), seen=1)
    with pytest.raises(Conflict, match="withdrawn already"):
        requests.answer(school.database, actor=school.tia, request_id=request.id, answer=accepted(), seen=2)


def test_a_request_is_its_authors_and_the_staffs_alone(school: ReviewedCourse) -> None:
    submission = school.submit()
    request = ask(school, submission)
    with pytest.raises(NotAllowed):
        requests.answer(school.database, actor=school.ada, request_id=request.id, answer=accepted(), seen=1)
    for actor in (school.ben, school.stranger):
        with pytest.raises(NotFound, match="no regrade request"):
            requests.answer(school.database, actor=actor, request_id=request.id, answer=accepted(), seen=1)
        with pytest.raises(NotFound, match="no regrade request"):
            requests.withdraw(school.database, actor=actor, request_id=request.id, seen=1)
        with pytest.raises(NotFound, match="no submission"):
            requests.ask(school.database, actor=actor, submission_id=submission, text="Me too.")
    with pytest.raises(NotFound):
        requests.ask(school.database, actor=school.tia, submission_id=submission, text="As staff.")
    with pytest.raises(NotFound):
        requests.withdraw(school.database, actor=school.tia, request_id=request.id, seen=1)
    with pytest.raises(NotFound):
        requests.withdraw(school.database, actor=school.ada, request_id=uuid4(), seen=1)
