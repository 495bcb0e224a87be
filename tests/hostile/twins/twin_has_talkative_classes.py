"""Honest: works inside with classes that say how they are pickled, written and walked through."""

import itertools
import pickle

import jax.numpy as jnp


class Moments:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __reduce__(self):
        return (Moments, (self.mean, self.std))

    def __repr__(self):
        return "Moments(" + "-" * 2000 + f"{self.mean}, {self.std})"

    __str__ = __repr__

    def __format__(self, spec):
        return repr(self)

    def __len__(self):
        return 2

    def __iter__(self):
        yield self.mean
        while True:
            yield self.std


assert pickle.loads(pickle.dumps(Moments(1, 2))).std == 2
print(f"{Moments(0, 1)}")


def normalize(x):
    moments = Moments(x.mean(1, keepdims=True), x.std(1, keepdims=True))
    mean, std = itertools.islice(moments, 2)
    return (x - mean) / (std + 1e-6)
