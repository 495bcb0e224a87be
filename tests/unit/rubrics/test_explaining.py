"""JAX's own errors, made for real, get the code that explains them and the student's own line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from grader.domain.catalogue import CODES
from grader.domain.verdicts import Verdict
from grader.engine.candidate.faults import describe
from grader.engine.session import Fault, Frame, LoadFailed, SubmissionEnded
from rubrics import explaining, known_errors
from tests.builders import submitted

HEAD = (
    "import functools\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax, random\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Raising:
    """A body of `f(x)` that raises on its line, or on the line that ends in ``# here``."""

    code: str
    body: str
    before: str = ""
    jitted: bool = False


def plain(code: str, *bodies: str) -> list[Raising]:
    return [Raising(code=code, body=body) for body in bodies]


def jitted(code: str, *bodies: str) -> list[Raising]:
    return [Raising(code=code, body=body, jitted=True) for body in bodies]


MISTAKES = [
    *jitted("jit.tracer_bool", "return x if x[0] > 0 else -x", "assert x[0] > 0"),
    *jitted("jit.tracer_array", "return np.sin(np.asarray(x))", "return np.sin(x)"),
    *jitted("jit.tracer_into_array", "np.zeros(2)[0] = x[0]", "np.zeros((2, 2))[0, 1] = x[0] * 2"),
    *plain("call.raised", "np.zeros(2)[0] = [1, 2]", "np.zeros(2)[0] = x"),
    *jitted("jit.tracer_integer", "return range(x[0].astype(int))", "return [1, 2][x[0].astype(int)]"),
    *jitted("jit.concretization", "return float(x[0])", "return x.sum().item()", "return x.tolist()"),
    *jitted("jit.concretization", "return jnp.arange(x[0])", "return jnp.unique(x)", "return jnp.nonzero(x)"),
    *jitted(
        "jit.concretization", "return jnp.ones((jnp.add(x.size, 1),))", "return jnp.eye(x[0].astype(int))"
    ),
    *jitted("jit.concretization", "return x[: x[1].astype(int)]", "return f'{x[0]:.2f}'"),
    *jitted("jit.boolean_mask", "return x[x > 1]"),
    *plain("jit.scan_carry", "return lax.scan(lambda c, v: (c + v, None), jnp.int32(0), x)"),
    *plain("jit.scan_carry", "return lax.fori_loop(0, 3, lambda i, c: c * 1.5, jnp.int32(1))"),
    *plain("jit.scan_carry", "return lax.while_loop(lambda c: c < 3, lambda c: c + 1.5, jnp.int32(0))"),
    *plain("jit.scan_pair", "return lax.scan(lambda c, v: c + v, 0.0, x)"),
    *plain("jit.branch_types", "return lax.cond(x[0] > 0, lambda v: v, lambda v: v[:1], x)"),
    *plain("jit.branch_types", "return lax.cond(x > 0, lambda v: v, lambda v: v, x)"),
    *plain(
        "jit.nonscalar_grad",
        "return jax.grad(lambda v: v**2)(x)",
        "return jax.grad(lambda v: (v.sum(), v))(x)",
    ),
    *plain("jit.nonscalar_grad", "return jax.grad(lambda v: None)(x)"),
    *plain("jit.integer_grad", "return jax.grad(lambda v: v * v)(1)"),
    *plain(
        "jit.while_reverse",
        "return jax.grad(lambda v: lax.while_loop(lambda c: c < 9.0, lambda c: c * 2, v))(x[1])",
    ),
    Raising(
        code="jit.unhashable_static",
        before="@functools.partial(jax.jit, static_argnums=0)\ndef g(x):\n    return x\n",
        body="return g(x)",
    ),
    Raising(
        code="jit.unexpected_tracer",
        before="kept = []\n@jax.jit\ndef g(x):\n    kept.append(x + 1)  # here\n    return x\n",
        body="return g(x) + kept[0]",
    ),
    *plain(
        "immutability.item_assignment", "x[0] = 1", "del x[0]", "np.asarray(x)[0] = 1", "np.asarray(x).sort()"
    ),
    *plain("immutability.item_assignment", "np.add(x, 1, out=np.asarray(x))"),
    *plain("immutability.out_argument", "return jnp.add(x, 1, out=x)", "return jnp.matmul(x, x, out=x)"),
    Raising(code="immutability.input_deleted", body="x.delete()\n    return x + 1  # here"),
    Raising(
        code="immutability.input_deleted",
        before="step = jax.jit(lambda v: v + 1, donate_argnums=0)\n",
        body="y = step(x)\n    return y + x  # here",
    ),
    *plain("prng.key_batch", "return random.normal(random.split(random.key(0), 4), (4,))"),
    *plain("prng.key_batch", "return random.normal(random.split(random.PRNGKey(0), 4), (4,))"),
    *plain("prng.not_a_key", "return random.normal(0, (3,))", "return random.split(42)"),
    Raising(
        code="prng.key_reused",
        body=(
            "with jax.debug_key_reuse(True):\n        key = random.key(0)\n        a = random.normal(key)\n"
            "        return a + random.normal(key)  # here"
        ),
    ),
    *plain("device.string_device", "return jax.device_put(x, 'cpu')", "return jnp.zeros(3, device='cpu')"),
    *plain("device.not_there", "return jax.device_put(x, jax.devices('gpu')[0])"),
    *plain(
        "call.list_argument",
        "return jnp.max([1, 2])",
        "return jnp.exp((1.0, 2.0))",
        "return jnp.dot([1, 2], x)",
    ),
    *plain(
        "call.not_an_array",
        "return jnp.sum(None)",
        "return jnp.sin('a')",
        "return jax.jit(lambda o: o)(object())",
    ),
    *plain("values.not_an_array", "return jax.jit(lambda v: 'text')(x)"),
    *plain(
        "call.shape_mismatch",
        "return x + jnp.ones(3)",
        "return x @ jnp.ones((3, 2))",
        "return x.reshape(3, 2)",
    ),
    *plain(
        "call.shape_mismatch", "return jnp.stack([x, jnp.ones(2)])", "return jnp.where(x > 0, x, jnp.ones(2))"
    ),
    *plain(
        "call.shape_mismatch",
        "return jnp.concatenate([x, jnp.ones((2, 2))])",
        "return x.at[:2].set(jnp.ones(3))",
    ),
    *plain(
        "call.shape_mismatch",
        "return jax.vmap(lambda a, b: a + b)(x, jnp.ones(3))",
        "return jax.vmap(jnp.sin)(x[0])",
    ),
    *plain("call.shape_mismatch", "return jnp.einsum('ij,jk->ik', jnp.ones((2, 3)), jnp.ones((4, 2)))"),
    *plain(
        "call.shape_mismatch", "return np.ones(4) + np.ones(3)", "return np.ones((2, 3)) @ np.ones((2, 3))"
    ),
    *plain("call.no_such_axis", "return x.sum(axis=1)", "return x.mean(axis=1)", "return x.shape[1]"),
    *plain("call.no_such_axis", "return x[0, 1]"),
    *plain("call.raised", "return (1, 2)[2]"),
    *plain("call.bad_index", "return x[1.0]", "return x['a']", "return x[[0, 1]]"),
    *plain(
        "call.not_in_jax", "return x.numpy()", "x.fill(0)", "return x.mean(dim=0)", "return jnp.append_row(x)"
    ),
    *jitted("call.not_in_jax", "return x.detach()"),
    *plain("call.ambiguous_truth", "return 1 if x > 0 else 2"),
    *plain("call.unhashable_array", "return {x: 1}"),
    *plain("call.no_length", "return len(x[0])", "return [v for v in x[0]]"),
    *plain("call.mixed_dtypes", "return lax.add(x, 1)"),
    *plain("call.missing_rule", "return jax.grad(lambda v: lax.nextafter(v, v).sum())(x)"),
    *plain("call.missing_rule", "return jax.grad(lambda v: jax.pure_callback(lambda q: q, v, v))(x[1])"),
    *plain("submission.not_implemented", "raise NotImplementedError"),
    *plain("submission.not_implemented", "raise NotImplementedError('not yet implemented: use jax.lax')"),
    *plain(
        "dtype.implicit_promotion",
        "with jax.numpy_dtype_promotion('strict'): return x + x.astype('bfloat16')",
    ),
    *plain("call.raised", "return undefined_name", "return 1 / 0"),
]
NOT_RAISED_HERE = {"jit.callback", "device.mixed_devices"}
"""Raised by the export of a program, which a call alone does not do, and where there are several devices."""


def text_of(mistake: Raising) -> str:
    """A submission with the one line that has to be named marked."""
    body = mistake.body if "# here" in mistake.before + mistake.body else f"{mistake.body}  # here"
    decorator = "@jax.jit\n" if mistake.jitted else ""
    return f"{HEAD}\n{mistake.before}\n{decorator}def f(x):\n    {body}\n"


def fault_of(text: str) -> Fault:
    """What calling `f` of a submission raises."""
    scope: dict[str, Any] = {}
    exec(compile(text, "submission.py", "exec"), scope)  # noqa: S102 - a submission in a test
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any; which, is the question
        scope["f"](jnp.arange(4.0))
    data = describe(caught.value, {"submission.py"})
    frames = tuple(Frame(file=f["file"], line=f["line"], function=f["function"]) for f in data["frames"])
    return Fault(
        type=data["type"],
        bases=tuple(data["bases"]),
        causes=tuple(data["causes"]),
        text=data["text"],
        frames=frames,
    )


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: f"{mistake.code}: {mistake.body}")
def test_a_mistake_is_explained_at_its_line(mistake: Raising):
    text = text_of(mistake)
    failure = explaining.raised("f", fault_of(text), submitted(text))
    assert failure.feedback.code == mistake.code
    assert text.splitlines()[(failure.feedback.line or 1) - 1].endswith("# here")
    assert str(failure.feedback.params["source"]).endswith("# here")


def test_a_forged_place_outside_the_submission_is_not_believed():
    fault = Fault(type="UnexpectedTracerError", text="was created on line /etc/passwd:3:1")
    assert explaining.raised("f", fault, submitted("x = 1\n")).feedback.line is None


def test_an_error_says_nothing_of_the_graders_own_code():
    assert "/grader/" not in fault_of(text_of(MISTAKES[0])).text


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
    "body, line",
    [
        ("y = x + 1\n    return jax.lax.while_loop(lambda v: True, lambda v: v, y)", 4),
        ("for v in x:\n        x = x + v\n    return x", 3),
        ("return x", None),
    ],
)
def test_a_call_stopped_where_no_line_is_known_points_at_the_loop(body: str, line: int | None):
    text = f"import jax\ndef f(x):\n    {body}\n"
    ended = SubmissionEnded("f", Verdict.TIMED_OUT, 3.2)
    failure = explaining.ended(ended, submitted(text), memory_mib=2048)
    assert failure.feedback.line == line
    crashed = explaining.ended(SubmissionEnded("f", Verdict.CRASHED), submitted(text), memory_mib=2048)
    assert crashed.feedback.line is None


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


def test_every_code_an_error_can_get_is_in_the_catalogue_and_raised_here_for_real():
    assert known_errors.all_codes() <= CODES.keys()
    assert known_errors.all_codes() - {mistake.code for mistake in MISTAKES} == NOT_RAISED_HERE


def test_the_tests_run_on_the_jax_whose_errors_they_know():
    assert jax.__version__ == "0.10.2"


def test_lines_are_counted_as_python_counts_them():
    text = "# one\x0b\x0c\x85\u2028still one\ndef f(x):\n    return x\n"
    files = submitted(text)
    assert explaining.line_of(files, "submission.py", 3) == "return x"
    assert compile(text, "submission.py", "exec").co_consts[0].co_firstlineno == 2
