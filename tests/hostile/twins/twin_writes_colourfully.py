"""Honest: prints in colour, speaks of <b>markup</b> & "formulas" such as =A1, and has a long docstring.

Für die Prüferin: Die Zeilen werden standardisiert (µ = 0, σ = 1). 标准化每一行。 <script> tags are only text here.
"""

import jax.numpy as jnp

print("\033[32mloaded\033[0m")
print("| mean | std |\n|------|-----|\n| 0    | 1   |")


def normalize(x):
    """=> (x - mean) / (std + 1e-6), <i>row by row</i>"""
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
