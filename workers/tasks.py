"""The one task, and the grading process it runs in."""

from __future__ import annotations

import logging
import os
import signal
from uuid import UUID

from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown

from grader.domain.errors import EngineUnavailable, SealUnavailable
from grader.services.settings import Settings
from workers.app import RUN_ATTEMPT
from workers.options import task_options
from workers.process import GradingProcess

logger = logging.getLogger(__name__)

TASK_OPTIONS = task_options(name=RUN_ATTEMPT, ignore_result=True, max_retries=0)


class _Slot:
    """Holds this process's GradingProcess: Celery gives a task no better place for what outlives it."""

    process: GradingProcess | None = None


def register(app: Celery, settings: Settings) -> None:
    """Give the app its task, and each process forked from this one what the task needs."""
    slot = _Slot()

    def open_process(**_: object) -> None:
        slot.process = GradingProcess(app, settings)

    def close_process(**_: object) -> None:
        if slot.process is not None:
            slot.process.close()

    worker_process_init.connect(open_process, weak=False)
    worker_process_shutdown.connect(close_process, weak=False)

    def run_attempt(attempt_id: str) -> None:
        if slot.process is None:
            raise RuntimeError("a task ran outside of a grading process")
        try:
            outcome = slot.process.run(UUID(attempt_id))
        except (EngineUnavailable, SealUnavailable) as error:
            logger.critical("the worker stops, for this machine cannot grade: %s", error, exc_info=True)
            # The parent takes SIGINT for a wish to end in order, with an exit code that says something is
            # wrong.
            os.kill(os.getppid(), signal.SIGINT)
            return
        logger.info("attempt %s: %s", attempt_id, outcome.value)

    app.task(**TASK_OPTIONS)(run_attempt)
