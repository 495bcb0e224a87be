"""JAX's errors by their type and words, and the code that explains each.

The words are those of the pinned JAX; tests raise every one of them for real, so that a new release that
speaks otherwise is noticed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.engine.session import Fault

_BY_TYPE: Mapping[str, str] = {
    "TracerBoolConversionError": "jit.tracer_bool",
    "TracerArrayConversionError": "jit.tracer_array",
    "TracerIntegerConversionError": "jit.tracer_integer",
    "NonConcreteBooleanIndexError": "jit.boolean_mask",
    "UnexpectedTracerError": "jit.unexpected_tracer",
    "ConcretizationTypeError": "jit.concretization",
    "KeyReuseError": "prng.key_reused",
    "TypePromotionError": "dtype.implicit_promotion",
}

_BY_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "immutability.item_assignment",
        (r"item assignment", r"item deletion", r"__delitem__", r"\bis read-only"),
    ),
    ("immutability.out_argument", (r"^out argument of", r"unexpected keyword argument 'out'")),
    ("immutability.input_deleted", (r"Buffer has been deleted or donated", r"Array has been deleted")),
    ("jit.unhashable_static", (r"Non-hashable static",)),
    (
        "jit.concretization",
        (r"(?s)(Shapes must be|Slice entries must be|format string passed to).*Tracer",),
    ),
    ("jit.callback", (r"host_callback",)),
    (
        "jit.scan_carry",
        (
            r"scan body function carry",
            r"carry input and carry output",
            r"body_fun output and input must have identical types",
        ),
    ),
    ("jit.scan_pair", (r"scan body output must be a pair",)),
    ("jit.branch_types", (r"branches must have equal output types", r"^Pred must be a scalar")),
    ("jit.nonscalar_grad", (r"Gradient only defined for scalar-output",)),
    ("jit.integer_grad", (r"grad requires real- or complex-valued inputs",)),
    ("jit.while_reverse", (r"Reverse-mode differentiation does not work",)),
    ("prng.key_batch", (r"accepts a single key, but was given a key array",)),
    ("prng.not_a_key", (r"invalid PRNG key data",)),
    (
        "device.string_device",
        (
            r"`jax\.device_put` only accepts",
            r"must be an instance of jax\.sharding\.Sharding",
            r"'str' object has no attribute '_is_concrete'",
        ),
    ),
    ("device.not_there", (r"^Unknown backend",)),
    ("device.mixed_devices", (r"Received incompatible devices for jitted computation",)),
    ("call.list_argument", (r"requires ndarray or scalar arguments, got <class '(list|tuple)'>",)),
    (
        "call.not_an_array",
        (
            r"requires ndarray or scalar arguments, got <class",
            r"as an abstract array\. The problematic value is of type",
        ),
    ),
    ("values.not_an_array", (r"which is not a valid JAX type",)),
    (
        "call.shape_mismatch",
        (
            r"got incompatible shapes",
            r"[Ii]ncompatible (shapes|types) for broadcasting",
            r"contracting dimensions to have the same shape",
            r"^Cannot concatenate arrays",
            r"^cannot reshape array",
            r"must have the same shape",
            r"^vmap got inconsistent sizes",
            r"^vmap was requested to map its argument",
            r"^Size of label .* does not match",
            r"could not be broadcast together",
            r"mismatch in its core dimension",
        ),
    ),
    ("call.no_such_axis", (r"is out of bounds for array of dimension", r"^Too many indices")),
    (
        "call.bad_index",
        (
            r"Indexer must have integer or boolean type",
            r"does not support string indexing",
            r"non-tuple sequence for multidimensional indexing",
        ),
    ),
    (
        "call.not_in_jax",
        (
            r"(ArrayImpl|Tracer)('? object)? has no attribute",
            r"^module 'jax\S*' has no attribute",
            r"unexpected keyword argument '(dim|keepdim)'",
        ),
    ),
    ("call.ambiguous_truth", (r"truth value of an array with more than one element",)),
    ("call.unhashable_array", (r"unhashable type: '\S*(ArrayImpl|Tracer)'",)),
    ("call.no_length", (r"^iteration over a 0-d array", r"^len\(\) of unsized object")),
    ("call.missing_rule", (r"^Pure callbacks do not support",)),
    ("call.mixed_dtypes", (r"requires arguments to have the same dtypes",)),
)
"""Searched for in this order: what is more special comes first."""

_KNOWN = tuple((re.compile("|".join(words)), code) for code, words in _BY_WORDS)
_STORING = re.compile(r"^setting an array element with a sequence")
"""NumPy's words for any element that is no number to it; a tracer is none."""
_JAX_LACKS = re.compile(r"(rule|supported|implemented) for|not yet (implemented|supported)|primitive")
"""What a `NotImplementedError` speaks of that JAX raises, and not the starter."""


def code_of(fault: Fault) -> str:
    """The catalogue code of an exception; ``call.raised`` if it is none of the known ones."""
    if fault.type == "NotImplementedError" and "callback" in fault.text:
        return "jit.callback"
    for name in (fault.type, *fault.bases):
        if name in _BY_TYPE:
            return _BY_TYPE[name]
    for words, code in _KNOWN:
        if words.search(fault.text):
            return code
    for name in fault.causes:
        # NumPy, or the student's own `raise … from`, stands before JAX's own error.
        if name in _BY_TYPE:
            return "jit.tracer_into_array" if _STORING.search(fault.text) else _BY_TYPE[name]
    if fault.type == "NotImplementedError":
        return "call.missing_rule" if _JAX_LACKS.search(fault.text) else "submission.not_implemented"
    return "call.raised"


def all_codes() -> frozenset[str]:
    """Every code that an exception may get."""
    special = {
        "jit.tracer_into_array",
        "jit.callback",
        "call.missing_rule",
        "submission.not_implemented",
        "call.raised",
    }
    return frozenset({*_BY_TYPE.values(), *(code for code, _ in _BY_WORDS), *special})
