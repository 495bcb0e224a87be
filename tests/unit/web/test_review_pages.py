from __future__ import annotations

import re
from fractions import Fraction
from uuid import UUID

import pytest
from httpx import Response

from grader.domain.results import AttemptResult
from grader.domain.verdicts import Verdict
from grader.services.counting import Scope, graded_works
from grader.services.reviewing.commenting import comment, comments_on
from grader.services.reviewing.requests import ask
from tests.builders import HOSTILE
from tests.courses import SOLUTION
from tests.web import Browser, Page, WebWorld

DOUBLES = "double.values.it_doubles"


@pytest.fixture
def tom(world: WebWorld) -> Browser:
    return world.browser("tom")


def faulty(world: WebWorld, *, line: int = 2) -> AttemptResult:
    return world.result(
        double_values_it_doubles={
            "verdict": Verdict.FAILED,
            "code": "values.differ",
            "params": {"function": "double"},
            "line": line,
        }
    )


def submitted(world: WebWorld, login: str = "ada", data: bytes = SOLUTION) -> UUID:
    return world.graded(login, faulty(world), data=data).submission_id


def points(world: WebWorld, submission: UUID) -> Fraction | None:
    with world.database.reading() as session:
        return graded_works(session, Scope(submission_ids=[submission]))[0].work.points


def hidden(response: Response, name: str, *, form: str) -> str:
    """The value of a hidden field in the form with that action."""
    found = re.search(
        rf'action="[^"]*{re.escape(form)}[^"]*">.*?name="{name}" value="([^"]*)"', response.text, re.DOTALL
    )
    assert found, f"no field {name} in {form}"
    return found.group(1)


def test_the_queue_lists_who_waits_and_leads_to_the_work(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    response = tom.get("/courses/jax/review")
    page = Page(response.text)
    assert response.status_code == 200
    assert "1 submission, 1 not reviewed" in page.text
    assert f"/review/{submission}" in {link.get("href") for link in page.all("a")}


def test_a_filter_stays_in_every_link_of_the_queue(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    page = Page(tom.get("/courses/jax/review?criterion=double.values&verdict=&blind=yes&order=name").text)
    links = {link.get("href") for link in page.all("a")}
    assert f"/review/{submission}?criterion=double.values&order=name&blind=yes" in links


def test_what_is_no_filter_is_refused_in_words(tom: Browser) -> None:
    for query in ("order=points;drop", "verdict=great", "after=1", "limit=0"):
        assert tom.get(f"/courses/jax/review?{query}").status_code == 422


def test_the_page_shows_report_code_and_points_side_by_side(world: WebWorld, tom: Browser) -> None:
    page = Page(tom.get(f"/review/{submitted(world)}").text)
    assert "What cost points" in page.text
    assert "return 2 * x" in page.text
    assert "10/3 of 5" in page.text
    assert [element for element, _ in page.elements].count("h1") == 1


def test_a_comment_is_written_at_a_line_without_a_script(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    page = Page(tom.get(f"/review/{submission}").text)
    link = next(item["href"] for item in page.all("a") if item.get("data-at") == "0.2")
    assert link is not None
    opened = tom.get(f"/review/{submission}{link}")
    assert "line 2 of submission.py" in Page(opened.text).text
    at = hidden(opened, "at", form="/comments")
    answer = tom.send_form(f"/review/{submission}/comments", {"at": at, "text": "Three, not two."})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/review/{submission}#at-0.2")
    with world.database.reading() as session:
        (only,) = comments_on(session, submission, for_staff=False)
    assert (only.place.file, only.place.line, only.text) == ("submission.py", 2, "Three, not two.")
    assert "Three, not two." in Page(tom.get(f"/review/{submission}").text).text


def test_points_are_adjusted_with_a_reason_and_taken_back(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    tom.send_form(
        f"/review/{submission}/adjustments",
        {"seen": "0", "check": DOUBLES, "points": "5/3", "reason": "Only a typing slip."},
    )
    assert points(world, submission) == 5
    page = tom.get(f"/review/{submission}")
    assert "Only a typing slip." in page.text
    action = re.search(r'action="([^"]*/revoke)"', page.text)
    assert action
    tom.send_form(action.group(1), {"seen": "1", "reason": "It was not."})
    assert points(world, submission) == Fraction(10, 3)


def test_a_conflict_keeps_what_was_typed_and_shows_what_is_there_now(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    ines = world.browser("ines")
    ines.send_form(f"/review/{submission}/adjustments", {"seen": "0", "points": "1", "reason": "Tidy."})
    answer = tom.send_form(
        f"/review/{submission}/adjustments", {"seen": "0", "points": "2", "reason": "My long reason."}
    )
    assert answer.status_code == 409
    page = Page(answer.text)
    fields = {item.get("id"): item.get("value") for item in page.all("input")}
    assert (fields["f-reason"], fields["f-points"]) == ("My long reason.", "2")
    assert "was changed since you opened it" in page.text
    assert "Tidy." in page.text
    assert points(world, submission) == Fraction(13, 3)
    seen = hidden(answer, "seen", form="/adjustments")
    tom.send_form(
        f"/review/{submission}/adjustments", {"seen": seen, "points": "2", "reason": "My long reason."}
    )
    assert points(world, submission) == Fraction(19, 3)


@pytest.mark.parametrize(
    "form, typed, status",
    [
        ("adjustments", {"seen": "0", "points": "lots", "reason": "Why not."}, 422),
        ("adjustments", {"seen": "0", "points": "1", "reason": ""}, 422),
        ("comments", {"text": " "}, 422),
        ("comments", {"text": "a", "at": "0.999"}, 422),
        ("comments", {"text": "a", "at": "9.1"}, 404),
        ("comments", {"text": "a", "check": "none.such.check"}, 422),
        ("bank", {"title": "T", "text": "Words", "code": "no.code"}, 422),
        ("adjustments", {"points": "1", "reason": "No version."}, 422),
    ],
)
def test_what_cannot_be_taken_is_said_on_the_page_and_changes_nothing(
    world: WebWorld, tom: Browser, form: str, typed: dict[str, str], status: int
) -> None:
    submission = submitted(world)
    assert tom.send_form(f"/review/{submission}/{form}", typed).status_code == status
    assert points(world, submission) == Fraction(10, 3)


def test_an_empty_queue_speaks_of_filters_only_where_some_are_set(tom: Browser) -> None:
    assert "Nothing is handed in yet" in tom.get("/courses/jax/review?order=newest&every=true").text
    assert "Nothing fits these filters" in tom.get("/courses/jax/review?flagged=true").text


def test_marking_goes_on_to_the_next_and_after_the_last_to_the_queue(world: WebWorld, tom: Browser) -> None:
    one, two = submitted(world), submitted(world, "ben")
    answer = tom.send_form(
        f"/review/{one}/reviewed?reviewed=no", {"seen": "0", "reviewed": "yes", "go_on": "yes"}
    )
    assert answer.headers["location"] == f"/review/{two}?reviewed=no"
    answer = tom.send_form(
        f"/review/{two}/reviewed?reviewed=no", {"seen": "0", "reviewed": "yes", "go_on": "yes"}
    )
    assert answer.headers["location"] == "/courses/jax/review?reviewed=no"
    assert "Nothing fits" in tom.get("/courses/jax/review?reviewed=no").text


def test_a_request_is_answered_with_points(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    request = ask(
        world.database, actor=world.people["ada"], submission_id=submission, text="Please.", check_id=DOUBLES
    )
    page = tom.get(f"/review/{submission}")
    assert "Please." in page.text
    tom.send_form(
        f"/review/{submission}/requests/{request.id}",
        {"seen": "1", "state": "accepted", "answer": "You are right.", "points": "1", "check": DOUBLES},
    )
    assert points(world, submission) == Fraction(13, 3)
    assert "You are right." in tom.get(f"/review/{submission}").text


def test_one_comment_reaches_a_cluster(world: WebWorld, tom: Browser) -> None:
    one, two = submitted(world), submitted(world, "ben")
    page = tom.get("/courses/jax/review/clusters/doubling")
    key = hidden(page, "key", form="/clusters/doubling")
    tom.send_form("/courses/jax/review/clusters/doubling", {"key": key, "text": "Both of you."})
    for submission in (one, two):
        assert "Both of you." in tom.get(f"/review/{submission}").text
    assert tom.send_form("/courses/jax/review/clusters/doubling", {"key": key, "text": ""}).status_code == 422
    assert (
        tom.send_form("/courses/jax/review/clusters/doubling", {"key": "0", "text": "a"}).status_code == 404
    )


def test_comments_are_kept_changed_and_dropped(tom: Browser) -> None:
    tom.send_form(
        "/courses/jax/review/bank", {"title": "Keys", "text": "Split it.", "code": "prng.key_reused"}
    )
    page = tom.get("/courses/jax/review/bank")
    entry = hidden(page, "entry_id", form="/bank")
    changed = {"entry_id": entry, "seen": "1", "title": "Keys", "text": "Split first.", "code": ""}
    assert tom.send_form("/courses/jax/review/bank", changed).status_code == 303
    conflict = tom.send_form("/courses/jax/review/bank", {**changed, "text": "My words."})
    assert (conflict.status_code, "My words." in conflict.text) == (409, True)
    tom.send_form("/courses/jax/review/bank/delete", {"entry_id": entry, "seen": "2"})
    assert "No comment is kept yet." in tom.get("/courses/jax/review/bank").text


def test_grading_again_queues_one_attempt(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    assert tom.send_form(f"/review/{submission}/grade").status_code == 303
    assert tom.send_form(f"/review/{submission}/grade").status_code == 409


PAGES = (
    "/review/{submission}",
    "/review/{submission}/next",
    "/courses/jax/review",
    "/courses/jax/review/clusters/doubling",
    "/courses/jax/review/bank",
)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("login, statuses", [("ada", {403, 404}), ("ben", {403, 404}), ("sam", {404})])
def test_students_and_strangers_find_no_review(
    world: WebWorld, path: str, login: str, statuses: set[int]
) -> None:
    submission = submitted(world)
    response = world.browser(login).get(path.format(submission=submission))
    assert response.status_code in statuses
    assert "return 2 * x" not in response.text


@pytest.mark.parametrize(
    "path",
    [
        "comments",
        "adjustments",
        "reviewed",
        "grade",
        "bank",
        f"requests/{UUID(int=1)}",
        f"comments/{UUID(int=1)}/delete",
    ],
)
def test_students_and_strangers_change_nothing(world: WebWorld, path: str) -> None:
    submission = submitted(world)
    form = {
        "seen": "0",
        "points": "5",
        "reason": "a",
        "text": "a",
        "title": "a",
        "state": "accepted",
        "answer": "a",
    }
    for login in ("ada", "ben", "sam"):
        response = world.browser(login).send_form(f"/review/{submission}/{path}", form)
        assert response.status_code in {403, 404}, login
    assert points(world, submission) == Fraction(10, 3)


def test_hostile_text_is_harmless_on_every_page(world: WebWorld, tom: Browser) -> None:
    said = HOSTILE.replace("\x00", "").replace("\udc80", "")
    submission = submitted(world, data=f"# {said}\n".encode() + SOLUTION)
    comment(world.database, actor=world.people["tom"], submission_id=submission, text=HOSTILE)
    ask(world.database, actor=world.people["ada"], submission_id=submission, text=HOSTILE)
    tom.send_form("/courses/jax/review/bank", {"title": said, "text": said})
    for path in (f"/review/{submission}", "/courses/jax/review", "/courses/jax/review/bank"):
        text = tom.get(path).text
        assert "<script>alert" not in text
        assert not {"\x1b", "\u202e", "\x00"} & set(text)


@pytest.mark.parametrize("path", PAGES)
def test_a_blind_page_names_nobody(world: WebWorld, tom: Browser, path: str) -> None:
    data = b"# Ada wrote this, ada@example.edu\n" + SOLUTION
    submission = submitted(world, data=data)
    ask(world.database, actor=world.people["ada"], submission_id=submission, text="Ada asks.")
    response = tom.get(path.format(submission=submission) + "?blind=yes&reviewed=no", follow_redirects=True)
    assert response.status_code == 200
    assert not re.search(r"(?<![A-Za-z0-9])ada(?![A-Za-z0-9])", response.text, re.IGNORECASE)
