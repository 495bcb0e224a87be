"""The loop that keeps the queue moving: send what waits in the outbox, sweep now and then.

Every worker runs one, in a thread; any number may run at once. It needs no leader and keeps no state: the
database has it all.
"""

from __future__ import annotations

import logging
import threading
import time
from types import TracebackType
from typing import Self

from sqlalchemy.exc import SQLAlchemyError

from grader.db.database import Database
from grader.domain.errors import BrokerUnavailable
from grader.services.dispatching import dispatch
from grader.services.policy import QueuePolicy
from grader.services.ports import Send
from grader.services.publication.announcing import announce_publications, recover_publications
from grader.services.sweeping import sweep

logger = logging.getLogger(__name__)

_LONGEST_PAUSE_S = 5.0


class Housekeeper:
    """Dispatches and sweeps until told to stop. As a context it does so in a thread of its own."""

    def __init__(self, database: Database, send: Send, *, policy: QueuePolicy) -> None:
        self._database, self._send, self._policy = database, send, policy
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self.run, name="housekeeper", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._thread.join(timeout=_LONGEST_PAUSE_S)

    def stop(self) -> None:
        """Let the loop end after the step it is in."""
        self._stopped.set()

    def run(self) -> None:
        """Dispatch and sweep until `stop`. A broker or a database that is away is waited for."""
        swept_at = -float("inf")
        pause_s = self._policy.dispatch_every_s
        while not self._stopped.wait(pause_s):
            try:
                while dispatch(self._database, self._send, policy=self._policy):
                    pass
                announce_publications(self._database, self._send, policy=self._policy)
                if time.monotonic() - swept_at >= self._policy.sweep_every_s:
                    swept_at = time.monotonic()
                    sweep(self._database, policy=self._policy)
                    recover_publications(self._database, policy=self._policy)
                pause_s = self._policy.dispatch_every_s
            except (BrokerUnavailable, SQLAlchemyError) as error:
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                logger.warning("housekeeping waits %.1f s and tries again: %s", pause_s, error)
            except Exception:
                # The thread's boundary: a worker whose housekeeper is dead would look healthy and help
                # nobody.
                pause_s = _LONGEST_PAUSE_S
                logger.exception("housekeeping failed; trying again in %.1f s", pause_s)
