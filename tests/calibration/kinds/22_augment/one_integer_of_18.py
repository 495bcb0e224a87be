import jax, jax.numpy as jnp

def augment(key, images):
    """One draw from 18 decides flip and both shifts."""
    images = jnp.asarray(images)
    code = jax.random.randint(key, (images.shape[0],), 0, 18)
    flip, dy, dx = code // 9, (code // 3) % 3, code % 3
    def apply(img, f, y, x):
        img = jnp.where(f == 1, img[:, ::-1], img)
        return jax.lax.dynamic_slice(jnp.pad(img, 1), (y, x), img.shape)
    return jax.vmap(apply)(images, flip, dy, dx)
