

def causal_conv(x, w, dilation):
    """Dilated causal convolution of x (t, c_in) with w (k, c_in, c_out)."""
    raise NotImplementedError
