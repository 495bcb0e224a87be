def sample_latent(key, mean, log_var, n):
    raise NotImplementedError
