

def bucket_stats(values, ids, num_buckets):
    """Count, sum and largest value of each bucket."""
    raise NotImplementedError
