"""Signs of life: a thread that renews a lease, of an attempt or of a gate, while its owner works."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from sqlalchemy.exc import SQLAlchemyError

from grader.services.policy import QueuePolicy

logger = logging.getLogger(__name__)


class SignsOfLife:
    """Calls `renew` at a bounded rate until its context is left or `renew` says that the lease is lost.

    `what` names the lease in the log. It stops when the run has taken longer than `time_limit_s`: a worker
    that hangs must not keep its lease for ever.
    """

    def __init__(
        self, renew: Callable[[], bool], *, what: str, time_limit_s: float, policy: QueuePolicy
    ) -> None:
        self._renew_lease, self._what = renew, what
        self._time_limit_s, self._policy = time_limit_s, policy
        self._changed = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._changed.set()
        self._thread.join()

    def soon(self) -> None:
        """There is something new to write: renew soon, not at once. Cheap enough to call for every check."""
        self._changed.set()

    def _beat(self) -> None:
        give_up_at = time.monotonic() + self._time_limit_s
        while time.monotonic() < give_up_at:
            self._changed.wait(self._policy.heartbeat_every_s)
            if self._stopped.is_set():
                return
            self._changed.clear()
            if not self._renewed():
                return
            # Progress may come in bursts; one write per interval is plenty for somebody who watches.
            if self._stopped.wait(self._policy.progress_every_s):
                return

    def _renewed(self) -> bool:
        """False once the lease is lost. A database that is away for a moment is no reason to give up."""
        try:
            return self._renew_lease()
        except SQLAlchemyError:
            logger.warning("could not renew the lease of %s", self._what, exc_info=True)
            return True
