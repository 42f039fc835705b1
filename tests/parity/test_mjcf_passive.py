"""Forces that MJCF bodies, joints and tendons produce by themselves, beside MuJoCo's."""

import mujoco
import numpy as np
import pytest
from parity.test_mujoco import mass_matrix

import tarsus as ts
from tarsus.interop import MujocoLayout
from tarsus.io.model_document import model_from_document, model_to_document

RELATIVE = 1e-11
"""Sums of a few products of double precision, over the largest force."""
SOLVED = 1e-10
"""Solutions with mass matrices whose condition is below 1e4."""
METHODS = (
    "articulated-body",
    "composite-body",
    "composite-body-sparse",
    "newton-euler",
    "newton-euler-sparse",
    "denoc",
    "gauss",
)
DIFFERENCES = 2e-7
"""Central differences of forces of about 100, at steps of 1e-6."""

INTEGRATION = {
    "semi-implicit-euler": 5e-3,
    "runge-kutta-4": 1e-8,
    "dormand-prince": 1e-8,
    "implicit-midpoint": 1e-5,
}
"""Share of the kinetic energy that half a second at 1 ms may make or lose, by the order of the integrator."""

CARRIED = """<mujoco><option gravity="1 2 -9"/><compiler autolimits="true"/><worldbody>
  <body name="trunk" pos="0 0 1" gravcomp="{trunk}">{root}<geom type="box" size=".2 .1 .3" pos=".1 0 .05"/>
    <body name="arm" pos=".1 .2 .3" gravcomp="0.7"><joint name="shoulder" type="ball" pos=".02 0 0"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .1 0 -.5"/>
      <body name="pad" pos="0 .1 0" gravcomp="2"><geom size=".1"/></body>
      <body name="fore" pos=".1 0 -.5"><joint name="elbow" axis="0 1 .2"/>
        <geom type="box" size=".1 .05 .2" pos="0 0 -.2"/>
        <body name="hand" pos="0 0 -.4" gravcomp="1.3"><joint name="reach" type="slide" axis="1 0 1"/>
          <geom size=".1" pos=".1 0 0"/></body></body></body>
    <body name="leg" pos="0 0 -.3" gravcomp="0.2"><joint name="hip" axis="1 0 0"/><joint name="hip2" axis="0 1 0"/>
      <geom type="capsule" size=".06" fromto="0 0 0 0 .1 -.6"/></body>
  </body>{more}</worldbody></mujoco>"""
FREE = CARRIED.format(trunk=0.4, root="<freejoint/>", more="")
FIXED = CARRIED.format(trunk=0.0, root="", more='<body gravcomp=".5"><freejoint/><geom size=".1" pos=".1 0 0"/></body>')

SPRUNG = """<mujoco><worldbody>
  <body name="buoy" pos=".1 .2 1" quat=".5 .1 .7 .2"><joint name="moor" type="free" stiffness="30" damping="2"/>
    <geom type="box" size=".2 .1 .3" pos=".1 0 0"/>
    <body name="mast" pos="0 0 .4" quat=".9 .1 0 .3">
      <joint name="foot" type="ball" pos=".01 0 0" stiffness="7" damping=".3"/>
      <geom type="capsule" size=".03" fromto="0 0 0 0 .1 .5"/>
      <body pos="0 0 .5"><joint name="gaff" type="ball" springdamper="0.3 0.5"/><geom size=".1" pos=".1 0 0"/></body>
    </body></body>{more}</worldbody></mujoco>"""
ALONE, SEVERAL = SPRUNG.format(more=""), SPRUNG.format(more='<body><freejoint/><geom size=".1"/></body>')

CHAIN = """<mujoco><compiler autolimits="true"/><default><tendon damping=".2"/></default><worldbody>
  <body name="a"><joint name="x" axis="0 1 0" springref="20"/><geom type="capsule" size=".05" fromto="0 0 0 0 0 -.5"/>
    <body pos="0 0 -.5"><joint name="y" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 0 0 -.5"/>
      <body pos="0 0 -.5"><joint name="z" type="slide" axis="1 0 .2"/><geom size=".1" pos="0 .1 -.1"/></body>
      </body></body>
  <body pos="1 0 0"><joint name="w" axis="1 0 0"/><geom size=".1" pos="0 .3 0"/></body></worldbody>
  <tendon>
    <fixed name="t" stiffness="30" damping="2" armature=".3">
      <joint joint="x" coef="1"/><joint joint="y" coef="-.7"/><joint joint="z" coef=".5"/></fixed>
    <fixed name="far" stiffness="11" springlength=".3"><joint joint="y" coef="2"/><joint joint="w" coef="-1"/></fixed>
    <fixed name="y" frictionloss="3"><joint joint="w" coef="2"/><joint joint="x" coef="1"/></fixed>
  </tendon></mujoco>"""

HEAVY = """<mujoco><worldbody>
  <body name="trunk" pos=".1 .2 1"><joint type="free" armature="1.7" damping=".2"/>
    <geom type="box" size=".2 .1 .3" pos=".1 .05 -.1"/>
    <body name="arm" pos=".1 .2 .3"><joint name="shoulder" type="ball" pos=".02 0 0" armature=".3"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .1 0 -.5"/>
      <body name="hand" pos=".1 0 -.5"><joint name="wrist" axis="0 1 .2" springdamper=".2 .5" armature=".1"/>
        <geom size=".1" pos=".1 0 0"/></body></body>
  </body>{more}</worldbody></mujoco>"""
SLOWED = HEAVY.format(more="")
BOTH_SLOWED = HEAVY.format(more='<body><joint type="free" armature="4"/><geom size=".2" pos=".1 0 .2"/></body>')

CASES = {
    "free": FREE,
    "fixed": FIXED,
    "springs": ALONE,
    "springs beside another body": SEVERAL,
    "tendons": CHAIN,
    "armature of a free base": SLOWED,
    "armature of several free bodies": BOTH_SLOWED,
}


@pytest.fixture(name="pair", params=CASES)
def _pair(request, tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(CASES[request.param])
    mj = mujoco.MjModel.from_xml_path(str(path))
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model = ts.load(path)
    assert [warning.message for warning in model.warnings] == []
    return model, mj, MujocoLayout(model, mj)


def states(model, seed=3, count=4):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


def test_passive_forces_mass_matrix_and_inverse_dynamics_agree(pair):
    model, mj, layout = pair
    for q, v, vdot in states(model):
        data = mujoco.MjData(mj)
        data.qpos, data.qvel = layout.q(q), layout.v(v, q)
        mujoco.mj_forward(mj, data)
        theirs = layout.from_tau(data.qfrc_passive, q)
        ours = ts.passive_force(model, q, v)
        friction = np.zeros(model.nv)  # a constraint there
        if "y_tendon" in model.joints:
            way = np.array([1.0, 0.0, 0.0, 2.0])
            friction = -3.0 * np.sign(way @ v) * way
        scale = max(1.0, np.abs(theirs).max())
        np.testing.assert_allclose(ours - friction, theirs, atol=RELATIVE * scale)
        M, Q = ts.mass_matrix(model, q), np.array([layout.v(unit, q) for unit in np.eye(model.nv)])
        np.testing.assert_allclose(M, Q @ mass_matrix(mj, data) @ Q.T, atol=RELATIVE * max(1.0, np.abs(M).max()))
        data.qacc = layout.acceleration(vdot, q, v)
        mujoco.mj_inverse(mj, data)
        needed = layout.from_tau(data.qfrc_inverse, q)
        ours = ts.inverse_dynamics(model, q, v, vdot, passive=True) + friction
        np.testing.assert_allclose(ours, needed, atol=RELATIVE * max(1.0, np.abs(needed).max()))
        again = ts.forward_dynamics(model, q, v, ours - friction, passive=True)
        np.testing.assert_allclose(again, vdot, atol=1e-8)


def test_accelerations_by_all_methods_are_those_of_mujoco(pair):
    model, mj, layout = pair
    for q, v, tau in states(model):
        data = mujoco.MjData(mj)
        data.qpos, data.qvel, data.qfrc_applied = layout.q(q), layout.v(v, q), layout.tau(tau, q)
        friction = np.array([1.0, 0.0, 0.0, 2.0]) if "y_tendon" in model.joints else np.zeros(model.nv)
        tau = tau + 3.0 * np.sign(friction @ v) * friction  # a constraint there
        mujoco.mj_forward(mj, data)
        found = [ts.forward_dynamics(model, q, v, tau, method=method, passive=True) for method in METHODS]
        for vdot in found:
            expected, scale = layout.acceleration(vdot, q, v), np.abs(data.qacc).max()
            np.testing.assert_allclose(expected, data.qacc, atol=SOLVED * scale)


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "runge-kutta-4", "dormand-prince", "radau"])
def test_a_body_with_armature_falls_slower_on_a_parabola_however_it_spins(tmp_path, integrator):
    """An inertia without weight: the origin falls with m g / (m + a), in world axes."""
    path = tmp_path / "robot.xml"
    path.write_text("""<mujoco><worldbody><body pos="0 0 2"><joint type="free" armature="3"/>
      <geom size=".1" mass="1.5"/></body></worldbody></mujoco>""")
    model, speed, spin = ts.load(path), np.array([1.0, -0.5, 2.0]), np.array([3.0, 8.0, -5.0])
    assert model.total_mass == pytest.approx(1.5)
    run = ts.simulate(model, v0=[*speed, *spin], duration=0.5, integrator=integrator)
    t = run.time[:, None]
    expected = [0.0, 0.0, 2.0] + speed * t + 0.5 * np.array([0.0, 0.0, -9.81 * 1.5 / 4.5]) * t**2
    first_order = integrator == "semi-implicit-euler"
    np.testing.assert_allclose(run.q[:, :3], expected, atol=2e-3 if first_order else 1e-8)
    np.testing.assert_allclose(run.v[:, 3:], np.broadcast_to(spin, (len(t), 3)), atol=1e-9)  # a sphere


def test_derivatives_with_passive_forces_are_those_of_differences(pair):
    model, _, _ = pair
    step = 1e-6
    for q, v, vdot in states(model, count=2):
        tau_q, tau_v, _ = ts.inverse_dynamics_derivatives(model, q, v, vdot, passive=True)
        for k in range(model.nv):
            way = step * np.eye(model.nv)[k]
            ends = [
                ts.inverse_dynamics(model, model.integrate(q, s * way, 1.0), v, vdot, passive=True) for s in (1, -1)
            ]
            expected = (ends[0] - ends[1]) / (2 * step)
            np.testing.assert_allclose(tau_q[:, k], expected, atol=DIFFERENCES * max(1.0, np.abs(expected).max()))
            ends = [ts.inverse_dynamics(model, q, v + s * way, vdot, passive=True) for s in (1, -1)]
            np.testing.assert_allclose(tau_v[:, k], (ends[0] - ends[1]) / (2 * step), atol=DIFFERENCES * 10)


def test_batches_agree_with_single_states(pair):
    model, _, _ = pair
    q, v, _ = (np.array(x) for x in zip(*states(model, count=11), strict=True))
    both = ts.passive_force(model, q, v)
    single = [ts.passive_force(model, x, y) for x, y in zip(q, v, strict=True)]
    np.testing.assert_allclose(both, single, atol=1e-12 * np.abs(both).max())


def test_models_with_such_forces_are_stored_and_read_back(pair):
    model, _, _ = pair
    document = model_to_document(model)
    again = model_from_document(document.content, document.meshes)
    for q, v, _ in states(model, count=2):
        np.testing.assert_array_equal(ts.passive_force(again, q, v), ts.passive_force(model, q, v))


@pytest.mark.parametrize("integrator", INTEGRATION)
def test_energy_is_kept_with_carried_weights_and_springs(pair, integrator):
    """What carries a weight takes its potential energy away; springs hold theirs."""
    model, _, _ = pair
    q, v, _ = next(states(model, seed=5))
    q = model.integrate(model.reference, 0.3 * v, 1.0)
    run = ts.simulate(model, q0=q, v0=0.3 * v, duration=0.5, dt=1e-3, integrator=integrator, stops=False)
    drift = np.abs(run.energy["integration"]).max() / np.abs(run.energy["kinetic"]).max()
    assert drift <= INTEGRATION[integrator]
    assert np.all(np.diff(run.energy["joint_dissipated"]) >= 0.0)


def test_the_armature_of_a_tendon_is_the_inertia_of_its_length(tmp_path):
    """Also between branches, where the sparse mass matrix of MuJoCo has no place for it."""
    path = tmp_path / "robot.xml"
    path.write_text(CHAIN)
    without = ts.load(path)
    path.write_text(CHAIN.replace('springlength=".3"', 'springlength=".3" armature="2"'))
    model = ts.load(path)
    for q, v, _ in states(model):
        length = model.joint_velocities(q, v)[model.joints["far"].index - 1]
        np.testing.assert_allclose(length, 2.0 * v[1] - v[3], atol=1e-14)
        more = ts.kinetic_energy(model, q, v) - ts.kinetic_energy(without, q, v)
        np.testing.assert_allclose(more, 0.5 * 2.0 * length**2, rtol=1e-10)


def test_stops_hold_the_length_of_a_tendon_and_random_configurations_keep_it(tmp_path):
    """A weight on two joints falls until their sum is at its limit; nothing else holds it."""
    path = tmp_path / "robot.xml"
    path.write_text("""<mujoco><compiler autolimits="true"/><worldbody>
      <body><joint name="x" type="slide" axis="0 0 -1" damping="20"/><geom size=".1" mass="1"/>
        <body><joint name="y" type="slide" axis="0 0 -1" damping="20"/><geom size=".1" mass="1"/></body></body>
      </worldbody><tendon><fixed name="rope" range="-1 .25">
        <joint joint="x" coef="1"/><joint joint="y" coef="1"/></fixed></tendon></mujoco>""")
    model = ts.load(path)
    assert (model.joints["rope"].q_min[0], model.joints["rope"].q_max[0]) == (-1.0, 0.25)
    assert np.all(np.isinf(model.q_max))
    run = ts.simulate(model, q0=[0.0, 0.0], duration=1.0)
    length = run.q.sum(axis=-1)
    assert 0.24 < length[-1] < 0.26 and length.max() < 0.26
    drawn = model.random(np.random.default_rng(0), 500).sum(axis=-1)
    assert drawn.min() >= -1.0 - 1e-6 and drawn.max() <= 0.25 + 1e-6 and np.ptp(drawn) > 1.0


def test_locking_a_joint_of_a_tendon_shortens_it(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(CHAIN)
    model = ts.load(path)
    held = model.locked({"y": 0.4})
    q, v = np.array([0.3, 0.1, -0.2]), np.array([1.0, 2.0, 3.0])
    whole = ts.passive_force(model, np.insert(q, 1, 0.4), np.insert(v, 1, 0.0))
    np.testing.assert_allclose(ts.passive_force(held, q, v), np.delete(whole, 1), atol=1e-12)


def test_forces_of_tendons_that_are_not_linear_and_fluids_are_told(tmp_path):
    text = """<mujoco><option density="1000" viscosity="1"/><worldbody><body name="a"><joint name="h" axis="0 1 0"/>
      <geom size="0.1"/></body></worldbody>
      <tendon><fixed name="t" stiffness="3 1" damping="2 1"><joint joint="h" coef="1"/></fixed></tendon></mujoco>"""
    (tmp_path / "robot.xml").write_text(text)
    told = [str(problem) for problem in ts.load(tmp_path / "robot.xml").warnings]
    for part in ("linear part of stiffness", "linear part of damping", "density of a fluid", "viscosity of a fluid"):
        assert any(part in line for line in told), (part, told)
