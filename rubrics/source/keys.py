"""PRNG keys in the text: where they are made, drawn from, and used a second time."""

from __future__ import annotations

import ast

from rubrics.source.names import INLINED_SAMPLERS, KEY_MAKERS, SAMPLERS
from rubrics.source.parsing import Module, Spot, dotted, names_in
from rubrics.source.reaching import Program

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.FunctionDef, ast.Lambda)


def makes_key(program: Program, function: str) -> Spot | None:
    """A key made inside, from a number of its own."""
    return program.first_call(function, lambda name: name in KEY_MAKERS)


def draws(program: Program, function: str) -> Spot | None:
    """The first call of a `jax.random` sampler."""
    return program.first_call(
        function, lambda name: name.startswith("jax.random.") and name.rpartition(".")[2] in SAMPLERS
    )


def calls_inlined_sampler(program: Program, function: str, spot: Spot | None) -> bool:
    """Whether a library sampler that uses keys twice inside is called, on the line `spot` if one is known."""
    return any(
        isinstance(node, ast.Call)
        and dotted(node.func, module.aliases) in INLINED_SAMPLERS
        and (spot is None or (module.file == spot.file and _stands_on(node, spot.line)))
        for module, node in program.nodes(function)
    )


def _stands_on(node: ast.Call, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def reused_key(program: Program, function: str) -> Spot | None:
    """The second use of a key: one expression handed to two `jax.random` calls, or to one in a loop."""
    for module, owner in program.reached(function):
        call = _reused_in(owner, module)
        if call is not None:
            return module.spot(call)
    return None


def _reused_in(owner: ast.AST, module: Module) -> ast.Call | None:
    used: set[str] = set()
    for node in sorted(
        (child for child in ast.walk(owner) if isinstance(child, ast.stmt | ast.Call)),
        key=lambda child: (child.lineno, isinstance(child, ast.stmt)),
    ):
        if isinstance(node, ast.Call):
            key = _key_of(node, module)
            if key is None:
                continue
            if key in used or _runs_often_with(owner, node, key):
                return node
            used.add(key)
        elif isinstance(node, ast.Assign | ast.For):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            fresh = {name for target in targets for name in names_in(target)}
            used = {key for key in used if _root(key) not in fresh}
    return None


def _key_of(node: ast.Call, module: Module) -> str | None:
    """The text of the key handed to a sampler or to `split`; None for other calls."""
    name = dotted(node.func, module.aliases)
    tail = name.rpartition(".")[2]
    if not name.startswith("jax.random.") or (tail not in SAMPLERS and tail != "split"):
        return None
    named = [keyword.value for keyword in node.keywords if keyword.arg == "key"]
    argument = named[0] if named else node.args[0] if node.args else None
    return ast.unparse(argument) if isinstance(argument, ast.Name | ast.Subscript | ast.Attribute) else None


def _runs_often_with(owner: ast.AST, call: ast.Call, key: str) -> bool:
    """Whether `call` runs often with one key: in a loop or an inner function that never rebinds it."""
    for loop in ast.walk(owner):
        if loop is owner or not isinstance(loop, _LOOPS) or call not in ast.walk(loop):
            continue
        parameters = {child.arg for child in ast.walk(loop) if isinstance(child, ast.arg)}
        if _root(key) not in parameters | names_in(loop, ast.Store):
            return True
    return False


def _root(key: str) -> str:
    return key.split("[", maxsplit=1)[0].split(".", maxsplit=1)[0]
