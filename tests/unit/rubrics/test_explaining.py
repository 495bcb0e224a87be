"""JAX's own errors, made for real, get the code that explains them and the student's own line."""

from __future__ import annotations

import textwrap
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from grader.domain.catalogue import CODES
from grader.domain.verdicts import Verdict
from grader.engine.candidate.faults import describe
from grader.engine.session import Fault, Frame, LoadFailed, SubmissionEnded
from rubrics import explaining
from tests.builders import submitted

HEAD = "import functools\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n"

MISTAKES = {
    "jit.tracer_bool": "@jax.jit\ndef f(x):\n    if x[0] > 0:  # here\n        return x\n    return -x\n",
    "jit.tracer_array": "@jax.jit\ndef f(x):\n    return np.sin(np.asarray(x))  # here\n",
    "jit.tracer_integer": "@jax.jit\ndef f(x):\n    return range(x[0].astype(int))  # here\n",
    "jit.concretization": "@jax.jit\ndef f(x):\n    return float(x[0])  # here\n",
    "jit.boolean_mask": "@jax.jit\ndef f(x):\n    return x[x > 1]  # here\n",
    "jit.scan_carry": "def f(x):\n    return lax.scan(lambda c, v: (c + v, None), jnp.int32(0), x)  # here\n",
    "jit.nonscalar_grad": "def f(x):\n    return jax.grad(lambda v: v**2)(x)  # here\n",
    "jit.integer_grad": "def f(x):\n    return jax.grad(lambda v: v * v)(1)  # here\n",
    "jit.while_reverse": (
        "def f(x):\n    loop = lambda v: lax.while_loop(lambda c: c < 9.0, lambda c: c * 2, v)\n"
        "    return jax.grad(loop)(x[1])  # here\n"
    ),
    "jit.unhashable_static": (
        "@functools.partial(jax.jit, static_argnums=0)\ndef g(x):\n    return x\n\n"
        "def f(x):\n    return g(x)  # here\n"
    ),
    "immutability.item_assignment": "def f(x):\n    x[0] = 1  # here\n    return x\n",
    "immutability.input_deleted": "def f(x):\n    x.delete()\n    return x + 1  # here\n",
    "submission.not_implemented": "def f(x):\n    raise NotImplementedError  # here\n",
    "call.raised": "def f(x):\n    return x.nothing_of_this_name  # here\n",
}


def fault_of(code: str) -> tuple[Fault, str]:
    """The fault that calling `f` of `code` raises, and the whole text."""
    text = HEAD + textwrap.dedent(code)
    scope: dict[str, Any] = {}
    exec(compile(text, "submission.py", "exec"), scope)  # noqa: S102 - a submission in a test
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any; which, is the question
        scope["f"](jnp.arange(4.0))
    data = describe(caught.value, {"submission.py"})
    frames = tuple(Frame(file=f["file"], line=f["line"], function=f["function"]) for f in data["frames"])
    return Fault(type=data["type"], bases=tuple(data["bases"]), text=data["text"], frames=frames), text


@pytest.mark.parametrize("code", MISTAKES)
def test_a_mistake_is_explained_at_its_line(code: str):
    fault, text = fault_of(MISTAKES[code])
    failure = explaining.raised("f", fault, submitted(text))
    assert failure.feedback.code == code
    assert text.splitlines()[(failure.feedback.line or 1) - 1].endswith("# here")
    assert str(failure.feedback.params["source"]).endswith("# here")


def test_a_leaked_tracer_is_placed_where_it_was_made():
    code = (
        "kept = []\n\n@jax.jit\ndef g(x):\n    kept.append(x + 1)  # here\n    return x\n\n"
        "def f(x):\n    g(x)\n    return kept[0] * 2\n"
    )
    fault, text = fault_of(code)
    assert explaining.leaked(fault)
    failure = explaining.raised("f", fault, submitted(text))
    assert failure.feedback.code == "jit.unexpected_tracer"
    assert text.splitlines()[(failure.feedback.line or 1) - 1].endswith("# here")


def test_a_forged_place_outside_the_submission_is_not_believed():
    fault = Fault(type="UnexpectedTracerError", text="was created on line /etc/passwd:3:1")
    assert explaining.raised("f", fault, submitted("x = 1\n")).feedback.line is None


def test_an_error_says_nothing_of_the_graders_own_code():
    fault, _ = fault_of(MISTAKES["jit.tracer_bool"])
    assert "/grader/" not in fault.text


@pytest.mark.parametrize(
    "verdict, code",
    [
        (Verdict.TIMED_OUT, "call.timed_out"),
        (Verdict.OUT_OF_MEMORY, "call.out_of_memory"),
        (Verdict.CRASHED, "call.died"),
    ],
)
def test_the_end_of_a_process_has_a_code(verdict: Verdict, code: str):
    failure = explaining.ended(SubmissionEnded("f", verdict, 3.2), submitted("x = 1\n"), memory_mib=2048)
    assert (failure.feedback.code, failure.verdict) == (code, verdict)
    assert failure.feedback.params["limit"] == "2 GiB"


@pytest.mark.parametrize(
    "name, bases, code",
    [
        ("IndentationError", ("IndentationError", "SyntaxError"), "submission.syntax_error"),
        ("ModuleNotFoundError", ("ModuleNotFoundError", "ImportError"), "submission.import_error"),
        ("ZeroDivisionError", ("ZeroDivisionError",), "submission.load_crashed"),
    ],
)
def test_a_submission_that_cannot_be_loaded_is_told_why(name: str, bases: tuple[str, ...], code: str):
    failed = LoadFailed(Fault(type=name, bases=bases), Verdict.FAILED)
    assert explaining.load_failed(failed, submitted("x = 1\n"), memory_mib=512).feedback.code == code


def test_every_code_an_error_can_get_is_in_the_catalogue():
    texts = [code for _, code in explaining._BY_TEXT]
    assert {*texts, *explaining._BY_TYPE.values(), *explaining.TRACING_ERRORS} <= CODES.keys()


def test_the_tests_run_on_the_jax_whose_errors_they_know():
    assert jax.__version__ == "0.10.2"
