

def set_diagonal(a, v):
    """A new matrix equal to a, with its main diagonal replaced by v (scalar or vector)."""
    raise NotImplementedError
