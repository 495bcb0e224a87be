

def init(key, sizes):
    """Weights of an MLP: a list of {"w": (m, n), "b": (n,)}."""
    raise NotImplementedError


def apply(params, key, x, rate, train):
    """Forward pass with ReLU and inverted dropout (only if train) after every layer but the last."""
    raise NotImplementedError
