"""A walk as one trajectory, its ground reactions, its table, its graph and its clouds."""

from dataclasses import replace

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.walking.feng.contacting_foot import FENG_CONTACTS, foot_points, support_model
from tarsus.walking.feng.found_gait import FENG_LAW
from tarsus.walking.feng.gait_graph import gait_graph, single_changes
from tarsus.walking.feng.ground_reaction import ground_reaction
from tarsus.walking.feng.phase_clouds import band, cloud_distance, mirrored_cloud, phase_cloud
from tarsus.walking.feng.walk import feng_walk
from tarsus.walking.feng.walk_step import Means, take_step
from tarsus.walking.feng.walk_table import slip_distance, walk_table
from tarsus.walking.feng.whole_walk import whole_walk

AUDIT = 1e-5
"""Of the total energy through all impacts and exchanges of 12 steps [J], of which some 600 J are stored."""


@pytest.fixture(scope="module")
def whole(right_walk):
    return whole_walk(right_walk)


def test_energies_are_those_of_the_robot_with_a_planar_base(whole):
    np.testing.assert_allclose(ts.kinetic_energy(whole.model, whole.q, whole.v), whole.energy["kinetic"], atol=1e-9)
    np.testing.assert_allclose(ts.potential_energy(whole.model, whole.q), whole.energy["potential"], atol=1e-9)


def test_the_total_energy_is_constant_through_impacts_and_exchanges(whole, right_walk):
    assert np.ptp(whole.total_energy) < AUDIT
    assert walk_table(right_walk).audit < AUDIT
    assert whole.energy["actuator"][-1] > 100.0


@pytest.mark.parametrize(("side", "leg"), [("right", "support"), ("left", "swing")])
def test_contacts_are_where_the_points_of_the_feet_are(whole, side, leg):
    """Also of feet high in the air, at which a run of the simulation does not look."""
    ends = {"heel": f"{side[0]}_sole_rear", "tip": f"{side[0]}_sole_front"}
    at = {
        point: [ts.frame_pose(whole.model, whole.q, f"{end}_{y}") for y in ("left", "right")]
        for point, end in ends.items()
    }
    at["ball"] = [ts.frame_pose(whole.model, whole.q, f"{leg}_toe")]
    for point, poses in at.items():
        place = np.mean(poses, axis=0)[:, :3, 3]
        found = whole.contact_position[:, whole.contacts.index(f"{side}_{point}")]
        np.testing.assert_allclose(found, place, atol=1e-9)


def test_what_the_ground_dissipates_is_the_work_of_friction_of_sliding_toes(right_walk):
    """From the exchange until the toes have left the ground nothing strikes: - integral of f_t r'."""
    start = right_walk.steps[3]
    step = take_step(FENG_LAW, start.support, start.run.q[0], start.run.v[0], means=Means(sample_dt=2e-3), longest=0.1)
    run = step.run
    speed = foot_points(run.model, run.q, run.v).velocity[..., 0]
    power = -(run.contact_force[:, 1:, 0] * speed).sum(axis=1)
    after = run.time > 0.0
    lost = run.energy["ground_dissipated"][after]
    assert run.energy["impact"][-1] < 1e-15  # contacts that close at the start: rounding
    assert lost[-1] - lost[0] > 0.2
    assert np.trapezoid(power[after], run.time[after]) == pytest.approx(lost[-1] - lost[0], rel=1e-3)


def test_motion_goes_on_across_exchanges(whole, right_walk):
    """Positions are those of before, and so are velocities: nothing strikes there."""
    for step in right_walk.steps[1:]:
        at = int(np.searchsorted(whole.time, step.begin - 1e-9))
        both = whole.q[at], whole.q[at + 1]
        assert whole.time[at + 1] - whole.time[at] < 1e-9
        np.testing.assert_allclose(both[0], both[1], atol=1e-8)
        np.testing.assert_allclose(whole.v[at], whole.v[at + 1], atol=1e-6)


def test_all_forces_together_accelerate_the_centre_of_mass(right_walk):
    """F - m g is the rate of momentum: over a stretch without impact it adds up to the change of momentum."""
    start = right_walk.steps[5]
    fine = Means(control_dt=2.5e-4, sample_dt=2.5e-3)
    step = take_step(FENG_LAW, start.support, start.run.q[0], start.run.v[0], means=fine)
    run, reaction = step.run, ground_reaction(step)
    stay = next(s for s in step.stays if s.state.foot == "floating" and s.end - s.begin > 0.1)
    inside = (run.time > stay.begin + 0.01) & (run.time < stay.end - 0.01)
    weight = run.model.total_mass * np.asarray(run.model.gravity)
    impulse = np.trapezoid(reaction.wrench[inside, :3] + weight, run.time[inside], axis=0)
    momentum = ts.momentum(run.model, run.q[inside], run.v[inside])[:, :3]
    np.testing.assert_allclose(impulse, momentum[-1] - momentum[0], atol=0.01)  # torques of samples are 0.25 ms old


def test_alone_on_one_foot_its_toe_and_heel_carry_all(right_walk):
    for step in right_walk.steps[2:5]:
        reaction = ground_reaction(step)
        heel = step.run.contact_force[:, 0]
        alone = ~step.run.contact_force[:, 1:].any(axis=(1, 2))
        np.testing.assert_allclose((reaction.toe_force + heel)[alone], reaction.wrench[alone, :3], atol=1e-9)
        # the free toe joint transmits no moment but its friction: along x the point is where heel and joint carry it
        arm = step.run.contact_position[alone, 0, 0] * heel[alone, 2] / reaction.wrench[alone, 2]
        np.testing.assert_allclose(reaction.zero_moment_point[alone, 0], arm, atol=2e-3)


def test_the_zero_moment_point_leaves_the_hull(right_walk):
    table = walk_table(right_walk)
    assert 0.2 < table.outside.mean() < 1.0
    assert 0.0 < table.outside_along.mean() < table.outside.mean()
    # across the walk it is beside a foot that stands alone
    assert (table.outside > 1.0 - table.double_support - 0.01).all()


def test_rows_of_the_table_are_those_of_the_steps(right_walk):
    table = walk_table(right_walk)
    np.testing.assert_array_equal(table.length, [step.length for step in right_walk.steps])
    assert (table.slip >= 0.0).all()
    assert table.slip[3] == slip_distance(right_walk.steps[3]) > 1e-3
    np.testing.assert_array_less(table.heel_off, 1.0)
    assert (table.stepped == 0.0).all()
    text = str(table)
    assert f"{table.length.mean():10.4g}" in text
    assert len(text.splitlines()) == len(table.rows) + 2


def test_shares_and_slips_do_not_depend_on_how_often_is_sampled(right_walk):
    """Events add samples: shares of samples, which are no shares of time, differ by 20 % here."""
    fine = walk_table(feng_walk(4, means=Means(sample_dt=2e-3)))
    coarse = walk_table(replace(right_walk, steps=right_walk.steps[:4]))
    np.testing.assert_allclose(coarse.slip, fine.slip, atol=2e-4)
    for name in ("outside", "outside_along", "pulled"):
        # either end of a stretch is known to half a sample of 10 ms of 0.55 s
        np.testing.assert_allclose(getattr(coarse, name), getattr(fine, name), atol=0.02)
    counted = [ground_reaction(step).outside.mean() for step in right_walk.steps[:4]]
    assert (coarse.outside - counted).min() > 0.1


def test_wrenches_of_the_ground_are_those_of_inverse_dynamics_with_a_free_base(right_walk):
    """What the base of a robot that could fly would have to be given: the whole of the ground."""
    for step in right_walk.steps[2:4]:
        run, reaction = step.run, ground_reaction(step)
        fixed, free = support_model(step.support), ts.robots.feng18(base="free", support=step.support)
        for i in range(0, len(run), 5):
            tau = run.tau[i].copy()
            for k, contact in enumerate(FENG_CONTACTS):
                force = run.contact_force[i, k]
                arm = run.contact_position[i, k] - ts.frame_pose(fixed, run.q[i], contact.frame)[:3, 3]
                tau += ts.jacobian(fixed, run.q[i], contact.frame).T @ [*force, *np.cross(arm, force)]
            vdot = ts.forward_dynamics(fixed, run.q[i], run.v[i], tau, passive=True)
            q = np.concatenate([free.reference[:7], run.q[i]])
            still = np.zeros(6)
            wrench = ts.inverse_dynamics(free, q, np.r_[still, run.v[i]], np.r_[still, vdot])[:6]
            np.testing.assert_allclose(reaction.wrench[i], wrench, atol=1e-8)


def test_every_moment_belongs_to_a_state_of_the_graph(right_walk):
    graph = gait_graph(right_walk)
    assert sum(graph.time.values()) == pytest.approx(right_walk.duration)
    assert sum(graph.exchanges.values()) == right_walk.walked - 1
    assert {state for edge in graph.edges for state in edge} <= set(graph.time)
    assert len(single_changes()) == len(set(single_changes())) == 24
    assert set(graph.missing) == set(single_changes()) - set(graph.edges)
    for edge in graph.missing:
        assert f"never    {edge[0]} -> {edge[1]}" in str(graph)


def test_clouds_of_mirrored_walks_are_mirrored(right_walk, left_walk):
    for one, two in (("right", "left"), ("left", "right")):
        distance = cloud_distance(phase_cloud(right_walk, one), mirrored_cloud(phase_cloud(left_walk, two)))
        assert distance < 1e-3
    assert cloud_distance(phase_cloud(right_walk, "right"), phase_cloud(left_walk, "left")) > 0.05


def test_hausdorff_distance_of_known_clouds():
    square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 4.0], [0.0, 4.0]])
    assert cloud_distance(square, square) == 0.0
    assert cloud_distance(square, np.vstack([square, [3.0, 4.0]])) == pytest.approx(0.5)


def test_bands_tell_how_far_steps_differ(right_walk):
    wide, narrow = band(right_walk, "right", 12), band(right_walk, "right", 6)
    assert 0.0 < narrow.width < wide.width
    assert len(wide.frequency) == len(wide.amplitude)
    with pytest.raises(ArgumentError, match="expected at least 2"):
        band(right_walk, "right", 2)
    with pytest.raises(ArgumentError, match="steps is 0"):
        band(right_walk, "right", 0)
    with pytest.raises(ArgumentError, match="support is 'both'"):
        phase_cloud(right_walk, "both")
