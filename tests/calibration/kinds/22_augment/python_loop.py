import jax, jax.numpy as jnp

def augment_one(key, img):
    k1, k2 = jax.random.split(key)
    flipped = jax.lax.select(jax.random.bernoulli(k1), img[:, ::-1], img)
    start = jax.random.randint(k2, (2,), minval=0, maxval=3)
    return jax.lax.dynamic_slice(jnp.pad(flipped, 1), start, img.shape)

def augment(key, images):
    out = []
    for img in jnp.asarray(images):
        key, sub = jax.random.split(key)
        out.append(augment_one(sub, img))
    return jnp.stack(out)
