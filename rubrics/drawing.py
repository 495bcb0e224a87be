"""Draws the inputs of a check: fresh for each attempt, secret, and reproducible from the attempt's seed.

What a suite draws comes from one stream, in order. What is drawn again for a case comes from a stream of that
case alone: it does not depend on what else was drawn, which may hang on how a submission behaves.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import jax.numpy as jnp
import numpy as np

from grader.engine import trees
from grader.engine.protocol import Leaf, LeafKind
from grader.engine.session import CallInputs
from rubrics.specs import ArraySpec, Given, KeySpec


class Redraw(Protocol):
    """Draws a case anew: for the turn that is named, or for the next one."""

    def __call__(self, turn: int | None = None) -> Case: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call to make: arguments drawn, and how to draw them again. Leaves are `Given`s or Python values."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    redraw: Redraw

    def again(self, turn: int | None = None) -> Case:
        """Another case of the same shapes, with fresh values: those of a turn, or of the next one."""
        return self.redraw(turn)

    def in_part_again(self, turn: int | None = None) -> tuple[Case, ...]:
        """Cases that keep one of several arguments and draw the others afresh."""
        if len(self.args) < 2:  # noqa: PLR2004 - there must be another one
            return ()
        fresh = self.again(turn)
        return tuple(
            Case(
                args=(*fresh.args[:kept], self.args[kept], *fresh.args[kept + 1 :]),
                kwargs=self.kwargs,
                redraw=self.redraw,
            )
            for kept in range(len(self.args))
        )

    def with_other_keys(self) -> Case:
        """This case with fresh PRNG keys and everything else as it is."""
        fresh = self.again()
        args, kwargs = _with_keys_of((self.args, dict(self.kwargs)), (fresh.args, dict(fresh.kwargs)))
        return Case(args=args, kwargs=kwargs, redraw=self.redraw)

    def rows(self, axes: Mapping[int, int]) -> list[Case]:
        """A case for each row: arguments at these positions are cut along these axes, the others stay."""
        sizes = {
            given.array.shape[axis]
            for position, axis in axes.items()
            for given in _givens_of(self.args[position])
        }
        if len(sizes) != 1:
            return []
        return [
            Case(
                args=tuple(
                    _row(arg, axes[position], index) if position in axes else arg
                    for position, arg in enumerate(self.args)
                ),
                kwargs=self.kwargs,
                redraw=self.redraw,
            )
            for index in range(sizes.pop())
        ]

    def widened(self) -> Case:
        """This case with every floating-point array as float64."""
        return self.changed(_wide)

    def changed(self, change: Callable[[Given], Given]) -> Case:
        """This case with every array put through `change`, which later draws are as well."""
        return Case(
            args=tuple(_each_replaced(arg, change) for arg in self.args),
            kwargs={name: _each_replaced(value, change) for name, value in self.kwargs.items()},
            redraw=lambda turn=None: self.redraw(turn).changed(change),
        )

    @property
    def has_key(self) -> bool:
        """Whether a PRNG key, typed or raw, is among the arguments."""
        return any(given.kind is LeafKind.KEY or given.raw_key for given in self.givens)

    @property
    def as_numpy(self) -> bool:
        """Whether the arguments are handed over as NumPy arrays."""
        return any(given.kind is LeafKind.NUMPY for given in self.givens)

    @property
    def givens(self) -> tuple[Given, ...]:
        return _givens_of((self.args, dict(self.kwargs)))

    def inputs(self, static: frozenset[int | str]) -> CallInputs:
        """The wire form. What `static` names stays a Python constant; other numbers become scalars."""
        packer = trees.Packer()
        args = [
            packer.pack(arg, _as_constant if index in static else _as_leaf)
            for index, arg in enumerate(self.args)
        ]
        named = [
            packer.pack(value, _as_constant if name in static else _as_leaf)
            for name, value in self.kwargs.items()
        ]
        keywords = {"t": "dict", "k": [["str", name] for name in self.kwargs], "c": named}
        structure = {"t": "tuple", "c": [{"t": "tuple", "c": args}, keywords]}
        return CallInputs(structure=structure, leaves=tuple(packer.leaves))

    def sizes(self) -> tuple[int, ...]:
        """Every number that says how large this call is: array sizes and Python ints, in order."""
        found: list[int] = []

        def visit(value: object) -> None:
            if isinstance(value, Given):
                words = 1 if value.kind is LeafKind.KEY else 0
                found.extend(value.array.shape[: value.array.ndim - words])
                if value.array.ndim == 0 and value.array.dtype.kind in "iu":
                    found.append(int(value.array))
            elif type(value) is int:
                found.append(value)
            elif isinstance(value, Mapping):
                for child in value.values():
                    visit(child)
            elif isinstance(value, Sequence) and not isinstance(value, str):
                for child in value:
                    visit(child)

        visit((self.args, dict(self.kwargs)))
        return tuple(found)


class Draw:
    """The ``draw`` fixture: ``draw(f32[32, 8], key, 7)`` makes one `Case`; ``draw.numpy`` too."""

    def __init__(self, seed: str, check: str) -> None:
        self._seed, self._check = seed, check
        self._rng = _generator(seed, check)
        self._numbers = itertools.count()

    def __call__(self, *args: Any, **kwargs: Any) -> Case:  # noqa: ANN401 - specs, containers of specs, values
        return self._case(LeafKind.JAX, args, kwargs)

    def numpy(self, *args: Any, **kwargs: Any) -> Case:  # noqa: ANN401 - as above
        """As a call, with NumPy arrays instead of JAX arrays."""
        return self._case(LeafKind.NUMPY, args, kwargs)

    def _case(self, kind: LeafKind, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Case:
        number, turns = next(self._numbers), itertools.count()

        def redraw(turn: int | None = None) -> Case:
            label = f"{self._check} {number} {next(turns) if turn is None else turn}"
            return drawn(_generator(self._seed, label))

        def drawn(rng: np.random.Generator) -> Case:
            return Case(
                args=tuple(_fill(arg, kind, rng) for arg in args),
                kwargs={name: _fill(value, kind, rng) for name, value in kwargs.items()},
                redraw=redraw,
            )

        return drawn(self._rng)


def _generator(seed: str, label: str) -> np.random.Generator:
    secret = hmac.new(seed.encode(), label.encode(), hashlib.sha256).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(secret, "big")))


def _fill(spec: Any, kind: LeafKind, rng: np.random.Generator) -> Any:  # noqa: ANN401 - as above
    if isinstance(spec, ArraySpec):
        return Given(array=spec.draw(rng), kind=kind)
    if isinstance(spec, KeySpec):
        return spec.draw(rng)
    if isinstance(spec, np.ndarray):
        return Given(array=spec.copy(), kind=kind)
    if isinstance(spec, dict):
        return {name: _fill(child, kind, rng) for name, child in spec.items()}
    if isinstance(spec, tuple) and hasattr(spec, "_fields"):
        return type(spec)(*(_fill(child, kind, rng) for child in spec))
    if isinstance(spec, tuple | list):
        return type(spec)(_fill(child, kind, rng) for child in spec)
    return spec


def _as_constant(value: object) -> Leaf | None:
    return Leaf.of(value.array, kind=value.kind, impl=value.impl) if isinstance(value, Given) else None


def _as_leaf(value: object) -> Leaf | None:
    if type(value) in (bool, int, float, complex):
        return Leaf.of(np.asarray(value), kind=LeafKind.SCALAR, weak=type(value) is not bool)
    return _as_constant(value)


def _givens_of(value: object) -> tuple[Given, ...]:
    found: list[Given] = []
    _each_given(value, found.append)
    return tuple(found)


def _row(value: Any, axis: int, index: int) -> Any:  # noqa: ANN401 - a tree of arguments
    return _each_replaced(value, lambda given: replace(given, array=np.take(given.array, index, axis=axis)))


def _each_replaced(value: Any, change: Callable[[Given], Given]) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, Given):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _each_replaced(child, change) for name, child in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_each_replaced(child, change) for child in value))
    if isinstance(value, tuple | list):
        return type(value)(_each_replaced(child, change) for child in value)
    return value


def _wide(given: Given) -> Given:
    narrow = given.kind is not LeafKind.KEY and jnp.issubdtype(given.array.dtype, jnp.floating)
    return replace(given, array=given.array.astype(np.float64)) if narrow else given


def _with_keys_of(value: Any, fresh: Any) -> Any:  # noqa: ANN401 - two trees of one structure
    if isinstance(value, Given):
        return fresh if value.kind is LeafKind.KEY or value.raw_key else value
    if isinstance(value, Mapping):
        return {name: _with_keys_of(child, fresh[name]) for name, child in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_with_keys_of, value, fresh))
    if isinstance(value, tuple | list):
        return type(value)(map(_with_keys_of, value, fresh))
    return value


def _each_given(value: object, act: Callable[[Given], None]) -> None:
    if isinstance(value, Given):
        act(value)
    elif isinstance(value, Mapping):
        for child in value.values():
            _each_given(child, act)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for child in value:
            _each_given(child, act)
