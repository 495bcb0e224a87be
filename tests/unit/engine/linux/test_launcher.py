"""The sealed launcher: boxes start, serve, end, and are told apart by how they ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.domain.errors import EngineFault, SealUnavailable
from grader.engine.launcher import BoxPolicy, open_launcher
from grader.engine.linux import uids
from grader.engine.policy import End, EndKind, Launcher, Layer, Role
from grader.engine.protocol import ChannelClosed
from tests import boxes
from tests.boxes import Inmate, Refused

pytestmark = pytest.mark.linux

REPOSITORY = Path(__file__).parents[4]


def ended(inmate: Inmate, code: str, *, within: float = 30) -> End:
    """Run `code`, which is to be the end of the box."""
    with inmate.box.deadline(within), pytest.raises(ChannelClosed):  # noqa: PT012 - it may be gone at either
        inmate.send(code)
        inmate.box.channel.receive()
    end = inmate.box.close()
    assert inmate.box.end == end
    return end


def until(true: Callable[[], bool], *, within: float) -> bool:
    """Whether it comes true in time."""
    limit = time.monotonic() + within
    while not (happened := true()) and time.monotonic() < limit:
        time.sleep(0.02)
    return happened


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_box_answers(inmate: Inmate):
    assert inmate.run("result = 6 * 7") == 42


def test_a_box_keeps_what_it_was_told(inmate: Inmate):
    inmate.run("x = 1")
    assert inmate.run("result = x + 1") == 2


def test_a_box_knows_its_world(launcher: Launcher):
    inmate = boxes.start(launcher, world=3)
    assert inmate.run("result = world") == 3
    inmate.box.close()


def test_the_layers_are_told_in_the_order_of_the_seal(launcher: Launcher):
    assert launcher.sealed
    assert list(launcher.layers) == [layer.value for layer in Layer if layer.value in launcher.layers]


def test_a_running_box_has_no_end(inmate: Inmate):
    assert inmate.box.end is None


def test_a_closed_box_stays_closed(inmate: Inmate):
    assert inmate.box.close() is inmate.box.close()
    assert inmate.box.end is inmate.box.close()


def test_a_closed_box_is_gone(inmate: Inmate):
    pid = inmate.box.pid
    assert is_running(pid)
    inmate.box.close()
    assert not is_running(pid)


def test_no_process_of_its_user_is_left(launcher: Launcher):
    inmate = boxes.start(launcher)
    uid = inmate.run("import os; result = os.getuid()")
    inmate.box.close()
    if os.geteuid() == 0:
        assert uids.FIRST <= uid <= uids.LAST
        assert uids.processes_of(uid) == []


def test_two_boxes_are_two_users(launcher: Launcher):
    pair = [boxes.start(launcher) for _ in range(2)]
    users = {inmate.run("import os; result = os.getuid()") for inmate in pair}
    for inmate in pair:
        inmate.box.close()
    assert len(users) == (2 if os.geteuid() == 0 else 1)


class TestEnds:
    def test_an_exit_status_is_told(self, inmate: Inmate):
        end = ended(inmate, "import os; os._exit(3)")
        assert (end.kind, end.code) == (EndKind.EXITED, 3)

    def test_a_signal_is_told(self, inmate: Inmate):
        end = ended(inmate, "import os; os.abort()")
        assert (end.kind, end.code) == (EndKind.SIGNALLED, signal.SIGABRT)

    def test_a_segmentation_fault_is_told(self, inmate: Inmate):
        end = ended(inmate, "import ctypes; ctypes.string_at(0)")
        assert (end.kind, end.code) == (EndKind.SIGNALLED, signal.SIGSEGV)

    def test_an_exception_that_escapes_the_role_is_an_exit(self, inmate: Inmate):
        end = ended(inmate, "raise SystemExit")
        assert end.kind is EndKind.EXITED
        assert b"SystemExit" in inmate.box.output()

    def test_a_deadline_ends_a_loop(self, inmate: Inmate):
        assert ended(inmate, "while True: pass", within=0.3).kind is EndKind.DEADLINE

    def test_a_box_that_hardly_ever_ran_is_told_from_one_that_is_late(self, inmate: Inmate):
        core = min(os.sched_getaffinity(0))
        hog = f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
        # Each in a session of its own: some schedulers share out time by sessions first.
        hogs = [subprocess.Popen([sys.executable, "-c", hog], start_new_session=True) for _ in range(15)]
        try:
            inmate.run("pass")
            try:
                for thread in os.listdir(f"/proc/{inmate.box.pid}/task"):  # noqa: PTH208 - names
                    os.sched_setaffinity(int(thread), {core})
            except PermissionError:
                pytest.skip("its box belongs to another user, and a container's root may not move it")
            assert ended(inmate, "while True: pass", within=0.5).kind is EndKind.STARVED
        finally:
            for process in hogs:
                process.kill()
                process.wait()

    def test_a_deadline_ends_a_process_that_stopped_itself(self, inmate: Inmate):
        end = ended(inmate, "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", within=0.3)
        assert end.kind is EndKind.DEADLINE

    def test_a_deadline_ends_a_process_that_ignores_signals(self, inmate: Inmate):
        code = """
        import signal
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        while True: pass
        """
        assert ended(inmate, code, within=0.3).kind is EndKind.DEADLINE

    def test_the_earlier_of_two_deadlines_counts(self, inmate: Inmate):
        with inmate.box.deadline(0.3):
            assert ended(inmate, "import time; time.sleep(60)", within=30).kind is EndKind.DEADLINE

    def test_a_box_that_keeps_its_deadline_lives_on(self, inmate: Inmate):
        with inmate.box.deadline(0.3):
            inmate.run("pass")
        time.sleep(0.5)
        assert inmate.run("result = 1") == 1

    def test_closing_the_channel_does_not_hide_a_process(self, inmate: Inmate):
        end = ended(inmate, "import os, time; os.closerange(0, 64); time.sleep(60)")
        assert (end.kind, end.code) == (EndKind.SIGNALLED, signal.SIGKILL)
        assert not is_running(inmate.box.pid)

    def test_growing_memory_is_out_of_memory(self, launcher: Launcher):
        inmate = boxes.start(launcher, memory_mib=400)
        code = """
        import time
        kept = []
        while True:
            kept.append(bytearray(b"x") * (8 << 20)); time.sleep(0.01)
        """
        end = ended(inmate, code)
        assert end.kind is EndKind.OUT_OF_MEMORY
        assert 350 < end.peak_rss_mib < 800

    def test_a_leap_in_memory_is_out_of_memory(self, launcher: Launcher):
        inmate = boxes.start(launcher, memory_mib=400)
        end = ended(
            inmate, "kept = [bytearray(b'x') * (64 << 20) for _ in range(64)]\nimport os; os._exit(1)"
        )
        assert end.kind is EndKind.OUT_OF_MEMORY
        assert end.peak_rss_mib < 900

    def test_a_memory_error_that_escapes_the_role_is_out_of_memory(self, inmate: Inmate):
        inmate.run("def fail(*_): raise MemoryError\nchannel.receive = fail")
        assert ended(inmate, "pass").kind is EndKind.OUT_OF_MEMORY

    def test_processor_time_is_bounded(self, launcher: Launcher):
        inmate = boxes.start(launcher, cpu_s=1)
        end = ended(inmate, "while True: pass")
        assert end.kind is EndKind.CPU_LIMIT
        assert 0.5 < end.cpu_s < 3

    def test_ignoring_the_warning_about_processor_time_helps_nobody(self, launcher: Launcher):
        inmate = boxes.start(launcher, cpu_s=1)
        code = "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
        assert ended(inmate, code).kind is EndKind.CPU_LIMIT


class TestOutput:
    def test_what_it_wrote_can_be_read_after_its_end(self, inmate: Inmate):
        ended(inmate, "import os, sys; print('out', flush=True); print('err', file=sys.stderr); os.abort()")
        assert inmate.box.output() == b"out\nerr\n"

    def test_the_box_can_read_it_too(self, inmate: Inmate):
        inmate.run("import os, sys; print('out'); sys.stdout.flush()")
        assert inmate.run("result = os.pread(1, 10, 0).decode()") == "out\n"

    def test_a_flood_is_cut_off_and_no_error(self, launcher: Launcher):
        inmate = boxes.start(launcher, scratch_mib=1)
        assert inmate.run("for _ in range(40): print('x' * 100_000)\nresult = 'done'") == "done"
        assert inmate.run("import os; result = os.fstat(1).st_size") == 1 << 20
        assert len(inmate.box.output(1000)) == 1000
        inmate.box.close()

    def test_standard_input_is_empty(self, inmate: Inmate):
        assert inmate.run("import sys; result = sys.stdin.read()") == ""
        with pytest.raises(Refused, match="EOFError"):
            inmate.run("input('password: ')")

    def test_starting_jax_prints_nothing(self, inmate: Inmate):
        inmate.run("import jax.numpy as jnp; jnp.ones(3).sum().block_until_ready()")
        assert inmate.box.output() == b""


class TestWork:
    def test_linear_algebra_transforms_and_threads_work(self, inmate: Inmate):
        code = """
        import threading
        import jax, jax.numpy as jnp, numpy as np
        x = jax.random.normal(jax.random.key(0), (64, 64))
        u, s, v = jnp.linalg.svd(x)
        w, _ = jnp.linalg.eigh(x @ x.T)
        back = jnp.fft.ifft(jnp.fft.fft(x)).real
        total = jax.jit(jax.grad(lambda y: jnp.sort(y @ y).sum()))(x)
        looped = jax.lax.scan(lambda c, r: (c + r, c), jnp.zeros(64), x)[0]
        told = jax.pure_callback(lambda y: np.asarray(y) * 2, jax.ShapeDtypeStruct((), jnp.float32), 2.0)
        seen = []
        thread = threading.Thread(target=lambda: seen.append(np.linalg.eig(np.eye(3))[0].sum()))
        thread.start(); thread.join()
        result = [
            bool(jnp.allclose(u * s @ v, x, atol=1e-3)),
            bool(jnp.allclose(jnp.sort(s**2), w, rtol=1e-2, atol=1e-2)),
            bool(jnp.allclose(back, x, atol=1e-4)),
            bool(jnp.allclose(looped, x.sum(axis=0), atol=1e-3)),
            bool(jnp.isfinite(total).all()),
            float(told) == 4.0,
            seen == [3.0],
        ]
        """
        assert inmate.run(code) == [True] * 7

    def test_scratch_can_be_written_read_and_emptied(self, inmate: Inmate):
        code = """
        import os, pathlib, tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "notes.txt")
            path.write_text("hello")
            path.rename(path.with_suffix(".md"))
            text = pathlib.Path(folder, "notes.md").read_text()
            result = [text, os.listdir(folder), folder.startswith(os.getcwd())]
        """
        assert inmate.run(code) == ["hello", ["notes.md"], True]

    @pytest.mark.parametrize("module", ["wave", "scipy.signal", "sqlite3", "zoneinfo", "colorsys"])
    def test_a_module_that_nothing_else_uses_can_be_imported(self, inmate: Inmate, module: str):
        assert inmate.run(f"import sys; result = {module!r} in sys.modules; import {module}") is False

    def test_a_large_array_travels_both_ways(self, inmate: Inmate):
        assert inmate.run(f"result = len({'x' * 1_000_000!r})") == 1_000_000
        assert len(inmate.run("result = 'x' * 1_000_000")) == 1_000_000

    def test_the_number_of_cores_is_kept(self, launcher: Launcher):
        inmate = boxes.start(launcher, threads=1)
        assert inmate.run("import os; result = len(os.sched_getaffinity(0))") == 1
        inmate.box.close()

    @pytest.mark.slow
    def test_fifty_forks_compile_and_none_hangs(self, launcher: Launcher):
        for number in range(50):
            inmate = boxes.start(launcher)
            code = f"import jax, jax.numpy as jnp; result = float(jax.jit(lambda x: x * {number})(2.0))"
            assert inmate.run(code) == 2.0 * number
            inmate.box.close()

    def test_boxes_start_from_several_threads(self, launcher: Launcher):
        answers: list[int] = []

        def work(number: int) -> None:
            inmate = boxes.start(launcher)
            answers.append(inmate.run(f"result = {number}"))
            inmate.box.close()

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answers) == list(range(8))

    def test_a_box_costs_no_descriptor_once_it_is_closed(self, launcher: Launcher):
        boxes.start(launcher).box.close()
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(5):
            boxes.start(launcher).box.close()
        assert len(list(Path("/proc/self/fd").iterdir())) == before


class TestZygote:
    def test_a_killed_zygote_takes_its_boxes_along_and_is_replaced(self):
        launcher = boxes.sealed()
        inmate = boxes.start(launcher)
        launcher._zygote._process.kill()
        with pytest.raises(ChannelClosed):
            inmate.run("import time; time.sleep(60)")
        assert inmate.box.close().kind is EndKind.SIGNALLED
        assert until(lambda: not launcher._zygote.alive, within=2)
        again = boxes.start(launcher)
        assert again.run("result = 1") == 1
        launcher.close()
        assert not is_running(again.box.pid)

    @pytest.mark.parametrize(
        "module, why",
        [("backend_starter", "backend was started"), ("thread_starter", "more than one thread")],
    )
    def test_a_zygote_that_is_unfit_to_fork_is_not_forked(self, module: str, why: str):
        with pytest.raises(EngineFault, match=why):
            boxes.sealed(module=module)

    def test_a_role_that_cannot_be_imported_is_told_when_it_is_asked_for(self):
        launcher = boxes.sealed(module="not_there")
        with pytest.raises(EngineFault, match="No module named 'not_there'"):
            boxes.start(launcher)
        launcher.close()

    def test_closing_a_launcher_ends_its_boxes_and_its_zygote(self):
        launcher = boxes.sealed()
        inmate = boxes.start(launcher)
        launcher.close()
        launcher.close()
        assert not is_running(inmate.box.pid)
        assert launcher._zygote._process.returncode is not None

    def test_the_death_of_the_launchers_process_leaves_nothing_behind(self):
        code = """
            import sys, time
            from tests import boxes
            launcher = boxes.sealed()
            pair = [boxes.start(launcher) for _ in range(2)]
            folders = [str(inmate.box._belongings.folder or "/none") for inmate in pair]
            print(launcher._zygote._process.pid, *(inmate.box.pid for inmate in pair), *folders, flush=True)
            time.sleep(60)
        """
        program = [sys.executable, "-c", "import textwrap; exec(textwrap.dedent(%r))" % code]  # noqa: UP031
        with subprocess.Popen(program, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            words = process.stdout.readline().split()
            pids, folders = list(map(int, words[:3])), list(map(Path, words[3:]))
            assert len(pids) == 3
            assert all(map(is_running, pids))
            process.kill()
        assert until(lambda: not any(map(is_running, pids)), within=2)
        assert until(lambda: not any(map(Path.exists, folders)), within=2)


class TestDemands:
    def test_a_missing_filter_is_refused(self):
        with pytest.raises(SealUnavailable, match="'system call filter' is not available"):
            boxes.sealed(wanted=frozenset(Layer) - {Layer.SECCOMP})

    def test_no_guard_of_the_files_is_refused(self):
        with pytest.raises(SealUnavailable, match="'Landlock' is not available"):
            boxes.sealed(wanted=boxes.WITHOUT_NAMESPACES - {Layer.LANDLOCK})

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root has another identity to take")
    def test_root_that_stays_root_is_refused(self):
        with pytest.raises(SealUnavailable, match="'throwaway identity' is not available"):
            boxes.sealed(wanted=frozenset(Layer) - {Layer.IDENTITY})

    def test_a_layer_that_does_not_hold_is_refused(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("grader.engine.linux.launcher._PROBE_BYTES", 1)
        with pytest.raises(SealUnavailable, match=r"'resource limits' .* 'use memory' ended in done"):
            boxes.sealed()


def test_a_role_of_the_product_is_served():
    launcher = open_launcher()
    for role in Role:
        assert launcher.start(BoxPolicy(role=role)).end is None
    launcher.close()
