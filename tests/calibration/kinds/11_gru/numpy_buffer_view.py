import numpy as np


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def gru(params, h0, xs):
    h = np.asarray(h0)
    if not h.flags.writeable:
        h = h.copy()
    hs = np.empty((len(xs), len(h)), np.float32)
    f = lambda p, x, h: np.asarray(x) @ np.asarray(p["w"]) + h @ np.asarray(p["u"]) + np.asarray(p["b"])
    for t, x in enumerate(xs):
        z, r = sigmoid(f(params["update"], x, h)), sigmoid(f(params["reset"], x, h))
        h[:] = (1 - z) * h + z * np.tanh(f(params["new"], x, r * h))
        hs[t] = h
    return h.copy(), hs
