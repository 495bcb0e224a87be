"""What a suite writes checks with: ``submission.normalize.matches(...)``, ``.is_pure(...)`` and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

import numpy.typing as npt

from grader.domain.results import Evidence
from grader.domain.rubric import Assignment
from grader.engine.session import Session
from rubrics import laws
from rubrics.checks import (
    device,
    draws,
    dtype,
    immutability,
    jit,
    prng,
    purity,
    sizes,
    speed,
    transforms,
    values,
)
from rubrics.checks.draws import Numbers
from rubrics.checks.keyruns import Place
from rubrics.comparing import Tolerance
from rubrics.drawing import Case
from rubrics.failures import SuiteMisused
from rubrics.laws import Law
from rubrics.layouts import Given
from rubrics.oracles import GradientOracle
from rubrics.reference import Course, CourseFunction
from rubrics.source import Source
from rubrics.subject import Subject


class Shape(StrEnum):
    """Which distributions `FunctionUnderTest.draws_normal` takes for right."""

    NORMAL = "normal"
    ANY = "any"
    """Any of this mean and variance."""


class FunctionUnderTest:
    """One function of the submission. Each method is one judgement; several may stand in one check."""

    def __init__(self, subject: Subject, reference: CourseFunction, notes: list[Evidence]) -> None:
        self._subject, self._reference, self._notes = subject, reference, notes

    def matches(
        self,
        reference: CourseFunction,
        *cases: Case,
        conditioned: bool = False,
        atol: float | None = None,
        rtol: float | None = None,
    ) -> None:
        """The values, shapes, dtypes and structure of the results are the reference's.

        `atol` and `rtol` replace the tolerance of the expected dtype (float32: 1e-4 each; integers are
        exact). With `conditioned` there is room besides for what rounding the inputs does to the result.
        """
        values.matches(
            self._subject,
            reference,
            cases,
            tolerance=Tolerance(atol=atol, rtol=rtol),
            conditioned=conditioned,
        )

    def satisfies(
        self, predicate: Callable[..., bool], *cases: Case, says: str, code: str = values.NOT_AS_ASKED
    ) -> None:
        """``predicate(args, result)`` is true; both are NumPy. `says` completes "the task asks for …"."""
        values.satisfies(self._subject, predicate, cases, code=code, says=says)

    def draws_from(self, law: Law, *cases: Case, numbers: Numbers) -> None:
        """``numbers(args, result)``, over all cases, are independent draws from a law of `rubrics.laws`.

        One of the cases is repeated with fresh keys until there are 20 000 numbers, if that is cheap.
        """
        draws.draws_from(self._subject, law, cases, numbers=numbers)

    def draws_normal(
        self,
        *cases: Case,
        steps: Callable[[Any], npt.NDArray[Any]],
        mean: float = 0.0,
        std: float = 1.0,
        shape: Shape | str = Shape.NORMAL,
    ) -> None:
        """``steps(result)``, taken over all cases, are independent normal draws, as `draws_from` judges them.

        ``shape="any"`` looks at mean, variance and independence alone: a truncated normal passes, too.
        """
        law = laws.normal(mean, std) if Shape(shape) is Shape.NORMAL else laws.spread(mean, std)
        self.draws_from(law, *cases, numbers=lambda _, result: steps(result))

    def is_pure(self, *cases: Case) -> None:
        """Nothing happens besides returning, and the result depends on the arguments alone."""
        purity.is_pure(self._subject, cases)

    def leaves_inputs_unchanged(self, *cases: Case) -> None:
        """The arguments are the same, and usable, after the call."""
        immutability.leaves_inputs_unchanged(self._subject, cases)

    def threads_keys(
        self,
        *cases: Case,
        returns_key: Place | None = None,
        draws: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        """All randomness comes from the key argument, each key is used once, and a returned key is fresh.

        `returns_key` is the position of the fresh key in the returned tuple, if there is one, or the way to
        it, such as ``("state", "key")`` or ``(0, "key")``; ``()`` if it is all that is returned.
        ``draws(args, result)`` gives an array whose rows were drawn independently: it shows one key shared by
        all rows under `jax.vmap`.
        """
        prng.threads_keys(self._subject, cases, returns_key=returns_key, draws=draws)

    def traces(self, *cases: Case) -> None:
        """Works under `jax.jit` and agrees with the plain call."""
        jit.traces(self._subject, cases)

    def traces_once(self, *cases: Case) -> None:
        """Nothing wrapped in `jax.jit` is traced anew at each call."""
        jit.traces_once(self._subject, cases)

    def program_does_not_grow(self, *cases: Case) -> None:
        """The number of operations does not follow the size; give the smallest case first."""
        jit.program_does_not_grow(self._subject, cases)

    def needs_at_most(self, *cases: Case, elements: int | None = None, steps: int | None = None) -> None:
        """No value in the program has more elements, and its loops take no more steps in all."""
        jit.needs_at_most(self._subject, cases, elements=elements, steps=steps)

    def carries_in_scan(self, *cases: Case, carry: int = 0, result: int | None = None) -> None:
        """Fits as the body of `jax.lax.scan`: argument `carry` comes back with equal structure and types.

        `result` is the position of the new carry in the returned tuple; None: it is the whole result.
        """
        jit.carries_in_scan(self._subject, cases, carry=carry, result=result)

    def program_has_symbolic_size(
        self,
        reference: CourseFunction,
        *cases: Case,
        atol: float | None = None,
        rtol: float | None = None,
    ) -> None:
        """One program, traced without knowing the sizes in which the cases differ, is right for all of them.

        The sharpest test of a loop over a size. It also refuses code that rightly needs a size as a number.
        """
        tolerance = Tolerance(atol=atol, rtol=rtol)
        sizes.has_symbolic_size(self._subject, reference, cases, tolerance=tolerance)

    def gradient_matches(
        self,
        oracle: GradientOracle,
        *cases: Case,
        wrt: int = 0,
        per_example: tuple[int, ...] | Mapping[int, int] = (),
        atol: float | None = None,
        rtol: float | None = None,
    ) -> None:
        """`jax.grad` of the sum of the results, with respect to argument `wrt`, is the oracle's.

        The oracle is ``reference.f``, ``oracles.finite_differences(reference.f)`` or ``oracles.torch(f)``.
        With `per_example`, positions of arguments that hold examples, there is one gradient for each example.
        """
        transforms.gradient_matches(
            self._subject,
            oracle,
            cases,
            wrt=wrt,
            per_example=_axes(per_example),
            tolerance=Tolerance(atol=atol, rtol=rtol),
        )

    def can_be_differentiated(self, *cases: Case, wrt: int = 0) -> None:
        """`jax.grad` with respect to argument `wrt` works, is finite, and is not zero for all cases."""
        transforms.can_be_differentiated(self._subject, cases, wrt=wrt)

    def maps_over(self, *cases: Case, mapped: tuple[int, ...] | Mapping[int, int] = (0,)) -> None:
        """`jax.vmap` equals a call for each row.

        `mapped` are the positions of arguments that have rows along their first axis, or
        ``{position: axis}``.
        """
        transforms.maps_over(self._subject, cases, axes=_axes(mapped))

    def can_be_scanned(self, *cases: Case) -> None:
        """`jax.lax.scan` with the function as body equals calling it step by step.

        A case is what the scan takes, ``draw(carry, inputs)``; further arguments are the same at each step.
        """
        transforms.can_be_scanned(self._subject, cases)

    def keeps_dtype(self, *cases: Case, of: int = 0, result: int | None = None) -> None:
        """Every array of the results has the type of argument `of`.

        With `result`, only what stands at that position of a returned tuple.
        """
        dtype.keeps_dtype(self._subject, cases, of=of, result=result)

    def does_not_narrow(self, *cases: Case) -> None:
        """No step asks for a 64-bit type, which JAX makes narrower with a warning that is easily missed."""
        dtype.does_not_narrow(self._subject, cases)

    def promotes_explicitly(self, *cases: Case) -> None:
        """Arrays of different types meet only after a conversion: strict promotion finds nothing."""
        dtype.promotes_explicitly(self._subject, cases)

    def gives_strong_types(self, *cases: Case) -> None:
        """No result has the weak type of a Python number."""
        dtype.gives_strong_types(self._subject, cases)

    def is_ready_for_x64(
        self,
        reference: CourseFunction,
        *cases: Case,
        atol: float | None = None,
        rtol: float | None = None,
    ) -> None:
        """Under `jax.enable_x64`, float64 inputs give the reference's results in float64's precision."""
        tolerance = Tolerance(atol=atol, rtol=rtol)
        dtype.is_ready_for_x64(self._subject, reference, cases, tolerance=tolerance)

    def runs_over_devices(
        self,
        reference: CourseFunction,
        *cases: Case,
        devices: int = 4,
        given: Given = None,
        returns: Given = None,
        atol: float | None = None,
        rtol: float | None = None,
    ) -> None:
        """Over so many simulated devices it gives the reference's values, lying as `returns` says.

        `given` says how the arguments lie: ``split(0)``, ``whole``, ``on(2)``, or a tuple with one for each.
        """
        device.runs_over_devices(
            self._subject,
            reference,
            cases,
            devices=devices,
            given=given,
            returns=returns,
            tolerance=Tolerance(atol=atol, rtol=rtol),
        )

    def places_result(
        self,
        *cases: Case,
        returns: Given,
        devices: int = 4,
        given: Given = None,
        committed: bool | None = None,
    ) -> None:
        """A plain call among so many simulated devices leaves its result where `returns` says.

        With `committed`, the result has to be bound to that place, or with False must not be.
        """
        device.places_result(
            self._subject, cases, devices=devices, given=given, returns=returns, committed=committed
        )

    def is_faster_than(self, baseline: CourseFunction, *, at_least: float, on: Case) -> None:
        """The compiled program takes at most 1/`at_least` of the baseline's time, on inputs like `on`."""
        self._notes.append(
            speed.is_faster_than(self._subject, baseline, self._reference, at_least=at_least, case=on)
        )


def _axes(mapped: tuple[int, ...] | Mapping[int, int]) -> Mapping[int, int]:
    """Axes by position; the first axis where only positions are given."""
    return mapped if isinstance(mapped, Mapping) else dict.fromkeys(mapped, 0)


class Submission:
    """The ``submission`` fixture: ``submission.normalize`` is a `FunctionUnderTest`."""

    def __init__(
        self,
        session: Session,
        assignment: Assignment,
        reference: Course,
        *,
        source: Source,
        notes: list[Evidence],
    ) -> None:
        self._session, self._assignment, self._reference = session, assignment, reference
        self._source, self._notes = source, notes

    def __getattr__(self, name: str) -> FunctionUnderTest:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            spec = self._assignment.function(name)
        except KeyError:
            raise SuiteMisused(f"assignment.toml declares no function {name!r}") from None
        reference: CourseFunction = getattr(self._reference, name)
        subject = Subject(
            spec=spec,
            parameters=reference.parameters,
            session=self._session,
            source=self._source,
            reference=reference,
        )
        return FunctionUnderTest(subject, reference, self._notes)
