"""The work of `grader assignment publish`, `list` and `starter` with a server."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from time import sleep

from rich.live import Live
from rich.text import Text

from grader.cli.exits import ExitCode, leave
from grader.cli.output import asides, print_json
from grader.cli.remote.answers.courses import Course
from grader.cli.remote.answers.staff import Publication
from grader.cli.remote.client import Client, Reply, connected
from grader.cli.remote.courses import show_assignments, the_course
from grader.cli.remote.screens import say
from grader.content.archives import is_zip
from grader.content.assignments import find_assignment
from grader.content.folder_archives import FOLDER_LIMITS
from grader.content.folders import read_file
from grader.content.limits import size
from grader.domain.errors import AssignmentInvalid
from grader.domain.publication import PublicationState
from grader.domain.text import one_line

LOOK_EVERY_S = 1.0
_SKIPPED = {"__pycache__", ".git", ".pytest_cache", ".ipynb_checkpoints"}

_EXIT = {
    PublicationState.PUBLISHED: ExitCode.FINE,
    PublicationState.UNCHANGED: ExitCode.FINE,
    PublicationState.REFUSED: ExitCode.NO,
    PublicationState.BROKEN: ExitCode.OUR_FAULT,
}


def publish(server: str | None, *, folder: str, course: str | None, as_draft: bool, as_json: bool) -> None:
    """Upload a folder, follow its gate, and say what came of it; ends with 1 where the gate stays shut."""
    name, data = zipped(folder)
    with connected(server) as client:
        found = the_course(client, course)
        form = {"as_draft": str(as_draft).lower()}
        reply = client.upload(
            "courses", found.slug, "publications", files=[("file", (name, data))], form=form
        )
        reply = _followed(client, found.slug, reply)
    publication = reply.of(Publication)
    if as_json:
        print_json({"publication": reply.value})
    else:
        _tell(publication, course=found.slug)
    leave(_EXIT.get(publication.state, ExitCode.FINE))


def list_assignments(server: str | None, *, course: str | None, as_json: bool) -> None:
    """List a course's assignments."""
    with connected(server) as client:
        reply = client.get("courses", the_course(client, course).slug)
    found = reply.of(Course)
    if as_json:
        print_json({"course": reply.value})
        return
    show_assignments(found)


def zipped(folder: str) -> tuple[str, bytes]:
    """A folder's name and its zip; of a zip that somebody made already, its bytes as they are."""
    given = Path(folder)
    if given.is_file():
        data = read_file(given, limits=FOLDER_LIMITS)
        if not is_zip(data):
            raise AssignmentInvalid(
                given, "it is neither a folder nor a zip.", "Give the assignment's folder."
            )
        return given.name, data
    root = find_assignment(folder)
    buffer = io.BytesIO()
    try:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in _files(root):
                info = zipfile.ZipInfo(path.relative_to(root).as_posix())
                archive.writestr(info, path.read_bytes(), compress_type=zipfile.ZIP_DEFLATED)
                if buffer.tell() > FOLDER_LIMITS.upload_bytes:
                    most = size(FOLDER_LIMITS.upload_bytes)
                    raise AssignmentInvalid(root, f"its zip has more than {most}.", "Leave large files out.")
    except OSError as error:
        raise AssignmentInvalid(root, f"it cannot be read: {error.strerror}.", "Check its files.") from error
    return f"{root.resolve().name}.zip", buffer.getvalue()


def _files(root: Path) -> list[Path]:
    """The folder's regular files, without what tools leave behind; links are not followed."""
    found = []
    for place, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - _SKIPPED)
        paths = (Path(place) / name for name in sorted(names) if not name.endswith(".pyc"))
        found += [path for path in paths if path.is_file() and not path.is_symlink()]
    return found


def _followed(client: Client, course: str, reply: Reply) -> Reply:
    """The last word on a publication, with its steps said on the way."""
    say_aside = asides()
    last = ""
    with Live(console=say_aside, transient=True, auto_refresh=False) as live:
        while not (publication := reply.of(Publication)).state.final:
            words = _step_words(publication)
            if say_aside.is_terminal:
                live.update(Text(words), refresh=True)
            elif words != last:
                say_aside.print(Text(words), soft_wrap=True)
                last = words
            sleep(LOOK_EVERY_S)
            reply = client.get("courses", course, "publications", publication.id)
    return reply


def _step_words(publication: Publication) -> str:
    step = publication.step
    if step is None:
        return "The folder is uploaded; a worker will run its gate."
    return f"[{step.number}/{step.total}] {one_line(step.title, 100)}"


def _tell(publication: Publication, *, course: str) -> None:
    what = f"{publication.slug}, version {publication.version_number}"
    match publication.state:
        case PublicationState.PUBLISHED:
            say(f"Published {what} in {course}. Students submit with:")
            say(f"grader submit FILE --assignment {publication.slug} --course {course}", indent=2)
        case PublicationState.UNCHANGED:
            say(f"Nothing has changed since {what}.")
        case PublicationState.REFUSED:
            _tell_gate(publication)
        case _:
            say(f"The gate could not be run: {publication.problem or 'nobody knows why'}")


def _tell_gate(publication: Publication) -> None:
    gate = publication.gate
    mutants = gate.mutants if gate else []
    holding = sum(mutant.holds for mutant in mutants)
    say(f"The gate is shut: {publication.slug} does not grade as its manifest declares.")
    say(f"{holding} of {len(mutants)} mutants fail exactly the checks that they name.")
    for problem in gate.problems if gate else []:
        say(f"{problem.name}: {problem.says}", indent=2)
