"""The folder for students reads like an assignment's, and holds nothing that is not theirs."""

from __future__ import annotations

import io
import json
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest

from grader.content.assignments import materialise, read_assignment
from grader.content.student_bundles import ABOUT, ANSWERS, about_bundle, student_files, zipped
from grader.domain.errors import AssignmentInvalid
from grader.domain.rubric import Assignment, CheckSpec, Limits
from grader.domain.student_bundle import LeftOut, StudentBundle, dump
from grader.domain.verdicts import Family, Visibility
from grader.domain.view import HiddenChecks

SECRET = "planted-secret"
ASSIGNMENT = f"""
slug = "walking"
title = "Walking \\"far\\" \\\\ über"
entry = "walk.py"  # {SECRET}

[starter]
earns = 1

[limits]
check_s = 2.5
memory_mib = 4096

[[functions]]
name = "walk"
static = ["n", "how"]

[[functions]]
name = "run"

[[mutants]]
file = "mutants/lame.py"
about = "{SECRET}"
fails = ["walk.values.secret"]
"""
SUITE = f'''
from rubrics import criterion

@criterion("values", points=2, function="walk")
def test_open(submission):
    """Open."""

@criterion("values", points=1, function="walk", visibility="hidden")
def test_secret(submission):
    """{SECRET}"""
'''
BODY = "def walk(key, n, how): ...\ndef run(x): ...\n"
FILES = {
    "assignment.toml": ASSIGNMENT,
    "lesson.md": "# Walking\n",
    "starter/walk.py": BODY,
    "starter/data/steps.txt": "1 2 3\n",
    "solution/walk.py": f"{BODY}# {SECRET}\n",
    "solution/baseline.py": f"# {SECRET}\n",
    "mutants/lame.py": f"# {SECRET}\n",
    "rubric/test_walking.py": SUITE,
    "rubric/test_all_hidden.py": f'def test_other():\n    """{SECRET}"""\n',
    "rubric/data.csv": SECRET,
    "notes.md": SECRET,
}
CHECK = CheckSpec(
    id="walk.values.open",
    node_id="test_walking.py::test_open",
    title="Open.",
    family=Family.VALUES,
    function="walk",
    points=Fraction(2),
)
BUNDLE = StudentBundle(
    version="5" * 64,
    seed="abc",
    hidden=(HiddenChecks(visibility=Visibility.HIDDEN, count=1, points=Fraction(1, 3)),),
    left_out=(LeftOut(id="walk.jit.fast", title="Fast.", points=Fraction(1, 2), reason="it is measured"),),
)


@pytest.fixture
def whole(tmp_path: Path) -> Assignment:
    for name, text in FILES.items():
        path = tmp_path / "whole" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return read_assignment(tmp_path / "whole")


@pytest.fixture
def handed_out(whole: Assignment, tmp_path: Path) -> Path:
    files = student_files(whole, about=BUNDLE, checks=[CHECK], answers=b"JXG1...")
    return materialise(files, tmp_path / "handed-out")


def test_it_reads_as_the_same_assignment_without_a_solution(whole: Assignment, handed_out: Path):
    found = read_assignment(handed_out)
    for same in ("slug", "title", "entry", "functions", "limits", "queue", "lesson"):
        assert getattr(found, same) == getattr(whole, same)
    assert found.limits == Limits(check_s=2.5, memory_mib=4096)
    assert (found.answers, whole.answers) == (ANSWERS, None)
    assert found.mutants == ()


def test_it_says_of_what_it_was_made_and_what_is_missing(whole: Assignment, handed_out: Path):
    assert about_bundle(handed_out) == BUNDLE
    assert about_bundle(whole.root) is None


def test_it_holds_the_starter_the_lesson_and_the_visible_checks_and_nothing_else(handed_out: Path):
    names = {path.relative_to(handed_out).as_posix() for path in handed_out.rglob("*") if path.is_file()}
    assert names == {
        "assignment.toml", "lesson.md", "starter/walk.py", "starter/data/steps.txt",
        "rubric/test_walking.py", ABOUT, ANSWERS,
    }  # fmt: skip


def test_no_file_in_it_holds_what_is_hidden(handed_out: Path):
    for path in handed_out.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path
            assert b"test_secret" not in path.read_bytes(), path


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "3",
        "{}",
        json.dumps(dump(BUNDLE) | {"format": 2}),
        json.dumps(dump(BUNDLE) | {"seed": 5}),
        json.dumps(dump(BUNDLE) | {"hidden": [{"visibility": "open", "count": 1, "points": 1}]}),
        json.dumps(dump(BUNDLE) | {"hidden": [{"visibility": "hidden", "count": 1e999, "points": 1}]}),
        json.dumps(dump(BUNDLE) | {"hidden": [{"visibility": "hidden", "count": 1, "points": "1/0"}]}),
        json.dumps(dump(BUNDLE) | {"left_out": [{"id": "x"}]}),
        "[" * 100_000,
        " " * (2 << 20),
    ],
)
def test_a_damaged_description_is_refused_with_a_way_to_mend_it(handed_out: Path, content: str):
    (handed_out / ABOUT).write_text(content)
    with pytest.raises(AssignmentInvalid, match="Download the checks again"):
        read_assignment(handed_out)


def test_without_its_answers_it_is_no_assignment(handed_out: Path):
    (handed_out / ANSWERS).unlink()
    with pytest.raises(AssignmentInvalid, match="the recorded answers"):
        read_assignment(handed_out)


def test_equal_folders_are_equal_zips():
    files = (("b.txt", b"2"), ("a/c.txt", b"1"))
    data = zipped(files, folder="walking")
    assert data == zipped(reversed(files), folder="walking")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["walking/a/c.txt", "walking/b.txt"]
        assert archive.read("walking/b.txt") == b"2"
