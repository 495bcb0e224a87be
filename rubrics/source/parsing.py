"""Submitted texts as trees, and what names stand for in them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from grader.domain.submission import SubmittedFiles

Function = ast.FunctionDef | ast.AsyncFunctionDef


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
    functions: dict[str, Function] = field(default_factory=dict)

    def spot(self, node: ast.AST) -> Spot:
        """The line on which a node of this file begins."""
        return Spot(file=self.file, line=getattr(node, "lineno", 1))


def parse_all(files: SubmittedFiles) -> tuple[Module, ...]:
    """The files that parse, the main one first."""
    ordered = sorted(files.files, key=lambda file: file.name != files.entry)
    return tuple(module for file in ordered if (module := parse(file.name, file.text)) is not None)


def parse(file: str, text: str) -> Module | None:
    """One file; None if it does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    module = Module(file, tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                module.aliases[bound] = alias.name if alias.asname else bound
        elif isinstance(node, ast.ImportFrom) and node.module:
            module.aliases.update(
                {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            )
        elif isinstance(node, Function):
            module.functions.setdefault(node.name, node)
    return module


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
