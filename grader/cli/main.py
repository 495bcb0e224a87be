"""The entry point of the `grader` script; light, so that Ctrl-C is answered before the rest is imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an interrupt at any moment ends it in one line."""
    try:
        # The imports take most of a second, in which people do press Ctrl-C.
        from grader.cli.app import app  # noqa: PLC0415

        app(prog_name="grader")
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)  # noqa: T201 - nothing else may be imported yet
        sys.exit(130)
