"""What an operator may demand of the seal, and how a slip is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.domain.errors import ConfigurationInvalid
from grader.engine.demands import ALWAYS, GROUPS, REQUIRED, Demands
from grader.engine.policy import Layer


def read(**values: str) -> Demands:
    return Demands.from_environment(values)


def test_without_a_setting_what_always_is_demanded_is():
    assert read() == Demands(required=ALWAYS, groups=())


def test_a_demand_adds_to_those_that_always_are():
    demanded = read(**{REQUIRED: "control group,  private   Root"}).required
    assert demanded == ALWAYS | {Layer.CONTROL_GROUP, Layer.PRIVATE_ROOT}


def test_nothing_can_take_the_filter_away():
    assert Layer.SECCOMP in read(**{REQUIRED: "Landlock"}).required


def test_all_is_every_layer():
    assert read(**{REQUIRED: "all"}).required == frozenset(Layer)


def test_a_layer_that_is_none_is_named_with_the_one_that_was_meant():
    with pytest.raises(ConfigurationInvalid, match=r"no layer 'landlok'.*landlock"):
        read(**{REQUIRED: "landlok"})


def test_groups_are_folders_by_colon():
    assert read(**{GROUPS: "/a/b:/c"}).groups == (Path("/a/b"), Path("/c"))


def test_a_relative_group_is_refused():
    with pytest.raises(ConfigurationInvalid, match="no absolute path"):
        read(**{GROUPS: "grader"})
