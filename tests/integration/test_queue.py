"""The queue with real processes: database, Valkey, Celery workers, and somebody who pulls the plugs."""

from __future__ import annotations

import os
import signal
import sys
import time

import psutil
import pytest
from sqlalchemy import update

from grader.db import models
from grader.domain.attempts import AttemptState, Lane
from grader.services.dispatching import dispatch
from grader.services.settings import load_settings
from tests.integration.conftest import Site
from tests.processes import wait_for
from workers.sending import open_sender

pytestmark = [
    pytest.mark.slow,
    pytest.mark.linux,
    pytest.mark.skipif(sys.platform != "linux", reason="workers need Linux"),
]

on_sqlite = pytest.mark.parametrize("site", ["sqlite"], indirect=True)
"""For what does not depend on the database; the services' own tests use both."""


def begun(site: Site, count: int) -> None:
    wait_for(lambda: len(site.runs) >= count, what=f"{count} runs to begin")


def test_what_is_submitted_is_graded_once_by_one_warm_engine(site: Site) -> None:
    for _ in range(5):
        site.course.submit()
    with site.worker() as worker:
        site.wait_until_all_final()
        assert worker.stop() == 0
    site.assert_each_graded_once(5)
    assert site.runs_per_attempt == {1: 5}
    assert len({run.pid for run in site.runs}) == 1


def test_a_worker_whose_whole_group_is_killed_loses_nothing(site: Site) -> None:
    site.seconds = 0.7
    for _ in range(3):
        site.course.submit()
    with site.worker() as worker:
        begun(site, 1)
        worker.kill()
    killed = site.runs[0].seed
    with site.worker():
        site.wait_until_all_final()
    site.assert_each_graded_once(3)
    assert [run.seed for run in site.runs].count(killed) == 2
    assert site.runs_per_attempt == {2: 1, 1: 2}


@on_sqlite
def test_a_grading_process_that_is_killed_is_replaced(site: Site) -> None:
    site.seconds = 0.7
    site.course.submit()
    with site.worker():
        begun(site, 1)
        os.kill(site.runs[0].pid, signal.SIGKILL)
        site.wait_until_all_final()
    site.assert_each_graded_once(1)
    first, second = site.runs
    assert first.seed == second.seed
    assert first.pid != second.pid


def test_a_broker_that_is_killed_and_comes_back_empty_loses_nothing(site: Site) -> None:
    site.seconds = 0.4
    for _ in range(4):
        site.course.submit()
    with site.worker():
        begun(site, 1)
        server = site.valkey.pid
        os.kill(server, signal.SIGKILL)
        wait_for(lambda: site.valkey.pid != server and site.valkey.answers(), what="Valkey to come back")
        for _ in range(2):
            site.course.submit()
        site.wait_until_all_final()
    site.assert_each_graded_once(6)
    assert site.runs_per_attempt == {1: 6}


def test_worker_and_broker_killed_together_lose_nothing(site: Site) -> None:
    site.seconds = 0.5
    for _ in range(3):
        site.course.submit()
    with site.worker() as worker:
        begun(site, 1)
        os.kill(site.valkey.pid, signal.SIGKILL)
        worker.kill()
    with site.worker():
        site.wait_until_all_final()
    site.assert_each_graded_once(3)


@on_sqlite
def test_a_run_that_hangs_is_killed_and_in_the_end_abandoned_to_staff(site: Site) -> None:
    site.seconds = 3600
    receipt = site.course.submit()
    hurry = update(models.OutboxMessage).values(time_limit_s=1.0)
    with site.database.writing() as session:
        session.execute(hurry)
    with site.worker(GRADER_MAX_TRIES="2", GRADER_RETRY_DELAY_S="1"):
        begun(site, 1)
        with site.database.writing() as session:
            session.execute(hurry)

        def given_up() -> bool:
            with site.database.writing() as session:
                session.execute(hurry)  # each repeat brings a message with the assignment's own limit
            return site.view(receipt.attempt_id).state.final

        wait_for(given_up, within_s=90, what="the attempt to be abandoned")
    view = site.view(receipt.attempt_id)
    assert (view.state, view.tries, view.score) == (AttemptState.ABANDONED, 2, None)
    assert "stopped giving signs of life" in str(view.failure_reason)


@on_sqlite
def test_students_come_before_regrades(site: Site) -> None:
    """Bulk first into the broker, interactive last; the worker takes the interactive ones first."""
    receipts = [site.course.submit() for _ in range(6)]
    bulk = {receipt.attempt_id for receipt in receipts[:3]}
    with site.database.writing() as session:
        for table, column in (
            (models.Attempt, models.Attempt.id),
            (models.OutboxMessage, models.OutboxMessage.attempt_id),
        ):
            session.execute(update(table).where(column.in_(bulk)).values(lane=Lane.BULK))
    settings = load_settings({**site.environ})
    with open_sender(settings) as send:
        assert dispatch(site.database, send, policy=settings.policy) == 6
    with site.worker():
        site.wait_until_all_final()
    started = sorted(receipts, key=lambda receipt: site.view(receipt.attempt_id).started_at)
    assert [receipt.attempt_id in bulk for receipt in started] == [False] * 3 + [True] * 3


def test_workers_share_the_work_and_never_an_attempt(site: Site) -> None:
    site.seconds = 0.1
    for _ in range(8):
        site.course.submit()
    with site.worker(), site.worker():
        site.wait_until_all_final()
    site.assert_each_graded_once(8)
    assert site.runs_per_attempt == {1: 8}
    assert len({run.pid for run in site.runs}) == 2


@on_sqlite
def test_a_worker_that_is_stopped_ends_what_it_has_begun(site: Site) -> None:
    site.seconds = 0.5
    first, second = site.course.submit(), site.course.submit()
    with site.worker() as worker:
        begun(site, 1)
        assert worker.stop() == 0
    assert {site.view(receipt.attempt_id).state for receipt in (first, second)} == {
        AttemptState.GRADED,
        AttemptState.QUEUED,
    }


@pytest.mark.parametrize("engine", ["unsealed_engine", "broken_engine"])
@on_sqlite
def test_a_machine_that_cannot_grade_stops_its_worker_and_keeps_the_attempt_queued(
    site: Site, engine: str
) -> None:
    receipt = site.course.submit()
    with site.worker(GRADER_ENGINE=f"tests.engines:{engine}") as worker:
        assert worker.process.wait(60) == 1
    view = site.view(receipt.attempt_id)
    assert (view.state, view.tries) == (AttemptState.QUEUED, 0)
    with site.worker():
        site.wait_until_all_final()
    site.assert_each_graded_once(1)


@on_sqlite
def test_the_process_that_forks_has_one_thread_and_no_database_open(site: Site) -> None:
    """Forking with threads can leave locks held for ever in the child; see `workers.process`."""
    site.course.submit()
    with site.worker() as worker:
        site.wait_until_all_final()
        parent = psutil.Process(worker.process.pid)
        assert parent.num_threads() == 1
        assert not [file for file in parent.open_files() if ".db" in file.path]
        assert not any("jaxlib" in region.path for region in parent.memory_maps())


@on_sqlite
def test_a_student_does_not_wait_for_an_idle_worker(site: Site) -> None:
    site.seconds = 0
    delays = []
    with site.worker():
        for _ in range(10):
            receipt = site.course.submit()
            wait_for(lambda: site.view(receipt.attempt_id).state.final)  # noqa: B023 - used at once
            started = site.view(receipt.attempt_id).started_at
            assert started is not None
            delays.append((started - receipt.received_at).total_seconds())
            time.sleep(0.05)
    assert sorted(delays[1:])[len(delays) // 2] < 1.0
