"""Whatever is handed in, the real engine tells what is wrong in a sentence, and judges the rest."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from grader.domain.results import AttemptResult
from grader.domain.rubric import Assignment
from grader.domain.verdicts import Verdict
from grader.engine import Engine
from tests import grading
from tests.grading import ALL, DOUBLE, lost, message, of

pytestmark = [pytest.mark.linux, pytest.mark.slow]
collect_ignore_glob = [] if sys.platform == "linux" else ["*"]

VALUES = "double.values.twice_the_input"
PURITY = "double.purity.nothing_else_happens"

RIGHT_TOTAL = "import jax.numpy as jnp\ndef total(x):\n    return jnp.sum(x)\n"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.fixture(scope="module")
def assignment(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    return grading.write_assignment(tmp_path_factory.mktemp("course"))


class Grade:
    """Grades texts against the small assignment."""

    def __init__(self, engine: Engine, assignment: Assignment) -> None:
        self._engine, self._assignment = engine, assignment

    def __call__(self, text: str, **others: str) -> AttemptResult:
        helpers = {name.replace("__", "/") + ".py": body for name, body in others.items()}
        result = grading.grade(self._engine, self._assignment, text, others=helpers)
        assert grading.not_graded(result) == {}
        return result

    def double(self, body: str, *, above: str = "") -> AttemptResult:
        """A submission whose `double` has this body (from line 5 on), and whose `total` is right."""
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        return self(f"{RIGHT_TOTAL}def double(x):\n{lines}\n{above}")


@pytest.fixture
def grade(engine: Engine, assignment: Assignment) -> Grade:
    return Grade(engine, assignment)


def test_a_right_submission_earns_everything(grade: Grade):
    assert lost(grade(grading.SOLUTION)) == set()


def test_a_missing_function_is_named_and_the_other_one_judged(grade: Grade):
    result = grade(RIGHT_TOTAL + "def duble(x):\n    return 2 * x\n")
    assert lost(result) == DOUBLE
    assert (
        message(result, VALUES)
        == "Your file does not define `double`. It does define `duble`: is that the one?"
    )


def test_a_function_of_other_arguments_is_shown_with_the_call_it_gets(grade: Grade):
    result = grade(RIGHT_TOTAL + "def double():\n    return 2\n")
    assert lost(result) == DOUBLE
    assert message(result, VALUES) == (
        "`double` cannot be called as the task does, `double(x)` (line 4 of submission.py): "
        "its parameters are `()`."
    )


def test_a_syntax_error_is_quoted_with_its_line(grade: Grade):
    result = grade(RIGHT_TOTAL + "def double(x)\n    return 2 * x\n")
    assert lost(result) == ALL
    said = message(result, VALUES)
    assert "line 4 of submission.py" in said
    assert "expected ':'" in said


def test_a_package_that_is_not_here_is_named(grade: Grade):
    result = grade("import pandas as pd\n" + grading.SOLUTION)
    assert lost(result) == ALL
    assert "`pandas`" in message(result, VALUES)
    assert "line 1 of submission.py" in message(result, VALUES)


def test_an_endless_loop_at_import_is_stopped_at_its_line(grade: Grade):
    result = grade(grading.SOLUTION + "\nwhile True:\n    pass\n")
    assert lost(result) == ALL
    assert {check.verdict for check in result.results} == {Verdict.TIMED_OUT}
    assert "still being loaded after 4 seconds" in message(result, VALUES)
    feedback = of(result, VALUES).feedback
    assert feedback is not None
    assert feedback.line in (9, 10)
    assert min(check.seconds for check in result.results) < 4  # not every check waits for it again


def test_an_error_at_import_is_told_with_its_line(grade: Grade):
    result = grade(grading.SOLUTION + "print(1 / 0)\n")
    assert lost(result) == ALL
    assert "ZeroDivisionError" in message(result, VALUES)
    assert "line 8 of submission.py" in message(result, VALUES)


@pytest.mark.parametrize("leaving", ["import os; os._exit(0)", "import sys; sys.exit()"])
def test_leaving_python_at_import_is_told(grade: Grade, leaving: str):
    result = grade(grading.SOLUTION + leaving)
    assert lost(result) == ALL
    assert grading.codes(result) <= {"submission.load_died", "submission.load_crashed"}


def test_a_hundred_megabytes_of_output_at_import_cost_nothing_but_a_glance(grade: Grade):
    result = grade(grading.SOLUTION + "for _ in range(100):\n    print('x' * (1 << 20))\n")
    assert lost(result) == set()
    assert len(result.output) <= 256 << 10


def test_a_hundred_megabytes_of_output_in_a_call_cost_its_purity_only(grade: Grade):
    result = grade.double("for _ in range(100):\n    print('y' * (1 << 20))\nreturn 2 * x")
    assert lost(result) == {PURITY}
    assert "prints" in " ".join(grading.codes(result))
    assert len(result.output) <= 256 << 10


def test_a_flood_written_past_python_is_cut_off_too(grade: Grade):
    result = grade.double(
        "import os\ntry:\n    while True:\n        os.write(1, b'z' * (1 << 20))\n"
        "except OSError:\n    pass\nreturn 2 * x"
    )
    assert lost(result) == {PURITY}


@pytest.mark.parametrize(
    "ending",
    ["import os; os._exit(0)", "import ctypes; ctypes.string_at(0)", "import os; os.kill(os.getpid(), 9)"],
    ids=["exit", "segmentation fault", "kill"],
)
def test_a_process_that_ends_in_a_function_costs_only_that_function(grade: Grade, ending: str):
    result = grade.double(f"{ending}\nreturn 2 * x")
    assert lost(result) == DOUBLE
    assert {of(result, check).verdict for check in DOUBLE} == {Verdict.CRASHED}
    assert message(result, VALUES).startswith("Python ended while `double` was running")


def test_a_segmentation_fault_is_told_with_its_line(grade: Grade):
    feedback = of(grade.double("import ctypes\nctypes.string_at(0)\nreturn 2 * x"), VALUES).feedback
    assert feedback is not None
    assert feedback.line == 6


def test_sys_exit_in_a_function_is_an_error_at_its_line(grade: Grade):
    result = grade.double("import sys\nsys.exit(0)\nreturn 2 * x")
    assert VALUES in lost(result) <= DOUBLE
    assert "`SystemExit`" in message(result, VALUES)
    assert "line 6 of submission.py" in message(result, VALUES)


def test_a_memory_bomb_costs_only_its_function_and_names_the_limit(grade: Grade):
    result = grade.double("kept = []\nwhile True:\n    kept.append(bytearray(64 << 20))\nreturn 2 * x")
    assert lost(result) == DOUBLE
    assert {of(result, check).verdict for check in DOUBLE} == {Verdict.OUT_OF_MEMORY}
    assert "more memory than 1 GiB" in message(result, VALUES)


def test_memory_that_numpy_refuses_is_out_of_memory_at_its_line(grade: Grade):
    result = grade.double("import numpy as np\nnp.ones(1 << 45)\nreturn 2 * x")
    assert lost(result) == DOUBLE
    assert of(result, VALUES).verdict is Verdict.OUT_OF_MEMORY
    assert "line 6 of submission.py" in message(result, VALUES)


def test_a_hang_costs_only_its_function_and_names_its_line(grade: Grade):
    result = grade.double("while True:\n    y = 2 * 1\nreturn 2 * x")
    assert lost(result) == DOUBLE
    assert {of(result, check).verdict for check in DOUBLE} == {Verdict.TIMED_OUT}
    feedback = of(result, VALUES).feedback
    assert feedback is not None
    assert feedback.line in (5, 6)


def test_a_program_without_end_is_the_functions_fault_as_well(grade: Grade):
    result = grade.double("import jax\nreturn jax.lax.while_loop(lambda z: True, lambda z: z + 1, x)")
    assert VALUES in lost(result) <= DOUBLE
    assert of(result, VALUES).verdict is Verdict.TIMED_OUT


def test_endless_recursion_is_an_error_like_others(grade: Grade):
    result = grade.double("return double(x) + 1")
    assert VALUES in lost(result) <= DOUBLE
    assert "`RecursionError`" in message(result, VALUES)


def test_an_exception_whose_text_cannot_be_had_is_still_told(grade: Grade):
    hostile = (
        "class Hostile(Exception):\n"
        "    def __str__(self):\n        raise SystemExit\n"
        "    __repr__ = __str__\n"
    )
    result = grade.double("raise Hostile()", above=hostile)
    assert VALUES in lost(result) <= DOUBLE
    assert "`Hostile`" in message(result, VALUES)


def test_closing_every_descriptor_costs_only_its_function(grade: Grade):
    result = grade.double("import os\nos.closerange(0, 30)\nreturn 2 * x")
    assert lost(result) == DOUBLE


def test_a_replaced_stdout_is_a_changed_process_and_no_more(grade: Grade):
    result = grade.double("import sys\nsys.stdout = None\nreturn 2 * x")
    assert lost(result) <= {PURITY}
    assert of(result, VALUES).verdict is Verdict.PASSED


def test_threads_that_go_on_disturb_nothing(grade: Grade):
    spin = "import threading\ndef spin():\n    import time\n    while True: time.sleep(0.01)\n"
    result = grade(f"{spin}threading.Thread(target=spin).start()\n{grading.SOLUTION}")
    assert lost(result) == set()


def test_a_replaced_jit_deceives_nobody(grade: Grade):
    fake = "import jax\njax.jit = lambda f, **_: f\njnp.sum = lambda x: 0.0\n"
    result = grade(grading.SOLUTION + fake)
    assert lost(result) == {"total.values.sum_of_all"}  # its own sum is wrong now, which is its own doing


def test_a_result_nested_without_end_is_wrong_not_fatal(grade: Grade):
    result = grade.double("for _ in range(2000):\n    x = [x]\nreturn x")
    assert VALUES in lost(result)
    assert "call.died" not in grading.codes(result)


def test_a_result_of_very_many_parts_is_wrong_not_fatal(grade: Grade):
    result = grade.double("return [1.0] * 1_000_000")
    assert VALUES in lost(result)
    assert "call.died" not in grading.codes(result)


def test_a_result_of_many_megabytes_is_wrong_not_fatal(grade: Grade):
    result = grade.double("import numpy as np\nreturn np.zeros((1 << 26,), np.float32)")
    assert VALUES in lost(result)
    assert "call.died" not in grading.codes(result)


def test_helper_modules_beside_the_main_file_and_in_packages_work(grade: Grade):
    result = grade(
        "from helpers import two\nfrom tools.sums import add_up\n"
        "def double(x):\n    return two * x\n"
        "def total(x):\n    return add_up(x)\n",
        helpers="two = 2\n",
        tools__sums="from .names import jnp\ndef add_up(x):\n    return jnp.sum(x)\n",
        tools__names="import jax.numpy as jnp\n",
    )
    assert lost(result) == set()


def test_an_error_in_a_helper_module_is_told_with_that_file(grade: Grade):
    result = grade("from helpers import two\n" + grading.SOLUTION, helpers="two = 2\nthree = two / 0\n")
    assert "line 2 of helpers.py" in message(result, VALUES)


def test_prints_and_plots_outside_functions_cost_nothing(grade: Grade):
    result = grade(
        "import matplotlib.pyplot as plt\n" + grading.SOLUTION + "fig, ax = plt.subplots()\n"
        "ax.plot([1, 2])\nplt.show()\nprint('my result is', 42)\n"
    )
    assert lost(result) == set()
    assert result.output == "my result is 42\n"
    assert ["matplotlib" in notice.message for notice in result.notices] == [True]
