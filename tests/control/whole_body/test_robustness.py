"""Whole-body control of anything: torques are finite and within their limits, what is wrong is named."""

import numpy as np
import pytest
from tests.control.whole_body.stances import PLACES, contacts_at, residual, standing_tasks

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.errors import ArgumentError, NonFiniteError, UnknownNameError

STATUSES = {"solved", "limits-missed", "infeasible", "iteration-limit", "inaccurate", "contradictory", "singular"}


@pytest.mark.parametrize("strict", [False, True])
def test_torques_are_finite_and_within_limits_in_absurd_states_with_absurd_wishes(strict):
    model = ts.robots.hrp2()
    rng = np.random.default_rng(17)
    found = set()
    for number in range(25):
        q = model.integrate(model.reference, 2.0 * rng.normal(size=model.nv))
        v = 10.0 ** rng.uniform(-1, 2) * rng.normal(size=model.nv)
        names = [name for name in PLACES if rng.random() < 0.5]
        force = float(rng.uniform(0.0, 3000.0)) if number % 2 else 0.0
        contacts = contacts_at(model, q, names, min_force=force, friction=float(10.0 ** rng.uniform(-3, 1)))
        if names and number % 3 == 0:
            contacts.append(Contact(names[0], PLACES[names[0]], pose=ts.pose(rng.normal(size=3))))
        tasks = standing_tasks(model, model.reference)
        tasks.append(ts.tasks.Position("l_hand", 100.0 * rng.normal(size=3), weight=1e3, gain=100.0))
        limits = np.where(model.actuated, 10.0 ** rng.uniform(-2, 3), np.inf)
        body = WholeBody(model, [[t] for t in tasks] if strict else tasks, contacts, torque_limits=limits)
        command = body.solve(q, v)
        found.add(command.status)
        assert command.status in STATUSES and command.reason
        assert np.isfinite(command.tau).all() and (np.abs(command.tau) <= limits).all()
        assert (command.tau[:6] == 0.0).all()
        if command.success:
            assert residual(model, q, v, command) < 1e-6
    assert len(found) > 1


def test_numbers_that_are_none_are_named_with_their_place():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    body = WholeBody(model, standing_tasks(model, q), contacts_at(model, q, ["l_sole"]))
    for name, place, value in (("q", 9, np.nan), ("v", 3, np.inf), ("v", 0, np.nan)):
        state = {"q": q.copy(), "v": v.copy()}
        state[name][place] = value
        with pytest.raises(NonFiniteError, match=rf"^{name}\b.*{place}"):
            body.solve(**state)


def test_unknown_frames_are_named_where_they_are_given():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    tasks = standing_tasks(model, q)
    with pytest.raises(UnknownNameError, match=r"frame 'l_hnd' of Position not found.*'l_hand'"):
        WholeBody(model, [*tasks, ts.tasks.Position("l_hnd", [0, 0, 0])])
    body = WholeBody(model, tasks)
    with pytest.raises(UnknownNameError, match=r"frame 'l_sol' of a contact not found.*'l_sole'"):
        body.update(contacts=[Contact("l_sol")])
    assert body.contacts == ()


def test_arrays_where_one_number_is_meant_are_refused_by_name():
    model = ts.robots.hrp2()
    many = np.ones(3)
    with pytest.raises(ArgumentError, match="gain of CenterOfMass"):
        ts.tasks.CenterOfMass(np.zeros(3), gain=many)
    with pytest.raises(ArgumentError, match="acceleration_weight"):
        WholeBody(model, [], acceleration_weight=many)
    with pytest.raises(ArgumentError, match="margin is"):
        WholeBody(model, [], margin=many)
