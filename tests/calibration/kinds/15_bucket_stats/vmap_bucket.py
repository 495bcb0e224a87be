import jax
import jax.numpy as jnp


def bucket_stats(values, ids, num_buckets):
    values, ids = jnp.asarray(values), jnp.asarray(ids)

    def one(b):
        mine = ids == b
        return {
            "count": jnp.sum(mine).astype(jnp.int32),
            "sum": jnp.sum(values * mine.astype(values.dtype)),
            "max": jnp.max(jnp.where(mine, values, -jnp.inf), initial=-jnp.inf).astype(values.dtype),
        }

    return jax.vmap(one)(jnp.arange(num_buckets))
