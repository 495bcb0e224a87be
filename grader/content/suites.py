"""A rubric suite with some of its checks only: what belongs to the others is gone, comments included.

The suite is read, never run, and written anew from its tree. Of what stands at the top of a module, whatever
the wanted checks need is kept: imports, constants, helper functions and fixtures, by name. What only the
others use goes with them, as does every statement that binds no wanted name. A value that both kinds of check
use is kept whole: its author has to know that it can be read.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from grader.content.syntax import SyntaxProblem, definitions, parse
from grader.domain.errors import AssignmentInvalid

HEADER = '"""The checks that students may run on their own machines. Written by the grader."""'

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def visible_suite(text: str, *, path: Path, wanted: Collection[str]) -> str:
    """A suite's module with the wanted tests alone, by name: ``test_x``, or ``TestIt::test_x`` in a class.

    AssignmentInvalid, about `path`, if it is not Python.
    """
    module = parse(text)
    if isinstance(module, SyntaxProblem):
        raise AssignmentInvalid(path, f"is not valid Python: {module.reason}.")
    body = [part for statement in module.body for part in _without_tests(statement, wanted)]
    kept = [_narrowed(statement, needed) for statement, needed in _needed(body)]
    return "\n\n".join([HEADER, *map(ast.unparse, kept)]) + "\n"


def _without_tests(statement: ast.stmt, wanted: Collection[str], inside: str = "") -> Iterator[ast.stmt]:
    """The statement without the tests that are not wanted; nothing of it, if it is one itself."""
    if isinstance(statement, _Function):
        if not statement.name.startswith("test") or f"{inside}{statement.name}" in wanted:
            yield statement
    elif isinstance(statement, ast.ClassDef) and statement.name.startswith("Test"):
        prefix = f"{inside}{statement.name}::"
        body = [part for each in statement.body for part in _without_tests(each, wanted, prefix)]
        if any(name.startswith(prefix) for name in wanted):
            yield _changed(statement, body=_without_docstring(body))
    else:
        yield statement


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """A class of checks is described by all of them, so what describes it is left out."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body


def _needed(body: list[ast.stmt]) -> list[tuple[ast.stmt, frozenset[str]]]:
    """Statements that the tests need, in order, each with those of its names that are needed."""
    bound = {index: frozenset(_names_bound(statement)) for index, statement in enumerate(body)}
    kept = {index for index, statement in enumerate(body) if _is_root(statement)}
    names = {name for index in kept for name in _names_used(body[index])}
    while fresh := {index for index, mine in bound.items() if index not in kept and mine & names}:
        kept |= fresh
        # Only now is it known which part of `A, B = 1, 2` is wanted.
        for index in fresh:
            names |= _names_used(_narrowed(body[index], bound[index] & names))
    return [(body[index], bound[index] & names) for index in sorted(kept)]


def _is_root(statement: ast.stmt) -> bool:
    """Tests, what pytest applies to all of them by itself, and imports of the future."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name.startswith("test"):
            return True
        case ast.FunctionDef(decorator_list=decorators):
            return any(_is_autouse(decorator) for decorator in decorators)
        case ast.ClassDef(name=name):
            return name.startswith("Test")
        case ast.ImportFrom(module="__future__"):
            return True
    return False


def _is_autouse(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and any(word.arg == "autouse" for word in decorator.keywords)


def _names_bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id
    for definition in definitions(ast.Module(body=[statement], type_ignores=[])):
        yield definition.name


def _names_used(statement: ast.stmt) -> set[str]:
    """The names of the module that a statement reads, and those of its parameters: fixtures, to pytest."""
    if isinstance(statement, ast.ClassDef):
        outside = [*statement.bases, *statement.keywords, *statement.decorator_list]
        return _loaded(outside).union(*map(_names_used, statement.body))
    if not isinstance(statement, _Function):
        return _loaded([statement])
    outside = [*statement.decorator_list, *statement.args.defaults, *filter(None, statement.args.kw_defaults)]
    own = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and _is_stored(node)}
    own |= {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
    fixtures = {node.arg for node in (*statement.args.args, *statement.args.kwonlyargs)}
    return _loaded(outside) | (_loaded(statement.body) - own) | fixtures


def _loaded(parts: Iterable[ast.AST]) -> set[str]:
    nodes = (node for part in parts for node in ast.walk(part))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _narrowed(statement: ast.stmt, needed: Collection[str]) -> ast.stmt:
    """Without names that nobody needs, of an import or of ``A, B = 1, 2``."""
    match statement:
        case ast.Import(names=names) | ast.ImportFrom(names=names) if not _is_root(statement):
            wanted = [alias for alias in names if _bound_by(alias) in needed]
            return _changed(statement, names=wanted or names)
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
            targets
        ) == len(values) and all(isinstance(target, ast.Name) for target in targets):
            pairs = [
                (target, value)
                for target, value in zip(targets, values, strict=True)
                if isinstance(target, ast.Name) and target.id in needed
            ]
            return _assignment(statement, pairs) if pairs else statement
    return statement


def _bound_by(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _assignment(statement: ast.Assign, pairs: list[tuple[ast.Name, ast.expr]]) -> ast.stmt:
    targets, values = zip(*pairs, strict=True)
    if len(pairs) == 1:
        return _changed(statement, targets=list(targets), value=values[0])
    left: ast.expr = ast.Tuple(elts=list(targets), ctx=ast.Store())
    return _changed(statement, targets=[left], value=ast.Tuple(elts=list(values), ctx=ast.Load()))


def _changed(statement: ast.stmt, **fields: object) -> ast.stmt:
    return type(statement)(
        **(dict(ast.iter_fields(statement)) | fields),
        lineno=statement.lineno,
        col_offset=statement.col_offset,
    )


def names_in(node_ids: Iterable[str], *, file: str) -> frozenset[str]:
    """The names of a file's tests, of pytest's node ids: one with parameters is one test.

    >>> sorted(names_in(["a.py::test_x[1]", "a.py::TestIt::test_y", "b.py::test_z"], file="a.py"))
    ['TestIt::test_y', 'test_x']
    """
    names = set()
    for node_id in node_ids:
        where, _, name = node_id.partition("::")
        if where == file:
            names.add(name.partition("[")[0])
    return frozenset(names)
