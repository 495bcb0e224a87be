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
    CatalogueEntry(
        code="grader.not_recorded",
        title="Cannot be checked here",
        message=(
            "This check needs an answer of the solution that the downloaded checks do not hold, and that is "
            "not your fault. It costs no points.[[ They were made with {recorded}; here is {here}.]]"
        ),
        why=(
            "What you download holds the right answers for certain inputs, not the solution. Other versions "
            "of NumPy and JAX may draw other inputs, and a suite may ask for more than was foreseen."
        ),
        hint="Install the versions that the checks were made with, or hand in: the server can check it.",
        hidden_message="This check could not be carried out, and that is not your fault. It costs no points.",
        params=(
            Param(
                name="recorded", means="versions that the answers were made with", neutral="other versions"
            ),
            Param(name="here", means="versions that are installed", neutral="yours"),
        ),
    ),
)
