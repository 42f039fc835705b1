"""Ways between stances: contacts hold all along, and what does not is named."""

from dataclasses import replace

import numpy as np
import pytest
from tests.control.whole_body.stances import contacts_at

import tarsus as ts
from tarsus.control import Place, Release, first_stance, stance_sequence, static_equilibrium, transfer, transfers
from tarsus.control.whole_body.terms import slip
from tarsus.errors import TarsusError

TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def step():
    """hrp2 steps 20 cm ahead with its right foot."""
    model = ts.robots.hrp2()
    start = first_stance(model, model.reference, contacts_at(model, model.reference, ["l_sole", "r_sole"]))
    X = np.array(start.contacts[1].pose)
    X[0, 3] += 0.2
    changes = [Release("r_sole"), Place(replace(start.contacts[1], pose=X))]
    return model, stance_sequence(model, start, changes).stances


def test_contacts_and_balance_hold_along_the_way(step):
    model, stances = step
    for way, before, after in zip(transfers(model, stances, points=8), stances, stances[1:], strict=False):
        assert way.success, way.reason
        np.testing.assert_allclose(model.difference(way.q[0], before.q), 0.0, atol=1e-9)
        np.testing.assert_allclose(model.difference(way.q[-1], after.q), 0.0, atol=1e-3)
        for q, load in zip(way.q, way.loads, strict=True):
            for contact in before.contacts:
                assert np.abs(slip(contact, ts.frame_pose(model, q, contact.frame))).max() < TOLERANCE
            assert static_equilibrium(model, q, before.contacts).load == load <= way.load <= 0.9 + 1e-6


def test_a_limb_goes_up_across_and_down(step):
    model, stances = step
    way = transfer(model, stances[1], stances[2], points=20, lift=0.06)
    places = np.array([ts.frame_pose(model, q, "r_sole")[:3, 3] for q in way.q])
    assert abs(places[:, 2].max() - 0.06) < 1e-3 and (places[:, 2] > -TOLERANCE).all()
    early = places[:, 0] < places[0, 0] + 1e-4
    assert early[:4].all() and not early[8:].any()
    assert np.abs(np.diff(places[-4:, 0])).max() < 1e-4


def test_where_a_way_ends_is_told(step):
    model, stances = step
    weak = transfer(model, stances[0], stances[1], points=5, load=1e-6)
    assert not weak.success and "% of the way" in weak.reason and "torque" in weak.reason
    assert len(weak.q) < 6
    far = replace(stances[1], q=model.integrate(stances[1].q, np.full(model.nv, 2.0), 1.0))
    leap = transfer(model, stances[0], far, points=1)
    assert not leap.success and "jumps" in leap.reason
    with pytest.raises(TarsusError, match="points"):
        transfer(model, stances[0], stances[1], points=0)
