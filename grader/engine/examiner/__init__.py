"""The examiner: runs an assignment's rubric suite under pytest and decides. It loads no student code.

Theory of operation. The engine starts one examiner and keeps it warm: JAX imported, the zygote and the bench
running below it, reference programs compiled. For each attempt it runs pytest in this process with the rubric
plugin and a `Session`, the suite's only way to the submission; it streams progress and answers with the
results. It may be killed at any moment: the zygote, the bench and every candidate die with it.
"""
