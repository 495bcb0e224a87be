# Everything a person types. `make` alone explains itself.
#
# A target that needs the environment depends on a stamp in .venv; pip runs only when pyproject.toml or constraints.txt
# is newer than the stamp, or when the folder was moved.

.DEFAULT_GOAL := help
.PHONY: help demo up test test-browser screenshots check bench calibrate stability attack fuzz clean FORCE

PYTHON ?=
BIN := .venv/bin
PYTEST_ARGS ?=
TEST_JOBS ?= 2
BENCH_ARGS ?=
CALIBRATE_ARGS ?=
STABILITY_ARGS ?=
ATTACK_ARGS ?=
FUZZ_ARGS ?=
SCREENSHOTS_ARGS ?=

export PYTHON

ifneq ($(wildcard .venv/.made-in),)
ifneq ($(shell cat .venv/.made-in),$(CURDIR))
MOVED := FORCE
endif
endif

help:
	@echo 'An automated grader for JAX courses. Commands:'
	@echo
	@echo '  make demo    grade sample submissions through a real queue, and show what their authors read'
	@echo '  make up      start the grader on this machine: database, broker, worker, web pages; ends with Ctrl-C'
	@echo '  make test    run every test                        (PYTEST_ARGS="-k purity" runs some,'
	@echo '                                                     TEST_JOBS=0 one after the other)'
	@echo '  make test-browser  the story of a course, and every page, in a real Chromium; needs one, and some minutes'
	@echo '  make screenshots   pictures of every page, light and dark, wide and narrow, in build/screenshots'
	@echo '  make check   format, lint, types, dependency rules and spelling, as CI does'
	@echo '  make bench   measure what grading costs, beside plain calls in one warm interpreter'
	@echo '  make calibrate  grade the labelled submissions, and count wrong verdicts, causes and lines'
	@echo '  make stability  ask for speed verdicts and grades again and again, beside busy loops; none may change'
	@echo '  make attack  submit every attack of the hostile suite; nothing may be earned, left behind or changed'
	@echo '  make fuzz    try ten thousand damaged uploads, answers and programs; nothing may crash, hang or leak'
	@echo '  make clean   remove .venv, reports of the demo, caches, build output (never your submissions or settings)'
	@echo
	@echo 'The first of them makes .venv, which takes a minute or two; later ones start at once.'
	@echo 'PYTHON=/path/to/python3 names the Python to use (3.11 or newer); otherwise a fitting one is looked for.'

demo: .venv/.ready-demo
	@$(BIN)/grader demo

up: .venv/.ready-demo
	@$(BIN)/grader up

test: .venv/.ready-test
	@$(BIN)/python -m pytest -n $(TEST_JOBS) --dist loadfile $(PYTEST_ARGS)

test-browser: .venv/.ready-test
	@$(BIN)/python -m tests.browser.chromium
	@$(BIN)/python -m pytest tests/browser -m browser $(PYTEST_ARGS)

screenshots: .venv/.ready-test
	@$(BIN)/python -m tests.browser.chromium
	@$(BIN)/python -m tests.browser.screenshots $(SCREENSHOTS_ARGS)

check: .venv/.ready-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell

bench: .venv/.ready-test
	@$(BIN)/python -m tests.bench $(BENCH_ARGS)

calibrate: .venv/.ready-test
	@$(BIN)/python -m tests.calibration $(CALIBRATE_ARGS)

stability: .venv/.ready-test
	@$(BIN)/python -m tests.calibration.stability $(STABILITY_ARGS)

attack: .venv/.ready-test
	@$(BIN)/python -m tests.hostile $(ATTACK_ARGS)

fuzz: .venv/.ready-test
	@$(BIN)/python -m tests.hostile.fuzz $(FUZZ_ARGS)

clean:
	rm -rf .venv demo-reports build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment -------------------------------------------------------------------------------------------------

.venv/.ready-demo: pyproject.toml constraints.txt $(MOVED)
	@python=$$(sh .ci/setup/find-python.sh) && "$$python" .ci/setup/bootstrap.py demo

.venv/.ready-test: pyproject.toml constraints.txt $(MOVED)
	@python=$$(sh .ci/setup/find-python.sh) && "$$python" .ci/setup/bootstrap.py test
