"""What an operator demands of the seal holds wherever work is graded, and every result says what was on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.domain.errors import ConfigurationInvalid, SealUnavailable
from grader.domain.rubric import Assignment
from grader.engine import Engine
from grader.engine.demands import ALWAYS, GROUPS, REQUIRED
from tests import grading

pytestmark = [pytest.mark.linux, pytest.mark.slow]
collect_ignore_glob = [] if sys.platform == "linux" else ["*"]

NOT_A_GROUP = "/proc/self/fdinfo"
"""A folder in which no control group, nor anything else, can be made."""


@pytest.fixture(scope="module")
def assignment(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    return grading.write_assignment(tmp_path_factory.mktemp("course"))


@pytest.fixture
def demanding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control groups are demanded, and cannot be had."""
    monkeypatch.setenv(REQUIRED, "control group")
    monkeypatch.setenv(GROUPS, NOT_A_GROUP)


def cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=os.environ)


@pytest.mark.usefixtures("demanding")
def test_without_a_demanded_layer_nothing_is_graded(assignment: Assignment):
    with Engine() as engine, pytest.raises(SealUnavailable) as caught:
        grading.grade(engine, assignment, grading.SOLUTION)
    assert caught.value.layer == "control group"
    assert GROUPS in caught.value.remedy


@pytest.mark.usefixtures("demanding")
def test_without_a_demanded_layer_the_gate_says_so_and_judges_nothing(assignment: Assignment):
    run = cli("assignment", "check", str(assignment.root))
    assert (run.returncode, "Traceback" in run.stderr) == (3, False)
    assert "'control group'" in run.stderr


@pytest.mark.usefixtures("demanding")
def test_the_doctor_names_the_demanded_layer_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GRADER_HOME", str(Path(__file__).parent / "nowhere"))
    run = cli("doctor", "--json")
    findings = {finding["name"]: finding for finding in json.loads(run.stdout)["findings"]}
    found = findings["control group"]
    assert (run.returncode, found["works"], found["needed"]) == (1, False, True)
    assert (NOT_A_GROUP in found["says"], GROUPS in found["remedy"]) == (True, True)


def test_a_demand_that_names_no_layer_is_told_before_anything_runs(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(REQUIRED, "landlok")
    with Engine() as engine, pytest.raises(ConfigurationInvalid, match="Did you mean 'landlock'"):
        grading.grade(engine, assignment, grading.SOLUTION)


def test_every_result_records_the_layers_that_were_on(assignment: Assignment):
    with Engine() as engine:
        result = grading.grade(engine, assignment, grading.SOLUTION)
    assert {layer.value for layer in ALWAYS} <= set(result.environment.layers)
