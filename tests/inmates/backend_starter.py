"""A server that must not be: importing it starts a JAX backend."""

import jax

jax.devices()
