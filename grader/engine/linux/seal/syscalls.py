"""Which system calls a box may make, and their numbers on each machine. Data only.

Measured: JAX on the CPU makes 32 different calls after the fork. The rest is what the standard library needs
to read modules and to use the private scratch folder. Whatever is not named here is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

NUMBERS: Mapping[str, tuple[int | None, int | None]] = {
    # name: (x86_64, aarch64); None where the machine has no such call
    # -- memory
    "brk": (12, 214), "madvise": (28, 233), "mmap": (9, 222), "mprotect": (10, 226), "mremap": (25, 216),
    "munmap": (11, 215), "mbind": (237, 235), "get_mempolicy": (239, 236), "membarrier": (324, 283),
    # -- threads and scheduling
    "clone": (56, 220), "clone3": (435, 435), "exit": (60, 93), "exit_group": (231, 94), "futex": (202, 98),
    "rseq": (334, 293), "set_robust_list": (273, 99), "get_robust_list": (274, 100),
    "set_tid_address": (218, 96), "sched_getaffinity": (204, 123), "sched_getattr": (315, 275),
    "sched_getparam": (143, 121), "sched_getscheduler": (145, 120), "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126), "sched_yield": (24, 124), "getcpu": (309, 168),
    "gettid": (186, 178), "restart_syscall": (219, 128),
    # -- time
    "clock_getres": (229, 114), "clock_gettime": (228, 113), "clock_nanosleep": (230, 115),
    "gettimeofday": (96, 169), "nanosleep": (35, 101), "time": (201, None), "times": (100, 153),
    "alarm": (37, None), "getitimer": (36, 102), "setitimer": (38, 103), "pause": (34, None),
    # -- signals of one's own
    "kill": (62, 129), "tgkill": (234, 131), "rt_sigaction": (13, 134), "rt_sigpending": (127, 136),
    "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137), "sigaltstack": (131, 132),
    # -- files that are open
    "close": (3, 57), "close_range": (436, 436), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24),
    "fcntl": (72, 25), "fdatasync": (75, 83), "fstat": (5, 80), "fsync": (74, 82), "ftruncate": (77, 46),
    "getdents64": (217, 61), "ioctl": (16, 29), "lseek": (8, 62), "pread64": (17, 67), "preadv": (295, 69),
    "pwrite64": (18, 68), "pwritev": (296, 70), "read": (0, 63), "readv": (19, 65), "write": (1, 64),
    "writev": (20, 66), "fadvise64": (221, 223), "fallocate": (285, 47), "copy_file_range": (326, 285),
    "sendfile": (40, 71), "pipe": (22, None), "pipe2": (293, 59), "eventfd2": (290, 19), "poll": (7, None),
    "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    # -- files by name: Landlock and the private root say which
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439), "open": (2, None),
    "openat": (257, 56), "stat": (4, None), "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291),
    "readlink": (89, None), "readlinkat": (267, 78), "getcwd": (79, 17), "chdir": (80, 49),
    "fchdir": (81, 50), "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "unlink": (87, None),
    "unlinkat": (263, 35), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276),
    "truncate": (76, 45), "umask": (95, 166), "statfs": (137, 43), "fstatfs": (138, 44),
    # -- who and what am I
    "getegid": (108, 177), "geteuid": (107, 175), "getgid": (104, 176), "getgroups": (115, 158),
    "getpgid": (121, 155), "getpgrp": (111, None), "getpid": (39, 172), "getppid": (110, 173),
    "getpriority": (140, 141), "getresgid": (120, 150), "getresuid": (118, 148), "getrusage": (98, 165),
    "getsid": (124, 156), "getuid": (102, 174), "prctl": (157, 167), "prlimit64": (302, 261),
    "getrlimit": (97, 163), "sysinfo": (99, 179), "uname": (63, 160), "getrandom": (318, 278),
    "arch_prctl": (158, None),
}  # fmt: skip

ARGUMENT_CHECKED = frozenset(
    {"arch_prctl", "clone", "clone3", "fcntl", "ioctl", "kill", "mmap", "prctl", "prlimit64", "tgkill"}
)
"""Calls that are allowed only with some arguments; the rules stand in `grader.engine.linux.seal.seccomp`."""

COLUMN: Mapping[str, int] = {"x86_64": 0, "aarch64": 1}
"""Machine name, as `os.uname` gives it, to its column in `NUMBERS`."""
