import jax, jax.numpy as jnp

def pull(state, means, epsilon):
    key, k = jax.random.split(state["key"])
    e, c = jnp.asarray(state["estimates"]), jnp.asarray(state["counts"])
    arm = jnp.where(jax.random.uniform(k) < epsilon, jax.random.randint(k, (), 0, len(means)), jnp.argmax(e))
    r = jnp.asarray(means)[arm] + jax.random.normal(k)
    c = c.at[arm].add(1)
    return {"key": key, "counts": c, "estimates": e.at[arm].add((r - e[arm]) / c[arm])}, arm
