"""The lesson keeps its word: every example runs and prints what its comments say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import assignments

LESSON = Path(assignments.__file__).parent / "functional-core" / "lesson.md"
ANCHORS = (
    "#pure-functions",
    "#immutability",
    "#prng-keys",
    "#tracing-and-jit",
    "#control-flow",
    "#speed",
    "#data-types",
)
PROMISE = re.compile(r"^\s*print\(.*\)  # (?P<output>.+)$")


def python_blocks(markdown: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", markdown, flags=re.DOTALL | re.MULTILINE)


def promised_outputs(code: str) -> list[str]:
    return [match["output"] for line in code.splitlines() if (match := PROMISE.match(line))]


def anchors(markdown: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", markdown, flags=re.MULTILINE)
    return {"#" + heading.lower().replace(" ", "-") for heading in headings}


@pytest.fixture(scope="module")
def lesson() -> str:
    return LESSON.read_text(encoding="utf-8")


def test_the_lesson_has_the_anchors_that_feedback_links_to(lesson: str) -> None:
    assert set(ANCHORS) <= anchors(lesson)


def test_every_example_prints_what_its_comments_promise(lesson: str) -> None:
    code = "\n".join(python_blocks(lesson))
    promised = promised_outputs(code)

    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert run.returncode == 0, run.stderr
    assert len(promised) > 15
    # A jaxpr prints over several lines and its comment is one, so white space is compared loosely.
    assert run.stdout.split() == " ".join(promised).split()


def test_a_lesson_is_long_enough_to_teach_and_short_enough_to_read(lesson: str) -> None:
    prose = re.sub(r"^```.*?^```$", "", lesson, flags=re.DOTALL | re.MULTILINE)
    explanation, _, tasks = prose.partition("## The tasks")
    assert 1500 <= len(explanation.split()) <= 2500
    assert tasks.count("### ") == 5
