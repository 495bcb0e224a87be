"""`python -m grader.cli`: the command line by interpreter, for processes that we start ourselves."""

from grader.cli.main import main

main()
