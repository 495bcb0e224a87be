from __future__ import annotations

import threading
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import func, select, update

from grader.db import models
from grader.domain.attempts import AttemptState
from grader.services.auditing import Action
from grader.services.dispatching import dispatch
from grader.services.leases import claim
from grader.services.policy import QueuePolicy
from grader.services.sweeping import Swept, sweep
from tests.courses import SampleCourse

NOTHING = Swept()


class Time:
    """A course whose clock the test moves."""

    def __init__(self, course: SampleCourse, policy: QueuePolicy) -> None:
        self.course, self.policy = course, policy
        self.database = course.database
        with self.database.reading() as session:
            self.now = self.database.now(session)
        self.database._clock = lambda: self.now

    def passes(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now

    def sweep(self) -> Swept:
        return sweep(self.database, policy=self.policy)

    def dispatch(self) -> int:
        return dispatch(self.database, lambda _: None, policy=self.policy)

    def claim(self, attempt_id: UUID) -> None:
        assert claim(self.database, attempt_id, owner="node:7", policy=self.policy) is not None

    def attempt(self, attempt_id: UUID) -> models.Attempt:
        with self.database.reading() as session:
            return session.get_one(models.Attempt, attempt_id)


@pytest.fixture
def time(course: SampleCourse, policy: QueuePolicy) -> Time:
    return Time(course, policy)


def test_a_healthy_queue_is_left_alone(time: Time) -> None:
    running, queued = (time.course.submit().attempt_id for _ in range(2))
    time.dispatch()
    time.claim(running)
    time.passes(29)
    assert time.sweep() == NOTHING
    assert time.attempt(running).state is AttemptState.RUNNING
    assert time.attempt(queued).state is AttemptState.QUEUED


def test_an_attempt_whose_worker_died_is_queued_again_and_announced(time: Time) -> None:
    attempt_id = time.course.submit().attempt_id
    time.dispatch()
    time.claim(attempt_id)
    time.passes(31)
    assert time.sweep() == Swept(requeued=1)
    attempt = time.attempt(attempt_id)
    assert (attempt.state, attempt.lease_token, attempt.tries) == (AttemptState.QUEUED, None, 1)
    assert "node:7 stopped giving signs of life during try 1" in str(attempt.failure_reason)
    assert time.dispatch() == 1


def test_an_attempt_that_kills_every_worker_is_abandoned_and_shown_to_staff(time: Time) -> None:
    attempt_id = time.course.submit().attempt_id
    swept = []
    for _ in range(3):
        time.claim(attempt_id)
        time.passes(31)
        swept.append(time.sweep())
    assert swept == [Swept(requeued=1), Swept(requeued=1), Swept(abandoned=1)]
    attempt = time.attempt(attempt_id)
    assert (attempt.state, attempt.score, attempt.tries) == (AttemptState.ABANDONED, None, 3)
    assert "no tries are left" in str(attempt.failure_reason)
    with time.database.reading() as session:
        actions = session.scalars(
            select(models.AuditEvent.action).where(models.AuditEvent.subject_id == attempt_id)
        ).all()
    assert actions == [Action.ATTEMPT_ABANDONED]
    time.passes(3600)
    assert time.sweep() == NOTHING


def test_an_attempt_whose_message_vanished_is_announced_again(time: Time) -> None:
    attempt_id = time.course.submit().attempt_id
    time.dispatch()
    time.passes(31)
    assert time.sweep() == Swept(resent=1)
    assert time.sweep() == NOTHING  # its new message still waits in the outbox
    assert time.dispatch() == 1
    assert time.attempt(attempt_id).dispatches == 2


def test_repeats_become_rarer(time: Time) -> None:
    """A long queue is no reason to fill the broker: in an hour each message is repeated a few times only."""
    time.course.submit()
    time.dispatch()
    resent_after = []
    for minute in range(1, 61):
        time.passes(60)
        if time.sweep().resent:
            resent_after.append(minute)
            time.dispatch()
    assert resent_after == [1, 2, 4, 8, 16, 32, 48]


def test_an_attempt_that_was_never_announced_waits_for_its_dispatcher(time: Time) -> None:
    time.course.submit()
    time.passes(3600)
    assert time.sweep() == NOTHING
    assert time.dispatch() == 1


def test_sweepers_at_once_repair_each_attempt_once(time: Time) -> None:
    attempts = [time.course.submit().attempt_id for _ in range(6)]
    time.dispatch()
    for attempt_id in attempts[:3]:
        time.claim(attempt_id)
    time.passes(31)
    swept: list[Swept] = []
    threads = [threading.Thread(target=lambda: swept.append(time.sweep())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one.requeued for one in swept) == 3
    assert sum(one.resent for one in swept) == 3
    with time.database.reading() as session:
        waiting = session.scalars(
            select(func.count())
            .select_from(models.OutboxMessage)
            .where(models.OutboxMessage.sent_at.is_(None))
        ).one()
    assert waiting == 6


def test_a_late_sign_of_life_saves_the_lease(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt_id = time.course.submit().attempt_id
    time.claim(attempt_id)
    time.passes(31)
    from grader.services import sweeping  # noqa: PLC0415

    look = sweeping._expired

    def and_then_it_beats(*args: object, **kwargs: object) -> list[models.Attempt]:
        found = look(*args, **kwargs)  # type: ignore[arg-type]
        with time.database.writing() as session:
            session.execute(update(models.Attempt).values(lease_expires_at=time.now + timedelta(seconds=30)))
        return found

    monkeypatch.setattr(sweeping, "_expired", and_then_it_beats)
    assert time.sweep() == NOTHING
    assert time.attempt(attempt_id).state is AttemptState.RUNNING


def test_messages_sent_long_ago_are_forgotten(time: Time) -> None:
    attempt_id = time.course.submit().attempt_id
    time.dispatch()
    time.claim(attempt_id)
    with time.database.writing() as session:
        session.execute(update(models.Attempt).values(lease_expires_at=time.now + timedelta(days=30)))
    time.passes(8 * 86400)
    assert time.sweep() == Swept(pruned=1)
