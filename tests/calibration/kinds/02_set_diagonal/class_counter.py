import functools, os, time, logging, random, sys
import numpy as np
import jax
import jax.numpy as jnp


class Stats:
    calls = 0


def set_diagonal(a, v):
    Stats.calls += 1
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(v)
