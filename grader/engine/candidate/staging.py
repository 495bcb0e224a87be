"""Turns calls of student functions into programs, without running them operation by operation.

Two ways of calling matter. *Traced*: the arguments are tracers, as under `jax.jit`. *Direct*: the arguments
are real arrays, as in a plain call; Python sees what it would see there (a NumPy array can be mutated,
`isinstance` tells the truth), but the JAX operations are staged into a program instead of being compiled one
by one. A direct call that needs a concrete result on the way (a Python `if` on it) cannot be staged and is
run for real.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax._src.core import escaped_tracer_error
from jax.extend import core as jex_core

from grader.engine import trees
from grader.engine.candidate import nested
from grader.engine.candidate.stepping import wrapped
from grader.engine.candidate.values import is_key, key_impl, may_travel
from grader.engine.protocol import Leaf, LeafKind

_jit = jax.jit
"""As it is before calls of it are counted, or a submission replaces it."""

_ADDRESS = re.compile(r" at 0x[0-9a-f]+|0x[0-9a-f]{6,}|id=\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """A traced call: flat program, structure of its result, and what its jaxpr shows."""

    flat: Callable[..., tuple[Any, ...]]
    """What was traced, flat in and out; JAX keeps its trace for as long as it lives."""
    jaxpr: jex_core.ClosedJaxpr
    structure: trees.Node
    leaves: tuple[Leaf, ...]
    """Abstract: kind, dtype, shape and weak type of each output."""


class BoundCall:
    """``function(*args, **kwargs)`` with its arguments rebuilt from flat leaves at each call."""

    def __init__(self, function: Callable[..., Any], structure: trees.Node, count: int) -> None:
        self._function, self._structure = function, structure
        self._positions = tuple(
            Leaf(kind=LeafKind.ABSTRACT, dtype="int32", shape=(index,)) for index in range(count)
        )
        self._last: Any = None
        self._snapshot: Any = None
        self._result: Any = None

    def __call__(self, *values: Any) -> Any:  # noqa: ANN401 - arrays or tracers
        args, kwargs = trees.unpack(self._structure, self._positions, lambda leaf: values[leaf.shape[0]])
        # What a function can reach are the containers within the arguments; the two around them are ours.
        self._last = (*args, *kwargs.values())
        self._snapshot = nested.snapshot(self._last)
        self._result = self._function(*args, **kwargs)
        return self._result

    def shared_memory(self, arguments: Sequence[Any]) -> list[int]:
        """Indices of NumPy `arguments` that share memory with an array of the latest result.

        Arrays that are only staged have no memory yet.
        """
        outputs = [np.asarray(part) for part in nested.parts(self._result) if _has_memory(part)]
        return [
            index
            for index, value in enumerate(arguments)
            if isinstance(value, np.ndarray) and any(np.shares_memory(value, output) for output in outputs)
        ]

    def returned_a_container(self) -> bool:
        """Whether a list or dict among the arguments of the latest call is part of its result."""
        return not nested.containers(self._result).keys().isdisjoint(nested.containers(self._last))

    def kept_its_containers(self) -> bool:
        """Whether the containers among the arguments of the latest call hold what they held before it."""
        return bool(self._snapshot.still_holds(self._last))


def _has_memory(leaf: object) -> bool:
    if isinstance(leaf, jax.core.Tracer) or is_key(leaf):
        return False
    return isinstance(leaf, np.ndarray) or (isinstance(leaf, jax.Array) and not leaf.is_deleted())


def trace(call: Callable[..., Any], abstract: Iterable[jax.ShapeDtypeStruct]) -> Traced:
    """Trace ``call(*leaves)``; whatever student code raises comes out."""
    found: list[tuple[trees.Node, tuple[Leaf, ...]]] = []

    def flat(*leaves: Any) -> tuple[Any, ...]:  # noqa: ANN401 - tracers
        outputs: list[Any] = []
        structure, described = trees.pack(call(*leaves), lambda value: _output(value, outputs))
        found.append((structure, described))
        return tuple(outputs)

    jaxpr = jax.make_jaxpr(flat)(*abstract)
    for const in jaxpr.consts:
        if isinstance(const, jax.core.Tracer):  # kept from an earlier trace: JAX sees it at the export only
            raise escaped_tracer_error(const)
    structure, described = found[-1]
    return Traced(flat=flat, jaxpr=jaxpr, structure=structure, leaves=described)


def _output(value: object, outputs: list[Any]) -> Leaf | None:
    if isinstance(value, jax.Array):
        outputs.append(value)
        return _describe(value, LeafKind.JAX)
    if isinstance(value, np.ndarray | np.generic) and may_travel(np.asarray(value)):
        outputs.append(jnp.asarray(np.asarray(value)))
        return _describe(np.asarray(value), LeafKind.NUMPY)
    if type(value) in (bool, int, float, complex):
        outputs.append(jnp.asarray(value))
        return _describe(np.asarray(value), LeafKind.SCALAR)
    return None


def _describe(value: Any, kind: LeafKind) -> Leaf:  # noqa: ANN401 - arrays of any library
    if is_key(value):
        impl = key_impl(value)
        words = jax.eval_shape(jax.random.key_data, value)
        return Leaf(kind=LeafKind.ABSTRACT, dtype=words.dtype.name, shape=words.shape, impl=impl)
    weak = bool(getattr(value, "weak_type", False))
    origin = {LeafKind.NUMPY: "numpy", LeafKind.SCALAR: "scalar"}.get(kind)
    # A size that is not known yet is told as 0; the program itself says what it is.
    shape = tuple(size if isinstance(size, int) else 0 for size in value.shape)
    return Leaf(kind=LeafKind.ABSTRACT, dtype=value.dtype.name, shape=shape, weak=weak, impl=origin)


def exported(traced: Traced, abstract: Iterable[jax.ShapeDtypeStruct], platforms: tuple[str, ...]) -> bytes:
    """The serialised program of a traced call (`jax.export`, StableHLO), with keys as typed key inputs.

    The trace is found in JAX's own cache: student code does not run again.
    """
    return bytes(export.export(_jit(traced.flat), platforms=platforms)(*abstract).serialize())


def fingerprint(traced: Traced) -> str:
    """A digest of the program's text and constants, equal for equal programs whatever their addresses."""
    digest = hashlib.sha256(_ADDRESS.sub("", str(traced.jaxpr.jaxpr)).encode("utf-8", "replace"))
    for const in traced.jaxpr.consts:
        words = jax.random.key_data(const) if is_key(const) else const
        digest.update(np.asarray(words).tobytes())
    return digest.hexdigest()


def facts(traced: Traced) -> dict[str, Any]:
    """What the jaxpr shows that the exported program does not: discarded updates, callbacks, effects."""
    primitives: list[str] = []
    dead: list[dict[str, Any]] = []
    _survey(traced.jaxpr.jaxpr, primitives, dead, depth=0)
    callbacks = sorted({name for name in primitives if "callback" in name or name == "debug_print"})
    return {
        "equations": len(primitives),
        "callbacks": callbacks,
        "discarded": dead[:10],
        "effects": sorted({type(effect).__name__ for effect in traced.jaxpr.effects}),
        "donates": _donates(traced.jaxpr.jaxpr),
        "hands_back": _hands_back(traced.jaxpr.jaxpr),
    }


def _donates(jaxpr: Any) -> bool:  # noqa: ANN401
    """Whether something called directly gives its inputs' buffers away; inside another jit it would not."""
    return any(any(equation.params.get("donated_invars", ())) for equation in jaxpr.eqns)


def _hands_back(jaxpr: Any) -> bool:  # noqa: ANN401
    """Whether an output is an array that was there before: only then can it share memory with an input."""
    return any(_handed_on(jaxpr, jaxpr.constvars))


def _handed_on(jaxpr: Any, given: Iterable[Any]) -> list[bool]:  # noqa: ANN401
    """For each output whether it is one of the `given` variables, calls (of a jit, say) looked through."""
    known = {id(var) for var in given}
    for equation in jaxpr.eqns:
        inner = wrapped(equation)
        if inner is not None:
            pairs = zip(inner.jaxpr.invars, equation.invars, strict=True)
            handed_on = _handed_on(inner.jaxpr, [own for own, var in pairs if id(var) in known])
            known |= {id(var) for var, same in zip(equation.outvars, handed_on, strict=True) if same}
    return [id(var) in known for var in jaxpr.outvars]


def _survey(jaxpr: Any, primitives: list[str], dead: list[dict[str, Any]], *, depth: int) -> None:  # noqa: ANN401
    if depth > 30 or len(primitives) > 200_000:  # noqa: PLR2004 - bounds against absurd programs
        return
    used = {id(var) for equation in jaxpr.eqns for var in equation.invars}
    used |= {id(var) for var in jaxpr.outvars}
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        primitives.append(name)
        if name.startswith("scatter") and not any(id(var) in used for var in equation.outvars):
            dead.append({"primitive": name})
        for value in equation.params.values():
            for inner in value if isinstance(value, tuple | list) else (value,):
                inner_jaxpr = getattr(inner, "jaxpr", inner)
                if hasattr(inner_jaxpr, "eqns"):
                    _survey(inner_jaxpr, primitives, dead, depth=depth + 1)
