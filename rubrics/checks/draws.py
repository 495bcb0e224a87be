"""Draws: the numbers that a function drew follow a law, are independent, and depend on the key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.domain.results import JsonValue
from rubrics import sampling
from rubrics.checks.values import as_numpy, as_numpy_argument, asked
from rubrics.comparing import Result
from rubrics.drawing import Case
from rubrics.laws import Law
from rubrics.source import Spot
from rubrics.subject import Subject

AnyArray = npt.NDArray[Any]
Numbers = Callable[[Any, Any], Any]
"""From a case's arguments and a result (NumPy trees) to the numbers that were drawn in it."""

SAME_DRAWS: Mapping[str, JsonValue] = {
    "statistic": "what different keys give",
    "found": "the same numbers for every key",
    "expected": "other numbers for each",
}

REALLY_DRAWN = 12
"""Cases whose draws are judged by real calls, each of which takes as long as dozens of runs of a program."""
ENOUGH = 20_000
"""Numbers with which a standard deviation 5 % off shows nearly always: see `rubrics.sampling`."""
MORE_CALLS = 2_000
"""Runs of one program, at most, to come to so many."""


def draws_from(subject: Subject, law: Law, cases: Sequence[Case], *, numbers: Numbers) -> None:
    """``numbers(args, result)``, over all cases together, are independent draws from `law`.

    A program is run with more keys than the cases have, until there are numbers enough. Code that might tell
    how it is called has to draw so in some real calls, too, in two worlds. Two runs may differ: where the
    randomness comes from is for other checks to say.
    """
    results = subject.results(cases)
    samples = _samples(subject, cases, results, numbers)
    _judge(subject, law, cases, results, samples)
    _judge(subject, law, cases, results, [*samples, *_more(subject, law, cases, samples, numbers)])
    if subject.source.telltale(subject.name) is not None:
        some = cases[:REALLY_DRAWN]
        for really in (subject.plain_results(some), [subject.abroad(case) for case in some]):
            _judge(subject, law, some, really, _samples(subject, some, really, numbers))


def _samples(
    subject: Subject, cases: Sequence[Case], results: Sequence[Result], numbers: Numbers
) -> list[AnyArray]:
    return [
        np.asarray(_numbers(subject, case, result, numbers), np.float64).ravel()
        for case, result in zip(cases, results, strict=True)
    ]


def _numbers(subject: Subject, case: Case, result: Result, numbers: Numbers) -> Any:  # noqa: ANN401 - as `Numbers`
    args = tuple(map(as_numpy_argument, case.args))
    return asked(subject, lambda: numbers(args, as_numpy(result)))


def _more(
    subject: Subject, law: Law, cases: Sequence[Case], samples: Sequence[AnyArray], numbers: Numbers
) -> list[AnyArray]:
    """What the first case's program draws with other keys; nothing if no key changes it.

    A key of the function's own is for other checks to say: here it would look like a wrong law.
    """
    size = samples[0].size
    lacking = ENOUGH - sum(sample.size for sample in samples)
    if not cases[0].has_key or not size or lacking <= 0:
        return []
    calls = min(-(-lacking // size), MORE_CALLS)
    others, results = subject.more_results(cases[0], calls)
    more = _samples(subject, others, results, numbers)
    return [] if sampling.same_for_all(more, law) else more


def _judge(
    subject: Subject, law: Law, cases: Sequence[Case], results: Sequence[Result], samples: Sequence[AnyArray]
) -> None:
    given = samples[: len(cases)]
    if all(case.has_key for case in cases) and sampling.same_for_all(given, law):
        raise subject.failed("values.distribution", dict(SAME_DRAWS), spot=_origin_of_draws(subject))
    flat = np.concatenate(samples)
    if not np.isfinite(flat).all():
        raise subject.failed(
            "values.not_finite", {"count": int((~np.isfinite(flat)).sum()), "size": flat.size}
        )
    odd = sampling.oddity(samples, law, coarse=_is_coarse(results))
    if odd is not None:
        params: dict[str, JsonValue] = {
            "statistic": odd.statistic,
            "found": odd.found,
            "expected": odd.expected,
        }
        spot = subject.source.draws(subject.name) or subject.source.returns(subject.name)
        raise subject.failed("values.distribution", params, spot=spot)


def _is_coarse(results: Sequence[Result]) -> bool:
    """Whether numbers of 16 bits were drawn."""
    return any(leaf.dtype in ("float16", "bfloat16") for leaf in results[0].leaves)


def _origin_of_draws(subject: Subject) -> Spot | None:
    """Where the key is made that takes the place of the caller's, else where draws are made."""
    return subject.source.makes_key(subject.name) or subject.source.draws(subject.name)
