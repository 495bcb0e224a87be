"""Exported programs, read from their bytes: verified, surveyed, and stripped of what execution does not need.

A program is refused here or nowhere: whatever runs has come through `Library.load`.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import export
from jax._src import dtypes
from jax._src.export import serialization
from jax._src.interpreters import mlir as jax_mlir
from jax.export import Exported
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from grader.domain.errors import BenchFault, ProgramFailed, ProgramRefused
from grader.engine.bench import interpreter, verification
from grader.engine.bench.answers import Aval, Loop, ProgramFacts, Refusal, Trouble
from grader.engine.bench.context import context
from grader.engine.bench.limits import BenchLimits
from grader.engine.bench.survey import Survey, interpreter_cost, product, runs, survey
from grader.engine.protocol import AnyArray

_PROGRAMS_KEPT = 64
_DROPPED_ARGUMENT_ATTRIBUTES = frozenset(
    {"jax.buffer_donor", "mhlo.sharding", "sdy.sharding", "tf.aliasing_output"}
)
"""Donation would delete the bench's inputs; shardings say nothing on one device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A verified program. `module` takes the platform's index if there are several, then the kept inputs."""

    facts: ProgramFacts
    module: ir.Module
    survey: Survey
    kept: tuple[int, ...]
    """Positions among the flat inputs of those the module takes; the others are unused."""

    @property
    def multi_platform(self) -> bool:
        return len(self.facts.platforms) > 1

    def arguments(self, inputs: list[AnyArray], *, platform: str) -> list[AnyArray]:
        """The module's arguments for flat `inputs` on `platform`."""
        kept = [inputs[position] for position in self.kept]
        if self.multi_platform:
            return [np.asarray(self.facts.platforms.index(platform), np.int32), *kept]
        return kept


class Library:
    """Programs by the hash of their bytes, so that none is read twice in a row of requests."""

    def __init__(self, limits: BenchLimits) -> None:
        self._limits = limits
        self._known: OrderedDict[bytes, Program] = OrderedDict()

    def load(self, blob: bytes) -> Program:
        """The program in `blob`; ProgramRefused if it must not run."""
        return self._get(hashlib.sha256(blob).digest(), lambda: blob)

    def sized(self, blob: bytes, shapes: Sequence[tuple[int, ...]]) -> Program:
        """The program in `blob`, made for inputs of these shapes if it leaves sizes open.

        ProgramFailed if it is not right for them.
        """
        program = self.load(blob)
        if not program.facts.is_symbolic:
            return program
        key = hashlib.sha256(blob + repr(shapes).encode()).digest()
        return self._get(key, lambda: specialised(blob, shapes, limits=self._limits))

    def _get(self, key: bytes, blob: Callable[[], bytes]) -> Program:
        if key in self._known:
            self._known.move_to_end(key)
        else:
            self._known[key] = read(blob(), limits=self._limits)
            if len(self._known) > _PROGRAMS_KEPT:
                self._known.popitem(last=False)
        return self._known[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A program that may run, as it was exported, and its module as it was surveyed."""

    exported: Exported
    module: ir.Module
    survey: Survey
    inputs: tuple[Aval, ...]
    outputs: tuple[Aval, ...]


def verified(blob: bytes, *, limits: BenchLimits, most_devices: int = 1) -> Verified:
    """Deserialise, survey and verify one program; ProgramRefused if it must not run."""
    if len(blob) > limits.program_bytes:
        raise ProgramRefused(Refusal.TOO_LARGE, f"{len(blob)} bytes, {limits.program_bytes} are allowed")
    exported = _deserialise(blob)
    verification.check_export(exported, most_devices=most_devices)
    module = _parse(exported)
    found = _survey(module)
    verification.check_module(found, limits=limits, spread=exported.nr_devices > 1)
    inputs = tuple(map(_aval, exported.in_avals))
    outputs = tuple(map(_aval, exported.out_avals))
    kept = exported.module_kept_var_idx
    open_sizes = any(isinstance(size, str) for aval in (*inputs, *outputs) for size in aval.shape)
    verification.check_native(found, sizes_known=not open_sizes)
    verification.check_signature(module, inputs, outputs, kept=kept, platforms=exported.platforms)
    return Verified(exported=exported, module=module, survey=found, inputs=inputs, outputs=outputs)


def read(blob: bytes, *, limits: BenchLimits) -> Program:
    """A program for one device, verified and simplified; ProgramRefused if it must not run."""
    known = verified(blob, limits=limits)
    exported, module, found = known.exported, known.module, known.survey
    _simplify(module)
    facts = ProgramFacts(
        digest=_digest(module),
        inputs=known.inputs,
        outputs=known.outputs,
        ops=found.ops,
        histogram=dict(sorted(found.histogram.items())),
        custom_calls=tuple(sorted(found.custom_calls)),
        largest_elements=found.largest_elements,
        loops=tuple(_loops(found)),
        constant_bytes=found.constant_bytes,
        platforms=exported.platforms,
        interpretable=not interpreter.blockers(found) and not found.risks,
        cost=interpreter_cost(found),
    )
    return Program(facts=facts, module=module, survey=found, kept=tuple(exported.module_kept_var_idx))


def specialised(blob: bytes, shapes: Sequence[tuple[int, ...]], *, limits: BenchLimits) -> bytes:
    """A program that leaves sizes open, as one for inputs of these shapes, which has to be verified anew.

    ProgramFailed if its own conditions on sizes do not hold there.
    """
    general = verified(blob, limits=limits).exported
    if len(shapes) != len(general.in_avals):
        raise BenchFault(Trouble.BAD_INPUTS, f"the program takes {len(general.in_avals)} arrays")
    inputs = [
        jax.ShapeDtypeStruct(shape[: len(aval.shape)], aval.dtype)
        for shape, aval in zip(shapes, general.in_avals, strict=True)
    ]
    try:
        with jax.enable_x64(True):
            called = export.export(jax.jit(general.call), platforms=general.platforms)(*inputs)
        with context():
            module = jax_mlir.refine_polymorphic_shapes(ir.Module.parse(called.mlir_module()))
            artefact = stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version())
    except (ValueError, TypeError) as exc:
        raise ProgramFailed(Trouble.SIZES, str(exc).partition("\n")[0]) from exc
    fixed = dataclasses.replace(called, mlir_module_serialized=artefact, uses_global_constants=False)
    return bytes(fixed.serialize())


def _deserialise(blob: bytes) -> Exported:
    try:
        return serialization.deserialize(bytearray(blob))
    except Exception as exc:  # boundary: hostile bytes may raise anything in the reader
        raise ProgramRefused(Refusal.MALFORMED, f"not an exported program ({type(exc).__name__})") from exc


def _parse(exported: Exported) -> ir.Module:
    try:
        return stablehlo.deserialize_portable_artifact(context(), bytes(exported.mlir_module_serialized))
    except Exception as exc:  # boundary: as above
        raise ProgramRefused(Refusal.MALFORMED, "its module cannot be read") from exc


def _survey(module: ir.Module) -> Survey:
    try:
        return survey(module)
    except RecursionError as exc:
        raise ProgramRefused(Refusal.TOO_LARGE, "its operations are nested too deeply") from exc
    except UnicodeDecodeError as exc:
        raise ProgramRefused(Refusal.MALFORMED, "its names are not text") from exc


def _aval(aval: Any) -> Aval:  # noqa: ANN401 - a jax.core aval, whose class is not public
    shape = tuple(size if isinstance(size, int) else str(size) for size in aval.shape)
    if dtypes.issubdtype(aval.dtype, dtypes.prng_key):
        return Aval(dtype="uint32", shape=shape, key=aval.dtype._impl.name)  # noqa: SLF001 - no public name
    return Aval(dtype=aval.dtype.name, shape=shape)


def _simplify(module: ir.Module) -> None:
    """Drop shardings, donation, locations of arguments, and the module's name."""
    with module.context, ir.Location.unknown():
        module.operation.attributes["sym_name"] = ir.StringAttr.get("program")
        for operation in list(module.body.operations):
            if operation.operation.name == "sdy.mesh":
                operation.operation.erase()
            else:
                _unshard(operation.operation)
                _undonate(operation.operation)


def _unshard(operation: ir.Operation) -> None:
    for region in operation.regions:
        for block in region.blocks:
            for child in list(block.operations):
                if child.operation.name == "sdy.sharding_constraint":
                    child.operation.results[0].replace_all_uses_with(child.operation.operands[0])
                    child.operation.erase()
                else:
                    _unshard(child.operation)


def _undonate(function: ir.Operation) -> None:
    for name in ("arg_attrs", "res_attrs"):
        if name not in function.attributes:
            continue
        kept = [_without_dropped(ir.DictAttr(each)) for each in ir.ArrayAttr(function.attributes[name])]
        function.attributes[name] = ir.ArrayAttr.get(kept)


def _without_dropped(attributes: ir.DictAttr) -> ir.DictAttr:
    items = [attributes[position] for position in range(len(attributes))]
    kept = {item.name: item.attr for item in items if item.name not in _DROPPED_ARGUMENT_ATTRIBUTES}
    return ir.DictAttr.get(kept)


def _digest(module: ir.Module) -> str:
    text = module.operation.get_asm(enable_debug_info=False, print_generic_op_form=True)
    return hashlib.sha256(str(text).encode("utf-8", "surrogatepass")).hexdigest()


def _loops(found: Survey) -> Iterator[Loop]:
    times = runs(found) or {}
    for name, function in found.functions.items():
        if function.is_kernel or times.get(name) == 0:
            continue
        for trips, entered in function.loops:
            factors = (trips, entered, times.get(name))
            yield Loop(trips=trips, total=product(factors))
