import jax
import jax.numpy as jnp


def normalize(x):
    x = jnp.asarray(x)
    z = x.astype(jnp.float32)
    z = (z - z.mean(axis=1, keepdims=True)) / (z.std(axis=1, keepdims=True) + 1e-6)
    return z.astype(x.dtype if x.dtype == jnp.bfloat16 else jnp.float32)


def set_diagonal(a, v)
    a = jnp.asarray(a)
    i = jnp.arange(min(a.shape))
    return a.at[i, i].set(jnp.asarray(v).astype(a.dtype))


def sample_walk(key, n):
    new_key, sub = jax.random.split(key)
    return new_key, jnp.cumsum(jax.random.normal(sub, (n,)))


def pairwise_sq_dists(x, y):
    x = jnp.asarray(x, jnp.float32)
    y = jnp.asarray(y, jnp.float32)
    d = jnp.sum(x * x, 1)[:, None] + jnp.sum(y * y, 1) - 2 * x @ y.T
    return jnp.maximum(d, 0)


def smooth(x, n_steps):
    def step(_, z):
        p = jnp.pad(z, 1, mode="edge")
        return (p[:-2] + 2 * z + p[2:]) / 4

    return jax.lax.fori_loop(0, n_steps, step, jnp.asarray(x, jnp.float32))
