"""Honest: prints a megabyte, a long line on standard error, asks for input that is not there, and compiles a text."""

import os
import sys

import jax.numpy as jnp

for _ in range(2000):
    sys.stdout.write("progress " * 60 + "\n")
os.write(2, b"." * 100_000)
try:
    NAME = input("your name: ")
except EOFError:
    NAME = "nobody"
if not sys.stdin.isatty():
    sys.stdin.read()
source = "table = [" + "0," * 3_000 + "]\nvalue = " + "(" * 50 + "1" + ")" * 50
names = {}
exec(compile(source, "table", "exec"), names)
print("%10d" % names["value"], len(names["table"]), NAME)


def normalize(x):
    return (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)
