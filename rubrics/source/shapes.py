"""How a function is built: its loops, returns, casts and new axes, and what is wrapped around it."""

from __future__ import annotations

import ast

from rubrics.source.names import CACHES, NEW_AXES, STRUCTURED_LOOPS
from rubrics.source.parsing import Function, Spot, dotted, names_in
from rubrics.source.reaching import Program, own_nodes

_PYTHON_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)


def definition(program: Program, function: str) -> Spot | None:
    """Where a function of the main module begins."""
    return next((module.spot(node) for module, node in program.reached(function)), None)


def loop(program: Program, function: str) -> Spot | None:
    """The first Python loop or comprehension."""
    return program.first(function, lambda node, _: isinstance(node, _PYTHON_LOOPS))


def written_out(program: Program, function: str) -> Spot | None:
    """The first Python loop, of a function that has no `while`: long perhaps, but not without an end."""
    endless = any(isinstance(node, ast.While) for _, node in program.nodes(function))
    return None if endless else loop(program, function)


def structured_loop(program: Program, function: str) -> Spot | None:
    """The first loop that stays a loop in the program, else the first Python loop."""
    return program.calls(function, *STRUCTURED_LOOPS) or loop(program, function)


def broadcasts(program: Program, function: str) -> Spot | None:
    """The first place where an array gets a new axis: there a large temporary begins."""
    indexed = program.first(function, lambda node, _: isinstance(node, ast.Subscript) and _adds_axis(node))
    return indexed or program.calls(function, *NEW_AXES)


def casts(program: Program, function: str) -> Spot | None:
    """The first place where a dtype is asked for: ``x.astype(..)``, ``jnp.float32(x)``, ``dtype=..``."""
    return program.first(
        function, lambda node, module: isinstance(node, ast.Call) and _is_cast(node, module.aliases)
    )


def returns(program: Program, function: str) -> Spot | None:
    """The last return statement: the helper's, where the function only hands on what a helper returns."""
    spot: Spot | None = None
    for module, owner in program.handing_on(function):
        lines = [node.lineno for node in own_nodes(owner) if isinstance(node, ast.Return)]
        if lines:
            spot = Spot(file=module.file, line=max(lines))
    return spot


def returns_argument(program: Program, function: str, argument: str) -> Spot | None:
    """The first return statement that hands back a parameter itself, alone or within a container."""
    for module, owner in program.handing_on(function):
        for node in own_nodes(owner):
            if isinstance(node, ast.Return) and any(
                _is_itself(part, argument) for part in _parts(node.value)
            ):
                return module.spot(node)
    return None


def jit_option(program: Program, function: str, option: str) -> Spot | None:
    """Where `jax.jit` gets an option that begins so: around the function, or around what it uses."""
    for module, owner in program.reached(function):
        used = names_in(owner) | {owner.name}
        around = (node for node in module.tree.body if not used.isdisjoint(_bound(node)))
        for part in (owner, *around):
            for node in ast.walk(part):
                if isinstance(node, ast.keyword) and str(node.arg).startswith(option):
                    return module.spot(node.value)
    return None


def wrapping(program: Program, function: str, spot: Spot) -> Spot:
    """The call of `jax.jit` inside the function that wraps what is defined elsewhere, at `spot`; else `spot`.

    What is defined inside is new at each call by itself; what is defined outside is made anew by that call.
    """
    for module, owner in program.reached(function):
        calls = [node for node in ast.walk(owner) if _wraps_in_jit(node, module.aliases)]
        inside = owner.lineno <= spot.line <= (owner.end_lineno or owner.lineno)
        if calls:
            return spot if inside and module.file == spot.file else module.spot(calls[0])
    return spot


def remembering(program: Program, spot: Spot) -> Spot:
    """The cache (`functools.lru_cache`, `cache`) that keeps what the line `spot` makes; else `spot`."""
    for module in program.modules:
        for node in ast.walk(module.tree):
            if module.file != spot.file or not isinstance(node, ast.FunctionDef):
                continue
            inside = node.lineno <= spot.line <= (node.end_lineno or node.lineno)
            for decorator in node.decorator_list if inside else ():
                target = decorator.func if isinstance(decorator, ast.Call) else decorator
                if dotted(target, module.aliases) in CACHES:
                    return module.spot(decorator)
    return spot


def _parts(value: ast.expr | None) -> list[ast.expr]:
    """What a returned tuple, list or dict holds, however deep; the value itself if it is none."""
    held: list[ast.expr] = []
    if isinstance(value, ast.Tuple | ast.List):
        held = value.elts
    elif isinstance(value, ast.Dict):
        held = value.values
    elif value is not None:
        return [value]
    return [part for child in held for part in _parts(child)]


def _is_itself(value: ast.expr, name: str) -> bool:
    """Whether an expression is a variable, or a call that may return it as it is: ``jnp.asarray(x)``."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.args:
        return value.func.attr == "asarray" and _is_itself(value.args[0], name)
    return isinstance(value, ast.Name) and value.id == name


def _wraps_in_jit(node: ast.AST, aliases: dict[str, str]) -> bool:
    return isinstance(node, ast.Call) and bool(node.args) and dotted(node.func, aliases) == "jax.jit"


def _bound(statement: ast.stmt) -> set[str]:
    """Names that a statement of a module binds: of a function or class its own, not those in its body."""
    if isinstance(statement, Function | ast.ClassDef):
        return {statement.name}
    return names_in(statement, ast.Store)


def _adds_axis(node: ast.Subscript) -> bool:
    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(isinstance(part, ast.Constant) and part.value is None for part in indices)


def _is_cast(node: ast.Call, aliases: dict[str, str]) -> bool:
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("astype", "view"):
        return True
    library, _, name = dotted(node.func, aliases).rpartition(".")
    if library in ("jax.numpy", "numpy") and name.rstrip("0123456789") in ("float", "int", "uint", "bfloat"):
        return True
    return any(keyword.arg == "dtype" for keyword in node.keywords)
