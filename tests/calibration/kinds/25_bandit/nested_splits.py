import jax, jax.numpy as jnp

def pull(state, means, epsilon):
    means, q, n = map(jnp.asarray, (means, state["estimates"], state["counts"]))
    new_key, key = jax.random.split(state["key"])
    key_arm, key_reward = jax.random.split(key)
    key_coin, key_pick = jax.random.split(key_arm)
    arm = jax.lax.cond(
        jax.random.bernoulli(key_coin, epsilon),
        lambda: jax.random.randint(key_pick, (), 0, means.shape[0], dtype=jnp.int32),
        lambda: jnp.argmax(q).astype(jnp.int32),
    )
    r = means[arm] + jax.random.normal(key_reward)
    hot = jax.nn.one_hot(arm, means.shape[0], dtype=jnp.int32)
    n = n + hot
    q = jnp.where(hot == 1, q + (r - q) / n, q)
    return dict(state, key=new_key, counts=n, estimates=q), arm
