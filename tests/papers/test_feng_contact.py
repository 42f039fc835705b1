"""Contact states of the humanoid of Feng et al. 2015, section 5: support, heel-off, touch-downs, slip, both feet.

The base is link 0, the toe of the supporting foot: 18 joints. The heel of that foot and the swing foot may touch.
"""

import numpy as np
import pytest
from scipy.optimize import brentq
from simulation.bodies import GRAVITY, drift

import tarsus as ts
from tarsus.contact import Rigid, flat, points, rigid_dynamics, rigid_impact
from tarsus.contact.rigid.impact import PLASTIC_SPEED
from tarsus.simulation import JointLaw

MODEL = ts.robots.feng18()
HEEL = ["r_sole_rear_left", "r_sole_rear_right"]
SWING_HEEL = ["l_sole_rear_left", "l_sole_rear_right"]
SWING_TOE = ["l_sole_front_left", "l_sole_front_right"]
CONTACTS = points(MODEL, HEEL + SWING_HEEL + SWING_TOE)
NV = MODEL.nv
STILL = np.zeros(NV)
EXACT = 1e-8


def place(joint):
    return MODEL.joints[f"joint{joint}"].q_index


def swing_pose(pitch, height, lean=0.08):
    """The swing leg before the body, its foot pitched (toe down is positive), its lowest corner at `height`."""

    def pose(knee):
        q = np.array(MODEL.reference)
        q[place(2)], q[place(5)], q[place(6)] = lean, -0.2, knee
        q[place(7)] = pitch - lean + 0.2 - knee
        return q

    def lowest(knee):
        return ts.frame_poses(MODEL, pose(knee), SWING_HEEL + SWING_TOE)[:, 2, 3].min() - height

    return pose(brentq(lowest, 0.2, 1.2, xtol=1e-15))


def dynamics(q, v=STILL, tau=STILL, friction=0.7):
    motion = rigid_dynamics(MODEL, q, v, tau, ground=flat(Rigid(friction)), contacts=CONTACTS)
    assert motion.residual <= 1e-9
    return (
        motion,
        dict(zip(motion.contacts, motion.mode, strict=True)),
        dict(zip(motion.contacts, motion.force, strict=True)),
    )


def test_foot_flat_support_is_the_model_of_17_joints():
    """5.1 (a): q = [q2 ... q18], the motion of the robot whose toe joint is locked."""
    rng = np.random.default_rng(0)
    q = swing_pose(0.1, 0.05)
    tau = np.r_[0.0, rng.normal(scale=3.0, size=NV - 1)]
    v = np.r_[0.0, rng.normal(scale=0.2, size=NV - 1)]
    motion, mode, force = dynamics(q, v, tau)
    assert [mode[name] for name in HEEL] == ["stick", "stick"]
    assert motion.dof == 17
    locked = MODEL.locked({"joint1": 0.0})
    expected = ts.forward_dynamics(locked, q[1:], v[1:], tau[1:], passive=True)
    np.testing.assert_allclose(motion.vdot[1:], expected, atol=EXACT)
    assert motion.vdot[0] == pytest.approx(0.0, abs=EXACT)
    assert force[HEEL[0]][2] > 0


def test_the_heel_goes_off_where_its_force_would_pull():
    """5.1 (b): q1 joins the state, 18 degrees of freedom. A torque of the ankle lifts the heel."""
    q = swing_pose(0.1, 0.05)
    tau = np.zeros(NV)
    tau[1] = -150.0
    motion, mode, _ = dynamics(q, STILL, tau)
    assert [mode[name] for name in HEEL] == ["open", "open"]
    assert motion.dof == 18
    np.testing.assert_allclose(motion.vdot, ts.forward_dynamics(MODEL, q, STILL, tau, passive=True), atol=EXACT)
    assert motion.vdot[0] > 0.0  # the heel rises
    # In a run the torque grows, and the event is where the force of the heel vanishes.
    law = JointLaw(times=[0.0, 0.1], tau=np.array([0.0 * tau, tau]))
    run = ts.simulate(
        MODEL, q, ground=flat(Rigid(0.7)), contacts=CONTACTS, controller=law, duration=0.06, sample_dt=1e-3
    )
    lift = {e["contact"]: e["time"] for e in run.metadata["events"] if e["event"] == "lift-off"}
    assert set(HEEL) == set(lift)
    before = np.searchsorted(run.time, lift[HEEL[0]]) - 1
    assert run.signals["dof"][[before, before + 1]].tolist() == [17, 18]
    normal = run.contact_force[:, :2, 2].sum(axis=1)
    assert 0.0 < normal[before] < 0.1 * normal[0]
    heel = ts.frame_pose(MODEL, run.q, HEEL[0])[:, 2, 3]
    assert heel[-1] > 1e-6
    assert drift(run) < 1e-6


@pytest.mark.parametrize(("pitch", "first"), [(-0.15, SWING_HEEL), (0.2, SWING_TOE)], ids=["heel", "toe"])
def test_the_swing_foot_touches_down(pitch, first):
    """5.2: C1 holds from then on; momentum changes by the impulse of the ground alone."""
    q = swing_pose(pitch, 0.004)
    down = np.vstack([ts.jacobian(MODEL, q, first[0])[2], np.eye(NV)[0]])
    v = np.linalg.pinv(down) @ [-0.3, 0.0]
    law = JointLaw(kd=2.0)
    run = ts.simulate(MODEL, q, v, ground=flat(Rigid(0.9)), contacts=CONTACTS, controller=law, duration=0.1)
    hits = [e for e in run.metadata["events"] if e["event"] == "impact"]
    assert {e["contact"] for e in hits[:2]} == set(first)
    i = int(np.flatnonzero(np.diff(run.time) == 0.0)[0])
    assert run.signals["dof"][i] == 17
    after = next(dof for t, dof in zip(run.time, run.signals["dof"], strict=True) if t > run.time[i])
    assert after < 18
    heights = ts.frame_poses(MODEL, run.q[i], first)[:, 2, 3]
    np.testing.assert_allclose(heights, 0.0, atol=1e-9)
    impact = rigid_impact(MODEL, run.q[i], run.v[i], ground=flat(Rigid(0.9)), contacts=CONTACTS)
    np.testing.assert_allclose(run.v[i + 1], impact.v, atol=10 * PLASTIC_SPEED)  # slower rebounds are closed at once
    change = ts.mass_matrix(MODEL, run.q[i]) @ (impact.v - run.v[i])
    names = dict(zip(impact.contacts, impact.impulse, strict=True))
    expected = sum(ts.jacobian(MODEL, run.q[i], name)[:3].T @ p for name, p in names.items())
    np.testing.assert_allclose(change, expected, atol=1e-9)
    assert impact.loss > 0.0
    assert run.energy["impact"][i + 1] == pytest.approx(impact.loss, rel=1e-6)
    assert drift(run) < 1e-5


@pytest.mark.parametrize("speed", [0.2, -0.2])
def test_the_contacting_foot_slips_with_friction_k_times_drag(speed):
    """(34) with C1 = z of the heel and f_t = K f_n against the motion, solved densely beside it."""
    K = 0.1
    q = swing_pose(-0.15, 0.0)
    J = [ts.jacobian(MODEL, q, name)[:3] for name in SWING_HEEL]
    v = np.zeros(NV)
    rows = np.vstack([J[0][[0, 2]], np.eye(NV)[0]])
    v = np.linalg.pinv(rows) @ np.array([speed, 0.0, 0.0])
    tau = np.zeros(NV)
    tau[4] = 40.0  # the hip presses the foot down
    motion, mode, force = dynamics(q, v, tau, friction=K)
    assert [mode[name] for name in SWING_HEEL] == ["slip", "slip"]
    f = sum(force[name] for name in SWING_HEEL)
    assert f[2] > 0.0
    np.testing.assert_allclose(f[0], -np.sign(speed) * K * f[2], rtol=1e-9)
    # Unknowns: vdot, f_n of the heel of the swing foot, f_n of the other heel; (37) for both.
    M, bias = ts.mass_matrix(MODEL, q), ts.bias_force(MODEL, q, v) - ts.passive_force(MODEL, q, v)
    middle = 0.5 * (J[0] + J[1])
    rest = 0.5 * sum(ts.jacobian(MODEL, q, name)[:3] for name in HEEL)
    push = middle[2] - K * np.sign(speed) * middle[0]
    system = np.block([[M, -push[:, None], -rest[2][:, None]], [middle[2], 0.0, 0.0], [rest[2], 0.0, 0.0]])
    drift_of = [0.5 * sum(ts.jacobian_dot_v(MODEL, q, v, n)[2] for n in names) for names in (SWING_HEEL, HEEL)]
    solution = np.linalg.solve(system, np.r_[tau - bias, -np.array(drift_of)])
    np.testing.assert_allclose(motion.vdot, solution[:NV], atol=EXACT * np.abs(solution).max())
    np.testing.assert_allclose(f[2], solution[NV], rtol=1e-8)
    assert motion.dof == 16


def test_both_feet_flat_leave_14_degrees_of_freedom():
    """The heel of the supporting foot takes one; the other foot three: heights of heel and toe, and its place ahead."""
    q = np.array(MODEL.neutral())
    tau = np.where(MODEL.actuated, ts.gravity_force(MODEL, q), 0.0)
    motion, mode, force = dynamics(q, tau=tau, friction=0.8)
    assert set(mode.values()) == {"stick"}
    assert motion.dof == 14
    assert all(f[2] >= -1e-7 for f in force.values())


def test_the_free_robot_is_carried_by_both_feet():
    """base="free": the toes are on the ground by contact, too, and all forces together are the weight."""
    model = ts.robots.feng18(base="free")
    frames = [f"{side}_sole_{end}_{edge}" for side in "rl" for end in ("rear", "front") for edge in ("left", "right")]
    q = np.array(model.neutral())
    q[2] -= ts.frame_poses(model, q, frames)[:, 2, 3].min()
    law = JointLaw(kp=4000.0, kd=150.0, q=q)
    run = ts.simulate(model, q, ground=flat(Rigid(0.8)), contacts=points(model, frames), controller=law, duration=0.2)
    rows = np.vstack([ts.jacobian(model, q, name)[:3] for name in frames])
    assert run.signals["dof"][0] == 24 - np.linalg.matrix_rank(rows) == 15
    closed = run.contact_force[1:].sum(axis=1)
    com = ts.center_of_mass(model, run.q)
    acceleration = np.gradient(np.gradient(com[:, 2], run.time), run.time)
    middle = slice(3, -3)
    np.testing.assert_allclose(
        closed[:, 2][middle], 63.8 * (GRAVITY + acceleration[1:][middle]), rtol=0.05
    )  # by differences of samples
    assert drift(run) < 1e-5


@pytest.mark.parametrize("side", ["l", "r"])
@pytest.mark.parametrize("height", [0.02, 0.06])
def test_a_free_robot_lifts_a_leg(side, height):
    """Knee and hip bend and stretch again within half a second; the other foot carries on."""
    model = ts.robots.feng18(base="free")
    frames = [f"{s}_sole_{end}_{edge}" for s in "rl" for end in ("rear", "front") for edge in ("left", "right")]
    q = np.array(model.neutral())
    q[2] -= ts.frame_poses(model, q, frames)[:, 2, 3].min()
    legs = {"r": (4, 3, 2), "l": (5, 6, 7)}[side]
    lifted = q.copy()
    for joint, bend in zip(legs, (-0.5, 1.0, -0.5), strict=True):
        lifted[model.joints[f"joint{joint}"].q_index] += bend * np.sqrt(height / 0.1) * (1 if side == "l" else -1)
    law = JointLaw(kp=2000.0, kd=100.0, times=[0.0, 0.25, 0.5], q=np.array([q, lifted, q]))
    run = ts.simulate(model, q, ground=flat(Rigid(0.8)), contacts=points(model, frames), controller=law, duration=0.5)
    assert run.finished
    assert run.contact_force[..., 2].min() > -1e-6 * 63.8 * GRAVITY
    kinds = [e["event"] for e in run.metadata["events"]]
    assert "lift-off" in kinds
