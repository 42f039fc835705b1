"""The best motion of a horizon: closed forms, other optimisers, and what every descent must keep."""

import signal

import numpy as np
import pytest
import scipy.optimize
from ik.predictive.predictive_cases import DT, STEPS, case

import tarsus as ts
from tarsus.ik import predictive
from tarsus.tasks import Position

FLAT = 1e-13  # relative change of the cost at which searches of tests end


def sledges():
    """Two slides along x, one on the other: the tool's place is the sum of both."""
    builder = ts.ModelBuilder("sledges")
    for name in ("rail", "first", "second"):
        builder.add_link(name, ts.Inertia.of_box(1.0, (0.1, 0.1, 0.1)))
    builder.add_joint("a", "prismatic", "rail", "first", axis=(1, 0, 0))
    builder.add_joint("b", "prismatic", "first", "second", axis=(1, 0, 0))
    return builder.build()


@pytest.mark.parametrize("level", ["velocity", "acceleration"])
def test_a_linear_problem_has_its_closed_form(level):
    """min of the integral of n'^2 + w n^2: n(t) = n(0) cosh(k (T - t)) / cosh(k T) with k^2 = w."""
    model, duration, w = sledges(), 1.0, 9.0
    q0 = np.array([0.4, -0.2])  # n = (a - b) / sqrt(2)
    errors = []
    for steps in (100, 200):
        dt, t = duration / steps, np.linspace(0.0, duration, steps + 1)
        task = Position("second", np.stack([0.2 + 0.3 * t, 0 * t, 0 * t], axis=1), axes=[True, False, False])
        k = np.sqrt(w)
        n = 0.6 / np.sqrt(2) * np.cosh(k * (duration - t)) / np.cosh(k * duration)
        # the velocity that the closed form starts with, for the state that has one
        slope = -0.6 / np.sqrt(2) * k * np.tanh(k * duration)
        plan = predictive.optimize(
            model,
            task,
            q0,
            dt=dt,
            costs=predictive.Costs(posture=predictive.PostureCost(w, np.zeros(2)), acceleration=1e-9),
            level=level,
            u0=slope / np.sqrt(2) * np.array([1.0, -1.0]),
            iterations=3000,
            tolerance=FLAT,
        )
        assert np.allclose(plan.q.sum(axis=1), 0.2 + 0.3 * t, rtol=0, atol=1e-12)
        # a + b follows the path, so that w (a^2 + b^2) has a part of n only beside a constant one
        errors.append(np.abs((plan.q[:, 0] - plan.q[:, 1]) / np.sqrt(2) - n).max())
    assert errors[0] < 3e-4
    assert 3.5 < errors[0] / errors[1] < 4.5  # second order in the step, as a leapfrog


@pytest.mark.parametrize("arm", ["planar4", "crops9"])
def test_the_optimum_is_that_of_another_optimiser(arm):
    c = case(arm)
    costs = c.costs("cubic")

    def cost_and_gradient(x):
        plan = predictive.optimize(c.model, c.task, c.q0, dt=DT, costs=costs, guess=x.reshape(STEPS, -1), iterations=0)
        return plan.cost, DT * plan.gradient.ravel()

    plan = predictive.optimize(c.model, c.task, c.q0, dt=DT, costs=costs, iterations=2000, tolerance=FLAT)
    other = scipy.optimize.minimize(
        cost_and_gradient,
        np.zeros(STEPS * c.model.nv),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9},
    )
    assert plan.status == "converged"
    assert abs(plan.cost - other.fun) <= 1e-8 * other.fun
    assert np.abs(plan.gradient).max() <= 1e-4 * np.abs(costs.velocity)


@pytest.mark.parametrize("method", ["conjugate-gradient", "steepest-descent"])
@pytest.mark.parametrize("level", ["velocity", "acceleration"])
def test_costs_fall_with_every_iteration_and_none_is_worse_than_the_guess(method, level):
    c, rng = case("crops9"), np.random.default_rng(0)
    guess = rng.normal(size=(STEPS, 9))
    plan = predictive.optimize(
        c.model, c.task, c.q0, dt=DT, costs=c.costs("piecewise"), guess=guess, iterations=30, method=method, level=level
    )
    assert len(plan.history) == plan.iterations + 1
    assert (np.diff(plan.history) < 0).all()
    assert plan.cost == plan.history[-1]
    # and what is returned is what the returned input gives
    again = predictive.optimize(
        c.model, c.task, c.q0, dt=DT, costs=c.costs("piecewise"), guess=plan.input, iterations=0, level=level
    )
    assert abs(again.cost - plan.cost) <= 1e-12 * plan.cost and np.array_equal(again.q, plan.q)


def test_a_constant_step_descends_where_it_is_short_and_says_where_it_is_not():
    c = case("planar4")
    keywords = {"dt": DT, "costs": c.costs("cubic"), "method": "steepest-descent"}
    short = predictive.optimize(c.model, c.task, c.q0, step=0.05, iterations=20, **keywords)
    assert short.iterations == 20 and (np.diff(short.history) < 0).all()
    long = predictive.optimize(c.model, c.task, c.q0, step=50.0, iterations=20, **keywords)
    assert long.status == "no way down" and long.iterations == 0
    assert long.cost == long.history[0] and np.array_equal(long.input, np.zeros_like(long.input))


def test_inputs_stay_within_their_bounds_and_are_the_best_there():
    c = case("planar4")
    costs = c.costs("cubic")
    free = predictive.optimize(c.model, c.task, c.q0, dt=DT, costs=costs, iterations=500, tolerance=FLAT)
    bound = 0.5 * np.abs(free.input).max()
    plan = predictive.optimize(c.model, c.task, c.q0, dt=DT, costs=costs, bound=bound, iterations=2000, tolerance=FLAT)
    assert np.abs(plan.input).max() == bound  # some are at it
    assert free.cost < plan.cost < free.history[0]

    def cost_and_gradient(x):
        at = predictive.optimize(c.model, c.task, c.q0, dt=DT, costs=costs, guess=x.reshape(STEPS, -1), iterations=0)
        return at.cost, DT * at.gradient.ravel()

    other = scipy.optimize.minimize(
        cost_and_gradient,
        np.zeros(STEPS * c.model.nv),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-bound, bound)] * (STEPS * c.model.nv),
        options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9},
    )
    assert abs(plan.cost - other.fun) <= 1e-6 * other.fun


def test_a_free_start_meets_the_transversality_condition():
    c = case("planar4")
    costs = c.costs("cubic")
    held = predictive.optimize(c.model, c.task, c.q0, dt=DT, costs=costs, iterations=500, tolerance=FLAT)
    free = predictive.optimize(
        c.model, c.task, c.q0, dt=DT, costs=costs, iterations=2000, tolerance=FLAT, free_start=True
    )

    def along(plan):
        J = c.task.jacobian(c.model, plan.q[0])
        return np.linalg.norm((np.eye(4) - np.linalg.pinv(J) @ J) @ plan.adjoint[0])

    assert free.cost < held.cost
    assert along(free) <= 1e-4 * along(held)
    assert np.linalg.norm(free.q[0] - c.q0) > 0.05
    assert free.task_error[0] <= 1e-12  # (5.107)


def test_tasks_may_be_functions_of_time():
    c = case("planar4")
    given = predictive.optimize(c.model, c.task, c.q0, dt=DT, iterations=3)
    way = c.targets[-1] - c.targets[0]

    def task(t):
        return Position("tool", c.targets[0] + t / (STEPS * DT) * way, axes=[True, True, False])

    made = predictive.optimize(c.model, task, c.q0, dt=DT, duration=STEPS * DT, iterations=3)
    assert np.allclose(made.q, given.q, rtol=0, atol=1e-12)


def test_local_resolution_goes_down_the_gradient_of_the_potentials():
    c = case("planar4")
    slow = c.slow("cubic")
    slow.limits, costs = (
        None,
        predictive.Costs(0.8, collision=c.costs("cubic").collision, posture=c.costs(None).posture),
    )
    plan = predictive.local(c.model, c.task, c.q0, dt=DT, costs=costs)
    assert plan.status == "local" and plan.parts["collision"] > 1e-3
    for k in range(STEPS):
        assert np.allclose(plan.u[k], -slow.phi(plan.q[k])[1] / 0.8, rtol=0, atol=1e-10)
        assert np.allclose(plan.v[k], slow.f(plan.q[k], plan.u[k], k), rtol=0, atol=1e-10)


def test_signals_end_a_long_search():
    c = case("crops9")

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            predictive.optimize(
                c.model, c.task, c.q0, dt=DT, step=1e-9, iterations=1_000_000, tolerance=0.0, method="steepest-descent"
            )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
