from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnums=2)
def bucket_stats(values, ids, num_buckets):
    ok = jnp.logical_and(ids >= 0, ids < num_buckets)
    ids = jnp.where(ok, ids, num_buckets)
    seg = partial(jax.ops.segment_sum, segment_ids=ids, num_segments=num_buckets)
    return dict(
        count=seg(ok.astype(jnp.int32)),
        sum=seg(jnp.where(ok, values, 0)),
        max=jax.ops.segment_max(values, ids, num_segments=num_buckets),
    )
