from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scene import Scene, scene


@pytest.fixture(scope="module")
def stage() -> Iterator[Scene]:
    """One for a module: what is refused changes nothing."""
    with scene() as made:
        yield made
