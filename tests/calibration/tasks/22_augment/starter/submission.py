def augment(key, images):
    raise NotImplementedError
