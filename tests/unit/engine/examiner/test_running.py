"""A suite that cannot be collected says where and why, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.domain.errors import AssignmentInvalid
from grader.domain.rubric import Assignment, FunctionSpec
from grader.engine.examiner import running


def assignment(root: Path, suite: str) -> Assignment:
    (root / "rubric").mkdir()
    (root / "rubric" / "test_suite.py").write_text(suite)
    return Assignment(
        slug="small",
        title="Small",
        version="0" * 64,
        root=root,
        entry="submission.py",
        functions=(FunctionSpec(name="f"),),
    )


@pytest.mark.parametrize(
    "suite, says",
    [
        ("x = 1\nraise ValueError('no luck')\n", "test_suite.py, line 2: ValueError: no luck"),
        ("def test_x(submission): pass\n", "test_x has no @criterion"),
        ("def f(:\n", "SyntaxError"),
        ("import sys\nsys.exit(0)\n", "exit code"),
        (
            (
                "from rubrics import criterion\n"
                "@criterion('values', points=1, function='f')\ndef test_x(submission):\n    '''A.'''\n"
                "@criterion('jit', points=1, function='f')\ndef test_x(submission):\n    '''B.'''\n"
            ),
            "test_suite.py defines test_x twice, on lines 3 and 6",
        ),
        (
            (
                "from rubrics import criterion\n"
                "@criterion('values', points=1, function='f')\n"
                "def test_x(submission): pass\n"
            ),
            "test_x has no docstring",
        ),
        (
            (
                "from rubrics import criterion\n"
                "@criterion('values', points=1, function='g')\n"
                "def test_x(submission):\n    '''Title.'''\n"
            ),
            "is about 'g', which assignment.toml lacks",
        ),
    ],
)
def test_a_suite_that_cannot_be_collected_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: str, says: str
):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    with pytest.raises(AssignmentInvalid) as caught:
        running.collect(assignment(tmp_path, suite))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_suites_checks_are_read_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    suite = (
        "from rubrics import criterion\n"
        "@criterion('jit', points='1/3', function='f', visibility='hidden', lesson='#jit')\n"
        "def test_second(submission):\n    '''Traces.'''\n"
        "@criterion('values', points=2, function='f')\n"
        "def test_first(submission):\n    '''Right.'''\n"
    )
    checks = running.collect(assignment(tmp_path, suite))
    assert [(check.id, check.title, str(check.points), check.visibility.value) for check in checks] == [
        ("f.jit.second", "Traces.", "1/3", "hidden"),
        ("f.values.first", "Right.", "2", "visible"),
    ]
