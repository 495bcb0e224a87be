from __future__ import annotations

import pytest

from grader.domain.errors import ConfigurationInvalid
from tests import engines
from workers.engines import load_engine_factory


def test_a_factory_is_found_by_name() -> None:
    assert load_engine_factory("tests.engines:unsealed_engine") is engines.unsealed_engine


@pytest.mark.parametrize(
    "spec, says",
    [
        ("tests.engines", "module:factory"),
        (":factory", "module:factory"),
        ("no.such.module:x", "cannot be loaded"),
        ("tests.engines:nothing", "cannot be loaded"),
        ("tests.engines:ENVIRONMENT", "not callable"),
    ],
)
def test_a_name_that_cannot_be_used_is_explained(spec: str, says: str) -> None:
    with pytest.raises(ConfigurationInvalid, match=says) as caught:
        load_engine_factory(spec)
    assert caught.value.setting == "GRADER_ENGINE"
