from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from grader.web.garbage import settle_collector


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    gc.unfreeze()


def searches_for_garbage(*, new_objects: int) -> int:
    """How often the collector runs while so many objects are made and kept."""
    begun: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            begun.append(info["generation"])

    gc.collect()
    gc.callbacks.append(note)
    try:
        kept = [[at] for at in range(new_objects)]
    finally:
        gc.callbacks.remove(note)
    assert len(kept) == new_objects
    return len(begun)


def test_a_server_that_has_started_makes_a_large_page_without_looking_for_garbage() -> None:
    assert searches_for_garbage(new_objects=20_000) > 10
    settle_collector()
    assert searches_for_garbage(new_objects=20_000) == 0


def test_it_looks_for_garbage_in_the_long_run() -> None:
    settle_collector()
    assert searches_for_garbage(new_objects=120_000) >= 2
