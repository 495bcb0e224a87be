"""The tasks, and the grading process they run in."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown

from grader.domain.errors import EngineUnavailable, SealUnavailable
from grader.services.settings import Settings
from workers.app import RUN_ATTEMPT, RUN_GATE
from workers.options import task_options
from workers.process import GradingProcess

logger = logging.getLogger(__name__)

ATTEMPT_OPTIONS = task_options(name=RUN_ATTEMPT, ignore_result=True, max_retries=0)
GATE_OPTIONS = task_options(name=RUN_GATE, ignore_result=True, max_retries=0)


class _Slot:
    """Holds this process's GradingProcess: Celery gives a task no better place for what outlives it."""

    process: GradingProcess | None = None

    @property
    def running(self) -> GradingProcess:
        if self.process is None:
            raise RuntimeError("a task ran outside of a grading process")
        return self.process


def register(app: Celery, settings: Settings) -> None:
    """Give the app its tasks, and each process forked from this one what they need."""
    slot = _Slot()

    def open_process(**_: object) -> None:
        slot.process = GradingProcess(app, settings)

    def close_process(**_: object) -> None:
        if slot.process is not None:
            slot.process.close()

    worker_process_init.connect(open_process, weak=False)
    worker_process_shutdown.connect(close_process, weak=False)

    def run_attempt(attempt_id: str) -> None:
        with _stopping_if_unable():
            outcome = slot.running.run(UUID(attempt_id))
            logger.info("attempt %s: %s", attempt_id, outcome.value)

    def run_gate(publication_id: str) -> None:
        with _stopping_if_unable():
            state = slot.running.gate(UUID(publication_id))
            logger.info("gate of %s: %s", publication_id, state.value if state else "not queued")

    app.task(**ATTEMPT_OPTIONS)(run_attempt)
    app.task(**GATE_OPTIONS)(run_gate)


@contextmanager
def _stopping_if_unable() -> Iterator[None]:
    """Stop the whole worker where its machine turns out not to be able to grade."""
    try:
        yield
    except (EngineUnavailable, SealUnavailable) as error:
        logger.critical("the worker stops, for this machine cannot grade: %s", error, exc_info=True)
        # The parent takes SIGINT for a wish to end in order, with an exit code that says something is wrong.
        os.kill(os.getppid(), signal.SIGINT)
