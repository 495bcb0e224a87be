"""Has the interpreter write down each call of a Threefry kernel: its operands, and the calls that led to it.

The probe operation writes a numbered file for every evaluation and one row in ``index.csv``. A call of a
function that draws is marked by a probe too, so that the rows, read in order, tell the stack of each draw.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from jaxlib.mlir import ir

from grader.engine.bench.keyfindings import SourceLine
from grader.engine.bench.keys.threefry import Words
from grader.engine.bench.operations import callee_of, children_of, functions_of
from grader.engine.bench.text import printable

_MARK, _DRAW = "mark", "draw"
_LINES_KEPT = 8
_NAME_LENGTH = 200
_KERNEL_OPERANDS = 4
"""Two words of key, two of counter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A call in the program's text: in function `caller`, of function `callee`."""

    caller: str
    callee: str
    lines: tuple[SourceLine, ...]
    """The user's lines that the call came from, innermost first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One run of a function: `number` tells runs apart, `site` is the call that started it."""

    number: int
    site: Site


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCall:
    """One evaluation of the generator over an array. `keys` and `counters` are uint32[n, 2], row by row."""

    site: Site
    stack: tuple[Frame, ...]
    """Runs of functions around it, outermost first, without main."""
    keys: Words
    counters: Words
    last_axis: int
    """Size of the last axis of the array the rows were flattened from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """The probes put into a module, by the number in their name."""

    sites: Mapping[int, Site] = field(default_factory=dict)


def insert(module: ir.Module, drawing: Container[str], kernels: Container[str]) -> Probes:
    """Put probes before every call of a kernel or of a function that leads to one."""
    sites: dict[int, Site] = {}
    with module.context, ir.Location.unknown():
        for name, function in functions_of(module).items():
            for call, callee in _interesting(function, drawing, kernels):
                number = len(sites)
                sites[number] = Site(caller=name, callee=callee, lines=_lines_of_call(call, callee))
                with ir.InsertionPoint(call):
                    if callee in kernels:
                        _probe_operands(call, number)
                    else:
                        _probe_mark(number)
    return Probes(sites=sites)


def read(folder: Path, probes: Probes) -> Iterator[KernelCall]:
    """The calls of kernels that a run wrote into `folder`, in order."""
    index = folder / "index.csv"
    if not index.exists():
        return
    running: dict[str, tuple[Frame, ...]] = {"main": ()}
    operands: list[Words] = []
    with index.open(newline="") as rows:
        for number, (name, _type, path) in enumerate(csv.reader(rows)):
            kind, site_number, *_ = name.split(".")
            site = probes.sites[int(site_number)]
            stack = running[site.caller]
            if kind == _MARK:
                running[site.callee] = (*stack, Frame(number=number, site=site))
                continue
            operands.append(np.load(folder / Path(path).name, allow_pickle=False))
            if len(operands) == _KERNEL_OPERANDS:
                yield _call(site, stack, operands)
                operands = []


def _lines_of_call(call: ir.Operation, callee: str) -> tuple[SourceLine, ...]:
    """The lines of a call. Before those of a split or `fold_in` stands the line where JAX first met one."""
    lines = lines_of(call.location)
    return lines[1:] if len(lines) > 1 and _KEY_MAKER.fullmatch(callee) else lines


def lines_of(location: ir.Location) -> tuple[SourceLine, ...]:
    """The source lines of a location, innermost first; none if they are not text."""
    try:
        return tuple(islice(_lines(location, ""), _LINES_KEPT))
    except (UnicodeDecodeError, RecursionError):
        return ()


def _lines(location: ir.Location, function: str) -> Iterator[SourceLine]:
    if isinstance(location, ir.CallSiteLoc):
        yield from _lines(location.callee, "")
        yield from _lines(location.caller, "")
    elif isinstance(location, ir.NameLoc):
        yield from _lines(location.child_loc, location.name_str)
    elif isinstance(location, ir.FileLineColLoc):
        yield SourceLine(
            file=printable(location.filename)[-_NAME_LENGTH:],
            line=location.start_line,
            function=printable(function)[:_NAME_LENGTH],
        )


_KEY_MAKER = re.compile(r"_threefry_(split|fold_in)(_\d+)?")
"""Functions that JAX traces once and lowers again wherever a key is split or folded into."""


def _interesting(
    operation: ir.Operation, drawing: Container[str], kernels: Container[str]
) -> Iterator[tuple[ir.Operation, str]]:
    for child in children_of(operation):
        callee = callee_of(child)
        if callee is not None and (callee in drawing or callee in kernels):
            yield child, callee
        yield from _interesting(child, drawing, kernels)


def _probe_operands(call: ir.Operation, number: int) -> None:
    words = list(call.operands)[
        -_KERNEL_OPERANDS:
    ]  # a program for several platforms passes their index first
    for position, operand in enumerate(words):
        name = ir.StringAttr.get(f"{_DRAW}.{number}.{position}")
        ir.Operation.create(
            "interpreter.probe", results=[operand.type], operands=[operand], attributes={"probe_id": name}
        )


def _probe_mark(number: int) -> None:
    value = ir.Attribute.parse("dense<0> : tensor<i8>")
    kind = ir.Type.parse("tensor<i8>")
    mark = ir.Operation.create("stablehlo.constant", results=[kind], attributes={"value": value})
    name = ir.StringAttr.get(f"{_MARK}.{number}")
    ir.Operation.create(
        "interpreter.probe", results=[kind], operands=[mark.results[0]], attributes={"probe_id": name}
    )


def _call(site: Site, stack: tuple[Frame, ...], operands: list[Words]) -> KernelCall:
    first, second, high, low = np.broadcast_arrays(*operands)
    return KernelCall(
        site=site,
        stack=stack,
        keys=np.stack([first.ravel(), second.ravel()], axis=1),
        counters=np.stack([high.ravel(), low.ravel()], axis=1),
        last_axis=first.shape[-1] if first.ndim else 1,
    )
