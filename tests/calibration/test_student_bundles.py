"""What students download says the same words of every program as the server, and gives nothing away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import assignments
from grader.content.assignments import read_assignment
from grader.content.uploads import read_paths
from grader.domain.catalogue import render
from grader.domain.results import CheckResult
from grader.domain.rubric import Assignment
from grader.domain.verdicts import Verdict, Visibility
from grader.engine import Engine
from tests.handing_out import HandedOut, hand_out

pytestmark = pytest.mark.slow

SHIPPED = [
    read_assignment(folder)
    for folder in sorted(Path(assignments.__file__).parent.iterdir())
    if (folder / "assignment.toml").is_file()
]
SAMPLES = ("*.py", "*.ipynb")
NEVER_THE_SAME = frozenset({"mutants/walk_draws_with_numpy.py"})
"""Programs whose results no seed of ours decides: the numbers that a report quotes differ from run to run."""
LONG = 25
"""A shorter line of code may well stand in the starter of anybody."""


def programs(assignment: Assignment) -> Iterator[str]:
    """Everything that comes with an assignment and can be read as a submission."""
    yield from (f"solution/{assignment.entry}", f"starter/{assignment.entry}")
    yield from (mutant.path for mutant in assignment.mutants)
    for pattern in SAMPLES:
        for path in sorted((assignment.root / "samples").glob(pattern)):
            if path.name != "does_not_parse.py":
                yield path.relative_to(assignment.root).as_posix()


EACH = [
    pytest.param(assignment.slug, path, id=f"{assignment.slug}: {path}")
    for assignment in SHIPPED
    for path in programs(assignment)
]
each_assignment = pytest.mark.parametrize("slug", [assignment.slug for assignment in SHIPPED])


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.fixture(scope="module")
def published(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, HandedOut]:
    found = {}
    for assignment in SHIPPED:
        root = tmp_path_factory.mktemp("handed-out") / assignment.slug
        found[assignment.slug] = hand_out(assignment, engine=engine, root=root)
    return found


Words = tuple[Verdict, str, str, int | None]


def words(check: CheckResult) -> Words:
    """What the author of a program reads about a check."""
    if check.feedback is None:
        return check.verdict, "", "", None
    said = render(check.feedback)
    return check.verdict, check.feedback.code, f"{said.message} {said.hint}", check.feedback.line


def said(engine: Engine, assignment: Assignment, program: Path, *, seed: str) -> dict[str, Words]:
    functions = [function.name for function in assignment.functions]
    files = read_paths([program], entry=assignment.entry, functions=functions)
    result = engine.grade(files, assignment, seed=seed, only=frozenset({Visibility.VISIBLE}))
    return {check.spec.id: words(check) for check in result.results}


def without_numbers(found: Mapping[str, Words]) -> dict[str, Words]:
    """The same words, whatever was measured."""
    return {
        check: (verdict, code, re.sub(r"[0-9.]+", "0", text), line)
        for check, (verdict, code, text, line) in found.items()
    }


@pytest.mark.parametrize("slug, program", EACH)
def test_a_program_reads_the_same_words_as_on_the_server(
    engine: Engine, published: Mapping[str, HandedOut], slug: str, program: str
) -> None:
    course = published[slug]
    path, seed = course.whole.root / program, course.made.about.seed
    there = said(engine, course.whole, path, seed=seed)
    for left_out in course.made.about.left_out:
        del there[left_out.id]
    here = said(engine, course.handed_out, path, seed=seed)
    if program in NEVER_THE_SAME:
        here, there = without_numbers(here), without_numbers(there)
    assert here == there


def test_only_what_is_timed_is_left_out(published: Mapping[str, HandedOut]) -> None:
    left_out = {check.id for course in published.values() for check in course.made.about.left_out}
    assert left_out == {"pairwise_sq_dists.jit.beats_the_loop"}


@each_assignment
def test_no_line_of_a_solution_and_no_word_of_a_hidden_check_is_in_it(
    engine: Engine, published: Mapping[str, HandedOut], slug: str
) -> None:
    course = published[slug]
    bundle = b"\n".join(name.encode() + data for name, data in course.made.files)
    for line in secret_lines(course.whole):
        assert line.encode() not in bundle, line
    for check in engine.rubric(course.whole).checks:
        if check.visibility is not Visibility.VISIBLE:
            for word in (check.id, check.title, check.node_id.rpartition("::")[2]):
                assert word.encode() not in bundle, word


def secret_lines(assignment: Assignment) -> Iterator[str]:
    """Lines of the solution and the mutants that students are not given with the starter or the lesson."""
    open_text = "".join(
        (assignment.root / name).read_text("utf-8")
        for name in (f"starter/{assignment.entry}", assignment.lesson)
    )
    for folder in ("solution", "mutants"):
        for path in sorted((assignment.root / folder).glob("*.py")):
            for line in map(str.strip, path.read_text("utf-8").splitlines()):
                if len(line) > LONG and line not in open_text and not line.startswith(("import", "from")):
                    yield line
