"""A suite without its hidden checks holds nothing that belonged to them, and everything the others need."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

import pytest

from grader.content.suites import visible_suite
from grader.domain.errors import AssignmentInvalid

PATH = Path("rubric/test_it.py")


def pruned(text: str, *wanted: str) -> str:
    written = visible_suite(textwrap.dedent(text), path=PATH, wanted=wanted)
    ast.parse(written)
    return written


SUITE = '''
    """The visible checks and the hidden one about the SECRET-TITLE."""

    from __future__ import annotations
    import numpy as np
    import math, secretlib
    from rubrics import criterion, f32, i32

    SIZE, SECRET_SIZE = 3, 4242
    SECRET_VALUES = np.array([1, 2])  # a SECRET-COMMENT
    # SECRET-COMMENT: the next check is hidden
    SHARED = f32[SIZE]

    def helper(x):
        return inner(x)

    def inner(x):
        return math.floor(x)

    def secret_helper(x):
        """SECRET-DOCSTRING"""
        return secretlib.look(x)

    @criterion("values", points=1, function="f")
    def test_open(submission, draw):
        """An open check."""
        # why it is so
        submission.f.satisfies(helper, draw(SHARED))

    @criterion("values", points=1, function="f", visibility="hidden")
    def test_secret_name(submission, draw):
        """SECRET-TITLE"""
        submission.f.satisfies(secret_helper, draw(SHARED), draw(i32[SECRET_SIZE]), draw(SECRET_VALUES))

    assert SECRET_SIZE > 3
    print("SECRET-OUTPUT")
'''


def test_nothing_of_a_hidden_check_is_left():
    written = pruned(SUITE, "test_open")
    assert "secret" not in written.lower()
    assert "4242" not in written
    assert "#" not in written


def test_what_a_visible_check_needs_is_kept_through_helpers():
    written = pruned(SUITE, "test_open")
    for needed in ("def helper", "def inner", "import math", "SIZE = 3", "SHARED = f32[SIZE]", "test_open"):
        assert needed in written
    assert "from __future__ import annotations" in written
    assert "from rubrics import criterion, f32\n" in written
    assert "numpy" not in written


def test_fixtures_are_found_by_the_names_of_parameters():
    written = pruned(
        """
        import pytest
        @pytest.fixture
        def rows(width): return [width]
        @pytest.fixture
        def width(): return 3
        @pytest.fixture
        def secret_rows(): return [4242]
        @pytest.fixture(autouse=True)
        def always(): yield
        def test_a(submission, rows): ...
        def test_b(submission, secret_rows): ...
        """,
        "test_a",
    )
    for kept in ("def rows", "def width", "def always", "import pytest"):
        assert kept in written
    assert "secret" not in written


def test_a_local_name_does_not_keep_a_constant_of_the_same_name():
    written = pruned(
        """
        cluster = 4242
        def test_a(draw):
            cluster = 3
            draw(cluster)
        def test_b(draw): draw(cluster)
        """,
        "test_a",
    )
    assert "4242" not in written


def test_checks_in_classes_are_chosen_one_by_one():
    suite = """
    class TestIt:
        '''About a SECRET, too.'''
        width = 3
        def test_a(self, draw): draw(self.width)
        def test_b(self, draw): draw(4242)
    class TestOther:
        def test_c(self, draw): draw(4243)
    """
    written = pruned(suite, "TestIt::test_a")
    assert "class TestIt" in written
    assert "width = 3" in written
    assert "test_a" in written
    assert not {"test_b", "4242", "TestOther", "SECRET"} & set(written.replace("(", " ").split())


def test_what_only_hidden_checks_of_a_class_use_is_gone():
    written = pruned(
        """
        class TestIt:
            SECRET_SIZES = [4242]
            pytestmark = mark
            sizes, secret_extra = [1], [4243]
            def setup_method(self): self.x = self.begin()
            def begin(self): return 1
            def open_helper(self): return self.sizes
            def secret_helper(self):
                "The answer is 4244."
                return self.SECRET_SIZES
            def test_a(self, draw): draw(self.open_helper())
            def test_b(self, draw): draw(self.secret_helper(), self.secret_extra)
        """,
        "TestIt::test_a",
    )
    for kept in ("sizes = [1]", "def open_helper", "pytestmark", "def setup_method", "def begin"):
        assert kept in written
    assert "secret" not in written.lower()
    assert "424" not in written


def test_hidden_checks_that_a_class_inherits_are_gone():
    written = pruned(
        """
        class Common:
            "About a SECRET."
            def test_a(self, draw): draw(3)
            def test_b(self, draw): draw(4242)
        class TestIt(Common): ...
        """,
        "TestIt::test_a",
    )
    assert "draw(3)" in written
    assert not {"4242", "test_b", "SECRET"} & set(re.findall(r"\w+", written))


def test_hidden_checks_under_a_condition_are_gone_with_what_they_use():
    written = pruned(
        """
        import devices
        try:
            several = 2
            SECRET = 4242
        except ImportError:
            SECRET = 4243
        else:
            def test_b(draw): draw(SECRET)
        if devices.many:
            size = several
            SECRET_TOO = 4244
            def test_a(draw): draw(size)
            class TestIt:
                def test_c(self, draw): draw(4245)
        """,
        "test_a",
    )
    for kept in ("if devices.many", "import devices", "several = 2", "size = several", "def test_a"):
        assert kept in written
    assert "SECRET" not in written
    assert "424" not in written


def test_a_helpers_parameter_does_not_keep_a_constant_of_the_same_name():
    written = pruned(
        """
        width = 4242
        def helper(width): return width
        def test_a(draw): draw(helper(3))
        def test_b(draw): draw(width)
        """,
        "test_a",
    )
    assert "4242" not in written


def test_what_is_added_to_a_needed_constant_is_kept():
    written = pruned("CASES = [1]\nCASES += [2]\ndef test_a(draw): draw(CASES)\n", "test_a")
    assert "CASES += [2]" in written


def test_definitions_under_a_condition_are_kept_whole():
    written = pruned(
        "try:\n    import fast\nexcept ImportError:\n    fast = None\ndef test_a(): fast.x\n", "test_a"
    )
    assert "except ImportError" in written


def test_a_suite_that_is_no_python_is_the_authors_to_mend():
    with pytest.raises(AssignmentInvalid, match="not valid Python"):
        pruned("def test_a(:\n", "test_a")
