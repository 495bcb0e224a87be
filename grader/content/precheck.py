"""What can be said about a submission before any of it runs: whether it parses and defines what is asked.

A hint for the author at the moment of uploading, never a verdict: grading judges what the code does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from grader.content.codes import NoticeCode
from grader.content.syntax import Definition, SyntaxProblem, definitions, parse
from grader.domain.cells import describe_line
from grader.domain.rubric import FunctionSpec
from grader.domain.submission import Notice, SourceFile, SubmittedFiles
from grader.domain.text import did_you_mean, one_line

Parameters = Mapping[str, tuple[str, ...]]
"""The parameter names of functions, in order."""


def precheck(
    files: SubmittedFiles, functions: Sequence[FunctionSpec], *, parameters: Parameters | None = None
) -> tuple[Notice, ...]:
    """Notices about files that do not parse and functions that are missing or take other arguments.

    `parameters` are those of the starter (`parameters_of`), where known; without them arity is not judged.
    """
    notices: list[Notice] = []
    for file in files.files:
        module = parse(file.text)
        if isinstance(module, SyntaxProblem):
            notices.append(_syntax_notice(file, module))
        elif file.name == files.entry:
            notices.extend(_function_notices(file, module, functions, parameters or {}))
    return tuple(notices)


def parameters_of(text: str) -> Parameters:
    """The parameters of the plain functions a text defines; empty if it is not Python."""
    module = parse(text)
    if isinstance(module, SyntaxProblem):
        return {}
    return {found.name: found.parameters for found in definitions(module) if found.parameters is not None}


def _syntax_notice(file: SourceFile, problem: SyntaxProblem) -> Notice:
    where = f", {describe_line(file.name, file.text, problem.line)}," if problem.line else ""
    message = (
        f"{one_line(file.name, 120)}{where} is not valid Python: {one_line(problem.reason, 120)}. "
        "Nothing in it can run until that is mended."
    )
    return Notice(code=NoticeCode.SYNTAX, message=message, line=problem.line)


def _function_notices(
    file: SourceFile, module: ast.Module, functions: Sequence[FunctionSpec], parameters: Parameters
) -> Iterator[Notice]:
    found: dict[str, list[Definition]] = {}
    for definition in definitions(module):
        found.setdefault(definition.name, []).append(definition)
    for function in functions:
        named = found.get(function.name, [])
        if not named:
            yield from _missing(function.name, module, found)
            continue
        defined = [definition for definition in named if definition.is_function]
        if len(defined) > 1:
            yield _defined_twice(file, defined)
        yield from _parameter_notices(file, named[-1], function, parameters.get(function.name))


def _missing(name: str, module: ast.Module, found: Mapping[str, object]) -> Iterator[Notice]:
    if "*" in found:
        return  # `from helpers import *` may well bring it; only loading tells
    message = f"The function {name} is not defined."
    if inside := _enclosing(name, module):
        message = (
            f"The function {name} (line {inside.line}) is not at the top level: it is inside {inside.name}."
        )
    elif proposal := did_you_mean(name, found):
        message = f"{message} {proposal}"
    yield Notice(code=NoticeCode.MISSING_FUNCTION, message=message, line=inside.line if inside else None)


def _enclosing(name: str, module: ast.Module) -> Definition | None:
    """Where a function of that name hides: the outer function or class, and the line of the inner `def`."""
    for outer in ast.walk(module):
        if not isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for inner in outer.body:
            if isinstance(inner, ast.FunctionDef) and inner.name == name:
                return Definition(name=outer.name, line=inner.lineno)
    return None


def _defined_twice(file: SourceFile, defined: Sequence[Definition]) -> Notice:
    first, last = (describe_line(file.name, file.text, which.line) for which in (defined[0], defined[-1]))
    message = f"The function {defined[-1].name} is defined twice ({first} and {last}); the last one counts."
    return Notice(code=NoticeCode.DEFINED_TWICE, message=message, line=defined[-1].line)


def _parameter_notices(
    file: SourceFile, definition: Definition, function: FunctionSpec, wanted: tuple[str, ...] | None
) -> Iterator[Notice]:
    if definition.parameters is None:
        return
    where = describe_line(file.name, file.text, definition.line)
    if wanted is not None and not definition.required <= len(wanted) <= len(definition.parameters):
        has, asked = ", ".join(definition.parameters) or "nothing", ", ".join(wanted) or "nothing"
        message = f"The function {function.name} ({where}) takes {one_line(has, 80)}; asked for is {asked}."
        yield Notice(code=NoticeCode.PARAMETERS, message=message, line=definition.line)
    for static in function.static:
        if static not in definition.parameters:
            message = (
                f"The function {function.name} ({where}) has no parameter {static!r}, which is passed by "
                "name as a static argument."
            )
            yield Notice(code=NoticeCode.STATIC_PARAMETER, message=message, line=definition.line)
