"""The API tried with what its own description allows, and with what it does not: it never fails.

GRADER_TEST_API_EXAMPLES says how many requests of each kind are tried per operation; the default keeps all of
it to about a minute.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.scene import Scene, Standing, scene

EXAMPLES = int(os.environ.get("GRADER_TEST_API_EXAMPLES", "2"))
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)

EVERYBODY = (Standing.OWNER, Standing.TA, Standing.INSTRUCTOR)


@pytest.fixture(scope="module")
def stage() -> Iterator[Scene]:
    with scene() as made:
        yield made


@pytest.fixture(scope="module")
def schema(stage: Scene) -> Any:  # noqa: ANN401 - the library's own
    host = stage.world.context.web.url.removeprefix("https://")
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", stage.world.app, headers={"host": host})


@pytest.mark.slow
@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize("standing", EVERYBODY)
@pytest.mark.filterwarnings("ignore")  # of the libraries that generate, about what they generate
def test_no_request_makes_the_api_fail_or_answer_what_it_does_not_describe(
    stage: Scene,
    schema: Any,  # noqa: ANN401 - as above
    standing: Standing,
    mode: GenerationMode,
) -> None:
    host = stage.world.context.web.url.removeprefix("https://")
    token = stage.script(standing).headers["authorization"]
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        names = {parameter.name for parameter in operation.path_parameters}
        known = {name: stage.things.get(name, "ada") for name in names}
        for path_parameters in (known, None):
            for case in examples(operation, mode, path_parameters):
                response = case.call(headers={"authorization": token, "host": host})
                case.validate_response(response, checks=list(CHECKS))
                tried += 1
    assert tried > 80


def examples(operation: Any, mode: GenerationMode, path_parameters: Any) -> list[Any]:  # noqa: ANN401
    """Some cases for one operation; none where there is nothing to choose."""
    cases: list[Any] = []
    strategy = operation.as_strategy(generation_mode=mode, path_parameters=path_parameters)

    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(case: Any) -> None:  # noqa: ANN401
        cases.append(case)

    try:
        collect()
    except Unsatisfiable:
        return []
    return cases
