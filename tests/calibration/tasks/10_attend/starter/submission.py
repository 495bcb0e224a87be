

def attend(q, k, v, lengths):
    """Attention over the first lengths[b] keys of each batch entry."""
    raise NotImplementedError
