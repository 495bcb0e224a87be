"""Honest: comes with tests of its own, which write a report and end with an exit code when run as a script."""

import atexit
import json
import sys

import jax.numpy as jnp

results = {"passed": 0, "failed": 0}


def pairwise_sq_dists(x, y):
    return ((x[:, None] - y[None]) ** 2).sum(-1)


def check(name, ok):
    results["passed" if ok else "failed"] += 1
    print(f"{name}: {'PASSED' if ok else 'FAILED'}")


def main():
    atexit.register(lambda: print(json.dumps(results)))
    a = jnp.eye(3)
    check("zero to itself", bool(jnp.all(jnp.diag(pairwise_sq_dists(a, a)) == 0)))
    check("symmetric", bool(jnp.allclose(pairwise_sq_dists(a, a), pairwise_sq_dists(a, a).T)))
    sys.exit(0 if results["failed"] == 0 else 1)


if __name__ == "__main__":
    main()
