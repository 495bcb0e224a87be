import jax, jax.numpy as jnp

EXPLORE, ARM, REWARD, NEXT = range(4)

def pull(state, means, epsilon):
    sub = lambda purpose: jax.random.fold_in(state["key"], purpose)
    explore = jax.random.uniform(sub(EXPLORE)) < epsilon
    random_arm = jax.random.randint(sub(ARM), (), 0, means.shape[0])
    arm = jax.lax.select(explore, random_arm, jnp.argmax(state["estimates"]).astype(random_arm.dtype))
    r = jnp.asarray(means)[arm] + jax.random.normal(sub(REWARD))
    c = jnp.asarray(state["counts"]).at[arm].add(1)
    e = jnp.asarray(state["estimates"])
    e = e.at[arm].set(e[arm] + (r - e[arm]) / c[arm])
    return {"estimates": e, "counts": c, "key": sub(NEXT)}, arm
