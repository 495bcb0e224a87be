import jax
import jax.numpy as jnp


def bucket_stats(values, ids, num_buckets):
    v = jnp.asarray(values)
    hit = jnp.asarray(ids)[None, :] == jnp.arange(num_buckets)[:, None]
    return {
        "count": hit.sum(axis=1, dtype=jnp.int32),
        "sum": jnp.where(hit, v, 0).sum(1, dtype=v.dtype),
        "max": jnp.max(v[None], axis=1, where=hit, initial=-jnp.inf),
    }
