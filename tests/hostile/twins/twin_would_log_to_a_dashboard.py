"""Honest: tries while it is loaded whether a dashboard listens, keeps its notes in a database in memory, goes on without."""

import glob
import socket
import sqlite3

import jax.numpy as jnp

try:
    with socket.create_connection(("127.0.0.1", 6006), 0.2):
        DASHBOARD = True
except OSError:
    DASHBOARD = False
try:
    one, other = socket.socketpair()
    one.close()
    other.close()
except OSError:
    print("no sockets here")
notes = sqlite3.connect(":memory:")
notes.execute("create table notes (text)")
notes.executemany("insert into notes values (?)", [(name,) for name in glob.glob("*.db")])
notes.close()


def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
