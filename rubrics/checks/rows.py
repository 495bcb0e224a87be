"""Whether rows of draws were drawn one by one: a key shared by all rows under `jax.vmap` draws once for all.

Such a draw is one use of its key, so no key log tells. Rows tell, drawn with several keys: they are equal
more often within a key than across keys, or rise and fall together from key to key.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

AnyArray = npt.NDArray[Any]

KEYS = 8
"""Keys that rows are drawn with."""
TOO_MANY = 0.25
"""Share of rows that may equal another row, beyond those that do so by chance."""
RARELY_EQUAL = 0.01
"""Chance of two independent rows to be equal, below which equal rows are copies."""
TOGETHER = 12.0
"""Fisher's ratio of the spread between keys to that within them: `ENOUGH` independent rows, or more, reach it
with `KEYS` keys once in 10^8 times. It grows with the logarithm of the number of columns."""
ENOUGH = 8
MOST = 0.9
"""Share of one value in a column above which its ratio says little."""


def shared(draws: Sequence[AnyArray], *, drawn: int) -> bool:
    """Whether the rows within each of `draws`, made with a key each, have draws in common.

    Of rows that are often equal by chance, such as single coin flips, that alone proves little: then fewer
    numbers than the rows hold must have been `drawn`, too.
    """
    rows = [np.asarray(each) for each in draws]
    if len({each.shape for each in rows}) != 1 or not rows[0].ndim or not rows[0].size:
        return False
    numbers = np.stack([each.reshape(len(each), -1) for each in rows])
    return _copied(numbers, drawn=drawn) or _move_together(numbers.astype(np.float64))


def _copied(rows: AnyArray, *, drawn: int) -> bool:
    keys, count, _ = rows.shape
    flat = rows.reshape(keys * count, -1)
    names = np.unique(flat, axis=0, return_inverse=True)[1].reshape(keys, count)
    chance = _equal_across(names)
    repeated = float(np.mean([count - len(np.unique(each)) for each in names])) / count
    if repeated - _expected_repeats(count, chance) <= TOO_MANY:
        return False
    return chance < RARELY_EQUAL or drawn < rows[0].size


def _equal_across(names: npt.NDArray[np.intp]) -> float:
    """How often a row equals a row that was drawn with another key."""
    keys, count = map(int, names.shape)
    if keys == 1:
        return 0.0
    tallies = np.stack([np.bincount(each, minlength=int(names.max()) + 1) for each in names])
    equal = float((tallies.sum(axis=0) ** 2).sum() - (tallies**2).sum())
    return equal / float(keys * (keys - 1) * count**2)


def _expected_repeats(count: int, chance: float) -> float:
    """Share of `count` independent rows that repeat another, if two are equal with a probability `chance`.

    As if all values were equally likely, which for a given `chance` repeats about as many rows as can be.
    """
    if chance <= 0:
        return 0.0
    return 1 - (1 - (1 - chance) ** count) / (chance * count)


def _move_together(rows: npt.NDArray[np.float64]) -> bool:
    """Whether a column differs more from key to key than within a key: one-way analysis of variance."""
    keys, count, width = rows.shape
    if count < ENOUGH or keys < KEYS or not np.isfinite(rows).all():
        return False
    between = count * rows.mean(axis=1).var(axis=0, ddof=1)
    within = rows.var(axis=1, ddof=1).mean(axis=0)
    telling = np.array([_commonest(rows[:, :, column]) < MOST for column in range(width)])
    # A column that never differs within a key, and does from key to key, is one draw for all rows.
    return bool((telling & (between > (TOGETHER + 2 * math.log(width)) * within)).any())


def _commonest(column: AnyArray) -> float:
    _, counts = np.unique(column, return_counts=True)
    return float(counts.max() / column.size)
