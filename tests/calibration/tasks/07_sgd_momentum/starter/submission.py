

def sgd_momentum(params, grads, state, lr):
    """One step of SGD with momentum 0.9 on pytrees. Returns (new_params, new_state)."""
    raise NotImplementedError
