"""Runs of a function whose keys are followed: its exported program, or a plain call where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from grader.domain.errors import ProgramRefused
from grader.engine.bench.keyfindings import KeyLog, Unverifiable
from grader.engine.protocol import Leaf
from grader.engine.session import FollowedCall, SubmissionRaised, TracedCall
from grader.engine.trees import Node
from rubrics import following
from rubrics.drawing import Case
from rubrics.programs import exported
from rubrics.subject import PLAIN, Subject

Place = int | str | tuple[int | str, ...]
"""Where a result holds a key: a position, a name, or several from the outside in; () is all of it."""


class Run(Protocol):
    """A way to run the function on a case's inputs, and to follow its keys."""

    @property
    def structure(self) -> Node: ...

    def log(self, key_inputs: Sequence[int], key_outputs: Sequence[int]) -> KeyLog: ...

    def outputs(self, cases: Sequence[Case]) -> list[tuple[Leaf, ...]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRun:
    """Run as the exported program, in the bench."""

    subject: Subject
    case: Case
    traced: TracedCall
    structure: Node

    def log(self, key_inputs: Sequence[int], key_outputs: Sequence[int]) -> KeyLog:
        return self.subject.session.key_log(
            self.subject.name,
            exported(self.traced),
            self.subject.flat(self.case, self.traced),
            key_inputs=key_inputs,
            key_outputs=key_outputs,
        )

    def outputs(self, cases: Sequence[Case]) -> list[tuple[Leaf, ...]]:
        sets = [self.subject.flat(case, self.traced) for case in cases]
        return self.subject.outputs(self.traced, sets)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainRun:
    """Run as a plain call, in the candidate: there is no program, or none that can be followed."""

    subject: Subject
    case: Case
    called: FollowedCall
    structure: Node

    def log(self, key_inputs: Sequence[int], key_outputs: Sequence[int]) -> KeyLog:
        inputs = self.subject.inputs(self.case).leaves
        return following.key_log(self.called, inputs, key_inputs=key_inputs, key_outputs=key_outputs)

    def outputs(self, cases: Sequence[Case]) -> list[tuple[Leaf, ...]]:
        return [tuple(result.leaves) for result in self.subject.plain_results(cases)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """A run, its key log, and the flat positions of the keys that it returned."""

    run: Run
    log: KeyLog
    key_outputs: Sequence[int]


def follow(subject: Subject, case: Case, key_inputs: Sequence[int], *, returns_key: Place | None) -> Followed:
    """A run with its keys followed: of the program if there is one to follow."""
    inputs = subject.inputs(case)
    with suppress(SubmissionRaised, ProgramRefused):
        traced = subject.session.traced(subject.name, inputs)
        program = ProgramRun(subject=subject, case=case, traced=traced, structure=traced.structure)
        key_outputs = _returned_keys(subject, program.structure, returns_key)
        log = program.log(key_inputs, key_outputs)
        if log.unverifiable not in (Unverifiable.NOT_INTERPRETABLE, Unverifiable.TOO_LARGE):
            return Followed(run=program, log=log, key_outputs=key_outputs)
    try:
        called = subject.session.followed(subject.name, inputs, world=PLAIN)
    except SubmissionRaised as exc:
        raise subject.raised(exc) from exc
    plain = PlainRun(subject=subject, case=case, called=called, structure=called.structure)
    key_outputs = _returned_keys(subject, plain.structure, returns_key)
    return Followed(run=plain, log=plain.log(key_inputs, key_outputs), key_outputs=key_outputs)


def key_positions(case: Case) -> list[int]:
    """Flat positions of the keys among a case's arrays and scalars."""
    found: list[int] = []
    count = 0

    def visit(value: object) -> None:
        nonlocal count
        given = getattr(value, "array", None)
        if given is not None:
            if getattr(value, "raw_key", False) or getattr(value, "impl", None) is not None:
                found.append(count)
            count += 1
        elif isinstance(value, Mapping):
            for child in value.values():
                visit(child)
        elif isinstance(value, tuple | list):
            for child in value:
                visit(child)

    visit(case.args)
    visit(case.kwargs)
    return found


def _returned_keys(subject: Subject, structure: Node, returns_key: Place | None) -> list[int]:
    """Flat positions of the returned key; fails if the result has none in that place."""
    if returns_key is None:
        return []
    steps = returns_key if isinstance(returns_key, tuple) else (returns_key,)
    node: Node | None = structure
    for step in steps:
        node = None if node is None else _child(node, step)
    if node is None or node.get("t") != "leaf":
        raise subject.failed(
            "values.wrong_structure",
            {"expected": f"a new key{_in_words(steps)}", "found": "something else"},
            spot=subject.source.returns(subject.name),
        )
    return [node["i"]]


def _child(node: Node, step: int | str) -> Node | None:
    """The part of a container at a position or under a name."""
    parts: Sequence[Node] = node.get("c", ())
    names = [key[1] if isinstance(key, list) else key for key in node.get("k", ())]
    if step in names:
        return parts[names.index(step)]
    positional = node.get("t") in ("tuple", "list", "namedtuple") and isinstance(step, int)
    return parts[int(step)] if positional and 0 <= int(step) < len(parts) else None


def _in_words(steps: Sequence[int | str]) -> str:
    """`` at result[0]['key']``; nothing if the key is all of the result."""
    return f" at result{''.join(f'[{step!r}]' for step in steps)}" if steps else ""
