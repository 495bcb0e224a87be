"""The parameters that several entries share, described once."""

from __future__ import annotations

from grader.domain.catalogue.entry import Param

FUNCTION = Param(name="function", means="name of the graded function", neutral="your function", code=True)
ERROR = Param(name="error", means="class name of the exception", neutral="an exception", code=True)
TEXT = Param(name="text", means="message of the exception, one line", neutral="no further message")
SOURCE = Param(name="source", means="text of the student's line", neutral="that line", code=True)
ARGUMENT = Param(name="argument", means="name of the argument", neutral="an argument", code=True)
NAME = Param(name="name", means="the student's variable, as written", neutral="a variable", code=True)
WHERE = Param(name="where", means="place in the result, such as result[1][0, 3]", neutral="the result")
FOUND = Param(name="found", means="what the submission gave", neutral="something else")
EXPECTED = Param(name="expected", means="what was asked for", neutral="what the task asks for")
SECONDS = Param(name="seconds", means="the limit in seconds", neutral="the allowed number of")
LIMIT = Param(name="limit", means="the limit with its unit, such as 2 GiB", neutral="the limit")
CALL = Param(name="call", means="the call as written, such as np.random.rand", neutral="a call", code=True)
