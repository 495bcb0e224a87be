"""What lives in one of a worker's grading processes: a warm engine, an open database, a housekeeper.

Theory of operation. `grader worker` is Celery's prefork pool: a parent that talks to the broker, and grading
processes forked from it, one by default. The parent stays free of threads and of open databases, so forking
again after a grading process died is safe. A grading process runs one attempt at a time in its main thread
and opens its engine at the first, since that takes seconds; a heartbeat thread keeps the attempt's lease, a
housekeeper thread dispatches and sweeps. The parent kills a grading process that exceeds its message's time
limit; the kernel kills it when the parent dies (Celery sets PR_SET_PDEATHSIG). Its attempt is then found by
whoever sweeps next.
"""

from __future__ import annotations

import logging
import os
import socket
from contextlib import ExitStack
from uuid import UUID

from celery import Celery

from grader.db.database import Database
from grader.domain.attempts import RunOutcome
from grader.domain.errors import EngineUnavailable, SealUnavailable
from grader.domain.publication import PublicationState
from grader.services import grading
from grader.services.housekeeping import Housekeeper
from grader.services.ports import WorkerEngine
from grader.services.publication import running
from grader.services.settings import Settings
from workers.engines import load_engine_factory
from workers.sending import sender_of

logger = logging.getLogger(__name__)


class GradingProcess:
    """The state of one grading process. Make it after the fork; `close` ends everything it owns."""

    def __init__(self, app: Celery, settings: Settings) -> None:
        self._settings = settings
        self._resources = ExitStack()
        self._engine: WorkerEngine | None = None
        self._database = Database(settings.database_url)
        self._resources.callback(self._database.close)
        self._resources.enter_context(Housekeeper(self._database, sender_of(app), policy=settings.policy))

    def run(self, attempt_id: UUID) -> RunOutcome:
        """Run one attempt, opening the engine if this is the first.

        EngineUnavailable and SealUnavailable mean that this machine cannot grade; the attempt stays queued.
        """
        return grading.run(
            attempt_id,
            database=self._database,
            engine=self._open_engine(),
            cache=self._settings.version_cache,
            owner=f"{socket.gethostname()}:{os.getpid()}",
            policy=self._settings.policy,
        )

    def gate(self, publication_id: UUID) -> PublicationState | None:
        """Run the gate of an uploaded assignment folder; errors as for `run`."""
        return running.run(
            publication_id,
            database=self._database,
            engine=self._open_engine(),
            policy=self._settings.policy,
        )

    def close(self) -> None:
        """Stop the housekeeper, close the engine and the database."""
        self._resources.close()

    def _open_engine(self) -> WorkerEngine:
        if self._engine is not None:
            return self._engine
        try:
            engine = self._resources.enter_context(load_engine_factory(self._settings.engine)())
            engine.start()
        except SealUnavailable:
            raise
        except Exception as error:
            raise EngineUnavailable(
                f"the engine {self._settings.engine} cannot be opened: {error}"
            ) from error
        self._engine = engine
        return engine
