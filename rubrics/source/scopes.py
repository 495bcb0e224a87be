"""Which names are a function's own, and which it shares with others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from rubrics.source.mutations import mutated
from rubrics.source.parsing import Function, Spot, names_in
from rubrics.source.reaching import Program


def reads_changeable_global(program: Program, function: str) -> Spot | None:
    """Where a function reads a module-level name that some other submitted function rebinds or mutates.

    What the graded function itself writes is left out: runs show that, and whether it matters.
    """
    reached = list(program.reached(function))
    inside = {id(node) for _, node in reached}
    for module in program.modules:
        outer = _module_names(module.tree)
        changed = {
            name
            for node in ast.walk(module.tree)
            if isinstance(node, Function) and id(node) not in inside
            for name in _changes_outside(node) & outer
        }
        for home, node in reached:
            if home is module and (read := _reads(node, changed)) is not None:
                return module.spot(read)
    return None


def _module_names(tree: ast.Module) -> set[str]:
    """Variables assigned at the top level of a module."""
    return {
        name
        for node in tree.body
        if not isinstance(node, Function | ast.ClassDef)
        for name in names_in(node, ast.Store)
    }


def _own_names(function: Function) -> set[str]:
    """Names that are the function's own: parameters and what it binds without declaring it global."""
    outer = {
        name
        for node in ast.walk(function)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }
    parameters = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    return (parameters | names_in(function, ast.Store)) - outer


def _changes_outside(function: Function) -> set[str]:
    """Names from outside that a function rebinds (declared global) or whose object it mutates."""
    written = {name for node in ast.walk(function) for name in (*_rebound(node), *mutated(node))}
    return written - _own_names(function) - {""}


def _rebound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from names_in(target)


def _reads(function: Function, names: set[str]) -> ast.Name | None:
    outer = names - _own_names(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in outer:
            return node
    return None
