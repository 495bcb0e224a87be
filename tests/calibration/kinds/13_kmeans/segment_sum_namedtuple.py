from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class State(NamedTuple):
    step: jax.Array
    centers: jax.Array
    labels: jax.Array
    changed: jax.Array


def _labels(points, centers):
    dist = jax.vmap(lambda p: jax.vmap(lambda c: jnp.sum((p - c) ** 2))(centers))(points)
    return jnp.argmin(dist, axis=-1).astype(jnp.int32)


def _body(points, s: State) -> State:
    k = len(s.centers)
    sums = jax.ops.segment_sum(points, s.labels, k)
    counts = jax.ops.segment_sum(jnp.ones(len(points)), s.labels, k)[:, None]
    centers = jnp.where(counts == 0, s.centers, sums / jnp.where(counts == 0, 1, counts))
    labels = _labels(points, centers)
    return State(s.step + 1, centers, labels, (labels != s.labels).any())


def kmeans(points, centers, max_iter):
    points, centers = jnp.asarray(points, jnp.float32), jnp.asarray(centers, jnp.float32)
    init = State(jnp.array(0), centers, _labels(points, centers), jnp.array(True))
    out = lax.while_loop(lambda s: jnp.logical_and(s.step < max_iter, s.changed), partial(_body, points), init)
    return out.centers, out.labels
