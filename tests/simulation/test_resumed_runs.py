"""Runs that go on where others ended: what they carry over, and what they refuse to go on with."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.constraints import Lock
from tarsus.contact import ContactPoint, Rigid, flat
from tarsus.errors import ArgumentError

INTEGRATED = 1e-6
"""[rad]; adaptive steps to 1e-8 begin anew where a run is resumed."""


def two_links() -> ts.Model:
    """An arm of two links that turn about y."""
    builder = ts.ModelBuilder("arm").add_link("ground")
    for name in ("upper", "fore"):
        builder.add_link(name, ts.Inertia.of_box(1.0, (0.4, 0.06, 0.06), com=(0.2, 0, 0)))
    builder.add_joint("shoulder", "revolute", "ground", "upper", axis=(0, 1, 0))
    builder.add_joint("elbow", "revolute", "upper", "fore", axis=(0, 1, 0), position=(0.4, 0, 0))
    return builder.build().with_frame("hand", "fore", ts.pose((0.4, 0, 0)))


LOCKING = {
    "dormand-prince": {"integrator": "dormand-prince"},
    "event-driven": {"ground": flat(Rigid(0.5), height=-5.0), "contacts": [ContactPoint("hand", "hand")]},
}


@pytest.mark.parametrize("method", LOCKING)
def test_a_lock_that_engaged_stays_engaged_when_a_run_is_resumed(method):
    model = two_links()
    options = {**LOCKING[method], "constraints": [Lock.of_joint(model, "elbow", 0.3, direction=-1)]}
    whole = ts.simulate(model, [-0.4, 0.8], [1.0, -2.0], duration=0.8, **options)
    first = ts.simulate(model, [-0.4, 0.8], [1.0, -2.0], duration=0.4, resumable=True, **options)
    second = ts.simulate(model, resume=first, duration=0.4, **options)
    assert first.signals["lock_engaged"][0] == 0 and first.signals["lock_engaged"][-1] == 1
    np.testing.assert_allclose(second.q[-1], whole.q[-1], atol=INTEGRATED)
    assert second.q[-1, 1] == pytest.approx(0.3, abs=INTEGRATED) and second.metadata["events"] == []


def test_a_lock_that_was_released_stays_released_when_a_run_is_resumed():
    model = two_links()
    lock = Lock.of_joint(model, "elbow", 0.8, engaged=True, direction=1, release=lambda t, q, v: t - 0.1)
    options = {"integrator": "dormand-prince", "constraints": [lock]}
    whole = ts.simulate(model, [-0.4, 0.8], [1.0, 0.0], duration=0.4, **options)
    first = ts.simulate(model, [-0.4, 0.8], [1.0, 0.0], duration=0.2, resumable=True, **options)
    second = ts.simulate(model, resume=first, duration=0.2, **options)
    assert abs(first.q[-1, 1] - 0.8) > 1e-3
    np.testing.assert_allclose(second.q[-1], whole.q[-1], atol=INTEGRATED)


def test_a_trajectory_that_does_not_tell_of_a_lock_is_not_resumed_with_one():
    model = two_links()
    first = ts.simulate(model, [-0.4, 0.8], duration=0.1, integrator="dormand-prince", resumable=True)
    lock = Lock.of_joint(model, "elbow", 0.3, direction=-1)
    with pytest.raises(ArgumentError, match="elbow"):
        ts.simulate(model, resume=first, duration=0.1, integrator="dormand-prince", constraints=[lock])
