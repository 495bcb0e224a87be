import functools

import jax
import jax.numpy as jnp


def with_gradient(rule):
    """Decorator: the decorated function gets this backward rule."""

    def decorate(fun):
        fun = jax.custom_vjp(fun)
        fun.defvjp(lambda *args: (fun(*args), args), rule)
        return functools.wraps(fun)(jax.jit(fun))

    return decorate


@with_gradient(lambda args, g: (jnp.clip(g, -args[1], args[1]), 0.0 * args[1]))
def clip_gradient(x, limit):
    return 1.0 * jnp.asarray(x)
