"""The closed sets every layer shares: verdicts, blame, families and visibility."""

from __future__ import annotations

from enum import StrEnum


class Blame(StrEnum):
    """Whose fault a verdict other than *passed* is."""

    STUDENT = "student"
    COURSE = "course"
    SYSTEM = "system"


class Verdict(StrEnum):
    """The outcome of one check."""

    PASSED = "passed"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    SKIPPED = "skipped"
    INCONCLUSIVE = "inconclusive"
    INTERNAL_ERROR = "internal_error"


DEFAULT_BLAME: dict[Verdict, Blame | None] = {
    Verdict.PASSED: None,
    Verdict.FAILED: Blame.STUDENT,
    Verdict.CRASHED: Blame.STUDENT,
    Verdict.TIMED_OUT: Blame.STUDENT,
    Verdict.OUT_OF_MEMORY: Blame.STUDENT,
    Verdict.SKIPPED: Blame.COURSE,
    Verdict.INCONCLUSIVE: Blame.SYSTEM,
    Verdict.INTERNAL_ERROR: Blame.SYSTEM,
}
"""Who answers for a verdict unless the check says otherwise."""

SEVERITY: tuple[Verdict, ...] = (
    Verdict.PASSED,
    Verdict.INCONCLUSIVE,
    Verdict.SKIPPED,
    Verdict.FAILED,
    Verdict.OUT_OF_MEMORY,
    Verdict.TIMED_OUT,
    Verdict.CRASHED,
    Verdict.INTERNAL_ERROR,
)
"""Verdicts from best to worst: a criterion shows the worst of its checks."""


class Family(StrEnum):
    """The quality of a JAX program that a criterion is about."""

    VALUES = "values"
    PURITY = "purity"
    IMMUTABILITY = "immutability"
    PRNG = "prng"
    JIT = "jit"
    TRANSFORMS = "transforms"
    DTYPE = "dtype"
    DEVICE = "device"
    STYLE = "style"


FAMILY_TITLE: dict[Family, str] = {
    Family.VALUES: "Values",
    Family.PURITY: "Purity",
    Family.IMMUTABILITY: "Immutability",
    Family.PRNG: "PRNG keys",
    Family.JIT: "Tracing and speed",
    Family.TRANSFORMS: "Transformations",
    Family.DTYPE: "Data types",
    Family.DEVICE: "Devices",
    Family.STYLE: "Style",
}


class Visibility(StrEnum):
    """When a student may read what a check found."""

    VISIBLE = "visible"
    AFTER_DUE = "after_due"
    AFTER_PUBLISHED = "after_published"
    HIDDEN = "hidden"


def worst(verdicts: list[Verdict]) -> Verdict:
    """The most severe verdict of a non-empty list.

    >>> worst([Verdict.PASSED, Verdict.FAILED])
    <Verdict.FAILED: 'failed'>
    """
    return max(verdicts, key=SEVERITY.index)
