"""What a sealed box must not be able to do, tried for real, under every make of the seal that works here."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.domain.errors import SealUnavailable
from grader.engine.linux import uids
from grader.engine.policy import EndKind, Launcher, Layer
from grader.engine.protocol import ChannelClosed
from tests import boxes
from tests.boxes import Inmate, Refused
from tests.ordinary import private_part

if sys.platform != "linux":
    pytest.skip("the seal is Linux's", allow_module_level=True)

pytestmark = pytest.mark.linux

REPOSITORY = Path(__file__).parents[2]
REFUSED = {"PermissionError"}
OUT_OF_REACH = {"PermissionError", "FileNotFoundError", "NotADirectoryError"}

MAKES = {"whole": frozenset(Layer), "without Landlock": frozenset(Layer) - {Layer.LANDLOCK}}
if os.geteuid() != 0 or not private_part(Path(sys.base_prefix)):
    # Elsewhere only a private root lets another user reach the interpreter: see test_seal_elsewhere.py.
    MAKES["without namespaces"] = boxes.WITHOUT_NAMESPACES


@pytest.fixture(scope="module", params=MAKES)
def launcher(request: pytest.FixtureRequest) -> Iterator[Launcher]:
    try:
        launcher = boxes.sealed(wanted=MAKES[request.param])
    except SealUnavailable as unavailable:
        pytest.skip(str(unavailable))
    yield launcher
    launcher.close()


@pytest.fixture
def inmate(launcher: Launcher) -> Iterator[Inmate]:
    inmate = boxes.start(launcher)
    yield inmate
    inmate.box.close()


@pytest.fixture
def secret() -> Iterator[Path]:
    """A file that every user of the machine may read."""
    with tempfile.TemporaryDirectory(prefix="open-") as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "secret.txt"
        path.write_text("the answer")
        path.chmod(0o644)
        yield path


def outcome(inmate: Inmate, code: str) -> str:
    """``"done"``, or the name of the error it ended in."""
    try:
        inmate.run(code)
    except Refused as refused:
        return refused.name
    return "done"


def memory_of(pid: int) -> bytes:
    """All that a process could read of its own."""
    parts = []
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123 - unbuffered
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            region, access, *_ = line.split()
            if "r" not in access or line.endswith(("[vvar]", "[vsyscall]", "[vvar_vclock]")):
                continue
            first, last = (int(word, 16) for word in region.split("-"))
            memory.seek(first)
            parts.append(memory.read(last - first) or b"")
    return b"".join(parts)


PYTHON_ACTS = {
    "open a TCP socket": "socket.socket()",
    "open a UDP socket": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "open a Unix socket": "socket.socket(socket.AF_UNIX)",
    "open a netlink socket": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "make a pair of sockets": "socket.socketpair()",
    "connect": "socket.create_connection(('127.0.0.1', 80), 1)",
    "fork": "os.fork()",
    "fork a terminal": "os.forkpty()",
    "execute": "os.execv('/bin/true', ['true'])",
    "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "run a program": "subprocess.run(['/bin/true'])",
    "run a shell": "subprocess.run('true', shell=True)",
    "kill the parent": "os.kill(os.getppid(), 9)",
    "look for the parent": "os.kill(os.getppid(), 0)",
    "kill everything": "os.kill(-1, 9)",
    "kill its group": "os.kill(0, 9)",
    "make a file in memory": "os.memfd_create('x')",
    "become root": "os.setuid(0)",
    "become root's group": "os.setgid(0)",
    "change its groups": "os.setgroups([0])",
    "change its root": "os.chroot('/')",
    "use other cores": "os.sched_setaffinity(0, {0})",
    "change its priority": "os.nice(-1)",
    "change a scheduler": "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
    "make a pipe with a name": "os.mkfifo('fifo')",
    "make a device": "os.mknod('null', 0o020666, os.makedev(1, 3))",
    "make a symbolic link": "os.symlink('/etc', 'etc')",
    "make a hard link": "open('a', 'w').close(); os.link('a', 'b')",
    "change a mode": "open('m', 'w').close(); os.chmod('m', 0o4777)",
    "change an owner": "open('o', 'w').close(); os.chown('o', 0, 0)",
    "change a time": "open('t', 'w').close(); os.utime('t')",
    "set an attribute": "open('x', 'w').close(); os.setxattr('x', 'user.a', b'1')",
    "start a session": "os.setsid()",
    "watch a process": "os.pidfd_open(os.getpid())",
    "share memory": "mmap.mmap(-1, 4096)",
    "take addresses enough to fill memory with page tables": (
        "mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)"
    ),
    "share a name in memory": "multiprocessing.shared_memory.SharedMemory(create=True, size=4096)",
}


@pytest.mark.parametrize("act", PYTHON_ACTS)
def test_it_cannot(inmate: Inmate, act: str):
    code = f"import mmap, os, socket, subprocess, multiprocessing.shared_memory\n{PYTHON_ACTS[act]}"
    assert outcome(inmate, code) in REFUSED | {"FileNotFoundError", "OSError"}


@pytest.mark.parametrize("limit", ["FSIZE", "DATA", "AS", "NOFILE", "NPROC", "CPU", "CORE"])
def test_it_cannot_raise_a_limit(inmate: Inmate, limit: str):
    code = f"import resource; resource.setrlimit(resource.RLIMIT_{limit}, (-1, -1))"
    assert outcome(inmate, code) in {"ValueError", "PermissionError"}


# By name: the number on x86_64, the number on aarch64 (0: there is none), the arguments.
CALLS = {
    "flock": (73, 32, "0, 2"),  # whoever measures speeds waits for locks of its kind
    "ptrace": (101, 117, "0x4206, os.getppid(), 0, 0"),
    "process_vm_readv": (310, 270, "os.getppid(), 0, 0, 0, 0, 0"),
    "process_vm_writev": (311, 271, "os.getppid(), 0, 0, 0, 0, 0"),
    "pidfd_open": (434, 434, "os.getppid(), 0"),
    "pidfd_getfd": (438, 438, "3, 3, 0"),
    "process_madvise": (440, 440, "3, 0, 0, 0, 0"),
    "kcmp": (312, 272, "os.getpid(), os.getppid(), 0, 0, 0"),
    "unshare": (272, 97, "0x10000000"),
    "setns": (308, 268, "3, 0"),
    "mount": (165, 40, "0, 0, 0, 0, 0"),
    "umount2": (166, 39, "b'/', 2"),
    "pivot_root": (155, 41, "b'/', b'/'"),
    "open_tree": (428, 428, "-100, b'/', 1"),
    "move_mount": (429, 429, "-100, b'/', -100, b'/', 0"),
    "mount_setattr": (442, 442, "-100, b'/', 0, 0, 0"),
    "open_by_handle_at": (304, 265, "3, 0, 0"),
    "name_to_handle_at": (303, 264, "-100, b'/', 0, 0, 0"),
    "openat2": (437, 437, "-100, b'/', 0, 0"),
    "io_uring_setup": (425, 425, "8, 0"),
    "io_setup": (206, 0, "8, 0"),
    "userfaultfd": (323, 282, "0"),
    "perf_event_open": (298, 241, "0, 0, -1, -1, 0"),
    "bpf": (321, 280, "0, 0, 0"),
    "keyctl": (250, 219, "0, -3"),
    "add_key": (248, 217, "0, 0, 0, 0, 0"),
    "request_key": (249, 218, "0, 0, 0, 0"),
    "shmget": (29, 194, "0, 4096, 0o1600"),
    "semget": (64, 190, "0, 1, 0o1600"),
    "msgget": (68, 186, "0, 0o1600"),
    "mq_open": (240, 180, "b'x', 0o102, 0o600, 0"),
    "memfd_secret": (447, 447, "0"),
    "fanotify_init": (300, 262, "0, 0"),
    "inotify_init1": (294, 26, "0"),
    "signalfd4": (289, 74, "-1, 0, 8, 0"),
    "timer_create": (222, 107, "0, 0, 0"),
    "timerfd_create": (283, 85, "0, 0"),
    "vhangup": (153, 58, ""),
    "syslog": (103, 116, "3, 0, 0"),
    "acct": (163, 89, "0"),
    "reboot": (169, 142, "0, 0, 0, 0"),
    "settimeofday": (164, 170, "0, 0"),
    "clock_settime": (227, 112, "0, 0"),
    "adjtimex": (159, 171, "0"),
    "sethostname": (170, 161, "b'x', 1"),
    "personality": (135, 92, "0x0040000"),
    "seccomp": (317, 277, "1, 0, 0"),
    "landlock_create_ruleset": (444, 444, "0, 0, 1"),
    "execve": (59, 221, "b'/bin/true', 0, 0"),
    "execveat": (322, 281, "-100, b'/bin/true', 0, 0, 0"),
    "clone into namespaces": (56, 220, "0x10000000 | 17, 0, 0, 0, 0"),
    "clone as fork": (56, 220, "17, 0, 0, 0, 0"),
    "clone as vfork": (56, 220, "0x4000 | 0x100 | 17, 0, 0, 0, 0"),
    "rt_sigqueueinfo": (129, 138, "os.getppid(), 9, 0"),
    "tkill": (200, 130, "os.getppid(), 9"),
    "tgkill another": (234, 131, "os.getppid(), os.getppid(), 9"),
    "splice": (275, 76, "3, 0, 3, 0, 1, 0"),
    "vmsplice": (278, 75, "1, 0, 0, 0"),
    "mlockall": (151, 230, "3"),
    "remap_file_pages": (216, 234, "0, 0, 0, 0, 0"),
    "migrate_pages": (256, 238, "0, 0, 0, 0"),
    "move_pages": (279, 239, "0, 0, 0, 0, 0, 0"),
    "lookup_dcookie": (212, 18, "0, 0, 0"),
    "quotactl": (179, 60, "0, 0, 0, 0"),
    "swapon": (167, 224, "b'/', 0"),
    "init_module": (175, 105, "0, 0, b''"),
    "kexec_load": (246, 104, "0, 0, 0, 0"),
    "modify_ldt": (154, 0, "0, 0, 0"),
    "iopl": (172, 0, "3"),
    "sendmsg": (46, 211, "3, 0, 0"),
    "recvmsg": (47, 212, "3, 0, 0"),
    "prctl: be dumped": (157, 167, "4, 1, 0, 0, 0"),
    "prctl: outlive the parent": (157, 167, "1, 0, 0, 0, 0"),
    "prctl: be a reaper": (157, 167, "36, 1, 0, 0, 0"),
    "prctl: let anybody trace": (157, 167, "0x59616d61, -1, 0, 0, 0"),
    "fcntl: send signals": (72, 25, "3, 8, os.getppid()"),
    "fcntl: grow a pipe": (72, 25, "3, 1031, 1 << 20"),
    "fcntl: lease": (72, 25, "1, 1024, 0"),
    "ioctl: type into a terminal": (16, 29, "0, 0x5412, b'x'"),
    "mmap a stack that grows": (9, 222, "0, 4096, 3, 0x122, -1, 0"),
    "mmap shared, validated": (9, 222, "0, 4096, 3, 0x23, -1, 0"),
    "prlimit another": (302, 261, "os.getppid(), 7, 0, 0"),
}


@pytest.mark.parametrize("call", CALLS)
def test_it_cannot_call(inmate: Inmate, call: str):
    *numbers, arguments = CALLS[call]
    number = numbers[os.uname().machine == "aarch64"]
    if not number:
        pytest.skip("this machine has no such call")
    code = f"""
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        given = ({arguments}{"," if arguments else ""})
        arguments = [ctypes.c_long(x) if isinstance(x, int) else x for x in given]
        libc.syscall.restype = ctypes.c_long
        result = [libc.syscall(ctypes.c_long({number}), *arguments), ctypes.get_errno()]
    """
    assert inmate.run(code) == [-1, 1]


def test_clone3_is_not_there_so_that_threads_use_clone(inmate: Inmate):
    code = """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        result = [libc.syscall(435, 0, 0), ctypes.get_errno()]
    """
    assert inmate.run(code) == [-1, 38]


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x32 and int 0x80 belong to x86_64")
@pytest.mark.parametrize(
    "code",
    [
        "import ctypes; ctypes.CDLL(None).syscall(0x40000000 | 39)",
        """
        import ctypes, mmap
        page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
        page.write(bytes.fromhex("b814000000cd80c3"))  # getpid by way of int 0x80
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
        """,
    ],
)
def test_another_machines_calls_are_deadly(inmate: Inmate, code: str):
    inmate.send(code)
    with pytest.raises(ChannelClosed), inmate.box.deadline(10):
        inmate.box.channel.receive()
    end = inmate.box.close()
    assert end.kind is EndKind.SIGNALLED
    assert end.code in (signal.SIGSYS, signal.SIGSEGV)  # without emulation the instruction itself faults


class TestFiles:
    @pytest.mark.parametrize(
        "path",
        [
            "/etc/passwd",
            "/etc/hostname",
            "/proc/self/environ",
            "/proc/self/maps",
            "/proc/1/cmdline",
            "/proc/self/mem",
            "/sys/kernel/uevent_seqnum",
            "/dev/tty",
            "/dev/mem",
            "/dev/shm",
            "/bin/sh",
            "/usr/bin/env",
            "/root/.bashrc",
            "/root/.cache",
            "/home",
            "/tmp",
            "/var/tmp",
            "/run",
            f"{REPOSITORY}/README.md",
            f"{REPOSITORY}/pyproject.toml",
            f"{REPOSITORY}/.git/HEAD",
            f"{REPOSITORY}/assignments",
            f"{REPOSITORY}/rubrics/__init__.py",
            f"{REPOSITORY}/workers/__init__.py",
            f"{REPOSITORY}/tests/__init__.py",
            f"{REPOSITORY}/tests/boxes.py",
            f"{REPOSITORY}/grader/cli",
            f"{REPOSITORY}/grader/db",
            f"{REPOSITORY}/grader/services",
        ],
    )
    def test_it_cannot_read(self, inmate: Inmate, path: str):
        code = f"""
            import os
            path = {path!r}
            result = os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)
        """
        found = outcome(inmate, code)
        if found == "done" and Path(sys.prefix).is_relative_to(path):
            pytest.skip("the packages lie below it, and the way to them can be listed")
        assert found in OUT_OF_REACH

    def test_it_sees_no_more_of_the_root_than_it_needs(self, inmate: Inmate):
        code = "import os; result = sorted(os.listdir('/'))"
        needed = {"dev", "etc", "lib", "lib64", "proc", "scratch", "sys", "usr"}
        needed |= {Path(path).parts[1] for path in (sys.prefix, sys.base_prefix, REPOSITORY)}
        assert outcome(inmate, code) in REFUSED or set(inmate.run(code)) <= needed

    def test_it_cannot_read_a_secret_that_everybody_may(self, inmate: Inmate, secret: Path):
        assert outcome(inmate, f"result = open({str(secret)!r}).read()") in OUT_OF_REACH
        assert outcome(inmate, f"import os; result = os.listdir({str(secret.parent)!r})") in OUT_OF_REACH

    def test_no_solution_of_a_course_is_within_its_reach(self, inmate: Inmate):
        code = f"""
            import os, sys
            found = []
            for top in [*sys.path, {str(REPOSITORY)!r}, "/", os.getcwd(), "/tmp"]:
                for folder, _, names in os.walk(top):
                    if "assignments" in folder.split("/") or "solution" in folder.split("/"):
                        found += [os.path.join(folder, name) for name in names]
            result = found
        """
        assert inmate.run(code) == []

    @pytest.mark.parametrize(
        "module", ["assignments", "rubrics", "workers", "tests", "grader.services", "grader.db"]
    )
    def test_it_cannot_import_what_is_ours(self, inmate: Inmate, module: str):
        code = f"import importlib; found = importlib.import_module({module!r}); result = found.__file__"
        assert outcome(inmate, code) in {"ModuleNotFoundError", "PermissionError"} or inmate.run(code) is None

    @pytest.mark.parametrize(
        "folder", ["/tmp", "/var/tmp", "/dev/shm", "/", "/usr/lib", "jax", "engine", str(REPOSITORY)]
    )
    def test_it_cannot_write(self, inmate: Inmate, folder: str):
        code = f"""
            import os, jax, grader.engine
            known = {{"jax": jax.__path__[0], "engine": grader.engine.__path__[0]}}
            open(os.path.join(known.get({folder!r}, {folder!r}), "was-here"), "w")
        """
        assert outcome(inmate, code) in OUT_OF_REACH | {"OSError"}

    @pytest.mark.parametrize(
        "act", ["open(path, 'r+')", "os.truncate(path, 0)", "os.unlink(path)", "os.rename(path, path + '~')"]
    )
    def test_it_cannot_change_a_library(self, inmate: Inmate, act: str):
        code = f"import os, numpy; path = numpy.__file__; {act}"
        assert outcome(inmate, code) in {"PermissionError", "OSError"}
        assert inmate.run("result = os.path.getsize(path) > 0") is True

    def test_it_cannot_truncate_a_file_it_may_not_write(self, inmate: Inmate, secret: Path):
        secret.chmod(0o666)
        assert outcome(inmate, f"import os; os.truncate({str(secret)!r}, 0)") in OUT_OF_REACH
        assert secret.read_text() == "the answer"

    def test_scratch_is_bounded_in_bytes(self, launcher: Launcher):
        inmate = boxes.start(launcher, scratch_mib=4)
        inmate.send(
            "for n in range(64): open(f'f{n}', 'wb').write(bytes(1 << 20))\nimport time; time.sleep(2)"
        )
        with inmate.box.deadline(30):
            try:
                assert inmate.box.channel.receive().data["error"] == "OSError"
            except ChannelClosed:
                assert inmate.box.close().kind is EndKind.OUT_OF_MEMORY
        inmate.box.close()

    def test_scratch_is_bounded_in_files(self, launcher: Launcher):
        inmate = boxes.start(launcher, scratch_mib=1)
        inmate.send("import time\nfor n in range(20_000): open(f'f{n}', 'w').close(); time.sleep(0.001)")
        with inmate.box.deadline(60):
            try:
                assert inmate.box.channel.receive().data["error"] == "OSError"
            except ChannelClosed:
                assert inmate.box.close().kind is EndKind.OUT_OF_MEMORY
        inmate.box.close()

    def test_scratch_is_gone_with_the_box_and_was_nobody_elses(self, launcher: Launcher):
        first, second = boxes.start(launcher), boxes.start(launcher)
        path = first.run("import os; open('mine', 'w').write('x'); result = os.path.abspath('mine')")
        first.run("for _ in range(300): os.mkdir('deep'); os.chdir('deep')")
        assert outcome(second, f"result = open({path!r}).read()") in OUT_OF_REACH
        first.box.close()
        second.box.close()
        assert not Path(path).parent.exists() or Path(path).parent == Path("/scratch")
        third = boxes.start(launcher)
        assert third.run("import os; result = os.listdir()") == []
        third.box.close()


class TestKnowledge:
    def test_it_has_four_descriptors(self, inmate: Inmate):
        code = """
            import os
            result = []
            for number in range(1024):
                try: os.fstat(number); result.append(number)
                except OSError: pass
        """
        assert inmate.run(code) == [0, 1, 2, 3]

    def test_its_environment_is_its_own(self, inmate: Inmate):
        code = """
            import ctypes, itertools, os
            block = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
            entries = itertools.takewhile(bool, (block[index] for index in range(99)))
            result = [sorted(os.environ), [entry.decode() for entry in entries]]
        """
        python, c = inmate.run(code)
        known = {"HOME", "JAX_PLATFORMS", "LANG", "PATH", "TF_CPP_MIN_LOG_LEVEL", "TMPDIR", "TZ", "USER"}
        assert set(python) == known
        assert {entry.partition("=")[0] for entry in c} == known

    def test_no_secret_of_ours_is_anywhere_in_its_memory(self, monkeypatch: pytest.MonkeyPatch):
        secret = f"needle-{os.urandom(8).hex()}"
        monkeypatch.setenv("GRADER_SECRET", secret)
        launcher = boxes.sealed()
        inmate = boxes.start(launcher)
        told = f"told-{os.urandom(8).hex()}"
        inmate.run(f"kept = {told!r}")
        try:
            memory = memory_of(inmate.box.pid)
        except PermissionError:
            pytest.skip("only root with all its powers may look into a box's memory")
        assert told.encode() in memory  # so the search does find what is there
        assert secret.encode() not in memory
        assert b"GRADER_SECRET" not in memory
        launcher.close()

    def test_its_arguments_say_nothing(self, inmate: Inmate):
        assert inmate.run("import sys; result = [sys.argv, sys.orig_argv]") == [
            ["submission"],
            ["submission"],
        ]

    def test_it_is_nobody_with_no_groups(self, inmate: Inmate):
        code = "import os; result = [[*os.getresuid(), *os.getresgid()], os.getgroups()]"
        users, groups = inmate.run(code)
        if os.geteuid() == 0:
            assert users == [users[0]] * 6
            assert uids.FIRST <= users[0] <= uids.LAST
            assert groups == []

    def test_a_service_of_this_machine_is_out_of_reach(self, inmate: Inmate):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
            assert outcome(inmate, code) in REFUSED


class TestBombs:
    def test_a_thread_bomb_stops_at_a_limit(self, inmate: Inmate):
        code = """
            import threading, time
            result = 0
            try:
                for result in range(5000):
                    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            except (RuntimeError, MemoryError):
                pass
        """
        inmate.send(code)
        with inmate.box.deadline(30):
            try:
                assert inmate.box.channel.receive().data["result"] < 1000
            except ChannelClosed:
                assert inmate.box.close().kind in (EndKind.SIGNALLED, EndKind.OUT_OF_MEMORY)

    def test_an_array_that_is_too_big_is_refused_or_deadly(self, inmate: Inmate):
        inmate.send("import jax.numpy as jnp; jnp.ones((1 << 15, 1 << 16)).sum().block_until_ready()")
        with inmate.box.deadline(60):
            try:
                assert "error" in inmate.box.channel.receive().data
            except ChannelClosed:
                assert inmate.box.close().kind in (EndKind.SIGNALLED, EndKind.OUT_OF_MEMORY)

    def test_the_next_box_is_untouched_by_what_the_last_one_patched(self, launcher: Launcher):
        first = boxes.start(launcher)
        first.run("import numpy; numpy.mean = lambda *_: 12345.0; result = numpy.mean([1.0])")
        first.box.close()
        second = boxes.start(launcher)
        assert second.run("import numpy; result = float(numpy.mean([1.0]))") == 1.0
        second.box.close()
