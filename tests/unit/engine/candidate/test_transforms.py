"""Functions under transformations and settings, as a request asks for them."""

from __future__ import annotations

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from grader.engine.candidate.conditions import Condition, under
from grader.engine.candidate.transforms import chained, gradient, mapped_over, scanned, transformed


def test_a_gradient_is_that_of_the_sum_of_all_floating_results():
    f = transformed(lambda x, n: {"a": x**2, "b": (3 * x, n)}, gradient(wrt=0))
    np.testing.assert_allclose(f(jnp.array([1.0, 2.0]), 1), [5.0, 7.0])


def test_rows_may_lie_along_any_axis():
    f = transformed(lambda x, y: x.sum() + y, mapped_over({0: 1}))
    np.testing.assert_allclose(f(jnp.arange(6.0).reshape(2, 3), 1.0), [4.0, 6.0, 8.0])


def test_transformations_apply_one_after_the_other():
    f = transformed(lambda w, x: (w * x) ** 2, chained([gradient(wrt=0), mapped_over({1: 0})]))
    np.testing.assert_allclose(f(1.0, jnp.array([1.0, 2.0])), [2.0, 8.0])


def test_a_scan_takes_further_arguments_as_they_are():
    f = transformed(lambda carry, x, scale: (carry + x * scale, carry), scanned())
    end, outputs = f(jnp.float32(0), jnp.array([1.0, 2.0]), 10.0)
    assert (float(end), outputs.tolist()) == (30.0, [0.0, 10.0])


def test_a_replaced_grad_is_not_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jax, "grad", lambda *_, **__: pytest.fail("the submission's own grad was used"))
    assert transformed(lambda x: x * x, gradient(wrt=0))(3.0) == 6.0


def test_requests_for_transformations_are_json():
    asked = chained([gradient(wrt=1), mapped_over({2: 0, 0: 1}), scanned()])
    assert json.loads(json.dumps(asked)) == asked


def test_an_unknown_transformation_is_refused():
    with pytest.raises(ValueError, match="no transformation is called 'pmap'"):
        transformed(lambda x: x, {"kind": "pmap"})


def test_settings_hold_inside_alone():
    with under([Condition.X64, Condition.STRICT_PROMOTION]):
        assert jnp.zeros(1).dtype == np.float64
        with pytest.raises(ValueError, match="promotion"):
            jnp.zeros(1, jnp.float32) + jnp.zeros(1, jnp.bfloat16)
    assert jnp.zeros(1).dtype == np.float32


def test_an_unknown_setting_is_refused():
    with pytest.raises(ValueError, match="x32"), under(["x32"]):
        pass
