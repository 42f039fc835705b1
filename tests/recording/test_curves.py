"""Names of curves, and choosing among them."""

import numpy as np
import pytest
from recording.runs import random_run
from sample_models import zoo

import tarsus as ts
from tarsus.errors import ArgumentError, UnknownNameError
from tarsus.recording.curves import coordinate_names, curves_of, one_simulation, select_curves


def names(run, *wanted):
    return [curve.name for curve in select_curves(run, wanted)]


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_every_number_of_a_run_has_a_curve_of_its_own(base):
    run = random_run(zoo(base).build(), samples=3)
    curves = curves_of(run)
    rest = run.model.nq + 2 * run.model.nv + 2 * 6 + len(run.energy) + 1 + 3 + 1 + 1
    assert len(curves) == rest
    table = np.stack([curve.values.astype(float) for curve in curves.values()])
    np.testing.assert_array_equal(table[: run.model.nq], run.q.T)
    np.testing.assert_array_equal(table[run.model.nq : run.model.nq + run.model.nv], run.v.T)


def test_units_follow_the_joints():
    curves = curves_of(random_run(zoo().build(), samples=2))
    units = {
        "q.revolute_joint": "rad",
        "q.prismatic_joint": "m",
        "v.prismatic_joint": "m/s",
        "tau.prismatic_joint": "N",
        "tau.revolute_joint": "N m",
        "q.base.z": "m",
        "q.base.qw": "",
        "v.base.wx": "rad/s",
        "q.cylindrical_joint.slide": "m",
        "v.cylindrical_joint.turn": "rad/s",
        "tau.free_joint.vx": "N",
        "force.left sole.z": "N",
        "energy.total": "J",
    }
    assert {name: curves[name].unit for name in units} == units


def test_planar_base_is_named_after_the_sagittal_plane():
    run = random_run(ts.robots.rabbit(), samples=2)
    assert names(run, "q.base") == ["q.base.x", "q.base.z", "q.base.pitch"]


def test_base_in_other_parametrisations():
    run = random_run(zoo(rotation="xyz").build(), samples=2)
    assert names(run, "q.base") == ["q.base.x", "q.base.y", "q.base.z", "q.base.r0", "q.base.r1", "q.base.r2"]


def test_choosing_by_name_group_owner_and_pattern():
    run = random_run()
    assert names(run, "q.elbow") == ["q.elbow"]
    assert names(run, "elbow") == ["q.elbow", "v.elbow", "tau.elbow"]
    assert names(run, "force.left sole") == [f"force.left sole.{x}" for x in "xyz"]
    assert names(run, "energy") == ["energy.kinetic", "energy.potential", "energy.actuator", "energy.total"]
    assert names(run, "*.shoulder", "q.shoulder") == ["q.shoulder", "v.shoulder", "tau.shoulder"]
    assert names(run, "imu/acceleration") == [f"signals.imu/acceleration.{k}" for k in range(3)]
    assert names(run, "stance") == ["signals.stance"]


def test_unknown_signal_is_told_with_close_ones():
    with pytest.raises(UnknownNameError, match=r"no signal 'q\.elbwo' in this recording; close: 'q\.elbow'"):
        select_curves(random_run(), ["q.elbwo"])
    with pytest.raises(UnknownNameError, match="there are q, v, tau, force, position, energy, signals"):
        select_curves(random_run(), ["§§§"])


def test_total_is_the_total_of_the_audit():
    run = random_run()
    np.testing.assert_array_equal(curves_of(run)["energy.total"].values, run.total_energy)


def test_simulation_of_a_batch_by_number():
    run = random_run(batch=(2, 3))
    np.testing.assert_array_equal(one_simulation(run, 4).q, run.q[:, 1, 1])
    for wrong in (None, -1, 6):
        with pytest.raises(ArgumentError, match="6"):
            one_simulation(run, wrong)
    with pytest.raises(ArgumentError, match="batch"):
        curves_of(run)


@pytest.mark.parametrize("model", [ts.robots.hrp2(), ts.robots.shah7(), ts.robots.lola(drives="rigid")], ids=str)
def test_names_of_coordinates_stand_where_the_joints_say(model):
    for group, place in (("q", "q_index"), ("v", "v_index"), ("tau", "v_index")):
        names = coordinate_names(model, group)
        assert len(set(names)) == len(names) == (model.nq if group == "q" else model.nv)
        for joint in model.joints.values():
            assert all(name.split(".")[0] == joint.name for name in names[getattr(joint, place)])
