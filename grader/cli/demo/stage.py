"""The stage of the demo: a private home, a broker, a database, a worker, an assignment, and the hand-ins."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

from rich.console import Console

from grader.cli.children import Child
from grader.cli.demo.samples import Sample, read_samples
from grader.cli.embedded import embedded_broker, embedded_worker
from grader.cli.node import Node, open_node
from grader.cli.steps import spinner
from grader.content.assignments import find_assignment, read_assignment
from grader.db.migrate import upgrade
from grader.domain.rubric import Assignment, Rubric
from grader.engine import Engine
from grader.presentation.words import counted, points_text
from grader.services.publishing import PublishedVersion, publish
from grader.services.seeding import load_secret
from grader.services.settings import Settings, load_settings
from grader.services.submitting import submit
from grader.services.uploads import Upload

SLUG = "functional-core"
PATIENCE_S = 1.5
"""For an attempt that still runs when somebody stops the demo: nobody will miss it."""

NOT_FOR_THE_DEMO = ("GRADER_HOME", "GRADER_DATABASE_URL", "GRADER_BROKER_URL", "GRADER_SECRET")
"""Settings of a real course: the demo must never touch one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedIn:
    """One sample and the attempt that grades it."""

    sample: Sample
    attempt_id: UUID
    submission_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Everything up and running, with the samples in the queue."""

    node: Node
    worker: Child
    assignment: Assignment
    handed_in: tuple[HandedIn, ...]


@contextmanager
def set_stage(console: Console, *, keep: bool) -> Iterator[Stage]:
    """Build the stage, saying each step; everything is stopped and, unless `keep`, removed at the end."""
    assignment = read_assignment(find_assignment(SLUG))
    samples = read_samples(assignment.root)
    with ExitStack() as stack:
        home = stack.enter_context(demo_home(keep=keep))
        settings = demo_settings(home)
        with step(console, "Broker", "a Valkey server of our own, on a private socket"):
            settings = stack.enter_context(embedded_broker(settings))
        with step(console, "Database", "a new SQLite file, migrated to this version's tables"):
            upgrade(settings.database_url)
            node = stack.enter_context(open_node(settings))
        with step(console, "Worker", "one process, which grades one submission at a time"):
            worker = stack.enter_context(
                embedded_worker(settings, patience_s=PATIENCE_S, remove=None if keep else home)
            )
        with step(console, "Assignment", f"{SLUG}, published without its gate, which takes minutes") as say:
            rubric, version = _publish(node, assignment)
            say(f"{counted(len(rubric.checks), 'check')}, {points_text(rubric.max_score)} points")
        with step(
            console, "Submissions", f"{len(samples)} files, each from another student, are in the queue"
        ):
            handed_in = tuple(_hand_in(node, version, sample) for sample in samples)
        yield Stage(node=node, worker=worker, assignment=assignment, handed_in=handed_in)


@contextmanager
def demo_home(*, keep: bool) -> Iterator[Path]:
    """A private folder for everything that the demo stores."""
    home = Path(tempfile.mkdtemp(prefix="grader-demo-"))
    try:
        yield home
    finally:
        if not keep:
            shutil.rmtree(home, ignore_errors=True)


def demo_settings(home: Path) -> Settings:
    """The environment's settings, with everything that is stored below `home`."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_FOR_THE_DEMO}
    return load_settings({**kept, "GRADER_HOME": str(home)})


@contextmanager
def step(console: Console, name: str, what: str) -> Iterator[Callable[[str], None]]:
    """Say that a step is being done, then that it was, and how long it took; the block may add a detail."""
    details: list[str] = []
    began = time.monotonic()
    with spinner(console, f"{name}: {what}"):
        yield details.append
    seconds = time.monotonic() - began
    console.print(f"  {name:<12} {'; '.join([what, *details])} [dim]({seconds:.1f} s)[/]", soft_wrap=True)


def _publish(node: Node, assignment: Assignment) -> tuple[Rubric, PublishedVersion]:
    with Engine() as engine:
        rubric = engine.rubric(assignment)
    version = publish(node.database, course_id=node.course().id, assignment=assignment, rubric=rubric)
    return rubric, version


def _hand_in(node: Node, version: PublishedVersion, sample: Sample) -> HandedIn:
    receipt = submit(
        node.database,
        uploads=[Upload(name=sample.name, data=sample.path.read_bytes())],
        assignment_id=version.assignment_id,
        user_id=node.student(sample.student).id,
        idempotency_key=str(uuid4()),
        secret=load_secret(node.settings),
    )
    return HandedIn(sample=sample, attempt_id=receipt.attempt_id, submission_id=receipt.submission_id)
