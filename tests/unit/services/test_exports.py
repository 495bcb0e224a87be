"""What leaves a course: exact columns, harmless cells, and nothing of what must stay."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from fractions import Fraction

import pytest

from grader.domain.errors import InvalidInput, NotAllowed, NotFound
from grader.domain.verdicts import Verdict, Visibility
from grader.services.access import Actor
from grader.services.exports.canvas import Unmatched
from grader.services.exports.course_archive import write_course_archive
from grader.services.exports.downloads import canvas_unmatched, grades_file
from grader.services.exports.files import csv_bytes, decimal
from grader.services.exports.gradescope import results_json
from grader.services.exports.person_archive import write_person_archive
from tests.builders import a_check, an_attempt
from tests.reviews import ReviewedCourse, text

HOSTILE = "=cmd|'/c calc'!A1\x1b[31m\u202e\x00"


def rows(review: ReviewedCourse, kind: str, **options: object) -> list[list[str]]:
    made = grades_file(review.database, actor=review.ines, course="jax", kind=kind, **options)  # type: ignore[arg-type]
    return list(csv.reader(io.StringIO(made.data.decode("utf-8"))))


def test_the_gradebook_has_a_line_for_each_student(review: ReviewedCourse) -> None:
    review.submit(text("it_halves"))
    header, ada, ben = rows(review, "gradebook")
    assert header == [
        "Name", "Login", "Email", "Student number", "Section",
        "Doubling (of 5)", "Doubling: days late", "Total (of 5)",
    ]  # fmt: skip
    assert ada == ["Ada", "ada", "", "", "", "3", "0", "3"]
    assert ben == ["Ben", "ben", "", "", "", "", "", "0"]


def test_canvas_gets_its_own_columns_and_the_points_possible(review: ReviewedCourse) -> None:
    review.submit(text("it_doubles"))
    header, possible, ada, _ = rows(review, "canvas")
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Doubling"]
    assert possible == ["    Points Possible", "", "", "", "", "5"]
    assert ada == ["Ada", "", "", "ada", "", "3.33"]


def test_canvass_own_export_fills_ids_and_titles(review: ReviewedCourse) -> None:
    review.submit()
    review.student("grace", name="Grace Hopper")
    own = (
        "Student;ID;SIS User ID;SIS Login ID;Root Account;Section;Doubling (4711);Final Score\n"
        ";;;;;;Manual Posting;\n"
        "    Points Possible;;;;;;5;(read only)\n"
        '"Hopper, Grace";12;;;uni;Monday;;\n'
        '"Ada";11;;ADA;uni;Monday;;\n'
        '"Nobody";99;;nobody;uni;Monday;;\n'
    ).encode("utf-16")
    made = grades_file(review.database, actor=review.ines, course="jax", kind="canvas", own_export=own)
    found = list(csv.reader(io.StringIO(made.data.decode())))
    assert found[0][-1] == "Doubling (4711)"
    assert found[2:] == [
        ["Hopper, Grace", "12", "", "", "uni", "Monday", ""],
        ["Ada", "11", "", "ADA", "uni", "Monday", "5"],
    ]
    missed = canvas_unmatched(review.database, actor=review.ines, course="jax", own_export=own)
    assert missed == Unmatched(not_in_canvas=("ben",), only_in_canvas=("Nobody",), new_assignments=())


def test_a_file_that_is_no_canvas_export_is_refused(review: ReviewedCourse) -> None:
    with pytest.raises(InvalidInput, match="no column ID"):
        grades_file(
            review.database,
            actor=review.ines,
            course="jax",
            kind="canvas",
            own_export=b"name,login\nAda,ada\n",
        )


def test_moodle_gets_no_column_for_feedback(review: ReviewedCourse) -> None:
    review.submit()
    assert rows(review, "moodle")[:2] == [
        ["Username", "ID number", "Email address", "Doubling"],
        ["ada", "", "", "5"],
    ]


def test_nbgraders_columns_are_there(review: ReviewedCourse) -> None:
    review.submit()
    header, ada, _ = rows(review, "nbgrader")
    assert (
        header
        == (
            "assignment duedate timestamp student_id last_name first_name email raw_score "
            "late_submission_penalty score max_score"
        ).split()
    )
    assert (ada[0], ada[3], ada[4], ada[7:]) == ("doubling", "ada", "Ada", ["5", "0", "5", "5"])


def test_some_assignments_and_one_section_can_be_asked_for(review: ReviewedCourse) -> None:
    assert rows(review, "moodle", assignments=["doubling"])[0][-1] == "Doubling"
    assert len(rows(review, "moodle", section="Monday")) == 1
    with pytest.raises(InvalidInput, match="tripling"):
        rows(review, "moodle", assignments=["tripling"])


@pytest.mark.parametrize("kind", ["gradebook", "canvas", "moodle", "nbgrader"])
def test_no_cell_is_a_formula_or_acts(review: ReviewedCourse, kind: str) -> None:
    review.student("eve", name=HOSTILE.replace("\0", ""), email="=1+1@x.org")
    for row in rows(review, kind):
        for cell in row:
            assert not cell.startswith(("=", "+", "@", "\t")), cell
            assert not {"\x1b", "\u202e", "\0"} & set(cell)


def test_a_lone_surrogate_is_written_as_its_escape() -> None:
    assert csv_bytes([["\udc80", None]]) == b'"\\udc80",""\r\n'


@pytest.mark.parametrize(
    "points, written",
    [
        (Fraction(1, 3), "0.3333"),
        (Fraction(7, 2), "3.5"),
        (Fraction(100), "100"),
        (Fraction(0), "0"),
        (Fraction(-1, 2), "-0.5"),
        (None, ""),
    ],
)
def test_points_are_plain_decimals(points: Fraction | None, written: str) -> None:
    assert decimal(points) == written


def test_gradescope_never_learns_what_stays_hidden() -> None:
    secret = "The secret title of a hidden check"
    result = an_attempt(
        a_check("f.values.open", Verdict.FAILED, code="values.differ", params={"function": "f"}),
        a_check("f.values.secret_name", Verdict.FAILED, visibility=Visibility.HIDDEN, title=secret),
        a_check("f.values.later", visibility=Visibility.AFTER_DUE),
        a_check("f.values.lost", Verdict.SKIPPED),
    )
    found = results_json(result, points=Fraction(7, 3))
    assert found["score"] == 2.3333
    tests = found["tests"]
    assert isinstance(tests, list)
    assert [test["visibility"] for test in tests] == ["visible", "hidden", "after_due_date", "visible"]
    assert [test.get("status") for test in tests] == ["failed", "failed", "passed", None]
    assert secret not in json.dumps(found)
    assert "secret_name" not in json.dumps(found)


def archive(data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        for name in found.namelist():
            yield name, found.read(name)


def test_a_courses_archive_names_every_file_with_its_hash(review: ReviewedCourse) -> None:
    review.submit()
    out = io.BytesIO()
    assert write_course_archive(review.database, out, actor=review.ines, course="jax") == "jax-archive.zip"
    files = dict(archive(out.getvalue()))
    manifest = json.loads(files.pop("manifest.json"))
    assert {name: entry["sha256"] for name, entry in manifest["entries"].items()} == {
        name: hashlib.sha256(data).hexdigest() for name, data in files.items()
    }
    [attempt] = [json.loads(line) for line in files["attempts.jsonl"].splitlines()]
    assert (attempt["state"], attempt["score"]) == ("graded", "5")
    assert "lease_token" not in attempt


def test_ones_own_archive_holds_ones_own_and_nothing_of_others(review: ReviewedCourse) -> None:
    review.submit(text("it_halves"))
    review.submit(text("it_doubles", line="    return 'of Ben alone'"), by=review.ben)
    out = io.BytesIO()
    write_person_archive(review.database, out, actor=review.ada)
    files = dict(archive(out.getvalue()))
    assert json.loads(files["reports/jax/doubling-1.json"])["report"]["score"] == 3
    whole = b"".join(files.values())
    assert b"of Ben alone" not in whole
    assert b"password_hash" not in whole
    assert str(review.ben.user_id).encode() not in whole


def test_only_instructors_export(review: ReviewedCourse) -> None:
    def attempt(actor: Actor) -> None:
        grades_file(review.database, actor=actor, course="jax", kind="gradebook")

    for actor, error in ((review.tia, NotAllowed), (review.ada, NotAllowed), (review.stranger, NotFound)):
        with pytest.raises(error):
            attempt(actor)
        with pytest.raises(error):
            write_course_archive(review.database, io.BytesIO(), actor=actor, course="jax")
