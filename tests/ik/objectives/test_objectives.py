"""Objectives: gradients are derivatives on the manifold, batches are their members, sums are sums."""

import loop_models
import numpy as np
import pytest
import sample_models
from planar_arm import arm

import tarsus as ts
from tarsus.errors import ArgumentError, UnknownNameError
from tarsus.ik.objectives import (
    AngularMomentum,
    CollisionPotential,
    CubicPotential,
    JointLimits,
    Manipulability,
    PiecewisePotential,
    PostureDistance,
    QuadraticPotential,
    ScaledJointLimits,
    Sum,
)

STEP = 1e-6
DIFFERENCES = 2e-7
"""Error of central differences with that step, relative to the largest entry of a gradient, or to 1."""
BATCH = (2, 3)

MODELS = {
    "crops9": ts.robots.crops9(),
    "hrp2": ts.robots.hrp2(),
    "lola": ts.robots.lola(drives="rigid"),
    "rabbit": ts.robots.rabbit(),
    "zoo": sample_models.zoo().build(),
    "four-bar": loop_models.four_bar().build(),
}
FRAMES = {"crops9": "tool", "hrp2": "r_hand", "lola": "l_hand"}
"""Of robots with limits and volumes."""


def objectives(name, model):
    made = {"posture": PostureDistance(weight=0.7)}
    if name in FRAMES:
        scene = ts.collision.CollisionModel(model)
        made["limits"] = JointLimits(PiecewisePotential(2.0), weight=1.3)
        made["quadratic limits"] = JointLimits(QuadraticPotential(1.0))
        made["scaled limits"] = ScaledJointLimits(band=0.4)
        made["manipulability"] = Manipulability(FRAMES[name], weight=2.0)
        made["collision"] = CollisionPotential(scene, PiecewisePotential(0.3))
        made["cubic collision"] = CollisionPotential(scene, CubicPotential(0.3, 20.0))
        made["sum"] = made["collision"] + 2.0 * made["limits"] + made["posture"]
    return made


CASES = [(name, kind) for name, model in MODELS.items() for kind in objectives(name, model)]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_gradient_is_the_derivative_of_the_value_on_the_manifold(name, kind):
    model = MODELS[name]
    objective = objectives(name, model)[kind]
    q = model.random(np.random.default_rng(11), BATCH)
    gradient = objective.gradient(model, q)
    ways = STEP * np.eye(model.nv)
    ahead, behind = (objective.value(model, model.integrate(q[..., None, :], sign * ways)) for sign in (1.0, -1.0))
    expected = (ahead - behind) / (2 * STEP)
    assert gradient.shape == (*BATCH, model.nv)
    assert np.abs(expected).max() > 1e-3
    assert np.abs(gradient - expected).max() < DIFFERENCES * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_members_of_a_batch_are_as_if_alone(name, kind):
    model = MODELS[name]
    objective = objectives(name, model)[kind]
    q = model.random(np.random.default_rng(12), BATCH)
    value, gradient = objective.value(model, q), objective.gradient(model, q)
    assert value.shape == BATCH
    for i in np.ndindex(BATCH):
        assert np.isclose(objective.value(model, q[i]), value[i], rtol=1e-12, atol=1e-12)
        assert np.allclose(objective.gradient(model, q[i]), gradient[i], rtol=1e-9, atol=1e-11)


def test_scaled_limits_are_those_of_the_text_joint_by_joint():
    model = ts.robots.crops9()
    rng = np.random.default_rng(3)
    q, band = model.random(rng, (200,)), 0.15
    expected_value, expected = np.zeros(200), np.zeros((200, model.nv))
    for k in range(model.nv):
        low, high = model.q_min[k], model.q_max[k]
        inner_low, inner_high = low + band * (high - low), high - band * (high - low)
        for n in range(200):
            if q[n, k] > inner_high:
                expected_value[n] += ((q[n, k] - inner_high) / (high - inner_high)) ** 2
                expected[n, k] = 2 * (q[n, k] - inner_high) / (high - inner_high) ** 2  # (A.58)
            elif q[n, k] < inner_low:
                expected_value[n] += ((q[n, k] - inner_low) / (low - inner_low)) ** 2
                expected[n, k] = 2 * (q[n, k] - inner_low) / (low - inner_low) ** 2
    objective = ScaledJointLimits(band=band)
    assert np.allclose(objective.value(model, q), expected_value, rtol=1e-12, atol=1e-12)
    assert np.allclose(objective.gradient(model, q), expected, rtol=1e-12, atol=1e-12)
    assert (expected != 0).any()
    assert ScaledJointLimits().value(model, model.q_max) == pytest.approx(model.nv)  # 1 for every joint at its limit


def test_manipulability_of_two_links_has_its_closed_form():
    model = arm((0.5, 0.3))
    flat = (True, True, False, False, False, False)
    q = model.random(np.random.default_rng(1), (50,))
    objective = Manipulability("tool", axes=flat)
    assert np.allclose(objective.measure(model, q), 0.15 * np.abs(np.sin(q[:, 1])), atol=1e-14)  # Yoshikawa 1985
    expected = -0.15 * np.sign(np.sin(q[:, 1])) * np.cos(q[:, 1])
    assert np.allclose(objective.gradient(model, q)[:, 1], expected, atol=1e-13)
    assert np.abs(objective.gradient(model, q)[:, 0]).max() < 1e-14


def test_at_a_singularity_the_gradient_of_manipulability_leads_out_of_it():
    model = arm((0.5, 0.3))
    objective = Manipulability("tool", axes=(True, True, False, False, False, False))
    stretched = np.array([0.3, 0.0])
    out = stretched - 0.1 * objective.gradient(model, stretched) / 0.15
    assert objective.measure(model, stretched) < 1e-15
    assert objective.measure(model, out) == pytest.approx(0.15 * np.sin(0.1), rel=1e-6)


def test_robots_without_limits_have_none_to_keep_away_from():
    model = arm(limits=(-np.inf, np.inf))
    q = np.array([0.3, 40.0])
    for objective in (JointLimits(), ScaledJointLimits()):
        assert objective.value(model, q) == 0
        assert (objective.gradient(model, q) == 0).all()


def test_a_limit_on_one_side_counts():
    model = arm(limits=(-np.inf, 1.0))
    potential = PiecewisePotential(0.5)
    gradient = JointLimits(potential).gradient(model, np.array([0.9, -50.0]))
    assert gradient == pytest.approx([-potential.slope(0.1), 0.0])


def test_sums_and_factors_are_those_of_the_parts():
    model = ts.robots.crops9()
    q = model.random(np.random.default_rng(2), (4,))
    a, b = JointLimits(weight=2.0), PostureDistance()
    total = np.float64(3.0) * (a + b) + b
    expected = 3.0 * a.gradient(model, q) + 4.0 * b.gradient(model, q)
    assert np.allclose(total.gradient(model, q), expected, rtol=1e-12)
    assert np.allclose(total.along(0.01)(model, q[0]), expected[0], rtol=1e-12)
    assert np.allclose(total.value(model, q), 3.0 * a.value(model, q) + 4.0 * b.value(model, q), rtol=1e-12)


def test_filtered_gradients_lag_behind_those_of_the_moment():
    model = ts.robots.crops9()
    scene = ts.collision.CollisionModel(model)
    q = model.random(np.random.default_rng(5), (2,))
    objective = CollisionPotential(scene, PiecewisePotential(0.3), time_constant=0.1, weight=2.0)
    gradient = objective.along(0.1)
    assert np.allclose(gradient(model, q[0]), objective.gradient(model, q[0]), rtol=1e-12)
    old, new = (scene.distance_jacobian(x).jacobian for x in q)
    mixed = np.exp(-1.0) * old + (1 - np.exp(-1.0)) * new
    expected = 2.0 * objective.potential.slope(scene.distances(q[1])) @ mixed
    assert np.allclose(gradient(model, q[1]), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("make", "error", "told"),
    [
        (lambda: JointLimits(weight=-1.0), ArgumentError, "weight of JointLimits"),
        (lambda: JointLimits(0.2), ArgumentError, "potential of JointLimits"),
        (lambda: ScaledJointLimits(0.0), ArgumentError, "band of ScaledJointLimits"),
        (lambda: CollisionPotential("scene"), ArgumentError, "scene of CollisionPotential"),
        (lambda: Manipulability("tool", axes=(True,)), ArgumentError, "axes of Manipulability"),
        (lambda: Sum([]), ArgumentError, "parts of Sum is empty"),
        (lambda: Sum([1.0]), ArgumentError, "parts of Sum holds 1.0"),
        (lambda: AngularMomentum(gamma=0.0), ArgumentError, "gamma of AngularMomentum"),
        (lambda: AngularMomentum(axes=(False, False, False)), ArgumentError, "axes of AngularMomentum"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(make, error, told):
    with pytest.raises(error, match=told):
        make()


def test_what_does_not_fit_the_model_is_refused_by_name():
    model, hrp2 = ts.robots.crops9(), MODELS["hrp2"]
    with pytest.raises(UnknownNameError, match="tol"):
        Manipulability("tol").gradient(model, model.reference)
    with pytest.raises(ArgumentError, match="zero everywhere"):
        Manipulability("tool", joints=["q2", "q3"]).value(model, model.reference)
    with pytest.raises(ArgumentError, match="crops9"):
        CollisionPotential(ts.collision.CollisionModel(model)).value(hrp2, hrp2.reference)
    with pytest.raises(ArgumentError, match="'base' of PostureDistance"):
        PostureDistance(joints=["base"]).value(hrp2, hrp2.reference)
    with pytest.raises(ArgumentError, match="'joint1' are 0 apart"):
        ScaledJointLimits().value(arm(limits=(0.0, 0.0)), [0.0, 0.0])
