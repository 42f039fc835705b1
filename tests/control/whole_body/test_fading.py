"""Tasks and contacts that come and go: torques without jumps, everything else kept on the way."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from tests.control.whole_body.stances import CORNERS, contacts_at, standing_tasks

import tarsus as ts
from tarsus.control import Fading, WholeBody
from tarsus.errors import ArgumentError, TarsusError

STEP = 1e-3
SMALL = 0.01
"""Largest change of a torque between steps of 1 ms while something fades, as a part of its limit."""


def largest_changes(model, torques):
    """Largest change of any torque in each step, as a part of its limit."""
    return (np.abs(np.diff(torques, axis=0))[:, 6:] / model.tau_max[6:]).max(axis=1)


class Script:
    """One foot is released, lifted and put down again, in a simulation; then an arm is asked for something and not."""

    times = {"release": 0.05, "made": 0.75, "task": 0.9, "no task": 1.05, "end": 1.2}

    def __init__(self, faded):
        self.model = model = ts.robots.hrp2()
        q = np.array(model.reference)
        com, left = ts.center_of_mass(model, q), ts.frame_pose(model, q, "l_sole")[:3, 3]
        self.start = ts.ik.solve(
            model,
            [
                ts.tasks.CenterOfMass([com[0], 0.95 * left[1], com[2]]),
                ts.tasks.Orientation("BODY", np.eye(3)),
                *(ts.tasks.FramePose(f"{s}_sole", ts.frame_pose(model, q, f"{s}_sole")) for s in "lr"),
            ],
            q,
        ).q
        self.feet = contacts_at(model, self.start, ["l_sole", "r_sole"], pressure_margin=0.01)
        self.always = standing_tasks(model, self.start)
        self.sole = ts.frame_pose(model, self.start, "r_sole")
        hand = ts.frame_pose(model, self.start, "r_hand")[:3, 3]
        self.reach = ts.tasks.Position("r_hand", np.add(hand, [0.15, 0.0, 0.15]), weight=3.0)
        body = WholeBody(model, self.always, self.feet)
        self.controller = Fading(body, duration=0.1, unloading=0.1) if faded else body
        self.torques, self.told, self.height, self.load = [], set(), [], []

    def __call__(self, observation):
        t, at = observation.t, self.times
        tasks, lifted = list(self.always), at["release"] <= t < at["made"]
        if lifted:
            x = np.clip((t - 0.3) / 0.25, 0.0, 1.0)  # up at the beginning, down at the end
            way = 0.02 * (1.0 - x * x * (3.0 - 2.0 * x))
            tasks.append(ts.tasks.FramePose("r_sole", ts.pose(self.sole[:3, 3] + [0, 0, way]), weight=5.0, gain=25.0))
        if at["task"] <= t < at["no task"]:
            tasks.append(self.reach)
        self.controller.update(tasks=tasks, contacts=self.feet[:1] if lifted else self.feet)
        where = (t,) if isinstance(self.controller, Fading) else ()
        command = self.controller.solve(*where, observation.q, observation.v)
        self.torques.append(command.tau)
        self.told.add(command.status)
        self.height.append(ts.frame_pose(self.model, observation.q, "r_sole")[2, 3])
        self.load.append(observation.wrench("r_sole")[2])
        return command.tau

    def run(self):
        ts.simulate(
            self.model, self.start, duration=self.times["end"], ground=ts.contact.flat(), controller=self, dt=STEP
        )
        changes = largest_changes(self.model, np.array(self.torques))
        return {
            name: changes[round(self.times[name] / STEP) - 1 : round(until / STEP) - 1].max()
            for name, until in (("release", 0.3), ("made", 0.9), ("task", 1.05), ("no task", 1.2))
        }


def test_a_foot_is_released_and_made_and_a_task_comes_and_goes_without_jumps_of_torque():
    script = Script(faded=True)
    changes = script.run()
    assert script.told == {"solved"}
    assert max(script.height) > 0.01 and script.load[round(0.35 / STEP)] == 0.0  # it was in the air
    assert script.load[round(0.05 / STEP)] > 10.0 and script.load[-1] > 10.0
    assert max(changes.values()) < SMALL, changes
    plain = Script(faded=False).run()
    assert plain["release"] > 0.5
    for name in changes:
        assert plain[name] > 5.0 * SMALL, (name, plain)
        assert plain[name] > 10.0 * changes[name], (name, plain, changes)


def standing(strict=False):
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    feet, tasks = contacts_at(model, q, ["l_sole", "r_sole"]), standing_tasks(model, q)
    return model, q, v, feet, [[task] for task in tasks] if strict else tasks


@pytest.mark.parametrize("strict", [False, True])
def test_what_is_between_two_programs_keeps_the_equations_of_motion_and_ends_at_the_second(strict):
    model, q, v, feet, tasks = standing(strict)
    hand = ts.tasks.Position("l_hand", ts.frame_pose(model, q, "l_hand")[:3, 3] + 0.1)
    after = [*tasks, [hand]] if strict else [*tasks, hand]
    fading = Fading(WholeBody(model, tasks, feet), duration=0.1)
    first = fading.solve(0.0, q, v)
    assert fading.settled
    np.testing.assert_array_equal(first.tau, WholeBody(model, tasks, feet).solve(q, v).tau)
    fading.update(tasks=after)
    ends = first.tau, WholeBody(model, after, feet).solve(q, v).tau
    for t, share in ((1.0, 0.0), (1.05, 0.5), (1.1, 1.0)):
        command = fading.solve(t, q, v)
        assert command.success and fading.settled == (share == 1.0)
        np.testing.assert_allclose(command.tau, (1 - share) * ends[0] + share * ends[1], atol=1e-9)
        wrenches = ts.body_wrenches(model, q, command.wrenches)
        needed = ts.inverse_dynamics(model, q, v, command.vdot, external=wrenches, passive=True)
        assert np.abs(needed - command.tau).max() < 1e-6


def test_a_contact_is_unloaded_before_it_is_dropped():
    model, q, v, feet, tasks = standing()
    fading = Fading(WholeBody(model, tasks, feet), duration=0.1, unloading=0.2)
    carried = fading.solve(0.0, q, v).wrenches["r_sole"][2]
    fading.update(contacts=feet[:1])
    assert fading.solve(1.0, q, v).wrenches["r_sole"][2] == pytest.approx(carried, rel=1e-6)
    assert fading.released == ("r_sole",)
    half = fading.solve(1.1, q, v)
    assert half.wrenches["r_sole"][2] == pytest.approx(0.5 * carried, rel=1e-6)
    foot = ts.jacobian(model, q, "r_sole") @ half.vdot
    np.testing.assert_allclose(foot, 0.0, atol=1e-8)  # it still stays
    gone = fading.solve(1.2 - 1e-9, q, v).wrenches["r_sole"]
    np.testing.assert_allclose(gone, 0.0, atol=1e-3)
    last = fading.solve(1.21, q, v)
    assert fading.released == () and not fading.settled
    np.testing.assert_allclose(last.wrenches["r_sole"], 0.0, atol=1e-6)
    settled = fading.solve(1.4, q, v)
    assert fading.settled and "r_sole" not in settled.wrenches
    np.testing.assert_allclose(settled.tau, WholeBody(model, tasks, feet[:1]).solve(q, v).tau, atol=1e-9)


def test_changes_that_follow_on_each_other_do_not_jump():
    """Every few milliseconds another set of contacts and tasks, at a state that stays."""
    model, q, v, feet, tasks = standing()
    hand = ts.tasks.Position("l_hand", ts.frame_pose(model, q, "l_hand")[:3, 3] + 0.1)
    heavy = replace(tasks[2], weight=2.0)
    wishes = [(tasks, feet), ([*tasks, hand], feet[:1]), ([*tasks[:2], heavy], feet), (tasks, feet[1:]), (tasks, feet)]
    fading, torques, t = Fading(WholeBody(model, tasks, feet)), [], 0.0
    rng = np.random.default_rng(2)
    for _ in range(12):
        some, contacts = wishes[rng.integers(len(wishes))]
        fading.update(tasks=some, contacts=contacts)
        for _ in range(int(rng.integers(3, 60))):
            torques.append(fading.solve(t, q, v).tau)
            t += 5 * STEP
    assert largest_changes(model, np.array(torques)).max() < 5 * SMALL


def test_targets_that_move_are_taken_at_once():
    model, q, v, feet, tasks = standing()
    fading = Fading(WholeBody(model, tasks, feet))
    fading.solve(0.0, q, v)
    moved = [ts.tasks.CenterOfMass(ts.center_of_mass(model, q) + 0.01, weight=10.0, gain=5.0), *tasks[1:]]
    fading.update(tasks=moved)
    np.testing.assert_array_equal(fading.solve(0.001, q, v).tau, WholeBody(model, moved, feet).solve(q, v).tau)


def test_bad_input_of_fading_is_named():
    model, _, _, feet, tasks = standing()
    body = WholeBody(model, tasks, feet)
    for call, word in (
        (lambda: Fading(model), "body of Fading"),
        (lambda: Fading(body, duration=0.0), "duration"),
        (lambda: Fading(body, unloading=np.nan), "unloading"),
        (lambda: Fading(body).update(tasks=[ts.tasks.Position("l_hnd", [0, 0, 0])]), "l_hand"),
        (lambda: Fading(body).update(contacts=[CORNERS]), "contacts holds"),
    ):
        with pytest.raises(TarsusError, match=word):
            call()


def test_another_run_begins_without_fading():
    model, q, v, feet, tasks = standing()
    fading = Fading(WholeBody(model, tasks, feet))
    fading.solve(5.0, q, v)
    fading.update(contacts=feet[:1])
    again = fading.solve(0.0, q, v)
    assert fading.settled
    np.testing.assert_array_equal(again.tau, WholeBody(model, tasks, feet[:1]).solve(q, v).tau)


def test_bounds_of_contacts_that_fade_are_between_those_of_the_programs():
    model, q, v, feet, tasks = standing()
    fading = Fading(WholeBody(model, tasks, feet[:1]), duration=0.1)
    fading.solve(0.0, q, v)
    fading.update(contacts=[feet[0], feet[1].with_force(400.0, 100.0)])
    for t, share in ((1.0, 0.0), (1.05, 0.5), (1.1, 1.0)):
        command = fading.solve(t, q, v)
        bounds = {contact.frame: (contact.min_force, contact.max_force) for contact in fading.followed}
        assert bounds["r_sole"] == pytest.approx((100.0 * share, 400.0 * share))
        assert 100.0 * share - 1e-6 <= command.wrenches["r_sole"][2] <= 400.0 * share + 1e-6


@pytest.mark.parametrize("t", [np.nan, np.inf, "now", np.zeros(2)])
def test_times_that_are_none_are_refused(t):
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    fading = Fading(WholeBody(model, standing_tasks(model, q), contacts_at(model, q, ["l_sole"])))
    with pytest.raises(ArgumentError, match="t of Fading.solve"):
        fading.solve(t, q, np.zeros(model.nv))


def test_a_copy_in_the_middle_of_a_fade_goes_on_by_itself():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    feet = contacts_at(model, q, ["l_sole", "r_sole"])
    fading = Fading(WholeBody(model, standing_tasks(model, q), feet), duration=0.2, unloading=0.2)
    fading.solve(0.0, q, v)
    fading.update(contacts=feet[:1])
    fading.solve(0.05, q, v)
    twin = deepcopy(fading)
    np.testing.assert_allclose(twin.solve(0.1, q, v).tau, fading.solve(0.1, q, v).tau, atol=1e-6)
    twin.update(contacts=feet)
    twin.solve(0.11, q, v)
    fading.solve(0.11, q, v)
    assert fading.released == ("r_sole",) and not twin.released


def test_an_update_that_is_refused_changes_nothing():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    fading = Fading(WholeBody(model, standing_tasks(model, q), contacts_at(model, q, ["l_sole"])), duration=0.2)
    levels, contacts = fading.levels, fading.contacts
    with pytest.raises(TarsusError, match="nowhere"):
        fading.update(tasks=[ts.tasks.Posture(q)], contacts=[replace(contacts[0], frame="nowhere")])
    assert fading.levels == levels and fading.contacts == contacts
