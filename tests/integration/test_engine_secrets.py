"""Nothing that decides is within a submission's reach: it searches, and finds what is its own alone."""

from __future__ import annotations

import json
import os
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from grader.domain.results import AttemptResult
from grader.domain.rubric import Assignment
from grader.engine import Engine
from rubrics import f32
from rubrics.drawing import Draw
from tests import grading

pytestmark = [pytest.mark.linux, pytest.mark.slow]
collect_ignore_glob = [] if sys.platform == "linux" else ["*"]

THIEF = Path(__file__).parents[1] / "thieves" / "searches_everywhere.py"
HIDDEN = "double.values.twice_the_input"
SUITE = '''\
from rubrics import criterion, f32

MARKER = "{marker}"

@criterion("values", points=2, function="double", visibility="hidden")
def test_twice_the_input(submission, reference, draw):
    """Every element is doubled."""
    submission.double.matches(reference.double, draw(f32[5]))

@criterion("jit", points=1, function="total")
def test_can_be_traced(submission, draw):
    """jax.jit(total) works."""
    submission.total.traces(draw(f32[5]))
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """An assignment full of secrets, and the submission that looks for them."""

    assignment: Assignment
    seed: str
    needles: dict[str, bytes]

    def grade(self, *, sealed: bool, everywhere: bool) -> AttemptResult:
        halves = {name: _halves(data) for name, data in self.needles.items()}
        root = self.assignment.root
        paths = [str(path) for path in (root, *sorted(root.rglob("*.*")))]
        text = THIEF.read_text(encoding="utf-8")
        for name, value in (("NEEDLES", halves), ("ROOTS", ["/"] if everywhere else []), ("PATHS", paths)):
            empty = "{}" if name == "NEEDLES" else "[]"
            text = text.replace(f"\n{name} = {empty}\n", f"\n{name} = {value!r}\n")
        own = f"# {self.needles['its own'].decode()}\n"
        with Engine(sealed=sealed) as engine:
            return grading.grade(engine, self.assignment, text, others={"own.py": own}, seed=self.seed)


def _halves(data: bytes) -> tuple[bytes, bytes]:
    return data[: len(data) // 2], data[len(data) // 2 :]


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    rubric, solution, seed, own = (secrets.token_hex(16) for _ in range(4))
    root = tmp_path_factory.mktemp("course")
    for folder in (root, *root.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)  # what guards the course is the seal, not its mode
    assignment = grading.write_assignment(
        root,
        suite=SUITE.format(marker=rubric),
        solution=f"{grading.SOLUTION}\nMARKER = '{solution}'\n",
        check_s=40,
    )
    drawn = Draw(seed, HIDDEN)(f32[5]).givens[0].array
    return Planted(
        assignment=assignment,
        seed=seed,
        needles={
            "rubric source": rubric.encode(),
            "solution": solution.encode(),
            "seed": seed.encode(),
            "hidden input": drawn.tobytes(),
            "expected values": (np.float32(2) * drawn).tobytes(),
            "its own": own.encode(),
        },
    )


def searches(result: AttemptResult) -> list[dict[str, list[str]]]:
    """What each search of one attempt reported."""
    lines = result.output.splitlines()
    return [json.loads(line.removeprefix("SEARCH ")) for line in lines if line.startswith("SEARCH ")]


def test_a_sealed_submission_finds_no_secret_anywhere(planted: Planted):
    result = planted.grade(sealed=True, everywhere=True)
    assert grading.of(result, HIDDEN).earned == 2  # the secrets were in use: the check was judged with them
    reports = searches(result)
    assert len(reports) >= 2
    for report in reports:
        assert report.keys() == {"environment", "descriptors", "files", "objects", "memory"}
        assert {name for found in report.values() for name in found} == {"its own"}


def test_the_search_of_memory_finds_what_is_there(planted: Planted):
    result = planted.grade(sealed=True, everywhere=False)
    assert all("its own" in report["memory"] for report in searches(result))


def test_without_the_seal_the_same_search_finds_the_course(planted: Planted):
    result = planted.grade(sealed=False, everywhere=False)
    assert {"rubric source", "solution"} <= set(searches(result)[0]["files"])
