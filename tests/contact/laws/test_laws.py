"""Forces of the compliant laws against their formulas, at one instant and over time."""

import numpy as np
import pytest
from simulation.bodies import particle

import tarsus as ts
from tarsus.contact import Compliant, ContactPoint, PseudoCoulomb, ViscoElasticSole, flat
from tarsus.errors import ArgumentError

ROUNDING = 1e-12
"""Relative."""
TIP = [ContactPoint("tip", "point")]
K, C, MU, KT, CT = 3.0e4, 250.0, 0.7, 2.0e4, 120.0
LAWS = [Compliant(K, C, MU, KT, CT), PseudoCoulomb(K, C, MU, CT), ViscoElasticSole(K, C, MU, KT, CT)]


def force_at(law, depth, velocity):
    q, v = np.array([0.3, -0.2, -depth]), np.asarray(velocity, dtype=float)
    return ts.simulate(particle(), q, v, ground=flat(law), contacts=TIP, duration=0.0).contact_force[0, 0]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize(("depth", "rate"), [(0.002, 0.0), (0.002, 0.1), (0.002, -0.1), (0.002, -0.5), (-1e-4, 1.0)])
def test_normal_force_is_spring_and_damper_that_never_pull(law, depth, rate):
    expected = max(0.0, K * depth + C * rate) if depth > 0 else 0.0
    np.testing.assert_allclose(force_at(law, depth, (0, 0, -rate)), [0, 0, expected], rtol=ROUNDING, atol=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_friction_is_viscous_inside_the_cone_and_on_it_outside(law):
    normal = K * 0.002
    slow, fast = np.array([0.03, -0.04, 0.0]), np.array([3.0, -4.0, 0.0])
    np.testing.assert_allclose(force_at(law, 0.002, slow), -CT * slow + [0, 0, normal], rtol=ROUNDING)
    np.testing.assert_allclose(
        force_at(law, 0.002, fast), -MU * normal * fast / 5.0 + [0, 0, normal], rtol=ROUNDING, atol=1e-12
    )


@pytest.mark.parametrize("integrator", ["runge-kutta-4", "implicit-midpoint", "dormand-prince", "semi-implicit-euler"])
def test_the_stick_spring_holds_a_load_inside_the_cone(integrator):
    """At rest the deflection is load / k_t, the sinkage m g / k."""
    load, model = 5.0, particle()
    law = ts.simulation.JointLaw(tau=(load, 0.0, 0.0), limited=False)
    run = ts.simulate(model, np.array([0.0, 0.0, -9.81 / K]), ground=flat(LAWS[0]), contacts=TIP, controller=law,
                      duration=1.0, integrator=integrator, dt=1e-4, sample_dt=0.1)  # fmt: skip
    settled = 1e-9  # of the oscillation after 1 s, with a decay of 60/s and more
    np.testing.assert_allclose(run.q[-1], [load / KT, 0.0, -9.81 / K], atol=settled)
    np.testing.assert_allclose(run.contact_force[-1, 0], [-load, 0.0, 9.81], atol=1e-4)


def test_pseudo_coulomb_creeps_with_load_over_viscosity():
    load = 3.0
    law = ts.simulation.JointLaw(tau=(load, 0.0, 0.0), limited=False)
    run = ts.simulate(particle(), np.array([0.0, 0.0, -9.81 / K]), ground=flat(LAWS[1]), contacts=TIP, controller=law,
                      duration=2.0, dt=1e-3)  # fmt: skip
    np.testing.assert_allclose(run.v[-1], [load / CT, 0.0, 0.0], rtol=1e-9, atol=1e-9)


def test_a_sole_remembers_how_far_it_was_compressed():
    """Lifted off, its compression relaxes as exp(-k t / c): a point set down on it meets no force before the layer."""
    slow = ViscoElasticSole(stiffness=1.0e4, damping=2.0e3, friction=0.0)  # time constant 0.2 s
    lift = ts.simulation.JointLaw(tau=(0.0, 0.0, 200.0), limited=False)
    run = ts.simulate(particle(), np.array([0.0, 0.0, -0.02]), ground=flat(slow), contacts=TIP, controller=lift,
                      duration=0.4, dt=1e-4, sample_dt=1e-3, resumable=True)  # fmt: skip
    state, depth = run.signals["contact_state"][:, 0, 2], -run.q[:, 2]
    free = np.flatnonzero(run.contact_force[:, 0, 2] == 0.0)
    left = free[free > 5][0]
    assert depth[left + 5] < state[left + 5]  # the layer is lower than the point
    later = slice(left, left + 200)
    decay = state[later] / state[left]
    np.testing.assert_allclose(decay, np.exp(-(run.time[later] - run.time[left]) * 5.0), rtol=2e-3)


def test_a_sole_meets_its_own_compressed_layer_when_set_down_again():
    """Pressed, lifted for a moment and dropped again: contact begins at the depth of the layer, not at the surface."""
    slow = ViscoElasticSole(stiffness=1.0e4, damping=2.0e4, friction=0.0)  # time constant 2 s
    times = np.array([0.0, 0.05, 0.1])
    lift = ts.simulation.JointLaw(tau=[[0, 0, 20.0], [0, 0, 20.0], [0, 0, -60.0]], times=times, limited=False)
    run = ts.simulate(particle(), np.array([0.0, 0.0, -0.03]), ground=flat(slow), contacts=TIP, controller=lift,
                      duration=0.5, dt=1e-4, sample_dt=1e-3, resumable=True)  # fmt: skip
    force, depth, layer = run.contact_force[:, 0, 2], -run.q[:, 2], run.signals["contact_state"][:, 0, 2]
    air = np.flatnonzero(force == 0.0)
    air = air[air > 2]
    again = air[-1] + 1
    assert len(air) > 50
    assert depth[again] > 0.005  # a layer without memory would have touched at 0
    np.testing.assert_allclose(depth[again], layer[again], atol=1e-9)


@pytest.mark.parametrize("law", [Compliant, PseudoCoulomb, ViscoElasticSole])
@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "stiff"])
def test_parameters_that_are_no_stiffness_are_refused_by_name(law, value):
    with pytest.raises(
        ArgumentError, match=f"stiffness of {law.__name__} is .*; expected a finite number, more than 0"
    ):
        law(stiffness=value)
