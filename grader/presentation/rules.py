"""An assignment's rules in words: what being late costs, what counts, how often one may hand in."""

from __future__ import annotations

from datetime import timedelta

from grader.domain.moments import duration_words
from grader.domain.scheduling import Counting, LateRule, Schedule
from grader.presentation.ledgers import share_text
from grader.presentation.words import counted

COUNTING_WORDS: dict[Counting, str] = {
    Counting.BEST: "Your best submission counts.",
    Counting.LAST: "Your last submission counts.",
    Counting.CHOSEN: "The submission that you mark counts; until you mark one, the last.",
}


def late_text(schedule: Schedule) -> str:
    """What handing in late costs.

    >>> late_text(Schedule())
    'There is no deadline.'
    """
    if schedule.due_at is None:
        return "There is no deadline."
    if schedule.closes_at == schedule.due_at:
        return "Nothing is taken after the deadline."
    until = "" if schedule.closes_at is None else " until it closes"
    if schedule.late_rule is LateRule.NOTHING:
        return f"Late work loses no points{until}."
    grace = " Grace days are used up first." if schedule.uses_grace else ""
    return (
        f"Each day begun after the deadline costs {share_text(schedule.per_day)} of the points{until}.{grace}"
    )


def limit_text(schedule: Schedule) -> str:
    """How often, and how soon after the last time, one may hand in; empty for no limit.

    >>> limit_text(Schedule(submission_limit=5, cooldown_s=600))
    'At most 5 submissions, 10 minutes apart.'
    """
    pause = duration_words(timedelta(seconds=schedule.cooldown_s)) if schedule.cooldown_s else ""
    if schedule.submission_limit is None:
        return f"Submissions must be {pause} apart." if pause else ""
    most = f"At most {counted(schedule.submission_limit, 'submission')}"
    return f"{most}, {pause} apart." if pause else f"{most}."
