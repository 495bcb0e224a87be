import jax
import jax.numpy as jnp


def normalize(x):
    x = jnp.asarray(x)
    print("normalize: got shape", x.shape)
    dtype = jnp.bfloat16 if x.dtype == jnp.bfloat16 else jnp.float32
    x = x.astype("float32")
    mu = x.mean(axis=1, keepdims=True)
    sigma = x.std(axis=1, keepdims=True)
    return ((x - mu) / (sigma + 1e-6)).astype(dtype)


def set_diagonal(a, v):
    a = jnp.asarray(a)
    idx = jnp.arange(min(a.shape))
    return a.at[idx, idx].set(jnp.asarray(v, a.dtype))


def sample_walk(key, n):
    key, subkey = jax.random.split(key)
    steps = jax.random.normal(subkey, shape=(n,))
    return key, jnp.cumsum(steps)


def pairwise_sq_dists(x, y):
    x = jnp.asarray(x, dtype=jnp.float32)
    y = jnp.asarray(y, dtype=jnp.float32)
    x2 = (x ** 2).sum(axis=1, keepdims=True)
    y2 = (y ** 2).sum(axis=1, keepdims=True)
    return jnp.maximum(x2 + y2.T - 2.0 * (x @ y.T), 0.0)


def smooth(x, n_steps):
    x = jnp.asarray(x, dtype=jnp.float32)

    def body(i, z):
        left = jnp.concatenate([z[:1], z[:-1]])
        right = jnp.concatenate([z[1:], z[-1:]])
        return (left + 2 * z + right) / 4

    return jax.lax.fori_loop(0, n_steps, body, x)
