"""The submissions of the suite: attacks, honest controls, and honest twins of attacks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from grader.domain.rubric import CheckSpec
from grader.domain.verdicts import Family

HERE = Path(__file__).parent
FOLDERS = (HERE / "attacks", HERE / "twins")

CONTROLS = {
    "normalize": "ctl_normalize_var",
    "set_diagonal": "ctl_set_diagonal_where",
    "sample_walk": "ctl_sample_walk",
    "pairwise_sq_dists": "ctl_pairwise_jitted",
    "smooth": "twin_recurs_and_prints",
}
"""For each function, the honest submission that is graded right after every attack on it."""

GROUPS = {
    "1": "read answers",
    "2": "forge results",
    "3": "lie by values",
    "4": "detect the grader",
    "5": "timing fraud",
    "6": "exfiltrate or persist",
    "7": "exhaust resources",
    "8": "attack staff",
}


class Stake(StrEnum):
    """A kind of points."""

    CORRECTNESS = "correctness"
    IMMUTABILITY = "immutability"
    PURITY = "purity"
    PRNG = "prng"
    JIT = "jit"
    SPEED = "speed"


_FAMILIES = {
    Family.VALUES: Stake.CORRECTNESS,
    Family.IMMUTABILITY: Stake.IMMUTABILITY,
    Family.PURITY: Stake.PURITY,
    Family.PRNG: Stake.PRNG,
}
_SPEED = "is_fast"


def stake_of(check: CheckSpec) -> Stake:
    """The kind of points a check of the suite's assignment gives."""
    if check.family is Family.JIT:
        return Stake.SPEED if check.id.endswith(_SPEED) else Stake.JIT
    return _FAMILIES[check.family]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One submission. An honest one must earn all that is at `stake`, any other nothing of it.

    An attack aims at one function; a twin may write several, each with what some attack does, and says which.
    """

    id: str
    path: Path
    group: str
    targets: tuple[str, ...]
    title: str
    stake: tuple[Stake, ...]
    honest: bool
    must_not_happen: tuple[str, ...] = ()
    twin_of: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """Its only function, or the first of a twin's."""
        return self.targets[0]


def read_cases() -> tuple[Case, ...]:
    """All submissions, in the order of their manifests."""
    return tuple(_case(folder, entry) for folder in FOLDERS for entry in _entries(folder))


def _entries(folder: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((folder / "manifest.json").read_text())["submissions"]
    return entries


def _case(folder: Path, entry: dict[str, Any]) -> Case:
    return Case(
        id=entry["id"],
        path=folder / f"{entry['id']}.py",
        group=entry["group"],
        targets=tuple(entry["targets"]) if "targets" in entry else (entry["target"],),
        title=entry["title"],
        stake=tuple(map(Stake, entry.get("stake", Stake))),
        honest=entry["honest"],
        must_not_happen=tuple(entry.get("must_not_happen", ())),
        twin_of=tuple(entry.get("twin_of", ())),
    )
