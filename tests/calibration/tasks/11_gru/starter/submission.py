

def gru(params, h0, xs):
    """Runs a GRU over xs (t, d) from the state h0 (h,). Returns (last state, all states)."""
    raise NotImplementedError
