"""Calls become programs without running twice; what the bench would never see is read from their jaxpr."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

from grader.engine.candidate import staging
from grader.engine.candidate.values import abstract, as_result_leaf, concrete
from grader.engine.protocol import DTYPES, Leaf, LeafKind

VECTOR = jax.ShapeDtypeStruct((3,), jnp.float32)


def program_of(function: Any, *inputs: Any) -> Any:  # noqa: ANN401 - as JAX has them
    traced = staging.trace(function, inputs)
    program = export.deserialize(bytearray(staging.exported(traced, inputs, ("cpu",))))
    return lambda *arrays: program.call(*arrays)[0]


def test_exporting_does_not_run_the_function_again():
    runs: list[Any] = []

    def noted(x: Any) -> Any:  # noqa: ANN401 - a tracer
        runs.append(x)
        return jnp.sin(x)

    program = program_of(noted, VECTOR)
    assert len(runs) == 1
    assert np.allclose(program(jnp.ones(3)), np.sin(1))


def test_an_export_is_not_a_trace_of_the_submission(monkeypatch: pytest.MonkeyPatch):
    traced = staging.trace(lambda x: x + 1, [VECTOR])
    monkeypatch.setattr(jax, "jit", lambda *_, **__: pytest.fail("the submission's own jit was used"))
    assert staging.exported(traced, [VECTOR], ("cpu",))


def test_concrete_values_become_constants_of_the_program():
    given = np.arange(3, dtype=np.float32)
    assert program_of(lambda: jnp.asarray(given) * 2)().tolist() == [0, 2, 4]


def test_results_of_any_kind_are_flat_outputs():
    traced = staging.trace(lambda x: {"a": x, "b": (np.ones(2), 3, None, "text")}, [VECTOR])
    assert [leaf.shape for leaf in traced.leaves] == [(3,), (2,), ()]
    assert [leaf.impl for leaf in traced.leaves] == [None, "numpy", "scalar"]
    assert traced.structure["c"][1]["c"][3] == {"t": "const", "v": "text"}


def test_equal_programs_have_equal_fingerprints_and_others_do_not():
    def fingerprint(function: Any) -> str:  # noqa: ANN401 - any function
        return staging.fingerprint(staging.trace(function, [VECTOR]))

    assert fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 1)
    assert fingerprint(lambda x: x + 1) != fingerprint(lambda x: x + 2)
    tables = [np.zeros(50, np.float32), np.ones(50, np.float32)]
    first, second = (fingerprint(lambda x, table=table: x.sum() + jnp.asarray(table)) for table in tables)
    assert first != second


@pytest.mark.parametrize(
    "function, discarded",
    [
        (lambda x: x.at[0].set(1), 0),
        (lambda x: (x.at[0].set(1), x)[1], 1),
        (lambda x: jax.lax.fori_loop(0, 2, lambda i, y: (y.at[i].set(0), y)[1], x), 1),
    ],
)
def test_updates_that_nobody_keeps_are_counted(function: Any, discarded: int):  # noqa: ANN401 - any
    assert len(staging.facts(staging.trace(function, [VECTOR]))["discarded"]) == discarded


def test_callbacks_are_named():
    def talking(x: Any) -> Any:  # noqa: ANN401 - a tracer
        jax.debug.print("{}", x)
        return x

    assert staging.facts(staging.trace(talking, [VECTOR]))["callbacks"]


# --- values ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(DTYPES))
def test_every_dtype_goes_in_and_comes_out(name: str):
    array = np.ones((2, 3)).astype(DTYPES[name])
    numpy = concrete(Leaf.of(array, kind=LeafKind.NUMPY))
    assert numpy.tobytes() == array.tobytes()
    assert numpy.flags.writeable
    back = as_result_leaf(concrete(Leaf.of(array, kind=LeafKind.JAX)))
    assert back is not None
    assert back.dtype == jax.dtypes.canonicalize_dtype(DTYPES[name]).name


def test_inputs_have_memory_of_their_own():
    array = np.zeros(64, np.float32)
    for kind in (LeafKind.NUMPY, LeafKind.JAX):
        assert not np.shares_memory(np.asarray(concrete(Leaf.of(array, kind=kind))), array)


def test_handing_over_an_array_compiles_nothing(caplog: pytest.LogCaptureFixture):
    with jax.log_compiles(), caplog.at_level("WARNING"):
        concrete(Leaf.of(np.ones((3, 17), np.float32), kind=LeafKind.JAX))
    assert "ompil" not in caplog.text


def test_python_scalars_come_back_as_they_were():
    assert concrete(Leaf.of(np.asarray(3), kind=LeafKind.SCALAR)) == 3
    assert type(concrete(Leaf.of(np.asarray([True])[0], kind=LeafKind.SCALAR))) is bool


def test_keys_stay_keys():
    leaf = Leaf.of(np.array([[0, 1], [2, 3]], np.uint32), kind=LeafKind.KEY, impl="threefry2x32")
    assert jnp.issubdtype(concrete(leaf).dtype, jax.dtypes.prng_key)
    assert abstract(leaf).shape == (2,)
    back = as_result_leaf(concrete(leaf))
    assert back is not None
    assert (back.kind, back.impl) == (LeafKind.KEY, "threefry2x32")


def test_a_deleted_array_is_told_as_such():
    x = jnp.ones(3)
    x.delete()
    leaf = as_result_leaf(x)
    assert leaf is not None
    assert (leaf.kind, leaf.impl) == (LeafKind.ABSTRACT, "deleted")


@pytest.mark.parametrize("value", ["text", object(), np.array(["a"]), np.array([object()]), [1], None])
def test_what_is_no_array_of_numbers_is_no_leaf(value: object):
    assert as_result_leaf(value) is None


# --- warming -----------------------------------------------------------------------------------------------


def test_warming_up_starts_no_backend_and_no_thread():
    program = """
        import os
        from jax._src import xla_bridge
        from grader.engine import candidate
        candidate.prewarm()
        assert not xla_bridge.backends_are_initialized()
        assert len(os.listdir("/proc/self/task")) == 1
    """
    environment = {"JAX_PLATFORMS": "cpu", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], env=environment, check=False, timeout=120
    )
    assert done.returncode == 0


def test_programs_lowered_in_one_context_are_the_same_and_may_come_from_two_threads():
    program = """
        import threading
        import jax, jax.numpy as jnp
        from grader.engine.candidate import staging
        from grader.engine.candidate.warming import share_context
        shape = jax.ShapeDtypeStruct((3,), jnp.float32)
        def export(scale):
            return staging.exported(staging.trace(lambda x: jnp.sin(x) * scale, [shape]), [shape], ("cpu",))
        before = [export(n) for n in range(6)]
        share_context()
        after = {}
        def work(n):
            after[n] = export(n)
            jax.block_until_ready(jax.jit(lambda x: x * n)(jnp.ones(n + 1)))
        threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert len(after) == 6
        load = lambda data: jax.export.deserialize(bytearray(data)).call(jnp.ones(3))[0].tolist()
        assert [load(after[n]) for n in range(6)] == [load(data) for data in before]
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False, timeout=120)
    assert done.returncode == 0


@jax.custom_vjp
def itself(x: Any) -> Any:  # noqa: ANN401 - an array
    return x


itself.defvjp(lambda x: (x, None), lambda _, slope: (slope,))


@pytest.mark.parametrize(
    "function", [lambda x: x, jax.jit(lambda x: (x + 1, x)), itself, jax.checkpoint(itself)]
)
def test_an_array_that_is_handed_back_is_noticed_through_calls(function: Any):  # noqa: ANN401 - any function
    traced = staging.trace(lambda: function(np.ones(3, np.float32)), ())
    assert staging.facts(traced)["hands_back"]


def test_a_new_array_is_not_one_that_is_handed_back():
    traced = staging.trace(lambda: jax.jit(lambda x: x + 1)(np.ones(3, np.float32)), ())
    assert not staging.facts(traced)["hands_back"]
