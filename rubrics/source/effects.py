"""Calls that do something besides returning: output, files, clocks, settings."""

from __future__ import annotations

import ast

from rubrics.source.names import LOG_METHODS, PRINTERS, stands_for
from rubrics.source.parsing import Spot, dotted
from rubrics.source.reaching import Program


def prints(program: Program, function: str) -> Spot | None:
    """A call that writes to the screen."""
    logs = program.first_call(function, lambda name: name.rpartition(".")[2] in LOG_METHODS)
    return program.calls(function, *PRINTERS) or logs


def uses(program: Program, function: str, name: str) -> Spot | None:
    """The first place where a dotted name stands, called or not."""
    return program.first(
        function,
        lambda node, module: isinstance(node, ast.Attribute) and dotted(node, module.aliases) == name,
    )


def is_cached_property(program: Program, name: str) -> bool:
    """Whether a method called `name` is decorated as one that is computed once."""
    return any(
        dotted(decorator, module.aliases) == "functools.cached_property"
        for module in program.modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef) and node.name == name
        for decorator in node.decorator_list
    )


def anywhere(program: Program, *names: str) -> Spot | None:
    """A call of one of these dotted names in any submitted file, also outside functions."""
    for module in program.modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and stands_for(dotted(node.func, module.aliases), names):
                return module.spot(node)
    return None
