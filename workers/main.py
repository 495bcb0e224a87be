"""Running a worker: what `grader worker` calls."""

from __future__ import annotations

import logging
import os
import socket
import sys
import warnings

from celery.platforms import SecurityWarning

from grader.db.database import Database
from grader.db.migrate import require_current
from grader.domain.attempts import Queue
from grader.domain.errors import ConfigurationInvalid
from grader.services.settings import Settings
from workers.app import lanes_of, make_app
from workers.engines import load_engine_factory
from workers.tasks import register


def run_worker(settings: Settings, *, queue: Queue, processes: int = 1) -> int:
    """Serve a queue until SIGTERM or Ctrl-C, which let running attempts end.

    Each of the `processes` grades one attempt at a time with an engine of its own. Returns 0 after SIGTERM,
    and 1 after Ctrl-C or when the worker has stopped by itself because its machine cannot grade.
    """
    if sys.platform != "linux":
        raise ConfigurationInvalid(
            "grader worker",
            "a worker grades other people's code sealed off, which needs Linux.",
            "Here, `grader check` grades your own.",
        )
    load_engine_factory(settings.engine)  # so that a name that cannot be loaded is told at once
    _require_database(settings)
    app = make_app(settings)
    register(app, settings)
    with warnings.catch_warnings():
        # A worker may well be root: only root can give candidates another identity. Celery's warning is about
        # pickled messages, and ours are JSON.
        warnings.simplefilter("ignore", SecurityWarning)
        worker = app.Worker(
            hostname=f"{queue.value}-{os.getpid()}@{socket.gethostname()}",
            pool="prefork",
            concurrency=processes,
            queues=lanes_of(queue),
            loglevel=logging.INFO,
            quiet=True,
            # Workers do not talk to each other; they meet in the database.
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        worker.start()
    return int(worker.exitcode or 0)


def _require_database(settings: Settings) -> None:
    # Opened and closed before the fork: a connection must not be inherited.
    database = Database(settings.database_url)
    try:
        require_current(database)
    finally:
        database.close()
