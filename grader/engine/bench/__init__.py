"""The bench: a sealed, killable process that runs exported programs and never sees student Python.

Theory of operation. The zygote imports this package and calls `prewarm`, which starts no JAX backend; it
forks a bench per attempt, and the bench calls `serve` on its end of a socket. The examiner speaks to it
through `grader.engine.bench.client`: one message is a request, one message is its answer. The bench keeps no
state that a request depends on (programs travel with each request and are recognised by their hash), so the
examiner may kill it at any moment and go on with a fresh one.

    programs      bytes -> verified, surveyed program        verification · survey · context · tensors
    evaluation    program + inputs -> outputs                interpreter (no compilation) or executables (XLA)
    keylog        which key was used where, and what for     threefry · probes
    racing        two programs, interleaved, by CPU time     grader.engine.statistics decides

Whatever a program does (loop for ever, ask for all memory, end the process through the interpreter) costs
this process and the check in hand, nothing else.
"""

from grader.engine.bench.server import serve
from grader.engine.bench.warming import prewarm

__all__ = ["prewarm", "serve"]
