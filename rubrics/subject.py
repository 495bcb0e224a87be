"""A function of the submission, as checks see it: asked for traced, plain or by value."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from grader.domain.errors import EngineFault, ProgramFailed, ProgramRefused
from grader.domain.results import Evidence, EvidenceKind, JsonValue
from grader.domain.rubric import FunctionSpec
from grader.domain.verdicts import Verdict
from grader.engine.candidate.transforms import Transform
from grader.engine.protocol import Leaf
from grader.engine.session import (
    CallInputs,
    EagerCall,
    Fault,
    FunctionFound,
    Session,
    SubmissionEnded,
    SubmissionRaised,
    TracedCall,
)
from rubrics import explaining, framing
from rubrics.comparing import Result
from rubrics.describing import argument_names, describe_inputs
from rubrics.drawing import Case
from rubrics.failures import CheckFailed
from rubrics.programs import as_described, exported, program_inputs, widened
from rubrics.reference import CourseFunction
from rubrics.signatures import arity_problem
from rubrics.source import CALLBACKS, Source, Spot

PERTURBED, SLOW = 1, 3
"""Worlds that a submission is run in for comparison: their clocks run fast and slow."""
PLAIN = 2
"""An unperturbed world in which the submission is never traced, so that no trace leaves anything behind."""
_ASKED_FOR_THE_IMPOSSIBLE = (
    "INVALID_ARGUMENT",
    "UNIMPLEMENTED",
    "NOT_FOUND",
    "FAILED_PRECONDITION",
    "UNKNOWN: XLA FFI call failed",
)
"""How the runtime's words begin where it is the program that is at fault."""
CONFIRMED = 3
"""Cases for which a function that might tell how it is called is run in other ways too."""
FORESEEN = 5
"""How often at most a case is drawn again: in part, then whole, then for each of the cases confirmed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One function of the submission under test, within one attempt."""

    spec: FunctionSpec
    parameters: tuple[str, ...]
    """Parameter names as the reference has them."""
    session: Session
    source: Source
    reference: CourseFunction
    """The solution's function of this name."""

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def static(self) -> frozenset[int | str]:
        """Static arguments, by name and by position."""
        places = [self.parameters.index(name) for name in self.spec.static if name in self.parameters]
        return frozenset((*self.spec.static, *places))

    def inputs(self, case: Case) -> CallInputs:
        """The wire form of a case for this function; fails if the function cannot take it at all."""
        found = self.found()
        problem = arity_problem(found, len(case.args), tuple(case.kwargs))
        if problem is not None:
            raise self.failed(
                "submission.wrong_arity",
                {"found": problem, "expected": f"{self.name}({', '.join(self.parameters)})"},
                spot=self.source.definition(self.name),
            )
        return case.inputs(self.static)

    def found(self) -> FunctionFound:
        """The function as loaded; fails with a sentence if it is missing or no function."""
        functions = self.session.loaded().functions
        found = functions.get(self.name)
        if found is None:
            similar = difflib.get_close_matches(self.name, self.source.defined(), n=1)
            spot = self.source.definition(similar[0]) if similar else None
            raise self.failed(
                "submission.function_missing", {"similar": similar[0] if similar else ""}, spot=spot
            )
        if not found.callable:
            raise self.failed("submission.not_a_function", {}, spot=self.source.definition(self.name))
        return found

    def traced(self, case: Case) -> TracedCall:
        """The function under `jax.jit`'s conditions; whatever goes wrong is the failure."""
        try:
            return self.session.traced(self.name, self.inputs(case))
        except SubmissionRaised as exc:
            failure = self.raised(exc)
            if failure.feedback.code == "call.raised" and self._works_plainly(case):
                raise self._only_traced(failure) from exc
            raise failure from exc

    def _works_plainly(self, case: Case) -> bool:
        """Whether a plain call, in a process that never traced, gives a result."""
        try:
            self.session.eager(self.name, self.inputs(case), world=PLAIN)
        except (SubmissionRaised, SubmissionEnded):
            return False
        return True

    def _only_traced(self, failure: CheckFailed) -> CheckFailed:
        """An error that nobody meets who calls the function to look for it: the report has to say so."""
        params, evidence = failure.feedback.params, failure.evidence
        return self.failed("jit.raises_when_traced", params, spot=failure.spot, evidence=evidence)

    def raised(self, exc: SubmissionRaised) -> CheckFailed:
        """The failure an exception in the submission stands for."""
        failure = explaining.raised(self.name, exc.fault, self.session.files)
        code, source = failure.feedback.code, self.source
        if failure.spot is not None and code != "jit.unexpected_tracer":
            return failure
        # JAX raised before any submitted line ran, so the line is looked for in the text.
        spot = source.definition(self.name)
        if code == "jit.callback":
            spot = source.calls(self.name, *CALLBACKS)
        elif code == "jit.unhashable_static":
            spot = source.jit_option(self.name, "static_arg") or spot
        elif failure.spot is not None:
            spot = source.remembering(failure.spot)
        return self.failed(code, failure.feedback.params, spot=spot, evidence=failure.evidence)

    def plain(self, case: Case, *, program: bool = True) -> TracedCall | EagerCall:
        """A plain call on concrete inputs: staged where that works, else really run."""
        inputs = self.inputs(case)
        try:
            return self.session.direct(self.name, inputs, program=program)
        except SubmissionRaised as exc:
            if explaining.leaked(exc.fault):
                raise
            return self.session.eager(self.name, inputs, world=PLAIN)

    def confirmed(self, cases: Sequence[Case]) -> list[tuple[Case, Result]]:
        """More results for some of the cases, of code that might tell how it is called; none of other code.

        Such a function is really run, and traced where clock and environment differ: what it does there has
        to be as right as the program that it was traced to. The candidate sees fresh values: those that
        the program is judged by stay hidden.
        """
        if self.source.telltale(self.name) is None:
            return []
        fresh = [case.again() for case in cases[:CONFIRMED]]
        return [(case, result) for case in fresh for result in (self.really(case), self.abroad(case))]

    def really(self, case: Case) -> Result:
        """The values of a plain call that is really run, in a process that never traced."""
        try:
            call = self.session.eager(self.name, self.inputs(case), world=PLAIN)
        except SubmissionRaised as exc:
            raise self.raised(exc) from exc
        return Result(structure=call.structure, leaves=call.leaves)

    def abroad(self, case: Case) -> Result:
        """The values of a plain call in the perturbed world."""
        inputs = self.inputs(case)
        try:
            call = self.session.direct(self.name, inputs, world=PERTURBED)
            return Result(structure=call.structure, leaves=self._accepted(call, [()])[0])
        except (SubmissionRaised, _Refused):
            return self.really(case)

    def foresee(self, cases: Sequence[Case], ask: Callable[[Case], object] = lambda _: None) -> None:
        """Where answers are being recorded, have everything asked that might be asked about these cases.

        Which that is depends on the submission: one that keeps something is called more often, and a wrong
        result is traced back to its line.
        """
        if self.reference.foresees:
            for case in (each for given in cases for each in _foreseen(given)):
                ask(case)
                self.reference.landmarks(self.inputs(case))

    def foresee_way(self, case: Case, *, under: Transform) -> None:
        """As `foresee`, of the way to the result under a transformation."""
        if self.reference.foresees:
            self.reference.landmarks(self.inputs(case), under=under)

    def remembers(self) -> bool:
        """Whether any call so far has left something behind that a later one might use."""
        return any(seen.state for seen in self.session.observed(self.name))

    def results(self, cases: Sequence[Case]) -> list[Result]:
        """The values for cases: of exported programs where there are any, else of plain calls, in order."""
        try:
            results = self._staged_results(cases)
        except SubmissionRaised as exc:
            if not explaining.leaked(exc.fault):
                raise self.raised(exc) from exc
            return self.plain_results(cases)
        return self.plain_results(cases) if self.remembers() or self.wavers(cases[0]) else results

    def wavers(self, case: Case) -> bool:
        """Whether two traces give two programs: then one program does not stand for what plain calls do.

        Only asked of functions that take a key, whose hidden randomness would be frozen in the program.
        """
        if not case.has_key:
            return False
        texts = set()
        for turn in range(2):
            with suppress(SubmissionRaised):
                call = self.session.traced(
                    self.name, self.inputs(case), fingerprint=True, program=False, turn=turn
                )
                texts.add(call.fingerprint)
        return len(texts) > 1

    def plain_results(self, cases: Sequence[Case]) -> list[Result]:
        """The values of plain calls that are really run, in this order, in a process that never traced."""
        return [self.really(case) for case in cases]

    def more_results(self, case: Case, count: int) -> tuple[list[Case], list[Result]]:
        """Up to `count` further calls with fresh values of a case that has been judged by its program.

        As many as are cheap; none where no program stands for plain calls, which take far longer.
        """
        if case.as_numpy or self.remembers() or self.wavers(case):
            return [], []
        others = [case.again(FORESEEN + turn) for turn in range(count)]
        results: list[Result] = []
        with suppress(SubmissionRaised, _Refused):
            traced = self.session.traced(self.name, self.inputs(case))
            facts = self.session.inspect(self.name, exported(traced))
            sets = [self.flat(each, traced) for each in others[: framing.affordable(facts)]]
            for group in framing.groups(sets, traced.leaves):
                outputs = self._accepted(traced, group)
                results += [Result(structure=traced.structure, leaves=leaves) for leaves in outputs]
        return others[: len(results)], results

    def _staged_results(self, cases: Sequence[Case]) -> list[Result]:
        """As `results`, by one program that is compiled at most once where all cases are of one shape."""
        if len(cases) > 1 and len({self._signature(case) for case in cases}) == 1:
            try:
                traced = self.session.traced(self.name, self.inputs(cases[0]))
            except SubmissionRaised as exc:
                if explaining.leaked(exc.fault):
                    raise
                return [self._staged_result(case) for case in cases]
            sets = [self.flat(case, traced) for case in cases]
            outputs = self.outputs(traced, sets)
            return [Result(structure=traced.structure, leaves=leaves) for leaves in outputs]
        return [self._staged_result(case) for case in cases]

    def _signature(self, case: Case) -> str:
        """Equal for cases that one program serves."""
        inputs = self.inputs(case)
        return f"{case.as_numpy} {inputs.structure!r} {inputs.abstract()!r}"

    def _staged_result(self, case: Case) -> Result:
        inputs = self.inputs(case)
        if not case.as_numpy:
            # A function that cannot be traced keeps its chance to be right as a plain call.
            with suppress(SubmissionRaised, _Refused):
                traced = self.session.traced(self.name, inputs)
                outputs = self._accepted(traced, [self.flat(case, traced)])
                return Result(structure=traced.structure, leaves=outputs[0])
        try:
            call = self.plain(case)
            if isinstance(call, TracedCall):
                return Result(structure=call.structure, leaves=self._accepted(call, [()])[0])
            return Result(structure=call.structure, leaves=call.leaves)
        except _Refused as exc:
            if exc.reason.code == "too_large":  # a loop written out may still be right, called plainly
                return self.really(case)
            raise self.refused(exc.reason) from exc

    def flat(self, case: Case, call: TracedCall) -> tuple[Leaf, ...]:
        """The inputs of a case as the program of `call` takes them.

        Python numbers become arrays of JAX's own 32-bit types; of wider ones for a submission that switched
        `jax_enable_x64` on, whose programs say so themselves.
        """
        leaves = program_inputs(self.inputs(case))
        if not any("jax_enable_x64" in what for what, *_ in self.session.loaded().seen.process):
            return leaves
        taken = self.session.inspect(self.name, exported(call)).inputs
        return tuple(map(widened, leaves, taken))

    def outputs(self, call: TracedCall, sets: Sequence[Sequence[Leaf]]) -> list[tuple[Leaf, ...]]:
        """Concrete outputs of a traced call's program for several input sets."""
        try:
            return self._accepted(call, sets)
        except _Refused as exc:
            raise self.refused(exc.reason) from exc

    def _accepted(self, call: TracedCall, sets: Sequence[Sequence[Leaf]]) -> list[tuple[Leaf, ...]]:
        """As `outputs`; `_Refused` if the bench will not run the program."""
        try:
            evaluation = self.session.evaluate(self.name, exported(call), sets)
        except ProgramRefused as exc:
            raise _Refused(exc) from exc
        except ProgramFailed as exc:
            raise self.gave_out(exc) from exc
        return [as_described(self.name, outputs, call.leaves) for outputs in evaluation.outputs]

    def gave_out(self, exc: ProgramFailed) -> Exception:
        """What it means that an accepted program gave no result.

        Too little memory is the program's doing, and so is an operation that cannot be what it asks for. A
        fault of the compiler or the runtime is not: it becomes an `EngineFault`, and the check is not graded.
        """
        if exc.detail.startswith(_ASKED_FOR_THE_IMPOSSIBLE):
            fault = Fault(type="JaxRuntimeError", text=exc.detail)
            return explaining.raised(self.name, fault, self.session.files)
        if exc.detail.startswith("RESOURCE_EXHAUSTED"):
            ended = SubmissionEnded(self.name, Verdict.OUT_OF_MEMORY)
            return explaining.ended(ended, self.session.files, memory_mib=self.session.limits.memory_mib)
        return EngineFault(f"the program of {self.name} did not run: {exc.detail[:300]}")

    def refused(self, exc: ProgramRefused) -> CheckFailed:
        """The failure of a program that the bench will not run."""
        if exc.code == "too_large":
            return self.failed("jit.too_large", {}, spot=self.source.loop(self.name))
        return self.failed("jit.callback", {"call": exc.detail[:100]})

    def failed(
        self,
        code: str,
        params: Mapping[str, JsonValue],
        *,
        spot: Spot | None = None,
        evidence: tuple[Evidence, ...] = (),
    ) -> CheckFailed:
        """A failure of this function, at a line of its source if one is known."""
        named: dict[str, JsonValue] = {"function": self.name, **params}
        if spot is None:
            return CheckFailed(code, named, evidence=evidence)
        text = explaining.line_of(self.session.files, spot.file, spot.line)
        named["source"] = named.get("source") or text
        return CheckFailed(code, named, file=spot.file, line=spot.line, evidence=evidence)

    def describe(self, case: Case) -> Evidence:
        """The inputs of a case as evidence (shown only where the check is visible)."""
        leaves = self.inputs(case).leaves
        inputs: list[JsonValue] = list(describe_inputs(leaves, self.argument_names(case)))
        return Evidence(kind=EvidenceKind.ARRAYS, data={"label": "the inputs", "inputs": inputs})

    def argument_names(self, case: Case) -> list[str]:
        """For each leaf of a case, the argument it belongs to, such as ``params['w']``."""
        return argument_names(self.inputs(case).structure, self.parameters)


def _foreseen(case: Case) -> Iterator[Case]:
    """The case, and those that are made of it for submissions that remember or tell how they are called."""
    yield case
    yield from case.in_part_again(0)
    for turn in range(FORESEEN):
        yield case.again(turn)


class _Refused(Exception):
    """The bench will not run a program; the plain call may still be judged."""

    def __init__(self, reason: ProgramRefused) -> None:
        super().__init__(str(reason))
        self.reason = reason
