import jax
import jax.numpy as jnp
from jax import lax


def bucket_stats(values, ids, num_buckets):
    values, ids = jnp.asarray(values), jnp.asarray(ids)

    def put(stats, pair):
        v, i = pair
        here = jnp.arange(num_buckets) == i
        count, total, top = stats
        return (count + here, total + jnp.where(here, v, 0), jnp.where(here, jnp.maximum(top, v), top)), None

    start = (
        jnp.zeros(num_buckets, jnp.int32),
        jnp.zeros(num_buckets, values.dtype),
        jnp.full(num_buckets, -jnp.inf, values.dtype),
    )
    (count, total, top), _ = lax.scan(put, start, (values, ids))
    return {"max": top, "sum": total, "count": count}
