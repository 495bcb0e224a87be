# ruff: noqa: BLE001, PTH115, PTH118, PTH123, T201 - a submission, written as students write
"""A submission that, when called, looks for secrets wherever it can, and prints where it found which.

The test fills in the capitals. Each needle comes in two halves that nothing here ever joins, so that the
search does not find itself.
"""

import ctypes
import gc
import json
import os
import stat
import sys

import jax.numpy as jnp

NEEDLES = {}
ROOTS = []
PATHS = []

CHUNK = 1 << 20
MOST_CHUNKS = 1500
LIBC = ctypes.CDLL(None, use_errno=True)
PWRITE = LIBC.pwrite  # looked up and cast here, so that no call changes anything that lasts
CODE = ctypes.cast(PWRITE, ctypes.c_void_p).value


def needles_in(data):
    for name, (front, back) in NEEDLES.items():
        at = data.find(front)
        while at >= 0:
            if data[at + len(front) : at + len(front) + len(back)] == back:
                yield name
                break
            at = data.find(front, at + 1)


def environment():
    yield from needles_in(repr((dict(os.environ), sys.argv, sys.orig_argv, sys._xoptions, sys.path)).encode())
    for name in ("environ", "cmdline", "maps", "mem"):
        for process in ("self", "1", str(os.getppid())):
            yield from file(f"/proc/{process}/{name}")


def descriptors():
    for descriptor in range(256):
        try:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISSOCK(mode) and not stat.S_ISFIFO(mode) and not stat.S_ISCHR(mode):
                yield from needles_in(os.pread(descriptor, CHUNK, 0))
            yield from needles_in(os.readlink(f"/proc/self/fd/{descriptor}").encode())
        except OSError:
            continue


def file(path):
    try:
        with open(path, "rb") as opened:
            yield from needles_in(opened.read(CHUNK))
    except OSError:
        return


def files():
    libraries = tuple({sys.prefix, sys.base_prefix, "/usr", "/lib", "/sys", "/proc"})
    for path in PATHS:
        yield from file(path)
    for root in (*ROOTS, *PATHS):
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if not os.path.join(folder, name).startswith(libraries)]
            for name in names:
                yield from file(os.path.join(folder, name))


def objects():
    frame = sys._getframe()
    while frame is not None:
        yield from needles_in(repr(frame.f_locals)[:CHUNK].encode("utf-8", "replace"))
        frame = frame.f_back
    for value in gc.get_objects():
        if type(value) is dict:
            for child in tuple(value.values()):
                if type(child) in (str, bytes):
                    yield from needles_in(child.encode("utf-8", "replace") if type(child) is str else child)


def memory():
    """Every mapped megabyte that can be reached from an object, a library or the stack, without a fault."""
    copy = os.open(os.path.join(os.environ.get("TMPDIR", "."), "copy"), os.O_RDWR | os.O_CREAT)
    starts = {id(value) // CHUNK for value in gc.get_objects()}
    starts.add(ctypes.c_void_p.in_dll(LIBC, "environ").value // CHUNK)
    starts.add(CODE // CHUNK)
    waiting, seen = list(starts), set(starts)
    while waiting and len(seen) < MOST_CHUNKS:
        chunk = waiting.pop()
        readable = 0
        for begin in range(chunk * CHUNK, (chunk + 1) * CHUNK, CHUNK // 16):
            wanted = ctypes.c_size_t(CHUNK // 16 + 64)
            size = PWRITE(copy, ctypes.c_void_p(begin), wanted, ctypes.c_long(0))
            if size > 0:
                readable += 1
                yield from needles_in(os.pread(copy, size, 0))
        if readable:
            for neighbour in {chunk - 1, chunk + 1} - seen:
                seen.add(neighbour)
                waiting.append(neighbour)
    os.close(copy)


def search():
    found = {}
    for place in (environment, descriptors, files, objects, memory):
        try:
            found[place.__name__] = sorted(set(place()))
        except Exception as error:
            found[place.__name__] = [repr(error)]
    print("SEARCH " + json.dumps(found))


def double(x):
    search()
    return 2 * x


def total(x):
    search()
    return jnp.sum(x)
