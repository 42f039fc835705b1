"""Loops that cannot be, and configurations in which they cannot be: typed errors that name loop and joints."""

from dataclasses import replace

import numpy as np
import pytest
from loop_models import (
    DOUBLE_ROCKER,
    at,
    bennett,
    cam,
    four_bar,
    mechanism,
    rod,
    serial_four_bars,
    slider_crank,
    space_rod,
    walker,
)

import tarsus as ts
from tarsus.errors import LoopError, ModelError
from tarsus.model import Loop


def changed(builder, **fields):
    builder._loops[0] = replace(builder._loops[0], **fields)
    return builder


def with_loop(builder, *loop):
    return builder.add_loop(Loop(*loop))


def free_joint():
    builder = ts.ModelBuilder("pair").add_link("a", rod(1.0)).add_link("b", rod(1.0)).add_joint("fly", "free", "a", "b")
    return with_loop(builder, "tie", "spherical", "a", "b")


def balls():
    """Two rods between balls: they spin about themselves, which no loop determines."""
    builder = ts.ModelBuilder("balls").add_link("ground").add_link("one", rod(1.0)).add_link("two", rod(1.0))
    builder.add_joint("s", "spherical", "ground", "one").add_joint("t", "spherical", "one", "two", position=(1, 0, 0))
    return with_loop(builder, "end", "spherical", "two", "ground", at(1.0), at(1.2))


REFUSED = {
    "cannot be closed": (
        lambda: four_bar((5.0, 0.4, 0.9, 0.7)),
        "loop 'knee' cannot be closed by its joints 'a', 'b', 'd'",
    ),
    "one body": (lambda: with_loop(four_bar(), "x", "revolute", "crank", "crank"), "'x' .* one rigid body"),
    "helical": (lambda: four_bar(kind="helical"), "'knee' is closed by a joint of kind 'helical'"),
    "gearbox": (lambda: four_bar(kind="gearbox"), "'knee' is closed by a joint of kind 'gearbox'"),
    "unknown link": (
        lambda: with_loop(four_bar(), "x", "revolute", "crank", "cronk"),
        "'x' .* 'cronk'; close: 'crank'",
    ),
    "unknown joint": (lambda: changed(four_bar(), independent=("zz",)), "'knee' names the unknown joint 'zz'"),
    "zero axis": (lambda: changed(four_bar(), axis=(0.0, 0.0, 0.0)), "'knee' has a zero axis"),
    "shape of pose": (lambda: changed(four_bar(), pose_a=np.eye(3)), r"'knee' have the shapes \(3, 3\)"),
    "free joint": (free_joint, "'tie' runs through the free joint 'fly'"),
    "spinning rods": (balls, "'end' has no minimal coordinates"),
    "flat": (lambda: _flat(), "'knee' with the joints 'a', 'b', 'd' is singular where it is drawn"),
    "ratio": (lambda: four_bar().add_coupling("a", "d", 0.0), "joint 'a' has the ratio 0"),
    "itself": (lambda: walker().add_coupling("ankle", "ankle"), "joint 'ankle' follows itself"),
    "circle": (
        lambda: serial_four_bars(2).add_coupling("a0", "a1").add_coupling("a1", "a0"),
        "cycle: 'a0' -> 'a1' -> 'a0'",
    ),
    "polynomial of itself": (lambda: changed(cam(), link_a="turn"), "'cam' of joint 'turn' to 'turn'"),
    "no coefficients": (lambda: changed(cam(), coefficients=()), "'cam' of joint 'up' to 'turn' has the coefficients"),
    "coefficients": (lambda: changed(cam(), coefficients=(0.0, np.nan)), "'cam' of joint 'up' to 'turn' .* finite"),
    "polynomial of a ball": (
        lambda: _ball_cam(),
        "'cam' of joint 'ball' to 'turn' is between joints of kinds 'spherical'",
    ),
    "second polynomial": (
        lambda: cam().add_loop(replace(cam()._loops[0], name="again")),
        "'again' of joint 'up' to 'turn' determines a joint that already follows",
    ),
    "follower of a polynomial": (
        lambda: cam().add_link("x", rod(1.0)).add_joint("x", "revolute", "ground", "x").add_coupling("x", "up"),
        "joint 'x' follows 'up', which depends on others itself",
    ),
    "differential on a loop": (
        lambda: (
            walker()
            .add_link("x", rod(1.0))
            .add_joint("x", "revolute", "trunk", "x")
            .add_coupling("x", "a", further={"ankle": 1.0})
        ),
        "joint 'x' follows several joints, one of them in loop 'knee'",
    ),
}


def _flat():
    """A parallelogram drawn stretched, where it might also become an antiparallelogram."""
    builder = four_bar((1.0, 0.4, 1.0, 0.4))
    builder.reference = {}
    return builder


def _ball_cam():
    builder = cam().add_link("x", rod(1.0)).add_joint("ball", "spherical", "ground", "x")
    return changed(builder, link_a="ball")


@pytest.mark.parametrize("case", REFUSED)
def test_impossible_loop_is_refused_by_name(case):
    make, message = REFUSED[case]
    with pytest.raises(ModelError, match=message):
        make().build()


@pytest.mark.parametrize("case", ["one body", "helical", "gearbox", "free joint", "spinning rods", "flat"])
def test_refused_loop_can_be_cut(case):
    assert REFUSED[case][0]().build(couplings="cut").nv > 0


def test_configuration_out_of_reach_names_loop_joints_and_row():
    model = mechanism("double rocker")
    with pytest.raises(
        LoopError, match=r"loop 'knee' with the joints 'a', 'b', 'd' cannot be closed .*forward_dynamics"
    ):
        ts.forward_dynamics(model, [3.0], [0.0], [0.0])
    with pytest.raises(LoopError, match=r"'knee' .*mass_matrix\[1, 0\]"):
        ts.mass_matrix(model, np.array([[[1.0], [1.1]], [[3.0], [1.0]]]))
    rod = space_rod().build()
    with pytest.raises(LoopError, match=r"loop 'ball' with the joints 'turn', 'cross', 'rock' .*jacobian\[2\]"):
        ts.jacobian(rod, np.array([[2.0], [2.1], [0.3]]), "rocker")


def test_every_function_refuses_a_configuration_out_of_reach():
    model = mechanism("double rocker")
    q, v = np.array([3.0]), np.array([1.0])
    for call in (
        lambda: model.joint_positions(q),
        lambda: model.coupling_matrix(q),
        lambda: ts.body_poses(model, q),
        lambda: ts.inverse_dynamics(model, q, v, v),
        lambda: ts.potential_energy(model, q),
        lambda: ts.solve_mass(model, q, v),
        lambda: ts.coriolis_matrix(model, q, v),
        lambda: ts.forward_dynamics(model, q, v, v, method="composite-body"),
    ):
        with pytest.raises(LoopError, match="'knee'"):
            call()


def test_dead_point_of_a_four_bar_is_an_error_and_its_neighbourhood_is_finite():
    model = mechanism("double rocker")
    ground, crank, coupler, rocker = DOUBLE_ROCKER
    dead = np.arccos((ground**2 + crank**2 - (coupler + rocker) ** 2) / (2 * ground * crank))
    for distance in (1e-2, 1e-4, 1e-6, 1e-8):
        assert np.isfinite(ts.forward_dynamics(model, [dead - distance], [1.0], [0.0])).all()
    with pytest.raises(LoopError, match="'knee'"):
        ts.forward_dynamics(model, [dead + 1e-9], [1.0], [0.0])


def test_slider_beyond_its_dead_point_is_an_error():
    model = changed(slider_crank(), independent=("slide",)).build()
    for x in (1.5 + 1e-6, 1.6, 5.0, 0.69, -3.0):
        with pytest.raises(LoopError, match="'pin' with the joints 'turn', 'swing', 'slide'"):
            model.joint_positions([x])
    for x in (1.5 - 1e-6, 1.2, 0.7 + 1e-6):
        assert np.isfinite(model.joint_positions([x])).all()


def test_many_turns_are_no_obstacle():
    model = bennett().build()
    far, near = model.joint_positions([0.4 + 2e4 * np.pi]), model.joint_positions([0.4])
    np.testing.assert_allclose(np.sin(0.5 * (far - near)), 0.0, atol=1e-10)


def test_universal_loop_joint_needs_perpendicular_axes():
    builder = changed(four_bar(), kind="universal", axis=(0.0, 0.0, 1.0), axis2=(0.0, 1.0, 1.0))
    with pytest.raises(LoopError, match="not perpendicular"):
        builder.build()
