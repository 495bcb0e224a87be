"""Code by which a function might tell how, when or by whom it is called.

Decided by lists of what cannot tell, so that what is not known counts.
"""

from __future__ import annotations

import ast
import builtins
import collections.abc
import dataclasses
import enum
import fractions
import functools
import hashlib
import numbers
import operator
import statistics
import string
import typing

import jax.numpy
import numpy as np
from jax._src.array import ArrayImpl
from jax._src.interpreters.partial_eval import DynamicJaxprTracer

from rubrics.source.parsing import Module, Spot, dotted
from rubrics.source.reaching import Program

_UNTELLING_MODULES = ("jax.image", "jax.lax", "jax.nn", "jax.numpy", "jax.ops", "jax.random", "jax.scipy",
                      "jax.tree", "jax.tree_util", "jax.typing", "math", "itertools", "bisect", "heapq",
                      "struct", "zlib", "scipy.constants", "scipy.linalg", "scipy.signal", "scipy.special",
                      "scipy.stats", "__future__", "einops", "jaxtyping")  # fmt: skip
"""With all that is below them."""
_JAX = ("Array", "ShapeDtypeStruct", "checkpoint", "closure_convert", "custom_gradient", "custom_jvp",
        "custom_vjp", "device_put", "eval_shape", "float0", "grad", "hessian", "jacfwd", "jacobian", "jacrev",
        "jit", "jvp", "linearize", "make_mesh", "named_call", "NamedSharding", "P", "pmap", "remat",
        "shard_map", "smap", "value_and_grad", "vjp", "vmap")  # fmt: skip
_CHEX = ("Array", "ArrayTree", "Numeric", "PRNGKey", "Scalar", "Shape", "dataclass", "assert_rank",
         "assert_shape", "assert_equal_shape", "assert_type")  # fmt: skip
_FILES_AND_TEXTS = frozenset(
    {"array2string", "array_repr", "array_str", "fromfile", "load", "loadtxt", "printoptions", "save",
     "savez", "set_printoptions"}
)  # fmt: skip
_UNTELLING_MEMBERS = {
    "jax": frozenset(_JAX),
    "chex": frozenset(_CHEX),
    # What jax.numpy has as well computes, and does nothing else.
    "numpy": frozenset(dir(np)) & frozenset(dir(jax.numpy)),
    "dataclasses": frozenset(dataclasses.__all__) - {"make_dataclass"},
    "functools": frozenset(functools.__all__) - {"singledispatch", "singledispatchmethod", "update_wrapper"},
    "operator": frozenset(operator.__all__) - {"attrgetter", "methodcaller", "mod", "imod", "length_hint",
                                               "call"},
    "string": frozenset(string.__all__) - {"Formatter", "Template"},
    "typing": frozenset(typing.__all__) - {"ForwardRef", "Protocol", "get_type_hints", "get_overloads",
                                           "runtime_checkable"},
    "abc": frozenset({"ABC", "ABCMeta", "abstractmethod"}),
    **{
        module.__name__: frozenset(module.__all__)
        for module in (collections, collections.abc, enum, fractions, hashlib, numbers, statistics)
    },
}  # fmt: skip
"""Of these modules only these names; a module that one of them happens to import would open all others."""
_UNTELLING_BUILTINS = frozenset(
    {"abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float", "frozenset",
     "int", "len", "list", "map", "max", "min", "pow", "print", "property", "range", "reversed", "round",
     "set", "slice", "sorted", "staticmethod", "sum", "super", "tuple", "zip", "NotImplemented", "Ellipsis",
     "object", "isinstance"}
)  # fmt: skip
_TELLTALE_ATTRIBUTES = frozenset(
    {"Tracer", "addressable_data", "addressable_shards", "aval", "committed", "ctypes", "data", "delete",
     "device", "devices", "flags", "format", "format_map", "global_shards", "is_deleted",
     "is_fully_addressable", "is_fully_replicated", "item", "layout", "on_device_size_in_bytes", "sharding",
     "tobytes", "traceback", "unsafe_buffer_pointer", "weak_type",
     "f_back", "f_code", "f_globals", "f_locals", "gi_frame", "modules", "tb_frame"}
) | frozenset(dir(ArrayImpl)) ^ frozenset(dir(DynamicJaxprTracer))  # fmt: skip
"""What differs between a value that is there and one that is only traced, and ways to whoever calls."""

_BUILTINS = frozenset(
    name
    for name, value in vars(builtins).items()
    if not (isinstance(value, type) and issubclass(value, BaseException))
)
_TELLING_BUILTINS = _BUILTINS - _UNTELLING_BUILTINS


def telltale(program: Program, function: str) -> Spot | None:
    """The first such place in what runs when `function` is called."""
    parts: set[int] = set()  # of longer names, and texts that only describe
    for module, node in program.live([function]):
        if isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            parts.add(id(node.value))
        if _might_tell(node, module, whole=id(node) not in parts):
            return module.spot(node)
    return None


def _might_tell(node: ast.AST, module: Module, *, whole: bool) -> bool:
    """Whether a node might; a dotted name that is not `whole` is the beginning of a longer one."""
    match node:
        case ast.Try() | ast.With() | ast.ClassDef() | ast.Match() | ast.Global() | ast.JoinedStr():
            return True
        case ast.ImportFrom(module=name, names=[ast.alias(name="*")]):
            return not _is_below(name or "", _UNTELLING_MODULES)
        case ast.Constant(value=str() | bytes() as text) if whole:
            return "%" in str(text)  # a format, by which a value can be looked at
        case ast.Attribute(attr=attr) if attr in _TELLTALE_ATTRIBUTES or attr.startswith("_"):
            return True
        case ast.Name(id=name) if name in _TELLING_BUILTINS or name in module.ambiguous:
            return True
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            return _root(node) in module.aliases  # a library that is changed may do anything
        case ast.Name() | ast.Attribute():
            return whole and _of_a_telling_module(node, module)
    return False


def _of_a_telling_module(node: ast.expr, module: Module) -> bool:
    if _root(node) not in module.aliases:
        return False
    name = dotted(node, module.aliases)
    if not _FILES_AND_TEXTS.isdisjoint(name.split(".")) or name.startswith("numpy.random"):
        return True
    if _is_below(name, _UNTELLING_MODULES):
        return False
    owner = max((each for each in _UNTELLING_MEMBERS if name.startswith(f"{each}.")), key=len, default="")
    member = name.removeprefix(f"{owner}.").partition(".")[0]
    return member not in _UNTELLING_MEMBERS.get(owner, ())


def _is_below(name: str, modules: tuple[str, ...]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def _root(node: ast.expr) -> str:
    """The name that a dotted name begins with; empty if it is none."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
