"""The floor that grading is compared with: a suite's checks as plain calls in one warm interpreter.

It runs the same suite file. Each check does what an in-process grader would do: call the function on drawn
inputs and compare, call it twice for purity, look at the inputs afterwards, jit it and compare, time it
against the baseline. No process, no seal, no exported program, and it believes what the student's code does.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import jax
import numpy as np

from grader.domain.rubric import Assignment
from grader.engine import trees
from grader.engine.candidate.values import as_result_leaf, concrete
from grader.engine.protocol import Leaf, LeafKind
from rubrics.checks.values import as_numpy, as_numpy_argument
from rubrics.comparing import Result
from rubrics.drawing import Case, Draw

RACE_PAIRS = 8


class Mismatch(Exception):
    """A check did not pass."""


class PlainFunction:
    """The vocabulary of `rubrics.function`, as plain calls."""

    def __init__(self, function: Callable[..., Any], static: tuple[str, ...]) -> None:
        self._function = function
        self._jitted = jax.jit(function, static_argnames=static)

    def matches(self, reference: Callable[..., Any], *cases: Case, **_: object) -> None:
        for case in cases:
            args, kwargs = arguments(case)
            _same(self._function(*args, **kwargs), reference(*args, **kwargs))

    def satisfies(self, predicate: Callable[..., bool], *cases: Case, **_: object) -> None:
        for case in cases:
            args, kwargs = arguments(case)
            result = self._function(*args, **kwargs)
            if not predicate(tuple(map(as_numpy_argument, case.args)), _as_numpy(result)):
                raise Mismatch("the result is not as asked")

    def draws_normal(self, *cases: Case, steps: Callable[[Any], Any], **_: object) -> None:
        results = [_as_numpy(self._function(*arguments(case)[0])) for case in cases]
        found = np.concatenate([np.ravel(steps(result)) for result in results])
        if abs(found.mean()) > 0.2 or abs(found.var() - 1) > 0.3:
            raise Mismatch("the draws are not standard normal")

    def is_pure(self, *cases: Case) -> None:
        for case in cases:
            args, kwargs = arguments(case)
            _same(self._function(*args, **kwargs), self._function(*args, **kwargs))

    def leaves_inputs_unchanged(self, *cases: Case) -> None:
        for case in cases:
            args, kwargs = arguments(case)
            before = [np.array(leaf) for leaf in _arrays((args, kwargs))]
            jax.block_until_ready(self._function(*args, **kwargs))
            for old, new in zip(before, _arrays((args, kwargs)), strict=True):
                if not np.array_equal(old, new, equal_nan=old.dtype.kind == "f"):
                    raise Mismatch("an input changed")

    def threads_keys(self, *cases: Case, **_: object) -> None:
        for case in cases:
            first, second = (self._function(*arguments(each)[0]) for each in (case, case.again()))
            if np.array_equal(_values(first)[-1], _values(second)[-1]):
                raise Mismatch("two keys give the same draws")

    def traces(self, *cases: Case) -> None:
        for case in cases:
            args, kwargs = arguments(case)
            _same(self._jitted(*args, **kwargs), self._function(*args, **kwargs))

    def traces_once(self, *cases: Case) -> None:
        for case in cases:
            for each in (case, case.again(), case.again()):
                jax.block_until_ready(self._function(*arguments(each)[0]))

    def program_does_not_grow(self, *cases: Case) -> None:
        for case in cases:
            self._jitted.lower(*arguments(case)[0])

    def needs_at_most(self, *cases: Case, **_: object) -> None:
        self.program_does_not_grow(*cases)

    def is_faster_than(self, baseline: Callable[..., Any], *, at_least: float, on: Case) -> None:
        slow = jax.jit(baseline)
        args = arguments(on)[0]
        jax.block_until_ready((self._jitted(*args), slow(*args)))
        ratios = [_seconds(slow, args) / _seconds(self._jitted, args) for _ in range(RACE_PAIRS)]
        if np.median(ratios) < at_least:
            raise Mismatch("too slow")


def run(assignment: Assignment, submission: Path, *, seed: str) -> tuple[int, int]:
    """Run every check of the suite as plain calls; how many passed, and how many there are."""
    modules = {name: _module(path) for name, path in _paths(assignment, submission).items()}
    statics = {spec.name: spec.static for spec in assignment.functions}
    subject = SimpleNamespace(
        **{
            name: PlainFunction(getattr(modules["submission"], name), static)
            for name, static in statics.items()
        }
    )
    passed, checks = 0, tuple(_checks(modules["suite"]))
    for check in checks:
        fixtures = {
            "submission": subject,
            "reference": modules["reference"],
            "baseline": modules["baseline"],
            "draw": Draw(seed, check.__name__),
        }
        wanted = check.__code__.co_varnames[: check.__code__.co_argcount]
        try:
            check(**{name: fixtures[name] for name in wanted})
        except Mismatch:
            continue
        passed += 1
    return passed, len(checks)


def arguments(case: Case) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The real arguments of a case."""
    inputs = case.inputs(frozenset())
    return trees.unpack(inputs.structure, inputs.leaves, _concrete)  # type: ignore[no-any-return]


def _concrete(leaf: Leaf) -> Any:  # noqa: ANN401 - any array type, or a Python scalar
    return leaf.array.item() if leaf.kind is LeafKind.SCALAR and leaf.array is not None else concrete(leaf)


def _paths(assignment: Assignment, submission: Path) -> dict[str, Path]:
    solution = assignment.root / "solution"
    suite = next(iter(sorted((assignment.root / "rubric").glob("test_*.py"))))
    return {
        "submission": submission,
        "reference": solution / assignment.entry,
        "baseline": solution / "baseline.py",
        "suite": suite,
    }


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"_plain_{path.stem}_{time.monotonic_ns()}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _checks(suite: ModuleType) -> Iterator[Any]:
    return (value for name, value in vars(suite).items() if name.startswith("test_"))


def _arrays(tree: Any) -> list[Any]:  # noqa: ANN401 - any tree
    leaves = [leaf for leaf in jax.tree_util.tree_leaves(tree) if hasattr(leaf, "dtype")]
    return [
        jax.random.key_data(leaf) if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf
        for leaf in leaves
    ]


def _values(tree: Any) -> list[np.ndarray[Any, Any]]:  # noqa: ANN401 - any tree
    return [np.asarray(leaf) for leaf in _arrays(tree)]


def _as_numpy(value: Any) -> Any:  # noqa: ANN401 - any tree
    structure, leaves = trees.pack(value, as_result_leaf)
    return as_numpy(Result(structure=structure, leaves=leaves))


def _same(actual: Any, expected: Any) -> None:  # noqa: ANN401 - any trees
    for one, other in zip(_values(actual), _values(expected), strict=True):
        wide = [np.asarray(array, np.float64) for array in (one, other)]
        if one.shape != other.shape or not np.allclose(*wide, atol=1e-2, rtol=1e-2, equal_nan=True):
            raise Mismatch("values differ")


def _seconds(function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    began = time.process_time()
    jax.block_until_ready(function(*args))
    return max(time.process_time() - began, 1e-9)
