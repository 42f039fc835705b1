"""Grounds to walk on."""

import pickle

import numpy as np
import pytest
from simulation.bodies import particle

import tarsus as ts
from tarsus.contact import Compliant
from tarsus.walking import Stairs
from tarsus.walking.walker.terrain import flight, kerbs, ramp

SUNK = 1e-3
"""How far 1 kg sinks into the default ground, with room [m]."""


def rests(ground, x, above=0.05, force=0.0):
    """Where a mass comes to rest that is let down at x from a height, and pushed along x by a force, shape (2,) [m]."""
    model = particle()
    contacts = [ts.contact.ContactPoint("point", "point")]
    tau = np.array([force, 0.0, 0.0])
    start = [x, 0.0, above]
    run = ts.simulate(
        model, start, duration=2.0, ground=ground, contacts=contacts, controller=lambda t, q, v: tau, dt=2e-4
    )
    return run.q[-1, [0, 2]]


@pytest.mark.parametrize(
    ("height", "tops"), [(0.03, [0.0, 0.03, 0.0, 0.03, 0.03]), (-0.03, [0.0, -0.03, 0.0, -0.03, -0.03])]
)
def test_kerbs_go_up_and_down_where_they_were_told_to(height, tops):
    ground = kerbs(height, start=1.0, every=0.5, count=3)
    found = [rests(ground, x)[1] for x in (0.5, 1.25, 1.75, 2.25, 9.0)]
    np.testing.assert_allclose(found, tops, atol=SUNK)


@pytest.mark.parametrize(("height", "x", "level"), [(0.03, 0.9, 0.0), (-0.03, 1.4, -0.03)])
def test_what_is_pressed_against_a_kerb_stands_on_the_ground_before_it(height, x, level):
    """Its point is a little inside the kerb; where the lower ground ended at the kerb, it sank."""
    along, up = rests(kerbs(height, start=1.0, every=0.5, law=Compliant(friction=0.1)), x, level + 1e-3, force=5.0)
    assert along == pytest.approx(1.0 if height > 0 else 1.5, abs=SUNK)
    assert up == pytest.approx(level, abs=SUNK)


@pytest.mark.parametrize(
    ("ground", "name", "start"),
    [(ramp(0.1, start=2.0), "ramp", 2.0), (kerbs(0.03), "kerbs", 1.0), (flight(Stairs(2, 0.1, 0.3)), "stairs", None)],
)
def test_grounds_know_where_they_are_not_level_any_more(ground, name, start):
    for one in (ground, pickle.loads(pickle.dumps(ground))):
        assert one.name == name and one.start == (Stairs(2, 0.1, 0.3).start if start is None else start)
        assert len(one.surfaces) == len(ground.surfaces) > 1
