"""Loops that are drawn beyond the limits of their joints start inside of them, on the branch that the limits allow."""

import numpy as np
import pytest
from loop_models import rod
from robot_data import robot_data_path

import tarsus as ts
from tarsus.model import Loop
from tarsus.simulation.runs.joint_tables import stop_tables

FRAME, ARM = 0.35, 0.055
"""Lengths of the frame and of the cranks of a foot's parallelogram [m], those of Cassie."""
LEAN = -0.0172
"""Angle between crank and frame where it is drawn [rad]: nearly stretched."""
SKEW = 0.0201
"""By which the right foot of cassie_v2.sdf is drawn off the parallelogram [rad]: 1.364 instead of 1.3439."""
LIMITS = (-2.4, -0.6)
ON_A_LIMIT = 1e-9
"""[rad]."""


def foot(skew: float, limits: tuple[float, float] = LIMITS) -> ts.ModelBuilder:
    """A parallelogram drawn nearly stretched, with limits of both cranks far from there; its output is off by `skew`.

    Joint "foot" leads, the crank "turn" and the rod "swing" follow.
    """
    pivot, lever, end = _points(skew)
    b = ts.ModelBuilder("foot").add_link("shin").add_link("crank", rod(ARM)).add_link("rod", rod(FRAME))
    b.add_link("sole", rod(ARM))
    b.add_joint("foot", "revolute", "shin", "sole", position=tuple(pivot), q_min=limits[0], q_max=limits[1])
    b.add_joint("turn", "revolute", "shin", "crank", q_min=LIMITS[0], q_max=LIMITS[1], actuated=False)
    b.add_joint("swing", "revolute", "crank", "rod", position=(ARM, 0.0, 0.0), actuated=False)
    b.add_loop(Loop("tip", "spherical", "rod", "sole", ts.pose(tuple(end)), ts.pose(tuple(lever))))
    return b


def _points(skew: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pivot of the foot, its lever, and the rod as drawn [m]."""
    pivot = FRAME * np.array([np.cos(LEAN), np.sin(LEAN), 0.0])
    lever = ARM * np.array([np.cos(skew), np.sin(skew), 0.0])
    return pivot, lever, pivot + lever - [ARM, 0.0, 0.0]


def cranks(skew: float, angle: float) -> np.ndarray:
    """Both angles of the crank at which the rod reaches the foot at an angle: two circles, cosine rule [rad]."""
    pivot, lever, drawn = (p[0] + 1j * p[1] for p in _points(skew))
    tip = pivot + lever * np.exp(1j * angle)
    opening = np.arccos((ARM**2 + abs(tip) ** 2 - abs(drawn) ** 2) / (2.0 * ARM * abs(tip)))
    return np.array([np.angle(tip) - opening, np.angle(tip) + opening])


def crank_of(model: ts.Model, angle: float) -> float:
    place = model.coordinates.tree_q_start[model.joints["turn"].index]
    return float(model.joint_positions([angle])[place])


@pytest.mark.parametrize("skew", [0.0, SKEW, -SKEW])
def test_branch_is_the_one_that_the_limits_allow(skew: float) -> None:
    model = foot(skew).build()
    for angle in np.linspace(*LIMITS, 7):
        expected = min(cranks(skew, angle), key=lambda crank: abs(crank - angle))
        assert crank_of(model, angle) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("skew", [0.0, SKEW, -SKEW])
def test_reference_is_the_nearest_place_inside_all_limits_and_is_regular(skew: float) -> None:
    model = foot(skew).build()
    ends = [float(model.reference[0]), crank_of(model, model.reference[0])]
    assert max(ends) == pytest.approx(LIMITS[1], abs=ON_A_LIMIT)
    assert np.abs(model.coupling_matrix(model.reference)).max() < 1.1  # a parallelogram, nearly
    (told,) = [w for w in model.warnings if w.rule == "drawn-beyond-limits"]
    assert "'tip'" in told.message and "0.6 beyond its limits" in told.message
    assert ts.simulate(model, duration=0.05, progress=False).energy["joint_stored"][0] < ON_A_LIMIT


@pytest.mark.parametrize("skew", [SKEW, -SKEW])
def test_limits_of_both_cranks_hold_inside_those_of_the_leader(skew: float) -> None:
    model = foot(skew).build()
    for angle in np.linspace(model.q_min[0], model.q_max[0], 9):
        assert LIMITS[0] - ON_A_LIMIT <= crank_of(model, angle) <= LIMITS[1] + ON_A_LIMIT


def test_reference_that_is_asked_for_stays_beyond_limits() -> None:
    builder = foot(SKEW)
    builder.reference = {"foot": -0.3, "turn": -0.3, "swing": 0.3}
    model = builder.build()
    assert model.reference[0] == pytest.approx(-0.3, abs=1e-12)
    assert "drawn-beyond-limits" not in [w.rule for w in model.warnings]


def test_loop_without_a_place_inside_all_limits_stays_as_drawn() -> None:
    """The crank has to be between -2.4 and -0.6 and cannot be, with the foot between 0.1 and 0.2."""
    model = foot(SKEW, (0.1, 0.2)).build()
    assert min(*cranks(SKEW, 0.1), *cranks(SKEW, 0.2)) > LIMITS[1]
    assert abs(model.reference[0]) < 0.05
    assert "drawn-beyond-limits" not in [w.rule for w in model.warnings]


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_feet_of_cassie_are_mirror_images() -> None:
    """Up to the 0.02 rad by which the file draws the right one off; stops hold nothing anywhere inside the limits."""
    model = ts.load(robot_data_path("cassie_description/robots/cassie_v2.sdf"), base="free")
    left, right = (model.joints[f"{side}-foot-op"].q_index.start for side in ("left", "right"))
    for limits in (model.q_min, model.q_max, model.reference):
        assert limits[left] == pytest.approx(limits[right], abs=1.1 * SKEW)
    stops = stop_tables(model, True)
    held = np.flatnonzero(stops["stop_q"] >= 0)
    places = stops["stop_q"][held]
    for part in np.linspace(0.0, 1.0, 7):
        q = model.reference.copy()
        for k in (left, right):
            q[k] = (1.0 - part) * model.q_min[k] + part * model.q_max[k]
        joints = model.joint_positions(q)
        beyond = np.maximum(stops["lower"][held] - joints[places], joints[places] - stops["upper"][held])
        assert beyond.max() < 1e-8
        cranks = [
            joints[model.coordinates.tree_q_start[model.joints[f"{side}-tarsus-crank-joint"].index]]
            for side in ("left", "right")
        ]
        assert cranks[0] == pytest.approx(cranks[1], abs=1.1 * SKEW)
    run = ts.simulate(model, model.reference, duration=0.01, progress=False)
    assert run.energy["joint_stored"][0] < 1e-9
