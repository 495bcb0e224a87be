"""Submissions in a few lines, read by the source reader."""

from __future__ import annotations

import textwrap

from rubrics.source import Source, Spot
from tests.builders import submitted

HEAD = """\
import functools
import os
import random as rnd

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.random import normal, split
"""


def source_of(code: str, **helpers: str) -> Source:
    """The source reader on `code` after the usual imports."""
    return Source(submitted(HEAD + textwrap.dedent(code), **helpers))


def text_at(source: Source, spot: Spot | None) -> str | None:
    """The text of the line that a spot names; None for no spot."""
    if spot is None:
        return None
    lines = source._files.text_of(spot.file).splitlines()
    return lines[spot.line - 1].strip()
