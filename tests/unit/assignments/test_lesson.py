"""The lessons keep their word: every example runs and prints what its comments say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import assignments

CORE, DEVICES = "functional-core", "transforms-and-devices"
LESSONS = Path(assignments.__file__).parent
ANCHORS = {
    CORE: {
        "#pure-functions",
        "#immutability",
        "#prng-keys",
        "#tracing-and-jit",
        "#control-flow",
        "#speed",
        "#data-types",
    },
    DEVICES: {
        "#pure-functions",
        "#gradients",
        "#mapping-over-a-batch",
        "#control-flow",
        "#data-types",
        "#devices",
    },
}
WORDS = {CORE: (1500, 2500), DEVICES: (700, 1500)}
"""How long the part before the tasks may be."""
TASKS = {CORE: 5, DEVICES: 6}

each_lesson = pytest.mark.parametrize("name", [CORE, DEVICES])
PROMISE = re.compile(r"^\s*print\(.*\)  # (?P<output>.+)$")


def python_blocks(markdown: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", markdown, flags=re.DOTALL | re.MULTILINE)


def promised_outputs(code: str) -> list[str]:
    return [match["output"] for line in code.splitlines() if (match := PROMISE.match(line))]


def anchors(markdown: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", markdown, flags=re.MULTILINE)
    return {"#" + heading.lower().replace(" ", "-") for heading in headings}


def read(name: str) -> str:
    return (LESSONS / name / "lesson.md").read_text(encoding="utf-8")


@each_lesson
def test_the_lesson_has_the_anchors_that_feedback_links_to(name: str) -> None:
    assert ANCHORS[name] <= anchors(read(name))


@each_lesson
def test_every_example_prints_what_its_comments_promise(name: str) -> None:
    code = "\n".join(python_blocks(read(name)))
    promised = promised_outputs(code)

    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert run.returncode == 0, run.stderr
    assert len(promised) >= 10
    # A jaxpr prints over several lines and its comment is one, so white space is compared loosely.
    assert run.stdout.split() == " ".join(promised).split()


@each_lesson
def test_a_lesson_is_long_enough_to_teach_and_short_enough_to_read(name: str) -> None:
    prose = re.sub(r"^```.*?^```$", "", read(name), flags=re.DOTALL | re.MULTILINE)
    explanation, _, tasks = prose.partition("## The tasks")
    least, most = WORDS[name]
    assert least <= len(explanation.split()) <= most
    assert tasks.count("### ") == TASKS[name]
