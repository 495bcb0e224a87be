import jax.numpy as jnp


def bucket_stats(values, ids, num_buckets):
    values, ids = jnp.asarray(values), jnp.asarray(ids)
    keep = (ids >= 0) & (ids < num_buckets)
    values, ids = values[keep], ids[keep]
    return {
        "count": jnp.zeros(num_buckets, jnp.int32).at[ids].add(1),
        "sum": jnp.zeros(num_buckets, values.dtype).at[ids].add(values),
        "max": jnp.full(num_buckets, -jnp.inf, values.dtype).at[ids].max(values),
    }
