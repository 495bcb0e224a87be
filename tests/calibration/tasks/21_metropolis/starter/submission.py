def metropolis(key, x0, n, step):
    raise NotImplementedError
