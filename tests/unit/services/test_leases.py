from __future__ import annotations

import dataclasses
import time
from uuid import UUID

import pytest
from sqlalchemy.exc import OperationalError

from grader.db import models
from grader.domain.attempts import AttemptState
from grader.domain.results import Progress, Stage
from grader.services import leases
from grader.services.leases import Heartbeat, Lease, claim, progress_json, progress_of, renew
from grader.services.policy import QueuePolicy
from grader.services.sweeping import sweep
from tests.courses import SampleCourse

QUICK = QueuePolicy(lease_s=0.5, progress_every_s=0.05)
HALF_WAY = Progress(stage=Stage.CHECKING, check_id="a.values.b", done=1, total=2)


@pytest.fixture
def lease(course: SampleCourse) -> Lease:
    found = claim(course.database, course.submit().attempt_id, owner="here:1", policy=QUICK)
    assert found is not None
    return found


def row(course: SampleCourse, attempt_id: UUID) -> models.Attempt:
    with course.database.reading() as session:
        return session.get_one(models.Attempt, attempt_id)


def test_a_lease_knows_what_its_run_needs(course: SampleCourse, lease: Lease) -> None:
    attempt = row(course, lease.attempt_id)
    assert (lease.token, lease.seed) == (attempt.lease_token, attempt.seed)
    assert (lease.tries, lease.time_limit_s) == (1, 390.0)
    assert (attempt.state, attempt.lease_owner) == (AttemptState.RUNNING, "here:1")


def test_renewing_moves_the_end_of_the_lease_on(course: SampleCourse, lease: Lease) -> None:
    before = row(course, lease.attempt_id).lease_expires_at
    assert renew(course.database, lease, progress=HALF_WAY, policy=QUICK)
    attempt = row(course, lease.attempt_id)
    assert before is not None
    assert attempt.lease_expires_at is not None
    assert attempt.lease_expires_at > before
    assert attempt.progress == progress_json(HALF_WAY)


def test_a_lost_lease_cannot_be_renewed(course: SampleCourse, lease: Lease) -> None:
    time.sleep(QUICK.lease_s + 0.1)
    assert sweep(course.database, policy=QUICK).requeued == 1
    assert not renew(course.database, lease, progress=None, policy=QUICK)
    assert row(course, lease.attempt_id).state is AttemptState.QUEUED


def test_progress_is_kept_whole() -> None:
    assert progress_of(progress_json(HALF_WAY)) == HALF_WAY


def test_a_run_that_hangs_loses_its_lease_in_spite_of_its_heartbeat(
    course: SampleCourse, lease: Lease
) -> None:
    hanging = dataclasses.replace(lease, time_limit_s=0.3)
    with Heartbeat(course.database, hanging, policy=QUICK):
        time.sleep(0.3 + 2 * QUICK.lease_s)
        assert sweep(course.database, policy=QUICK).requeued == 1


def test_a_database_that_is_away_for_a_moment_does_not_end_a_heartbeat(
    course: SampleCourse, lease: Lease, monkeypatch: pytest.MonkeyPatch
) -> None:
    outages = iter([True, True, False])

    def flaky(*args: object, **kwargs: object) -> bool:
        if next(outages, False):
            raise OperationalError("UPDATE", {}, Exception("gone"))
        return renew(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(leases, "renew", flaky)
    first = row(course, lease.attempt_id).heartbeat_at
    with Heartbeat(course.database, lease, policy=QUICK) as heartbeat:
        for _ in range(4):
            heartbeat.progress(HALF_WAY)
            time.sleep(0.1)
    assert first is not None
    assert row(course, lease.attempt_id).progress == progress_json(HALF_WAY)


def test_progress_in_bursts_is_written_at_a_bounded_rate(
    course: SampleCourse, lease: Lease, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[float] = []

    def counted(*args: object, **kwargs: object) -> bool:
        writes.append(time.monotonic())
        return renew(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(leases, "renew", counted)
    slow = QueuePolicy(lease_s=30, progress_every_s=0.2)
    with Heartbeat(course.database, lease, policy=slow) as heartbeat:
        for _ in range(100):
            heartbeat.progress(HALF_WAY)
            time.sleep(0.005)
    assert 1 <= len(writes) <= 5
