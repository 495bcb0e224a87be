"""Where feedback points in a lesson: only to headings that the lesson has.

Each feedback code names a topic. A lesson need not teach them all, and a pointer to a heading that is not
there would send its reader looking for nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from grader.domain.view import CheckView, ReportView


def pointing_into(view: ReportView, anchors: Collection[str]) -> ReportView:
    """The view without pointers to other anchors than the lesson's own, which begin with ``#``."""
    criteria = tuple(
        replace(criterion, checks=tuple(_pointing(check, anchors) for check in criterion.checks))
        for criterion in view.criteria
    )
    return replace(view, criteria=criteria)


def gaps(view: ReportView, anchors: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The anchors that feedback points to and the lesson lacks, each with the ids of the checks that do."""
    found: dict[str, tuple[str, ...]] = {}
    for check in view.checks:
        lesson = check.feedback and check.feedback.lesson
        if lesson and lesson not in anchors:
            found[lesson] = (*found.get(lesson, ()), check.id)
    return found


def _pointing(check: CheckView, anchors: Collection[str]) -> CheckView:
    feedback = check.feedback
    if feedback is None or feedback.lesson is None or feedback.lesson in anchors:
        return check
    return replace(check, feedback=replace(feedback, lesson=None))
