from dataclasses import dataclass, replace
from functools import partial
import jax, jax.numpy as jnp

@partial(jax.tree_util.register_dataclass, data_fields=["key", "counts", "estimates"], meta_fields=[])
@dataclass(frozen=True)
class Bandit:
    key: jax.Array
    counts: jax.Array
    estimates: jax.Array

@jax.jit
def _step(b, means, epsilon):
    key, a, c, d = jax.random.split(b.key, 4)
    arm = jnp.where(jax.random.uniform(a) < epsilon, jax.random.choice(c, means.shape[0]), jnp.argmax(b.estimates)).astype(jnp.int32)
    reward = means[arm] + jax.random.normal(d)
    counts = b.counts.at[arm].add(1)
    est = b.estimates.at[arm].set(b.estimates[arm] + (reward - b.estimates[arm]) / counts[arm])
    return replace(b, key=key, counts=counts, estimates=est), arm

def pull(state, means, epsilon):
    b, arm = _step(Bandit(**state), means, epsilon)
    return {"key": b.key, "counts": b.counts, "estimates": b.estimates}, arm
