"""Honest: writes values into its errors, dispatches on types, defines a stub first and imports what there is; the same numbers always."""
import jax
import jax.numpy as jnp
import numpy as np
import dataclasses
import functools
import inspect
import operator
import typing

try:
    import tomllib as config
except ImportError:
    import json as config


@dataclasses.dataclass(frozen=True)
class Shape:
    rows: int
    columns: int

    def str(self) -> str:
        return f"{self.rows} x {self.columns}"


HINTS = typing.get_type_hints(Shape)
CALLERS = len(inspect.stack())
shape_of = operator.attrgetter("shape")


@functools.singledispatch
def as_array(value):
    return jnp.asarray(value)


@as_array.register(np.ndarray)
def _(value):
    return jnp.array(value)


def normalize(x):
    raise NotImplementedError


def normalize(x, *, check=lambda v: v.ndim == 2):
    if not check(x):
        raise ValueError("a matrix is needed, not %s" % (x,))
    x = as_array(x)
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def set_diagonal(a, v):
    shape = Shape(*shape_of(a))
    if shape.rows != shape.columns:
        raise ValueError("a square is needed, not {}".format(shape.str()))
    places = jnp.arange(shape.rows)
    return as_array(a).at[places, places].set(v)


def pairwise_sq_dists(x, y):
    if shape_of(x)[1] != shape_of(y)[1]:
        raise ValueError(f"{x} and {y} do not fit; {config.__name__} says nothing")
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


def long_sum(a):
    return a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a


def smooth(x, n_steps):
    def step(_, z):
        p = jnp.concatenate([z[:1], z, z[-1:]])
        return (p[:-2] + p[1:-1] + p[2:]) / 3

    return jax.lax.fori_loop(0, n_steps, step, as_array(x))
