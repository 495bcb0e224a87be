"""What a student downloads to run the visible checks: what is in it, what is not, and of what it was made."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grader.domain.results import AttemptResult
from grader.domain.rubric import CheckSpec, Rubric
from grader.domain.strict_json import JsonObject, exact
from grader.domain.text import one_line
from grader.domain.verdicts import Visibility
from grader.domain.view import HiddenChecks

FORMAT = 1
"""Version of the JSON form. A reader takes its own and no other: the bundle can be downloaded again."""
_LONGEST = 500
_MOST_CHECKS = 1_000_000
_POINTS = re.compile(r"\d{1,40}(/0*[1-9]\d{0,39})?", re.ASCII)
"""As `exact` writes them. An exponent would make a few characters a number of millions of digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A visible check that runs on the server only, and why, in a clause: "it measures …"."""

    id: str
    title: str
    points: Fraction
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentBundle:
    """An assignment without its solution and its hidden checks, with answers recorded for one seed.

    `version` is that of the assignment it was made of.
    """

    version: str
    seed: str
    hidden: tuple[HiddenChecks, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """How the solution did on the visible checks, and the answers that were written down meanwhile.

    `withheld` tells, by check, why it must not be handed out.
    """

    result: AttemptResult
    answers: bytes
    withheld: Mapping[str, str]


def public_seed(version: str) -> str:
    """The seed of checks that students run themselves: the same for all, until the assignment changes."""
    return hashlib.sha256(f"check {version}".encode()).hexdigest()


def hidden_groups(rubric: Rubric) -> tuple[HiddenChecks, ...]:
    """The checks of a rubric that are not visible, in the order in which they open."""
    groups = []
    for visibility in Visibility:
        checks = [check for check in rubric.checks if check.visibility is visibility]
        if checks and visibility is not Visibility.VISIBLE:
            points = sum((check.points for check in checks), Fraction(0))
            groups.append(HiddenChecks(visibility=visibility, count=len(checks), points=points))
    return tuple(groups)


def left_out(check: CheckSpec, reason: str) -> LeftOut:
    """A visible check, and why it is not handed out."""
    return LeftOut(id=check.id, title=check.title, points=check.points, reason=reason)


def dump(bundle: StudentBundle) -> JsonObject:
    """The bundle as JSON; `load` gives an equal one back."""
    return {
        "format": FORMAT,
        "version": bundle.version,
        "seed": bundle.seed,
        "hidden": [
            {"visibility": group.visibility.value, "count": group.count, "points": exact(group.points)}
            for group in bundle.hidden
        ],
        "left_out": [
            {"id": check.id, "title": check.title, "points": exact(check.points), "reason": check.reason}
            for check in bundle.left_out
        ],
    }


def load(data: Mapping[str, Any]) -> StudentBundle:
    """The bundle that `dump` wrote; KeyError, TypeError or ValueError if it cannot be read."""
    if data["format"] != FORMAT:
        raise ValueError(f"its format is {data['format']!r}, and this release reads {FORMAT}")
    return StudentBundle(
        version=_text(data["version"]),
        seed=_text(data["seed"]),
        hidden=tuple(
            HiddenChecks(
                visibility=Visibility(group["visibility"]),
                count=_count(group["count"]),
                points=_points(group["points"]),
            )
            for group in data["hidden"]
        ),
        left_out=tuple(
            LeftOut(
                id=_text(check["id"]),
                title=_text(check["title"]),
                points=_points(check["points"]),
                reason=_text(check["reason"]),
            )
            for check in data["left_out"]
        ),
    )


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MOST_CHECKS:
        raise ValueError("a count that is no number")
    return value


def _points(value: object) -> Fraction:
    if type(value) not in (int, str) or not _POINTS.fullmatch(str(value)):
        raise ValueError("points that are no number")
    return Fraction(str(value))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is missing")
    return one_line(value, _LONGEST)
