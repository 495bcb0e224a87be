import jax, jax.numpy as jnp

def augment(key, images):
    def one(key, image):
        k1, k2 = jax.random.split(key)
        image = jnp.where(jax.random.bernoulli(k1), image[:, ::-1], image)
        dy, dx = jax.random.randint(k2, (2,), 0, 2)
        return jax.lax.dynamic_slice(jnp.pad(image, 1), (dy, dx), image.shape)
    images = jnp.asarray(images)
    return jax.vmap(one)(jax.random.split(key, len(images)), images)
