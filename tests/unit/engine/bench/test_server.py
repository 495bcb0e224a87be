"""The bench as a process of its own: it answers, survives bad requests, and can be killed."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from grader.domain.errors import BenchFault
from grader.engine.bench import client
from grader.engine.bench.answers import How, Trouble
from grader.engine.protocol import Channel, ChannelClosed, Message
from tests.unit.engine.bench.local import LocalBench, exported, leaves

ROOT = Path(__file__).parents[4]
X = np.arange(4, dtype=np.float32)

SERVE = """
import sys
from grader.engine.bench import prewarm, serve
from grader.engine.protocol import Channel
prewarm()
serve(Channel(sys.stdin.buffer, sys.stdout.buffer))
"""


@contextmanager
def process(code: str = SERVE) -> Iterator[tuple[subprocess.Popen[bytes], Channel]]:
    """A bench in a fresh interpreter, and the examiner's end of its channel."""
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        channel = Channel(child.stdout, child.stdin)
        try:
            yield child, channel
        finally:
            child.kill()
            channel.close()


def test_it_answers_until_the_examiner_hangs_up() -> None:
    blob = exported(lambda x: x * 2, X)
    with process() as (child, channel):
        assert client.inspect(channel, blob).ops == 2
        (output,) = client.evaluate(channel, blob, [leaves([X])]).outputs[0]
        np.testing.assert_array_equal(output.array, X * 2)
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait(10) == 0


def test_a_program_that_never_ends_costs_only_the_process() -> None:
    forever = exported(lambda x: lax.while_loop(lambda c: c[0] >= 0, lambda c: c + 1, x), X)
    with process() as (child, channel):
        channel.send(
            Message(
                kind="evaluate",
                data={"how": "compile", "sets": [1]},
                leaves=tuple(leaves([X])),
                blobs=(forever,),
            )
        )
        time.sleep(1.5)
        assert child.poll() is None
        child.kill()
        with pytest.raises(ChannelClosed):
            channel.receive()


def test_an_interpreter_that_gives_up_closes_the_channel() -> None:
    """Where nobody defines divisions by zero, one ends the process: the examiner must see it end."""
    undefine = (
        "from grader.engine.bench import interpreter\ninterpreter.define_divisions = lambda module: None"
    )
    code = SERVE.replace("prewarm()", undefine)
    blob = exported(lambda a: lax.div(a, a), np.zeros(3, np.int32))
    with process(code) as (child, channel):
        with pytest.raises(ChannelClosed):
            client.evaluate(channel, blob, [leaves([np.zeros(3, np.int32)])], how=How.INTERPRET)
        assert child.wait(10) != 0


def test_getting_ready_starts_no_backend_and_no_thread() -> None:
    code = textwrap.dedent("""
        import os
        for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ[name] = "1"
        from grader.engine.bench import prewarm
        prewarm()
        from jax._src import xla_bridge
        from pathlib import Path
        assert not xla_bridge.backends_are_initialized()
        tasks = Path("/proc/self/task")
        assert not tasks.exists() or len(list(tasks.iterdir())) == 1
    """)
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)


def test_an_unknown_request_is_an_answer_not_an_end() -> None:
    bench = LocalBench()
    bench.send(Message(kind="dance"))
    answer = bench.receive()

    assert (answer.kind, answer.data["code"], answer.data["refused"]) == ("error", "internal", False)
    assert client.inspect(bench, exported(lambda x: x + 1, X)).ops == 2


def test_a_fault_of_the_bench_is_told_apart_from_the_programs() -> None:
    bench = LocalBench()
    bench.send(Message(kind="evaluate", data={"how": "auto"}, blobs=(exported(lambda x: x + 1, X),)))

    assert bench.receive().data["code"] == Trouble.INTERNAL


def test_input_sets_that_do_not_add_up_are_the_callers_fault() -> None:
    bench = LocalBench()
    request = Message(
        kind="evaluate",
        data={"how": "auto", "sets": [1, 1]},
        leaves=tuple(leaves([X])),
        blobs=(exported(jnp.sin, X),),
    )
    bench.send(request)

    assert bench.receive().data["code"] == Trouble.BAD_INPUTS


def test_a_fault_is_raised_at_the_examiners_side() -> None:
    with pytest.raises(BenchFault, match="a race needs inputs"):
        client.race(
            LocalBench(), {"submission": exported(jnp.sin, X), "rival": exported(jnp.cos, X)}, [], at_least=2
        )
