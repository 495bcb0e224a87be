"""Many runs of one program: how many are cheap, and in which groups they fit into a message."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from grader.engine.bench.answers import ProgramFacts
from grader.engine.protocol import DTYPES, Leaf

LEAVES, BYTES = 1_000, 32 << 20
"""Arrays and bytes sent at a time, well within the limits of a message."""

InputSet = Sequence[Leaf]

CHEAP_S = 1.0
"""CPU seconds that runs for certainty may take in all, by estimate: no clock may turn a verdict."""
COMPILED = 50
"""How many times as fast a compiled program is as an interpreted one, at least."""
SENDING_S = 2e-4
"""CPU seconds for sending the arrays of one run and its results."""
UNKNOWN = 64
"""Runs of a program whose loops may be of any length."""


def affordable(facts: ProgramFacts) -> int:
    """How many runs of a program are cheap: compiled, if that does not take too long, else interpreted."""
    if facts.compile_s > CHEAP_S:
        return int(CHEAP_S / facts.cost) if facts.interpretable and facts.cost else 0
    if facts.cost is None:
        return UNKNOWN
    return int(CHEAP_S / (facts.cost / COMPILED + SENDING_S))


def groups(sets: Sequence[InputSet], results: Sequence[Leaf]) -> Iterator[Sequence[InputSet]]:
    """Sets of inputs in groups, for a program that gives arrays like `results` for each set."""
    if not sets:
        return
    leaves = max(len(sets[0]), len(results), 1)
    size = max(sum(map(_bytes_of, sets[0])), sum(map(_bytes_of, results)), 1)
    fit = max(min(LEAVES // leaves, BYTES // size), 1)
    for start in range(0, len(sets), fit):
        yield sets[start : start + fit]


def _bytes_of(leaf: Leaf) -> int:
    """Bytes of an array, described or there. Typed keys are two words."""
    width = DTYPES[leaf.dtype].itemsize if leaf.dtype in DTYPES else 8
    return math.prod(leaf.shape) * width
