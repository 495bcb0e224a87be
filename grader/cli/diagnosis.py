"""The work of `grader doctor`: try out what grading needs here, and say how to mend what does not work."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.cli.exits import ExitCode, leave
from grader.cli.node import database_words
from grader.cli.output import answers, asides, print_json
from grader.cli.steps import spinner
from grader.db.database import Database, missing_file
from grader.db.migrate import require_current
from grader.domain.errors import GraderError
from grader.engine.launcher import diagnose
from grader.services.embedded import EmbeddedValkey
from grader.services.settings import Settings, load_settings
from workers.reaching import require_broker

PACKAGES = ("jax", "jaxlib", "numpy", "pytest", "celery", "sqlalchemy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was tried. `needed`: without it submissions cannot be graded here."""

    area: str
    name: str
    works: bool
    needed: bool
    says: str
    remedy: str = ""


def doctor(*, as_json: bool) -> None:
    """Try everything and print what was found; ends the command with 1 if something needed does not work."""
    with spinner(asides(), "Trying everything out"):
        findings = tuple(examine(load_settings()))
    healthy = all(finding.works or not finding.needed for finding in findings)
    if as_json:
        print_json({"healthy": healthy, "findings": [asdict(finding) for finding in findings]})
    else:
        answers().print(_render(findings, healthy=healthy))
    leave(ExitCode.FINE if healthy else ExitCode.NO)


def examine(settings: Settings) -> Iterator[Finding]:
    """Everything that grading on this machine stands on, one finding after the other."""
    yield from _packages()
    yield from _seal(settings)
    yield _database(settings)
    yield _attempt("Services", "broker", lambda: _broker(settings))


def _packages() -> Iterator[Finding]:
    version = platform.python_version()
    yield Finding(area="Python", name="python", works=True, needed=True, says=f"{version}, {sys.executable}")
    for name in PACKAGES:
        try:
            says, works = importlib.metadata.version(name), True
        except importlib.metadata.PackageNotFoundError:
            says, works = "is not installed", False
        yield Finding(
            area="Python",
            name=name,
            works=works,
            needed=True,
            says=says,
            remedy="" if works else "Install the grader's requirements anew.",
        )


def _seal(settings: Settings) -> Iterator[Finding]:
    """The layers of the seal, each tried out by an act that it must forbid."""
    for layer in diagnose(settings.seal):
        yield Finding(
            area="Seal",
            name=layer.name,
            works=layer.available,
            needed=layer.required,
            says=layer.why or ("works" if layer.available else "does not work here"),
            remedy=layer.remedy,
        )


def _attempt(area: str, name: str, trial: Callable[[], str]) -> Finding:
    """What a trial says, or what its error says."""
    try:
        return Finding(area=area, name=name, works=True, needed=True, says=trial())
    except GraderError as error:
        return Finding(area=area, name=name, works=False, needed=True, says=str(error))


def _database(settings: Settings) -> Finding:
    """The database; one whose file is only not made yet keeps nobody from grading."""
    missing = missing_file(settings.database_url)
    if missing is None:
        return _attempt("Services", "database", lambda: _reach(settings))
    return Finding(
        area="Services",
        name="database",
        works=False,
        needed=False,
        says=f"not there yet: {missing}",
        remedy="`grader up` or `grader db upgrade` makes it.",
    )


def _reach(settings: Settings) -> str:
    with database_words(settings.database_url):
        database = Database(settings.database_url)
        try:
            require_current(database)
        finally:
            database.close()
    return "reachable, at the newest revision"


def _broker(settings: Settings) -> str:
    if settings.broker_url is None:
        with EmbeddedValkey():
            return "none is set; the embedded Valkey starts and answers"
    require_broker(settings)
    return "reachable"


def _render(findings: tuple[Finding, ...], *, healthy: bool) -> RenderableType:
    table = Table(box=None, pad_edge=False)
    for heading in ("", "What", "Works", "Found"):
        table.add_column(heading, overflow="fold")
    area = ""
    for finding in findings:
        table.add_row(
            "" if finding.area == area else finding.area, finding.name, _mark(finding), _words(finding)
        )
        area = finding.area
    answer = (
        Text("\nSubmissions can be graded on this machine.", style="bold green")
        if healthy
        else Text("\nSubmissions cannot be graded on this machine yet; see above.", style="bold red")
    )
    return Group(table, answer)


def _mark(finding: Finding) -> Text:
    if finding.works:
        return Text("yes", style="green")
    return Text("NO", style="bold red") if finding.needed else Text("no", style="yellow")


def _words(finding: Finding) -> Text:
    text = Text(finding.says)
    if not finding.works and finding.remedy:
        text.append(f"\n{finding.remedy}", style="bold")
    return text
