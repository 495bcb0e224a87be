import jax, jax.numpy as jnp

@jax.jit
def augment(key, images):
    b, h, w = images.shape
    keys = jax.random.split(key, (b, 2))
    flip = jax.vmap(jax.random.bernoulli)(keys[:, 0])
    off = jax.vmap(lambda k: jax.random.randint(k, (2,), 0, 3))(keys[:, 1])
    images = jnp.where(flip[:, None, None], images[..., ::-1], images)
    padded = jnp.pad(images, ((0, 0), (1, 1), (1, 1)))
    crop = lambda im, o: jax.lax.dynamic_slice(im, o, (h, w))
    return jax.vmap(crop)(padded, off)
