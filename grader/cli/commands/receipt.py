"""`grader receipt`: proofs of what was handed in."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands import Panel, examples
from grader.cli.commands.options import AsJson, Course, Server, Submission

receipts = typer.Typer(no_args_is_help=True, help="Fetch and check the proof of a submission.")


def register(app: typer.Typer) -> None:
    """Add the commands to the root."""
    app.add_typer(receipts, name="receipt", rich_help_panel=Panel.STUDENT)


@receipts.command(
    "verify",
    epilog=examples(
        "grader receipt verify receipt.json --file submission.py --server https://grader.example.edu",
        "grader receipt verify receipt.json --key 1f0c…",
    ),
)
def verify(
    receipt: Annotated[
        Path, typer.Argument(metavar="FILE", help="A signed receipt, as downloaded.", show_default=False)
    ],
    *,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--file", metavar="FILE", help="Also check that this file was handed in.", show_default=False
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            metavar="HEX",
            help="The server's public key, 64 hexadecimal digits; then nothing is fetched.",
            show_default="the one remembered for its server, or fetched if you are logged in there",
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            "--server",
            metavar="URL",
            help="The server to trust; its key is fetched once and remembered.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that a receipt was signed by the server and not changed since.

    Exit code 0: it is genuine, and so are the files; 1: it is not, and why.
    """
    from grader.cli.receipts import verify

    verify(receipt, files=tuple(files or ()), key=key, server=server, as_json=as_json)


@receipts.command(
    "download",
    epilog=examples(
        "grader receipt download functional-core/2", "grader receipt download 7f3c2a -o receipt.json"
    ),
)
def download(
    submission: Submission,
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to.",
            show_default="here, as ASSIGNMENT-NUMBER-receipt.json",
        ),
    ] = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Fetch a submission's signed receipt from the server."""
    from grader.cli.remote.downloads import receipt

    receipt(server, typed=submission, out=out, course=course, as_json=as_json)
