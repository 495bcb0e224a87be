"""What one line of a roster does to a course."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from grader.content.rosters import Field
from grader.services.roster.members import Member


class ChangeKind(StrEnum):
    """What an import does with one line."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value that changes."""

    field: Field
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterChange:
    """One line of the file with what it does. `after` is the member as they will be."""

    kind: ChangeKind
    line: int
    after: Member
    differences: tuple[Difference, ...] = ()

    @property
    def gives_address(self) -> bool:
        """Whether a person gets an e-mail address by it that they did not have in this course."""
        if self.kind is ChangeKind.NEW:
            return self.after.email is not None
        return any(item.field is Field.EMAIL for item in self.differences)
