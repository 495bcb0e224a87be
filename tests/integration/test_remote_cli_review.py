"""The command line as TAs use it, against a real server: everything that the review pages do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from grader.domain.verdicts import Verdict
from grader.services.reviewing.requests import ask
from tests.terminal import Terminal, terminal

CHECK = "half.values.it_halves"
FAILED = {"verdict": Verdict.FAILED, "code": "values.differ"}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    with terminal(tmp_path, monkeypatch) as found:
        found.log_in("tom")
        yield found


@pytest.fixture
def work(shell: Terminal) -> str:
    """Ada's submission, which fails a check worth two points of five; by the start of its id."""
    return handed_in(shell, "ada").hex[:8]


def handed_in(shell: Terminal, login: str) -> UUID:
    return shell.world.graded(login, shell.world.result(half_values_it_halves=FAILED)).submission_id


def desk(shell: Terminal, work: str) -> Any:  # noqa: ANN401 - JSON
    return shell.tells("review", "show", work)["submission"]


def asked(shell: Terminal, login: str = "ada") -> str:
    """A submission whose author asks for a regrade of the check that failed."""
    submission_id = handed_in(shell, login)
    actor = shell.world.people[login]
    ask(shell.world.database, actor=actor, submission_id=submission_id, text="It halves.", check_id=CHECK)
    return submission_id.hex[:8]


# --- the queue ----------------------------------------------------------------------------------------------


def test_the_queue_names_each_submission_by_what_other_commands_take(shell: Terminal, work: str) -> None:
    said = shell.says("review", "queue")
    assert "1 submission, 1 not reviewed." in said
    for words in (work, "Ada (ada)", "doubling/1", "3 / 5"):
        assert words in said


FILTERS = {
    ("--assignment", "doubling"): True,
    ("--family", "values", "--verdict", "failed"): True,
    ("--family", "jit"): False,
    ("--verdict", "timed_out"): False,
    ("--code", "values.differ"): True,
    ("--reviewed", "no"): True,
    ("--reviewed", "yes"): False,
    ("--requested",): False,
    ("--flagged",): False,
    ("--needs-staff",): False,
    ("--section", "Monday"): False,
}
"""Filters, and whether Ada's submission is among what they leave."""


def test_the_queue_is_filtered_as_on_its_page(shell: Terminal, work: str) -> None:
    for words, expected in FILTERS.items():
        items = shell.tells("review", "queue", *words)["queue"]["items"]
        found = [UUID(item["submission_id"]).hex[:8] for item in items]
        assert found == ([work] if expected else []), words


def test_an_empty_queue_speaks_of_filters_only_where_some_are_set(shell: Terminal) -> None:
    assert "Nothing is handed in yet." in shell.says("review", "queue", "--every")
    assert "Nothing fits these filters." in shell.says("review", "queue", "--flagged")


def test_a_part_of_the_queue_says_how_the_next_is_asked_for(shell: Terminal) -> None:
    first, second = (handed_in(shell, login).hex[:8] for login in ("ada", "ben"))
    said = shell.says("review", "queue", "--limit", "1")
    assert first in said
    assert second not in said
    assert f"--after {first}" in said
    said = shell.says("review", "queue", "--limit", "1", "--after", first)
    assert second in said
    assert "--after" not in said


def test_blind_reading_names_nobody(shell: Terminal, work: str) -> None:
    shell.says("review", "comment", work, "See here.", "--line", "2", "--blind")
    for words in (
        ("queue", "--blind"),
        ("show", work, "--blind", "--code"),
        ("show", work, "--blind", "--json"),
    ):
        assert "ada" not in shell.says("review", *words).lower()


def test_where_the_course_hides_names_the_work_gets_done_without_asking_for_it(
    shell: Terminal, work: str
) -> None:
    request = asked(shell, "ben")
    shell.as_("ines", "course", "settings", "jax", "--hide-names")
    shell.log_in("tom")
    said = [
        shell.says("review", *words)
        for words in (
            ("queue",),
            ("queue", "--json"),
            ("comment", work, "See here.", "--line", "2"),
            ("adjust", work, "--check", CHECK, "--points", "1", "--reason", "Nearly."),
            ("answer", request, "It does not.", "--decline"),
            ("mark", work),
            ("show", work, "--code"),
            ("show", work, "--json"),
            ("clusters", "doubling"),
        )
    ]
    assert [words for words in said if "ada" in words.lower() or "ben" in words.lower()] == []
    refused = shell.run("grades", "show")
    assert refused.exit_code == 2
    assert "hides names from its teaching assistants" in refused.stderr


def test_where_a_course_hides_names_a_ta_reads_and_writes_without_them(shell: Terminal, work: str) -> None:
    shell.as_("ines", "course", "settings", "jax", "--hide-names")
    shell.log_in("tom")
    shell.says("review", "comment", work, "See here.", "--line", "2")
    for words in (("queue",), ("show", work, "--code"), ("show", work, "--json")):
        assert "ada" not in shell.says("review", *words).lower()
    assert "Ada (ada)" in shell.as_("ines", "review", "queue")


# --- one submission -----------------------------------------------------------------------------------------


def test_a_submission_is_shown_with_its_report_its_code_and_what_staff_say(
    shell: Terminal, work: str
) -> None:
    shell.says("review", "comment", work, "Mind the type.", "--line", "2")
    shell.says("review", "adjust", work, "--points", "-1/2", "--reason", "No docstring.")
    said = shell.says("review", "show", work, "--code")
    lines = [line.strip() for line in said.splitlines()]
    assert any(line.startswith(("1  import", "1  def")) for line in lines)
    assert any(line.startswith("^ Tom") and line.endswith("Mind the type.") for line in lines)
    for words in ("Doubling", CHECK, "on line 2 of submission.py", "No docstring.", "-0.5 for the whole"):
        assert words in said
    assert "2.5 / 5 (-0.5 by staff), before lateness. Not reviewed yet." in said


def test_an_attempt_that_does_not_count_shows_what_it_found_itself(shell: Terminal, work: str) -> None:
    shell.says("review", "again", work)
    assert len(desk(shell, work)["attempts"]) == 2
    assert "queued" in shell.says("review", "show", work)
    assert shell.run("review", "show", work, "--attempt", "7").exit_code == 2


def test_a_submission_without_a_report_is_shown_all_the_same(shell: Terminal) -> None:
    work = shell.world.submit("ada").submission_id.hex[:8]
    said = shell.says("review", "show", work)
    assert "there is no report" in said
    assert "queued" in said


def test_marks_are_set_and_taken_away(shell: Terminal, work: str) -> None:
    assert "marked as reviewed" in shell.says("review", "mark", work)
    assert "reviewed by Tom" in shell.says("review", "queue")
    assert "not reviewed" in shell.says("review", "mark", work, "--not-reviewed")
    assert desk(shell, work)["review"]["reviewed_at"] is None


# --- comments -----------------------------------------------------------------------------------------------


WHOLE = {"file": None, "line": None, "check_id": None}
PLACES: dict[tuple[str, ...], dict[str, Any]] = {
    (): WHOLE,
    ("--line", "2"): WHOLE | {"file": "submission.py", "line": 2},
    ("--line", "1", "--file", "0"): WHOLE | {"file": "submission.py", "line": 1},
    ("--check", CHECK): WHOLE | {"check_id": CHECK},
}


def test_a_comment_stands_where_it_was_put_and_the_student_reads_it(shell: Terminal, work: str) -> None:
    for number, (words, place) in enumerate(PLACES.items()):
        made = shell.tells("review", "comment", work, f"Nearly {number}.", *words)["comment"]
        assert made["place"] == place
    said = shell.as_("ada", "report", work)
    assert all(f"Nearly {number}." in said for number in range(len(PLACES)))


def test_what_is_for_staff_only_the_student_does_not_read(shell: Terminal, work: str) -> None:
    assert "for staff only" in shell.says("review", "comment", work, "Copied?", "--staff-only")
    (comment,) = desk(shell, work)["comments"]
    assert "Copied?" not in shell.as_("ada", "report", work)
    shell.log_in("tom")
    shell.says("review", "edit", work, comment["id"][:6], "Well done.", "--for-students")
    assert "Well done." in shell.as_("ada", "report", work)


UNFIT = {
    (): "TEXT",
    ("Hm.", "--kept", "Hm"): "TEXT",
    ("Hm.", "--file", "submission.py"): "--file",
    ("Hm.", "--line", "2", "--check", CHECK): "--check",
    ("Hm.", "--line", "2", "--file", "submissions.py"): "Did you mean 'submission.py'?",
    ("Hm.", "--line", "999"): "999 is not a line",
}
"""Comments that cannot be written, and what is said of each."""


def test_a_comment_that_fits_nowhere_is_refused_by_what_is_wrong_with_it(shell: Terminal, work: str) -> None:
    for words, named in UNFIT.items():
        result = shell.run("review", "comment", work, *words)
        assert result.exit_code == 2
        assert named in result.stderr
    assert desk(shell, work)["comments"] == []


def test_a_comment_changed_meanwhile_is_not_overwritten(shell: Terminal, work: str) -> None:
    made = shell.tells("review", "comment", work, "One.")["comment"]
    shell.says("review", "edit", work, made["id"], "Two.")
    late = shell.run("review", "edit", work, made["id"], "Three.", "--seen", made["version"])
    assert late.exit_code == 2
    assert "was changed since you opened it" in late.stderr
    assert [item["text"] for item in desk(shell, work)["comments"]] == ["Two."]


def test_a_comment_is_taken_away_and_a_wrong_id_says_where_ids_stand(shell: Terminal, work: str) -> None:
    made = shell.tells("review", "comment", work, "One.")["comment"]
    wrong = shell.run("review", "delete", work, "ffff")
    assert wrong.exit_code == 2
    assert f"grader review show {work}" in wrong.stderr
    assert "is gone" in shell.says("review", "delete", work, made["id"][:8])
    assert desk(shell, work)["comments"] == []


# --- points -------------------------------------------------------------------------------------------------


def test_a_check_is_set_with_a_reason_and_taken_back_with_another(shell: Terminal, work: str) -> None:
    words = ("--check", CHECK, "--points", "1,5", "--reason", "Half right.")
    said = shell.says("review", "adjust", work, *words)
    assert f"{CHECK} is set to 1.5. The points are 4.5 / 5 now." in said
    assert "Half right." in shell.as_("ada", "report", work)
    shell.log_in("tom")
    (change,) = desk(shell, work)["adjustments"]
    said = shell.says("review", "revoke", work, change["id"][:6], "--reason", "Wrong student.")
    assert "The points are 3 / 5 now." in said
    assert "was taken back by Tom" in shell.says("review", "show", work)


def test_points_that_somebody_else_changed_meanwhile_are_left_alone(shell: Terminal, work: str) -> None:
    seen = desk(shell, work)["review"]["version"]
    shell.says("review", "adjust", work, "--points", "1", "--reason", "Good names.", "--seen", seen)
    late = shell.run("review", "adjust", work, "--points", "1", "--reason", "Good names.", "--seen", seen)
    assert late.exit_code == 2
    assert "was changed since you opened it" in late.stderr
    assert desk(shell, work)["points"] == 4


def test_points_beyond_what_a_check_is_worth_are_refused(shell: Terminal, work: str) -> None:
    for points in ("many", "6", "-1"):
        result = shell.run("review", "adjust", work, "--check", CHECK, "--points", points, "--reason", "Hm.")
        assert result.exit_code == 2
    assert desk(shell, work)["points"] == 3


# --- regrade requests ---------------------------------------------------------------------------------------


def test_a_request_is_found_read_and_accepted_with_points(shell: Terminal) -> None:
    work = asked(shell)
    assert "regrade requested" in shell.says("review", "queue", "--requested")
    said = shell.says("review", "show", work)
    assert "It halves." in said
    assert f"grader review answer {work}" in said
    words = ("You are right.", "--accept", "--check", CHECK, "--points", "2")
    assert "accepted" in shell.says("review", "answer", work, *words)
    assert desk(shell, work)["points"] == 5
    assert "You are right." in shell.as_("ada", "report", work)


def test_a_request_is_declined_once_and_then_there_is_none(shell: Terminal) -> None:
    work = asked(shell)
    assert "declined" in shell.says("review", "answer", work, "Line 2 doubles.", "--decline")
    again = shell.run("review", "answer", work, "Still not.", "--decline")
    assert again.exit_code == 2
    assert "grader review queue --requested" in again.stderr
    assert desk(shell, work)["points"] == 3


def test_an_answer_that_says_two_things_is_refused(shell: Terminal) -> None:
    work = asked(shell)
    for words, named in (
        ((), "--accept"),
        (("--accept", "--check", CHECK), "--check"),
        (("--decline", "--points", "2"), "a declined request changes no points"),
    ):
        result = shell.run("review", "answer", work, "Hm.", *words)
        assert result.exit_code == 2
        assert named in result.stderr
    assert desk(shell, work)["requests"][0]["state"] == "open"


# --- what reviewers share -----------------------------------------------------------------------------------


def test_one_comment_reaches_everybody_with_the_same_failure_once(shell: Terminal) -> None:
    works = [handed_in(shell, login).hex[:8] for login in ("ada", "ben")]
    (cluster,) = shell.tells("review", "clusters", "doubling")["clusters"]
    said = shell.says("review", "clusters", "doubling")
    assert CHECK in said
    assert all(work in said for work in works)
    words = ("review", "comment-cluster", "doubling", cluster["key"][:5], "Divide.")
    assert "Written on 2 submissions." in shell.says(*words)
    assert "2 submissions had it already" in shell.says(*words)
    for login, work in zip(("ada", "ben"), works, strict=True):
        assert "Divide." in shell.as_(login, "report", work)
    shell.log_in("tom")
    wrong = shell.run("review", "comment-cluster", "doubling", "ffff", "Divide.")
    assert "grader review clusters doubling" in wrong.stderr


def test_words_are_kept_used_changed_and_dropped(shell: Terminal, work: str) -> None:
    shell.says("review", "bank", "keep", "Halves", "Divide by two.", "--code", "values.differ")
    assert "Divide by two." in shell.says("review", "bank", "list", "--code", "values.differ")
    shell.says("review", "comment", work, "--kept", "halves")
    shell.says("review", "bank", "edit", "Halves", "--text", "Use / 2.", "--code", "none")
    (kept,) = shell.tells("review", "bank", "list")["comments"]
    assert (kept["title"], kept["text"], kept["code"]) == ("Halves", "Use / 2.", None)
    stale = shell.run("review", "bank", "drop", "Halves", "--seen", kept["version"] - 1)
    assert stale.exit_code == 2
    assert "no longer kept" in shell.says("review", "bank", "drop", kept["id"][:8])
    assert "Nothing is kept yet" in shell.says("review", "bank", "list")
    assert [item["text"] for item in desk(shell, work)["comments"]] == ["Divide by two."]


def test_a_code_that_there_is_not_is_told_with_the_nearest(shell: Terminal) -> None:
    result = shell.run("review", "bank", "keep", "Halves", "Divide.", "--code", "values.difer")
    assert result.exit_code == 2
    assert "values.differ" in result.stderr


# --- who may ------------------------------------------------------------------------------------------------


def test_students_review_nothing_not_even_their_own(shell: Terminal, work: str) -> None:
    shell.log_in("ada")
    for words in (
        ("queue",),
        ("clusters", "doubling"),
        ("bank", "list"),
        ("show", work),
        ("mark", work),
        ("comment", work, "Give me points."),
    ):
        result = shell.run("review", *words)
        assert result.exit_code == 2
        assert result.stderr.startswith("grader: ")
