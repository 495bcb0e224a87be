def sample_tokens(key, logits, length):
    raise NotImplementedError
