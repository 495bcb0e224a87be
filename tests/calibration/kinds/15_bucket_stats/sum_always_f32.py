import jax.numpy as jnp


def bucket_stats(values, ids, num_buckets):
    values, ids = jnp.asarray(values), jnp.asarray(ids)
    ids = jnp.where(ids < 0, num_buckets, ids)
    count = jnp.zeros(num_buckets, jnp.int32).at[ids].add(1)
    total = jnp.zeros(num_buckets).at[ids].add(values)
    return {
        "count": count,
        "sum": total,
        "max": jnp.full(num_buckets, -jnp.inf, values.dtype).at[ids].max(values),
    }
