"""The closed sets of queued work: states of an attempt, queues, lanes, and how a run of it ended."""

from __future__ import annotations

from enum import StrEnum


class AttemptState(StrEnum):
    """Where an attempt is in its life. `graded`, `not_graded` and `abandoned` are final."""

    QUEUED = "queued"
    RUNNING = "running"
    GRADED = "graded"
    NOT_GRADED = "not_graded"
    """It ran to its end, but a fault of the course or the system left checks unjudged; staff must look."""
    ABANDONED = "abandoned"
    """Every run of it was cut off (its workers died); staff must look."""

    @property
    def final(self) -> bool:
        return self in FINAL_STATES


FINAL_STATES = frozenset({AttemptState.GRADED, AttemptState.NOT_GRADED, AttemptState.ABANDONED})

STATES_FOR_STAFF = frozenset({AttemptState.NOT_GRADED, AttemptState.ABANDONED})
"""Final, but without a grade through no fault of the student's."""


class Queue(StrEnum):
    """The kind of worker an attempt needs."""

    CPU = "cpu"
    GPU = "gpu"


class Lane(StrEnum):
    """Who waits for an attempt: lanes of one queue are served in this order."""

    INTERACTIVE = "interactive"
    """A student has just submitted and looks at the page."""
    BULK = "bulk"
    """Regrades and validation: many at once, nobody looks."""


class RunOutcome(StrEnum):
    """How one run of an attempt ended, as its worker saw it."""

    GRADED = "graded"
    NOT_GRADED = "not_graded"
    WILL_RETRY = "will_retry"
    NOT_QUEUED = "not_queued"
    """Somebody else has it, or it is done: a duplicate message, harmless."""
    LEASE_LOST = "lease_lost"
    """Another worker took it over meanwhile; this run's result was dropped and recorded."""
