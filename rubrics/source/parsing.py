"""Submitted texts as trees, and what names stand for in them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from grader.domain.submission import SubmittedFiles

Function = ast.FunctionDef | ast.AsyncFunctionDef

MAX_DEPTH = 300
"""Levels of a tree that is read: whoever looks through deeper ones would run out of stack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A line of a submitted file."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Module:
    """One parsed file: what names stand for in it, and its functions, methods and inner ones by name."""

    file: str
    tree: ast.Module
    aliases: dict[str, str] = field(default_factory=dict)
    ambiguous: set[str] = field(default_factory=set)
    """Names that stand for one import here and for another there."""
    functions: dict[str, Function] = field(default_factory=dict)
    """Of several of one name the one that counts: the last of the file's own, else the first inner one."""
    definitions: dict[str, list[Function]] = field(default_factory=dict)
    """All of each name."""

    def spot(self, node: ast.AST) -> Spot:
        """The line on which a node of this file begins."""
        return Spot(file=self.file, line=getattr(node, "lineno", 1))


def parse_all(files: SubmittedFiles) -> tuple[Module, ...]:
    """The files that can be read, the main one first."""
    ordered = sorted(files.files, key=lambda file: file.name != files.entry)
    return tuple(module for file in ordered if (module := parse(file.name, file.text)) is not None)


def parse(file: str, text: str) -> Module | None:
    """One file; None if it does not parse, or is nested more deeply than we read."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if _too_deep(tree):
        return None
    module = Module(file, tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            _note_imports(module, node)
        elif isinstance(node, Function):
            module.functions.setdefault(node.name, node)
            module.definitions.setdefault(node.name, []).append(node)
    module.functions.update({node.name: node for node in tree.body if isinstance(node, Function)})
    return module


def _too_deep(tree: ast.AST) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _note_imports(module: Module, node: ast.Import | ast.ImportFrom) -> None:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            bound, target = alias.asname or alias.name, f"{node.module or ''}.{alias.name}"
        else:
            bound = alias.asname or alias.name.partition(".")[0]
            target = alias.name if alias.asname else bound
        if module.aliases.setdefault(bound, target) != target:
            module.ambiguous.add(bound)
            module.aliases[bound] = target


def dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    """The full dotted name of a call's target, aliases resolved; empty if it has none."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value, aliases)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def root_name(node: ast.expr) -> str:
    """The variable that an expression such as ``x.at[0]`` or ``x['w'].sum()`` begins with; else empty."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def names_in(node: ast.AST, context: type[ast.expr_context] | None = None) -> set[str]:
    """Plain names anywhere in a node; with `context`, those that are loaded or stored alone."""
    return {
        child.id
        for child in ast.walk(node)
        if isinstance(child, ast.Name) and (context is None or isinstance(child.ctx, context))
    }


def parts_of(target: ast.expr) -> list[ast.expr]:
    """The targets that an assignment to `target` unpacks into."""
    return target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
