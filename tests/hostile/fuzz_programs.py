"""Fuzzed programs: sent to a real bench, sealed where that can be, as a check would send them.

The bench may end or be ended over a program; the next request must then find one that works, and nothing
may be left of the first.
"""

from __future__ import annotations

import random
import tempfile
import time
import warnings
from contextlib import ExitStack
from multiprocessing import resource_tracker
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt
import psutil

from grader.domain.errors import BenchFault, EngineFault, ProgramFailed, ProgramRefused
from grader.domain.verdicts import Verdict
from grader.engine.examiner.host import Host
from grader.engine.policy import Box
from grader.engine.protocol import Leaf, LeafKind
from grader.engine.session import Session, SubmissionEnded
from tests.hostile.fuzz_forge import Forge
from tests.hostile.fuzz_tally import Became
from tests.unit.engine import scripted

DEADLINE_S = 3.0
"""What a program may take, as the time limit of a check would allow."""
WORST_S = 60.0
"""A case takes several requests, each within its deadline, forging, and a bench that starts anew."""

_PROBE_LIMIT_S = 60.0
_GONE_S = 10.0


def _jax(array: npt.ArrayLike) -> Leaf:
    return Leaf.of(np.asarray(array), kind=LeafKind.JAX)


_X = np.arange(12, dtype=np.float32).reshape(4, 3)
_INPUTS: dict[str, tuple[Leaf, ...]] = {
    "normalize": (_jax(_X),),
    "set_diagonal": (_jax(_X), _jax(np.float32(2))),
    "sample_walk": (Leaf.of(np.array([0, 7], np.uint32), kind=LeafKind.KEY, impl="threefry2x32"),),
    "pairwise_sq_dists": (_jax(_X), _jax(np.ones((5, 3), np.float32))),
    "smooth": (_jax(_X.ravel()[:6]), _jax(np.int32(3))),
}


class Range:
    """A context with a host, as an examiner has one, and its bench."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fuzz-")))
            with warnings.catch_warnings():  # a neighbour may have ended it, which is nothing to us
                warnings.simplefilter("ignore", UserWarning)
                resource_tracker.ensure_running()  # Python's own, beside every process that it spawns
            self._before = set(psutil.Process().children(recursive=True))
            stack.callback(setattr, tempfile, "tempdir", tempfile.tempdir)
            tempfile.tempdir = str(self._folder)  # what boxes leave is told from what neighbours make
            self._left: list[str] = []
            stack.callback(self._look_around)
            self._forge = stack.enter_context(Forge())
            self._host = Host(sealed=None)
            stack.callback(self._host.close)
            self._sound = {name: self._forge.sound(name) for name in _INPUTS}
            self._probe()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def left_behind(self) -> list[str]:
        """What was still there when the context had been left, one sentence each."""
        return self._left

    def attempt(self, rng: random.Random) -> Became:
        """Have one damaged program inspected, and then run, raced or its keys followed."""
        name = rng.choice(tuple(_INPUTS))
        program = self._forge.damaged(name, str(rng.getrandbits(64)))
        if program is None:
            program = self._sound[name][: rng.randrange(len(self._sound[name]))]
        became = self._asked(rng, name, program)
        if became in (Became.DEATH, Became.DEADLINE):
            self._probe()
        return became

    def _asked(self, rng: random.Random, name: str, program: bytes) -> Became:
        session = self._session(DEADLINE_S)
        try:
            session.inspect(name, program)
            self._used(rng, session, name, program)
        except (ProgramRefused, ProgramFailed) as exc:
            str(exc).encode()
            return Became.REFUSED
        except BenchFault:
            return Became.FAULT
        except EngineFault:
            return Became.DEATH  # of a bench: that none could be started would show in the next probe
        except SubmissionEnded as exc:
            return Became.DEADLINE if exc.verdict is Verdict.TIMED_OUT else Became.DEATH
        return Became.ACCEPTED

    def _used(self, rng: random.Random, session: Session, name: str, program: bytes) -> None:
        inputs = _INPUTS[name]
        match rng.randrange(8):
            case 0:
                keys = [0] if name == "sample_walk" else []
                session.key_log(name, program, inputs, key_inputs=keys, key_outputs=keys)
            case 1:
                lanes = {"submission": program, "rival": self._sound[name]}
                session.race(name, lanes, [inputs], at_least=1.5)
            case 2 | 3:
                session.evaluate_spread(name, program, inputs, [None] * len(inputs))
            case _:
                session.evaluate(name, program, [inputs, inputs])

    def _probe(self) -> None:
        """A sound program must give its result, whatever came before."""
        for name in ("normalize", "smooth"):
            (outputs,) = (
                self._session(_PROBE_LIMIT_S).evaluate(name, self._sound[name], [_INPUTS[name]]).outputs
            )
            if outputs[0].array is None or not np.isfinite(outputs[0].array).all():
                raise AssertionError(f"a sound {name} gave {outputs[0].array}")

    def _session(self, check_s: float) -> Session:
        return scripted.session(_Hosting(self._host), check_s=check_s)

    def _look_around(self) -> None:
        until = time.monotonic() + _GONE_S
        while (found := self._strays()) and time.monotonic() < until:
            time.sleep(0.05)
        self._left += [f"left process {process.pid}" for process in found]
        self._left += [f"left {path.name}" for path in self._folder.iterdir()]

    def _strays(self) -> set[psutil.Process]:
        return set(psutil.Process().children(recursive=True)) - self._before


class _Hosting(scripted.ScriptedLauncher):
    """The host's bench, and no candidates."""

    def __init__(self, host: Host) -> None:
        super().__init__(scripted.script(scripted.traced()))
        self._host = host

    def bench(self) -> Box:  # type: ignore[override]
        return self._host.bench()

    def drop_bench(self) -> None:
        self._host.drop_bench()
