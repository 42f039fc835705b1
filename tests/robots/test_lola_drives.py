"""Lola with its 24 drives as bodies, gears rigid or elastic."""

from dataclasses import replace

import numpy as np
import pytest
from dynamics.finite_differences import derivative
from dynamics.integration import runge_kutta_step
from dynamics.states import SOLVED, assert_close, random_state
from robots.projection import projected_bias_force, projected_mass_matrix
from scipy.linalg import eigh

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.model.assembly import assemble
from tarsus.robots._lola_drives import DRIVES

ROUND_OFF = 1e-12
STIFF_SOLVED = 1e-8  # condition numbers of 2e5 with elastic gears, and spring torques of 1e2 beside others of one
ENERGY_DRIFT = 5e-5  # share of the spring energy that steps of 0.03 ms lose in the vibration of the toes
MIRROR = np.diag([1.0, -1.0, 1.0])

plain = ts.robots.lola()
bare = ts.robots.lola(armature=False)
rigid = ts.robots.lola(drives="rigid")
elastic = ts.robots.lola(drives="elastic")
DRIVEN = pytest.mark.parametrize("model", [rigid, elastic], ids=["rigid", "elastic"])
SPRINGS = [name for name in elastic.joints if name.endswith("_elastic")]
DEFLECTIONS = np.array([elastic.joints[name].v_index.start for name in SPRINGS])
OTHERS = np.setdiff1d(np.arange(elastic.nv), DEFLECTIONS)


def with_deflections(q: FloatArray, deflections: FloatArray | float = 0.0) -> FloatArray:
    """Configuration of the elastic model from one of the rigid model."""
    result = np.zeros(elastic.nq)
    result[DEFLECTIONS + 1] = deflections
    result[np.setdiff1d(np.arange(elastic.nq), DEFLECTIONS + 1)] = q
    return result


def stiffer(factor: float) -> ts.Model:
    """The elastic model with all springs stiffer."""
    joints = tuple(replace(joint, stiffness=factor * joint.stiffness) for joint in elastic.description.joints)
    return assemble(replace(elastic.description, joints=joints))


@pytest.mark.parametrize(("model", "nv", "nb"), [(rigid, 30, 49), (elastic, 46, 65)], ids=["rigid", "elastic"])
def test_sizes(model, nv, nb):
    assert (model.nq, model.nv, model.nb) == (nv + 1, nv, nb)
    assert sum(name.endswith("_rotor") for name in model.bodies) == 24


def test_sixteen_gears_are_elastic_none_of_them_screw_driven():
    assert len(SPRINGS) == 16
    assert not any(name.startswith(("tkf", "tsa", "tsf")) for name in SPRINGS)


@DRIVEN
def test_drives_are_taken_from_the_segments(model):
    assert model.total_mass == pytest.approx(60.0, abs=ROUND_OFF)
    for name, body in bare.bodies.items():
        rest = model.bodies[name].inertia
        assert 0.5 * body.inertia.mass < rest.mass <= body.inertia.mass
        moments = np.linalg.eigvalsh(rest.moments)
        assert moments[0] > 0.0
        assert moments[0] + moments[1] > moments[2]


@DRIVEN
def test_reference_pose_is_that_of_the_model_without_drives(model):
    for name in ("torso", "head", "l_hand", "r_hand", *(name for name in plain.frames if "_sole" in name)):
        expected = ts.frame_pose(plain, plain.reference, name)
        np.testing.assert_allclose(ts.frame_pose(model, model.reference, name), expected, atol=ROUND_OFF)
    expected = ts.center_of_mass(plain, plain.reference)
    np.testing.assert_allclose(ts.center_of_mass(model, model.reference), expected, atol=ROUND_OFF)


def test_rigid_drives_change_no_coordinate_and_no_limit():
    for name, joint in plain.joints.items():
        assert (rigid.joints[name].q_index, rigid.joints[name].v_index) == (joint.q_index, joint.v_index)
    for limit in ("q_min", "q_max", "v_max", "tau_max", "actuated"):
        np.testing.assert_array_equal(getattr(rigid, limit), getattr(plain, limit))


def test_elastic_gears_are_driven_on_the_side_of_the_motor_and_limited_there():
    for limit in ("q_min", "q_max"):
        expected = with_deflections(getattr(plain, limit), getattr(elastic, limit)[DEFLECTIONS + 1])
        np.testing.assert_array_equal(getattr(elastic, limit), expected)
    np.testing.assert_array_equal(elastic.tau_max[OTHERS], plain.tau_max)
    np.testing.assert_array_equal(elastic.actuated[OTHERS], plain.actuated)
    assert not elastic.actuated[DEFLECTIONS].any()
    # Twice the deflection at full torque, and never more than what is small.
    assert np.all(elastic.q_max[DEFLECTIONS + 1] <= 0.021)
    assert np.all(elastic.q_min == np.where(np.isin(np.arange(47), DEFLECTIONS + 1), -elastic.q_max, elastic.q_min))


@DRIVEN
def test_motors_turn_with_their_joints(model):
    v = np.random.default_rng(1).normal(size=model.nv)
    rates = dict(zip(_one_axis(model), model.joint_velocities(model.reference, v)[6:], strict=True))
    for name in ("tbr", "tba", "tvp", "tvt"):
        assert rates[f"{name}_motor"] == pytest.approx(100.0 * rates[name], rel=ROUND_OFF)
    for side, sign in (("r", 1.0), ("l", -1.0)):
        for name in ("thr", "tha", "thf", "tkf", "tzf", "taf", "taa", "tef"):
            assert rates[f"{name}{side}_motor"] == pytest.approx(100.0 * rates[name + side], rel=ROUND_OFF)
        flexion, adduction = 100.0 * rates[f"tsf{side}"], sign * 70.0 * rates[f"tsa{side}"]
        assert rates[f"ami{side}"] == pytest.approx(flexion - adduction, rel=ROUND_OFF)
        assert rates[f"amo{side}"] == pytest.approx(flexion + adduction, rel=ROUND_OFF)


def _one_axis(model: ts.Model) -> list[str]:
    return [name for name in model.joints if name != "base"]


@DRIVEN
def test_rotors_sit_on_the_segment_before_their_joint(model):
    for drive in DRIVES:
        held = model.joints[drive.motor]
        assert held.parent == drive.parent
        first = drive.joints if len(drive.joints) == 1 else ("tsa" + drive.motor[-1],)
        for joint in first:
            assert model.joints[joint].parent == drive.parent
            if not joint.startswith(("tkf", "tsa")):  # screws turn along their segment
                np.testing.assert_array_equal(held.axis, model.joints[joint].axis)


@DRIVEN
def test_left_drives_are_the_mirror_image_of_the_right_ones(model):
    q, v = model.reference, np.zeros(model.nv)
    rng = np.random.default_rng(2)
    for name, joint in model.joints.items():
        stem = name.removesuffix("_elastic")
        if stem.endswith("r") and stem[:-1] + "l" in model.joints and joint.v_index.stop > joint.v_index.start:
            left = model.joints[stem[:-1] + "l" + name[len(stem) :]]
            v[joint.v_index] = rng.normal()
            v[left.v_index] = v[joint.v_index] * (1.0 if stem[:3] in ("tha", "tsa", "taa") else -1.0)
    for right in (name for name in model.bodies if name.endswith("r_rotor")):
        left = right.replace("r_rotor", "l_rotor")
        if left not in model.bodies:
            continue
        a, b = (ts.frame_pose(model, q, name)[:3, 3] for name in (right, left))
        np.testing.assert_allclose(b, MIRROR @ a, atol=ROUND_OFF)
        a, b = (ts.frame_velocity(model, q, v, name) for name in (right, left))
        np.testing.assert_allclose(b[:3], MIRROR @ a[:3], atol=1e-10)
        np.testing.assert_allclose(b[3:], -MIRROR @ a[3:], atol=1e-10)  # a reflected rotation


@DRIVEN
@pytest.mark.parametrize("seed", range(3))
def test_dynamics_are_those_of_all_bodies_projected_by_the_couplings(model, seed):
    q, v, *_ = random_state(model, seed)
    assert_close(ts.mass_matrix(model, q), projected_mass_matrix(model, q))
    assert_close(ts.bias_force(model, q, v), projected_bias_force(model, q, v))


@pytest.mark.parametrize("seed", range(3))
def test_rotors_add_their_spin_to_the_mass_matrix_of_the_bare_links(seed):
    # Kinetic energy of a rotor beyond that at rest: J r (a . w) + J r^2 / 2 with its rate r = g v, axis a and w of the
    # segment that holds it.
    q = random_state(rigid, seed).q
    expected = ts.mass_matrix(bare, q)
    for drive in DRIVES:
        g = np.zeros(30)
        for joint, ratio in drive.joints.items():
            g[bare.joints[joint].v_index] = ratio
        axis = ts.frame_pose(bare, q, drive.parent)[:3, :3] @ rigid.joints[drive.motor].axis
        along = axis @ ts.jacobian(bare, q, drive.parent)[3:]
        expected += drive.size.rotor_moment * (np.outer(g, along) + np.outer(along, g) + np.outer(g, g))
    assert_close(ts.mass_matrix(rigid, q), expected)


def test_rotors_reflect_the_armature_of_the_model_without_drives_but_at_the_ankles():
    difference = np.diag(ts.mass_matrix(rigid, rigid.reference) - ts.mass_matrix(bare, bare.reference))
    for name, joint in list(plain.joints.items())[1:]:
        # Two motors turn each ankle axis, adduction with the shorter arm.
        factor = {"tsf": 2.0, "tsa": 2.0 * 0.7**2}.get(name[:3], 1.0)
        assert difference[joint.v_index][0] == pytest.approx(factor * joint.armature[0], rel=1e-9)


@DRIVEN
@pytest.mark.parametrize("method", ["articulated-body", "composite-body"])
@pytest.mark.parametrize("passive", [False, True])
def test_forward_dynamics_undo_inverse_dynamics(model, method, passive):
    q, v, vdot, _, external = random_state(model, 3, (4,))
    tau = ts.inverse_dynamics(model, q, v, vdot, external, passive=passive)
    found = ts.forward_dynamics(model, q, v, tau, external, method, passive=passive)
    assert_close(found, vdot, STIFF_SOLVED)


@DRIVEN
def test_articulated_and_composite_bodies_agree(model):
    q, v, _, tau, external = random_state(model, 4, (4,))
    recursive, solved = (
        ts.forward_dynamics(model, q, v, tau, external, method) for method in ("articulated-body", "composite-body")
    )
    assert_close(recursive, solved, SOLVED)


def test_gear_springs_are_the_only_passive_forces():
    q, v, *_ = random_state(elastic, 5)
    expected = np.zeros(46)
    for name, i in zip(SPRINGS, DEFLECTIONS, strict=True):
        joint = elastic.joints[name]
        assert 1e4 <= joint.stiffness[0] <= 3e4
        expected[i] = -joint.stiffness[0] * q[i + 1] - joint.damping[0] * v[i]
    np.testing.assert_allclose(ts.passive_force(elastic, q, v), expected, rtol=ROUND_OFF)


@pytest.mark.parametrize("seed", range(3))
def test_elastic_gears_without_deflection_are_rigid(seed):
    q, v, vdot, *_ = random_state(rigid, seed)
    Q, V, A = with_deflections(q), np.zeros(46), np.zeros(46)
    V[OTHERS], A[OTHERS] = v, vdot
    assert_close(ts.mass_matrix(elastic, Q)[np.ix_(OTHERS, OTHERS)], ts.mass_matrix(rigid, q))
    assert_close(ts.inverse_dynamics(elastic, Q, V, A)[OTHERS], ts.inverse_dynamics(rigid, q, v, vdot))
    for name in plain.bodies:
        np.testing.assert_allclose(ts.frame_pose(elastic, Q, name), ts.frame_pose(rigid, q, name), atol=ROUND_OFF)


def test_elbow_is_a_motor_and_a_load_on_a_spring():
    # M = [[Jm + Jl, Jl], [Jl, Jl]] in (motor / 100, deflection): rotor and gear output, forearm about the elbow.
    model = ts.robots.lola("fixed", drives="elastic")
    output = 4e-5
    motor, load = 100.0**2 * 3e-5 + output, 0.0116242 + 1.3 * 0.16**2 - output
    both = [model.joints[name].v_index.start for name in ("tefr", "tefr_elastic")]
    M = ts.mass_matrix(model, model.reference)[np.ix_(both, both)]
    np.testing.assert_allclose(M, [[motor + load, load], [load, load]], rtol=ROUND_OFF)
    assert np.sqrt(eigh([[0.0, 0.0], [0.0, 1e4]], M, eigvals_only=True)[1]) == pytest.approx(
        np.sqrt(1e4 * (1.0 / motor + 1.0 / load)), rel=1e-9
    )


def test_accelerations_approach_those_of_rigid_gears_as_springs_get_stiffer():
    # Deflections that carry the torques of the rigid motion, d = -(torque at the deflection) / k, shrink with 1 / k,
    # and so does what the deflected robot does otherwise.
    q, v, _, tau, _ = random_state(rigid, 6)
    vdot = ts.forward_dynamics(rigid, q, v, tau)
    V, A, T = np.zeros((3, 46))
    V[OTHERS], A[OTHERS], T[OTHERS] = v, vdot, tau
    needed = ts.inverse_dynamics(elastic, with_deflections(q), V, A)[DEFLECTIONS]
    errors = []
    for factor in (1e1, 1e2, 1e3, 1e4):
        model = stiffer(factor)
        k = np.array([model.joints[name].stiffness[0] for name in SPRINGS])
        found = ts.forward_dynamics(model, with_deflections(q, -needed / k), V, T, passive=True)
        errors.append(np.abs(found - A).max() / np.abs(A).max())
    np.testing.assert_allclose(np.array(errors[1:]) / errors[:-1], 0.1, rtol=0.05)
    assert errors[-1] < 1e-3


def test_gears_without_damping_exchange_energy_with_the_robot_and_lose_none():
    joints = tuple(replace(joint, damping=0.0) for joint in elastic.description.joints)
    model = assemble(replace(elastic.description, joints=joints))
    k = np.array([model.joints[name].stiffness[0] for name in SPRINGS])
    v0 = random_state(model, 7).v
    drifts = []
    for steps in (300, 600):  # 20 and 40 a period of the toes, 1.3 ms
        q, v = with_deflections(rigid.reference, 0.005), v0
        energies = [_energies(model, q, v, k)]
        for _ in range(steps):
            q, v = runge_kutta_step(
                model, q, v, 0.02 / steps, lambda q, v: ts.forward_dynamics(model, q, v, np.zeros(46), passive=True)
            )
            energies.append(_energies(model, q, v, k))
        kinetic, potential, stored = np.transpose(energies)
        assert np.ptp(stored) > 1.0
        drifts.append(np.ptp(kinetic + potential + stored) / np.ptp(stored))
    assert drifts[0] / drifts[1] > 14.0  # order four or better
    assert drifts[1] < ENERGY_DRIFT


def _energies(model: ts.Model, q: FloatArray, v: FloatArray, k: FloatArray) -> tuple[float, float, float]:
    stored = 0.5 * float(k @ np.square(q[DEFLECTIONS + 1]))
    return float(ts.kinetic_energy(model, q, v)), float(ts.potential_energy(model, q)), stored


def test_gears_vibrate_with_some_ten_hertz_when_motors_are_held():
    model = ts.robots.lola("fixed", drives="elastic")
    springs = [model.joints[name] for name in SPRINGS]
    places = np.array([joint.v_index.start for joint in springs])
    M = ts.mass_matrix(model, model.reference)[np.ix_(places, places)]
    squares = eigh(np.diag([joint.stiffness[0] for joint in springs]), M, eigvals_only=True)
    frequencies = np.sqrt(squares) / (2.0 * np.pi)
    assert 5.0 < frequencies[0] < 10.0
    assert np.sum((frequencies > 5.0) & (frequencies < 60.0)) == 10
    assert frequencies[-1] < 1000.0


def test_standing_on_the_motors_is_stable():
    """Linearised about the reference pose with fixed torso: all poles are in the left half plane."""
    model = ts.robots.lola("fixed", drives="elastic")
    springs = [model.joints[name] for name in SPRINGS]
    places = np.array([joint.v_index.start for joint in springs])
    k = np.array([joint.stiffness[0] for joint in springs])
    q0 = model.reference.copy()
    for _ in range(20):  # weight on the springs; each round shrinks the error by weight x length / stiffness
        q0[places] = -ts.gravity_force(model, q0)[places] / k
    hold = np.where(model.actuated, ts.gravity_force(model, q0), 0.0)
    gains = np.where(model.actuated, 2e4, 0.0), np.where(model.actuated, 4e2, 0.0)

    def acceleration(x: FloatArray) -> FloatArray:
        q, v = q0 + x[: model.nv], x[model.nv :]
        return ts.forward_dynamics(model, q, v, hold - gains[0] * (q - q0) - gains[1] * v, passive=True)

    rest = acceleration(np.zeros(2 * model.nv))
    np.testing.assert_allclose(rest, 0.0, atol=1e-6)  # torques rounded to 1e-13 on toes of 4e-4 kg m^2
    slopes = [derivative(lambda t, e=e: acceleration(t * e), 1e-4) for e in np.eye(2 * model.nv)]
    A = np.block([[np.zeros((40, 40)), np.eye(40)], [np.column_stack(slopes)]])
    poles = np.linalg.eigvals(A)
    assert poles.real.max() < -1.0
    assert np.abs(poles).max() < 1e5


def test_unknown_drives_are_refused_by_name():
    with pytest.raises(ts.errors.UnknownNameError, match=r"'elastik'.*close: 'elastic'"):
        ts.robots.lola(drives="elastik")


def test_bare_links_with_drives_are_refused():
    with pytest.raises(ts.errors.ArgumentError, match="armature=False"):
        ts.robots.lola(drives="rigid", armature=False)
