"""What handing in at a moment will cost, told beforehand: by the arithmetic of the standings themselves.

Nothing here counts days or shares of its own. A submission received at that moment is put in place of what
was handed in for its assignment, and the standings of the course are worked out once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from grader.domain.lateness import Allowance, Lateness
from grader.domain.standing import CourseRules, GradedWork, Standing

_SUPPOSED: Final = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a submission received at some moment costs if it is the one that counts, and earns anything.

    `grace_left` of the course's grace days could pay for it: those that no assignment with an earlier
    deadline has used up. `dearer` are assignments with later deadlines that lose more than so far, because
    their grace days would pay for this one.
    """

    lateness: Lateness
    grace_left: int
    dearer: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """Everything that one student's standings in a course are derived from, by the assignments' ids."""

    rules: CourseRules
    handed_in: Mapping[UUID, Sequence[GradedWork]]
    allowances: Mapping[UUID, Allowance]
    chosen: Mapping[UUID, UUID]

    def standings(self) -> Mapping[UUID, Standing]:
        """What counts for the student in every assignment."""
        return self._standings(self.handed_in)

    def price(self, assignment_id: UUID, *, at: datetime) -> Price:
        """What handing in for an assignment costs at that moment; it must be one of the course."""
        now = self.standings()
        work = GradedWork(submission_id=_SUPPOSED, number=0, received_at=at, earned=None, max_score=None)
        then = self._standings({**self.handed_in, assignment_id: [work]})
        order = [rules.assignment_id for rules in self.rules.assignments]
        place = order.index(assignment_id)
        return Price(
            lateness=then[assignment_id].lateness,
            grace_left=self.rules.grace_days - sum(then[key].lateness.grace_days for key in order[:place]),
            dearer=tuple(
                key for key in order[place + 1 :] if then[key].lateness.penalty > now[key].lateness.penalty
            ),
        )

    def _standings(self, handed_in: Mapping[UUID, Sequence[GradedWork]]) -> Mapping[UUID, Standing]:
        return self.rules.standings(handed_in, allowances=self.allowances, chosen=self.chosen)
