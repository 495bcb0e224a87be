"""Programs that must not run, made by editing what an honest export says."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax
from jax.export import DisabledSafetyCheck
from jaxlib.mlir.dialects import stablehlo

from grader.domain.errors import ProgramRefused
from grader.engine.bench import client
from grader.engine.bench.answers import How, Refusal
from grader.engine.bench.limits import BenchLimits
from tests.unit.engine.bench.local import LocalBench, exported, leaves

X = np.ones(4, np.float32)
BENCH = LocalBench()
ADD = "stablehlo.add %arg0, %arg0 : tensor<4xf32>"


def refusal(blob: bytes, bench: LocalBench = BENCH) -> Refusal:
    with pytest.raises(ProgramRefused) as refused:
        client.inspect(bench, blob)
    with pytest.raises(ProgramRefused):
        client.evaluate(bench, blob, [leaves([X])], how=How.COMPILE)
    return Refusal(refused.value.code)


def forged(edit: Callable[[str], str], **changes: Any) -> bytes:  # noqa: ANN401
    """``x + x`` with its module's text put through `edit` and its export's fields replaced."""
    honest = export.export(jax.jit(lambda x: x + x))(X)
    text = edit(honest.mlir_module())
    artefact = stablehlo.serialize_portable_artifact_str(text, stablehlo.get_current_version())
    return bytes(dataclasses.replace(honest, mlir_module_serialized=artefact, **changes).serialize())


def replacing_the_sum(by: str, **changes: Any) -> bytes:  # noqa: ANN401
    def edit(text: str) -> str:
        assert ADD in text
        return text.replace(ADD, by)

    return forged(edit, **changes)


def custom_call(target: str, attributes: str = "") -> bytes:
    return replacing_the_sum(
        f"stablehlo.custom_call @{target}(%arg0) {{{attributes}}} : (tensor<4xf32>) -> tensor<4xf32>"
    )


def test_an_honest_program_is_not_refused() -> None:
    assert client.inspect(BENCH, forged(lambda text: text)).ops == 1


@pytest.mark.parametrize("blob", [b"", b"not a program", bytes(4000)])
def test_other_bytes_are_refused(blob: bytes) -> None:
    assert refusal(blob) is Refusal.MALFORMED


def test_a_cut_program_is_refused() -> None:
    assert refusal(exported(lambda x: x + 1, X)[:-400]) is Refusal.MALFORMED


def test_a_forged_callback_is_refused() -> None:
    assert refusal(custom_call("xla_ffi_python_cpu_callback")) is Refusal.EFFECTS


def test_unknown_native_code_is_refused() -> None:
    assert refusal(custom_call("tpu_custom_call")) is Refusal.CUSTOM_CALL


def test_a_name_that_only_begins_like_linear_algebra_is_refused() -> None:
    assert refusal(custom_call("lapack_spotrf_ffi_and_more")) is Refusal.CUSTOM_CALL


def test_native_code_with_side_effects_is_refused() -> None:
    assert refusal(custom_call("lapack_spotrf_ffi", "has_side_effect = true")) is Refusal.EFFECTS


def test_the_devices_own_generator_is_refused() -> None:
    rng = (
        "stablehlo.rng %c0, %c1, %c2, distribution = UNIFORM : "
        "(tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>"
    )

    def edit(text: str) -> str:
        name = next(line for line in text.splitlines() if ADD in line).split("=")[0].strip()
        constants = (
            "%c0 = stablehlo.constant dense<0.0> : tensor<f32>\n"
            "%c1 = stablehlo.constant dense<1.0> : tensor<f32>\n"
            "%c2 = stablehlo.constant dense<4> : tensor<1xi64>\n"
        )
        return text.replace(f"{name} = {ADD}", f"{constants}{name} = {rng}")

    assert refusal(forged(edit)) is Refusal.OPERATION


def test_the_devices_number_is_refused() -> None:
    def edit(text: str) -> str:
        name = next(line for line in text.splitlines() if ADD in line).split("=")[0].strip()
        return text.replace(f"{name} = {ADD}", f"%id = stablehlo.partition_id : tensor<ui32>\n{name} = {ADD}")

    assert refusal(forged(edit)) is Refusal.OPERATION


def test_functions_that_call_each_other_are_refused() -> None:
    call = "func.call @main(%arg0) : (tensor<4xf32>) -> tensor<4xf32>"

    assert refusal(replacing_the_sum(call)) is Refusal.MALFORMED


def test_results_of_another_type_than_declared_are_refused() -> None:
    def edit(text: str) -> str:
        return text.replace("tensor<4xf32>", "tensor<5xf32>")

    assert refusal(forged(edit)) is Refusal.MALFORMED


def test_switched_off_safety_checks_are_refused() -> None:
    checks = (DisabledSafetyCheck.custom_call("anything"),)

    assert refusal(forged(lambda text: text, disabled_safety_checks=checks)) is Refusal.UNSAFE


def test_a_program_for_several_devices_is_refused() -> None:
    assert refusal(forged(lambda text: text, nr_devices=2)) is Refusal.DEVICES


def spread_refusal(blob: bytes) -> Refusal:
    with pytest.raises(ProgramRefused) as refused:
        client.evaluate_spread(BENCH, blob, leaves([X]), [None])
    return Refusal(refused.value.code)


@pytest.mark.parametrize("devices", [0, 9, 1 << 15])
def test_a_program_for_more_devices_than_are_simulated_is_refused(devices: int) -> None:
    assert spread_refusal(forged(lambda text: text, nr_devices=devices)) is Refusal.DEVICES


def test_several_devices_allow_neither_native_code_nor_the_host() -> None:
    callback = replacing_the_sum(
        "stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0) {} : (tensor<4xf32>) -> tensor<4xf32>",
        nr_devices=2,
    )
    sending = replacing_the_sum(
        "stablehlo.optimization_barrier %arg0 : tensor<4xf32>\n"
        '    %token = "stablehlo.create_token"() : () -> !stablehlo.token',
        nr_devices=2,
    )
    assert spread_refusal(callback) is Refusal.EFFECTS
    assert spread_refusal(sending) is Refusal.OPERATION


def test_one_device_has_nobody_to_exchange_values_with() -> None:
    gathering = replacing_the_sum(
        '"stablehlo.all_to_all"(%arg0) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, '
        "split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> "
        ": (tensor<4xf32>) -> tensor<4xf32>"
    )
    assert refusal(gathering) is Refusal.OPERATION
    assert spread_refusal(gathering) is Refusal.OPERATION


def test_a_program_for_another_platform_is_refused() -> None:
    assert refusal(forged(lambda text: text, platforms=("tpu",))) is Refusal.DEVICES


def test_another_calling_convention_is_refused() -> None:
    assert refusal(forged(lambda text: text, calling_convention_version=99)) is Refusal.VERSION


def test_a_program_of_too_many_operations_is_refused_before_it_is_compiled() -> None:
    def chain(x):
        for _ in range(300):
            x = jnp.sin(x)
        return x

    bench = LocalBench(BenchLimits(ops=200))

    assert refusal(exported(chain, X), bench) is Refusal.TOO_LARGE


def test_a_closed_over_table_over_the_limit_is_refused() -> None:
    table = np.arange(5000, dtype=np.float32)
    bench = LocalBench(BenchLimits(constant_bytes=10_000))

    assert refusal(exported(lambda x: jnp.asarray(table).sum() + x, X), bench) is Refusal.TOO_LARGE


def test_too_many_bytes_are_not_even_read() -> None:
    assert refusal(bytes(100), LocalBench(BenchLimits(program_bytes=99))) is Refusal.TOO_LARGE


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jnp.linalg.svd(jnp.outer(x, x))[1],
        lambda x: lax.top_k(x, 2)[0],
        lambda x: jnp.fft.rfft(x).real,
        jax.scipy.special.gammaln,
        lambda x: jax.random.normal(jax.random.key(0, impl="rbg"), (3,)) + x[0],
        lambda x: lax.while_loop(lambda c: c[0] < 9, lambda c: c * 2, x),
        lambda x: jnp.sort(x) + jax.nn.softmax(x),
    ],
)
def test_ordinary_programs_pass(function: Callable[..., Any]) -> None:
    assert client.inspect(BENCH, exported(function, X)).ops > 0


def test_refusals_arrive_as_short_printable_text() -> None:
    with pytest.raises(ProgramRefused) as refused:
        client.inspect(BENCH, custom_call('"\\1B[31m' + "x" * 5000 + '"'))
    assert refused.value.detail.isprintable()
    assert len(refused.value.detail) <= 300
