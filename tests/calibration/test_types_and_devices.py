"""Judgements about types, devices, derivatives and sizes, on the real engine.

Right work is written in several unusual ways; every fault fails exactly the checks that it breaks, with the
code that names it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.domain.catalogue import CODES
from grader.domain.rubric import Assignment
from grader.domain.verdicts import Verdict
from grader.engine import Engine
from tests.grading import files, of, write_assignment

pytestmark = pytest.mark.slow

HEAD = """
import functools
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
"""

SOLUTION = """
def double(x):
    return jnp.tanh(x) * 2


def total(carry, x):
    return carry + x, carry * x
"""

SUITE = '''
from rubrics import bf16, criterion, f16, f32, on, oracles, split, whole

ROWS = f32[8, 3].between(0.2, 1)

def in_torch(x):
    return 2 * x.tanh()

@criterion("values", points=1, function="double")
def test_value(submission, reference, draw):
    """The result is right."""
    submission.double.matches(reference.double, draw(ROWS), conditioned=True)

@criterion("dtype", points=1, function="double")
def test_kept(submission, draw):
    """The type of x is kept."""
    submission.double.keeps_dtype(draw(bf16[3]), draw(f16[3]), draw(f32[3]))

@criterion("dtype", points=1, function="double")
def test_not_narrowed(submission, draw):
    """No 64-bit type is asked for."""
    submission.double.does_not_narrow(draw(f32[3]))

@criterion("dtype", points=1, function="double")
def test_not_mixed(submission, draw):
    """Types meet only after a conversion."""
    submission.double.promotes_explicitly(draw(bf16[3]))

@criterion("dtype", points=1, function="double")
def test_strong(submission, draw):
    """The result has a type of its own."""
    submission.double.gives_strong_types(draw(f32[3]))

@criterion("dtype", points=1, function="double")
def test_wide(submission, reference, draw):
    """64 bits stay 64 bits."""
    submission.double.is_ready_for_x64(reference.double, draw(ROWS))

@criterion("transforms", points=1, function="double")
def test_slope(submission, reference, draw):
    """The derivative is right."""
    submission.double.gradient_matches(oracles.finite_differences(reference.double), draw(ROWS))
    submission.double.gradient_matches(oracles.torch(in_torch), draw(ROWS))

@criterion("transforms", points=1, function="double")
def test_each_slope(submission, reference, draw):
    """The derivative of each row is right."""
    submission.double.gradient_matches(reference.double, draw(ROWS), per_example=(0,))

@criterion("transforms", points=1, function="double")
def test_any_slope(submission, draw):
    """There is a derivative."""
    submission.double.can_be_differentiated(draw(ROWS))

@criterion("transforms", points=1, function="double")
def test_columns(submission, draw):
    """Columns can be mapped over."""
    submission.double.maps_over(draw(ROWS), mapped={0: 1})

@criterion("jit", points=1, function="double")
def test_all_sizes(submission, reference, draw):
    """One program serves all sizes."""
    submission.double.program_has_symbolic_size(
        reference.double, draw(f32[7, 3]), draw(f32[2, 3]), draw(f32[1, 3]))

@criterion("device", points=1, function="double")
def test_over_devices(submission, reference, draw):
    """Four devices share the rows."""
    submission.double.runs_over_devices(reference.double, draw(ROWS), given=split(0), returns=split(0))

@criterion("device", points=1, function="double")
def test_stays(submission, draw):
    """The result stays where x is."""
    submission.double.places_result(draw(ROWS), devices=2, given=on(1), returns=on(1), committed=True)

@criterion("device", points=1, function="double")
def test_bound(submission, draw):
    """What is bound stays bound."""
    submission.double.places_result(draw(ROWS), devices=2, given=on(0), returns=on(0), committed=True)

@criterion("device", points=1, function="double")
def test_unbound(submission, draw):
    """What is not bound stays free."""
    submission.double.places_result(draw(ROWS), devices=2, returns=on(0), committed=False)

@criterion("transforms", points=1, function="total")
def test_scan(submission, draw):
    """Fits the body of a scan."""
    submission.total.can_be_scanned(draw(f32[3], f32[5, 3]))
'''

VALUE = "double.values.value"
KEPT, NARROW, MIXED = "double.dtype.kept", "double.dtype.not_narrowed", "double.dtype.not_mixed"
STRONG, WIDE = "double.dtype.strong", "double.dtype.wide"
SLOPE, EACH, ANY, COLUMNS = (
    "double.transforms.slope", "double.transforms.each_slope", "double.transforms.any_slope",
    "double.transforms.columns",
)  # fmt: skip
SIZES, SPREAD, STAYS = "double.jit.all_sizes", "double.device.over_devices", "double.device.stays"
BOUND, UNBOUND, SCAN = "double.device.bound", "double.device.unbound", "total.transforms.scan"

TOTAL = "\ndef total(carry, x):\n    return carry + x, carry * x\n"
DOUBLE = "\ndef double(x):\n    return jnp.tanh(x) * 2\n"

RIGHT = {
    "the solution": SOLUTION,
    "a custom derivative and a jitted helper": """
        @jax.custom_vjp
        def double(x):
            return jnp.tanh(x) * 2

        def forward(x):
            y = jnp.tanh(x)
            return y * 2, y

        def backward(y, g):
            return (2 * g * (1 - y * y),)

        double.defvjp(forward, backward)

        def total(carry, x):
            return jax.jit(lambda c, v: (c + v, c * v))(carry, x)
        """,
    "row by row, with a type that depends on the setting": """
        def double(x):
            wide = jnp.float64 if jax.config.jax_enable_x64 else jnp.float32
            one = jnp.ones((), wide).astype(x.dtype)
            return jax.vmap(lambda row: jnp.tanh(row) * (one + one))(x)

        def total(carry, x):
            following = carry + x
            return following, carry * x
        """,
    "a mesh of its own where there are several devices": """
        def double(x):
            mesh = Mesh(np.array(jax.devices()), ("rows",))
            if len(jax.devices()) == 4 and isinstance(x.shape[0], int) and x.shape[0] % 4 == 0:
                x = lax.with_sharding_constraint(x, NamedSharding(mesh, P("rows")))
            return jnp.tanh(x) * 2

        total = lambda carry, x: (x + carry, x * carry)
        """,
}

WRONG = {
    "float32 written out": (
        "def double(x):\n    return jnp.tanh(x.astype(jnp.float32)) * 2\n" + TOTAL,
        {KEPT: "dtype.wrong", WIDE: "dtype.not_wide"},
    ),
    "a constant of another type": (
        "def double(x):\n    return (jnp.tanh(x) * jnp.full((), 2, jnp.float32)).astype(x.dtype)\n" + TOTAL,
        {MIXED: "dtype.implicit_promotion"},
    ),
    "float64 asked for": (
        "def double(x):\n    return (jnp.tanh(x) * jnp.full((), 2, jnp.float64)).astype(x.dtype)\n" + TOTAL,
        {NARROW: "dtype.narrowed", MIXED: "dtype.implicit_promotion"},
    ),
    "float64 asked for where warnings are switched off": (
        (
            "import warnings\nwarnings.filterwarnings('ignore')\n"
            "def double(x):\n    return (jnp.tanh(x) * 2).astype('float64').astype(x.dtype)\n" + TOTAL
        ),
        {NARROW: "dtype.narrowed"},
    ),
    "a step in float32": (
        "def double(x):\n    return jnp.tanh(x.astype(jnp.float32)).astype(x.dtype) * 2\n" + TOTAL,
        {WIDE: "dtype.precision_lost"},
    ),
    "a derivative that is stopped": (
        "def double(x):\n    return lax.stop_gradient(jnp.tanh(x)) * 2\n" + TOTAL,
        {
            SLOPE: "transforms.wrong_gradient",
            EACH: "transforms.wrong_gradient",
            ANY: "transforms.no_gradient",
        },
    ),
    "a custom derivative with a mistake": (
        (
            "@jax.custom_jvp\ndef double(x):\n    return jnp.tanh(x) * 2\n"
            "@double.defjvp\ndef _(primals, tangents):\n"
            "    return double(primals[0]), (1 - jnp.tanh(primals[0])) * 2 * tangents[0]\n" + TOTAL
        ),
        {SLOPE: "transforms.wrong_gradient", EACH: "transforms.wrong_gradient"},
    ),
    "a loop over the rows": (
        "def double(x):\n    return jnp.stack([jnp.tanh(row) * 2 for row in x])\n" + TOTAL,
        {SIZES: "jit.fixed_size", SPREAD: "device.wrong_place"},
    ),
    "a special case for one size": (
        "def double(x):\n    if x.shape[0] > 5:\n        return jnp.tanh(x) * 2\n    return 2 * jnp.tanh(x)\n"
        + TOTAL,
        {SIZES: "jit.fixed_size"},
    ),
    "a part taken for the whole": (
        (
            "def double(x):\n"
            "    if len(jax.devices()) < 4:\n        return jnp.tanh(x) * 2\n"
            "    mesh = Mesh(np.array(jax.devices()), ('rows',))\n"
            "    local = lambda part: jnp.tanh(part) * 2 + part.mean() - lax.pmean(part.mean(), 'rows')\n"
            "    return jax.shard_map(local, mesh=mesh, in_specs=P('rows'), out_specs=P('rows'))(x)\n" + TOTAL
        ),
        {SPREAD: "device.differs"},
    ),
    "everything on every device": (
        (
            "def double(x):\n"
            "    if len(jax.devices()) < 4:\n        return jnp.tanh(x) * 2\n"
            "    mesh = Mesh(np.array(jax.devices()), ('rows',))\n"
            "    return lax.with_sharding_constraint(jnp.tanh(x) * 2, NamedSharding(mesh, P()))\n" + TOTAL
        ),
        {SPREAD: "device.wrong_place"},
    ),
    "always the first device": (
        "def double(x):\n    return jnp.tanh(jax.device_put(x, jax.devices()[0])) * 2\n" + TOTAL,
        {STAYS: "device.wrong_place", UNBOUND: "device.committed"},
    ),
    "by way of NumPy where that works": (
        (
            "def double(x):\n    if isinstance(x, jax.core.Tracer) or len(jax.devices()) == 1:\n"
            "        return jnp.tanh(x) * 2\n    return jnp.asarray(np.tanh(np.asarray(x)) * 2)\n" + TOTAL
        ),
        {STAYS: "device.wrong_place", BOUND: "device.not_committed"},
    ),
    "a constant bound to the first device": (
        (
            "def double(x):\n    two = jax.device_put(jnp.full((), 2, x.dtype), jax.devices()[0])\n"
            "    return jnp.tanh(x) * two\n" + TOTAL
        ),
        {STAYS: "device.mixed_devices", UNBOUND: "device.committed"},
    ),
    "a device by its name": (
        "def double(x):\n    return jax.device_put(jnp.tanh(x) * 2, 'cpu')\n" + TOTAL,
        dict.fromkeys(
            (
                VALUE,
                KEPT,
                NARROW,
                MIXED,
                STRONG,
                WIDE,
                SLOPE,
                EACH,
                ANY,
                COLUMNS,
                SIZES,
                SPREAD,
                STAYS,
                BOUND,
                UNBOUND,
            ),
            "device.string_device",
        ),
    ),
    "a condition in Python, which keeps the judgements of plain calls": (
        "def double(x):\n    if x.sum() > 1e9:\n        return x\n    return jnp.tanh(x) * 2\n" + TOTAL,
        dict.fromkeys((MIXED, STRONG, WIDE, SLOPE, EACH, ANY, COLUMNS, SIZES, SPREAD), "jit.tracer_bool"),
    ),
    "constants without a type": (
        "def double(x):\n    return jnp.where(x > 0, 1.0, -1.0)\n" + TOTAL,
        {
            VALUE: "values.differ",
            KEPT: "dtype.wrong",
            STRONG: "dtype.weak",
            WIDE: "dtype.precision_lost",
            SLOPE: "transforms.wrong_gradient",
            EACH: "transforms.wrong_gradient",
            ANY: "transforms.no_gradient",
            SIZES: "values.differ",
            SPREAD: "device.differs",
        },
    ),
    "a rule for mapping with a mistake": (
        (
            "@jax.custom_batching.custom_vmap\ndef inner(x):\n    return jnp.tanh(x) * 2\n"
            "@inner.def_vmap\ndef _(size, batched, x):\n    return jnp.tanh(x) * 2 + x.mean(), True\n"
            "@jax.custom_jvp\ndef double(x):\n    return inner(x)\n"
            "double.defjvps(lambda t, y, x: 2 * t * (1 - jnp.tanh(x) ** 2))\n" + TOTAL
        ),
        {COLUMNS: "transforms.vmap_differs"},
    ),
    "a step counted in Python": (
        DOUBLE + "count = 0\ndef total(carry, x):\n    global count\n    count += 1\n"
        "    return carry + x, carry * x * count\n",
        {SCAN: "transforms.scan_differs"},
    ),
    "a carry of another type": (
        DOUBLE + "def total(carry, x):\n    return (carry + x).astype(jnp.bfloat16), x\n",
        {SCAN: "jit.scan_carry"},
    ),
    "no output beside the carry": (
        DOUBLE + "def total(carry, x):\n    return carry + x\n",
        {SCAN: "jit.scan_carry"},
    ),
}


@pytest.fixture(scope="module")
def assignment(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    root: Path = tmp_path_factory.mktemp("types")
    return write_assignment(root, suite=SUITE, solution=HEAD + SOLUTION, check_s=60, load_s=60)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


def failures(engine: Engine, assignment: Assignment, code: str) -> dict[str, str]:
    result = engine.grade(files(HEAD + textwrap.dedent(code)), assignment, seed="types")
    return {
        check.spec.id: check.feedback.code if check.feedback else str(check.verdict)
        for check in result.results
        if check.verdict is not Verdict.PASSED
    }


@pytest.mark.parametrize("code", RIGHT.values(), ids=RIGHT)
def test_right_work_passes_however_it_is_written(engine: Engine, assignment: Assignment, code: str):
    assert failures(engine, assignment, code) == {}


@pytest.mark.parametrize("code, expected", WRONG.values(), ids=WRONG)
def test_a_fault_fails_the_checks_that_it_breaks(
    engine: Engine, assignment: Assignment, code: str, expected: dict[str, str]
):
    assert failures(engine, assignment, code) == expected
    assert set(expected.values()) <= CODES.keys()


STALE = """
class Scale:
    def __init__(self, by):
        self.by = by

    @functools.partial(jax.jit, static_argnums=0)
    def applied(self, x):
        return jnp.tanh(x) * self.by

def double(x):
    scale = Scale(1)
    scale.applied(x)
    scale.by = 2
    return scale.applied(x)
"""


def test_a_static_object_that_changed_is_named_where_it_is_declared(engine: Engine, assignment: Assignment):
    result = engine.grade(files(HEAD + STALE + TOTAL), assignment, seed="types")
    feedback = of(result, VALUE).feedback
    assert feedback is not None
    assert feedback.code == "jit.stale_static"
    assert "static_argnums" in (HEAD + STALE).splitlines()[(feedback.line or 1) - 1]
