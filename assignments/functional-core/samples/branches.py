import jax
import jax.numpy as jnp


def normalize(x):
	x = jnp.asarray(x)
	keep = x.dtype == jnp.bfloat16
	z = x.astype(jnp.float32)
	z = z - z.mean(axis=1, keepdims=True)
	z = z / (jnp.sqrt(jnp.mean(z * z, axis=1, keepdims=True)) + 1e-6)
	return z.astype(jnp.bfloat16) if keep else z


def set_diagonal(a, v):
	a = jnp.asarray(a)
	d = jnp.arange(min(a.shape))
	return a.at[d, d].set(jnp.asarray(v).astype(a.dtype))


def sample_walk(key, n):
	carry, use = jax.random.split(key)
	return carry, jnp.cumsum(jax.random.normal(use, (n,)))


def pairwise_sq_dists(x, y):
	x = jnp.asarray(x, jnp.float32)
	y = jnp.asarray(y, jnp.float32)
	cross = jnp.matmul(x, y.T)
	out = jnp.sum(x * x, 1)[:, None] + jnp.sum(y * y, 1)[None, :] - 2 * cross
	return jnp.maximum(out, 0)


def smooth(x, n_steps):
	x = jnp.asarray(x, jnp.float32)
	if n_steps == 0:  # nothing to do
		return x

	def step(i, z):
		p = jnp.pad(z, 1, mode="edge")
		return (p[:-2] + 2 * p[1:-1] + p[2:]) / 4

	return jax.lax.fori_loop(0, n_steps, step, x)
