"""The candidate: runs student Python, sealed off, and answers the examiner's requests about it.

Theory of operation. A candidate is forked from the zygote (or, on a platform without the seal, started as a
process of its own), shut into its box, and then serves one channel. It holds nothing worth stealing: it never
sees expected values, the rubric, the reference or a clock that counts. Requests are answered in order, one at
a time:

    load     the submitted texts      -> which functions are there, what loading did
    export   a function, abstract in  -> the exported program (StableHLO), what tracing did
    call     a function, concrete in  -> the result, what the call did, what became of the inputs

Everything it answers may be forged by the code it runs. The examiner therefore takes values only from
exported programs, run elsewhere on inputs that never came here; what is observed here (output, changed state,
changed inputs) is evidence against honest mistakes, cross-checked with the source.
"""

from grader.engine.candidate.serving import serve
from grader.engine.candidate.warming import prewarm

__all__ = ["prewarm", "serve"]
