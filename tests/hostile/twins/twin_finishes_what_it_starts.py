"""Honest: works with a pool of threads and an alarm that end before it returns, and traces itself while it is loaded."""
import jax
import jax.numpy as jnp
import numpy as np
import atexit
import gc
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

COUNTED = []
sys.settrace(lambda *_: None)
sys.setprofile(None)
sys.settrace(None)
sys.addaudithook(lambda event, arguments: None)
gc.callbacks.append(lambda phase, info: None)
atexit.register(gc.collect)


def normalize(x):
    x = jnp.asarray(x)
    with ThreadPoolExecutor(2) as pool:
        sizes = list(pool.map(len, [range(x.shape[0]), range(x.shape[1])]))
    mean = x.sum(1, keepdims=True) / sizes[1]
    return (x - mean) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 30)
    places = jnp.arange(a.shape[0])
    result = jnp.asarray(a).at[places, places].set(v)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    return result
