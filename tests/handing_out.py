"""An assignment beside the bundle that is made of it for students."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.content.assignments import materialise, read_assignment
from grader.domain.rubric import Assignment
from grader.engine import Engine
from grader.services.bundling import Bundled, make_bundle


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOut:
    """An assignment, and what students download of it."""

    whole: Assignment
    handed_out: Assignment
    made: Bundled


def hand_out(whole: Assignment, *, engine: Engine, root: Path) -> HandedOut:
    """Make the bundle, and unpack it at `root` as a student would."""
    made = make_bundle(whole, engine)
    return HandedOut(whole=whole, handed_out=read_assignment(materialise(made.files, root)), made=made)
