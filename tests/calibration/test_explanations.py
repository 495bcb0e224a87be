"""What a student reads of an error or a wrong number, graded for real: the right code at the right line.

The programs are written as students write them; the comment beside a line is what has to be said of it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.content.assignments import read_assignment
from grader.domain.catalogue import CODES, render
from grader.domain.results import CheckResult
from grader.engine import Engine
from tests.calibration.mistakes.labels import labels_of
from tests.grading import files

pytestmark = pytest.mark.slow

HEAD = """\
import functools
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random

"""

ERRORS = (
    HEAD
    + """\
kept = []
TABLE = {}
jax.config.update("jax_debug_key_reuse", False)


@functools.lru_cache  # e01: jit.unexpected_tracer
def offsets(n):
    return jnp.arange(float(n))


def e01_cached_tracer(x):
    return jax.jit(lambda v: v + offsets(4))(x) + offsets(4)


def e02_mask(x):
    return jax.jit(lambda v: v[v > 0].sum())(x) + x  # jit.boolean_mask


def e03_item(x):
    scale = jax.jit(lambda v: v.max().item())(x)  # jit.concretization
    return x * scale


def e04_while_carry(x):
    return x + lax.while_loop(lambda n: n < 3, lambda n: n + 0.5, jnp.int32(0))  # jit.scan_carry


def e05_scan_body(x):
    def body(total, v):
        return total + v

    return x + lax.scan(body, 0.0, x)  # jit.scan_pair


def e06_branches(x):
    return lax.cond(x[0] > 0, lambda v: v, lambda v: v[:2], x)  # jit.branch_types


def e07_condition_of_all(x):
    return x if x > 0 else -x  # call.ambiguous_truth


def e08_torch(x):
    centred = x - x.mean(dim=0)  # call.not_in_jax
    return centred


def e09_detach(x):
    return x.detach()  # call.not_in_jax


def e10_list_index(x):
    return x[[0, 1, 2, 3]]  # call.bad_index


def e11_axis(x):
    return x - x.mean(axis=1)  # call.no_such_axis


def e12_shapes(x):
    w = jnp.ones((3, 2))
    return x @ w  # call.shape_mismatch


def e13_helper(x):
    def add(a, b):
        return a + b  # call.shape_mismatch

    return add(x, jnp.ones(3))


def e14_seed_for_key(x):
    return x + random.normal(0, x.shape)  # prng.not_a_key


def e15_out(x):
    jnp.add(x, 1.0, out=x)  # immutability.out_argument
    return x


def e16_sorted_view(x):
    y = np.asarray(x)
    y.sort()  # immutability.item_assignment
    return jnp.asarray(y)


def e17_array_as_key(x):
    TABLE[x] = 1  # call.unhashable_array
    return x


def e18_lax_types(x):
    return lax.mul(x, 2)  # call.mixed_dtypes


def e19_no_rule(x):
    return jax.grad(lambda v: lax.nextafter(v, v).sum())(x)  # call.missing_rule


def e20_gpu(x):
    return jax.device_put(x, jax.devices("gpu")[0])  # device.not_there


def e21_none(x):
    return jnp.where(x > 0, x, None)  # call.not_an_array


def e22_own_error(x):
    raise RuntimeError("not today")  # call.raised


def e23_donated(x):
    step = jax.jit(lambda v: v + 1, donate_argnums=0)
    y = x * 1
    z = step(y)
    return y + z  # immutability.input_deleted


def e24_text(x):
    return jax.jit(lambda v: "text")(x)  # values.not_an_array


def e25_reused(x):
    with jax.debug_key_reuse(True):
        key = random.key(0)
        a = random.normal(key)
        return x + a + random.normal(key)  # prng.key_reused


def e26_filled_table(x):
    def table(v):
        out = np.zeros((2, 2))
        for i in range(2):
            out[i, 0] = v[i]  # jit.tracer_into_array
        return jnp.asarray(out)

    return jax.jit(table)(x).sum() + x
"""
)

WRONG = (
    HEAD
    + """\
def w01_sample_spread(x):
    mean = x.mean()
    std = jnp.std(x, ddof=1)  # values.differ
    return (x - mean) / (std + 1e-6)


def w02_wrong_axis(x):
    rows = jnp.stack([x, 2 * x])
    total = rows.sum(axis=1)  # values.differ
    return rows / total[:, None]


def w03_log_of_negative(x):
    shifted = x - 10.0
    logs = jnp.log(shifted)  # values.not_finite
    return logs.sum() + x


def w04_wrong_sign(x):
    up = jnp.roll(x, 1)
    down = jnp.roll(x, -1)
    slope = (up + down) / 2  # values.differ
    return jax.nn.relu(slope)


def w05_helper(x):
    def gate(v):
        return jax.nn.sigmoid(2 * v)  # values.differ

    return x * gate(x)


def w06_in_a_tree(x):
    p = {"a": x, "b": 2 * x}
    moved = jax.tree.map(lambda v: v - 0.1 * v**3, p)  # values.differ
    return moved["a"] + moved["b"]


def w07_two_places(x):
    mean = x.mean() * 2
    std = jnp.std(x) * 2
    return (x - mean) / (std + 1e-6)  # values.differ
"""
)

RIGHT = {
    "w01_sample_spread": "return (x - x.mean()) / (jnp.std(x) + 1e-6)",
    "w02_wrong_axis": "rows = jnp.stack([x, 2 * x]); return rows / rows.sum(axis=0)",
    "w03_log_of_negative": "shifted = x - 10.0; return jnp.log1p(jnp.abs(shifted)).sum() + x",
    "w04_wrong_sign": "return jax.nn.relu((jnp.roll(x, 1) - jnp.roll(x, -1)) / 2)",
    "w05_helper": "return x * jax.nn.sigmoid(x)",
    "w06_in_a_tree": "return jax.tree.reduce(jnp.add, jax.tree.map(lambda v: v - 0.1 * v**2, [x, 2 * x]))",
    "w07_two_places": "return (x - x.mean()) / (jnp.std(x) + 1e-6)",
}

SUITE = """\
from rubrics import criterion, f32

def ask(name):
    @criterion("values", points=1, function=name)
    def check(submission, reference, draw):
        getattr(submission, name).matches(getattr(reference, name), draw(f32[4].between(0.5, 1)))
    check.__doc__ = name
    globals()[f"test_{name}"] = check

for name in NAMES:
    ask(name)
"""


def functions(text: str) -> dict[str, ast.FunctionDef]:
    """The graded functions of a text: those with a number."""
    nodes = ast.parse(text).body
    return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef) and node.name[1].isdigit()}


NAMES = [*functions(ERRORS), *functions(WRONG)]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CheckResult]:
    """What is said of each function."""
    root: Path = tmp_path_factory.mktemp("explained")
    bodies = {name: RIGHT.get(name, "return x") for name in NAMES}
    listed = "".join(f'\n[[functions]]\nname = "{name}"\n' for name in NAMES)
    head = 'slug = "explained"\ntitle = "Explained"\nentry = "submission.py"\nlesson = "lesson.md"\n'
    contents = {
        "assignment.toml": head + listed,
        "lesson.md": "# Explained\n",
        "starter/submission.py": "".join(f"def {name}(x): ...\n" for name in NAMES),
        "solution/submission.py": HEAD + "".join(f"def {name}(x):\n    {bodies[name]}\n" for name in NAMES),
        "rubric/test_explained.py": f"NAMES = {NAMES!r}\n{SUITE}",
    }
    for place, text in contents.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(text, encoding="utf-8")
    assignment = read_assignment(root)
    with Engine() as engine:
        results = [engine.grade(files(text), assignment, seed="s").results for text in (ERRORS, WRONG)]
    return {
        result.spec.function: result
        for text, found in zip((ERRORS, WRONG), results, strict=True)
        for result in found
        if result.spec.function in functions(text)
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_right_code_is_given_at_the_right_line(judged: dict[str, CheckResult], name: str) -> None:
    text = ERRORS if name in functions(ERRORS) else WRONG
    [(line, code)] = labels_of(text, functions(text)[name])
    feedback = judged[name].feedback
    assert feedback is not None
    assert (feedback.code, feedback.line) == (code, line)


def test_a_wrong_number_is_told_by_the_step_that_makes_it(judged: dict[str, CheckResult]) -> None:
    feedback = judged["w01_sample_spread"].feedback
    assert feedback is not None
    assert "`std = jnp.std(x, ddof=1)" in render(feedback).message
    assert "as in the solution" not in render(feedback, reveal=False).message


def test_the_labels_are_codes_of_the_catalogue() -> None:
    for text in (ERRORS, WRONG):
        for node in functions(text).values():
            assert {code for _, code in labels_of(text, node)} <= CODES.keys()
