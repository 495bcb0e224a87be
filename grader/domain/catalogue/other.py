"""Faults that are not the student's."""

from __future__ import annotations

from grader.domain.catalogue.entry import CatalogueEntry, Param

_REASON = Param(name="reason", means="what failed, for staff only", neutral="no reason was recorded")

ENTRIES = (
    CatalogueEntry(
        code="grader.internal",
        title="Not graded",
        message=(
            "This check could not be carried out, and that is not your fault. It costs no points."
            "[[ For course staff: {reason}.]]"
        ),
        why=(
            "The fault lies with the grader or the course. The course staff have been told, and the check is "
            "repeated."
        ),
        hint="You need not do anything. If it is still not graded after a day, tell the course staff.",
        hidden_message="This check could not be carried out, and that is not your fault. It costs no points.",
        params=(_REASON,),
    ),
)
