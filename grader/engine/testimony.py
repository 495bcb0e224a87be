"""What a candidate says, read in one place and believed little.

Every answer may be forged by the code that the candidate runs. Whatever is not of the expected form is a
`ProtocolViolation` here, so that nothing after this module meets a wrong type, an index that leads nowhere or
an endless text. That a well-formed answer is also *true* is nothing that this module can know: values are
taken from programs run elsewhere, the rest is evidence against honest mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from grader.domain.errors import ProtocolViolation
from grader.domain.text import printable
from grader.engine import trees
from grader.engine.layouts import Placement
from grader.engine.protocol import AnyArray, Leaf, LeafKind, Message
from grader.engine.whereabouts import discreet

_MOST = 1 << 53
"""No count or line number is larger."""
_ABSURD_S = 1e6
"""No request takes this long: a candidate that says so is lying about a figure that decides nothing."""
_KEY_WORDS = frozenset({2, 4})
"""uint32 words of one typed key: threefry's two, rbg's four."""
_MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A line of submitted code that an exception passed through."""

    file: str
    line: int
    function: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An exception raised by student code, as the candidate describes it. Texts are printable and bounded."""

    type: str
    bases: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    """Types of the exceptions that it was raised from, the nearest first."""
    text: str = ""
    name: str = ""
    frames: tuple[Frame, ...] = ()

    @property
    def frame(self) -> Frame | None:
        """The innermost frame in submitted code."""
        return self.frames[-1] if self.frames else None

    @property
    def is_shortage(self) -> bool:
        """Whether memory was refused: by Python and NumPy, or by JAX's runtime."""
        return "MemoryError" in (self.type, *self.bases) or self.text.startswith("RESOURCE_EXHAUSTED")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a request's code did besides returning."""

    output: str = ""
    output_bytes: int = 0
    events: tuple[tuple[str, ...], ...] = ()
    state: tuple[tuple[str, ...], ...] = ()
    process: tuple[tuple[str, ...], ...] = ()
    traced: Mapping[str, int] = field(default_factory=dict)
    narrowed: tuple[tuple[str, ...], ...] = ()
    """64-bit types that were asked for in vain: file, line, type asked for, type made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputsAfter:
    """What became of concrete inputs: leaves changed or deleted, by index, and the containers' structure."""

    changed: tuple[int, ...]
    deleted: tuple[int, ...]
    structure: trees.Node
    order: tuple[int, ...]
    aliases: tuple[int, ...]
    """NumPy leaves whose memory the result shares, as far as it could be seen."""
    kept: bool
    """Whether a list or dict of the inputs is part of the result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedCall:
    """A call turned into a program: exported bytes, flat in and out. `leaves` are abstract."""

    structure: trees.Node
    leaves: tuple[Leaf, ...]
    program: bytes | None
    fingerprint: str
    """Of the program's text and constants; empty unless it was asked for."""
    callbacks: tuple[str, ...]
    discarded: int
    effects: tuple[str, ...]
    donates: bool
    """Whether something that the call runs gives its inputs' buffers away."""
    hands_back: bool
    """Whether an output is an array that was there before the call."""
    inputs: InputsAfter | None
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class EagerCall:
    """A plain call that was really run: structure, concrete leaves, its inputs after it, what it did."""

    structure: trees.Node
    leaves: tuple[Leaf, ...]
    inputs: InputsAfter
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class HashCall:
    """One evaluation of the key hash over an array: `keys` and `counters` are uint32[n, 2], row by row."""

    purpose: str
    """``draw``, ``split`` or ``fold_in``."""
    keys: AnyArray
    counters: AnyArray
    last_axis: int
    frame: Frame | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedCall:
    """A plain call that was really run, with every evaluation of the key hash in order."""

    structure: trees.Node
    leaves: tuple[Leaf, ...]
    calls: tuple[HashCall, ...]
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCall:
    """A plain call that was really run among several devices. `places` says where each leaf was found."""

    structure: trees.Node
    leaves: tuple[Leaf, ...]
    places: tuple[Placement | None, ...]
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionFound:
    """A name the assignment asks for, as it was found: `parameters` are (name, kind, has a default)."""

    callable: bool
    line: int | None
    parameters: tuple[tuple[str, str, bool], ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A submission loaded in one candidate. Missing functions are None."""

    functions: Mapping[str, FunctionFound | None]
    stand_ins: tuple[str, ...]
    seen: Seen


_Params = ParamSpec("_Params")
_Read = TypeVar("_Read")


def _strictly(read: Callable[_Params, _Read]) -> Callable[_Params, _Read]:
    """Anything of another form than `read` expects is a ProtocolViolation."""

    def reading(*args: _Params.args, **kwargs: _Params.kwargs) -> _Read:
        try:
            return read(*args, **kwargs)
        except _MALFORMED as exc:
            raise ProtocolViolation(f"the candidate's answer is malformed: {type(exc).__name__}") from exc

    return reading


@_strictly
def read_seen(answer: Message) -> Seen:
    """What the code of a request did, from any answer."""
    data = answer.data["seen"]
    return Seen(
        output=_text(data["output"], 64 << 10),
        output_bytes=_count(data["output_bytes"]),
        events=_rows(data["events"]),
        state=_rows(data["state"]),
        process=_rows(data["process"]),
        traced={_text(name, 200): _count(count) for name, count in list(data["traced"].items())[:200]},
        narrowed=_rows(data.get("narrowed", [])),
    )


@_strictly
def read_fault(answer: Message, files: Container[str]) -> Fault:
    """The exception an answer of kind ``error`` describes; frames outside the submitted `files` go."""
    data = answer.data["error"]
    frames = (
        Frame(
            file=_text(frame["file"], 200),
            line=_count(frame["line"]),
            function=_text(frame["function"], 100),
        )
        for frame in _list(data["frames"])[-12:]
    )
    return Fault(
        type=_text(data["type"], 100),
        bases=_texts(data["bases"], 8, 100),
        causes=_texts(data["causes"], 4, 100),
        text=_text(data["text"], 2000),
        name=_text(data["name"], 200),
        frames=tuple(frame for frame in frames if frame.file in files and frame.line > 0),
    )


@_strictly
def read_loaded(answer: Message, names: Sequence[str], seen: Seen) -> Loaded:
    """The functions of `names` as loaded; one that the answer leaves out is missing."""
    _of_kind(answer, "loaded")
    found = answer.data["functions"]
    return Loaded(
        functions={name: _function(found[name]) if found.get(name) is not None else None for name in names},
        stand_ins=_texts(answer.data["stand_ins"], 20, 60),
        seen=seen,
    )


@_strictly
def read_traced(answer: Message, seen: Seen, *, inputs: int, program: bool) -> TracedCall:
    """A call turned into a program. `inputs` is the number of leaves it was asked with."""
    _of_kind(answer, "traced")
    if any(leaf.kind is not LeafKind.ABSTRACT for leaf in answer.leaves):
        raise ProtocolViolation("a traced call has no values to tell")
    if program and not answer.blobs:
        raise ProtocolViolation("the candidate kept back a program")
    data = answer.data
    after = data.get("inputs")
    return TracedCall(
        structure=trees.checked(data["structure"], len(answer.leaves)),
        leaves=_keys_checked(answer.leaves),
        program=answer.blobs[0] if answer.blobs else None,
        fingerprint=_text(data["fingerprint"], 100),
        callbacks=_texts(data["callbacks"], 20, 60),
        discarded=len(_list(data["discarded"])),
        effects=_texts(data["effects"], 20, 60),
        donates=data["donates"] is True,
        hands_back=data["hands_back"] is True,
        inputs=None if after is None else _inputs_after(after, inputs),
        seen=seen,
    )


@_strictly
def read_called(answer: Message, seen: Seen, *, inputs: int) -> EagerCall:
    """A call that was really run. `inputs` is the number of leaves it was asked with."""
    _of_kind(answer, "called")
    return EagerCall(
        structure=trees.checked(answer.data["structure"], len(answer.leaves)),
        leaves=_keys_checked(answer.leaves),
        inputs=_inputs_after(answer.data["inputs"], inputs),
        seen=seen,
    )


@_strictly
def read_followed(answer: Message, seen: Seen, files: Container[str]) -> FollowedCall:
    """A call whose keys were followed; lines outside the submitted `files` go."""
    _of_kind(answer, "followed")
    count, about = _count(answer.data["results"]), _list(answer.data["calls"])
    leaves, words = answer.leaves[:count], answer.leaves[count:]
    if len(leaves) != count or len(words) != 2 * len(about):
        raise ProtocolViolation("the candidate sent another number of arrays than it announced")
    return FollowedCall(
        structure=trees.checked(answer.data["structure"], count),
        leaves=_keys_checked(leaves),
        calls=tuple(
            _hash_call(data, words[2 * index], words[2 * index + 1], files)
            for index, data in enumerate(about)
        ),
        seen=seen,
    )


@_strictly
def read_placed(answer: Message, seen: Seen) -> PlacedCall:
    """A call whose results were looked for on devices."""
    _of_kind(answer, "placed")
    places = _list(answer.data["places"])
    if len(places) != len(answer.leaves):
        raise ProtocolViolation("the candidate told of another number of places than of arrays")
    return PlacedCall(
        structure=trees.checked(answer.data["structure"], len(answer.leaves)),
        leaves=_keys_checked(answer.leaves),
        places=tuple(None if place is None else Placement.read(place) for place in places),
        seen=seen,
    )


def _hash_call(data: Mapping[str, Any], keys: Leaf, counters: Leaf, files: Container[str]) -> HashCall:
    for leaf in (keys, counters):
        if leaf.array is None or leaf.dtype != "uint32" or leaf.shape != (keys.shape[0], 2):
            raise ProtocolViolation("an evaluation of the key hash that is none")
    assert keys.array is not None and counters.array is not None  # noqa: PT018, S101 - just looked at
    last_axis = _count(data["last_axis"])
    if keys.shape[0] % max(last_axis, 1):
        raise ProtocolViolation("an evaluation of the key hash that is none")
    frame = Frame(
        file=_text(data["file"], 200), line=_count(data["line"]), function=_text(data["function"], 100)
    )
    return HashCall(
        purpose=_text(data["purpose"], 20),
        keys=keys.array,
        counters=counters.array,
        last_axis=last_axis,
        frame=frame if frame.file in files and frame.line > 0 else None,
    )


def read_cpu_s(answer: Message) -> float:
    """CPU seconds that a candidate says a request took; 0 if what it says is absurd."""
    seconds = answer.data.get("cpu_s")
    return seconds if isinstance(seconds, float) and 0 <= seconds < _ABSURD_S else 0.0


def _of_kind(answer: Message, kind: str) -> None:
    if answer.kind != kind:
        raise ProtocolViolation("the candidate answered another question")


def _function(found: Mapping[str, Any]) -> FunctionFound:
    line, parameters = found["line"], found["parameters"]
    return FunctionFound(
        callable=found["callable"] is True,
        line=None if line is None else _count(line),
        parameters=None
        if parameters is None
        else tuple(
            (_text(name, 100), _text(kind, 100), default is True)
            for name, kind, default in _list(parameters)[:64]
        ),
    )


def _inputs_after(data: Mapping[str, Any], count: int) -> InputsAfter:
    order = _indices(data["containers"]["order"], count)
    return InputsAfter(
        changed=_indices(data["changed"], count),
        deleted=_indices(data["deleted"], count),
        structure=trees.checked(data["containers"]["structure"], len(order)),
        order=order,
        aliases=_indices(data["aliases"], count),
        kept=data["kept"] is True,
    )


def _keys_checked(leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    for leaf in leaves:
        words = leaf.shape[-1] if leaf.shape else 0
        if leaf.impl_is_key and (leaf.dtype != "uint32" or words not in _KEY_WORDS):
            raise ProtocolViolation("a PRNG key that is none")
    return leaves


def _rows(value: object) -> tuple[tuple[str, ...], ...]:
    return tuple(_texts(row, 4, 200) for row in _list(value)[:20])


def _texts(value: object, at_most: int, limit: int) -> tuple[str, ...]:
    return tuple(_text(part, limit) for part in _list(value)[:at_most])


def _text(value: object, limit: int) -> str:
    if type(value) is not str:
        raise ProtocolViolation("the candidate sent something else than a text")
    return printable(discreet(value), limit=limit)


def _list(value: object) -> list[Any]:
    if type(value) is not list:
        raise ProtocolViolation("the candidate sent something else than a list")
    return value


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ProtocolViolation("the candidate sent something else than a count")
    return value


def _indices(value: object, count: int) -> tuple[int, ...]:
    found = tuple(_count(index) for index in _list(value))
    if any(index >= count for index in found):
        raise ProtocolViolation("the candidate named an input that is not there")
    return found
