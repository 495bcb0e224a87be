

def smooth(x, n_steps):
    """Smooth x (d,) n_steps times with weights 1/4, 1/2, 1/4 and repeated ends. n_steps may be traced."""
    raise NotImplementedError
