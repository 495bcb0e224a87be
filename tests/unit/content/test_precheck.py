import pytest

from grader.content.codes import NoticeCode
from grader.content.precheck import parameters_of, precheck
from grader.content.uploads import read_upload
from grader.domain.rubric import FunctionSpec
from grader.domain.submission import Notice, SourceFile, SubmittedFiles
from tests.unit.content.making import notebook

FUNCTIONS = (FunctionSpec(name="normalize"), FunctionSpec(name="sample_walk", static=("n",)))
STARTER = "def normalize(x): ...\ndef sample_walk(key, n): ...\n"
GOOD = "def normalize(x):\n    return x\n\n\ndef sample_walk(key, n):\n    return key\n"


def check(text: str, name: str = "submission.py") -> tuple[Notice, ...]:
    files = SubmittedFiles(entry=name, files=(SourceFile(name=name, text=text),))
    return precheck(files, FUNCTIONS, parameters=parameters_of(STARTER))


def test_a_complete_submission_gets_no_notice():
    assert check(GOOD) == ()


def test_a_syntax_error_is_named_with_its_line():
    [notice] = check("x = 1\ndef normalize(x:\n")
    assert (notice.code, notice.line) == (NoticeCode.SYNTAX, 2)
    assert "submission.py, line 2, is not valid Python: " in notice.message


def test_a_syntax_error_in_a_notebook_is_named_by_cell():
    files = read_upload("hw.ipynb", notebook("x = 1", "y = 2\ndef f(:"))
    [notice] = precheck(files, ())
    assert "hw.ipynb, cell 2, line 2, is not valid Python" in notice.message


def test_a_syntax_error_in_a_helper_is_named_too():
    files = SubmittedFiles(
        entry="submission.py",
        files=(SourceFile(name="submission.py", text=GOOD), SourceFile(name="unit.py", text="1 +")),
    )
    [notice] = precheck(files, FUNCTIONS)
    assert "unit.py, line 1, is not valid Python" in notice.message


@pytest.mark.parametrize(
    "text,says,line",
    [
        ("", "normalize is not defined.", None),
        ("def normalise(x): ...\n", "Did you mean 'normalise'?", None),
        (
            "def main():\n    def normalize(x): ...\n",
            "(line 2) is not at the top level: it is inside main.",
            2,
        ),
        ("class A:\n    def normalize(self, x): ...\n", "it is inside A.", 2),
    ],
)
def test_a_missing_function_is_named_with_what_was_found_instead(text: str, says: str, line: int | None):
    notices = check(text + "def sample_walk(key, n): ...\n")
    assert [(notice.code, notice.line) for notice in notices] == [(NoticeCode.MISSING_FUNCTION, line)]
    assert says in notices[0].message


@pytest.mark.parametrize(
    "text",
    [
        "from helpers import *\n",
        "from helpers import normalize, sample_walk\n",
        "normalize = sample_walk = f\n",
    ],
)
def test_a_function_that_comes_from_elsewhere_is_not_missing(text: str):
    assert check(text) == ()


def test_a_function_that_is_defined_twice_is_pointed_out():
    [notice] = check(GOOD + "def normalize(x):\n    return x\n")
    assert (notice.code, notice.line) == (NoticeCode.DEFINED_TWICE, 7)
    assert "(line 1 and line 7)" in notice.message


@pytest.mark.parametrize("head", ["def normalize():", "def normalize(x, y):", "def normalize(x, *, eps):"])
def test_another_number_of_parameters_is_pointed_out(head: str):
    notices = check(f"{head}\n    ...\ndef sample_walk(key, n): ...\n")
    assert [(notice.code, notice.line) for notice in notices] == [(NoticeCode.PARAMETERS, 1)]
    assert notices[0].message.endswith("asked for is x.")


@pytest.mark.parametrize(
    "head",
    [
        "def normalize(values):",
        "def normalize(x, eps=1e-6):",
        "def normalize(*xs):",
        "@jit\ndef normalize(a, b):",
    ],
)
def test_parameters_that_can_be_called_as_asked_are_fine(head: str):
    assert check(f"{head}\n    ...\ndef sample_walk(key, n): ...\n") == ()


def test_a_static_parameter_under_another_name_is_pointed_out():
    [notice] = check("def normalize(x): ...\ndef sample_walk(key, steps): ...\n")
    assert notice.code == NoticeCode.STATIC_PARAMETER
    assert "has no parameter 'n'" in notice.message


def test_without_a_starter_arity_is_not_judged():
    text = "def normalize(): ...\ndef sample_walk(n): ...\n"
    files = SubmittedFiles(entry="a.py", files=(SourceFile(name="a.py", text=text),))
    assert precheck(files, FUNCTIONS) == ()
