"""Following a submission on a server until it is graded."""

from __future__ import annotations

from time import sleep

from rich.live import Live
from rich.text import Text

from grader.cli.output import asides
from grader.cli.remote.answers.submissions import Progress
from grader.cli.remote.client import Client
from grader.domain import results
from grader.domain.results import Stage
from grader.domain.text import one_line
from grader.presentation.words import counted, progress_text, wait_text

LOOK_EVERY_S = 1.0


def wait_for(client: Client, submission_id: str) -> Progress:
    """Ask again and again until the attempt has ended; on a log, only the turns of events are a line."""
    say = asides()
    last = ""
    with Live(console=say, transient=True, auto_refresh=False) as live:
        while True:
            progress = client.get("submissions", submission_id, "progress").of(Progress)
            if progress.final:
                return progress
            if say.is_terminal:
                live.update(Text(progress_words(progress)), refresh=True)
            elif progress.stage.value != last:
                say.print(Text(progress_words(progress)), soft_wrap=True)
                last = progress.stage.value
            sleep(LOOK_EVERY_S)


def progress_words(progress: Progress) -> str:
    """How far grading is, in a line.

    >>> from grader.domain.attempts import AttemptState
    >>> progress_words(Progress(attempt=1, state=AttemptState.QUEUED, final=False, stage=Stage.QUEUED,
    ...     ahead=2, running=1, wait_s=11.7, done=0, total=0, check=""))
    'waiting: 2 submissions ahead, about 12 s'
    """
    if progress.stage is not Stage.QUEUED:
        step = results.Progress(
            stage=progress.stage,
            check_id=one_line(progress.check, 80) or None,
            done=progress.done,
            total=progress.total,
        )
        return progress_text(step)
    ahead = "" if progress.ahead is None else f": {_ahead_words(progress.ahead)}"
    wait = "" if progress.wait_s is None else f", about {wait_text(progress.wait_s)}"
    return f"waiting{ahead}{wait}"


def _ahead_words(ahead: int) -> str:
    return f"{counted(ahead, 'submission')} ahead" if ahead else "next in line"
