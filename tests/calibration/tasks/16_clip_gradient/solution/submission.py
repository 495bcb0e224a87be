import jax
import jax.numpy as jnp


@jax.custom_vjp
def _passed(x, limit):
    return x


def _forward(x, limit):
    return x, limit


def _backward(limit, slope):
    return jnp.clip(slope, -limit, limit), None


_passed.defvjp(_forward, _backward)


def clip_gradient(x, limit):
    return _passed(jnp.array(x), limit)
