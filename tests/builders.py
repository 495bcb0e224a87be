"""Sample values for tests: short ways to build checks, attempts and submissions, and one report with
everything in it.

Each builder fills in what a test does not care about; what it does care about is passed by name.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from grader.domain.results import (
    AttemptResult,
    CheckResult,
    Environment,
    Evidence,
    EvidenceKind,
    Feedback,
)
from grader.domain.rubric import CheckSpec, Rubric
from grader.domain.submission import Notice, SourceFile, SubmittedFiles
from grader.domain.verdicts import DEFAULT_BLAME, Family, Verdict, Visibility

CHECK_ID = "normalize.values.rows_are_standardised"

HOSTILE = "<script>alert('x')</script>&amp;\x1b[31m\u202eevil\x00 {{ 7*7 }} `tick` \udc80"
"""Text that acts wherever it is not made inert."""

SOURCE = '''\
"""Homework 1, handed in at the last minute."""
import jax
import jax.numpy as jnp
import numpy as np

CALLS = 0


def normalize(x):
    global CALLS
    CALLS += 1
    print("normalizing", x.shape)
    mean = x.mean(axis=0)
    std = x.std(axis=1, keepdims=True)
    return (x - mean) / (std + 1e-6)


def set_diagonal(m, v):
    n = m.shape[0]
    m.at[jnp.arange(n), jnp.arange(n)].set(v)
    return m


def sample_walk(key, n):
    start = jax.random.normal(key, ())
    steps = jax.random.normal(key, (n,))
    return key, start + jnp.cumsum(steps)


def pairwise_sq_dists(a, b):
    out = jnp.zeros((a.shape[0], b.shape[0]))
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            out = out.at[i, j].set(jnp.sum((a[i] - b[j]) ** 2))
    return out


def smooth(x, n_steps):
    if n_steps == 0:
        return x
    for _ in range(n_steps):
        left, right = jnp.roll(x, 1), jnp.roll(x, -1)
        x = (left + 2 * x + right) / 4
    return x
'''

ENVIRONMENT = Environment(
    jax="0.10.2",
    jaxlib="0.10.2",
    numpy="2.4.6",
    python="3.11.7",
    device="cpu",
    layers=("namespaces", "seccomp", "landlock", "rlimits"),
)


def submitted(text: str = SOURCE, *, entry: str = "submission.py", **helpers: str) -> SubmittedFiles:
    """A submission of one main file, and helper modules by name (without ``.py``)."""
    files = [SourceFile(name=entry, text=text)]
    files += [SourceFile(name=f"{name}.py", text=content) for name, content in helpers.items()]
    return SubmittedFiles(entry=entry, files=tuple(files))


def a_spec(check_id: str = CHECK_ID, **changes: Any) -> CheckSpec:  # noqa: ANN401 - any field of CheckSpec
    """A check as a suite declares it; function and family are read off the id."""
    function, family, name = check_id.split(".")
    values: dict[str, Any] = {
        "id": check_id,
        "node_id": f"rubric/test_core.py::test_{name}",
        "title": name.replace("_", " ").capitalize() + ".",
        "family": Family(family),
        "function": function,
        "points": Fraction(4),
    }
    return CheckSpec(**{**values, **changes})


def a_check(
    check_id: str = CHECK_ID,
    verdict: Verdict = Verdict.PASSED,
    *,
    code: str | None = None,
    params: dict[str, Any] | None = None,
    line: int | None = None,
    file: str | None = None,
    evidence: tuple[Evidence, ...] = (),
    flags: tuple[str, ...] = (),
    **spec: Any,  # noqa: ANN401 - any field of CheckSpec
) -> CheckResult:
    """One check with its verdict; `spec` changes fields of its CheckSpec."""
    feedback = None if code is None else Feedback(code=code, params=params or {}, line=line, file=file)
    return CheckResult(
        spec=a_spec(check_id, **spec),
        verdict=verdict,
        blame=DEFAULT_BLAME[verdict],
        feedback=feedback,
        evidence=evidence,
        seconds=0.12,
        flags=flags,
    )


def an_attempt(*checks: CheckResult, **changes: Any) -> AttemptResult:  # noqa: ANN401
    """An attempt over those checks (one that passed, if none is given)."""
    results = checks or (a_check(),)
    values: dict[str, Any] = {
        "assignment": "functional-core",
        "version": "5f2c" * 16,
        "rubric": Rubric(checks=tuple(check.spec for check in results)),
        "results": results,
        "environment": ENVIRONMENT,
        "seed": "c0ffee" * 8,
        "seconds": 2.9,
    }
    return AttemptResult(**{**values, **changes})


def evidence(kind: EvidenceKind, **data: Any) -> Evidence:  # noqa: ANN401
    """One piece of evidence."""
    return Evidence(kind=kind, data=data)


ARRAYS = evidence(
    EvidenceKind.ARRAYS,
    label="the result",
    dtype="float32",
    shape=[32, 8],
    actual=[[-1.2247, 0.0, 1.2247], [0.5, "nan", 12345.678], [0.1, 0.2, 0.3]],
    expected=[[-1.2247, 0.0, 1.2247], [0.25, 0.125, 0.0625], [0.1, 0.2, 0.3]],
    differs=[[False, False, False], [True, True, True], [False, False, False]],
    inputs=[{"name": "x", "text": "float32[32,8] [[ 0.3, -1.1, …"}],
    origin=[4, 0],
)
TIMING = evidence(
    EvidenceKind.TIMING,
    unit="s",
    student=[0.0112, 0.0108, 0.0117, 0.0109, 0.0131, 0.0111, 0.0110, 0.0112],
    baseline=[0.0214, 0.0209, 0.0221, 0.0211, 0.0216, 0.0210, 0.0240, 0.0213],
    reference=[0.00021, 0.00020, 0.00022, 0.00021, 0.00020, 0.00021, 0.00023, 0.00021],
    ratio=1.92,
    low=1.78,
    high=2.04,
    needed=20,
    basis="cpu",
    compile_s=0.84,
)
TRACES = evidence(EvidenceKind.TRACES, calls=5, traces=5, signature="float32[32,8]")
PROGRAM_SIZE = evidence(
    EvidenceKind.PROGRAM_SIZE, points=[{"n": 4, "ops": 161}, {"n": 8, "ops": 641}, {"n": 16, "ops": 2561}]
)
KEYS = evidence(
    EvidenceKind.KEYS,
    rows=[
        {"use": "draw", "key": "a1b2c3d4…", "line": 25, "times": 1},
        {"use": "draw", "key": "a1b2c3d4…", "line": 26, "times": 1},
        {"use": "returned", "key": "a1b2c3d4…", "line": 27, "times": 1},
    ],
)
OUTPUT = evidence(EvidenceKind.OUTPUT, stream="stdout", text="normalizing (32, 8)\n" * 3, bytes=60)
STATE = evidence(EvidenceKind.STATE, name="CALLS", before="0", after="3")
JAXPR = evidence(
    EvidenceKind.JAXPR,
    text="{ lambda ; a:f32[3,3] b:f32[3]. let\n    c:f32[3,3] = scatter a b\n  in (a,) }",
)
STRUCTURE = evidence(EvidenceKind.STRUCTURE, expected="(key, float32[16])", actual="float32[16]")
ERROR = evidence(
    EvidenceKind.ERROR,
    type="TracerBoolConversionError",
    text="Attempted boolean conversion of traced array with shape bool[].",
    frames=[
        {"line": 41, "function": "smooth", "text": "if n_steps == 0:"},
        {"line": 3, "function": "helper", "text": "return x"},
    ],
)
SOURCE_LINE = evidence(EvidenceKind.SOURCE, file="submission.py", line=20, text="m.at[...].set(v)")


def everything() -> AttemptResult:
    """A student's attempt with every kind of evidence and every verdict; goes with `SOURCE`."""
    checks = (
        a_check(
            "normalize.values.rows_are_standardised",
            Verdict.FAILED,
            code="values.differ",
            params={"function": "normalize", "count": 3, "size": 256, "worst": 12345.6},
            line=13,
            evidence=(ARRAYS,),
            title="Each row has mean 0 and standard deviation 1.",
        ),
        a_check("normalize.values.constant_rows_stay_finite", title="A constant row gives zeros, not NaN."),
        a_check(
            "normalize.purity.no_side_effects",
            Verdict.FAILED,
            code="purity.changes_global",
            params={"function": "normalize", "name": "CALLS"},
            line=11,
            evidence=(STATE, OUTPUT),
            title="A call changes nothing outside its result.",
        ),
        a_check(
            "normalize.jit.traces_once",
            Verdict.FAILED,
            code="jit.retraced",
            params={"function": "normalize", "traces": 5, "calls": 5},
            line=9,
            evidence=(TRACES,),
            title="Traced once for equal shapes.",
        ),
        a_check(
            "set_diagonal.values.diagonal_is_replaced",
            Verdict.FAILED,
            code="values.discarded_update",
            params={"function": "set_diagonal", "source": "m.at[jnp.arange(n), jnp.arange(n)].set(v)"},
            line=20,
            evidence=(SOURCE_LINE, JAXPR),
            points=Fraction(7, 2),
            title="The diagonal is replaced.",
        ),
        a_check(
            "sample_walk.prng.each_key_is_used_once",
            Verdict.FAILED,
            code="prng.key_reused",
            params={"function": "sample_walk", "times": 2, "first_line": 25},
            line=26,
            evidence=(KEYS,),
            title="Each key is used once.",
        ),
        a_check(
            "sample_walk.values.shape_and_type",
            Verdict.FAILED,
            code="values.wrong_structure",
            params={"function": "sample_walk", "found": "float32[16]", "expected": "(key, float32[16])"},
            line=27,
            evidence=(STRUCTURE,),
            title="Returns a key and the positions.",
        ),
        a_check(
            "pairwise_sq_dists.jit.beats_the_loop",
            Verdict.FAILED,
            code="jit.too_slow",
            params={"function": "pairwise_sq_dists", "ratio": 1.92, "needed": 20, "low": 1.78, "high": 2.04},
            line=32,
            evidence=(TIMING,),
            title="At least 20 times faster than the Python loop.",
        ),
        a_check(
            "pairwise_sq_dists.jit.program_does_not_grow",
            Verdict.FAILED,
            code="jit.program_grows",
            params={
                "function": "pairwise_sq_dists",
                "small": 4,
                "large": 16,
                "ops_small": 161,
                "ops_large": 2561,
            },
            line=32,
            evidence=(PROGRAM_SIZE,),
            title="The program has one size for all inputs.",
        ),
        a_check(
            "smooth.jit.traces_with_both_arguments",
            Verdict.CRASHED,
            code="jit.tracer_bool",
            params={"function": "smooth", "source": "if n_steps == 0:"},
            line=39,
            evidence=(ERROR,),
            title="Works under jit with both arguments traced.",
        ),
        a_check(
            "smooth.values.many_steps",
            Verdict.TIMED_OUT,
            code="call.timed_out",
            params={"function": "smooth", "seconds": 20},
            line=41,
            title="10,000 steps are right.",
        ),
        a_check("smooth.values.zero_steps", title="No step gives the input back."),
        a_check(
            "smooth.values.long_rows",
            Verdict.OUT_OF_MEMORY,
            code="call.out_of_memory",
            params={"function": "smooth", "limit": "2 GiB"},
            title="Rows of a million entries.",
        ),
        a_check("smooth.purity.two_worlds", Verdict.INTERNAL_ERROR, code="grader.internal", title="Pure."),
        a_check(
            "smooth.jit.fast",
            Verdict.INCONCLUSIVE,
            code="jit.speed_uncertain",
            params={"function": "smooth", "ratio": 2.04, "needed": 2, "low": 1.9, "high": 2.2},
            title="At least twice as fast as a loop.",
            flags=("speed.remeasure",),
        ),
        a_check(
            "smooth.immutability.input_is_left_alone",
            Verdict.PASSED,
            visibility=Visibility.AFTER_DUE,
            title="The input is left alone.",
        ),
        a_check(
            "normalize.dtype.integers_become_floats",
            Verdict.FAILED,
            code="values.wrong_dtype",
            params={"function": "normalize", "found": "int32", "expected": "float32"},
            visibility=Visibility.HIDDEN,
            title="Integer rows secretly become floats.",
        ),
    )
    return an_attempt(
        *checks,
        notices=(
            Notice(code="upload.crlf", message="Windows line ends were changed to Unix ones."),
            Notice(code="notebook.magic", message="line 4: %matplotlib inline was taken out.", line=4),
        ),
        flags=("purity.source_and_run_disagree",),
        output="normalizing (32, 8)\n" * 4,
        cost={"load": 0.21, "trace": 0.34, "export": 0.18, "interpret": 0.12, "compile": 0.4, "run": 0.9},
    )


def hostile() -> tuple[AttemptResult, SubmittedFiles]:
    """An attempt in which every text is hostile, with its source."""
    text = f"x = 1  # {HOSTILE}\n" * 12
    params: dict[str, Any] = {"function": HOSTILE, "error": HOSTILE, "text": HOSTILE, "source": HOSTILE}
    proofs = (
        evidence(EvidenceKind.OUTPUT, stream=HOSTILE, text=HOSTILE, bytes=10**9),
        evidence(EvidenceKind.STATE, name=HOSTILE, before=HOSTILE, after=HOSTILE),
        evidence(EvidenceKind.ERROR, type=HOSTILE, text=HOSTILE, frames=[{"line": 3, "text": HOSTILE}]),
        evidence(EvidenceKind.JAXPR, text=HOSTILE),
        evidence(
            EvidenceKind.KEYS, rows=[{"use": HOSTILE, "key": HOSTILE, "line": HOSTILE, "times": HOSTILE}]
        ),
        evidence(
            EvidenceKind.ARRAYS, label=HOSTILE, actual=[[HOSTILE]], expected=[[HOSTILE]], differs=[[True]]
        ),
        evidence(EvidenceKind.STRUCTURE, expected=HOSTILE, actual=HOSTILE),
        evidence(EvidenceKind.TRACES, signature=HOSTILE),
        evidence(EvidenceKind.SOURCE, file=HOSTILE, line=1, text=HOSTILE),
    )
    check = a_check(
        verdict=Verdict.FAILED, code="call.raised", params=params, line=5, evidence=proofs, title=HOSTILE
    )
    result = an_attempt(check, notices=(Notice(code="x", message=HOSTILE, line=2),), output=HOSTILE)
    return result, submitted(text, entry="evil.py")
