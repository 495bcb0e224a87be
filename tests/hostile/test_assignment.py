"""The suite's own assignment is one that could be published: it can be earned, and every mutant is caught."""

from __future__ import annotations

import pytest

from grader.content.assignments import read_assignment
from grader.engine import Engine
from grader.services.gate import inspect
from tests.hostile.grading import ASSIGNMENT
