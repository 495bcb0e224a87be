"""Reading a shipped assignment's files as text, without starting a process for it."""

from __future__ import annotations

import ast
from fractions import Fraction
from pathlib import Path

import assignments

FOLDER = Path(assignments.__file__).parent


def check_points(suite: Path) -> dict[str, Fraction]:
    """The checks of a suite and their points."""
    points = {}
    for node in ast.parse(suite.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            [mark] = [call for call in node.decorator_list if isinstance(call, ast.Call)]
            options = {word.arg: ast.literal_eval(word.value) for word in mark.keywords}
            family = ast.literal_eval(mark.args[0])
            name = node.name.removeprefix("test_")
            points[f"{options['function']}.{family}.{name}"] = Fraction(options["points"])
    return points


def functions_of(path: Path) -> dict[str, str]:
    """Each function of a module, as its code without comments and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            has_docstring = ast.get_docstring(node) is not None
            found[node.name] = "\n".join(map(ast.unparse, node.body[has_docstring:]))
    return found


def signatures(path: Path) -> dict[str, str]:
    """The parameters of each function of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: ast.unparse(node.args) for node in tree.body if isinstance(node, ast.FunctionDef)}
