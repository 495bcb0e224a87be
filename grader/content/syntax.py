"""Reading Python source without running it, whatever it holds.

Only `ast.parse` is used, never `compile`: CPython 3.11's compiler can be made to crash the whole process by a
comprehension with a hundred thousand `for` clauses, where its parser answers with a tree or an exception.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxProblem:
    """Why a text is not Python. `line` is 1-based, None where Python cannot say."""

    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A name bound at the top level of a module.

    `parameters` are the names a call may fill, in order, and `required` of them have no default; None where
    that cannot be told: no `def`, a decorator, or `*args`.
    """

    name: str
    line: int
    parameters: tuple[str, ...] | None = None
    required: int = 0
    is_function: bool = False


def parse(text: str) -> ast.Module | SyntaxProblem:
    """The tree of a module, or why there is none. Never raises, never warns."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in a string is a warning; it is not ours to print
            return ast.parse(text)
    except SyntaxError as error:
        return SyntaxProblem(reason=error.msg or "invalid syntax", line=error.lineno)
    except (RecursionError, MemoryError):
        return SyntaxProblem(reason="it is nested too deeply for Python to read")
    except ValueError as error:  # NUL bytes, lone surrogates, integers of thousands of digits
        return SyntaxProblem(reason=str(error))


def parses(text: str) -> bool:
    """Whether a text is Python."""
    return isinstance(parse(text), ast.Module)


def definitions(module: ast.Module) -> tuple[Definition, ...]:
    """The names a module binds when it is loaded, in order, also inside `if`, `try`, `with` and loops."""
    return tuple(_bound_by(_statements(module.body)))


def defined_names(text: str) -> frozenset[str]:
    """The names a text binds at its top level; empty if it is not Python."""
    module = parse(text)
    if isinstance(module, SyntaxProblem):
        return frozenset()
    return frozenset(definition.name for definition in definitions(module))


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run at load time, in order; an explicit stack, as nesting may be deep."""
    stack = list(body)[::-1]
    while stack:
        statement = stack.pop()
        yield statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        nested: list[ast.stmt] = []
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                nested.append(child)
            elif isinstance(child, ast.ExceptHandler | ast.match_case):
                nested.extend(child.body)
        stack.extend(reversed(nested))


def _bound_by(statements: Iterable[ast.stmt]) -> Iterator[Definition]:
    for node in statements:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield _function(node)
        elif isinstance(node, ast.ClassDef):
            yield Definition(name=node.name, line=node.lineno)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield Definition(name=alias.asname or alias.name.partition(".")[0], line=node.lineno)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.For):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                yield from (Definition(name=name, line=node.lineno) for name in _target_names(target))


def _target_names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            yield from (item.id,) if isinstance(item, ast.Name) else ()


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Definition:
    found = Definition(name=node.name, line=node.lineno, is_function=True)
    arguments = node.args
    if arguments.vararg or arguments.kwarg or node.decorator_list:
        return found
    positional = [*arguments.posonlyargs, *arguments.args]
    required_keywords = sum(default is None for default in arguments.kw_defaults)
    return replace(
        found,
        parameters=tuple(item.arg for item in [*positional, *arguments.kwonlyargs]),
        required=len(positional) - len(arguments.defaults) + required_keywords,
    )
