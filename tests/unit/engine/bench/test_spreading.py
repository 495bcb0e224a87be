"""Programs for several devices run on as many simulated ones, and tell where their results lie."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Mapping

import numpy as np
import pytest

from grader.domain.errors import ProgramRefused
from grader.engine.bench import client
from grader.engine.bench.answers import Refusal
from grader.engine.layouts import WHOLE, Layout, LayoutKind
from tests.unit.engine.bench.local import LocalBench, exported, leaves

# The process that exports has four devices; this one has as many as JAX gave it.
EXPORTING = """
import base64, json
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_num_cpu_devices", 4)
from jax import export, lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("rows",))
rows = NamedSharding(mesh, P("rows"))
def over_rows(f):
    return jax.shard_map(f, mesh=mesh, in_specs=P("rows"), out_specs=P("rows"))
PROGRAMS = {
    "automatic": lambda x: x - x.mean(axis=0),
    "reduced": lambda x: x.sum(axis=0),
    "communicating": over_rows(lambda x: x - lax.pmean(x.mean(axis=0), "rows")),
    "numbered": over_rows(lambda x: x + lax.axis_index("rows")),
    "calling back": over_rows(lambda x: lax.psum_scatter(lax.all_gather(x, "rows", tiled=True), "rows",
                                                        tiled=True) / 4),
}
x = jax.ShapeDtypeStruct((8, 3), jnp.float32, sharding=rows)
told = {name: export.export(jax.jit(f))(x).serialize() for name, f in PROGRAMS.items()}
print(json.dumps({name: base64.b64encode(blob).decode() for name, blob in told.items()}))
"""

BENCH = LocalBench()
X = np.arange(24, dtype=np.float32).reshape(8, 3)
SPLIT = Layout(kind=LayoutKind.SPLIT)


@pytest.fixture(scope="module")
def programs() -> Mapping[str, bytes]:
    done = subprocess.run(
        [sys.executable, "-c", EXPORTING], capture_output=True, check=True, text=True, timeout=120
    )
    return {name: base64.b64decode(blob) for name, blob in json.loads(done.stdout).items()}


@pytest.mark.parametrize(
    "name, expected, layout",
    [
        ("automatic", X - X.mean(axis=0), SPLIT),
        ("reduced", X.sum(axis=0), WHOLE),
        ("communicating", X - X.mean(axis=0), SPLIT),
        ("numbered", X + np.repeat(np.arange(4), 2)[:, None], SPLIT),
        ("calling back", X, SPLIT),
    ],
)
def test_values_are_those_of_one_device_and_places_are_told(
    programs: Mapping[str, bytes], name: str, expected: np.ndarray, layout: Layout
):
    done = client.evaluate_spread(BENCH, programs[name], leaves([X]), [SPLIT])
    found = done.outputs[0].array
    assert found is not None
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert done.devices == 4
    assert done.places[0].fits(layout, expected.shape, devices=4)


def test_a_program_for_one_device_runs_on_one():
    done = client.evaluate_spread(BENCH, exported(lambda x: x * 2, X), leaves([X]), [None])
    assert (done.devices, done.places[0].devices) == (1, (0,))


def test_a_program_for_several_devices_is_refused_where_one_is_meant(programs: Mapping[str, bytes]):
    with pytest.raises(ProgramRefused) as refused:
        client.evaluate(BENCH, programs["automatic"], [leaves([X])])
    assert refused.value.code == Refusal.DEVICES
