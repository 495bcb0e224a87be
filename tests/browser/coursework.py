"""A small assignment, made for its gate to be quick, and what its students hand in.

Version 2 gives more weight to one check, so that it is known whose points change.
"""

from __future__ import annotations

import io
import zipfile

SLUG, TITLE, ENTRY = "centred-rows", "Centred rows", "submission.py"

_MANIFEST = """\
slug = "centred-rows"
title = "Centred rows"
entry = "submission.py"
lesson = "lesson.md"
queue = "cpu"

[starter]
earns = 0

[[functions]]
name = "centre"

[[mutants]]
file = "mutants/centres_columns.py"
about = "centres the columns"
fails = ["centre.values.rows_have_mean_zero"]

[[mutants]]
file = "mutants/branches_on_values.py"
about = "looks at a value to decide, so that it cannot be traced"
fails = ["centre.jit.it_can_be_traced"]

[[mutants]]
file = "mutants/leaves_equal_numbers.py"
about = "leaves rows of equal numbers as they are"
fails = ["centre.values.equal_numbers_become_zeros"]
"""

_LESSON = """\
# Centred rows

`centre(x)` takes a matrix and subtracts from each row its mean.

## Control flow

A function that `jax.jit` traces sees no numbers, only shapes and types. An `if` cannot look at a value; use
`jnp.where` to choose between two.
"""

_STARTER = '''\
import jax.numpy as jnp


def centre(x):
    """The rows of x, float32[m, n], each less its mean."""
    raise NotImplementedError
'''

SOLUTION = """\
import jax.numpy as jnp


def centre(x):
    return x - jnp.mean(x, axis=1, keepdims=True)
"""

FAULTY = """\
import jax.numpy as jnp


def centre(x):
    # Nothing to do where everything is zero.
    if jnp.all(x == 0):
        return x
    return x - jnp.mean(x, axis=1, keepdims=True)
"""
FAULTY_LINE = 6

CARELESS = """\
import jax.numpy as jnp


def centre(x):
    middle = jnp.mean(x, axis=1, keepdims=True)
    spread = jnp.std(x, axis=1, keepdims=True)
    return jnp.where(spread == 0, x, x - middle)
"""
"""Leaves rows of equal numbers as they are."""

_COLUMNS = """\
import jax.numpy as jnp


def centre(x):
    return x - jnp.mean(x, axis=0, keepdims=True)
"""

_RUBRIC = '''\
from rubrics import criterion, f32

ROWS = f32[6, 4]


@criterion("values", points=4, function="centre")
def test_rows_have_mean_zero(submission, reference, draw):
    """Each row has mean 0."""
    submission.centre.matches(reference.centre, draw(ROWS), atol=1e-4, rtol=1e-4)


@criterion("values", points={weight}, function="centre", visibility="after_due")
def test_equal_numbers_become_zeros(submission, reference, draw):
    """A row of equal numbers becomes zeros."""
    submission.centre.matches(reference.centre, draw(ROWS.full(3)), atol=1e-4, rtol=1e-4)


@criterion("jit", points=3, function="centre", lesson="#control-flow")
def test_it_can_be_traced(submission, draw):
    """jax.jit(centre) works and agrees with the plain call."""
    submission.centre.traces(draw(ROWS))
'''


def folder(*, version: int = 1) -> dict[str, str]:
    """The assignment's files by their paths."""
    return {
        "assignment.toml": _MANIFEST,
        "lesson.md": _LESSON,
        f"starter/{ENTRY}": _STARTER,
        f"solution/{ENTRY}": SOLUTION,
        "rubric/test_centred_rows.py": _RUBRIC.format(weight=version),
        "mutants/centres_columns.py": _COLUMNS,
        "mutants/branches_on_values.py": FAULTY,
        "mutants/leaves_equal_numbers.py": CARELESS,
    }


def archive(files: dict[str, str]) -> bytes:
    """A zip of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return out.getvalue()
