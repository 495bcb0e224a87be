"""The course's own programs: the reference solution and the slow baseline, loaded once per version.

Checks ask them questions and never see how the answers come about: computed, computed and written down for
what students download, or read from there (`rubrics.answers`).
"""

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
from grader.engine.candidate.transforms import Transform, gradient, stepped, transformed
from grader.engine.candidate.values import abstract, as_result_leaf, concrete
from grader.engine.session import CallInputs
from rubrics.answers import COMPUTED, Answers, asked
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.failures import SuiteMisused
from rubrics.landmarks import Landmarks


class CourseFunction:
    """A function of the course, trusted: run here, or exported to be timed on the bench."""

    def __init__(
        self,
        function: Callable[..., Any],
        static: tuple[str, ...],
        *,
        name: str = "",
        answers: Answers = COMPUTED,
    ) -> None:
        self.function = function
        parameters = tuple(inspect.signature(function).parameters)
        self.parameters = parameters
        self.static: frozenset[int | str] = frozenset(
            entry for name in static if name in parameters for entry in (name, parameters.index(name))
        )
        self._name, self._answers = name, answers
        self._compiled: dict[str, Callable[..., Any]] = {}
        self._programs: dict[tuple[Any, ...], bytes] = {}
        self._under: dict[str, CourseFunction] = {}

    @property
    def foresees(self) -> bool:
        """Whether whatever may be asked later has to be asked now."""
        return self._answers.foresees

    def result(self, inputs: CallInputs, *, conditions: tuple[Condition, ...] = ()) -> Result:
        """What the function returns for these inputs, as structure and concrete leaves."""
        return self.answered("result", inputs, lambda: self._result(inputs, conditions), *conditions)

    def landmarks(self, inputs: CallInputs, *, under: Transform | None = None) -> Landmarks | None:
        """What is known of the way to the result, perhaps that of the function `under` a transformation.

        None where the function cannot be traced.
        """
        question = asked(self._name, "landmarks", inputs, *(() if under is None else (under,)))
        if under is None:
            return self._answers.landmarks(question, lambda: self._landmarks(inputs))
        return self._answers.landmarks(question, lambda: self._transformed(under).landmarks(inputs))

    def gradient(self, case: Case, *, wrt: int) -> Result:
        """`jax.grad` of the sum of the results with respect to one argument: an oracle of gradients."""
        return self._transformed(gradient(wrt=wrt)).result(case.inputs(self.static))

    def answered(
        self, kind: str, inputs: CallInputs, compute: Callable[[], Result], *about: object
    ) -> Result:
        """The answer to a question about these inputs: what `compute` gives, or gave when it was recorded.

        `about` tells questions of one kind apart.
        """
        return self._answers.result(asked(self._name, kind, inputs, *about), compute)

    def _transformed(self, transform: Transform) -> CourseFunction:
        """This function under one of JAX's transformations; its answers are computed."""
        key = repr(transform)
        if key not in self._under:
            # `wraps` keeps the signature, by which positions of static arguments are found.
            function = functools.wraps(self.function)(transformed(self.function, transform))
            self._under[key] = CourseFunction(
                function, tuple(name for name in self.static if type(name) is str)
            )
        return self._under[key]

    def _result(self, inputs: CallInputs, conditions: tuple[Condition, ...]) -> Result:
        with under(conditions):
            values = [concrete(leaf) for leaf in inputs.leaves]
            call = staging.BoundCall(self.function, inputs.structure, len(inputs.leaves))
            value = self._run(call, _shape_of(inputs), values)
            structure, leaves = trees.pack(value, as_result_leaf)
        return Result(structure=structure, leaves=leaves)

    def _landmarks(self, inputs: CallInputs) -> Landmarks | None:
        call = staging.BoundCall(transformed(self.function, stepped()), inputs.structure, len(inputs.leaves))

        def arrays(*values: Any) -> list[Any]:  # noqa: ANN401 - arrays or tracers
            return [part for part in jax.tree.leaves(call(*values)) if not isinstance(part, str)]

        try:
            found = self._run(arrays, f"landmarks {_shape_of(inputs)}", [concrete(x) for x in inputs.leaves])
        except Exception:  # noqa: BLE001 - a course function may be one that cannot be traced
            return None
        return Landmarks.of([np.asarray(array) for array in found])

    def program(self, inputs: CallInputs, platforms: tuple[str, ...]) -> bytes:
        """The exported program for inputs of these shapes. Whatever tracing raises comes out.

        NotHandedOut where only answers can be had: a program would give the solution away.
        """
        self._answers.require_programs()
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

    def _run(self, call: Callable[..., Any], key: str, values: list[Any]) -> Any:  # noqa: ANN401 - as told
        """Jitted where that works (one compilation serves every attempt), else as a plain call."""
        if key not in self._compiled:
            self._compiled[key] = _jitted_or_plain(call, values)
        return self._compiled[key](*values)


def _shape_of(inputs: CallInputs) -> str:
    return f"{inputs.structure!r} {[leaf.kind.value for leaf in inputs.leaves]}"


def _jitted_or_plain(call: Callable[..., Any], values: list[Any]) -> Callable[..., Any]:
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

    def __init__(self, assignment: Assignment, file: str, answers: Answers = COMPUTED) -> None:
        self._assignment, self._file, self._answers = assignment, file, answers

    def __getattr__(self, name: str) -> CourseFunction:
        if name.startswith("__"):
            raise AttributeError(name)
        return _function(self._assignment, self._file, name, self._answers)


@functools.lru_cache(maxsize=256)
def _function(assignment: Assignment, file: str, name: str, answers: Answers) -> CourseFunction:
    function = answers.function(f"{file}:{name}", lambda: _loaded(assignment, file, name))
    static = next((spec.static for spec in assignment.functions if spec.name == name), ())
    return CourseFunction(function, static, name=f"{file}:{name}", answers=answers)


def _loaded(assignment: Assignment, file: str, name: str) -> Callable[..., Any]:
    function = getattr(_module(assignment.root / "solution" / file, assignment.version), name, None)
    if not callable(function):
        raise SuiteMisused(f"solution/{file} defines no function {name!r}")
    loaded: Callable[..., Any] = function
    return loaded


@functools.lru_cache(maxsize=32)
def _module(path: Path, version: str) -> Any:  # noqa: ANN401 - a module
    spec = importlib.util.spec_from_file_location(f"_course_{version[:16]}_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise SuiteMisused(f"there is no {path.name} in the assignment's solution folder")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
