"""Planners of the centre of mass: each against the equation of motion, closed forms, published numbers, one another."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import toeplitz
from walking.planning.walks import PENDULUM, path, stairs_of_pressure

from tarsus.errors import ArgumentError, PlanningError, ShapeError
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.pendulum.three_mass_model import ThreeMassModel
from tarsus.walking.pendulum.variable_height import VariableHeightPendulum
from tarsus.walking.planning.analytic import Analytic
from tarsus.walking.planning.collocation import Collocation
from tarsus.walking.planning.finite_differences import FiniteDifferences
from tarsus.walking.planning.predictive_control import PredictiveControl
from tarsus.walking.planning.pressure_path import PressurePath
from tarsus.walking.planning.preview import PreviewControl
from tarsus.walking.planning.relaxed_boundary import RelaxedBoundary
from tarsus.walking.planning.shooting import Shooting
from tarsus.walking.planning.singular_preview import SingularPreview, adapted_steps

W = PENDULUM.omega
START = MassState(np.array([0.02, 0.01]), np.array([0.05, -0.1]))
ALL = [Analytic, RelaxedBoundary, Shooting, SingularPreview, Collocation, PreviewControl, PredictiveControl]


def unbalanced(pattern):
    """By how much x'' = w^2 (x - p) is missed."""
    return np.abs(pattern.acceleration - pattern.omega**2 * (pattern.position - pattern.pressure)).max()


@pytest.mark.parametrize("planner", [*ALL, FiniteDifferences])
def test_accelerations_are_those_of_the_pendulum_above_the_pressure(planner):
    assert unbalanced(planner(PENDULUM).plan(path())) < 1e-10


@pytest.mark.parametrize("planner", ALL)
def test_plans_start_where_the_mass_is_and_as_fast(planner):
    pattern = planner(PENDULUM).plan(path(half_sole=(0.3, 0.3)), START)
    assert pattern.position[0] == pytest.approx(START.position, abs=1e-12)
    assert pattern.velocity[0] == pytest.approx(START.velocity, abs=1e-9)


@pytest.mark.parametrize("planner", [Analytic, Shooting, SingularPreview, Collocation, FiniteDifferences])
def test_plans_end_with_the_divergent_component_above_the_last_pressure(planner):
    """Of preview and predictive control, and where boundary values are relaxed, it is near it only."""
    reference = path()
    end = planner(PENDULUM).plan(reference).divergent[-1]
    assert end == pytest.approx(np.asarray(reference.points)[-1], abs=1e-4)


@pytest.mark.parametrize("planner", ALL)
def test_velocities_are_the_rates_of_positions(planner):
    pattern = planner(PENDULUM, dt=0.002).plan(path(half_sole=(0.3, 0.3)))
    t, x, v = pattern.times, pattern.position, pattern.velocity
    rate = (x[2:] - x[:-2]) / (t[2:] - t[:-2])[:, None]
    assert np.abs(rate - v[1:-1]).max() < 2e-3


def test_the_analytic_plan_is_the_motion_of_the_differential_equation():
    reference = path(steps=2, settling=0.4)
    pattern = Analytic(PENDULUM).plan(reference, START)
    adapted = PressurePath(pattern.times, pattern.pressure)

    def rate(t, y):
        return np.append(y[2:], W**2 * (y[:2] - adapted.at(t)))

    y0 = np.append(pattern.position[0], pattern.velocity[0])
    numeric = solve_ivp(rate, (0, reference.end), y0, rtol=1e-9, atol=1e-11, max_step=5e-3, t_eval=pattern.times).y.T
    # What rounding and the integrator leave grows by e^(w t).
    assert np.abs(numeric[:, :2] - pattern.position).max() < 1e-7 * np.exp(W * reference.end)


SAMPLED = 2e-5
"""Places [m] and velocities [m/s] from sample to sample: the second order of finite differences, at 5 ms."""


@pytest.mark.parametrize("planner", [*ALL, FiniteDifferences])
@pytest.mark.parametrize(
    ("steps", "step_time", "speed"), [(1, 0.1, 0.2), (2, 5.0, 0.02), (30, 0.8, 0.4), (100, 0.8, 0.4)]
)
def test_plans_of_any_length_move_as_the_pendulum_does_and_end_above_the_last_pressure(
    planner, steps, step_time, speed
):
    """From each sample to the next in closed form, above a pressure that is straight between them."""
    reference = path(steps=steps, step_time=step_time, speed=speed)
    pattern = planner(PENDULUM).plan(reference)
    p, h = pattern.pressure, np.diff(pattern.times)[:, None]
    sampled = MassState(pattern.position[:-1], pattern.velocity[:-1])
    later = PENDULUM.moved(sampled, h, p[:-1], np.diff(p, axis=0) / h)
    assert np.abs(later.position - pattern.position[1:]).max() < SAMPLED
    assert np.abs(later.velocity - pattern.velocity[1:]).max() < SAMPLED
    assert pattern.position[0] == pytest.approx(reference.at(0.0), abs=1e-12)
    assert pattern.divergent[-1] == pytest.approx(np.asarray(reference.points)[-1], abs=2e-4)
    assert np.abs(pattern.position - Analytic(PENDULUM).plan(reference).at(pattern.times)[0]).max() < 0.05


@pytest.mark.parametrize("steps", [12, 30, 100])
def test_shots_over_many_steps_are_the_closed_form(steps):
    reference = path(steps=steps)
    exact = Analytic(PENDULUM).plan(reference)
    found = Shooting(PENDULUM).plan(reference, MassState(exact.position[0], exact.velocity[0]))
    assert np.abs(found.position - exact.position).max() < 1e-9
    assert np.abs(found.velocity - exact.velocity).max() < 1e-8
    assert np.abs(found.pressure - exact.pressure).max() < 1e-9


def test_shots_are_exact_where_samples_are_far_apart_and_pressure_jumps_between_them():
    reference = PressurePath([0.0, 0.73, 0.73, 9.0], [[0, 0], [0, 0], [0.2, 0.1], [0.2, 0.1]])
    exact = Analytic(PENDULUM, 1.0).plan(reference)
    found = Shooting(PENDULUM, 1.0).plan(reference, MassState(exact.position[0], exact.velocity[0]))
    assert np.abs(found.position - exact.position).max() < 1e-6


def test_a_shift_that_comes_too_late_for_a_fall_is_told():
    with pytest.raises(PlanningError, match=r"between 15 and 16 s .* missed the divergent component at the start by 0"):
        Shooting(PENDULUM, shifted=(15.0, 16.0)).plan(path(steps=20), START)


def test_an_analytic_plan_of_minutes_does_not_drift():
    reference = path(steps=150)
    pattern = Analytic(PENDULUM).plan(reference)
    assert np.abs(pattern.position - pattern.pressure).max() < 0.25
    assert pattern.position[-1] == pytest.approx(np.asarray(reference.points)[-1], abs=1e-2)


def test_finite_differences_are_of_second_order():
    exact = Analytic(PENDULUM, 0.001).plan(path())

    def error(dt):
        found = FiniteDifferences(PENDULUM, dt).plan(path())
        return np.abs(
            found.position - np.stack([np.interp(found.times, exact.times, x) for x in exact.position.T], -1)
        ).max()

    errors = [error(dt) for dt in (0.02, 0.01, 0.005)]
    assert errors[0] < 2e-4
    assert errors[1] < errors[0] / 3.5 and errors[2] < errors[1] / 3.5


def test_finite_differences_take_a_height_that_changes_and_no_velocity():
    bobbing = VariableHeightPendulum(lambda t: (0.814 + 0.02 * np.sin(6 * t), -0.02 * 36 * np.sin(6 * t)))
    pattern = FiniteDifferences(PENDULUM, 0.0005, height=bobbing).plan(path())
    t, x = pattern.times, pattern.position
    second = (x[2:] - 2 * x[1:-1] + x[:-2]) / (t[1] - t[0]) ** 2
    assert np.abs(second - bobbing.square_rate(t[1:-1])[:, None] * (x - pattern.pressure)[1:-1]).max() < 1e-6
    with pytest.raises(ArgumentError, match="the velocity follows"):
        FiniteDifferences(PENDULUM).plan(path(), START)


def test_collocation_and_shooting_of_the_plain_pendulum_agree_with_the_closed_form():
    """With a start on the motion that does not diverge, nothing needs to be shaped."""
    exact = Analytic(PENDULUM, 0.002).plan(path())
    start = MassState(exact.position[0], exact.velocity[0])
    for planner in (Collocation(PENDULUM, 0.002), Shooting(PENDULUM, 0.002)):
        found = planner.plan(path(), start)
        assert np.abs(found.position - exact.position).max() < 1e-4
        assert np.abs(found.pressure - exact.pressure).max() < 1e-4


def legs(t):
    """Two feet that swing in turn."""
    t = np.asarray(t)
    at, acceleration = np.zeros((*t.shape, 2, 3)), np.zeros((*t.shape, 2, 3))
    for k, phase in enumerate((0.0, np.pi)):
        at[..., k, 0], acceleration[..., k, 0] = 0.2 * np.sin(3 * t + phase), -1.8 * np.sin(3 * t + phase)
        at[..., k, 1] = 0.09 * (1 - 2 * k)
        at[..., k, 2] = 0.05 + 0.02 * np.cos(3 * t + phase)
        acceleration[..., k, 2] = -0.18 * np.cos(3 * t + phase)
    return at, acceleration


def test_collocation_and_shooting_agree_for_three_masses():
    masses = ThreeMassModel(50.0, 0.1, 0.814)
    reference = path(steps=2, settling=0.6)
    span = (0.7, 1.4)
    spline = Collocation(PENDULUM, 0.001, masses=masses, legs=legs, shaped=span).plan(reference, START)
    shot = Shooting(PENDULUM, 0.001, masses=masses, legs=legs, shifted=span).plan(reference, START)
    for found in (spline, shot):
        assert found.divergent[-1] == pytest.approx(np.asarray(reference.points)[-1], abs=1e-6)
        push = masses.leg_push(found.pressure, *legs(found.times))
        assert np.abs(found.acceleration - masses.omega**2 * (found.position - found.pressure) - push).max() < 1e-9
    # Their shapes of the pressure differ, the motions before it do not.
    before = spline.times < span[0]
    assert np.abs(spline.position[before] - shot.position[before]).max() < 1e-5
    changed = np.abs(spline.pressure - reference.at(spline.times)).max(axis=1) > 1e-12
    assert changed.any() and spline.times[changed].min() >= span[0] and spline.times[changed].max() <= span[1]


def test_relaxed_boundaries_give_at_the_end_what_the_pressure_would_have_to():
    reference = path(steps=1, settling=0.3)
    ends, moved = [], []
    for weight in (1e-3, 1.0, 1e6):
        planner = RelaxedBoundary(PENDULUM, divergent_weight=weight, convergent_weight=weight)
        pattern = planner.plan(reference, START)
        ends.append(np.linalg.norm(pattern.position[-1] - np.asarray(reference.points)[-1]))
        moved.append(np.linalg.norm(pattern.pressure - reference.at(pattern.times)))
    assert ends[0] > ends[1] > ends[2] and ends[2] < 1e-5
    assert moved[0] < moved[1] < moved[2]


def test_gains_of_preview_control_are_the_published_problem_s():
    """Kajita et al. 2003 with z = 0.814 m, 5 ms, 1.6 s: gains of a Riccati equation solved with 50 digits."""
    gains = PreviewControl(PENDULUM).gains
    assert gains.integral == pytest.approx(618.701623783903358, rel=1e-8)
    assert gains.state == pytest.approx([72719.4389427347685, 21549.5976981764504, 177.012656728611993], rel=1e-8)
    first = [-618.7016237839034, -777.5073305103982, -952.2612920582694, -1082.276766762019, -1155.280351616965]
    assert gains.preview[:5] == pytest.approx(first, rel=1e-8)
    assert gains.preview[[199, 319]] == pytest.approx([-40.367167668, -5.02822264625], rel=1e-8)
    assert len(gains.preview) == 320 and gains.preview.sum() == pytest.approx(-72432.2669615372036, rel=1e-8)


@pytest.mark.parametrize(
    ("count", "largest", "com_2", "com_3", "velocity_3"),
    [
        (320, 0.114371015, 0.160408495156, 0.540239548394, 0.344159016041),
        (160, 0.116865219, 0.147228697738, 0.525604528402, 0.352075629664),
        (100, 0.135557527, 0.129206435804, 0.504854685073, 0.311866104565),
    ],
)
def test_preview_control_follows_the_better_the_further_it_looks(count, largest, com_2, com_3, velocity_3):
    reference = stairs_of_pressure()
    pattern = PreviewControl(PENDULUM, horizon=0.005 * count).plan(reference)
    error = pattern.pressure[:, 0] - reference.at(pattern.times)[:, 0]
    assert np.abs(error).max() == pytest.approx(largest, abs=1e-8)
    assert pattern.position[[400, 600], 0] == pytest.approx([com_2, com_3], abs=1e-9)
    assert pattern.velocity[600, 0] == pytest.approx(velocity_3, abs=1e-9)


def least_cost(planner, reference, start):
    """Pressures at the samples of a path that cost the least, shape (n, 2), by least squares over all jerks at once.

    Jerks are 0 before the start; the last pressure lasts three seconds more.
    """
    T, w = planner.dt, planner.pendulum.omega
    inside = round((reference.end - reference.start) / T)
    count = inside + round(3.0 / T)
    A, B, C = np.array([[1, T, T * T / 2], [0, 1, T], [0, 0, 1]]), np.array([T**3 / 6, T * T / 2, T]), [1, 0, -1 / w**2]
    free, forced = [np.stack([*start, np.zeros(2)])], [B]
    for _ in range(count):
        free.append(A @ free[-1])
        forced.append(A @ forced[-1])
    G, alone = toeplitz(C @ np.transpose(forced[:count]), np.zeros(count)), np.array([C @ x for x in free[1:]])
    D = np.eye(count) - np.eye(count, k=-1)
    wanted = reference.at(reference.start + T * np.arange(1, count + 1))
    M = np.vstack([np.sqrt(planner.error_weight) * G, np.sqrt(planner.input_weight) * D])
    right = np.vstack([np.sqrt(planner.error_weight) * (wanted - alone), np.zeros((count, 2))])
    return (alone + G @ np.linalg.lstsq(M, right, rcond=None)[0])[:inside]


@pytest.mark.parametrize("start", [MassState(np.zeros(2), np.zeros(2)), START])
def test_preview_control_costs_the_least_from_the_start_on(start):
    """On a path that moves at once, looking ahead over all of it; with its own 1.6 s it is near."""
    reference = path(steps=2, settling=1.0)
    best = least_cost(PreviewControl(PENDULUM, 0.01), reference, start)
    for horizon, tolerance in ((6.0, 1e-6), (1.6, 3e-3)):
        found = PreviewControl(PENDULUM, 0.01, horizon=horizon).plan(reference, start)
        assert np.abs(found.pressure[1:] - best).max() < tolerance


def test_preview_control_stays_near_the_soles_from_the_start_on():
    """Millimetres beyond where the path moves at once; nothing where it stands for longer than it looks ahead."""
    reference = path()
    assert PreviewControl(PENDULUM).plan(reference).beyond(reference) < 5e-3
    standing = PressurePath(*(np.append(a[:1] - 2.0 * (k == 0), a, axis=0) for k, a in enumerate(parts(reference))))
    assert PreviewControl(PENDULUM).plan(standing).beyond(standing) < 0.0


def parts(reference):
    """Of a path, in the order of its arguments."""
    return [np.asarray(reference.__dict__[name]) for name in ("times", "points", "lower", "upper")]


def test_singular_preview_has_the_least_error_of_the_pressure():
    """Less than any other motion from the same start that does not diverge; and its cost in closed form."""
    reference = path(half_sole=(0.5, 0.5))

    def cost(pattern):
        error = pattern.pressure - reference.at(pattern.times)
        return np.trapezoid((error**2).sum(axis=1), pattern.times)

    best = cost(SingularPreview(PENDULUM, 0.001).plan(reference, START))
    for other in (Analytic(PENDULUM, 0.001), Collocation(PENDULUM, 0.002), Shooting(PENDULUM, 0.001)):
        assert cost(other.plan(reference, START)) > best
    d = PENDULUM.divergent(*START) - Analytic(PENDULUM).plan(reference, START.position).divergent[0]
    assert best == pytest.approx(2 * (d @ d) / W, rel=1e-3)
    brief = PressurePath([0.0, 0.3], [[0.0, 0.0], [0.03, 0.0]])
    d = PENDULUM.divergent(*START) - Analytic(PENDULUM).plan(brief, START.position).divergent[0]
    left = SingularPreview(PENDULUM).plan(brief, START).divergent[-1] - [0.03, 0.0]
    assert left == pytest.approx(d * np.exp(-W * 0.3), abs=1e-12)


def test_footsteps_move_where_the_sole_is_too_short():
    steps = np.array([[0.3, -0.09], [0.6, 0.09], [0.6, -0.09]])
    calm = MassState(np.array([0.0, 0.06]), np.array([0.35, -0.05]))
    pushed = MassState(np.array([0.0, 0.06]), np.array([0.6, -0.05]))
    problem = {"error": [0.08, 0.05], "reach": [0.3, 0.15], "step_weight": 1.0, "error_weight": 0.1}

    def adapt(start, **change):
        return adapted_steps(PENDULUM, [0.0, 0.09], steps, 0.4, 0.8, start, **{**problem, **change})

    assert np.abs(adapt(calm).steps - steps).max() < np.abs(adapt(pushed).steps - steps).max()
    found = adapt(pushed)
    assert (np.abs(found.error) <= [0.08 + 1e-9, 0.05 + 1e-9]).all()
    assert found.steps[0, 0] > 0.3
    # The error that is told is the one of the plan on these footsteps.
    times = np.repeat(np.append(0.0, 0.4 + 0.8 * np.arange(4)), 2)[1:-1]
    points = np.repeat(np.vstack([[0.0, 0.09], found.steps]), 2, axis=0)
    plan = SingularPreview(PENDULUM).plan(PressurePath(times, points), pushed)
    assert plan.pressure[0] - [0.0, 0.09] == pytest.approx(found.error, abs=1e-9)
    with pytest.raises(PlanningError, match="catch the fall along x"):
        adapt(MassState(np.array([0.0, 0.06]), np.array([3.0, 0.0])))


def test_predictive_control_keeps_the_pressure_within_the_soles():
    """At the samples that it looks at; between them it may leave by little."""
    reference = path(speed=0.5)
    pattern = PredictiveControl(PENDULUM, 0.005).plan(reference)
    assert pattern.beyond(reference) < 0.02
    lower, upper = reference.bounds(pattern.times[20::20] - 1e-9)
    at = pattern.pressure[20::20]
    assert np.maximum(lower - at, at - upper).max() < 1e-7
    narrow = path(half_sole=(1e-4, 1e-4))
    with pytest.raises(PlanningError, match="cannot stay within its bounds"):
        PredictiveControl(PENDULUM).plan(narrow, MassState(np.zeros(2), np.array([2.0, 0.0])))


def test_predictive_control_needs_short_samples_for_quick_steps():
    quick = path(steps=10, step_time=0.2)
    assert PredictiveControl(PENDULUM).plan(quick).beyond(quick) > 0.05
    assert PredictiveControl(PENDULUM, step=0.05).plan(quick).beyond(quick) < 0.0


def test_patterns_are_sampled_between_and_held_beyond():
    pattern = Analytic(PENDULUM, 0.01).plan(path())
    fine = Analytic(PENDULUM, 0.001).plan(path())
    x, v, a = pattern.at(fine.times)
    assert np.abs(x - fine.position).max() < 1e-5 and np.abs(v - fine.velocity).max() < 5e-3
    assert a.shape == x.shape
    x, v, _ = pattern.at(pattern.times[-1] + 1.0)
    assert x == pytest.approx(pattern.position[-1]) and not v.any()


@pytest.mark.parametrize(
    ("times", "points", "error"),
    [
        ([0.0], [[0, 0]], ShapeError),
        ([0.0, 1.0], [[0, 0, 0], [0, 0, 0]], ShapeError),
        ([1.0, 0.0], [[0, 0], [0, 0]], ArgumentError),
        ([0.0, np.nan], [[0, 0], [0, 0]], ArgumentError),
    ],
)
def test_paths_that_are_none_are_refused(times, points, error):
    with pytest.raises(error):
        PressurePath(times, points)


def test_wrong_options_are_named():
    with pytest.raises(ArgumentError, match="pendulum of Analytic"):
        Analytic(0.8)
    with pytest.raises(ArgumentError, match="dt of Analytic"):
        Analytic(PENDULUM, dt=0.0)
    for planner, name, value in (
        (PreviewControl, "input_weight", -1.0),
        (PreviewControl, "error_weight", 0.0),
        (PreviewControl, "horizon", np.nan),
        (PredictiveControl, "step", 0.0),
        (PredictiveControl, "jerk_weight", np.nan),
        (Shooting, "tolerance", np.nan),
    ):
        with pytest.raises(ArgumentError, match=f"{name} of {planner.__name__}"):
            planner(PENDULUM, **{name: value})
    with pytest.raises(ArgumentError, match="belong together"):
        Shooting(PENDULUM, legs=legs).plan(path())
    with pytest.raises(ArgumentError, match="two times within the path"):
        Collocation(PENDULUM, shaped=(5.0, 4.0)).plan(path())
    with pytest.raises(ArgumentError, match="divergent_end"):
        PreviewControl(PENDULUM).plan(path(), divergent_end=[0, 0])
    with pytest.raises(ArgumentError, match="start"):
        Analytic(PENDULUM).plan(path(), [np.nan, 0.0])
    assert isinstance(PENDULUM, LinearInvertedPendulum)


@pytest.mark.parametrize("planner", [*ALL, FiniteDifferences])
def test_plans_do_not_depend_on_where_the_origin_is(planner):
    here = path(steps=2, settling=0.6, half_sole=(0.3, 0.3))
    away = np.array([7.0, -3.0])
    there = PressurePath(here.times, *(here.__dict__[name] + away for name in ("points", "lower", "upper")))
    first, second = planner(PENDULUM).plan(here), planner(PENDULUM).plan(there)
    assert np.abs(second.position - first.position - away).max() < 1e-6
    assert np.abs(second.pressure - first.pressure - away).max() < 1e-6


def test_knots_too_far_apart_for_the_shape_function_are_told():
    with pytest.raises(PlanningError, match="does not move the divergent component"):
        Collocation(PENDULUM, 2.0).plan(path(steps=30), START)


@pytest.mark.parametrize("planner", [Analytic, Shooting, Collocation])
def test_short_paths_end_right_from_a_start_with_a_velocity(planner):
    """Shorter than the time in which the pressure is changed."""
    reference = PressurePath([0.0, 0.3], [[0.0, 0.0], [0.03, 0.0]])
    pattern = planner(PENDULUM).plan(reference, START)
    assert pattern.velocity[0] == pytest.approx(START.velocity, abs=1e-12)
    assert pattern.divergent[-1] == pytest.approx([0.03, 0.0], abs=1e-12)


@pytest.mark.parametrize("planner", [Analytic, FiniteDifferences, Collocation])
def test_steps_longer_than_the_path_are_made_shorter(planner):
    assert len(planner(PENDULUM, 5.0).plan(PressurePath([0.0, 2.0], [[0, 0], [0.1, 0]])).times) >= 9
