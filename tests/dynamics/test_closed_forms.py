"""Motions with a closed form or with published numbers, integrated to the accuracy of the integrator."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import tarsus as ts
from tarsus.arrays import FloatArray

INTEGRATED = 1e-9
"""Error of DOP853 with tolerances of 1e-12 over ten seconds of these motions."""
FAST = 3e-8
"""The same for the heavy top, which turns 48 times in the two seconds."""
DRIFT = 1e-9
"""Of the double pendulum's energy over a minute [J] with tolerances of 1e-13; its potential energy spans 59 J."""
ROUNDING = 1e-13


def integrate(
    model: ts.Model, q: Sequence[float], v: Sequence[float], times: Sequence[float], tolerance: float = 1e-12
) -> tuple[FloatArray, FloatArray]:
    """States (len(times), nq), (len(times), nv) of free motion by Dormand and Prince's method of order eight."""
    n = model.nq

    def rate(_: float, y: FloatArray) -> FloatArray:
        q = model.normalize(y[:n])
        return np.concatenate(
            [configuration_rate(model, q, y[n:]), ts.forward_dynamics(model, q, y[n:], np.zeros(model.nv))]
        )

    y0 = np.concatenate([q, v])
    result = solve_ivp(rate, (0.0, times[-1]), y0, "DOP853", times, rtol=tolerance, atol=tolerance)
    assert result.success
    return result.y[:n].T, result.y[n:].T


def configuration_rate(model: ts.Model, q: FloatArray, v: FloatArray) -> FloatArray:
    """Rate of q: quaternions by half their product with the angular velocity in axes of the child."""
    rate = np.empty(model.nq)
    for joint in model.joints.values():
        own, u = q[joint.q_index], v[joint.v_index]
        if joint.kind in ("free", "spherical"):
            w, r = own[-4], own[-3:]
            turn = 0.5 * np.concatenate([[-r @ u[-3:]], w * u[-3:] + np.cross(r, u[-3:])])
            R = ts.spatial.rotation_matrix_from_quaternion(own[-4:])
            rate[joint.q_index] = np.concatenate([R @ u[:3], turn]) if joint.kind == "free" else turn
        else:
            rate[joint.q_index] = u
    return rate


def assert_same_rotation(found: FloatArray, expected: FloatArray, tolerance: float) -> None:
    """Compare quaternions up to their sign."""
    expected = np.asarray(expected)
    signs = np.sign(np.sum(found * expected, axis=-1, keepdims=True))
    np.testing.assert_allclose(signs * found, expected, rtol=0.0, atol=tolerance)


# Pendulums: point masses of 1 kg on massless rods of 1 m, hinges about -y so that x = sin(angle), z = -cos(angle)


def pendulum(links: int) -> ts.Model:
    builder = ts.ModelBuilder("pendulum").add_link("rod0")
    for k in range(1, links + 1):
        builder.add_link(f"rod{k}", ts.Inertia(1.0, np.array([0.0, 0.0, -1.0])))
        position = (0.0, 0.0, -1.0 if k > 1 else 0.0)
        builder.add_joint(f"hinge{k}", "revolute", f"rod{k - 1}", f"rod{k}", axis=(0, -1, 0), position=position)
    return builder.build()


PENDULUM = np.array(
    [
        [1.0, -0.986291751131875319, -0.165010853125541169, -1.79930901690707862],
        [2.0, 0.793566195343321747, -0.608483930443791515, 3.45520689905932978],
        [5.0, 0.942305435043757335, -0.334754338414000581, -2.56278756819262946],
        [10.0, 0.27508746257611686, -0.961419205099125064, -4.34316069286468305],
    ]
)
"""Time, x, height, rate of benchmark A01 of the IFToMM library (Gonzalez et al. 2006): released at rest, horizontal."""


def test_simple_pendulum_reproduces_the_iftomm_benchmark() -> None:
    q, v = integrate(pendulum(1), [0.5 * np.pi], [0.0], PENDULUM[:, 0])
    found = np.column_stack([np.sin(q), -np.cos(q), v])
    np.testing.assert_allclose(found, PENDULUM[:, 1:], rtol=0.0, atol=INTEGRATED)


@pytest.mark.parametrize("amplitude", [0.1, 1.0, 0.5 * np.pi, 3.0])
def test_simple_pendulum_swings_as_elliptic_functions(amplitude: float) -> None:
    """sin(angle/2) = k cd(omega t) with k = sin(amplitude/2), Whittaker 1937, section 44."""
    times = np.linspace(0.0, 5.0, 21)[1:]
    k, omega = np.sin(0.5 * amplitude), np.sqrt(9.81)
    sn, cn, dn, _ = ellipj(omega * times, k * k)
    q, v = integrate(pendulum(1), [amplitude], [0.0], times)
    np.testing.assert_allclose(q[:, 0], 2.0 * np.arcsin(k * cn / dn), rtol=0.0, atol=INTEGRATED)
    expected = -2.0 * k * omega * np.sqrt(1.0 - k * k) * sn / dn
    np.testing.assert_allclose(v[:, 0], expected, rtol=0.0, atol=INTEGRATED)


DOUBLE_PENDULUM = np.array(
    [
        [1.0, -0.6250876998063906, -1.0345850856800122, -3.9222795728879761, -1.3030992486963313],
        [2.0, -0.4829715342517542, -1.3240487123023622, 3.0652881920734013, 2.9492715475716194],
        [3.0, 1.7857955220774158, 1.1181074612051554, 0.3279806195144545, -0.5044551039453122],
        [5.0, -0.6271867050665302, -1.3013155502098079, 2.1254086738429094, 3.8818887272656103],
        [10.0, -0.5684746640159246, -0.5263937279324366, 6.0783848857619968, -9.6813606817089234],
    ]
)
"""Time, angles from the vertical and their rates, released at rest with both rods horizontal; the textbook equations
integrated in extended precision with two step sizes that agree to 6e-14."""


def test_double_pendulum_follows_the_textbook_equations() -> None:
    q, v = integrate(pendulum(2), [0.5 * np.pi, 0.0], [0.0, 0.0], DOUBLE_PENDULUM[:, 0])
    found = np.column_stack([q[:, 0], q.sum(axis=1), v[:, 0], v.sum(axis=1)])
    np.testing.assert_allclose(found, DOUBLE_PENDULUM[:, 1:], rtol=0.0, atol=10.0 * INTEGRATED)


def test_double_pendulum_keeps_its_energy_for_a_minute() -> None:
    model = pendulum(2)
    q, v = integrate(model, [0.5 * np.pi, 0.0], [0.0, 0.0], np.linspace(1.0, 60.0, 60), 1e-13)
    energy = ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q)
    np.testing.assert_allclose(energy, 0.0, rtol=0.0, atol=DRIFT)


# Free rigid bodies


def body(moments: Sequence[float], joint: str) -> ts.Model:
    """A body that turns freely: with a free base, or on a ball joint through its centre of mass."""
    inertia = ts.Inertia(1.0, np.zeros(3), np.diag(moments))
    if joint == "free":
        return ts.ModelBuilder("body", base="free", gravity=(0, 0, 0)).add_link("body", inertia).build()
    builder = ts.ModelBuilder("body", gravity=(0, 0, 0)).add_link("ground").add_link("body", inertia)
    return builder.add_joint("ball", "spherical", "ground", "body").build()


def spin(model: ts.Model, rates: Sequence[float], times: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    """Quaternions and body rates of a body that starts at the identity."""
    v = np.concatenate([np.zeros(model.nv - 3), rates])
    q, v_end = integrate(model, model.neutral(), v, times)
    return q[:, -4:], v_end[:, -3:]


GENERIC_TIMES = (1.0, 5.0, 10.0, 20.0)
GENERIC_RATES = np.array(
    [
        [0.439875092142373005, 1.02786667584504308, 0.609231783119052629],
        [-0.761213723500439544, -0.818873413388538567, 0.70697626854216345],
        [0.471913952806154153, 1.01355671826833199, 0.617171715395623395],
        [-0.1185608183172012, 1.11172988282224186, 0.557989446626619869],
    ]
)
GENERIC_QUATERNIONS = np.array(
    [
        [0.795789637277817041, 0.321372852481080977, 0.365723135416716387, 0.360117940556118198],
        [-0.745870691301629802, 0.453654064994472168, -0.339908209654396924, 0.349767508755119547],
        [0.729597833523539337, -0.0301176391584403532, -0.333812224756130421, -0.596111841630949676],
        [0.100908208415313747, -0.139704728646542354, -0.594022976081353469, -0.785771484692375011],
    ]
)
"""Moments (1, 2, 3), rates (1, 0.5, 0.8): Euler's solution with the attitude from theta functions, 30 digits."""


@pytest.mark.parametrize("joint", ["free", "spherical"])
def test_free_body_with_three_different_moments_follows_the_closed_form(joint: str) -> None:
    q, rates = spin(body((1.0, 2.0, 3.0), joint), (1.0, 0.5, 0.8), GENERIC_TIMES)
    np.testing.assert_allclose(rates, GENERIC_RATES, rtol=0.0, atol=INTEGRATED)
    assert_same_rotation(q, GENERIC_QUATERNIONS, INTEGRATED)


@pytest.mark.parametrize("joint", ["free", "spherical"])
def test_free_body_turns_as_elliptic_functions(joint: str) -> None:
    """Body rates (A1 cn, A2 sn, A3 dn) where L^2 > 2 E I2, Landau and Lifshitz 1976, section 37."""
    I1, I2, I3 = 1.0, 2.0, 3.0
    start = np.array([1.0, 0.5, 0.8])
    twice_energy, squared = start**2 @ (I1, I2, I3), start**2 @ (I1**2, I2**2, I3**2)
    assert squared > twice_energy * I2
    amplitudes = np.sqrt(
        [
            (twice_energy * I3 - squared) / (I1 * (I3 - I1)),
            (twice_energy * I3 - squared) / (I2 * (I3 - I2)),
            (squared - twice_energy * I1) / (I3 * (I3 - I1)),
        ]
    )
    rate = np.sqrt((I3 - I2) * (squared - twice_energy * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (twice_energy * I3 - squared) / ((I3 - I2) * (squared - twice_energy * I1))
    # The phase at which sn, cn and dn have their initial values, by Newton's method.
    phase = 0.0
    for _ in range(20):
        sn, cn, dn, _ = ellipj(phase, m)
        phase -= (amplitudes[1] * sn - start[1]) / (amplitudes[1] * cn * dn)
    times = np.linspace(0.0, 18.0, 19)[1:]
    sn, cn, dn, _ = ellipj(rate * times + phase, m)
    _, rates = spin(body((I1, I2, I3), joint), start, times)
    np.testing.assert_allclose(rates, amplitudes * np.column_stack([cn, sn, dn]), rtol=0.0, atol=INTEGRATED)
    assert 4.0 * ellipk(m) / rate == pytest.approx(9.051187191201087, rel=ROUNDING)


@pytest.mark.parametrize("joint", ["free", "spherical"])
def test_symmetric_free_body_precesses_about_its_angular_momentum(joint: str) -> None:
    """Moments (2, 2, 1), rates (0.3, 0.4, 2): a turn about L after one about the axis of symmetry."""
    times = (2.5, 5.0, 10.0)
    q, rates = spin(body((2.0, 2.0, 1.0), joint), (0.3, 0.4, 2.0), times)
    momentum = np.array([0.6, 0.8, 2.0])
    for t, found in zip(times, q, strict=True):
        precession = ts.spatial.rotation_matrix_from_rotation_vector(momentum * t / 2.0)
        proper = ts.spatial.rotation_matrix_from_rotation_vector(np.array([0.0, 0.0, 2.0 * (1.0 - 1.0 / 2.0) * t]))
        R = ts.spatial.rotation_matrix_from_quaternion(found)
        np.testing.assert_allclose(R, precession @ proper, rtol=0.0, atol=INTEGRATED)
    expected = [-0.329714533155679994, 0.170550431728507016, -0.229218100117929513, -0.899811057634589589]
    assert_same_rotation(q[-1], np.array(expected), INTEGRATED)
    expected = [-0.469329903078683661, -0.172422278363770037, 2.0]
    np.testing.assert_allclose(rates[-1], expected, rtol=0.0, atol=INTEGRATED)


# The heavy top of Bruels and Cardona (2010) with the parameters of Terze, Mueller and Zlatar (2016)

TOP_TIMES = np.linspace(0.0, 2.0, 41)
TOP_ROWS = (2, 4, 10, 20, 40)
"""At 0.1, 0.2, 0.5, 1 and 2 s."""
TOP_CENTERS = np.array(
    [
        [0.421296658925402044, 0.894571974345592991, -0.149164700561899612],
        [0.60555056137711977, 0.598957681794919158, -0.523983027430003185],
        [-0.702468297056585589, -0.0211651847019233266, -0.711400257651734406],
        [0.173343964098386043, 0.640088592070568783, -0.748490791133581309],
        [-0.15041682274564176, -0.724165591636895651, -0.673022269560444096],
    ]
)
TOP_RATES = np.array(
    [
        [4.80894133172809231, 150.0, 1.02830075671832984],
        [-2.69159091214340862, 150.0, 4.91726098989399442],
        [-0.471053101745248843, 150.0, 5.90108304832645703],
        [-0.822078101682704456, 150.0, -5.92329134811733619],
        [0.122233219497394237, 150.0, -5.85562458920545773],
    ]
)
TOP_QUATERNIONS = np.array(
    [
        [0.331822912608300823, 0.177338056666937025, 0.914975159138727902, -0.145826014430888623],
        [-0.708279152974312562, 0.438781088126581897, 0.545728396145417673, 0.0893997528240050105],
        [0.584560624069414642, -0.700662895412206504, 0.384325753022894405, 0.1401930788004352],
        [0.732943980679663718, -0.278285719337612679, 0.531824611334162618, -0.320176142736249281],
        [0.122947135041533467, -0.491079892550027015, 0.350430030343620962, -0.787986887550485669],
    ]
)
TOP_START = (0.0, 150.0, -4.61538)
TRANSVERSE, AXIAL, MASS = 0.234375, 0.46875, 15.0


def top() -> ts.Model:
    inertia = ts.Inertia(MASS, np.array([0.0, 1.0, 0.0]), np.diag([TRANSVERSE, AXIAL, TRANSVERSE]))
    builder = ts.ModelBuilder("top").add_link("ground").add_link("top", inertia)
    return builder.add_joint("point", "spherical", "ground", "top").build()


@cache
def top_motion() -> tuple[FloatArray, FloatArray]:
    """Quaternions and body rates at `TOP_TIMES`."""
    return spin(top(), TOP_START, TOP_TIMES)


def test_heavy_top_reproduces_the_benchmark() -> None:
    model = top()
    assert ts.kinetic_energy(model, model.neutral(), TOP_START) == pytest.approx(5435.696790865546875, rel=ROUNDING)
    q, rates = (x[list(TOP_ROWS)] for x in top_motion())
    centers = ts.frame_pose(model, q, "top")[:, :3, 1]
    np.testing.assert_allclose(centers, TOP_CENTERS, rtol=0.0, atol=FAST)
    np.testing.assert_allclose(rates, TOP_RATES, rtol=0.0, atol=150.0 * FAST)
    assert_same_rotation(q, TOP_QUATERNIONS, FAST)


def test_heavy_top_nutates_as_elliptic_functions() -> None:
    """Height u of the symmetry axis: u'^2 is a cubic in u, Goldstein 1980 (5-62), solved by Jacobi's functions."""
    inertia = TRANSVERSE + MASS
    weight = MASS * 9.81
    spin_momentum, vertical = AXIAL * TOP_START[1], inertia * TOP_START[2]
    energy = 0.5 * inertia * TOP_START[2] ** 2
    # u'^2 = 2 (1 - u^2) (energy - weight u) / inertia - ((vertical - spin_momentum u) / inertia)^2
    cubic = np.polymul([-1.0, 0.0, 1.0], [-2.0 * weight / inertia, 2.0 * energy / inertia])
    cubic = np.polysub(cubic, np.polymul([-spin_momentum, vertical], [-spin_momentum, vertical]) / inertia**2)
    low, high, top_root = np.sort(np.roots(cubic).real)
    assert high == pytest.approx(0.0, abs=ROUNDING)  # starts level and at rest in u
    m = (high - low) / (top_root - low)
    _, cn, dn, _ = ellipj(np.sqrt(0.5 * weight * (top_root - low) / inertia) * TOP_TIMES, m)
    height = ts.frame_pose(top(), top_motion()[0], "top")[:, 2, 1]
    np.testing.assert_allclose(height, low + (high - low) * (cn / dn) ** 2, rtol=0.0, atol=FAST)


# Bodies at rest or in simple motion


def test_free_fall_of_any_robot_is_gravity() -> None:
    model = ts.robots.hrp2()
    q, v = model.random(np.random.default_rng(3)), np.zeros(model.nv)
    vdot = ts.forward_dynamics(model, q, v, v)
    R = ts.body_poses(model, q)[0, :3, :3]
    np.testing.assert_allclose(R @ vdot[:3], model.gravity, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(vdot[3:], 0.0, rtol=0.0, atol=1e-9)


def test_screw_falls_down_its_thread() -> None:
    """Helical joint: (J + m p^2) angular acceleration = - m g p."""
    pitch, mass, moment = 0.05, 2.0, 0.01
    builder = ts.ModelBuilder("screw").add_link("nut")
    builder.add_link("screw", ts.Inertia(mass, np.zeros(3), np.diag([moment] * 3)))
    model = builder.add_joint("thread", "helical", "nut", "screw", axis=(0, 0, 1), pitch=pitch).build()
    expected = -mass * 9.81 * pitch / (moment + mass * pitch**2)
    assert ts.forward_dynamics(model, [0.3], [7.0], [0.0])[0] == pytest.approx(expected, rel=ROUNDING)
