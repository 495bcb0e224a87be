"""The forms of the review pages, as a browser sends them: texts, ticks, and the version that was seen."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from grader.domain.reviewing import RequestState

Seen = Annotated[int, Field(ge=0, le=2**31 - 1)]
"""The version of what is changed, as its page showed it."""


class Form(BaseModel):
    """A form; what a browser or an extension adds to it is left aside."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    def typed(self) -> dict[str, str]:
        """What was typed, to be shown again."""
        values = self.model_dump(mode="json", exclude={"seen"})
        return {name: _shown(value) for name, value in values.items()}


class CommentForm(Form):
    """A new comment; `at` is a line, `check` a check, neither the whole."""

    text: str = ""
    at: str = ""
    check: str = ""
    staff_only: bool = False


class EditForm(Form):
    """A comment changed."""

    seen: Seen
    text: str = ""
    staff_only: bool = False


class SeenForm(Form):
    """Nothing but what was seen."""

    seen: Seen


class AdjustForm(Form):
    """Points for a check, or, without one, for the whole."""

    seen: Seen
    points: str = ""
    reason: str = ""
    check: str = ""


class RevokeForm(Form):
    """Why an adjustment is taken back."""

    seen: Seen
    reason: str = ""


class AnswerForm(Form):
    """The answer to a student's request; without `points` none change."""

    seen: Seen
    state: RequestState
    answer: str = ""
    points: str = ""
    check: str = ""


class MarkForm(Form):
    """Whether it has been reviewed, and whether to go on to the next."""

    seen: Seen
    reviewed: bool = False
    go_on: bool = False


class BankForm(Form):
    """A comment to be kept; `seen` and `entry_id` where one is changed."""

    title: str = ""
    text: str = ""
    code: str = ""
    seen: Seen = 0
    entry_id: UUID | None = None


class ClusterForm(Form):
    """One comment for the cluster of that key."""

    key: Annotated[str, Field(max_length=64)] = ""
    text: str = ""
    staff_only: bool = False


def _shown(value: object) -> str:
    if value is None or value is False:
        return ""
    return "yes" if value is True else str(value)
