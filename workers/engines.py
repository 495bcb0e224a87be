"""Finding the engine by name: the one place that joins services to what grades."""

from __future__ import annotations

import importlib
from typing import cast

from grader.domain.errors import ConfigurationInvalid
from grader.services.ports import EngineFactory


def load_engine_factory(spec: str) -> EngineFactory:
    """The factory that ``module:name`` names; ConfigurationInvalid says why one cannot be used.

    Called without arguments it gives a context manager, and entering that a GradingEngine.
    """
    module_name, _, name = spec.partition(":")
    if not module_name or not name:
        raise ConfigurationInvalid("GRADER_ENGINE", f"{spec!r} is not of the form module:factory.")
    try:
        factory = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError) as error:
        raise ConfigurationInvalid("GRADER_ENGINE", f"{spec!r} cannot be loaded: {error}.") from error
    if not callable(factory):
        raise ConfigurationInvalid("GRADER_ENGINE", f"{spec!r} is not callable.")
    return cast("EngineFactory", factory)
