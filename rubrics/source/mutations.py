"""Statements that change something in place, and updates that change nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rubrics.source.names import AT_METHODS, MUTATING_FUNCTIONS, MUTATORS
from rubrics.source.parsing import Spot, names_in, parts_of, root_name
from rubrics.source.reaching import Program

_NAME = re.compile(r"[^\W\d]\w*")
_NOT_NAMES = re.compile(r"\[[^\]]*\]|\((?:cache|defaults)\)")


def mutates_argument(program: Program, function: str, argument: str | None = None) -> Spot | None:
    """A statement that changes a parameter's object in place: ``x[i] =``, ``+=``, ``out=``, a mutator."""
    for module, owner in program.reached(function):
        parameters = {arg.arg for arg in ast.walk(owner) if isinstance(arg, ast.arg)}
        views = _views(owner, {argument} if argument in parameters else parameters)
        for node in ast.walk(owner):
            if any(name in views for name in mutated(node)):
                return module.spot(node)
    return None


def writes(program: Program, function: str, path: str) -> Spot | None:
    """A statement that rebinds or mutates the outer variable, attribute or object at a path.

    The path may lead there by another way than the text does: ``Box.kept['hi']`` of the class is what
    ``box.kept["hi"] = ...`` sets. So the outermost name decides, and where it is not written, attributes do.
    """
    outermost, *inner = _names(path) or [""]
    return _writes_any(program, function, {outermost}) or _writes_any(program, function, set(inner))


def _writes_any(program: Program, function: str, names: set[str]) -> Spot | None:
    return program.first(function, lambda node, _: not names.isdisjoint(_written(node)))


def mentions(program: Program, function: str, name: str) -> Spot | None:
    """The first place that names the outer variable of a path such as ``rng`` or ``box.items``."""
    names = _names(name)[:1]
    return program.first(function, lambda node, _: isinstance(node, ast.Name) and node.id in names)


def discarded_update(program: Program, function: str) -> Spot | None:
    """An ``x.at[i].set(v)`` whose result is thrown away, or kept in a name that nothing reads."""
    thrown = program.first(function, lambda node, _: isinstance(node, ast.Expr) and _is_at_update(node.value))
    if thrown is not None:
        return thrown
    for module, owner in program.reached(function):
        read = names_in(owner, ast.Load)
        for child in ast.walk(owner):
            if not (isinstance(child, ast.Assign) and _is_at_update(child.value)):
                continue
            if all(isinstance(name, ast.Name) and name.id not in read for name in child.targets):
                return module.spot(child)
    return None


def mutated(node: ast.AST) -> Iterator[str]:
    """Names whose object a statement or call changes in place (rebinding a name does not)."""
    if isinstance(node, ast.AugAssign):
        yield root_name(node.target)
    elif isinstance(node, ast.Assign | ast.Delete):
        for target in node.targets:
            for part in parts_of(target):
                if isinstance(part, ast.Subscript | ast.Attribute):
                    yield root_name(part)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS | MUTATING_FUNCTIONS:
            yield root_name(node.func.value)
            yield from (root_name(arg) for arg in node.args[:1])
        yield from (root_name(keyword.value) for keyword in node.keywords if keyword.arg == "out")


def _written(node: ast.AST) -> Iterator[str]:
    """Names and attributes on the way to what a statement or call rebinds or mutates."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = list(node.targets)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr):
        targets = [node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        targets = [node.func.value]
    for target in targets:
        for part in parts_of(target):
            yield from _way_to(part)


def _way_to(node: ast.expr) -> Iterator[str]:
    """``box`` and ``kept`` of ``box.kept["hi"]``."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Attribute):
            yield node.attr
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Name):
        yield node.id


def _views(owner: ast.AST, names: set[str]) -> set[str]:
    """`names` and local names that may stand for the same memory (``flat = x.ravel()``)."""
    known = set(names)
    for node in ast.walk(owner):
        if isinstance(node, ast.Assign) and root_name(node.value) in known:
            known |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if any(root_name(arg) in known for arg in node.value.args[:1]):
                known |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif (
            isinstance(node, ast.For) and root_name(node.iter) in known and isinstance(node.target, ast.Name)
        ):
            known.add(node.target.id)
    return known


def _is_at_update(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in AT_METHODS
        and isinstance(node.func.value, ast.Subscript)
        and isinstance(node.func.value.value, ast.Attribute)
        and node.func.value.value.attr == "at"
    )


def _names(path: str) -> list[str]:
    """``Box`` and ``items`` of ``Box.items['x'](cache)``: what is in brackets is a key, or a note of ours."""
    return _NAME.findall(_NOT_NAMES.sub("", path))
