import jax
import jax.numpy as jnp


def bucket_stats(values, ids, num_buckets):
    values, ids = jnp.asarray(values), jnp.asarray(ids)
    safe = jnp.where((0 <= ids) & (ids < num_buckets), ids, num_buckets)
    count = jnp.bincount(safe, length=num_buckets + 1)[:-1]
    total = jnp.bincount(safe, weights=values, length=num_buckets + 1)[:-1]
    order = jnp.lexsort((values, safe))
    last = jnp.searchsorted(safe[order], jnp.arange(num_buckets), side="right") - 1
    if values.size == 0:
        top = jnp.full(num_buckets, -jnp.inf, values.dtype)
    else:
        top = jnp.where(count > 0, values[order][last], -jnp.inf)
    return {"count": count.astype(jnp.int32), "sum": total.astype(values.dtype), "max": top.astype(values.dtype)}
