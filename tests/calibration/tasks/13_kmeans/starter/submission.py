

def kmeans(points, centers, max_iter):
    """Lloyd's algorithm. Returns (centers, labels)."""
    raise NotImplementedError
