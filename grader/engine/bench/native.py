"""What may be handed to LAPACK: native routines trust the sizes that they are told, and write past them.

Each contract says how the sizes of one call hang together. ``m`` and ``n`` are free, ``k`` is the smaller of
them, ``h`` one less than ``n``, ``r`` a number of its own; every array may have the same batch axes in front.
Taken from what jax 0.10.2 itself lowers each routine to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jaxlib.mlir import ir

from grader.engine.bench.operations import shape_of

Shape = tuple[int, ...]

_ROUTINE = re.compile(r"lapack_([sdcz])([a-z]+)_ffi")
_CONTRACTS: Mapping[str, str] = {
    "potrf": "nn -> nn,",
    "getrf": "mn -> mn,k,",
    "geqrf": "mn -> mn,k",
    "orgqr": "mn,r -> mn",
    "ungqr": "mn,r -> mn",
    "gesdd A": "mn -> mn,k,mm,nn,",
    "gesdd S": "mn -> mn,k,mk,kn,",
    "gesdd N": "mn -> mn,k,mm,nn,|mn -> mn,k,mk,kn,",
    "syevd": "nn -> nn,n,",
    "heevd": "nn -> nn,n,",
    "geev real": "nn -> n,n,nn,nn,",
    "geev complex": "nn -> n,nn,nn,",
    "gees real": "nn -> nn,nn,n,n,,",
    "gees complex": "nn -> nn,nn,n,,",
    "gehrd": "nn -> nn,h,",
    "sytrd": "nn -> nn,n,h,h,",
    "hetrd": "nn -> nn,n,h,h,",
    "trsm L": "mm,mn -> mn",
    "trsm R": "nn,mn -> mn",
    "gtsv": "n,n,n,nr -> n,n,n,nr,",
}
_OPTION = {"gesdd": "mode", "trsm": "side"}
"""The letter, among a call's settings, that decides which contract holds."""
_SETTINGS = ("mhlo.backend_config", "backend_config")
_BY_FIELD = frozenset({"geev", "gees"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeCall:
    """One custom call: its target, its settings, the shapes that go in and come out.

    A shape is None if it is not known before the call.
    """

    target: str
    letters: Mapping[str, str]
    numbers: Mapping[str, int]
    operands: tuple[Shape | None, ...]
    results: tuple[Shape | None, ...]

    @classmethod
    def read(cls, operation: ir.Operation) -> NativeCall:
        """From a ``stablehlo.custom_call``."""
        return cls(
            target=ir.StringAttr(operation.attributes["call_target_name"]).value,
            letters={name: chr(value) for name, value in _settings(operation, "ui8").items()},
            numbers=_settings(operation, "i32"),
            operands=tuple(map(shape_of, operation.operands)),
            results=tuple(map(shape_of, operation.results)),
        )

    @property
    def fits(self) -> bool:
        """Whether its sizes hang together; always true of what is not LAPACK's, which the compiler knows."""
        routine = _ROUTINE.fullmatch(self.target)
        if routine is None:
            return True
        name = routine[2]
        if name == "gehrd" and not self._whole():
            return False
        if name in _BY_FIELD:
            name = f"{name} {'real' if routine[1] in 'sd' else 'complex'}"
        elif name in _OPTION:
            name = f"{name} {self.letters.get(_OPTION[name], '')}"
        return any(self._keeps(contract) for contract in _CONTRACTS.get(name, "").split("|") if contract)

    def _whole(self) -> bool:
        """Whether a reduction is of all rows, the only one that JAX asks for."""
        shape = self.operands[0] if self.operands else None
        rows = shape[-1] if shape else 0
        return (self.numbers.get("low"), self.numbers.get("high")) == (1, rows)

    def _keeps(self, contract: str) -> bool:
        before, _, after = contract.partition(" -> ")
        wanted = (*before.split(","), *after.split(","))
        shapes = (*self.operands, *self.results)
        if len(before.split(",")) != len(self.operands) or len(wanted) != len(shapes):
            return False
        return _hang_together(wanted, shapes)


def _hang_together(wanted: Sequence[str], shapes: Sequence[Shape | None]) -> bool:
    sizes: dict[str, int] = {}
    batches = set[Shape]()
    for letters, shape in zip(wanted, shapes, strict=True):
        if shape is None or len(shape) < len(letters):
            return False
        at = len(shape) - len(letters)
        batches.add(shape[:at])
        for letter, size in zip(letters, shape[at:], strict=True):
            if letter in "mnr" and sizes.setdefault(letter, size) != size:
                return False
            if letter == "k" and size != min(sizes["m"], sizes["n"]):
                return False
            if letter == "h" and size != max(sizes["n"] - 1, 0):
                return False
    return len(batches) == 1


def _settings(operation: ir.Operation, kind: str) -> dict[str, int]:
    """Settings of one integer type; letters are written as numbers of eight bits."""
    found = {}
    for settings in (operation.attributes.get(name, None) for name in _SETTINGS):
        if isinstance(settings, ir.DictAttr):
            items = [settings[position] for position in range(len(settings))]
            numbers = [item for item in items if str(item.attr).endswith(f": {kind}")]
            found.update({item.name: int(ir.IntegerAttr(item.attr).value) for item in numbers})
    return found
