"""MJCF read by tarsus and compiled by MuJoCo: the same bodies, the same dynamics."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from parity.mjcf_models import MODELS

import tarsus as ts
from tarsus.io.interop import MujocoLayout
from tarsus.io.mjcf import read_mjcf, read_mjcf_text
from tarsus.model.assembly import assemble

RELATIVE = 1e-9
"""Agreement asked of every quantity, as a share of its largest entry (of 1 where that is smaller)."""
STATES = 5


mujoco.set_mju_user_warning(lambda message: None)  # warnings would go to a file in the working directory


SINGLE_PRECISION = 1e-6
"""MuJoCo keeps the vertices of meshes in single precision, which the inertias of the files below depend on."""


class Pair:
    """The same model in both libraries, and a converter between their layouts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.description, problems = read_mjcf_text(MODELS[name], name=f"{name}.xml")
        assert [problem for problem in problems if problem.severity == "error"] == []
        self.mj = mujoco.MjModel.from_xml_string(MODELS[name])
        self.mj.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        for flag in ("CONSTRAINT", "SPRING", "DAMPER"):
            self.mj.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")

    @property
    def links(self):
        """Links that are bodies of MuJoCo, in its order."""
        return [link for link in self.description.links if not link.virtual]

    def dynamics(self, seed: int = 0):
        """Model, layout, and states (q, v, vdot) with the data of MuJoCo at each of them."""
        model = assemble(self.description)
        layout = MujocoLayout(model, self.mj)
        rng = np.random.default_rng(seed)
        for _ in range(STATES):
            q, v, vdot = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
            data = mujoco.MjData(self.mj)
            data.qpos, data.qvel = layout.q(q), layout.v(v, q)
            data.qacc = layout.acceleration(vdot, q, v)
            mujoco.mj_inverse(self.mj, data)
            mujoco.mj_energyPos(self.mj, data)
            mujoco.mj_energyVel(self.mj, data)
            yield model, layout, (q, v, vdot), data

    def close(self, ours, theirs):
        scale = max(float(np.max(np.abs(theirs), initial=0.0)), 1.0)
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=RELATIVE * scale)


@pytest.fixture(params=MODELS, name="pair")
def _pair(request):
    return Pair(request.param)


def mass_matrix(mj, data):
    """Mass matrix of MuJoCo, column by column."""
    columns = np.zeros((mj.nv, mj.nv))
    for i, unit in enumerate(np.eye(mj.nv)):
        mujoco.mj_mulM(mj, data, columns[i], unit)
    return columns


def test_masses_agree(pair):
    assert len(pair.links) == pair.mj.nbody - 1
    masses = [0.0 if link.inertia is None else link.inertia.mass for link in pair.links]
    np.testing.assert_allclose(masses, pair.mj.body_mass[1:], rtol=RELATIVE)


def test_centres_of_mass_and_moments_of_bodies_agree(pair):
    for i, link in enumerate(pair.links, start=1):
        if link.inertia is None:
            assert pair.mj.body_mass[i] == 0.0
            continue
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, pair.mj.body_iquat[i])
        R = R.reshape(3, 3)
        moments = R @ np.diag(pair.mj.body_inertia[i]) @ R.T
        np.testing.assert_allclose(link.inertia.com, pair.mj.body_ipos[i], atol=RELATIVE)
        np.testing.assert_allclose(link.inertia.moments, moments, rtol=0, atol=RELATIVE * np.max(moments))


def test_joints_come_in_the_order_of_mujoco_with_its_limits(pair):
    joints = [joint for joint in pair.description.joints if joint.kind != "fixed"]
    if pair.description.base == "free":
        assert pair.mj.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE
    first = int(pair.description.base == "free")
    assert len(joints) + first == pair.mj.njnt
    for i, joint in enumerate(joints, start=first):
        name = pair.mj.joint(i).name
        assert name in ("", joint.name)
        if pair.mj.jnt_limited[i]:
            np.testing.assert_allclose((joint.q_min, joint.q_max), pair.mj.jnt_range[i], rtol=RELATIVE)
        else:
            assert (joint.q_min, joint.q_max) == (-np.inf, np.inf)
        dof = pair.mj.jnt_dofadr[i]
        np.testing.assert_allclose(joint.damping, pair.mj.dof_damping[dof])


def test_gravity_agrees(pair):
    np.testing.assert_array_equal(pair.description.gravity, pair.mj.opt.gravity)


def test_poses_of_bodies_agree(pair):
    for model, _, (q, _, _), data in pair.dynamics():
        for i, link in enumerate(pair.links, start=1):
            X = ts.frame_pose(model, q, link.name)
            pair.close(X[:3, 3], data.xpos[i])
            pair.close(X[:3, :3], data.xmat[i].reshape(3, 3))


def test_poses_of_sites_agree(pair):
    for model, _, (q, _, _), data in pair.dynamics():
        for i in range(pair.mj.nsite):
            X = ts.frame_pose(model, q, pair.mj.site(i).name)
            pair.close(X[:3, 3], data.site_xpos[i])
            pair.close(X[:3, :3], data.site_xmat[i].reshape(3, 3))


def test_mass_matrices_agree(pair):
    for model, layout, (q, _, _), data in pair.dynamics():
        pair.close(layout.matrix(ts.mass_matrix(model, q), q), mass_matrix(pair.mj, data))
        pair.close(layout.from_matrix(mass_matrix(pair.mj, data), q), ts.mass_matrix(model, q))


def test_bias_forces_agree(pair):
    for model, layout, (q, v, _), data in pair.dynamics():
        # Components in turning axes: zero vdot is not zero acceleration in the layout of MuJoCo.
        turning = mass_matrix(pair.mj, data) @ layout.acceleration(np.zeros(model.nv), q, v)
        pair.close(layout.tau(ts.bias_force(model, q, v), q), data.qfrc_bias + turning)


def test_inverse_dynamics_agree(pair):
    for model, layout, (q, v, vdot), data in pair.dynamics():
        pair.close(layout.tau(ts.inverse_dynamics(model, q, v, vdot), q), data.qfrc_inverse)
        pair.close(ts.inverse_dynamics(model, q, v, vdot), layout.from_tau(data.qfrc_inverse, q))


def test_forward_dynamics_agree(pair):
    for model, layout, (q, v, vdot), data in pair.dynamics():
        tau = layout.from_tau(data.qfrc_inverse, q)
        pair.close(ts.forward_dynamics(model, q, v, tau), vdot)
        pair.close(layout.from_acceleration(data.qacc, q, v), vdot)


def test_centres_of_mass_agree(pair):
    for model, _, (q, _, _), data in pair.dynamics():
        mujoco.mj_comPos(pair.mj, data)
        pair.close(ts.center_of_mass(model, q), data.subtree_com[0])


def test_energies_agree(pair):
    for model, _, (q, v, _), data in pair.dynamics():
        pair.close(ts.potential_energy(model, q), data.energy[0])
        pair.close(ts.kinetic_energy(model, q, v), data.energy[1])


def test_velocities_of_bodies_agree(pair):
    for model, _, (q, v, _), data in pair.dynamics():
        for i, link in enumerate(pair.links, start=1):
            velocity = np.zeros(6)
            mujoco.mj_objectVelocity(pair.mj, data, mujoco.mjtObj.mjOBJ_XBODY, i, velocity, 0)
            pair.close(ts.frame_velocity(model, q, v, link.name), np.concatenate([velocity[3:], velocity[:3]]))


def test_passive_forces_agree(pair):
    for flag in ("SPRING", "DAMPER"):
        pair.mj.opt.disableflags &= ~int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    for model, layout, (q, v, _), data in pair.dynamics():
        mujoco.mj_passive(pair.mj, data)
        pair.close(layout.tau(ts.passive_force(model, q, v), q), data.qfrc_passive)


def installed_files() -> list[Path]:
    """Models with bodies that came with the installed MuJoCo, if any."""
    files = sorted(Path(mujoco.__file__).parent.glob("testdata/*.xml"))
    return [path for path in files if b"<worldbody" in path.read_bytes()]


def test_files_agree(tmp_path):
    (tmp_path / "walker.xml").write_text(MODELS["walker"])
    for path in [tmp_path / "walker.xml", *installed_files()]:
        description, problems = read_mjcf(path)
        assert [problem for problem in problems if problem.severity == "error"] == []
        mj = mujoco.MjModel.from_xml_path(str(path))
        masses = [0.0 if link.inertia is None else link.inertia.mass for link in description.links if not link.virtual]
        np.testing.assert_allclose(masses, mj.body_mass[1:], rtol=SINGLE_PRECISION)
        model = assemble(description, couplings="cut")
        if model.nv == 0:
            continue
        layout = MujocoLayout(model, mj)
        q = model.random(np.random.default_rng(0))
        data = mujoco.MjData(mj)
        data.qpos = layout.q(q)
        mujoco.mj_forward(mj, data)
        M = mass_matrix(mj, data)
        np.testing.assert_allclose(layout.matrix(ts.mass_matrix(model, q), q), M, atol=SINGLE_PRECISION * np.max(M))
