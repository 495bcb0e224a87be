"""Two attempts on one submission agree to the byte, whatever is drawn and however busy the machine is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import assignments
from grader.content.assignments import read_assignment
from grader.content.uploads import read_paths
from grader.domain.results import AttemptResult, EvidenceKind
from grader.engine import Engine
from tests.grading import table

pytestmark = [pytest.mark.linux, pytest.mark.slow]
collect_ignore_glob = [] if sys.platform == "linux" else ["*"]

ROOT = Path(assignments.__file__).parent / "functional-core"
ASSIGNMENT = read_assignment(ROOT)
SAMPLES = ("right.py", "reuses_key.py", "forgets_result.py", "in_place.py")


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def attempt(engine: Engine, sample: str, *, seed: str) -> AttemptResult:
    functions = [spec.name for spec in ASSIGNMENT.functions]
    files = read_paths([ROOT / "samples" / sample], entry=ASSIGNMENT.entry, functions=functions)
    return engine.grade(files, ASSIGNMENT, seed=seed)


def inputs(result: AttemptResult) -> list[object]:
    """The arrays shown as evidence, drawn inputs among them."""
    return [
        item.data for check in result.results for item in check.evidence if item.kind is EvidenceKind.ARRAYS
    ]


@pytest.fixture(scope="module")
def first(engine: Engine) -> dict[str, AttemptResult]:
    return {sample: attempt(engine, sample, seed="first") for sample in SAMPLES}


@pytest.mark.parametrize("sample", SAMPLES)
def test_another_seed_gives_the_same_verdicts_points_codes_and_lines(
    engine: Engine, first: dict[str, AttemptResult], sample: str
):
    again = attempt(engine, sample, seed="second")
    assert repr(table(again)).encode() == repr(table(first[sample])).encode()
    assert again.score == first[sample].score


@pytest.fixture
def busy_cores() -> Iterator[None]:
    endless = [sys.executable, "-c", "while True: pass"]
    burning = [subprocess.Popen(endless) for _ in range(os.cpu_count() or 2)]
    yield
    for process in burning:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("busy_cores")
@pytest.mark.parametrize("sample", ["right.py", "in_place.py"])
def test_busy_cores_change_no_verdict(engine: Engine, first: dict[str, AttemptResult], sample: str):
    assert table(attempt(engine, sample, seed="third")) == table(first[sample])


def test_one_seed_draws_the_same_inputs_again(engine: Engine, first: dict[str, AttemptResult]):
    once, again = first["forgets_result.py"], attempt(engine, "forgets_result.py", seed="first")
    assert inputs(again) == inputs(once)
    assert inputs(attempt(engine, "forgets_result.py", seed="another")) != inputs(once)
