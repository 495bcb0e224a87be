from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest
from typer.testing import CliRunner, Result

from grader.cli.app import app
from grader.db.migrate import upgrade
from grader.domain.errors import SealUnavailable
from grader.domain.results import AttemptResult, Progress
from grader.domain.rubric import Assignment, Rubric
from grader.domain.student_bundle import Recorded
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Blame, Verdict, Visibility
from grader.services.settings import Settings, load_settings
from tests.courses import rubric
from tests.engines import Judge, TextEngine, by_text

Cli = Callable[..., Result]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command line and gives what it said; wide, so that nothing wraps."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*args: str | Path) -> Result:
        return CliRunner().invoke(app, [str(arg) for arg in args], prog_name="grader")

    return run


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of a node whose database is ready."""
    monkeypatch.setenv("GRADER_HOME", str(tmp_path / "home"))
    found = load_settings()
    upgrade(found.database_url)
    return found


def always(verdict: Verdict, blame: Blame | None = None) -> Judge:
    """A judge who gives one verdict whatever he is shown."""
    return lambda _check, _files: (verdict, blame)


@dataclass(kw_only=True)
class FakeEngine:
    """Stands where the command line opens an engine; judges by the text of what is handed in."""

    judge: Judge = by_text
    seal: bool = True
    """Whether this machine has one."""
    rubric_: Rubric = field(default_factory=rubric)
    withheld: dict[str, str] = field(default_factory=dict)
    asked: list[bool | None] = field(default_factory=list)
    seeds: list[str] = field(default_factory=list)
    only: frozenset[Visibility] | None = None
    sealed: bool = True

    def __call__(self, *, sealed: bool | None = None) -> Self:
        self.asked.append(sealed)
        self.sealed = self.seal and sealed is not False
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def start(self) -> None:
        if self.asked[-1] is None and not self.seal:
            raise SealUnavailable("seccomp", "this kernel has none.")

    def rubric(self, assignment: Assignment) -> Rubric:
        del assignment
        return self.rubric_

    def record(self, solution: SubmittedFiles, assignment: Assignment, *, seed: str) -> Recorded:
        result = TextEngine(self.judge).record(solution, assignment, seed=seed).result
        return Recorded(result=result, answers=b"answers", withheld=self.withheld)

    def grade(
        self,
        files: SubmittedFiles,
        assignment: Assignment,
        *,
        seed: str,
        on_progress: Callable[[Progress], None] = lambda _: None,
        only: frozenset[Visibility] | None = None,
    ) -> AttemptResult:
        self.seeds.append(seed)
        self.only = only
        return TextEngine(self.judge).grade(files, assignment, seed=seed, on_progress=on_progress)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """The engine that commands find."""
    fake = FakeEngine()
    monkeypatch.setattr("grader.cli.checking.Engine", fake)
    monkeypatch.setattr("grader.cli.gatekeeping.Engine", fake)
    monkeypatch.setattr("grader.cli.bundling.Engine", fake)
    return fake
