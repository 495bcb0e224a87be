"""A rubric suite with some of its checks only: what belongs to the others is gone, comments included.

The suite is read, never run, and written anew from its tree. Of what stands at the top of a module, whatever
the wanted checks need is kept: imports, constants, helper functions and fixtures, by name. What only the
others use goes with them, as does every statement that binds no wanted name; so it is within a condition and
within a class of checks. A value that both kinds of check use is kept whole: its author has to know that it
can be read.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TypeVar

from grader.content.syntax import SyntaxProblem, definitions, parse
from grader.domain.errors import AssignmentInvalid

HEADER = '"""The checks that students may run on their own machines. Written by the grader."""'

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_BY_ITSELF = re.compile(
    r"test.*|(setup|teardown)_(module|function|class|method)|pytest_\w+|__\w+__", re.DOTALL
)
"""Functions that pytest or Python look up by themselves."""
_Node = TypeVar("_Node", bound=ast.AST)


def visible_suite(text: str, *, path: Path, wanted: Collection[str]) -> str:
    """A suite's module with the wanted tests alone, by name: ``test_x``, or ``TestIt::test_x`` in a class.

    AssignmentInvalid, about `path`, if it is not Python.
    """
    module = parse(text)
    if isinstance(module, SyntaxProblem):
        raise AssignmentInvalid(path, f"is not valid Python: {module.reason}.")
    body = [part for statement in module.body for part in _without_tests(statement, wanted)]
    kept = _needed(body)
    return "\n\n".join([HEADER, *map(ast.unparse, kept)]) + "\n"


def _without_tests(statement: ast.stmt, wanted: Collection[str], inside: str = "") -> Iterator[ast.stmt]:
    """The statement without the tests that are not wanted; nothing of it, if it is one itself."""

    def within(body: list[ast.stmt]) -> list[ast.stmt]:
        return [part for each in body for part in _without_tests(each, wanted, inside)]

    if isinstance(statement, _Function):
        if not statement.name.startswith("test") or _is_wanted(f"{inside}{statement.name}", wanted):
            yield statement
    elif isinstance(statement, ast.ClassDef) and statement.name.startswith("Test"):
        prefix = f"{inside}{statement.name}::"
        body = [part for each in statement.body for part in _without_tests(each, wanted, prefix)]
        if any(name.startswith(prefix) for name in wanted):
            yield _changed(statement, body=_without_docstring(body) or [ast.Pass()])
    elif isinstance(statement, ast.ClassDef):
        body = [part for each in statement.body for part in _without_tests(each, wanted, _INHERITED)]
        lost = len(body) < len(statement.body)
        yield _changed(statement, body=_without_docstring(body) or [ast.Pass()]) if lost else statement
    else:
        yield _within(statement, within)


_INHERITED = "*::"
"""Of tests in a class that is none of tests itself: whichever class inherits them, they have their name."""


def _is_wanted(name: str, wanted: Collection[str]) -> bool:
    if not name.startswith(_INHERITED):
        return name in wanted
    return any(each.endswith(name.removeprefix("*")) for each in wanted)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """A class of checks is described by all of them, so what describes it is left out."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body


def _needed(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that the tests need, in order, without those of their names that are not needed."""
    names: set[str] = set()
    # Only when it is known which part of `A, B = 1, 2` is wanted is it known what that part needs.
    while fresh := {name for each in _kept(body, names) for name in _names_used(each)} - names:
        names |= fresh
    return _kept(body, names)


def _kept(body: list[ast.stmt], names: AbstractSet[str]) -> list[ast.stmt]:
    return [
        _narrowed(each, names)
        for each in body
        if _is_root(each) or any(name in names for name in _names_bound(each))
    ]


def _is_root(statement: ast.stmt) -> bool:
    """Tests, what pytest applies to all of them by itself, and imports of the future."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if _BY_ITSELF.fullmatch(name):
            return True
        case ast.FunctionDef(decorator_list=decorators):
            return any(_is_autouse(decorator) for decorator in decorators)
        case ast.ClassDef(name=name):
            return name.startswith("Test")
        case ast.ImportFrom(module="__future__"):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name == "pytestmark"
    return any(_is_root(each) for body in _bodies(statement) for each in body)


def _is_autouse(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and any(word.arg == "autouse" for word in decorator.keywords)


def _names_bound(statement: ast.stmt) -> Iterator[str]:
    for node in (statement, *(each for body in _bodies(statement) for each in body)):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
    for definition in definitions(ast.Module(body=[statement], type_ignores=[])):
        yield definition.name


def _names_used(statement: ast.stmt) -> set[str]:
    """The names of the module that a statement reads, its attributes with a dot before them.

    Parameters of what pytest calls are names, too: of fixtures.
    """
    if isinstance(statement, ast.ClassDef):
        outside = [*statement.bases, *statement.keywords, *statement.decorator_list]
        return _loaded(outside).union(*map(_names_used, statement.body))
    if not isinstance(statement, _Function):
        return _loaded([statement])
    outside = [*statement.decorator_list, *statement.args.defaults, *filter(None, statement.args.kw_defaults)]
    own = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and _is_stored(node)}
    own |= {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
    called = _BY_ITSELF.fullmatch(statement.name) or any(map(_is_fixture, statement.decorator_list))
    fixtures = {node.arg for node in (*statement.args.args, *statement.args.kwonlyargs) if called}
    return _loaded(outside) | (_loaded(statement.body) - own) | fixtures


def _is_fixture(decorator: ast.expr) -> bool:
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = made.attr if isinstance(made, ast.Attribute) else made.id if isinstance(made, ast.Name) else ""
    return name.endswith("fixture")


def _loaded(parts: Iterable[ast.AST]) -> set[str]:
    nodes = [node for part in parts for node in ast.walk(part)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {f".{node.attr}" for node in nodes if isinstance(node, ast.Attribute)}


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _narrowed(statement: ast.stmt, names: AbstractSet[str]) -> ast.stmt:
    """Without what nobody needs: of an import, of ``A, B = 1, 2``, of a class of tests, under a condition."""

    def needed(body: list[ast.stmt]) -> list[ast.stmt]:
        return [_narrowed(each, names) for each in body if _is_needed(each, names)]

    match statement:
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases) if not _is_root(statement):
            wanted = [alias for alias in aliases if _bound_by(alias) in names]
            return _changed(statement, names=wanted or aliases)
        case ast.Assign(
            targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)],
            value=ast.Tuple(elts=values) | ast.List(elts=values),
        ) if len(targets) == len(values) and all(isinstance(target, ast.Name) for target in targets):
            pairs = [
                (target, value)
                for target, value in zip(targets, values, strict=True)
                if isinstance(target, ast.Name) and target.id in names
            ]
            return _assignment(statement, pairs) if pairs else statement
        case ast.ClassDef(body=body) if any(map(_is_test, body)):
            # Names of a class are read after a dot, or as they are.
            names = names | {name.removeprefix(".") for name in names}
            return _changed(statement, body=needed(body))
    return _within(statement, needed)


def _is_needed(statement: ast.stmt, names: AbstractSet[str]) -> bool:
    """Whether a statement inside of another is."""
    bound = frozenset(_names_bound(statement))
    return not bound or not bound.isdisjoint(names) or _is_root(statement)


def _is_test(statement: ast.stmt) -> bool:
    return isinstance(statement, _Function) and statement.name.startswith("test")


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements in a compound one that run with it: not those of a definition."""
    if isinstance(node, _Function | ast.ClassDef):
        return
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, ast.ExceptHandler | ast.match_case):
                    yield each.body


def _within(node: _Node, prune: Callable[[list[ast.stmt]], list[ast.stmt]]) -> _Node:
    """A compound statement with each of these lists pruned."""
    if isinstance(node, _Function | ast.ClassDef):
        return node
    fields: dict[str, object] = {}
    for name, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            fields[name] = prune(value) or [ast.Pass()]
        elif isinstance(value, list) and value and isinstance(value[0], ast.ExceptHandler | ast.match_case):
            fields[name] = [_within(each, prune) for each in value]
    return _changed(node, **fields)


def _bound_by(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _assignment(statement: ast.Assign, pairs: list[tuple[ast.Name, ast.expr]]) -> ast.stmt:
    targets, values = zip(*pairs, strict=True)
    if len(pairs) == 1:
        return _changed(statement, targets=list(targets), value=values[0])
    left: ast.expr = ast.Tuple(elts=list(targets), ctx=ast.Store())
    return _changed(statement, targets=[left], value=ast.Tuple(elts=list(values), ctx=ast.Load()))


def _changed(node: _Node, **fields: object) -> _Node:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


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
