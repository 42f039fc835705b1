"""Trajectories that tests of recordings share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sample_models import double_pendulum

import tarsus as ts

DT = 1e-3
"""Sampling interval [s]."""


def random_run(model: ts.Model | None = None, samples: int = 40, batch: tuple[int, ...] = (), **others: Any) -> Any:
    """Random arrays in every place of a trajectory."""
    rng = np.random.default_rng(7)
    model = double_pendulum().build() if model is None else model
    lead = (samples, *batch)
    force = rng.normal(size=(*lead, 2, 3))
    force[::3] = 0.0
    return ts.Trajectory(
        model,
        time=DT * np.arange(samples),
        q=model.random(rng, lead),
        v=rng.normal(size=(*lead, model.nv)),
        tau=rng.normal(size=(*lead, model.nv)),
        contacts=("left sole", "right sole"),
        contact_position=rng.normal(size=(*lead, 2, 3)),
        contact_force=force,
        energy={
            "kinetic": rng.normal(size=lead),
            "potential": rng.normal(size=lead),
            "actuator": rng.normal(size=lead),
        },
        signals={
            "imu/acceleration": rng.normal(size=(*lead, 3)),
            "stance": rng.random(lead) < 0.5,
            "step": rng.integers(0, 9, lead),
        },
        **{"metadata": {"controller": "PD", "gains": [170, 30.5], "note": None}, **others},
    )


def arrays(run: ts.Trajectory) -> dict[str, Any]:
    """All arrays of a trajectory by name."""
    plain = {name: getattr(run, name) for name in ("time", "q", "v", "tau", "contact_position", "contact_force")}
    parts = {f"energy {name}": value for name, value in run.energy.items()}
    return plain | parts | {f"signal {name}": value for name, value in run.signals.items()}


def assert_same(found: ts.Trajectory, expected: ts.Trajectory) -> None:
    """Equal in every bit."""
    a, b = arrays(found), arrays(expected)
    assert a.keys() == b.keys()
    for name in a:
        assert a[name].dtype == b[name].dtype, name
        assert a[name].shape == b[name].shape, name
        assert a[name].tobytes() == b[name].tobytes(), name
    assert found.contacts == expected.contacts
    assert found.metadata == expected.metadata


def append(recorder: ts.Recorder, run: ts.Trajectory) -> None:
    """Append a trajectory by the public arguments."""
    recorder.append(
        run.time,
        run.q,
        run.v,
        run.tau,
        contact_position=run.contact_position,
        contact_force=run.contact_force,
        energy=run.energy,
        signals=run.signals,
    )
