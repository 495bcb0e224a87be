def bootstrap(key, x, n_boot):
    raise NotImplementedError
