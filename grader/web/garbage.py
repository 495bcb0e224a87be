"""The garbage collector of a server: not at every large page, never through the server itself."""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 50_000
"""Python itself looks for garbage after 700 new objects; a large page is made of tens of thousands.

What is in no cycle is freed at once all the same. Cycles wait, in some megabytes at most.
"""


def settle_collector() -> None:
    """To be called once the server has started: whatever is there then stays."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])
