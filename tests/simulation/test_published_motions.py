"""Published and closed-form motions without contact, through `ts.simulate`."""

import numpy as np
import pytest
from simulation.bodies import point_pendulum, tumbler

import tarsus as ts

TIGHT = {"integrator": "dormand-prince", "relative": 1e-12, "absolute": 1e-13, "dt": 1e-2, "sample_dt": 1.0}
GLOBAL = 1e-9
"""Error after some seconds with a local error of 1e-12: it grows with the motion's own sensitivity."""
CHAOS = 3e-8
"""The double pendulum amplifies errors by about e^(10 s * 1/s) in 10 s."""

# IFToMM benchmark A01: t, x, y, rate. x(0) = +1, at rest.
PENDULUM = [
    (1, -0.986291751131875319, -0.165010853125541169, -1.79930901690707862),
    (2, 0.793566195343321747, -0.608483930443791515, 3.45520689905932978),
    (5, 0.942305435043757335, -0.334754338414000581, -2.56278756819262946),
    (10, 0.27508746257611686, -0.961419205099125064, -4.34316069286468305),
]
# Two equal point masses, absolute angles from the downward vertical, released from (pi/2, pi/2): t, angles, rates.
DOUBLE = [
    (1, -0.6250876998063906, -1.0345850856800122, -3.9222795728879761, -1.3030992486963313),
    (2, -0.4829715342517542, -1.3240487123023622, 3.0652881920734013, 2.9492715475716194),
    (3, 1.7857955220774158, 1.1181074612051554, 0.3279806195144545, -0.5044551039453122),
    (5, -0.6271867050665302, -1.3013155502098079, 2.1254086738429094, 3.8818887272656103),
    (10, -0.5684746640159246, -0.5263937279324366, 6.0783848857619968, -9.6813606817089234),
]
# Free body with the moments (1, 2, 3), rates (1, 0.5, 0.8): t, rates, quaternion.
FREE = [
    (1, (0.439875092142373005, 1.02786667584504308, 0.609231783119052629),
     (0.795789637277817041, 0.321372852481080977, 0.365723135416716387, 0.360117940556118198)),
    (5, (-0.761213723500439544, -0.818873413388538567, 0.70697626854216345),
     (-0.745870691301629802, 0.453654064994472168, -0.339908209654396924, 0.349767508755119547)),
    (10, (0.471913952806154153, 1.01355671826833199, 0.617171715395623395),
     (0.729597833523539337, -0.0301176391584403532, -0.333812224756130421, -0.596111841630949676)),
    (20, (-0.1185608183172012, 1.11172988282224186, 0.557989446626619869),
     (0.100908208415313747, -0.139704728646542354, -0.594022976081353469, -0.785771484692375011)),
]  # fmt: skip
# Heavy top of Bruels and Cardona: t, centre of mass, rates.
TOP = [
    (0.1, (0.421296658925402044, 0.894571974345592991, -0.149164700561899612),
     (4.80894133172809231, 150.0, 1.02830075671832984)),
    (0.5, (-0.702468297056585589, -0.0211651847019233266, -0.711400257651734406),
     (-0.471053101745248843, 150.0, 5.90108304832645703)),
    (1.0, (0.173343964098386043, 0.640088592070568783, -0.748490791133581309),
     (-0.822078101682704456, 150.0, -5.92329134811733619)),
    (2.0, (-0.15041682274564176, -0.724165591636895651, -0.673022269560444096),
     (0.122233219497394237, 150.0, -5.85562458920545773)),
]  # fmt: skip


def test_simple_pendulum_of_benchmark_a01():
    run = ts.simulate(point_pendulum(), np.array([np.pi / 2]), duration=10.0, **TIGHT)
    for t, x, y, rate in PENDULUM:
        q, v = run.q[t, 0], run.v[t, 0]
        np.testing.assert_allclose([np.sin(q), -np.cos(q), v], [x, y, rate], atol=GLOBAL)


def test_period_of_the_pendulum_is_the_elliptic_integral():
    """An event at every passage of the highest point on the right: period 4 K(1/2) / sqrt(g / l)."""
    period = 2.367841947576237449

    def turning(t, q, v):
        return v[0]

    turning.direction = -1
    run = ts.simulate(point_pendulum(), np.array([np.pi / 2]), duration=5.0, events=[turning], **TIGHT)
    times = [one["time"] for one in run.metadata["events"]]
    np.testing.assert_allclose(times, [period, 2 * period], atol=1e-9)


def test_double_pendulum():
    run = ts.simulate(point_pendulum(2), np.array([np.pi / 2, 0.0]), duration=10.0, **TIGHT)
    for t, *expected in DOUBLE:
        found = [run.q[t, 0], run.q[t].sum(), run.v[t, 0], run.v[t].sum()]
        np.testing.assert_allclose(found, expected, atol=CHAOS if t > 3 else GLOBAL)


def test_free_rigid_body_turns_by_elliptic_functions():
    run = ts.simulate(tumbler((1, 2, 3)), None, np.array([1.0, 0.5, 0.8]), duration=20.0, **TIGHT)
    for t, rates, quaternion in FREE:
        np.testing.assert_allclose(run.v[t], rates, atol=GLOBAL)
        sign = np.sign(run.q[t] @ quaternion)
        np.testing.assert_allclose(sign * run.q[t], quaternion, atol=GLOBAL)


def test_symmetric_free_body():
    run = ts.simulate(tumbler((2, 2, 1)), None, np.array([0.3, 0.4, 2.0]), duration=10.0, **TIGHT)
    quaternion = (-0.329714533155679994, 0.170550431728507016, -0.229218100117929513, -0.899811057634589589)
    np.testing.assert_allclose(run.v[-1], [-0.469329903078683661, -0.172422278363770037, 2.0], atol=GLOBAL)
    np.testing.assert_allclose(np.sign(run.q[-1] @ quaternion) * run.q[-1], quaternion, atol=GLOBAL)


def heavy_top():
    inertia = ts.Inertia(15.0, (0.0, 1.0, 0.0), np.diag([0.234375, 0.46875, 0.234375]))
    builder = ts.ModelBuilder("top").add_link("ground").add_link("top", inertia)
    return builder.add_joint("ball", "spherical", "ground", "top").build()


def test_heavy_top():
    model = heavy_top()
    run = ts.simulate(model, None, np.array([0.0, 150.0, -4.61538]), duration=2.0, **(TIGHT | {"sample_dt": 0.1}))
    centre = ts.center_of_mass(model, run.q)
    spinning = 2e-8  # 150 rad/s for 2 s: an error of the phase counts 150 times
    for t, place, rates in TOP:
        k = round(t / 0.1)
        np.testing.assert_allclose(centre[k], place, atol=spinning)
        np.testing.assert_allclose(run.v[k], rates, atol=spinning)
    total = run.energy["kinetic"] + run.energy["potential"]
    np.testing.assert_allclose(total, 5435.696790865546875, rtol=1e-9)


@pytest.mark.parametrize(
    ("integrator", "order"), [("runge-kutta-4", 4), ("implicit-midpoint", 2), ("semi-implicit-euler", 1)]
)
def test_fixed_step_integrators_have_their_order(integrator, order):
    """The error on the double pendulum at 1 s falls by 2^order when the step is halved."""
    expected = np.array(DOUBLE[0][1:])
    errors = []
    for dt in (4e-3, 2e-3):
        run = ts.simulate(point_pendulum(2), np.array([np.pi / 2, 0.0]), duration=1.0, dt=dt, sample_dt=1.0,
                          integrator=integrator)  # fmt: skip
        found = np.array([run.q[-1, 0], run.q[-1].sum(), run.v[-1, 0], run.v[-1].sum()])
        errors.append(np.abs(found - expected).max())
    assert abs(np.log2(errors[0] / errors[1]) - order) < 0.3


@pytest.mark.parametrize("integrator", ["radau", "bdf", "cvode"])
def test_stiff_integrators_follow_the_pendulum_within_their_tolerance(integrator):
    errors = []
    for relative in (1e-5, 1e-8):
        run = ts.simulate(point_pendulum(), np.array([np.pi / 2]), duration=2.0, integrator=integrator,
                          relative=relative, absolute=relative, sample_dt=1.0)  # fmt: skip
        q = run.q[:, 0]
        errors.append(max(abs(np.sin(q[t]) - x) + abs(-np.cos(q[t]) - y) for t, x, y, _ in PENDULUM[:2]))
    assert errors[0] < 3e-2
    assert errors[1] < 3e-5
    assert errors[1] < 0.05 * errors[0]
