

def clip_gradient(x, limit):
    """x itself, but with a gradient between -limit and limit."""
    raise NotImplementedError
