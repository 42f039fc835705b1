"""Whole-body control of anything: torques are finite and within their limits, what is wrong is named."""

import pickle
from copy import copy, deepcopy

import numpy as np
import pytest
from tests.control.whole_body.stances import PLACES, contacts_at, residual, standing_tasks

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.errors import ArgumentError, NonFiniteError, TarsusError, UnknownNameError

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


def test_states_too_large_for_rounding_get_a_status_that_recordings_know():
    """The solver called a program unbounded that small weights of accelerations bound."""
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    body = WholeBody(model, standing_tasks(model, q), contacts_at(model, q, ["l_sole", "r_sole"]))
    for size in (1e3, 1e6, 1e12, 1e20):
        command = body.solve(q, np.full(model.nv, size))
        assert command.status in STATUSES and not command.success, command.status
        assert "falls for ever" not in command.reason
        assert np.isfinite(command.tau).all() and (np.abs(command.tau) <= model.tau_max).all()


def other_tasks(model, q):
    return [ts.tasks.CenterOfMass(np.add(ts.center_of_mass(model, q), [0, 0, 0.05])), ts.tasks.Posture(q)]


@pytest.mark.parametrize("copied", [copy, deepcopy, lambda body: pickle.loads(pickle.dumps(body))])
def test_a_copy_commands_the_same_and_goes_its_own_way(copied):
    """Copies shared the native step: other targets of one moved the other by 46 N m; deep ones were refused."""
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    tasks = standing_tasks(model, q)
    body = WholeBody(model, tasks, contacts_at(model, q, ["l_sole", "r_sole"]))
    tau = body.solve(q, v).tau
    twin = copied(body)
    np.testing.assert_array_equal(twin.solve(q, v).tau, tau)
    twin.update(tasks=[tasks[0].with_target(target=np.add(ts.center_of_mass(model, q), [0, 0, 0.05])), *tasks[1:]])
    assert np.abs(twin.solve(q, v).tau - tau).max() > 1.0
    np.testing.assert_array_equal(body.solve(q, v).tau, tau)


@pytest.mark.parametrize(
    "change",
    [
        lambda model, q: {"tasks": other_tasks(model, q), "contacts": [Contact("nowhere")]},
        lambda model, q: {"tasks": [*other_tasks(model, q)[:1], ts.tasks.Posture(q, velocity=np.zeros(3))]},
        lambda model, q: {"tasks": [*other_tasks(model, q), 3]},
        lambda model, q: {"contacts": 3},
    ],
)
def test_an_update_that_is_refused_changes_nothing(change):
    """Tasks were those of the refused call, while commands were still made for the others."""
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    body = WholeBody(model, standing_tasks(model, q), contacts_at(model, q, ["l_sole", "r_sole"]))
    before, tasks, contacts = body.solve(q, v).tau, body.tasks, body.contacts
    with pytest.raises(TarsusError):
        body.update(**change(model, q))
    assert body.tasks == tasks and body.contacts == contacts
    np.testing.assert_array_equal(body.solve(q, v).tau, before)
    np.testing.assert_array_equal(body.alike().solve(q, v).tau, before)


def test_numbers_of_torque_limits_that_are_none_are_named():
    model = ts.robots.hrp2()
    limits = np.array(model.tau_max)
    limits[7] = np.nan
    with pytest.raises(ArgumentError, match="torque_limits: found nan at index 7"):
        WholeBody(model, standing_tasks(model, model.reference), torque_limits=limits)
