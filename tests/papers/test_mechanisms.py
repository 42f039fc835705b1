"""Published and closed-form motions of mechanisms with kinematic loops."""

import numpy as np
import pytest
from loop_models import LENGTHS, four_bar, four_bar_row, slider_crank
from scipy.integrate import solve_ivp

import tarsus as ts

TIGHT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}
LONG_MOTION = 2e-9
"""[m, m/s]: twenty seconds, ten passages of the unstable upright position a turn apart, at a local error of 1e-13."""
CLOSED = 1e-12

# IFToMM A02 (lim.ii.udc.es/mbsbenchmark), the parallelogram branch in 30-digit arithmetic: time [s], position [m] and
# velocity [m/s] of the upper end of the first crank, which is upright and moves with 1 m/s at the start.
FOUR_BARS = {
    1: [
        (1, -0.260712675183650356, -0.965416439159073168, -6.63780949612175144, 1.79255397038893056),
        (4, 0.158955504257117773, 0.987285747727761648, 1.12539504776619699, -0.181191451125319241),
        (10, 0.478385057760970559, 0.878150178791209301, 1.72726407554715364, -0.940952179371515644),
        (20, 0.959099959630667972, -0.283067602237435619, -1.58134604736251333, -5.35797427257439712),
    ],
    2: [
        (1, -0.195020301949435094, -0.980799205662173833, -6.67667803688115807, 1.32757832516048721),
        (4, 0.117616102376808612, 0.993059138451325101, 1.06903926502896864, -0.12661504916672028),
        (10, 0.328458111540815379, 0.944518538178600962, 1.42305147020694412, -0.494868845487042959),
        (20, 0.839746574306843547, 0.542978536352884662, 1.83822264419674271, -2.84291378927409713),
    ],
    40: [
        (1, -0.115356880632109898, -0.993324111300450186, -6.66998752394177159, 0.774600098662343315),
        (4, 0.0693420322279991715, 0.997592944324733646, 1.02380438798776877, -0.0711639725109217429),
        (10, 0.18051222668672839, 0.983572740582311575, 1.14844127746941413, -0.210770066779423932),
        (20, 0.410901153762945222, 0.911679900971980652, 1.56678537190906995, -0.706162235593837307),
    ],
}
ENERGY = {1: 20.4533333333333333, 2: 35.835, 40: 620.338333333333333}
"""[J], potential energy zero at the height of the pivots."""


def solve(rates, y, times, **options):
    """States at the given times, each the end of an integration: between its steps a method is less accurate."""
    found, before = [], 0.0
    for time in times:
        result = solve_ivp(rates, (before, time), y, **(TIGHT | options))
        assert result.success
        y, before = result.y[:, -1], time
        found.append(y)
    return np.array(found)


def motion(model, q, v, times, **options):
    """States (q, v) of the unforced motion at the given times."""
    n = model.nv

    def rates(_, y):
        return np.concatenate([y[n:], ts.forward_dynamics(model, y[:n], y[n:], np.zeros(n))])

    found = solve(rates, np.concatenate([q, v]), times, **options)
    return found[:, :n], found[:, n:]


@pytest.mark.parametrize("count", FOUR_BARS)
def test_four_bars_of_iftomm_pass_their_singular_configurations(count):
    """All cranks pass the horizontal, where the mechanism could branch off, about twenty times."""
    model = four_bar_row(count).build()
    assert model.nv == 1
    table = np.array(FOUR_BARS[count])
    q, v = motion(model, [0.5 * np.pi], [-1.0], table[:, 0])
    a, rate = q[:, 0], v[:, 0]
    found = np.column_stack([np.cos(a), np.sin(a), -np.sin(a) * rate, np.cos(a) * rate])
    np.testing.assert_allclose(found, table[:, 1:], rtol=0.0, atol=LONG_MOTION)
    energy = ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q)
    np.testing.assert_allclose(energy, ENERGY[count], rtol=1e-11)


def test_error_of_the_four_bar_falls_with_the_tolerance():
    model = four_bar_row(2).build()
    exact = FOUR_BARS[2][2]
    errors = []
    for tolerance in (1e-6, 1e-8, 1e-10):
        q, _ = motion(model, [0.5 * np.pi], [-1.0], [exact[0]], rtol=tolerance, atol=tolerance)
        errors.append(float(np.hypot(np.cos(q[0, 0]) - exact[1], np.sin(q[0, 0]) - exact[2])))
    assert errors[0] > 10 * errors[1] > 100 * errors[2]


def test_four_bar_satisfies_the_equation_of_freudenstein():
    """K1 cos(psi) - K2 cos(phi) + K3 = cos(phi - psi), Freudenstein 1955."""
    ground, crank, coupler, rocker = LENGTHS
    q = np.linspace(-7.0, 7.0, 500)[:, None]
    phi, psi = four_bar().build().joint_positions(q)[:, [0, 2]].T
    K1, K2 = ground / crank, ground / rocker
    K3 = (crank**2 - coupler**2 + rocker**2 + ground**2) / (2.0 * crank * rocker)
    np.testing.assert_allclose(K1 * np.cos(psi) - K2 * np.cos(phi) + K3, np.cos(phi - psi), atol=10 * CLOSED)


@pytest.mark.parametrize("cut", ["pin", "guide"])
def test_slider_is_where_crank_and_rod_put_it(cut):
    r, l = 0.4, 1.1
    model = slider_crank(cut, r, l).build()
    q = np.linspace(-8.0, 8.0, 300)[:, None]
    x = ts.frame_pose(model, q, "slider")[:, 0, 3]
    root = np.sqrt(l**2 - r**2 * np.sin(q[:, 0]) ** 2)
    np.testing.assert_allclose(x, r * np.cos(q[:, 0]) + root, atol=CLOSED)
    speed = ts.frame_velocity(model, q, np.full_like(q, 2.0), "slider")[:, 0]
    expected = -2.0 * (r * np.sin(q[:, 0]) + r**2 * np.sin(q[:, 0]) * np.cos(q[:, 0]) / root)
    np.testing.assert_allclose(speed, expected, atol=10 * CLOSED)


# IFToMM A05, stiff flyball governor: the springs are forces, the tree has four degrees of freedom.

GOVERNOR = [
    (0.5, 0.7432494247863, 0.2594913815434, 5.103415421972, 0.052119780158),
    (1.0, 0.5014209223796, 0.5218333016255, 6.271125741877, -0.122151492898),
    (2.0, 0.5059092942967, 0.5166637973646, 6.236223614436, -0.240783146984),
    (5.0, 0.5355631037216, 0.4828745765869, 6.022496499758, -0.543682690278),
    (10.0, 0.6196229170614, 0.3900737018446, 5.548203622655, -0.747603354164),
]
"""Time [s], height of the slider [m], rods below horizontal [rad], shaft speed [rad/s], slider speed [m/s]."""
STIFF = 1e-9
"""Agreement with the table, whose routes agree to 5e-13, at a relative tolerance of 1e-11."""
STIFFNESS, DAMPING, REST = 8e5, 4e4, 0.5
ANGULAR_MOMENTUM = 53.86899865842


def governor():
    b = ts.ModelBuilder("governor").add_link("ground")
    rod = ts.Inertia.of_box(0.3, (1.0, 0.01, 0.01), com=(0.5, 0.0, 0.0))
    b.add_link("shaft", ts.Inertia.of_box(0.3, (0.01, 0.01, 1.0), com=(0.0, 0.0, 0.5)))
    b.add_link("slider", ts.Inertia.of_box(3.0, (0.1, 0.1, 0.1)))
    b.add_joint("shaft", "continuous", "ground", "shaft", axis=(0, 0, 1))
    b.add_joint("slider", "prismatic", "shaft", "slider", axis=(0, 0, 1))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        turned = np.diag([sign, sign, 1.0])  # x of the rod points outwards
        b.add_link(side, rod).add_link(f"{side}_ball", ts.Inertia(5.0, (0, 0, 0), np.zeros((3, 3))))
        b.add_joint(side, "revolute", "shaft", side, axis=(0, 1, 0), position=(0.05 * sign, 0, 1.0), rotation=turned)
        b.add_joint(f"{side}_tip", "fixed", side, f"{side}_ball", position=(1.0, 0.0, 0.0))
        pose = np.eye(4)
        pose[0, 3] = 0.5
        b.add_frame(f"{side}_middle", side, pose)
        pose = np.eye(4)
        pose[0, 3] = 0.05 * sign
        b.add_frame(f"{side}_slider", "slider", pose)
    return b.build()


def spring_forces(model, q, v):
    """Generalised force of both spring-dampers."""
    tau = np.zeros(model.nv)
    for side in ("left", "right"):
        a, b = f"{side}_slider", f"{side}_middle"
        d = ts.frame_pose(model, q, b)[:3, 3] - ts.frame_pose(model, q, a)[:3, 3]
        J = ts.jacobian(model, q, b)[:3] - ts.jacobian(model, q, a)[:3]
        length = np.linalg.norm(d)
        rate = d @ J @ v / length
        tau -= (STIFFNESS * (length - REST) + DAMPING * rate) / length * (d @ J)
    return tau


@pytest.mark.parametrize("rows", [slice(0, 3), pytest.param(slice(3, 5), marks=pytest.mark.long)])
def test_stiff_governor_of_iftomm(rows):
    model = governor()
    assert model.nv == 4
    places = [model.joints[name].q_index.start for name in ("slider", "left", "shaft")]
    q, v = np.zeros(4), np.zeros(4)
    q[places[0]], v[places[2]] = 0.5, 2.0 * np.pi
    for side in ("left", "right"):
        q[model.joints[side].q_index] = np.pi / 6.0

    def rates(_, y):
        return np.concatenate([y[4:], ts.forward_dynamics(model, y[:4], y[4:], spring_forces(model, y[:4], y[4:]))])

    table = np.array(GOVERNOR)[rows]
    found = solve(rates, np.concatenate([q, v]), table[:, 0], rtol=1e-11, atol=1e-12)
    shown = found[:, [places[0], places[1], 4 + places[2], 4 + places[0]]]
    np.testing.assert_allclose(shown, table[:, 1:], atol=STIFF)
    # Angular momentum about the axis: nothing acts on it.
    momentum = [ts.mass_matrix(model, y[:4])[places[2]] @ y[4:] for y in found]
    np.testing.assert_allclose(momentum, ANGULAR_MOMENTUM, rtol=1e-10)
