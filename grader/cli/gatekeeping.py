"""The work of `grader assignment ...`: the gate, publishing, and lists of assignments."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from grader.cli import gate_table
from grader.cli.exits import ExitCode, leave
from grader.cli.node import open_node
from grader.cli.output import answers, asides, print_json
from grader.cli.steps import spinner, step_display
from grader.content.assignments import find_assignment, read_whole, shipped_slugs
from grader.domain.errors import NoDatabaseYet
from grader.domain.rubric import Assignment
from grader.engine import Engine
from grader.services import gate_json
from grader.services.bundling import make_bundle
from grader.services.gate import run_gate
from grader.services.gate_report import GateReport
from grader.services.lookup import published_assignments
from grader.services.publishing import publish as store_version

WITHOUT_GATE = "The gate was not run: nothing says that this assignment grades as its manifest declares."


def check(folder: str, *, as_json: bool) -> None:
    """Run the gate on an assignment; ends the command with 1 where it stays shut."""
    assignment = read_whole(find_assignment(folder))
    with Engine() as engine:
        report = _gate(assignment, engine)
    if as_json:
        print_json(gate_json.as_json(report))
    else:
        answers().print(gate_table.render(report))
    leave(ExitCode.FINE if report.passed else ExitCode.NO)


def publish(folder: str, *, gated: bool) -> None:
    """Store a folder as the version that new submissions are graded against, if the gate opens."""
    assignment = read_whole(find_assignment(folder))
    with open_node() as node, Engine() as engine:
        if gated:
            report = _gate(assignment, engine)
            if not report.passed:
                answers().print(gate_table.render(report))
                leave(ExitCode.NO)
        else:
            asides().print(WITHOUT_GATE, style="yellow", soft_wrap=True)
        version = store_version(
            node.database,
            course_id=node.course().id,
            assignment=assignment,
            rubric=engine.rubric(assignment),
            bundle=_bundle(assignment, engine),
        )
    what = f"{escape(version.slug)}, version {version.number} ({version.content_hash[:12]})"
    if version.created:
        answers().print(f"Published {what}. Students submit with:", soft_wrap=True)
    else:
        answers().print(f"Nothing has changed since {what}. Students submit with:", soft_wrap=True)
    answers().print(f"  grader submit FILE --assignment {escape(version.slug)}", soft_wrap=True)


def list_assignments() -> None:
    """Print what is published on this node, and what comes with the grader."""
    try:
        with open_node() as node:
            published = published_assignments(node.database, course_id=node.course().id)
    except NoDatabaseYet as error:
        answers().print(escape(f"No assignment is published here: {error}"), soft_wrap=True)
        _print_shipped()
        return
    table = Table(title="Published here", title_justify="left")
    for heading in ("Assignment", "Title", "Version", "Content", "Published"):
        table.add_column(heading)
    for item in published:
        when = f"{item.published_at:%Y-%m-%d %H:%M} UTC"
        table.add_row(escape(item.slug), escape(item.title), str(item.number), item.content_hash[:12], when)
    if published:
        answers().print(table)
    else:
        answers().print("No assignment is published here yet.")
    _print_shipped()


def _print_shipped() -> None:
    answers().print(f"Shipped with the grader: {', '.join(shipped_slugs())}.", soft_wrap=True)


def _bundle(assignment: Assignment, engine: Engine) -> bytes | None:
    with spinner(asides(), "Recording the solution's answers"):
        made = make_bundle(assignment, engine)
    return made.data if made.checks else None


def _gate(assignment: Assignment, engine: Engine) -> GateReport:
    with spinner(asides(), "Starting JAX"):
        engine.start()
    with step_display(asides()) as show:
        return run_gate(
            assignment,
            engine,
            on_step=lambda step: show(step.number, step.total, step.title),
        )
