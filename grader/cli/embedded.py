"""Everything on one machine: a broker of our own, a migrated database, and a worker that ends with us."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from grader.cli.children import Child, child
from grader.domain.attempts import Queue
from grader.domain.errors import ConfigurationInvalid
from grader.services.embedded import EmbeddedValkey
from grader.services.settings import Settings

WORKER_LOG = "worker.log"


LOCK = "up.lock"


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """Keep this home to ourselves; ConfigurationInvalid if another process does.

    Two workers over one embedded database would take each other's work and share a log. The kernel
    gives the lock up when its holder ends, however that happens.
    """
    import fcntl  # noqa: PLC0415 - other systems read this module, too, and are told what they lack

    try:
        home.mkdir(parents=True, exist_ok=True)
        lock = (home / LOCK).open("a+")
    except OSError as error:
        raise ConfigurationInvalid(
            "GRADER_HOME", f"{home} cannot be written: {error.strerror}.", "Name another folder."
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise ConfigurationInvalid(
                "GRADER_HOME",
                f"another grader is up in {home} (process {lock.read().strip() or 'unknown'}).",
                "Stop that one, or set GRADER_HOME to another folder for this one.",
            ) from error
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


@contextmanager
def embedded_broker(settings: Settings) -> Iterator[Settings]:
    """The settings with a broker that lives as long as the block; one that is set already is kept."""
    if settings.broker_url is not None:
        yield settings
        return
    with EmbeddedValkey() as valkey:
        yield replace(settings, broker_url=valkey.url)


@contextmanager
def embedded_worker(
    settings: Settings, *, patience_s: float = 8.0, remove: Path | None = None
) -> Iterator[Child]:
    """A worker process that serves the cpu queue until the block ends, at the latest until this process does.

    At the end an attempt that is running gets `patience_s`; cut off, it is graded by whoever comes next.
    `remove` is a folder that goes with the worker, also when this process cannot see to it any more.
    """
    with child(
        "worker",
        ["worker", "--queue", Queue.CPU.value],
        log=settings.home / "logs" / WORKER_LOG,
        environment=worker_environment(settings),
        patience_s=patience_s,
        remove=remove,
    ) as worker:
        yield worker


def worker_environment(settings: Settings) -> dict[str, str]:
    """This process's environment, with the settings that a worker of ours must share with it."""
    return {
        **os.environ,
        "GRADER_HOME": str(settings.home),
        "GRADER_DATABASE_URL": settings.database_url,
        "GRADER_BROKER_URL": settings.require_broker(),
    }
