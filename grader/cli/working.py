"""The work of `grader worker`, `grader db upgrade` and `grader up`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from uuid import UUID

from rich.markup import escape

from grader.cli.children import Child
from grader.cli.embedded import embedded_broker, embedded_worker, only_one
from grader.cli.embedded_web import embedded_web, with_free_address
from grader.cli.exits import ExitCode, leave
from grader.cli.node import Node, database_words, open_node
from grader.cli.output import answers
from grader.cli.serving import say_how_to_begin
from grader.db.migrate import upgrade
from grader.domain.attempts import FINAL_STATES, Queue
from grader.presentation.words import score_text
from grader.services.reading import AttemptFilter, AttemptView, attempts
from grader.services.settings import Settings, load_settings
from workers.main import run_worker

LOOK_EVERY_S = 1.0


def work(*, queue: str, processes: int) -> None:
    """Serve a queue until SIGTERM or Ctrl-C."""
    settings = load_settings()
    with database_words(settings.database_url):
        code = run_worker(settings, queue=Queue(queue), processes=processes)
    leave(ExitCode.FINE if code == 0 else ExitCode.OUR_FAULT)


def upgrade_database() -> None:
    """Migrate the database of these settings."""
    settings = load_settings()
    with database_words(settings.database_url):
        revision = upgrade(settings.database_url)
    answers().print(f"The database is at revision {revision}, the newest.")


def up() -> None:
    """Run broker, database, worker and web server until Ctrl-C, and say what happens meanwhile."""
    settings = load_settings()
    with only_one(settings.home):
        with database_words(settings.database_url):
            upgrade(settings.database_url)
        _run_everything(with_free_address(settings))


def _run_everything(settings: Settings) -> None:
    say = answers()
    with (
        embedded_broker(settings) as complete,
        open_node(complete) as node,
        embedded_worker(complete) as worker,
        embedded_web(complete) as web,
    ):
        say.print(f"The grader is up: {complete.web.url}", soft_wrap=True)
        say_how_to_begin(say, node, url=complete.web.url)
        say.print("Or, without a browser, publish an assignment and hand in from another terminal:")
        say.print("  grader assignment publish functional-core")
        say.print("    (runs the gate first, which takes minutes; --without-gate leaves it out)", style="dim")
        say.print("  grader submit FILE --assignment functional-core --wait")
        say.print(
            f"Data and logs are in {escape(str(settings.home))}. Ctrl-C stops everything.\n", soft_wrap=True
        )
        try:
            for ended in _ends(node, (worker, web)):
                say.print(_line(ended), soft_wrap=True)
        except KeyboardInterrupt:
            say.print("\nStopping; an attempt that is still running gets a few seconds to end.")
    say.print("Everything is stopped.")


def _ends(node: Node, children: Sequence[Child]) -> Iterator[AttemptView]:
    """Attempts, as they come to an end."""
    wanted = AttemptFilter(states=FINAL_STATES)
    known: set[UUID] = {attempt.id for attempt in attempts(node.database, wanted)}
    while True:
        time.sleep(LOOK_EVERY_S)
        for child in children:
            child.require_running()
        fresh = [attempt for attempt in attempts(node.database, wanted) if attempt.id not in known]
        known.update(attempt.id for attempt in fresh)
        yield from reversed(fresh)


def _line(ended: AttemptView) -> str:
    what = f"{ended.student}, {ended.assignment}, {ended.title}"
    if ended.score is None or ended.max_score is None:
        return escape(f"{what}: {ended.state.value.replace('_', ' ')}: {ended.failure_reason}")
    return escape(f"{what}: {score_text(ended.score, ended.max_score)} points")
