

def huber_grad(w, x, y):
    """Per-example gradients (n, d) of the Huber loss (delta 1) of x @ w - y with respect to w."""
    raise NotImplementedError
