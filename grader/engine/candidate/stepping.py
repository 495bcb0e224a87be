"""A function's result together with every array on the way to it, and the line that each was made on.

Two functions made over so can be compared number by number: where does one leave what the other computes? The
arrays of a submission's function are outputs of its program, so they are made where the inputs are known; the
candidate only says which line each came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.source_info_util import user_frames
from jax.extend import core as jex_core

MAX_STEPS = 250
MAX_ELEMENTS = 1 << 20
"""Bounds on what is looked through, well within what a message carries."""

_INLINED = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_CALLS = frozenset(
    {"jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "checkpoint", "remat2"}
)
"""Operations that only wrap others. The bodies of branches run otherwise, and stay one step."""
ROUNDS = 2
"""Rounds of a loop that are gone through. A first one alone hides what is done to a carry of zeros."""


class TooManySteps(Exception):
    """The function is larger than what is looked through."""


def with_steps(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` that gives ``{"given": [...], "steps": [[about, array, ...], ...], "result": [...]}``.

    ``about`` is the text ``operation|file:line|uses|loop``. Uses, and the result, are positions in the list
    of all arrays of all steps, ``x0`` for the first input; ``loop`` is the line of the outermost loop around
    it.
    A loop is one step, before which its first `ROUNDS` rounds are gone through as if they were written out;
    where that makes too many steps, it is without them. TooManySteps beyond the bounds.
    """

    def stepped(*args: Any, **kwargs: Any) -> dict[str, Any]:  # noqa: ANN401 - as the function's own
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        places = [index for index, leaf in enumerate(leaves) if isinstance(leaf, jax.Array | np.ndarray)]

        def flat(*values: Any) -> list[Any]:  # noqa: ANN401 - tracers
            filled = list(leaves)
            for index, value in zip(places, values, strict=True):
                filled[index] = value
            positional, named = jax.tree_util.tree_unflatten(tree, filled)
            results = jax.tree_util.tree_leaves(function(*positional, **named))
            return [jnp.asarray(result) for result in results if _is_array(result)]

        given = [leaves[index] for index in places]
        jaxpr = jax.make_jaxpr(flat)(*given)
        try:
            steps, result = _recorded(jaxpr, given, rounds=ROUNDS)
        except TooManySteps:
            steps, result = _recorded(jaxpr, given, rounds=0)
        return {"given": [_plain(leaf) for leaf in given], "steps": steps, "result": result}

    return stepped


def _recorded(jaxpr: Any, given: Sequence[Any], *, rounds: int) -> tuple[list[list[Any]], list[str]]:  # noqa: ANN401
    """All steps of a closed jaxpr, and the names of what it returns."""
    recorder = _Recorder(rounds=rounds)
    results = recorder.run(
        jaxpr.jaxpr, jaxpr.consts, [_Value(leaf, f"x{index}") for index, leaf in enumerate(given)], ""
    )
    return recorder.steps, [result.name for result in results]


@dataclass(frozen=True, slots=True)
class _Value:
    """An array and its name: a position, ``x0`` for the first input, empty for a constant."""

    array: Any
    name: str


@dataclass(slots=True)
class _Recorder:
    """Runs a jaxpr equation by equation, and keeps what each gives."""

    rounds: int
    loop: str = ""
    """Where the outermost of the loops is whose rounds are gone through; empty outside."""
    steps: list[list[Any]] = field(default_factory=list)
    arrays: int = 0
    elements: int = 0

    def run(self, jaxpr: Any, consts: Sequence[Any], args: Sequence[_Value], place: str) -> list[_Value]:  # noqa: ANN401
        """Outputs of `jaxpr`. `place` is where it is called, for operations that no submitted line made."""
        known = dict(zip(jaxpr.constvars, (_Value(const, "") for const in consts), strict=True))
        known |= dict(zip(jaxpr.invars, args, strict=True))

        def read(atom: Any) -> _Value:  # noqa: ANN401 - a variable or a literal
            return _Value(atom.val, "") if hasattr(atom, "val") else known[atom]

        for equation in jaxpr.eqns:
            inputs = [read(atom) for atom in equation.invars]
            outputs = self._equation(equation, inputs, _place(equation) or place)
            known |= dict(zip(equation.outvars, outputs, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _equation(self, equation: Any, inputs: Sequence[_Value], place: str) -> list[_Value]:  # noqa: ANN401
        inner = wrapped(equation)
        if inner is not None:
            return self.run(inner.jaxpr, inner.consts, inputs, place)
        primitive = equation.primitive
        carried, rounds = self._rounds_of(equation, inputs, place)
        found = primitive.bind(
            *(value.array for value in inputs), **primitive.get_bind_params(equation.params)
        )
        arrays = list(found) if primitive.multiple_results else [found]
        if not rounds:
            return self._kept(primitive.name, arrays, inputs, place)
        # Each output comes of its own carry and rounds. That it hangs on the inputs, too, is all else to say.
        hangs = [_Value(None, value.name) for value in inputs if value.name.startswith("x")]
        apart = zip(arrays, *rounds, strict=True)
        return [
            self._kept(primitive.name, [array], [*own, *carried[index : index + 1], *hangs], place)[0]
            for index, (array, *own) in enumerate(apart)
        ]

    def _rounds_of(
        self,
        equation: Any,  # noqa: ANN401
        inputs: Sequence[_Value],
        place: str,
    ) -> tuple[Sequence[_Value], list[list[_Value]]]:
        """What a loop starts with, and what each of its first rounds gives; nothing for what is no loop."""
        rounds = {"scan": self._scan_rounds, "while": self._while_rounds}.get(equation.primitive.name)
        if rounds is None:
            return (), []
        outside, self.loop = self.loop, self.loop or place
        found = rounds(equation.params, inputs, place)
        self.loop = outside
        return found

    def _scan_rounds(
        self, params: Mapping[str, Any], inputs: Sequence[_Value], place: str
    ) -> tuple[Sequence[_Value], list[list[_Value]]]:
        body, length, reverse = params["jaxpr"], params["length"], params["reverse"]
        first, second = params["num_consts"], params["num_consts"] + params["num_carry"]
        consts, carried, rows = inputs[:first], inputs[first:second], inputs[second:]
        rounds: list[list[_Value]] = []
        for turn in range(min(self.rounds, length)):
            row = [self._row(value, length - 1 - turn if reverse else turn, place) for value in rows]
            carry = rounds[-1][: len(carried)] if rounds else carried
            rounds.append(self.run(body.jaxpr, body.consts, [*consts, *carry, *row], place))
        return carried, rounds

    def _while_rounds(
        self, params: Mapping[str, Any], inputs: Sequence[_Value], place: str
    ) -> tuple[Sequence[_Value], list[list[_Value]]]:
        """Whether there is such a round is not asked: of a loop without any, the result is what goes in."""
        body, first = params["body_jaxpr"], params["cond_nconsts"]
        second = first + params["body_nconsts"]
        consts, carried = inputs[first:second], inputs[second:]
        rounds: list[list[_Value]] = []
        for _ in range(self.rounds):
            carry = rounds[-1] if rounds else carried
            rounds.append(self.run(body.jaxpr, body.consts, [*consts, *carry], place))
        return carried, rounds

    def _row(self, value: _Value, index: int, place: str) -> _Value:
        row = jax.lax.index_in_dim(value.array, index, keepdims=False)
        return self._kept("squeeze", [row], [value], place)[0]

    def _kept(self, name: str, arrays: Sequence[Any], inputs: Sequence[_Value], place: str) -> list[_Value]:
        outputs = [_Value(array, str(self.arrays + index)) for index, array in enumerate(arrays)]
        uses = ",".join(sorted({value.name for value in inputs if value.name}))
        self.steps.append([f"{name}|{place}|{uses}|{self.loop}", *(_plain(array) for array in arrays)])
        self.arrays += len(arrays)
        self.elements += sum(array.size for array in arrays)
        if len(self.steps) > MAX_STEPS or self.elements > MAX_ELEMENTS:
            raise TooManySteps(f"more than {MAX_STEPS} steps or {MAX_ELEMENTS} elements")
        return outputs


def wrapped(equation: Any) -> Any:  # noqa: ANN401 - a closed jaxpr
    """What an operation that is only a call runs; None for a real one."""
    if equation.primitive.name not in _CALLS:
        return None
    found = next(equation.params[name] for name in _INLINED if name in equation.params)
    return found if hasattr(found, "consts") else jex_core.ClosedJaxpr(found, ())


def _place(equation: Any) -> str:  # noqa: ANN401 - of a jaxpr
    """``file:line`` of the submitted statement that made an operation; empty if none did by itself."""
    return next(_submitted(equation.source_info.traceback), "")


def _submitted(traceback: Any) -> Iterator[str]:  # noqa: ANN401 - of a jaxpr
    """Submitted files are known by their bare names: everything else on the way has a folder."""
    for frame in user_frames(traceback):
        if not Path(frame.file_name).is_absolute() and not frame.file_name.startswith("<"):
            yield f"{frame.file_name}:{frame.start_line}"


def _is_array(value: object) -> bool:
    return isinstance(value, jax.Array | np.ndarray | np.generic | bool | int | float | complex)


def _plain(array: Any) -> Any:  # noqa: ANN401 - keys as their words
    is_key = jnp.issubdtype(array.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(array) if is_key else array
