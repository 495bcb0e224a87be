import jax, jax.numpy as jnp

def augment(key, images):
    images = jnp.asarray(images)
    b, h, w = images.shape
    kf, ks = jax.random.split(key)
    images = jnp.where(jax.random.bernoulli(kf), images[..., ::-1], images)
    d = jax.random.randint(ks, (b, 2), 0, 3)
    p = jnp.pad(images, ((0, 0), (1, 1), (1, 1)))
    return jax.vmap(lambda im, o: jax.lax.dynamic_slice(im, o, (h, w)))(p, d)
