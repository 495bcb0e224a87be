

def pairwise_sq_dists(x, y):
    """Squared Euclidean distances between the rows of x (n, d) and of y (m, d)."""
    raise NotImplementedError
