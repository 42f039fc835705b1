"""Times along a path: as fast as limits allow, smooth, at rest at both ends."""

import numpy as np
import pytest
from ik.reaching.scenes import rods

import tarsus as ts
from tarsus.ik.reaching.spline_path import SplinePath
from tarsus.ik.reaching.time_law import RESERVE, ROUNDED, TimeLaw

V, A = np.array([1.0, 2.0, 1.5]), np.array([4.0, 3.0, 5.0])


def wavy_path(count=60):
    model = rods()
    s = np.linspace(0.0, 3.0, count)
    return SplinePath(model, s, np.stack([np.sin(s), 0.4 * s * s / 3, 0.3 * np.cos(3 * s)], axis=-1))


def straight_path(way):
    model = rods()
    s = np.linspace(0.0, float(np.linalg.norm(np.asarray(way) / V)), 12)
    return SplinePath(model, s, np.outer(s / s[-1], way))


def motion(path, law, count=20001):
    t = np.linspace(0.0, law.duration, count)
    s, rate, change = law.at(t)
    first, second = path.rates(s)
    return t, path.at(s), first * rate[:, None], second * rate[:, None] ** 2 + first * change[:, None]


@pytest.mark.parametrize("way", [(2.0, 0.1, 0.1), (0.02, 1.0, 0.0), (0.01, 0.02, -0.03)])
def test_a_straight_way_takes_the_time_of_a_trapezoid_and_of_the_rounding(way):
    law = TimeLaw(straight_path(way), V, A)
    d = np.abs(way)
    v, a = (V / np.maximum(d, 1e-9)).min(), (A / np.maximum(d, 1e-9)).min()  # of the share of the way
    trapezoid = 1 / v + v / a if v * v / a <= 1 else 2 / np.sqrt(a)
    rounding = min(ROUNDED, trapezoid / 5)
    assert law.duration == pytest.approx((trapezoid + rounding) * RESERVE, rel=5e-3)


def test_limits_are_kept_and_reached():
    path = wavy_path()
    _, _, v, vdot = motion(path, TimeLaw(path, V, A))
    assert (np.abs(v) <= V).all() and (np.abs(vdot) <= A).all()
    assert max((np.abs(v) / V).max(), (np.abs(vdot) / A).max()) > 0.9


def test_velocities_and_accelerations_are_derivatives_and_do_not_jump():
    path = wavy_path()
    law = TimeLaw(path, V, A)
    t, q, v, vdot = motion(path, law)
    h = t[1]
    assert np.abs((q[2:] - q[:-2]) / (2 * h) - v[1:-1]).max() < 1e-4
    assert np.abs((v[2:] - v[:-2]) / (2 * h) - vdot[1:-1]).max() < 5e-2  # third derivatives jump
    coarse, finer = (np.abs(np.diff(motion(path, law, count)[3], axis=0)).max() for count in (2001, 16001))
    assert finer < coarse / 4
    assert np.abs(v[[0, -1]]).max() < 1e-9 and np.abs(vdot[[0, -1]]).max() < 1e-6


def test_a_path_is_gone_along_once_and_forwards():
    path = wavy_path()
    law = TimeLaw(path, V, A)
    s, rate, _ = law.at(np.linspace(-0.1, law.duration + 0.1, 5000))
    assert s[0] == pytest.approx(0.0, abs=1e-12) and s[-1] == pytest.approx(path.length, abs=1e-9)
    assert (np.diff(s) >= -1e-12).all() and (rate >= -1e-12).all()


def test_rates_of_rotations_are_those_of_the_model():
    model = ts.robots.hrp2()
    rng = np.random.default_rng(0)
    way = rng.uniform(-0.3, 0.3, (6, model.nv))
    q = [np.array(model.reference)]
    for step in way:
        q.append(model.integrate(q[-1], step))
    path = SplinePath(model, np.arange(7.0), np.array(q))
    s, h = np.linspace(0.4, 5.6, 40), 1e-5
    first, second = path.rates(s)
    numeric = model.difference(path.at(s - h), path.at(s + h)) / (2 * h)
    assert np.abs(first - numeric).max() < 1e-5
    ahead, back = path.rates(s + 0.05)[0], path.rates(s - 0.05)[0]
    assert np.abs(second - (ahead - back) / 0.1).max() < 0.1 * np.abs(second).max()
