"""placeholder until race lands"""

from rubrics.checks.values import *  # noqa


def is_faster_than(subject, baseline, reference, *, at_least, case):
    from rubrics.failures import Inconclusive

    raise Inconclusive("jit.speed_uncertain", {"function": subject.name}, evidence=())
