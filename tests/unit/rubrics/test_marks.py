"""Marks are read strictly: an author's mistake is named before anything is graded."""

from __future__ import annotations

import textwrap
from fractions import Fraction
from pathlib import Path

import pytest

from grader.domain.errors import AssignmentInvalid
from grader.domain.verdicts import Family, Visibility
from grader.engine.examiner import running
from rubrics import criterion
from rubrics.marks import MARK
from tests.courses import write_assignment


@pytest.fixture(autouse=True)
def declared(request: pytest.FixtureRequest) -> None:
    """The mark is declared by the plugin, which only the examiner's pytest loads."""
    request.config.addinivalue_line("markers", f"{MARK}: a check")


@pytest.mark.parametrize("points, worth", [(2, Fraction(2)), (0.5, Fraction(1, 2)), ("1/3", Fraction(1, 3))])
def test_points_are_exact(points: float | str, worth: Fraction):
    @criterion("values", points=points, function="double")
    def test_it() -> None: ...

    (mark,) = test_it.pytestmark
    assert mark.kwargs["points"] == worth
    assert mark.kwargs["family"] is Family.VALUES
    assert mark.kwargs["visibility"] is Visibility.VISIBLE


@pytest.mark.parametrize(
    "wrong, about",
    [
        ({"family": "colour"}, "colour"),
        ({"points": -1}, "negative"),
        ({"visibility": "secret"}, "secret"),
        ({"points": "many"}, "many"),
    ],
)
def test_a_wrong_mark_is_refused_where_it_is_written(wrong: dict[str, str], about: str):
    options = {"family": "values", "points": 1, "function": "double", **wrong}
    family = options.pop("family")
    with pytest.raises(ValueError, match=about):
        criterion(family, **options)


GOOD = """
from rubrics import criterion

@criterion("values", points=1, function="double")
def test_first(submission):
    \"\"\"A title.\"\"\"
"""

SUITES = {
    "has no @criterion": GOOD + "\ndef test_second(submission):\n    'A title.'\n",
    "has no docstring": GOOD
    + "\n@criterion('values', points=1, function='double')\ndef test_second(submission): ...\n",
    "which assignment.toml lacks": GOOD
    + "\n@criterion('values', points=1, function='triple')\ndef test_second(submission):\n    'A title.'\n",
    "share the id": GOOD + "\nclass TestAgain:\n    @criterion('values', points=1, function='double')\n"
    "    def test_first(self, submission):\n        'A title.'\n",
    "cannot be collected": "import nothing_of_this_name\n",
    "'colour' is not a valid": GOOD
    + "\n@criterion('colour', points=1, function='double')\ndef test_x(): 'A title.'\n",
}


def collected(root: Path, suite: str) -> list[str]:
    assignment = write_assignment(root)
    (root / "rubric" / "test_doubling.py").write_text(textwrap.dedent(suite), encoding="utf-8")
    return [check.id for check in running.collect(assignment)]


def test_a_good_suite_is_collected_with_its_checks(tmp_path: Path):
    assert collected(tmp_path, GOOD) == ["double.values.first"]


@pytest.mark.parametrize("problem", SUITES)
def test_a_bad_suite_is_refused_with_the_reason(tmp_path: Path, problem: str):
    with pytest.raises(AssignmentInvalid) as refused:
        collected(tmp_path, SUITES[problem])
    assert problem in str(refused.value)
