"""The headings that an assignment's lesson has, so that feedback points to no others."""

from __future__ import annotations

from grader.content.decoding import decode_source
from grader.domain.errors import UploadRefused
from grader.domain.rubric import Assignment
from grader.presentation.headings import anchors_in


def anchors_of(assignment: Assignment) -> frozenset[str]:
    """The anchors of the lesson in an assignment's folder; none where it cannot be read as text."""
    try:
        data = (assignment.root / assignment.lesson).read_bytes()
        return anchors_in(decode_source(data, name=assignment.lesson).text)
    except (OSError, UploadRefused):
        return frozenset()
