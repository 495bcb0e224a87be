"""Outputs of a program for several input sets, by whichever executor is cheaper."""

from __future__ import annotations

from collections.abc import Sequence

from grader.domain.errors import BenchFault, ProgramFailed
from grader.engine.bench import interpreter
from grader.engine.bench.answers import Aval, How, Trouble
from grader.engine.bench.clock import Stages
from grader.engine.bench.executables import Effort, Executables
from grader.engine.bench.programs import Program
from grader.engine.bench.verification import KEY_WORDS
from grader.engine.protocol import AnyArray, Leaf, LeafKind


def evaluate(
    program: Program, sets: Sequence[Sequence[Leaf]], *, how: How, executables: Executables, stages: Stages
) -> tuple[How, list[list[Leaf]]]:
    """How it ran, and the outputs for each set of flat inputs."""
    arrays = [arrays_for(program, inputs) for inputs in sets]
    chosen = _choose(program, len(sets), executables) if how is How.AUTO else how
    if chosen is How.INTERPRET:
        reasons = (*interpreter.blockers(program.survey), *sorted(program.survey.risks))
        if reasons:
            raise ProgramFailed(Trouble.NOT_INTERPRETABLE, ", ".join(reasons[:5]))
        with stages.timed("interpret"):
            prepared = interpreter.prepare(program.module, program.survey)
            results = [prepared.run(program.arguments(inputs, platform="cpu")) for inputs in arrays]
    else:
        with stages.timed("compile"):
            executable = executables.get(program, effort=executables.known(program) or Effort.VALUES)
        with stages.timed("run"):
            results = [executable.run(inputs) for inputs in arrays]
    return chosen, [leaves_of(program, outputs) for outputs in results]


def _choose(program: Program, sets: int, executables: Executables) -> How:
    cost = program.facts.cost
    if not program.facts.interpretable or cost is None or "cpu" not in program.facts.platforms:
        return How.COMPILE
    if executables.known(program) is not None:
        return How.COMPILE
    return How.INTERPRET if cost * sets < program.facts.compile_s else How.COMPILE


def arrays_for(program: Program, inputs: Sequence[Leaf]) -> list[AnyArray]:
    """The inputs as arrays; BenchFault if they do not fit the program's signature exactly."""
    return fitting(program.facts.inputs, inputs)


def fitting(expected: Sequence[Aval], inputs: Sequence[Leaf]) -> list[AnyArray]:
    """As `arrays_for`, of the types in a signature."""
    if len(inputs) != len(expected):
        detail = f"the program takes {len(expected)} arrays, {len(inputs)} were sent"
        raise BenchFault(Trouble.BAD_INPUTS, detail)
    return [
        _fitting(leaf, aval, position)
        for position, (leaf, aval) in enumerate(zip(inputs, expected, strict=True))
    ]


def _fitting(leaf: Leaf, aval: Aval, position: int) -> AnyArray:
    words = () if aval.key is None else (KEY_WORDS[aval.key],)
    if leaf.array is None or leaf.dtype != aval.dtype or leaf.shape != (*aval.shape, *words):
        wanted = f"{aval.dtype}{[*aval.shape, *words]}"
        detail = f"input {position} is {leaf.dtype}{list(leaf.shape)}, the program takes {wanted}"
        raise BenchFault(Trouble.BAD_INPUTS, detail)
    return leaf.array


def leaves_of(program: Program, outputs: Sequence[AnyArray]) -> list[Leaf]:
    """Outputs as leaves, typed keys marked as such."""
    return [
        Leaf.of(array, kind=LeafKind.JAX if aval.key is None else LeafKind.KEY, impl=aval.key)
        for array, aval in zip(outputs, program.facts.outputs, strict=True)
    ]
