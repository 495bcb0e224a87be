"""Every word of a closed set that people are shown is explained in the guide for those people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pytest

from grader.cli.exits import ExitCode
from grader.domain.attempts import AttemptState
from grader.domain.people import Role
from grader.domain.publication import PublicationState
from grader.domain.regrades import Cause
from grader.domain.reviewing import PlanState, RequestState
from grader.domain.scheduling import Counting, LateRule
from grader.domain.verdicts import FAMILY_TITLE, Family, Verdict, Visibility
from grader.presentation.words import HIDDEN_UNTIL, REQUEST_WORDS, STAGE_WORDS, VERDICT_WORDS
from grader.web.pages.regrades import CAUSES, STATES
from tests.architecture.modules import ROOT

GUIDES = ROOT / "docs" / "guides"
VERDICTS = [word.label for word in VERDICT_WORDS.values()]

EXPLAINED: Mapping[tuple[str, str], Iterable[str]] = {
    ("students", "verdicts"): VERDICTS,
    ("students", "families"): FAMILY_TITLE.values(),
    ("students", "until when checks are hidden"): HIDDEN_UNTIL.values(),
    ("students", "what grading is doing"): STAGE_WORDS.values(),
    ("students", "regrade requests"): REQUEST_WORDS.values(),
    ("tas", "verdicts"): VERDICTS,
    ("tas", "attempts"): [state.value.replace("_", " ") for state in AttemptState],
    ("instructors", "visibility"): Visibility,
    ("instructors", "publications"): PublicationState,
    ("instructors", "plans"): [label for label, _, _ in STATES.values()],
    ("instructors", "causes"): CAUSES.values(),
    ("instructors", "roles"): Role,
    ("command-line", "exit codes"): [str(code.value) for code in ExitCode],
}
"""By guide and subject, the words as people are shown them; each begins a row of a table."""

CHOICES: Mapping[str, Iterable[str]] = {
    "what late work loses": LateRule,
    "which submission counts": Counting,
    "the family": Family,
}
"""By the row of the instructors' guide that lists them, what an instructor may write."""

ROW = re.compile(r"^\| (?P<first>[^|]*) \|(?P<rest>.*)\|$", re.MULTILINE)


def rows(guide: str) -> dict[str, str]:
    """What the guide's tables say, by the first cell, and by each part of one that holds several words."""
    text = (GUIDES / f"{guide}.md").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for row in ROW.finditer(text):
        first, rest = row["first"].replace("`", "").lower(), row["rest"].strip()
        found |= dict.fromkeys([first, *first.split(", ")], rest)
    return found


@pytest.mark.parametrize("guide, subject", EXPLAINED)
def test_every_word_is_explained_by_the_guide_for(guide: str, subject: str) -> None:
    explained = rows(guide)
    assert [word for word in EXPLAINED[guide, subject] if not explained.get(word.lower())] == []


@pytest.mark.parametrize("row", CHOICES)
def test_every_choice_is_listed_under(row: str) -> None:
    listed = set(re.findall(r"`(\w+)`", rows("instructors")[row]))
    assert listed == set(CHOICES[row])


def test_every_closed_set_has_a_word_for_each_member() -> None:
    for words, members in (
        (VERDICT_WORDS, Verdict),
        (FAMILY_TITLE, Family),
        (HIDDEN_UNTIL, Visibility),
        (REQUEST_WORDS, RequestState),
        (STATES, PlanState),
        (CAUSES, Cause),
    ):
        assert set(words) == set(members)
