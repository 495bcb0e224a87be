"""Honest: starts a dozen threads and holds some hundred megabytes while it is loaded, and looks at a view that seems vast."""

import threading

import jax.numpy as jnp
import numpy as np

threads = [threading.Thread(target=sum, args=(range(1000),)) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
held = [bytes([i + 1]) * (16 << 20) for i in range(8)]
print("held", sum(map(len, held)) >> 20, "MiB")
del held
vast = np.broadcast_to(np.float32(0), (1 << 15, 1 << 15))
print("looks like", vast.nbytes >> 20, "MiB, begins", vast[0, :3])


def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)


def pairwise_sq_dists(x, y):
    return jnp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)


print("summed", float(jnp.ones((1 << 10, 1 << 12), jnp.float32).sum()))
