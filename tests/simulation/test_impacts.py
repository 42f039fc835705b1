"""Impacts on ground that does not give lose energy, friction and all, and the audit tells how much."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from benchmarks.zoo.drop import fall_energy, lowest, start
from benchmarks.zoo.robots import ROBOTS
from sample_models import BRICK
from scipy.optimize import brentq
from simulation.bodies import GRAVITY
from simulation.implicit_oracle import MEAN, SHARE

import tarsus as ts
from tarsus.contact import ContactPoint, LeastConstraint, contactors, flat, points
from tarsus.contact.contactors import features
from tarsus.contact.pairs import Pairs
from tarsus.errors import SimulationWarning
from tarsus.geometry.shapes import Box

DT = 1e-3
MOST_GAINED = 0.01
"""Of the energy of the fall that a limp robot may gain by all impacts and steps."""
MECHANICAL = ("kinetic", "potential", "ground_stored", "joint_stored")


def leg() -> ts.Model:
    """Two links on three axes: their end can be pushed anywhere, and a push along the normal moves it across, too."""
    b = ts.ModelBuilder("leg").add_link("ground").add_link("hip").add_link("thigh", BRICK).add_link("shank", BRICK)
    b.add_joint("yaw", "revolute", "ground", "hip", axis=(1.0, 0.0, 0.0))
    b.add_joint("pitch", "revolute", "hip", "thigh", axis=(0.0, 1.0, 0.0))
    b.add_joint("knee", "revolute", "thigh", "shank", axis=(0.0, 1.0, 0.0), position=(0.0, 0.0, -0.5))
    X = np.eye(4)
    X[:3, 3] = 0.0, 0.05, -0.4
    return b.add_frame("foot", "shank", X).build()


def single_impulse(G: npt.NDArray[np.float64], b: npt.NDArray[np.float64], mu: float) -> npt.NDArray[np.float64]:
    """Impulse (x, y, z) of one point with u = G l + b: u_z = 0, in the cone, friction against the end velocity."""
    stick = np.linalg.solve(G, -b)
    if np.hypot(*stick[:2]) <= mu * stick[2]:
        return stick

    def along(angle: float) -> npt.NDArray[np.float64]:
        return np.array([mu * np.cos(angle), mu * np.sin(angle), 1.0])

    def across(angle: float) -> float:
        """Velocity across the friction, times the normal response: it has no poles."""
        d = along(angle)
        u = b * (G[2] @ d) - b[2] * (G @ d)
        return float(d[0] * u[1] - d[1] * u[0])

    angles = np.linspace(-np.pi, np.pi, 361)
    values = [across(a) for a in angles]
    for one, two, f, g in zip(angles, angles[1:], values, values[1:], strict=False):
        d = along(brentq(across, one, two, xtol=1e-14)) if f * g <= 0.0 else along(one)
        if f * g > 0.0 or not G[2] @ d > 0.0:
            continue
        impulse: npt.NDArray[np.float64] = -b[2] / (G[2] @ d) * d
        if impulse[:2] @ (G @ impulse + b)[:2] <= 0.0:
            return impulse
    raise AssertionError("no impulse was found")


@pytest.mark.parametrize("mu", [0.2, 0.6, 1.0])
def test_one_impact_is_that_of_the_equations_and_loses_what_the_audit_tells(mu: float) -> None:
    """M (v+ - v) + dt bias = J^T l with dense matrices; l u - l G l / 2 is lost, even where friction gives some."""
    model = leg()
    rng = np.random.default_rng(3)
    gave = 0
    for _ in range(150):
        q, v = np.array([rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 1.2), rng.uniform(-1.5, 1.0)]), rng.normal(size=3)
        J, M = ts.jacobian(model, q, "foot")[:3], ts.mass_matrix(model, q)
        if (J @ v)[2] > 0.0:
            v = -v
        v *= 0.5 / -(J @ v)[2]  # strikes at 0.5 m/s
        if np.abs(v).max() > 4.0:  # one whose step would be halved
            continue
        height = float(ts.frame_pose(model, q, "foot")[2, 3])
        run = ts.simulate(model, q, v, ground=flat(LeastConstraint(mu), height=height), duration=DT, sample_dt=DT,
                          contacts=points(model, ["foot"]), stops=False)  # fmt: skip
        mean = 0.5 * (v + run.v[1])
        free = v - DT * np.linalg.solve(M, ts.bias_force(model, q, mean))
        G = J @ np.linalg.solve(M, J.T)
        impulse = single_impulse(G, J @ free, mu)
        # The velocity terms that the step uses are known to that, and impulses follow from them with the inverse of J.
        allowed = DT * max(MEAN, SHARE * float(np.abs(run.v).max()) / DT) * float(np.abs(M).max())
        allowed *= float(np.linalg.norm(np.linalg.inv(J)))
        np.testing.assert_allclose(DT * run.contact_force[1, 0], impulse, atol=allowed)
        energy = {name: float(part[1]) for name, part in run.energy.items()}
        work = 0.5 * impulse * (J @ (v + run.v[1]))  # of x, y, z
        assert work.sum() < 0.0
        assert impulse @ (J @ run.v[1]) - 0.5 * impulse @ G @ impulse < 0.0
        assert energy["impact"] + energy["ground_dissipated"] == pytest.approx(-work.sum(), rel=1e-5)
        gave += work[:2].sum() > 1e-4
    assert gave > 3  # friction gives energy in some, which the normal takes


def feet(model: ts.Model) -> list[ContactPoint]:
    """One point on each last link, the lowest."""
    inner = {joint.parent for joint in model.joints.values()}
    found: dict[str, Any] = {}
    for feature in features(model, contactors(model)):
        if feature.body not in inner and (feature.body not in found or feature.start[2] < found[feature.body][2]):
            found[feature.body] = feature.start
    return [ContactPoint(body, body, place) for body, place in found.items()]


class Hrp2:
    """As a robot of the zoo."""

    turn = lift = None

    @staticmethod
    def load() -> ts.Model:
        return ts.robots.hrp2()


def gained(name: str, seeds: list[int], few: bool, **law: float) -> npt.NDArray[np.float64]:
    """Energy that limp robots gained in a fall of 0.3 m in random attitudes, relative to that, shape (seeds,)."""
    robot: Any = Hrp2 if name == "hrp2" else ROBOTS[name]
    model = robot.load()
    q = np.array([start(robot, seed) for seed in seeds])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*did not settle in", category=SimulationWarning)
        run = ts.simulate(model, q, ground=flat(LeastConstraint(**law)), contacts=feet(model) if few else None,
                          duration=1.2 if few else 0.8, sample_dt=DT, progress=False)  # fmt: skip
    lost = np.sum([run.energy[part][-1] for part in ("impact", "ground_dissipated", "joint_dissipated")], axis=0)
    assert lost.min() > 0.1 * fall_energy(model)
    mechanical = np.sum([run.energy[part] for part in MECHANICAL], axis=0) + run.energy["joint_dissipated"]
    for added in (run.energy["integration"], mechanical - mechanical[0]):
        assert np.all(added.max(axis=0) <= MOST_GAINED * fall_energy(model))
    return np.asarray(run.energy["integration"].max(axis=0) / fall_energy(model))


@pytest.mark.parametrize(
    ("name", "seeds", "few"),
    [("go1", [7, 15, 17], True), ("talos", [2, 3, 15], True), ("solo12", [2, 16], False), ("hrp2", [0, 14], False)],
)
def test_limp_robots_gain_nothing_in_impacts(name: str, seeds: list[int], few: bool) -> None:
    """The audit told 15 to 19, 16, 5 and 2 % of the fall for some of these before impulses counted together."""
    assert gained(name, seeds, few).max() <= MOST_GAINED


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("name", ["go1", "solo12", "hrp2", "talos"])
@pytest.mark.long
def test_twenty_limp_drops_gain_nothing(name: str, few: bool) -> None:
    assert gained(name, list(range(20)), few).max() <= MOST_GAINED


@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_restitution_with_friction_at_several_points_gains_nothing(restitution: float) -> None:
    """Newton's law would (Kane and Levinson 1985); where it does, it is left out of the step."""
    assert gained("go1", list(range(8)), few=True, restitution=restitution).max() <= MOST_GAINED


def test_bodies_that_begin_deep_in_each_other_are_not_thrown_apart() -> None:
    """A thigh of solo12 between the shoulder and the thigh of another leg: no velocities push it out of both.

    It reached 4000 rad/s before.
    """
    model = ROBOTS["solo12"].load()
    q = np.array(model.random(np.random.default_rng(23)))
    q[:3] = 0.0
    q[2] = 0.3 - lowest(model, q)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = ts.simulate(model, q, ground=flat(LeastConstraint()), pairs=Pairs("all", law=LeastConstraint()),
                          duration=0.6, sample_dt=DT)  # fmt: skip
    assert any("begin 0.007 m deep in each other" in str(w.message) for w in told)
    assert np.abs(run.v).max() < 100.0
    assert run.energy["integration"].max() < MOST_GAINED * fall_energy(model)


def test_overlap_is_resolved_at_a_tenth_of_a_metre_a_second_at_most() -> None:
    """Three blocks in a row, each a centimetre deep in the next."""
    X = np.eye(4)
    model = ts.ModelBuilder("row").add_link("root").build()
    for name, x, size in (("left", -0.1, 0.1), ("middle", 0.0, 0.12), ("right", 0.1, 0.1)):
        X[:3, 3] = x, 0.0, 0.05
        model = model.with_object(Box((size, 0.1, 0.1)), 1.0, X, name=name)
    with pytest.warns(SimulationWarning, match="deep in each other"):
        run = ts.simulate(model, duration=0.5, ground=flat(LeastConstraint()), pairs="all", sample_dt=DT)
    assert np.abs(run.v).max() <= 0.1 * (1 + 1e-6)  # the greatest speed by which overlap is resolved
    x = run.q.reshape(-1, 3, 7)[..., 0]
    assert np.all(x[-1, 1:] - x[-1, :-1] > 0.11 - 1e-4)  # pushed apart they are
    weight = 3.0 * GRAVITY
    assert run.energy["integration"].max() < 0.01 * weight
