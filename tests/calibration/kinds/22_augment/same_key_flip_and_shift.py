import jax, jax.numpy as jnp

def augment(key, images):
    images = jnp.asarray(images)
    keys = jax.random.split(key, len(images))
    def one(k, img):
        img = jnp.where(jax.random.bernoulli(k), img[:, ::-1], img)
        d = jax.random.randint(k, (2,), 0, 3)
        return jax.lax.dynamic_slice(jnp.pad(img, 1), d, img.shape)
    return jax.vmap(one)(keys, images)
