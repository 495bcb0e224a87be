"""Honest: lets threads work while it is loaded, which end before it is asked anything."""

import threading

import jax.numpy as jnp
import numpy as np


class Later:
    def __init__(self, x, y):
        self._result = None
        self._thread = threading.Thread(target=self._go, args=(x, y))
        self._thread.start()

    def _go(self, x, y):
        self._result = np.stack([np.sum((row - y) ** 2, -1) for row in x])

    def result(self):
        self._thread.join()
        return self._result


def pairwise_sq_dists(x, y):
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


over = threading.Event()
beat = threading.Thread(target=over.wait, daemon=True)
beat.start()
print("agrees:", np.allclose(Later(np.eye(3), np.eye(3)).result(), pairwise_sq_dists(jnp.eye(3), jnp.eye(3))))
over.set()
beat.join()
