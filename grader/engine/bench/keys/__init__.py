"""The key log: which PRNG key of an exported program was used where, and what for.

A program draws by calling Threefry kernels. `rewriting` cuts a copy of the program down to what leads to
them, `probes` makes the interpreter write down each call's operands, `ledger` follows every key through the
calls and says which were misused. The student's process takes no part in it.
"""
