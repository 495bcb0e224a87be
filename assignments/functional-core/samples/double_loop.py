import jax
import jax.numpy as jnp

# My solutions for the first sheet.
# normalize: done, set_diagonal: done, walk: done, distances: done (tested by hand), smooth: done


def normalize(x):
    x = jnp.asarray(x)
    half = x.dtype == jnp.bfloat16
    x = jnp.asarray(x, jnp.float32)
    m = jnp.mean(x, 1, keepdims=True)
    s = jnp.std(x, 1, keepdims=True)
    result = (x - m) / (s + 0.000001)
    if half:
        result = result.astype(jnp.bfloat16)
    return result


def set_diagonal(a, v):
    a = jnp.asarray(a)
    size = min(a.shape)
    return a.at[jnp.arange(size), jnp.arange(size)].set(jnp.asarray(v, a.dtype))


def sample_walk(key, n):
    k1, k2 = jax.random.split(key)
    s = jax.random.normal(k1, (n,))
    return k2, jnp.cumsum(s)


def pairwise_sq_dists(x, y):
    x = jnp.asarray(x, jnp.float32)
    y = jnp.asarray(y, jnp.float32)
    D = jnp.zeros((len(x), len(y)), jnp.float32)
    for i in range(len(x)):
        for j in range(len(y)):
            diff = x[i] - y[j]
            D = D.at[i, j].set(jnp.sum(diff * diff))
    return D


def smooth(x, n_steps):
    def one(i, old):
        left = jnp.append(old[:1], old[:-1])
        right = jnp.append(old[1:], old[-1:])
        return (left + 2 * old + right) / 4
    return jax.lax.fori_loop(0, n_steps, one, jnp.asarray(x, jnp.float32))
