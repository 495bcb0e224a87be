"""Runs a rubric suite under pytest, in this process: collection alone, or one attempt."""

from __future__ import annotations

import ast
import gc
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pytest_jsonreport.plugin import JSONReport

from grader.domain.errors import AssignmentInvalid
from grader.domain.results import CheckResult
from grader.domain.rubric import Assignment, CheckSpec
from grader.engine.attempt import ATTEMPT_KEY, Attempt
from grader.engine.report import read_report

RUBRIC_PLUGIN = "rubrics.plugin"
"""Loaded by name: the engine never imports it."""

_TRACE_LINE = re.compile(r'File "([^"]+)", line (\d+)')

_OPTIONS = (
    "-p", RUBRIC_PLUGIN,
    "-p", "pytest_metadata.plugin",
    "-p", "pytest_jsonreport.plugin",
    "-p", "no:cacheprovider",
    "-p", "no:faulthandler",
    "-p", "no:unraisableexception",
    "-p", "no:threadexception",
    "-p", "no:doctest",
    "-p", "no:junitxml",
    "--import-mode=importlib",
    "--capture=no",
    "--tb=native",
    "-qq", "--no-header", "--no-summary",
    "--strict-markers",
    "--json-report-file=",
    "--json-report-omit", "log", "keywords", "streams", "collectors", "warnings",
    "-o", "addopts=",
    "-o", "console_output_style=classic",
)  # fmt: skip


class _Handover:
    """A pytest plugin whose only job is to put the attempt where the rubric plugin finds it."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[ATTEMPT_KEY] = self._attempt

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._attempt.problems.append(_in_short(str(report.longrepr), self._attempt.assignment.root))


def _in_short(trace: str, root: Path) -> str:
    """The last line of a traceback, with the suite's own line that led there."""
    places = [(file, line) for file, line in _TRACE_LINE.findall(trace) if Path(file).is_relative_to(root)]
    said = (trace.strip().splitlines() or ["no reason given"])[-1][:500]
    return f"{Path(places[-1][0]).name}, line {places[-1][1]}: {said}" if places else said


def _duplicates(suite: Path) -> list[str]:
    """Tests that a later one of the same name replaces: Python says nothing, and points would vanish."""
    problems = []
    for file in sorted(suite.glob("test_*.py")):
        seen: dict[str, int] = {}
        for node in _parsed(file):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                if node.name in seen:
                    lines = f"lines {seen[node.name]} and {node.lineno}"
                    problems.append(f"{file.name} defines {node.name} twice, on {lines}")
                seen[node.name] = node.lineno
    return problems


def _parsed(file: Path) -> list[ast.stmt]:
    try:
        return ast.parse(file.read_bytes()).body
    except (SyntaxError, ValueError):
        return []  # pytest says what is wrong with it


def collect(assignment: Assignment) -> tuple[CheckSpec, ...]:
    """The checks that a suite declares, in order; AssignmentInvalid if it cannot be collected."""
    attempt = Attempt(assignment=assignment)
    attempt.problems.extend(_duplicates(assignment.root / "rubric"))
    code, _ = _run(attempt, ("--collect-only",))
    if code != pytest.ExitCode.OK or attempt.problems:
        problem = "; ".join(attempt.problems) or f"pytest ended with exit code {int(code)}"
        raise AssignmentInvalid(
            assignment.root / "rubric", f"the rubric suite cannot be collected: {problem}."
        )
    return tuple(attempt.checks)


def run(attempt: Attempt, expected: Iterable[CheckSpec]) -> tuple[CheckResult, ...]:
    """Run the suite for one attempt and read its report."""
    code, report = _run(attempt, ())
    return read_report(report, exit_code=int(code), expected=tuple(expected))


def _run(attempt: Attempt, extra: tuple[str, ...]) -> tuple[int | pytest.ExitCode, dict[str, Any]]:
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    suite = attempt.assignment.root / "rubric"
    reporter = JSONReport()
    options = [
        *_OPTIONS,
        *extra,
        "--rootdir",
        str(suite),
        "--confcutdir",
        str(suite),
        "-c",
        os.devnull,
        str(suite),
    ]
    collecting = gc.isenabled()
    gc.disable()  # the collector would walk JAX's heap several times during one short run
    try:
        code = pytest.main(options, plugins=[_Handover(attempt), reporter])
    finally:
        if collecting:
            gc.enable()
        _forget(suite)
    return code, reporter.report or {}


def _forget(suite: Path) -> None:
    """Drop the suite's modules: the next attempt may be of another version in the same folder."""
    inside = str(suite)
    for name, module in tuple(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.startswith(inside):
            del sys.modules[name]
