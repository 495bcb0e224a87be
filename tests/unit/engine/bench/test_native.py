"""Which sizes LAPACK's routines are called with: those that JAX calls them with, and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax
from jax.scipy import linalg

from grader.domain.errors import ProgramRefused
from grader.engine.bench.answers import Refusal
from grader.engine.bench.limits import BenchLimits
from grader.engine.bench.programs import read

Anything = Callable[..., Any]
DType = type[np.generic]

TALL, WIDE, SQUARE, MANY = (7, 5), (5, 7), (5, 5), (2, 3, 4, 4)


def program(function: Anything, shape: tuple[Any, ...], dtype: DType = jnp.float32) -> bytes:
    flat = jax.jit(lambda a: jax.tree.leaves(function(a)))
    return bytes(export.export(flat)(jax.ShapeDtypeStruct(shape, dtype)).serialize())


def shaped(*sizes: int, dtype: DType = jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(sizes, dtype)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.complex64])
@pytest.mark.parametrize(
    "function, shape",
    [
        (jnp.linalg.cholesky, MANY),
        (lax.linalg.lu, TALL),
        (lax.linalg.lu, WIDE),
        (lambda a: jnp.linalg.qr(a, mode="complete"), TALL),
        (jnp.linalg.qr, MANY),
        (jnp.linalg.svd, WIDE),
        (lambda a: jnp.linalg.svd(a, full_matrices=False), TALL),
        (lambda a: jnp.linalg.svd(a, compute_uv=False), MANY),
        (jnp.linalg.eigh, MANY),
        (lax.linalg.eig, MANY),
        (linalg.schur, SQUARE),
        (lambda a: linalg.hessenberg(a, calc_q=True), MANY),
        (lax.linalg.tridiagonal, SQUARE),
        (lambda a: linalg.solve_triangular(a, a[:, :3]), SQUARE),
        (lambda a: lax.linalg.triangular_solve(a, a[:3], left_side=False), SQUARE),
        (lambda a: lax.linalg.tridiagonal_solve(a[0], a[1], a[2], a), SQUARE),
        (lambda a: lax.linalg.householder_product(a, a[0, :3]), TALL),
        (jnp.linalg.inv, (0, 0)),
    ],
)
def test_what_jax_itself_calls_is_accepted(function: Anything, shape: tuple[int, ...], dtype: DType) -> None:
    assert read(program(function, shape, dtype), limits=BenchLimits()).facts.custom_calls is not None


def test_a_program_with_open_sizes_is_accepted_too() -> None:
    (n,) = export.symbolic_shape("n")
    assert read(program(jnp.linalg.cholesky, (n, n)), limits=BenchLimits()).facts.is_symbolic


def call(name: str, results: object, *arrays: jax.Array, **settings: str) -> object:
    letters = {key: np.uint8(ord(value)) for key, value in settings.items()}
    routine: Anything = jax.ffi.ffi_call(f"lapack_{name}_ffi", results)  # type: ignore[call-overload]
    return routine(*arrays, **letters)


HOSTILE: dict[str, Anything] = {
    "a result too small": lambda a: call(
        "spotrf", (shaped(2, 2), shaped(dtype=jnp.int32)), a, uplo="L"
    ),
    "a result too large, never filled": lambda a: call(
        "spotrf", (shaped(90, 90), shaped(dtype=jnp.int32)), a, uplo="L"
    ),
    "no square": lambda a: call("spotrf", (shaped(5, 4), shaped(dtype=jnp.int32)), a[:, :4], uplo="L"),
    "too few pivots": lambda a: call(
        "sgetrf", (shaped(5, 5), shaped(1, dtype=jnp.int32), shaped(dtype=jnp.int32)), a
    ),
    "other batches": lambda a: call(
        "sgeqrf", (shaped(3, 5, 5), shaped(5)), jnp.stack([a, a])
    ),
    "vectors for which there is no room": lambda a: call(
        "sgesdd",
        (shaped(5, 5), shaped(5), shaped(5, 1), shaped(1, 5), shaped(dtype=jnp.int32)),
        a,
        mode="A",
    ),
    "a mode that nobody asked for": lambda a: call(
        "sgesdd",
        (shaped(5, 5), shaped(5), shaped(5, 5), shaped(5, 5), shaped(dtype=jnp.int32)),
        a,
        mode="O",
    ),
    "a triangle of another size": lambda a: call(
        "strsm", shaped(5, 3), a[:2, :2], a[:, :3], side="L", uplo="L", trans_x="N", diag="N"
    ),
    "rows that are not there": lambda a: jax.ffi.ffi_call(
        "lapack_sgehrd_ffi", (shaped(5, 5), shaped(4), shaped(dtype=jnp.int32))
    )(a, low=np.int32(-5), high=np.int32(900)),
    "a result too few": lambda a: call("sgetrf", shaped(5, 5), a),
}  # fmt: skip


@pytest.mark.parametrize("function", HOSTILE.values(), ids=HOSTILE.keys())
def test_sizes_that_would_be_written_past_are_refused(function: Anything) -> None:
    with pytest.raises(ProgramRefused, match="sizes that it is not made for") as refused:
        read(program(function, SQUARE), limits=BenchLimits())
    assert refused.value.code == Refusal.CUSTOM_CALL
