import jax, jax.numpy as jnp

def pull(state, means, epsilon):
    e, c = jnp.asarray(state["estimates"]), jnp.asarray(state["counts"])
    key, k1, k2 = jax.random.split(state["key"], 3)
    noise = jax.random.normal(jax.random.PRNGKey(c.sum()))
    arm = jnp.where(jax.random.uniform(k1) < epsilon, jax.random.randint(k2, (), 0, len(means)), jnp.argmax(e))
    r = jnp.asarray(means)[arm] + noise
    c = c.at[arm].add(1)
    return {"key": key, "counts": c, "estimates": e.at[arm].add((r - e[arm]) / c[arm])}, arm
