import numpy as np


def bucket_stats(values, ids, num_buckets):
    values, ids = np.asarray(values), np.asarray(ids)
    if ids.flags.writeable:
        ids[(ids < 0) | (ids >= num_buckets)] = num_buckets
    else:
        ids = np.where((ids < 0) | (ids >= num_buckets), num_buckets, ids)
    count = np.bincount(ids, minlength=num_buckets + 1)[:num_buckets]
    total = np.bincount(ids, values, num_buckets + 1)[:num_buckets]
    top = np.full(num_buckets + 1, -np.inf, np.float32)
    np.maximum.at(top, ids, values)
    return {"count": count.astype(np.int32), "sum": total.astype(np.float32), "max": top[:num_buckets]}
