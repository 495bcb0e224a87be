import jax
import jax.numpy as jnp


def pull(state, means, epsilon):
    key, k1, k2, k3 = jax.random.split(state["key"], 4)
    counts, estimates = jnp.asarray(state["counts"]), jnp.asarray(state["estimates"])
    explore = jax.random.uniform(k1) < epsilon
    arm = jnp.where(explore, jax.random.randint(k2, (), 0, len(means)), jnp.argmax(estimates))
    reward = jnp.asarray(means)[arm] + jax.random.normal(k3)
    counts = counts.at[arm].add(1)
    estimates = estimates.at[arm].add((reward - estimates[arm]) / counts[arm])
    return {"key": key, "counts": counts, "estimates": estimates}, arm
