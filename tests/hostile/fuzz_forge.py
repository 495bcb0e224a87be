"""Makes damaged programs, in a process of its own: StableHLO's reader of text may itself end on damaged text.

Damage is done to the bytes a candidate hands over, to the module within them, to what the export says of
itself, and to the module's text, which is then written anew, so that the bench gets to compile and run it.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import multiprocessing
import random
import re
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from tests.hostile.fuzz_mutations import damaged, dice

if TYPE_CHECKING:
    from jax.export import Exported

_SOLUTION = Path(__file__).parents[2] / "assignments" / "functional-core" / "solution" / "submission.py"
_LIMIT_S = 20.0
_TRIES = 40

_NUMBER = re.compile(r"(?<![\w.])\d+")
_OPERATION = re.compile(r"stablehlo\.\w+")
_TYPE = re.compile(r"\b(?:[fi]\d+|ui\d+|bf16|i1)\b")
_WORD = re.compile(r"\b(?:LT|LE|GT|GE|EQ|NE|TOTALORDER|FLOAT|SIGNED|UNSIGNED|true|false)\b")
_VALUE = re.compile(r"%\w+")
_OPERATIONS = """
    add subtract multiply divide remainder power maximum minimum and or xor shift_left
    shift_right_logical negate abs sqrt rsqrt log exponential tanh sine floor sign convert reshape
    transpose broadcast_in_dim iota concatenate after_all custom_call rng infeed partition_id
    optimization_barrier while case sort gather
""".split()
_WRITTEN: Mapping[re.Pattern[str], tuple[str, ...]] = {
    _NUMBER: ("0", "1", "2", "7", "31", "64", "4096", "100000", "4294967296", "9223372036854775807"),
    _OPERATION: tuple(f"stablehlo.{name}" for name in _OPERATIONS),
    _TYPE: ("f32", "f16", "bf16", "f64", "i1", "i4", "i8", "i32", "i64", "ui32", "ui64", "f8E4M3FN", "i7"),
    _WORD: ("LT", "GE", "EQ", "NE", "FLOAT", "SIGNED", "UNSIGNED", "TOTALORDER", "true", "false"),
}  # fmt: skip


class Forge:
    """The other end of the process that makes programs; replaced when it ends or does not answer."""

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def sound(self, name: str) -> bytes:
        """The program of a function of the solution, undamaged."""
        return self._made((name, None)) or b""

    def damaged(self, name: str, seed: str) -> bytes | None:
        """A damaged one; None if the process ended over it."""
        return self._made((name, seed))

    def _made(self, order: tuple[str, str | None]) -> bytes | None:
        try:
            self._line.send(order)
            if self._line.poll(_LIMIT_S):
                return self._line.recv_bytes()
        except (EOFError, OSError):
            pass
        self._stop()
        self._start()
        return None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other,), daemon=True)
        self._process.start()
        other.close()

    def _stop(self) -> None:
        self._line.close()
        self._process.kill()
        self._process.join()
        self._process.close()


def _work(line: Connection) -> None:
    programs = _Programs()
    try:
        while True:
            name, seed = line.recv()
            line.send_bytes(programs.sound(name) if seed is None else programs.damaged(name, seed))
    except EOFError:
        return


class _Programs:
    """The solution's functions, exported, and what becomes of them. Imports JAX."""

    def __init__(self) -> None:
        import jax  # noqa: PLC0415 - only in the process that forges
        import jax.numpy as jnp  # noqa: PLC0415
        from jax import export  # noqa: PLC0415

        course = _module(_SOLUTION)
        x = jnp.ones((4, 3))
        calls: Mapping[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
            "normalize": (course.normalize, (x,)),
            "set_diagonal": (course.set_diagonal, (x, jnp.float32(2))),
            "sample_walk": (lambda key: course.sample_walk(key, 8), (jax.random.key(0),)),
            "pairwise_sq_dists": (course.pairwise_sq_dists, (x, jnp.ones((5, 3)))),
            "smooth": (course.smooth, (jnp.ones(6), jnp.int32(3))),
        }
        self._exports = {name: export.export(jax.jit(call))(*args) for name, (call, args) in calls.items()}
        self._bytes = {name: bytes(each.serialize()) for name, each in self._exports.items()}
        self._texts = {name: each.mlir_module() for name, each in self._exports.items()}

    def sound(self, name: str) -> bytes:
        return self._bytes[name]

    def damaged(self, name: str, seed: str) -> bytes:
        rng = dice(seed)
        exported = self._exports[name]
        match rng.randrange(10):
            case 0 | 1:
                return damaged(rng, self._bytes[name], tuple(self._bytes.values()))
            case 2 | 3:
                others = tuple(each.mlir_module_serialized for each in self._exports.values())
                inner = damaged(rng, exported.mlir_module_serialized, others)
                return _written(exported, mlir_module_serialized=inner)
            case 4:
                return _written(exported, **self._lies(rng, exported))
            case _:
                return self._rewritten(rng, name)

    def _rewritten(self, rng: random.Random, name: str) -> bytes:
        """The program with a text that was changed and still could be read; other damage if none could."""
        for _ in range(_TRIES):
            module = _artifact(_changed(rng, self._texts[name]))
            if module is not None:
                return _written(self._exports[name], mlir_module_serialized=module)
        return damaged(rng, self._bytes[name])

    def _lies(self, rng: random.Random, exported: Exported) -> dict[str, Any]:
        """Statements about a program that are not true of it."""
        other = rng.choice(tuple(self._exports.values()))
        lies: tuple[dict[str, Any], ...] = (
            {"in_avals": other.in_avals, "in_tree": other.in_tree},
            {"out_avals": other.out_avals, "out_tree": other.out_tree},
            {"mlir_module_serialized": other.mlir_module_serialized},
            {"mlir_module_serialized": b""},
            {"module_kept_var_idx": rng.choice(((), (0, 0), (9,), (1, 0), (1 << 15,)))},
            {"platforms": rng.choice(((), ("cuda",), ("cpu", "cuda"), ("cpu", "cpu"), ("x" * 300,)))},
            {"nr_devices": rng.choice((0, 2, 1 << 15))},
            {"calling_convention_version": rng.choice((0, 1, 8, 99, 1 << 15))},
            {"fun_name": "\0" * rng.choice((1, 10_000))},
            {"uses_global_constants": not exported.uses_global_constants},
        )
        return rng.choice(lies)


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("forged_solution", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _written(exported: Exported, **changes: object) -> bytes:
    """The export's bytes after changes to its fields; where they cannot be written, the module's alone."""
    changed = dataclasses.replace(exported, **changes)  # type: ignore[arg-type]
    try:
        return bytes(changed.serialize())
    except Exception:  # noqa: BLE001 - boundary: JAX's writer may refuse a lie in any way
        return bytes(changed.mlir_module_serialized)


def _artifact(text: str) -> bytes | None:
    """A module's text as the bytes that an export carries; None if it cannot be read."""
    from jax._src.export import _export  # noqa: PLC0415 - only in the process that forges
    from jax._src.interpreters import mlir  # noqa: PLC0415
    from jaxlib.mlir import ir  # noqa: PLC0415

    with mlir.make_ir_context():
        try:
            return bytes(_export._module_to_bytecode(ir.Module.parse(text)))
        except Exception:  # noqa: BLE001 - boundary: as above
            return None


def _changed(rng: random.Random, text: str) -> str:
    for _ in range(rng.randint(1, 3)):
        text = rng.choice((_reworded, _reworded, _reworded, _rewired, _moved))(rng, text)
    return text


def _reworded(rng: random.Random, text: str) -> str:
    """One number, operation, type or word replaced; a number or type everywhere as often as once."""
    pattern = rng.choice(tuple(_WRITTEN))
    found = list(pattern.finditer(text))
    if not found:
        return text
    chosen, written = rng.choice(found), rng.choice(_WRITTEN[pattern])
    if pattern in (_NUMBER, _TYPE) and rng.random() < 0.5:
        return re.sub(rf"(?<![\w.%]){re.escape(chosen.group())}(?=x|\b)", written, text)
    return text[: chosen.start()] + written + text[chosen.end() :]


def _rewired(rng: random.Random, text: str) -> str:
    """One use of a value replaced by another value."""
    found = list(_VALUE.finditer(text))
    chosen, other = rng.choice(found), rng.choice(found)
    return text[: chosen.start()] + other.group() + text[chosen.end() :]


def _moved(rng: random.Random, text: str) -> str:
    """One line deleted, doubled or moved."""
    lines = text.splitlines()
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.choice((0, 1, 2))):
        lines.insert(rng.randint(0, len(lines)), line)
    return "\n".join(lines)
