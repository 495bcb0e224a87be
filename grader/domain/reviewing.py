"""The closed sets of what staff do to a graded submission."""

from __future__ import annotations

from enum import StrEnum


class AdjustmentKind(StrEnum):
    """How an adjustment changes points."""

    SET_CHECK = "set_check"
    """One check is worth exactly so many points, whatever a grading run finds: a regrade cannot double it."""
    ADD = "add"
    """So many points more (or fewer) for the submission as a whole."""


class RequestState(StrEnum):
    """Where a student's request for a regrade stands."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class PlanState(StrEnum):
    """Where a regrade plan stands. Its attempts count only while it is applied."""

    RUNNING = "running"
    READY = "ready"
    APPLIED = "applied"
    UNDONE = "undone"
    DISCARDED = "discarded"
