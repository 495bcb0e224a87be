import jax, jax.numpy as jnp

def augment(key, images):
    images = jnp.asarray(images)
    b, h, w = images.shape
    k1, k2 = jax.random.split(key)
    flip = jax.random.bernoulli(k1, shape=(b,))
    dy = jax.random.randint(k2, (b,), 0, 3)
    dx = jax.random.randint(k2, (b,), 0, 3)
    images = jnp.where(flip[:, None, None], images[:, :, ::-1], images)
    p = jnp.pad(images, ((0, 0), (1, 1), (1, 1)))
    return jax.vmap(lambda im, y, x: jax.lax.dynamic_slice(im, (y, x), (h, w)))(p, dy, dx)
