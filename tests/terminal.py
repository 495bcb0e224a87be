"""Somebody at a terminal, far from the server that they are logged in to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from typer.testing import CliRunner, Result

from grader.cli.app import app
from grader.cli.remote.logins import Login, Logins, write_logins
from grader.db import models
from grader.domain.attempts import AttemptState
from grader.domain.publication import PublicationState
from grader.domain.results import AttemptResult
from grader.services.accounts.tokens import create_token
from grader.services.policy import QueuePolicy
from grader.services.publication.running import run
from tests.engines import TextEngine
from tests.served import served
from tests.unit.services.test_publication import by_what_is_written
from tests.web import WebWorld


@dataclass(frozen=True, kw_only=True)
class Terminal:
    """A shell on another machine: commands, and the server that they may talk to."""

    world: WebWorld
    url: str

    def log_in(self, login: str) -> str:
        """Become somebody without typing a password; returns the token."""
        token = create_token(self.world.database, actor=self.world.people[login], name="t", days=1).secret
        write_logins(Logins().plus(Login(server=self.url, login=login, token=token)))
        return token

    def run(self, *words: object, typed: str | None = None) -> Result:
        """What a command line says, whatever comes of it."""
        return CliRunner().invoke(app, [str(word) for word in words], prog_name="grader", input=typed)

    def says(self, *words: object, typed: str | None = None) -> str:
        """What a command line says that must end well."""
        result = self.run(*words, typed=typed)
        assert result.exit_code == 0, result.output
        return result.stdout

    def tells(self, *words: object) -> Any:  # noqa: ANN401 - JSON
        """The one object that a command line prints with `--json`."""
        return json.loads(self.says(*words, "--json"))

    def as_(self, login: str, *words: object) -> str:
        """As `says`, logged in as that person."""
        self.log_in(login)
        return self.says(*words)

    @contextmanager
    def working(self, result: AttemptResult | None = None) -> Iterator[None]:
        """A worker that takes up what comes while the block runs: attempts get that result."""
        done = threading.Event()

        def work() -> None:
            while not done.is_set():
                for attempt_id in self._waiting(models.Attempt, AttemptState.QUEUED):
                    self.world.grade(attempt_id, result)
                for publication_id in self._waiting(models.Publication, PublicationState.QUEUED):
                    run(
                        publication_id,
                        database=self.world.database,
                        engine=TextEngine(by_what_is_written),
                        policy=QueuePolicy(),
                    )
                time.sleep(0.05)

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        try:
            yield
        finally:
            done.set()
            worker.join(30)

    def _waiting(self, kind: Any, state: object) -> list[Any]:  # noqa: ANN401 - a model with a state
        with self.world.database.reading() as session:
            return list(session.scalars(select(kind.id).where(kind.state == state)))


@contextmanager
def terminal(folder: Path, monkeypatch: pytest.MonkeyPatch, **web: Any) -> Iterator[Terminal]:  # noqa: ANN401
    """A terminal of a machine with nothing on it, and a server that is up."""
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("GRADER_HOME", str(folder / "client"))
    quickly(monkeypatch)
    with served(folder, **web) as (world, port):
        yield Terminal(world=world, url=f"http://127.0.0.1:{port}")


def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask for news more often than one would a server far away."""
    for module in ("waiting", "publishing", "regrades"):
        monkeypatch.setattr(f"grader.cli.remote.{module}.LOOK_EVERY_S", 0.05)
