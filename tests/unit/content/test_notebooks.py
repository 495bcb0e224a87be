import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.content.codes import NoticeCode, Refusal
from grader.content.limits import UploadLimits
from grader.content.notebooks import NotebookText, looks_like_notebook, read_notebook
from grader.domain.errors import UploadRefused
from tests.unit.content.making import code_cell, markdown_cell, notebook


def read(data: bytes) -> NotebookText:
    return read_notebook(data, name="hw.ipynb")


def refusal_of(data: bytes) -> UploadRefused:
    with pytest.raises(UploadRefused) as caught:
        read(data)
    return caught.value


def test_code_cells_are_joined_in_document_order_under_their_numbers():
    book = read(notebook("import jax\n", markdown_cell(), "x = 1", code_cell("")))
    assert book.text == "# %% cell 1\nimport jax\n\n# %% cell 2\nx = 1\n# %% cell 3\n\n"
    assert book.notices == ()


def test_a_line_is_found_again_in_its_cell():
    book = read(notebook("import jax\n", "x = 1\ny = 2"))
    assert book.text.split("\n")[5] == "y = 2"
    assert book.locate(6) == (2, 2)


def test_the_source_of_a_cell_may_be_a_list_of_lines():
    assert "x = 1\ny = 2\n" in read(notebook(code_cell(["x = 1\n", "y = 2"]))).text


def test_a_notebook_in_the_older_format_is_read():
    cell = {"cell_type": "code", "input": ["x = 1\n"], "prompt_number": 3}
    data = json.dumps({"worksheets": [{"cells": [cell]}], "nbformat": 3}).encode()
    assert "x = 1" in read(data).text


def test_a_notice_names_the_cell_and_the_line_of_a_command():
    book = read(notebook("x = 1\n", "\n%matplotlib inline\n"))
    [notice] = book.notices
    assert notice.code == NoticeCode.MAGIC
    assert notice.message == "cell 2, line 2: `%matplotlib inline` is a notebook command; it is not run here."
    assert book.text.split("\n")[(notice.line or 0) - 1] == "# %matplotlib inline"


def test_cells_that_were_run_out_of_order_are_noticed():
    book = read(notebook(code_cell("x = 1", 5), code_cell("y = x"), code_cell("z = 2", 2)))
    [notice] = book.notices
    assert notice.code == NoticeCode.OUT_OF_ORDER
    assert "Cell 3 was run before cell 1 (In [2] and In [5])" in notice.message


def test_cells_that_were_run_in_order_with_gaps_are_fine():
    assert read(notebook(code_cell("x = 1", 2), code_cell("y = 1", 7))).notices == ()


def test_a_line_that_imitates_a_cell_marker_does_not_move_the_lines_after_it():
    book = read(notebook("a = 1\n# %% cell 9\nb = 2"))
    assert book.locate(4) == (1, 3)


def test_half_a_character_is_replaced_with_a_notice():
    book = read(b'{"cells": [{"cell_type": "code", "source": "x = 1\\ny = \'\\ud800\'"}]}')
    assert "y = '\ufffd'" in book.text
    assert book.notices[0].code == NoticeCode.REPLACED_CHARACTERS
    assert "cell 1, line 2" in book.notices[0].message


@pytest.mark.parametrize(
    "data,code",
    [
        (b'{"cells": [', Refusal.CORRUPT_NOTEBOOK),
        (b'{"cells": 3}', Refusal.CORRUPT_NOTEBOOK),
        (b'{"cells": [3]}', Refusal.CORRUPT_NOTEBOOK),
        (b'{"worksheets": {}}', Refusal.CORRUPT_NOTEBOOK),
        (b"[]", Refusal.CORRUPT_NOTEBOOK),
        (b'{"cells": [{"cell_type": "code"}]}', Refusal.CORRUPT_NOTEBOOK),
        (b'{"cells": [{"cell_type": "code", "source": [1]}]}', Refusal.CORRUPT_NOTEBOOK),
        (b'{"cells": [{"cell_type": "code", "source": "\\u0000"}]}', Refusal.CORRUPT_NOTEBOOK),
        (b'{"cells": ' + b"[" * 100_000, Refusal.CORRUPT_NOTEBOOK),
        (b'{"cells": ' + b"9" * 10_000 + b"}", Refusal.CORRUPT_NOTEBOOK),
        (notebook(markdown_cell()), Refusal.NO_CODE),
        (notebook("  \n"), Refusal.NO_CODE),
        (notebook("x <- 1", language="R"), Refusal.NOTEBOOK_LANGUAGE),
    ],
)
def test_what_is_no_python_notebook_is_refused(data: bytes, code: Refusal):
    assert refusal_of(data).code == code


def test_outputs_do_not_count_against_the_limit_for_code():
    cell = code_cell("x = 1")
    cell["outputs"] = ["#" * 50_000]
    assert read_notebook(notebook(cell), name="hw.ipynb", limits=UploadLimits(file_bytes=1000)).text
    with pytest.raises(UploadRefused, match="of code"):
        read_notebook(notebook("#" * 2000), name="hw.ipynb", limits=UploadLimits(file_bytes=1000))


def test_python_that_begins_with_a_dictionary_is_no_notebook():
    assert not looks_like_notebook('{"cells": 1}["cells"]\n')
    assert not looks_like_notebook('{"other": 1}')
    assert looks_like_notebook(notebook("x").decode())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cells", "worksheets", "cell_type", "source", "metadata", "kernelspec"]), inner
        )
    ),
    max_leaves=12,
)
CELL = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown"]), "source": st.text(max_size=20) | JSON},
    optional={"execution_count": JSON, "input": JSON},
)


@given(st.fixed_dictionaries({"cells": st.lists(CELL, max_size=4)}, optional={"metadata": JSON}) | JSON)
def test_any_json_is_read_or_refused(document: object):
    data = json.dumps(document).encode()
    try:
        book = read(data)
    except UploadRefused:
        return
    book.text.encode("utf-8")
    assert all(notice.line is None or book.locate(notice.line) for notice in book.notices)
