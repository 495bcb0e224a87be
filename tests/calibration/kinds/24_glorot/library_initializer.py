import jax, jax.numpy as jnp

init = jax.nn.initializers.glorot_uniform()

def glorot(key, sizes):
    out = []
    for i in range(len(sizes) - 1):
        out.append((init(jax.random.fold_in(key, i), (sizes[i], sizes[i + 1])), jnp.zeros(sizes[i + 1])))
    return out
