"""What may run at all: pure computation exported by this version, and known LAPACK routines.

It is made for one device; where several are simulated, devices of one process may exchange values as well.

JAX says of its deserialiser that its input must be trusted, since any registered custom call may be run; the
checks that the producer made are the producer's. So everything is checked again here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jax._src.export import _export
from jax.export import Exported
from jaxlib.mlir import ir

from grader.domain.errors import ProgramRefused
from grader.engine.bench.answers import Aval, Refusal
from grader.engine.bench.limits import BenchLimits
from grader.engine.bench.operations import function_type, functions_of
from grader.engine.bench.survey import SIZE_CHECK, Survey
from grader.engine.bench.tensors import dtype_of, element_of

PLATFORMS = frozenset({"cpu", "cuda"})

KEY_WORDS = {"threefry2x32": 2, "rbg": 4, "unsafe_rbg": 4}
"""uint32 words of one key, by implementation."""

_ALLOWED_OTHERS = frozenset(
    {"builtin.module", "func.func", "func.call", "func.return", "sdy.mesh", "sdy.sharding_constraint"}
)
_SPREAD = frozenset(
    {
        "sdy.manual_computation",
        "sdy.return",
        "stablehlo.all_gather",
        "stablehlo.all_reduce",
        "stablehlo.all_to_all",
        "stablehlo.collective_broadcast",
        "stablehlo.collective_permute",
        "stablehlo.partition_id",
        "stablehlo.reduce_scatter",
    }
)
"""What a program for several simulated devices may do besides: values go from one of them to another."""

_ALLOWED_DIALECTS = ("stablehlo.", "chlo.")
_FORBIDDEN = frozenset(
    {
        "stablehlo.after_all",
        "stablehlo.all_gather",
        "stablehlo.all_reduce",
        "stablehlo.all_to_all",
        "stablehlo.async_done",
        "stablehlo.async_start",
        "stablehlo.collective_broadcast",
        "stablehlo.collective_permute",
        "stablehlo.create_token",
        "stablehlo.cross-replica-sum",
        "stablehlo.infeed",
        "stablehlo.outfeed",
        "stablehlo.partition_id",
        "stablehlo.recv",
        "stablehlo.reduce_scatter",
        "stablehlo.replica_id",
        "stablehlo.rng",
        "stablehlo.send",
    }
)
"""The dialect is allowed but for these: communication, host transfers, and the device's own state."""

_CUSTOM_CALL = re.compile(
    r"lapack_[sdcz](potrf|getrf|geqrf|orgqr|ungqr|gesdd|syevd|heevd|geev|gees|gehrd|sytrd|hetrd|trsm|gtsv)_ffi"
    r"|cusolver_(getrf|geqrf|orgqr|potrf|syevd|gesvd|gesvdj|sytrd)_ffi"
    r"|cusparse_gtsv2_ffi|cu_lu_pivots_to_permutation|cu_threefry2x32_ffi"
    r"|mhlo\.(topk|erf)"
)
_CALLBACK = re.compile(r"callback", re.IGNORECASE)


def check_export(exported: Exported, *, most_devices: int = 1) -> None:
    """Refuse by what the export says of itself."""
    lowest = _export.minimum_supported_calling_convention_version
    highest = _export.maximum_supported_calling_convention_version
    if not lowest <= exported.calling_convention_version <= highest:
        raise ProgramRefused(Refusal.VERSION, f"calling convention {exported.calling_convention_version}")
    if exported.ordered_effects or exported.unordered_effects:
        raise ProgramRefused(Refusal.EFFECTS, "it has side effects")
    if exported.disabled_safety_checks:
        raise ProgramRefused(Refusal.UNSAFE, "its producer switched safety checks off")
    if not 1 <= exported.nr_devices <= most_devices:
        raise ProgramRefused(Refusal.DEVICES, f"it was made for {exported.nr_devices} devices")
    if not exported.platforms or not PLATFORMS.issuperset(exported.platforms):
        raise ProgramRefused(Refusal.DEVICES, "it was made for another platform")


def check_module(found: Survey, *, limits: BenchLimits, spread: bool = False) -> None:
    """Refuse by what the module contains; one that is `spread` over devices may let them communicate."""
    if found.ops > limits.ops:
        raise ProgramRefused(Refusal.TOO_LARGE, f"{found.ops} operations, {limits.ops} are allowed")
    if found.constant_bytes > limits.constant_bytes:
        detail = f"{found.constant_bytes} bytes of constants, {limits.constant_bytes} are allowed"
        raise ProgramRefused(Refusal.TOO_LARGE, detail)
    others = _ALLOWED_OTHERS | _SPREAD if spread else _ALLOWED_OTHERS
    for name in found.histogram:
        if name not in others and (name in _FORBIDDEN or not name.startswith(_ALLOWED_DIALECTS)):
            raise ProgramRefused(Refusal.OPERATION, f"it uses {name}")
    for target in found.custom_calls:
        if target != SIZE_CHECK and not _CUSTOM_CALL.fullmatch(target):
            code = Refusal.EFFECTS if _CALLBACK.search(target) else Refusal.CUSTOM_CALL
            raise ProgramRefused(code, f"it calls native code {target!r}")
    if found.side_effects:
        raise ProgramRefused(Refusal.EFFECTS, "it calls native code that has side effects")
    strange = sorted(name for name in found.elements if dtype_of(name) is None)
    if strange:
        raise ProgramRefused(Refusal.OPERATION, f"it has values of type {strange[0]}")
    if found.incomplete or "main" not in found.functions:
        raise ProgramRefused(Refusal.MALFORMED, "its functions are not complete, or call themselves")


def check_native(found: Survey, *, sizes_known: bool) -> None:
    """Refuse native calls that a program with these sizes must not make.

    One that leaves sizes open is looked at again when they are known: what runs is a copy made for them.
    """
    if not sizes_known:
        return
    if found.misfits:
        target = min(found.misfits)
        raise ProgramRefused(Refusal.CUSTOM_CALL, f"it calls {target!r} with sizes that it is not made for")
    if SIZE_CHECK in found.custom_calls:
        raise ProgramRefused(Refusal.CUSTOM_CALL, f"it calls {SIZE_CHECK!r} although its sizes are known")


def check_signature(
    module: ir.Module,
    inputs: Sequence[Aval],
    outputs: Sequence[Aval],
    *,
    kept: Sequence[int],
    platforms: Sequence[str],
) -> None:
    """Refuse a module whose entry point does not have the types that the export declares."""
    if list(kept) != sorted(set(kept)) or (kept and kept[-1] >= len(inputs)):
        raise ProgramRefused(Refusal.MALFORMED, "its list of inputs is not one")
    kind = function_type(functions_of(module)["main"])
    declared = ["tensor<i32>"] * (len(platforms) > 1) + [_type_text(inputs[position]) for position in kept]
    if any(isinstance(size, str) for aval in (*inputs, *outputs) for size in aval.shape):
        return  # what runs is a copy made for known sizes, which comes here again
    if [str(each) for each in kind.inputs] != declared:
        raise ProgramRefused(Refusal.MALFORMED, "its inputs are not of the types that it declares")
    if [str(each) for each in kind.results] != [_type_text(aval) for aval in outputs]:
        raise ProgramRefused(Refusal.MALFORMED, "its results are not of the types that it declares")


def _type_text(aval: Aval) -> str:
    words = () if aval.key is None else (KEY_WORDS[aval.key],)
    return f"tensor<{''.join(f'{size}x' for size in (*aval.shape, *words))}{element_of(aval.dtype)}>"
