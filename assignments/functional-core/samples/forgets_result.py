import jax, jax.numpy as jnp
from jax import Array


def normalize(x: Array) -> Array:
    x = jnp.asarray(x)
    dtype = x.dtype if x.dtype == jnp.bfloat16 else jnp.float32
    x32 = x.astype(jnp.float32)
    mu = x32.mean(axis=1, keepdims=True)
    var = ((x32 - mu) ** 2).mean(axis=1, keepdims=True)
    return ((x32 - mu) / (jnp.sqrt(var) + 1e-6)).astype(dtype)


def set_diagonal(a: Array, v) -> Array:
    b = jnp.array(a)
    k = min(b.shape)
    ind = jnp.arange(k)
    b.at[ind, ind].set(jnp.asarray(v).astype(b.dtype))
    return b


def sample_walk(key: Array, n: int) -> tuple[Array, Array]:
    """Carries the key through a scan, one split a step."""
    def step(carry, _):
        key, position = carry
        key, sub = jax.random.split(key)
        position = position + jax.random.normal(sub)
        return (key, position), position

    (key, _), positions = jax.lax.scan(step, (key, jnp.float32(0)), length=n)
    return key, positions


def pairwise_sq_dists(x: Array, y: Array) -> Array:
    x = jnp.asarray(x, jnp.float32)
    y = jnp.asarray(y, jnp.float32)
    squares = (x * x).sum(1)[:, None] + (y * y).sum(1)
    return jnp.maximum(squares - 2 * x @ y.T, 0)


def smooth(x: Array, n_steps) -> Array:
    def step(_, z):
        z = jnp.concatenate((z[:1], z, z[-1:]))
        return z[:-2] / 4 + z[1:-1] / 2 + z[2:] / 4

    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x, jnp.float32))
