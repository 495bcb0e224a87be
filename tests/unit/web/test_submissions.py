from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, update

from grader.db import models
from grader.domain.attempts import AttemptState
from grader.domain.regrades import Selection
from grader.domain.results import Feedback, Progress, Stage
from grader.domain.reviewing import AdjustmentKind
from grader.domain.scheduling import Counting
from grader.services.leases import claim, renew
from grader.services.policy import QueuePolicy
from grader.services.receipts.documents import parse, public_key, verify
from grader.services.regrading.deciding import apply_plan
from grader.services.regrading.planning import make_plan
from grader.services.student.progress import progress_now
from grader.web.pages import following
from grader.web.pages.following import MOST_STREAMS, Pace, events
from tests.courses import SOLUTION
from tests.students import (
    AFTER_DUE,
    EVERYTHING,
    OPEN,
    SEALED,
    a_result,
    grade,
    graded,
    publish_hidden,
    schedule,
)
from tests.web import Browser, Page, WebWorld

PAST = datetime(2020, 1, 1, tzinfo=UTC)
QUICK = Pace(first_s=0.01, slowest_s=0.02, quiet_s=0.0, longest_s=5.0)


@pytest.fixture
def hidden(world: WebWorld) -> WebWorld:
    publish_hidden(world.course)
    return world


def handed_in(world: WebWorld, passed: frozenset[str] = EVERYTHING, data: bytes = SOLUTION) -> UUID:
    return graded(world.course, passed, data=data, user_id=world.people["ada"].user_id).submission_id


def page_of(browser: Browser, address: str) -> Page:
    answer = browser.get(address)
    assert answer.status_code == 200, answer.text
    return Page(answer.text)


def stream(world: WebWorld, submission_id: UUID, pace: Pace = QUICK, *, steps: int = 100) -> list[str]:
    """The first events of a stream."""

    async def collected() -> list[str]:
        first = progress_now(world.database, actor=world.people["ada"], submission_id=submission_id)
        found = []
        async for part in events(world.database, actor=world.people["ada"], first=first, pace=pace):
            found.append(part)
            if len(found) >= steps:
                break
        return found

    return asyncio.run(collected())


def test_a_report_never_claims_that_hidden_checks_passed(hidden: WebWorld) -> None:
    text = page_of(hidden.browser("ada"), f"/submissions/{handed_in(hidden)}").text
    assert "3 more checks, worth 12 points, are not shown" in text
    assert "1 passed" in text
    assert "counts so far" in text


def test_a_report_shows_evidence_lines_and_a_link_into_the_lesson(hidden: WebWorld) -> None:
    ada = hidden.browser("ada")
    answer = ada.get(f"/submissions/{handed_in(hidden, frozenset())}")
    page = Page(answer.text)
    assert {"class": "line marked", "id": "f0-L2"} in page.all("div")
    assert "an input of it_doubles" in page.text
    links = {attributes.get("href") for attributes in page.all("a")}
    assert any(link and link.startswith("/courses/jax/assignments/doubling#") for link in links)
    assert len(page.all("h1")) == 1
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_comments_stand_at_their_line_without_a_name_of_staff(hidden: WebWorld) -> None:
    submission_id = handed_in(hidden)
    with hidden.database.writing() as session:
        session.add(
            models.Comment(
                submission_id=submission_id,
                author_id=hidden.people["tom"].user_id,
                text="Mind the <axis>.",
                file="submission.py",
                line=2,
                created_at=PAST,
            )
        )
    answer = hidden.browser("ada").get(f"/submissions/{submission_id}")
    line, said = answer.text.index('id="f0-L2"'), answer.text.index("Mind the &lt;axis&gt;.")
    assert line < said < answer.text.index('id="f0-L3"')
    assert "course staff, Wed 1 Jan 2020, 00:00 UTC" in Page(answer.text).text


def test_the_points_above_a_report_are_those_that_staff_left(hidden: WebWorld) -> None:
    submission_id = handed_in(hidden)
    ada = hidden.browser("ada")
    assert "found by the checks" not in page_of(ada, f"/submissions/{submission_id}").text
    with hidden.database.writing() as session:
        session.add(
            models.Adjustment(
                submission_id=submission_id,
                kind=AdjustmentKind.ADD,
                points=Fraction(-1, 2),
                reason="Half a name.",
                author_id=hidden.people["tom"].user_id,
                created_at=PAST,
            )
        )
    text = " ".join(page_of(ada, f"/submissions/{submission_id}").text.split())
    assert "1.5 of 2 points" in text
    assert "2 found by the checks, \N{MINUS SIGN}0.5 by course staff" in text


def test_earlier_submissions_and_their_feedback_stay_readable(hidden: WebWorld) -> None:
    first, second = handed_in(hidden, frozenset()), handed_in(hidden, data=SOLUTION + b"# 2\n")
    ada = hidden.browser("ada")
    page = ada.get(f"/submissions/{second}").text
    assert f'href="/submissions/{first}"' in page
    assert f'href="/submissions/{second}/diff/{first}"' in page
    assert "does not count" in page_of(ada, f"/submissions/{first}").text


def test_what_changed_is_shown_in_one_column_and_in_two(hidden: WebWorld) -> None:
    first = handed_in(hidden)
    second = handed_in(hidden, data=SOLUTION.replace(b"2 * x", b"x + x"))
    ada = hidden.browser("ada")
    for split in ("false", "true"):
        text = page_of(ada, f"/submissions/{first}/diff/{second}?split={split}").text
        assert "From submission 1 to 2" in text
        assert "1 line added, 1 line removed" in text
        assert text.index("return 2 * x") < text.index("return x + x")
    found = hidden.script("ada").get(f"/api/v1/submissions/{second}/diff/{first}").json()
    assert (found["old"], found["new"], found["files"][0]["added"]) == (1, 2, 1)


def test_only_submissions_of_one_student_and_assignment_are_compared(hidden: WebWorld) -> None:
    mine = handed_in(hidden)
    bens = graded(hidden.course, user_id=hidden.people["ben"].user_id).submission_id
    for login in ("ada", "ben", "tom"):
        assert hidden.browser(login).get(f"/submissions/{mine}/diff/{bens}").status_code == 404


def test_a_receipt_is_read_downloaded_and_verified(hidden: WebWorld) -> None:
    submission_id = handed_in(hidden)
    ada = hidden.browser("ada")
    assert str(submission_id) in page_of(ada, f"/submissions/{submission_id}/receipt").text
    answer = ada.get(f"/submissions/{submission_id}/receipt.json")
    key = public_key(hidden.visitor().get("/.well-known/grader-receipt-key").json()["key"])
    receipt = verify(parse(answer.content), key=key)
    command = f"grader receipt verify doubling-1-receipt.json --key {key.text}"
    shown = page_of(ada, f"/submissions/{submission_id}/receipt").text
    assert command in shown
    assert key.id in shown
    assert (receipt["submission_id"], receipt["student"]["login"]) == (str(submission_id), "ada")
    assert 'filename="doubling-1-receipt.json"' in answer.headers["content-disposition"]
    api = hidden.script("ada").get(f"/api/v1/submissions/{submission_id}/receipt").content
    assert verify(parse(api), key=key)["files"] == receipt["files"]


def test_a_report_can_be_kept_as_one_file(hidden: WebWorld) -> None:
    answer = hidden.browser("ada").get(f"/submissions/{handed_in(hidden)}/report.html")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "<script" not in answer.text
    assert "<style>" in answer.text


def test_the_api_gives_the_report_as_the_command_line_prints_it(hidden: WebWorld) -> None:
    submission_id = handed_in(hidden, frozenset({SEALED}))
    found = hidden.script("ada").get(f"/api/v1/submissions/{submission_id}/report").json()
    assert (found["report"]["score"], found["report"]["max_score"], found["attempt"]) == (0, 2, 1)
    assert found["report"]["seed"] is None
    assert found["submission"]["hidden"][0]["opens"] == "after_due"
    waiting = hidden.course.submit(user_id=hidden.people["ada"].user_id).submission_id
    assert hidden.script("ada").get(f"/api/v1/submissions/{waiting}/report").json()["report"] is None


def test_the_one_that_counts_is_chosen_where_students_choose(hidden: WebWorld) -> None:
    first, second = handed_in(hidden), handed_in(hidden)
    ada = hidden.browser("ada")
    assert ada.send_form(f"/submissions/{first}/choose").status_code == 409
    schedule(hidden.course, counting=Counting.CHOSEN)
    assert "does not count" in page_of(ada, f"/submissions/{first}").text
    assert ada.send_form(f"/submissions/{first}/choose").status_code == 303
    assert "does not count" in page_of(ada, f"/submissions/{second}").text
    assert hidden.script("ada").post(f"/api/v1/submissions/{second}/choose").status_code == 204
    assert "does not count" in page_of(ada, f"/submissions/{first}").text
    schedule(hidden.course, counting=Counting.CHOSEN, released_at=PAST)
    assert ada.send_form(f"/submissions/{first}/choose").status_code == 409


def test_a_regrade_is_asked_for_and_taken_back(hidden: WebWorld) -> None:
    submission_id = handed_in(hidden)
    ada, address = hidden.browser("ada"), f"/submissions/{submission_id}/request"
    assert [option["value"] for option in page_of(ada, address).all("option")] == ["", OPEN]
    assert [group["label"] for group in page_of(ada, address).all("optgroup")] == ["double"]
    assert ada.send_form(address, {"text": ""}).status_code == 422
    assert ada.send_form(address, {"text": "x", "check": SEALED}).status_code == 422
    assert ada.send_form(address, {"text": "My axis is right.", "check": OPEN}).status_code == 303
    assert "waiting for an answer" in page_of(ada, address).text
    [request] = hidden.script("ada").get(f"/api/v1/submissions/{submission_id}/requests").json()
    take_back = f"{address}/{request['id']}/withdraw"
    assert ada.send_form(take_back, {"version": 7}).status_code == 409
    assert ada.send_form(take_back, {"version": request["version"]}).status_code == 303
    assert "taken back" in page_of(ada, address).text


def test_a_request_is_not_taken_back_through_another_submission(hidden: WebWorld) -> None:
    first, second = handed_in(hidden), handed_in(hidden)
    ada = hidden.script("ada")
    made = ada.post(f"/api/v1/submissions/{first}/requests", json={"text": "please"}).json()
    address = f"/api/v1/submissions/{second}/requests/{made['id']}/withdraw"
    assert ada.post(address, json={"version": 1}).status_code == 404
    assert ada.get(f"/api/v1/submissions/{first}/requests").json()[0]["state"] == "open"


def test_while_it_waits_the_page_says_where_and_works_without_a_script(hidden: WebWorld) -> None:
    ahead = hidden.course.submit(user_id=hidden.people["ben"].user_id)
    mine = hidden.course.submit(user_id=hidden.people["ada"].user_id)
    answer = hidden.browser("ada").get(f"/submissions/{mine.submission_id}")
    assert "1 submission ahead of this one, none being graded just now." in Page(answer.text).text
    assert '<noscript><meta http-equiv="refresh" content="4"></noscript>' in answer.text
    assert f'sse-connect="/submissions/{mine.submission_id}/progress"' in answer.text
    grade(hidden.course, ahead.attempt_id, a_result())


def test_what_could_not_be_graded_is_said_to_be_no_fault_of_theirs(hidden: WebWorld) -> None:
    receipt = hidden.course.submit(user_id=hidden.people["ada"].user_id)
    with hidden.database.writing() as session:
        session.execute(
            update(models.Attempt).values(state=AttemptState.NOT_GRADED, failure_reason="SecretError")
        )
    text = page_of(hidden.browser("ada"), f"/submissions/{receipt.submission_id}").text
    assert "could not be graded, through no fault of yours" in text
    assert "SecretError" not in text
    assert "SecretError" in page_of(hidden.browser("tom"), f"/submissions/{receipt.submission_id}").text


def test_a_stream_follows_an_attempt_to_its_end(hidden: WebWorld) -> None:
    receipt = hidden.course.submit(user_id=hidden.people["ada"].user_id)
    submission_id, parts = receipt.submission_id, []

    async def follow() -> None:
        ada = hidden.people["ada"]
        first = progress_now(hidden.database, actor=ada, submission_id=submission_id)
        async for part in events(hidden.database, actor=ada, first=first, pace=QUICK):
            parts.append(part)
            if "Waiting in the queue" in part:
                lease = claim(hidden.database, receipt.attempt_id, owner="h:1", policy=QueuePolicy())
                assert lease is not None
                step = Progress(stage=Stage.CHECKING, check_id=OPEN, done=2, total=4)
                renew(hidden.database, lease, progress=step, policy=QueuePolicy())
            elif "Check 3 of 4" in part:
                with hidden.database.writing() as session:
                    session.execute(
                        update(models.Attempt).values(
                            state=AttemptState.ABANDONED, lease_token=None, lease_expires_at=None
                        )
                    )

    asyncio.run(follow())
    said = "".join(parts)
    assert parts[0] == "retry: 3000\n\n"
    assert said.index("Waiting in the queue") < said.index("Check 3 of 4") < said.index("no fault of yours")
    assert "Title of it_doubles." in said
    assert parts[-1] == "event: done\ndata: done\n\n"


def test_a_stream_that_goes_on_too_long_ends_and_may_be_opened_again(hidden: WebWorld) -> None:
    receipt = hidden.course.submit(user_id=hidden.people["ada"].user_id)
    pace = Pace(first_s=0.01, slowest_s=0.01, quiet_s=0.0, longest_s=0.2)
    parts = stream(hidden, receipt.submission_id, pace, steps=10_000)
    assert ": nothing new\n\n" in parts
    assert not any("event: done" in part for part in parts)


def test_a_stream_ends_when_its_reader_leaves_the_course(hidden: WebWorld) -> None:
    receipt = hidden.course.submit(user_id=hidden.people["ada"].user_id)

    async def follow() -> list[str]:
        ada, found = hidden.people["ada"], []
        first = progress_now(hidden.database, actor=ada, submission_id=receipt.submission_id)
        async for part in events(hidden.database, actor=ada, first=first, pace=QUICK):
            found.append(part)
            if len(found) == 2:
                with hidden.database.writing() as session:
                    key = (hidden.course.course_id, ada.user_id)
                    session.delete(session.get_one(models.Membership, key))
        return found

    assert asyncio.run(follow())[-1] == "event: done\ndata: done\n\n"


def test_a_graded_submission_ends_its_stream_at_once(hidden: WebWorld) -> None:
    answer = hidden.browser("ada").get(f"/submissions/{handed_in(hidden)}/progress")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["x-accel-buffering"] == "no"
    assert answer.text.endswith("event: done\ndata: done\n\n")
    assert hidden.people["ada"].user_id not in following._open


def test_one_person_opens_only_so_many_streams(hidden: WebWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    submission_id = handed_in(hidden)
    monkeypatch.setitem(following._open, hidden.people["ada"].user_id, MOST_STREAMS)
    answer = hidden.browser("ada").get(f"/submissions/{submission_id}/progress")
    assert answer.status_code == 429
    ben = graded(hidden.course, user_id=hidden.people["ben"].user_id).submission_id
    assert hidden.browser("ben").get(f"/submissions/{ben}/progress").status_code == 200


@pytest.mark.parametrize("login", ["ben", "sam"])
@pytest.mark.parametrize(
    "tail", ["", "/progress", "/receipt", "/receipt.json", "/report.html", "/files/0", "/request"]
)
def test_anothers_submission_is_answered_like_one_that_does_not_exist(
    hidden: WebWorld, login: str, tail: str
) -> None:
    mine, none = handed_in(hidden), uuid4()
    browser = hidden.browser(login)
    theirs, nothing = browser.get(f"/submissions/{mine}{tail}"), browser.get(f"/submissions/{none}{tail}")
    assert theirs.status_code == nothing.status_code == 404
    assert (
        Page(theirs.text).text.replace(str(mine), "…").split("Number of")[0]
        == (Page(nothing.text).text.replace(str(none), "…").split("Number of")[0])
    )


@pytest.mark.parametrize("position", ["1", "-1", "99999999999999999999", "x"])
def test_a_file_that_is_not_there_is_not_found(hidden: WebWorld, position: str) -> None:
    submission_id = handed_in(hidden)
    assert hidden.browser("ada").get(f"/submissions/{submission_id}/files/{position}").status_code == 404


def test_the_api_and_the_page_tell_the_same_key(hidden: WebWorld) -> None:
    public = json.loads(hidden.visitor().get("/.well-known/grader-receipt-key").text)
    assert hidden.visitor().get("/api/v1/receipt-key").json() == public


def test_a_student_reads_why_it_was_graded_again_and_that_the_points_possible_changed(
    world: WebWorld,
) -> None:
    before = world.graded("ada")
    publish_hidden(world.course)
    ada, ines = world.browser("ada"), world.people["ines"]
    where = {"actor": ines, "course": "jax", "slug": "doubling"}
    plan = make_plan(
        world.database, selection=Selection(), reason="A check more.", secret=world.context.secret, **where
    )
    with world.database.reading() as session:
        attempt_id = session.scalars(select(models.RegradeItem.attempt_id)).one()
    grade(world.course, attempt_id, a_result())

    address = f"/submissions/{before.submission_id}"
    untouched = page_of(ada, address).text
    assert "A check more." not in untouched
    assert "5 of 5" in untouched
    assert "5 of 5" in page_of(ada, "/courses/jax").text

    apply_plan(world.database, plan_id=plan.id, seen=plan.version, **where)
    told = page_of(ada, address).text
    assert "Graded again A check more. The points possible have changed from 5 to 14." in told
    assert "attempt 2, shown here (counts), version 2, of 14 points" in told
    assert "2 of 2" in told  # the open checks
    newest, first = world.script("ada").get(f"/api/v1{address}").json()["attempts"]
    assert (newest["worth"], newest["because"], first["worth"], first["because"]) == (
        14,
        "A check more.",
        5,
        "",
    )
    earlier = page_of(ada, f"{address}?attempt=1").text
    assert "The points possible have changed" not in earlier
    assert "version 2, of 14 points, graded again: A check more." in earlier


def test_feedback_links_only_to_headings_that_the_lesson_has(world: WebWorld) -> None:
    """The sample's lesson teaches pure functions and no keys."""
    publish_hidden(world.course)
    told = {OPEN: "prng.key_reused", AFTER_DUE: "purity.prints"}
    result = a_result(EVERYTHING - told.keys())
    checks = [
        replace(item, feedback=Feedback(code=told[item.spec.id])) if item.spec.id in told else item
        for item in result.results
    ]
    receipt = world.submit("ada")
    grade(world.course, receipt.attempt_id, replace(result, results=tuple(checks)))
    schedule(world.course, due_at=PAST)
    page = page_of(world.browser("ada"), f"/submissions/{receipt.submission_id}")
    links = [link["href"] for link in page.all("a") if "#" in (link["href"] or "")[1:]]
    assert links == ["/courses/jax/assignments/doubling#pure-functions"]
    report = world.script("ada").get(f"/api/v1/submissions/{receipt.submission_id}/report").json()["report"]
    lessons = [check["feedback"]["lesson"] for item in report["criteria"] for check in item["checks"]]
    assert lessons == [None, "#pure-functions"]
