"""The work of `grader receipt download` and `grader assignment starter`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader.cli.output import print_json
from grader.cli.remote.client import Reply, connected
from grader.cli.remote.courses import the_course
from grader.cli.remote.lookup import find_submission
from grader.cli.remote.screens import say
from grader.cli.remote.storing import store
from grader.domain.errors import ServerFailed
from grader.services.receipts.documents import file_name


def receipt(server: str | None, *, typed: str, out: Path | None, course: str | None, as_json: bool) -> None:
    """Fetch a submission's signed receipt into a file."""
    with connected(server) as client:
        submission_id = find_submission(client, typed, course=course)
        reply = client.get("submissions", str(submission_id), "receipt")
    if not isinstance(reply.value, dict):
        raise ServerFailed(f"{reply.server} sent no receipt. Try again later.")
    path = store(replace(reply, filename=file_name(reply.value)), out)
    _tell(path, reply, as_json=as_json)
    if not as_json:
        say(f"Verify it with: grader receipt verify {path}")


def starter(
    server: str | None, *, slug: str, checks: bool, out: Path | None, course: str | None, as_json: bool
) -> None:
    """Fetch an assignment's starter files and lesson, with the visible checks if wanted, as a zip."""
    what = "bundle" if checks else "starter"
    with connected(server) as client:
        reply = client.get("courses", the_course(client, course).slug, "assignments", slug, what)
    path = store(reply, out)
    _tell(path, reply, as_json=as_json)
    if checks and not as_json:
        say(f"Check your work with: grader check FILE --assignment {path}")


def _tell(path: Path, reply: Reply, *, as_json: bool) -> None:
    if as_json:
        print_json({"file": str(path), "bytes": len(reply.data)})
        return
    say(f"Wrote {path}.")
