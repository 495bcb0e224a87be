import jax, jax.numpy as jnp

def one(key, img):
    k1, k2 = jax.random.split(key)
    img = jnp.where(jax.random.bernoulli(k1), img[:, ::-1], img)
    d = jax.random.randint(k2, (2,), 0, 3)
    return jax.lax.dynamic_slice(jnp.pad(img, 1), d, img.shape)

augment = jax.vmap(one, in_axes=(None, 0))
