"""Lengths that are linear in joint coordinates, weights that are carried, springs of joints that turn freely."""

import numpy as np
import pytest
from sample_models import BRICK

import tarsus as ts
from tarsus.errors import ModelError, ModelWarning
from tarsus.io.model_document import model_from_document, model_to_document

ROUNDING = 1e-12


def arm(**tendon):
    builder = ts.ModelBuilder("arm").add_link("ground")
    for k, parent in enumerate(("ground", "one", "two")):
        name = ("one", "two", "three")[k]
        builder.add_link(name, BRICK)
        builder.add_joint(name + "_hinge", "revolute", parent, name, axis=(0, 1, 0), position=(0, 0, 0.5))
    return builder.add_tendon("rope", {"one_hinge": 0.5, "three_hinge": -2.0}, **tendon)


def test_forces_of_a_tendon_are_those_of_its_energy():
    model = arm(stiffness=30.0, rest=0.1, offset=0.2).build()
    rng, step = np.random.default_rng(0), 1e-6

    def energy(q):
        return 15.0 * (0.2 + 0.5 * q[0] - 2.0 * q[2] - 0.1) ** 2

    for _ in range(3):
        q = rng.normal(size=3)
        slope = [(energy(q + step * e) - energy(q - step * e)) / (2 * step) for e in np.eye(3)]
        np.testing.assert_allclose(ts.passive_force(model, q, np.zeros(3)), -np.array(slope), atol=1e-7)


@pytest.mark.parametrize("mode", ["reduce", "cut", "lock"])
def test_tendons_act_whatever_is_done_with_couplings(mode):
    builder = arm(damping=3.0)
    builder.add_coupling("three_hinge", "two_hinge", 0.5)
    model = builder.build(couplings=mode)
    v = np.arange(1.0, model.nv + 1.0)
    way = {"reduce": [0.5, -1.0], "cut": [0.5, 0.0, -2.0], "lock": [0.5, 0.0]}[mode]
    expected = -3.0 * (way @ v) * np.array(way)
    np.testing.assert_allclose(ts.passive_force(model, model.neutral(), v), expected, atol=ROUNDING)


def test_merged_and_renamed_robots_keep_their_tendons():
    single = arm(stiffness=4.0).build()
    both = single.merged(single, "ground", prefix="other_")
    q = np.array([0.3, 0.1, -0.2])
    alone = ts.passive_force(single, q, np.zeros(3))
    np.testing.assert_allclose(ts.passive_force(both, np.tile(q, 2), np.zeros(6)), np.tile(alone, 2), atol=ROUNDING)
    assert [tendon.name for tendon in both.tendons] == ["rope", "other_rope"]


@pytest.mark.parametrize(
    ("terms", "properties", "rule"),
    [
        ({}, {}, "empty-tendon"),
        ({"one_hinge": 1.0, "elbow": 1.0}, {}, "unknown-joint"),
        ({"one_hinge": 0.0}, {}, "zero-ratio"),
        ({"one_hinge": 1.0}, {"stiffness": -1.0}, "negative-stiffness"),
        ({"one_hinge": 1.0}, {"damping": np.nan}, "non-finite"),
        ({"one_hinge": 1.0}, {"minimum": 1.0, "maximum": 0.0}, "swapped-limits"),
    ],
)
def test_defective_tendons_are_named(terms, properties, rule):
    builder = arm()
    builder.add_tendon("bad", terms, **properties)
    with pytest.raises(ModelError) as caught:
        builder.build()
    assert rule in [problem.rule for problem in caught.value.problems]
    assert rule in [problem.rule for problem in builder.problems()]


def test_urdf_tells_what_it_lacks(tmp_path):
    builder = arm(stiffness=3.0)
    builder.base, builder.base_forces = "free", {"damping": 2.0}
    builder.add_link("pad", BRICK, carried=0.5).add_joint("glue", "fixed", "three", "pad")
    with pytest.warns(ModelWarning, match="tendon 'rope', damping of the base, carried weight of link 'pad'"):
        ts.write_urdf(builder.build(), tmp_path / "arm.urdf")


def test_carried_weights_of_merged_links_act_at_their_own_centres():
    builder = ts.ModelBuilder("scale").add_link("stand").add_link("beam", BRICK)
    builder.add_joint("pivot", "revolute", "stand", "beam", axis=(0, 1, 0))
    builder.add_link("pan", ts.Inertia.of_sphere(2.0, 0.1), carried=0.25)
    builder.add_joint("weld", "fixed", "beam", "pan", position=(0.8, 0.0, 0.0))
    model = builder.build()
    assert model.total_mass == pytest.approx(BRICK.mass + 2.0)
    q = 0.3  # about y: the arm of the pan is 0.8 cos q, and its weight turns the pivot on
    np.testing.assert_allclose(
        ts.passive_force(model, [q], [0.0]), [-0.25 * 2.0 * 9.81 * 0.8 * np.cos(q)], atol=ROUNDING
    )


def test_a_law_that_compensates_gravity_adds_what_is_not_carried():
    """Both together hold the arm where it is; all of gravity once more would lift it."""
    builder = ts.ModelBuilder("lamp").add_link("desk").add_link("arm", BRICK, carried=0.6)
    model = builder.add_joint("hinge", "revolute", "desk", "arm", axis=(0, 1, 0), child_pose=np.eye(4)).build()
    q = np.array([0.9])
    for integrator in (None, "runge-kutta-4"):
        run = ts.simulate(
            model, q0=q, duration=0.5, controller=ts.control.gravity_compensation(), integrator=integrator, stops=False
        )
        np.testing.assert_allclose(run.q[-1], q, atol=1e-9)
        np.testing.assert_allclose(run.tau[0], 0.4 * ts.gravity_force(model, q), atol=1e-9)


def springy(kind, **properties):
    builder = ts.ModelBuilder("toy").add_link("ground").add_link("top", BRICK)
    return builder.add_joint("joint", kind, "ground", "top", **properties)


def test_a_ball_with_a_spring_swings_about_its_rest_with_the_frequency_of_the_spring():
    """Without gravity a turn about one principal axis is a pendulum of the moment I and the stiffness k."""
    top = ts.Inertia(1.0, (0, 0, 0), np.diag([0.2, 0.3, 0.4]))
    builder = ts.ModelBuilder("toy", gravity=(0, 0, 0)).add_link("ground").add_link("top", top)
    rest = (0.0, 0.0, 0.7)
    model = builder.add_joint("joint", "spherical", "ground", "top", stiffness=5.0, rest=rest).build()
    turned = model.integrate(model.neutral(), [0.0, 0.0, 0.7 + 0.3], 1.0)
    period = 2 * np.pi * np.sqrt(0.4 / 5.0)
    run = ts.simulate(model, q0=turned, duration=1.6, sample_dt=0.2, integrator="dormand-prince")
    angle = 2 * np.arctan2(run.q[:, 3], run.q[:, 0])
    np.testing.assert_allclose(angle - 0.7, 0.3 * np.cos(2 * np.pi * run.time / period), atol=1e-7)


@pytest.mark.parametrize(
    ("kind", "stiffness"),
    [("planar", 1.0), ("spherical", (1.0, 2.0, 1.0)), ("free", (1.0, 1.0, 2.0, 3.0, 3.0, 3.0))],
)
def test_springs_that_pull_unlike_in_different_directions_are_refused(kind, stiffness):
    with pytest.raises(ModelError) as caught:
        springy(kind, stiffness=stiffness).build()
    assert [problem.rule for problem in caught.value.problems] == ["spring-kind"]


def test_forces_on_the_base_are_checked_and_stored():
    builder = ts.ModelBuilder("kite", base="free").add_link("kite", BRICK)
    builder.base_forces = {"stiffness": 3.0, "damping": 0.5, "rest": (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}
    model = builder.build()
    q, v = model.neutral(), np.arange(6.0)
    expected = -0.5 * v - 3.0 * np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    document = model_to_document(model)
    for same in (model, model_from_document(document.content, document.meshes)):
        np.testing.assert_allclose(ts.passive_force(same, q, v), expected, atol=ROUNDING)
    beside = model.with_object(ts.model.Sphere(0.1), mass=1.0, name="ball")
    np.testing.assert_allclose(ts.passive_force(beside, beside.reference, np.r_[v, v])[:6], expected, atol=ROUNDING)
    builder.base_forces = {"dampin": 1.0}
    with pytest.raises(ModelError, match="base_forces has no 'dampin'; close: 'damping'"):
        builder.build()
