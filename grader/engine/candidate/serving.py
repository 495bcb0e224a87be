"""Answers the examiner's requests, one at a time, until the channel closes."""

from __future__ import annotations

import faulthandler
import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from ctypes import string_at
from dataclasses import dataclass, replace
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from grader.engine import trees
from grader.engine.candidate import hiding, hooks, keytrail, nested, placing, staging, worlds
from grader.engine.candidate.conditions import under
from grader.engine.candidate.counting import TraceCounter
from grader.engine.candidate.faults import describe
from grader.engine.candidate.loading import Library
from grader.engine.candidate.narrowing import NarrowingEar
from grader.engine.candidate.observing import Observations, Observer
from grader.engine.candidate.shapes import described
from grader.engine.candidate.transforms import transformed
from grader.engine.candidate.values import as_result_leaf, concrete
from grader.engine.candidate.warming import share_context
from grader.engine.candidate.warning import keep_own_only
from grader.engine.layouts import read_layouts
from grader.engine.protocol import Channel, ChannelClosed, Leaf, LeafKind, Message

MAX_KNOWN = 64
"""Arrays that are remembered to be handed over again."""
HANG_SHARE = 0.9
"""When to write the line of a hang, as a share of the request's limit."""
_EARLY = 0.95
"""The timer that writes it starts a little before the observer's clock."""


def serve(channel: Channel, *, world: int = 0) -> None:
    """Serve one attempt's requests. `world` picks the perturbations the submission runs under."""
    clock = time.process_time
    faulthandler.enable(file=2)  # so that a crash leaves its line, too
    jax.config.update("jax_traceback_filtering", "off")  # it takes seconds where a recursion went deep
    share_context()
    worlds.enter(world)
    counter = TraceCounter()
    counter.install()
    candidate = _Candidate(Observer(counter))
    hiding.hide()
    while True:
        try:
            request = channel.receive()
        except ChannelClosed:
            return
        began = clock()
        with _line_of_a_hang(request.data.get("limit_s")):
            answer = candidate.answer(request)
        channel.send(replace(answer, data={**answer.data, "cpu_s": clock() - began}))
        del answer  # it looks into the submission's arrays, and what is looked into is not donated


@contextmanager
def _line_of_a_hang(limit_s: float | None) -> Iterator[None]:
    """Shortly before the examiner gives up on a request, write where the code is to standard error."""
    if limit_s is None:
        yield
        return
    faulthandler.dump_traceback_later(limit_s * HANG_SHARE, file=2)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


class _Candidate:
    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._ear = NarrowingEar()
        self._ear.install()
        self._library = Library({})
        self._module: Any = None
        self._arrays: dict[tuple[str, tuple[int, ...], bytes], jax.Array] = {}
        self._handlers: Mapping[str, Callable[[Message, Observations], Message]] = {
            "load": self._load,
            "export": self._export,
            "call": self._call,
        }

    def answer(self, request: Message) -> Message:
        handler = self._handlers[request.kind]
        if request.kind == "load":
            placing.simulate(request.data.get("devices", 1))
        observed = Observations()
        try:
            limit_s = request.data.get("limit_s")
            ours_after_s = None if limit_s is None else limit_s * HANG_SHARE * _EARLY
            with self._observer.watch(ours_after_s=ours_after_s) as observed:
                answer = handler(request, observed)
        except BaseException as exc:  # noqa: BLE001 - student code may raise anything, SystemExit too
            answer = Message(kind="error", data={"error": describe(exc, self._library.texts)})
        seen = {**observed.as_json(), "narrowed": self._ear.heard()}
        return replace(answer, data={**answer.data, "seen": seen})

    def _load(self, request: Message, _: Observations) -> Message:
        self._library = Library(request.data["texts"])
        self._library.install()
        keep_own_only(self._library.texts)
        self._observer.modules, self._observer.files = self._library.modules, self._library.texts
        self._ear.files = self._library.texts
        self._module = self._library.load(request.data["entry"])
        functions = {name: _describe(vars(self._module).get(name)) for name in request.data["functions"]}
        return Message(
            kind="loaded", data={"functions": functions, "stand_ins": list(self._library.stand_ins)}
        )

    def _export(self, request: Message, _: Observations) -> Message:
        call = self._bound(request)
        blobs: tuple[bytes, ...] = ()
        with under(request.data.get("conditions", ())):
            shapes = described(
                request.leaves,
                sizes=request.data.get("sizes", ()),
                layouts=read_layouts(request.data.get("layouts", ())),
            )
            traced = staging.trace(call, shapes)
            if request.data.get("program", True):
                blobs = (staging.exported(traced, shapes, tuple(request.data["platforms"])),)
        return self._traced_answer(traced, request, blobs)

    def _call(self, request: Message, observed: Observations) -> Message:
        """Call with concrete arguments: staged if that works, or for real if asked."""
        if request.data.get("how") == "eager":
            return self._eager(request)
        if request.data.get("how") == "followed":
            return self._followed(request)
        if request.data.get("how") == "placed":
            return self._placed(request)
        arguments = [concrete(leaf) for leaf in request.leaves]
        call = self._bound(request)
        before = _Before.now(arguments)
        traced = staging.trace(lambda: call(*arguments), ())
        del observed
        blobs: tuple[bytes, ...] = ()
        if request.data.get("program", True):
            blobs = (staging.exported(traced, (), tuple(request.data["platforms"])),)
        answer = self._traced_answer(traced, request, blobs)
        return _with_inputs(answer, request, call, arguments, before)

    def _eager(self, request: Message) -> Message:
        arguments = [self._handed_over(leaf) for leaf in request.leaves]
        call = self._bound(request)
        before = _Before.now(arguments)
        result = call(*arguments)
        for part in nested.parts(result):
            if isinstance(part, jax.Array) and not part.is_deleted():
                part.block_until_ready()
        structure, leaves = trees.pack(result, as_result_leaf)
        answer = Message(kind="called", data={"structure": structure}, leaves=leaves)
        return _with_inputs(answer, request, call, arguments, before)

    def _handed_over(self, leaf: Leaf) -> Any:  # noqa: ANN401 - as `concrete`
        """The value of a leaf; equal JAX arrays are one object, as they are to callers who use one twice."""
        if leaf.kind is not LeafKind.JAX or leaf.array is None:
            return concrete(leaf)
        key = (leaf.dtype, leaf.shape, leaf.array.tobytes())
        known = self._arrays.get(key)
        if known is None or known.is_deleted():
            if len(self._arrays) >= MAX_KNOWN:
                self._arrays.clear()
            known = self._arrays[key] = concrete(leaf)
        return known

    def _followed(self, request: Message) -> Message:
        """As `_eager`, with the keys that the call uses: after the results two arrays for each evaluation."""
        arguments = [concrete(leaf) for leaf in request.leaves]
        with keytrail.following(self._library.texts) as trail:
            result = self._bound(request)(*arguments)
        structure, leaves = trees.pack(jax.block_until_ready(result), as_result_leaf)
        words = [word for pair in zip(trail.keys, trail.counters, strict=True) for word in pair]
        found = [Leaf.of(array, kind=LeafKind.NUMPY) for array in words]
        data = {"structure": structure, "results": len(leaves), "calls": trail.about}
        return Message(kind="followed", data=data, leaves=(*leaves, *found))

    def _placed(self, request: Message) -> Message:
        """Really run with inputs put where `layouts` says; where each array of the result lies."""
        given = zip(request.leaves, read_layouts(request.data["layouts"]), strict=True)
        arguments = [placing.placed(concrete(leaf), layout) for leaf, layout in given]
        places: list[Any] = []

        def noted(value: object) -> Leaf | None:
            leaf = as_result_leaf(value)
            if leaf is not None:
                place = placing.found(value)
                places.append(None if place is None else place.to_json())
            return leaf

        structure, leaves = trees.pack(jax.block_until_ready(self._bound(request)(*arguments)), noted)
        data = {"structure": structure, "places": places}
        return Message(kind="placed", data=data, leaves=leaves)

    def _traced_answer(self, traced: staging.Traced, request: Message, blobs: tuple[bytes, ...]) -> Message:
        data = {
            "structure": traced.structure,
            "fingerprint": staging.fingerprint(traced) if request.data.get("fingerprint") else "",
            **staging.facts(traced),
        }
        return Message(kind="traced", data=data, leaves=traced.leaves, blobs=blobs)

    def _bound(self, request: Message) -> staging.BoundCall:
        function = transformed(getattr(self._module, request.data["function"]), request.data.get("transform"))
        return staging.BoundCall(function, request.data["structure"], len(request.leaves))


def _describe(value: object) -> dict[str, Any] | None:
    if value is None:
        return None
    described: dict[str, Any] = {"callable": callable(value), "parameters": None, "line": None}
    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]
        code = inspect.unwrap(value).__code__  # type: ignore[arg-type]
    except (TypeError, ValueError, AttributeError):
        return described
    described["line"] = code.co_firstlineno
    described["parameters"] = [
        [name, parameter.kind.name, parameter.default is not parameter.empty]
        for name, parameter in signature.parameters.items()
    ]
    return described


@dataclass(frozen=True, slots=True)
class _Before:
    """How things are before a call: the bytes of its arguments, and what is running besides."""

    contents: list[bytes | None]
    pending: tuple[int, int]

    @classmethod
    def now(cls, arguments: list[Any]) -> Self:
        return cls(list(map(_bytes_of, arguments)), hooks.pending())


def _bytes_of(value: object) -> bytes | None:
    """The bytes of an array, also of JAX's, which raw pointers can change; None if there are none to see.

    Read from memory: as a NumPy array a JAX array would keep a view of itself, and could not be given away.
    """
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if not isinstance(value, jax.Array) or value.is_deleted():
        return None
    if jnp.issubdtype(value.dtype, jax.dtypes.extended):
        return None  # a key
    return string_at(value.unsafe_buffer_pointer(), value.nbytes)


def _with_inputs(
    answer: Message,
    request: Message,
    call: staging.BoundCall,
    arguments: list[Any],
    before: _Before,
) -> Message:
    """Add what became of the inputs: changed bytes, deleted JAX buffers, the containers now.

    A call is not over while a thread or an alarm that it left behind may still write. `aliases` are NumPy
    inputs whose memory the result shares; `kept` says that it holds an input's container.
    """
    hooks.let_finish(before.pending)
    changed = [
        index
        for index, (value, old) in enumerate(zip(arguments, before.contents, strict=True))
        if old is not None and _bytes_of(value) not in (old, None)
    ]
    deleted = [
        index for index, value in enumerate(arguments) if isinstance(value, jax.Array) and value.is_deleted()
    ]
    containers = (
        {"structure": request.data["structure"], "order": list(range(len(arguments)))}
        if call.kept_its_containers()
        else {"structure": {"t": "object", "n": "changed"}, "order": []}
    )
    inputs = {
        "changed": changed,
        "deleted": deleted,
        "containers": containers,
        "aliases": call.shared_memory(arguments),
        "kept": call.returned_a_container(),
    }
    return Message(
        kind=answer.kind,
        data={**answer.data, "inputs": inputs},
        leaves=answer.leaves,
        blobs=answer.blobs,
    )
