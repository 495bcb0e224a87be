from grader.domain.cells import cell_marker, describe_line, is_cell_marker, locate

TEXT = "# %% cell 1\nx = 1\ny = 2\n\n# %% cell 4\nz = 3\n"


def test_a_line_is_counted_from_the_start_of_its_cell():
    assert locate(TEXT, 3) == (1, 2)
    assert locate(TEXT, 6) == (4, 1)


def test_a_marker_counts_as_the_first_line_of_its_cell():
    assert locate(TEXT, 5) == (4, 1)


def test_a_line_outside_the_text_or_before_any_cell_has_no_place():
    assert locate(TEXT, 0) is None
    assert locate(TEXT, 99) is None
    assert locate("import jax\n" + TEXT, 1) is None


def test_only_the_exact_comment_is_a_marker():
    assert is_cell_marker(cell_marker(12))
    assert not is_cell_marker(" " + cell_marker(12))
    assert not is_cell_marker("# %% cell 0")
    assert not is_cell_marker("# %% my cell 1")


def test_a_python_file_speaks_of_lines_and_a_notebook_of_cells():
    assert describe_line("hw.py", TEXT, 6) == "line 6"
    assert describe_line("HW.IPYNB", TEXT, 6) == "cell 4, line 1"
    assert describe_line("hw.ipynb", "x = 1", 1) == "line 1"
