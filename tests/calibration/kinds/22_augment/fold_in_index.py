import jax, jax.numpy as jnp

def augment(key, images):
    images = jnp.asarray(images)
    b, h, w = images.shape
    def one(i, img):
        k = jax.random.fold_in(key, i)
        kf, ky, kx = jax.random.split(k, 3)
        img = jax.lax.cond(jax.random.uniform(kf) < 0.5, jnp.fliplr, lambda z: z, img)
        y = jax.random.randint(ky, (), 0, 3)
        x = jax.random.randint(kx, (), 0, 3)
        return jax.lax.dynamic_slice(jnp.pad(img, ((1, 1), (1, 1))), (y, x), (h, w))
    return jax.vmap(one)(jnp.arange(b), images)
