"""Who takes part in a course."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a member of a course may do there."""

    STUDENT = "student"
    TA = "ta"
    INSTRUCTOR = "instructor"

    @property
    def staff(self) -> bool:
        return self is not Role.STUDENT
