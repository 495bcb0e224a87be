"""Guessing is slowed down: so many failures in a quarter of an hour for each of the things a try counts for.

A try is counted before the password is looked at and forgiven when it was right. Counted afterwards, a
thousand guesses sent at once would all find the count at zero. All processes count in the database.

What a log-in counts for is in `grader.services.accounts.guessing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import take_turns
from grader.domain.errors import TooManyRequests
from grader.services.accounts.secrets import hash_of

WINDOW = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """One thing that tries are counted for, by name.

    After `most` failures within `WINDOW` each further try has to wait for `pause` after the one before: for
    the whole window it stops them, for less it slows them down. `quiet`: a full one is not told, since its
    being full would tell something. `own`: a right password empties it.
    """

    name: tuple[str, ...]
    most: int
    pause: timedelta = WINDOW
    quiet: bool = False
    own: bool = False

    @property
    def key(self) -> str:
        """What the database knows it by; it names nobody."""
        return hash_of("\0".join(self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """A try that has been counted. `refused`: it must fail as for a wrong password, whatever it was."""

    ids: tuple[UUID, ...]
    own_keys: tuple[str, ...]
    refused: bool


def count_try(database: Database, buckets: Sequence[Bucket], *, advice: str = "") -> Try:
    """Count a try before it is made; TooManyRequests, with the advice, where there were too many.

    What is refused so is not counted.
    """
    with database.writing() as session:
        # In one order, so that two processes never wait for each other.
        for key in sorted({bucket.key for bucket in buckets}):
            take_turns(session, f"login {key}")
        now = database.now(session)
        session.execute(delete(models.LoginFailure).where(models.LoginFailure.at <= now - WINDOW))
        full = {bucket: wait for bucket in buckets if (wait := _wait(session, bucket, now=now))}
        told = [wait for bucket, wait in full.items() if not bucket.quiet]
        if told:
            words = f"There were too many tries that failed. {advice}".strip()
            raise TooManyRequests(words, retry_after_s=max(told).total_seconds())
        rows = [
            models.LoginFailure(id=uuid4(), key=bucket.key, at=now)
            for bucket in buckets
            if bucket not in full
        ]
        session.add_all(rows)
        return Try(
            ids=tuple(row.id for row in rows),
            own_keys=tuple(bucket.key for bucket in buckets if bucket.own),
            refused=bool(full),
        )


def forgive(session: Session, tried: Try) -> None:
    """The try was right: it counts no more, nor does what went wrong before in its own buckets."""
    table = models.LoginFailure
    session.execute(delete(table).where(table.id.in_(tried.ids) | table.key.in_(tried.own_keys)))


def _wait(session: Session, bucket: Bucket, *, now: datetime) -> timedelta | None:
    """How long until the bucket takes another try; None where it does at once."""
    query = (
        select(models.LoginFailure.at)
        .where(models.LoginFailure.key == bucket.key)
        .order_by(models.LoginFailure.at.desc())
        .limit(bucket.most)
    )
    moments = session.scalars(query).all()
    if len(moments) < bucket.most:
        return None
    free_at = min(moments[-1] + WINDOW, moments[0] + bucket.pause)
    return free_at - now if free_at > now else None
