import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.content.ipython import neutralise_cell, neutralise_module


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "%timeit normalize(x)",
        "%pip install jax",
        "%cd /tmp",
        "!pip install jax",
        "!ls -l 'it''s",
        "!!ls",
        "?normalize",
        "normalize?",
        "jnp.linalg.norm??",
        "x[0]?",
        "%load_ext autoreload",
    ],
)
def test_a_command_becomes_a_comment_and_lines_stay_where_they_were(line: str):
    cell = f"import jax\n{line}\nx = 1\n"
    neutral = neutralise_cell(cell)
    lines = neutral.text.split("\n")
    assert lines[1].startswith("# ")
    assert [lines[0], *lines[2:]] == ["import jax", "x = 1", ""]
    assert [(command.line, command.text) for command in neutral.commands] == [(2, line)]


@pytest.mark.parametrize(
    "cell",
    [
        "text = '''\n%matplotlib inline\n!ls\n'''\n",
        'text = """\n%%bash\nnormalize?\n"""\n',
        "y = (x\n% 3)\n",
        "y = x \\\n% 3\n",
        "y = [\n  1,\n]  # really?\n",
        "print('%d' % 3)\n",
        "x %= 3\n",
        "# %%\nx = 1\n",
        "# a question?\n",
    ],
)
def test_python_that_only_looks_like_a_command_stays(cell: str):
    assert neutralise_cell(cell).text == cell
    assert neutralise_cell(cell).commands == ()


def test_strings_and_brackets_beside_real_commands_stay():
    cell = '%matplotlib inline\nusage = """\n%d of %d\n!important\n"""\ny = (7\n% 3)\n!ls\n'
    neutral = neutralise_cell(cell)
    assert [command.line for command in neutral.commands] == [1, 8]
    namespace: dict[str, object] = {}
    exec(neutral.text, namespace)  # noqa: S102 - the test's own text
    assert namespace["usage"] == "\n%d of %d\n!important\n"
    assert namespace["y"] == 1


def test_quotes_in_a_shell_line_do_not_swallow_the_lines_after_it():
    neutral = neutralise_cell("!echo \"it's\n%time y = 1\nz = '''a\n%b'''\n")
    assert ast.parse(neutral.text)
    assert [command.line for command in neutral.commands] == [1, 2]


def test_a_command_that_goes_on_after_a_backslash_is_taken_whole():
    neutral = neutralise_cell("!pip install jax \\\n  flax\nx = 1\n")
    assert neutral.text == "# !pip install jax \\\n#   flax\nx = 1\n"


def test_a_command_in_a_block_leaves_a_block():
    neutral = neutralise_cell("for i in range(2):\n    !ls\nif True:\n    %timeit f()\n")
    assert ast.parse(neutral.text)
    assert neutral.text.count("pass") == 2


def test_a_timed_statement_runs_untimed():
    neutral = neutralise_cell("%time y = sum([1,\n  2])\n")
    assert neutral.text == "y = sum([1,\n  2])\n"
    assert neutral.commands[0].kept


@pytest.mark.parametrize("command", ["%%time", "%%capture out"])
def test_a_cell_command_that_runs_its_cell_keeps_the_python(command: str):
    neutral = neutralise_cell(f"{command}\ndef f(x):\n    return x\n")
    assert neutral.text == f"# {command}\ndef f(x):\n    return x\n"
    assert neutral.commands[0].kept


@pytest.mark.parametrize("command", ["%%bash", "%%writefile helpers.py", "%%html", "%%timeit", "%%unknown"])
def test_a_cell_command_that_takes_the_cell_away_leaves_comments(command: str):
    neutral = neutralise_cell(f"\n{command}\nx = 1\n")
    assert neutral.text == f"\n# {command}\n# x = 1\n# "
    assert not neutral.commands[0].kept


@pytest.mark.parametrize("line", ["files = !ls *.py", "t = %timeit -o f(x)", "a.b = !date"])
def test_what_a_command_would_have_given_is_none(line: str):
    target = line.partition(" =")[0]
    neutral = neutralise_cell(f"{line}\nx = 1\n")
    assert neutral.text.startswith(f"{target} = None  # ")
    assert ast.parse(neutral.text)


def test_a_cell_that_is_indented_as_a_whole_is_python():
    assert neutralise_cell("  x = 1\n  y = 2\n").text == "x = 1\ny = 2\n"


def test_a_real_syntax_error_stays_in_its_line():
    neutral = neutralise_cell("%matplotlib inline\ndef f(:\n")
    assert neutral.text == "# %matplotlib inline\ndef f(:\n"


@pytest.mark.parametrize(
    "source,result",
    [
        (
            "get_ipython().run_line_magic('matplotlib', 'inline')\nx = 1\n",
            "pass  # get_ipython().run_line_magic('matplotlib', 'inline')\nx = 1\n",
        ),
        ("é = get_ipython().getoutput('ls')\n", "é = None  # é = get_ipython().getoutput('ls')\n"),
        (
            "if x:\n    get_ipython().system(\n        'ls')\n",
            "if x:\n    pass  # get_ipython().system(\n#         'ls')\n",
        ),
    ],
)
def test_the_calls_of_an_exported_notebook_do_nothing(source: str, result: str):
    assert neutralise_module(source).text == result
    assert len(neutralise_module(source).commands) == 1


def test_a_call_that_shares_its_line_with_other_code_is_left_alone():
    source = "x = 1; get_ipython().system('ls')\n"
    assert neutralise_module(source).text == source


def test_raw_commands_in_a_python_file_are_taken_out_if_that_makes_it_python():
    assert neutralise_module("!pip install jax\nimport jax\n").text == "# !pip install jax\nimport jax\n"


def test_a_python_file_with_another_fault_is_left_as_its_author_wrote_it():
    source = "!pip install jax\ndef f(:\n"
    assert neutralise_module(source).text == source
    assert neutralise_module(source).commands == ()


LINES = st.lists(
    st.sampled_from(
        [
            "%time x = 1",
            "!ls \\",
            "%%bash",
            "x = '''",
            "'''",
            '"""',
            "(",
            ")",
            "x?",
            "  %a",
            "y = !b",
            "if 1:",
            "é = 1",
            "",
        ]
    )
    | st.text(max_size=12),
    max_size=8,
)


@given(LINES)
def test_the_number_of_lines_never_changes(lines: list[str]):
    source = "\n".join(lines).replace("\r", "")
    assert neutralise_cell(source).text.count("\n") == source.count("\n")
    assert neutralise_module(source).text.count("\n") == source.count("\n")
