def pull(state, means, epsilon):
    raise NotImplementedError
