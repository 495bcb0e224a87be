

def sample_walk(key, n):
    """Gaussian random walk of n steps. Returns (new_key, positions)."""
    raise NotImplementedError
