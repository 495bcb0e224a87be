"""Code by which a function might tell how, when or by whom it is called.

Decided by lists of what cannot tell, so that what is not known counts.
"""

from __future__ import annotations

import ast
import builtins

from rubrics.source.parsing import Module, Spot, dotted
from rubrics.source.reaching import Program

_UNTELLING_MODULES = ("jax", "numpy", "math", "functools", "itertools", "operator", "typing", "dataclasses",
                      "collections", "__future__", "einops", "chex", "jaxtyping")  # fmt: skip
_UNTELLING_BUILTINS = frozenset(
    {"abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float", "frozenset",
     "int", "len", "list", "map", "max", "min", "pow", "print", "property", "range", "reversed", "round",
     "set", "slice", "sorted", "staticmethod", "sum", "super", "tuple", "zip", "NotImplemented", "Ellipsis",
     "object", "isinstance"}
)  # fmt: skip
_TELLTALE_NAMES = ("jax.core", "jax.extend", "jax.interpreters", "jax.ensure_compile_time_eval", "jax.config",
                   "jax.debug", "jax._src", "numpy.random", "numpy.ctypeslib", "numpy.lib")  # fmt: skip
_TELLTALE_ATTRIBUTES = frozenset(
    {"Tracer", "aval", "device", "devices", "sharding", "is_deleted", "unsafe_buffer_pointer", "tobytes",
     "ctypes", "block_until_ready", "addressable_data", "is_fully_addressable", "weak_type", "item", "data"}
)  # fmt: skip
"""What differs between a value that is there and one that is only traced."""

_BUILTINS = frozenset(
    name
    for name, value in vars(builtins).items()
    if not (isinstance(value, type) and issubclass(value, BaseException))
)


def telltale(program: Program, function: str) -> Spot | None:
    """The first such place in what runs when `function` is called."""
    for module, node in program.live([function]):
        if _might_tell(node, module):
            return module.spot(node)
    return None


def _might_tell(node: ast.AST, module: Module) -> bool:
    match node:
        case ast.Try() | ast.With() | ast.ClassDef() | ast.Match() | ast.Global() | ast.JoinedStr():
            return True
        case ast.Attribute(attr=attr) if attr in _TELLTALE_ATTRIBUTES or attr.startswith("_"):
            return True
        case ast.Name(id=name) if name not in module.aliases and name not in module.functions:
            return name in _BUILTINS and name not in _UNTELLING_BUILTINS
        case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
            name = dotted(node, module.aliases)
            return _of_another_module(name, module) or name.startswith(_TELLTALE_NAMES)
    return False


def _of_another_module(name: str, module: Module) -> bool:
    root = name.partition(".")[0]
    imported = {target.partition(".")[0] for target in module.aliases.values()}
    return root in imported and root not in _UNTELLING_MODULES
