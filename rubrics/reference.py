"""The course's own programs: the reference solution and the slow baseline, loaded once per version."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

from grader.domain.rubric import Assignment
from grader.engine import trees
from grader.engine.candidate import staging
from grader.engine.candidate.conditions import Condition, under
from grader.engine.candidate.transforms import Transform, gradient, transformed
from grader.engine.candidate.values import abstract, as_result_leaf, concrete
from grader.engine.session import CallInputs
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.failures import SuiteMisused


class CourseFunction:
    """A function of the course, trusted: run here, or exported to be timed on the bench."""

    def __init__(self, function: Callable[..., Any], static: tuple[str, ...]) -> None:
        self.function = function
        parameters = tuple(inspect.signature(function).parameters)
        self.parameters = parameters
        self.static: frozenset[int | str] = frozenset(
            entry for name in static if name in parameters for entry in (name, parameters.index(name))
        )
        self._compiled: dict[str, Callable[..., Any]] = {}
        self._programs: dict[tuple[Any, ...], bytes] = {}
        self._under: dict[str, CourseFunction] = {}

    def under(self, transform: Transform) -> CourseFunction:
        """This function under one of JAX's transformations."""
        key = repr(transform)
        if key not in self._under:
            # `wraps` keeps the signature, by which positions of static arguments are found.
            function = functools.wraps(self.function)(transformed(self.function, transform))
            self._under[key] = CourseFunction(
                function, tuple(name for name in self.static if type(name) is str)
            )
        return self._under[key]

    def result(self, inputs: CallInputs, *, conditions: tuple[Condition, ...] = ()) -> Result:
        """What the function returns for these inputs, as structure and concrete leaves."""
        with under(conditions):
            values = [concrete(leaf) for leaf in inputs.leaves]
            value = self._run(inputs, values)
            structure, leaves = trees.pack(value, as_result_leaf)
        return Result(structure=structure, leaves=leaves)

    def gradient(self, case: Case, *, wrt: int) -> Result:
        """`jax.grad` of the sum of the results with respect to one argument: an oracle of gradients."""
        return self.under(gradient(wrt=wrt)).result(case.inputs(self.static))

    def value(self, inputs: CallInputs) -> Any:  # noqa: ANN401 - whatever the course returns
        """What the function returns for these inputs."""
        return self._run(inputs, [concrete(leaf) for leaf in inputs.leaves])

    def program(self, inputs: CallInputs, platforms: tuple[str, ...]) -> bytes:
        """The exported program for inputs of these shapes. Whatever tracing raises comes out."""
        leaves = inputs.abstract()
        key = (
            repr(inputs.structure),
            tuple((leaf.dtype, leaf.shape, leaf.weak, leaf.impl) for leaf in leaves),
            platforms,
        )
        if key not in self._programs:
            shapes = [abstract(leaf) for leaf in leaves]
            traced = staging.trace(staging.BoundCall(self.function, inputs.structure, len(leaves)), shapes)
            self._programs[key] = staging.exported(traced, shapes, platforms)
        return self._programs[key]

    def _run(self, inputs: CallInputs, values: list[Any]) -> Any:  # noqa: ANN401 - as above
        """Jitted where that works (one compilation serves every attempt), else as a plain call."""
        key = f"{inputs.structure!r} {[leaf.kind.value for leaf in inputs.leaves]}"
        if key not in self._compiled:
            call = staging.BoundCall(self.function, inputs.structure, len(inputs.leaves))
            self._compiled[key] = _jitted_or_plain(call, values)
        return self._compiled[key](*values)


def _jitted_or_plain(call: staging.BoundCall, values: list[Any]) -> Callable[..., Any]:
    if any(isinstance(value, np.ndarray) for value in values):
        return call
    jitted: Callable[..., Any] = jax.jit(call)
    try:
        jax.block_until_ready(jitted(*values))
    except Exception:  # noqa: BLE001 - a course function may be written in plain NumPy, which cannot be traced
        return call
    return jitted


class Course:
    """The ``reference`` and ``baseline`` fixtures: ``reference.normalize`` is a `CourseFunction`."""

    def __init__(self, assignment: Assignment, file: str) -> None:
        self._assignment, self._file = assignment, file

    def __getattr__(self, name: str) -> CourseFunction:
        if name.startswith("__"):
            raise AttributeError(name)
        return _function(self._assignment, self._file, name)


@functools.lru_cache(maxsize=256)
def _function(assignment: Assignment, file: str, name: str) -> CourseFunction:
    function = getattr(_module(assignment.root / "solution" / file, assignment.version), name, None)
    if not callable(function):
        raise SuiteMisused(f"solution/{file} defines no function {name!r}")
    static = next((spec.static for spec in assignment.functions if spec.name == name), ())
    return CourseFunction(function, static)


@functools.lru_cache(maxsize=32)
def _module(path: Path, version: str) -> Any:  # noqa: ANN401 - a module
    spec = importlib.util.spec_from_file_location(f"_course_{version[:16]}_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise SuiteMisused(f"there is no {path.name} in the assignment's solution folder")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
