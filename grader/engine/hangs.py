"""The submitted line that was running when a process was given up or crashed, as it wrote that down itself.

Shortly before its limit, and when it crashes, a candidate has `faulthandler` write where every thread stands.
It is hearsay, as the submission may write the same: it names a line for the report and decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container

from grader.engine.testimony import Frame

_BEGINS = re.compile(r"^(?:Timeout \(|Fatal Python error: )", re.MULTILINE)
_THREAD = re.compile(r"^(?=(?:Current thread|Thread) 0x)", re.MULTILINE)
_LINE = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<line>\d{1,9}) in (?P<function>.*)$', re.MULTILINE)
_SERVING = "/candidate/serving.py"


def innermost(output: bytes, files: Container[str]) -> Frame | None:
    """The innermost line of `files` in the last dump of `output`, looking first where requests are served."""
    text = output.decode("utf-8", "replace")
    begins = [match.end() for match in _BEGINS.finditer(text)]
    if not begins:
        return None
    threads = _THREAD.split(text[begins[-1] :])
    for thread in sorted(threads, key=lambda thread: _SERVING not in thread):
        for found in _LINE.finditer(thread):
            if found["file"] in files:
                function = found["function"].strip()[:100]
                return Frame(file=found["file"], line=int(found["line"]), function=function)
    return None
