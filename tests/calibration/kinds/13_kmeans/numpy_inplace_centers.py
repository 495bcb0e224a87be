import numpy as np


def kmeans(points, centers, max_iter):
    points = np.asarray(points, np.float32)
    centers = np.asarray(centers, np.float32)
    if not centers.flags.writeable:
        centers = centers.copy()
    label = lambda: ((points[:, None] - centers) ** 2).sum(-1).argmin(1).astype(np.int32)
    z = label()
    for _ in range(int(max_iter)):
        for j in range(len(centers)):
            if (z == j).any():
                centers[j] = points[z == j].mean(0)
        new = label()
        if (new == z).all():
            break
        z = new
    return centers.copy(), z
