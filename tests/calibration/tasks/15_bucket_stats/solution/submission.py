import jax.numpy as jnp


def bucket_stats(values, ids, num_buckets):
    values, ids = jnp.asarray(values), jnp.asarray(ids)
    inside = (ids >= 0) & (ids < num_buckets)
    home = jnp.where(inside, ids, num_buckets)
    lowest = jnp.full(num_buckets + 1, -jnp.inf, values.dtype)
    return {
        "count": jnp.zeros(num_buckets + 1, jnp.int32).at[home].add(1)[:num_buckets],
        "sum": jnp.zeros(num_buckets + 1, values.dtype).at[home].add(values)[:num_buckets],
        "max": lowest.at[home].max(values)[:num_buckets],
    }
