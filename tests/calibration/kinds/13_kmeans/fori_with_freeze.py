import jax
import jax.numpy as jnp


@jax.jit
def kmeans(points, centers, max_iter):
    """Extra steps after convergence change nothing, so a fori_loop is fine."""
    X = points.astype(jnp.float32)
    C = centers.astype(jnp.float32)

    def label(C):
        return jnp.argmin(((X[:, None] - C[None]) ** 2).sum(-1), -1).astype(jnp.int32)

    def body(_, carry):
        C, z = carry
        onehot = jax.nn.one_hot(z, C.shape[0])
        n = onehot.sum(0)
        C = jnp.where(n[:, None] > 0, jnp.einsum("nk,nd->kd", onehot, X) / jnp.maximum(n, 1.0)[:, None], C)
        return C, label(C)

    return jax.lax.fori_loop(0, max_iter, body, (C, label(C)))
