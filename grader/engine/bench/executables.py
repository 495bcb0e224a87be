"""Programs compiled by XLA, kept in memory by content. Nothing is cached on disk: it would be native code."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import jax
import numpy as np
from jax._src import compiler, xla_bridge
from jaxlib import _jax

from grader.domain.errors import ProgramFailed
from grader.engine.bench.answers import Trouble
from grader.engine.bench.programs import Program
from grader.engine.protocol import AnyArray

_EXECUTABLES_KEPT = 32


class Effort(IntEnum):
    """How hard the compiler works. Values do not need it; only what is timed does."""

    VALUES = 0
    SPEED = 3


class Executable:
    """One compiled program on one device. Inputs and outputs are flat."""

    def __init__(self, program: Program, *, effort: Effort) -> None:
        self._program = program
        self._backend = xla_bridge.get_backend()
        self._device = self._backend.local_devices()[0]
        self._loaded = self._compile(effort)

    @property
    def on_gpu(self) -> bool:
        return _platform(self._backend) == "cuda"

    def place(self, inputs: Sequence[AnyArray]) -> list[Any]:
        """Inputs on the device, as `call` takes them. 64-bit types keep their width."""
        arguments = self._program.arguments(list(inputs), platform=_platform(self._backend))
        with jax.enable_x64(True):
            return [jax.device_put(array, self._device) for array in arguments]

    def call(self, placed: list[Any]) -> list[Any]:
        """Start one run; the results are ready when each one's `block_until_ready` returns."""
        return list(self._loaded.execute(placed))

    def run(self, inputs: Sequence[AnyArray]) -> list[AnyArray]:
        """Outputs of one run; ProgramFailed if the runtime gives up."""
        try:
            return [np.asarray(output) for output in self.call(self.place(inputs))]
        except jax.errors.JaxRuntimeError as exc:
            raise ProgramFailed(Trouble.RUN, _first_line(exc)) from exc

    def _compile(self, effort: Effort) -> Any:  # noqa: ANN401 - jaxlib publishes no type for it
        options = compiler.get_compile_options(
            num_replicas=1,
            num_partitions=1,
            device_assignment=np.array([[self._device]]),
            backend=self._backend,
            env_options_overrides={} if effort is Effort.SPEED else {"xla_backend_optimization_level": "0"},
        )
        devices = _jax.DeviceList((self._device,))
        try:
            return compiler.backend_compile_and_load(
                self._backend, self._program.module, devices, options, []
            )
        except jax.errors.JaxRuntimeError as exc:
            raise ProgramFailed(Trouble.COMPILE, _first_line(exc)) from exc


class Executables:
    """Compiled programs by digest and effort, the least recently used forgotten first."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, Effort], Executable] = OrderedDict()

    def known(self, program: Program) -> Effort | None:
        """The effort at which a program has been compiled already, the highest if several; None if not."""
        return next((e for e in reversed(Effort) if (program.facts.digest, e) in self._known), None)

    def get(self, program: Program, *, effort: Effort) -> Executable:
        """The executable, compiled now if it is not known; ProgramFailed if it does not compile."""
        key = (program.facts.digest, effort)
        if key in self._known:
            self._known.move_to_end(key)
        else:
            self._known[key] = Executable(program, effort=effort)
            if len(self._known) > _EXECUTABLES_KEPT:
                self._known.popitem(last=False)
        return self._known[key]


def _platform(backend: Any) -> str:  # noqa: ANN401 - as above
    name = str(backend.platform)
    return "cuda" if name == "gpu" else name


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
