"""Reads submitted source to explain a finding: which line prints, writes a global, throws an update away.

Reading decides nothing by itself: evidence from runs does. It points at lines, and tells kinds of one finding
apart.
"""

from rubrics.source.names import (
    CALLBACKS,
    CLOCKS,
    ENVIRONMENT,
    FILE_FUNCTIONS,
    HIDDEN_GENERATORS,
    NUMPY_SETTERS,
    WHEREABOUTS,
)
from rubrics.source.parsing import Module, Spot, dotted
from rubrics.source.reader import Source

__all__ = [
    "CALLBACKS",
    "CLOCKS",
    "ENVIRONMENT",
    "FILE_FUNCTIONS",
    "HIDDEN_GENERATORS",
    "NUMPY_SETTERS",
    "WHEREABOUTS",
    "Module",
    "Source",
    "Spot",
    "dotted",
]
