"""One MJCF file read by tarsus and compiled by MuJoCo: do they mean the same robot?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

import tarsus as ts
from tarsus.errors import ModelFileError, TarsusError
from tarsus.io.interop import _mujoco_form
from tarsus.io.layout import Layout, PeerJoint
from tarsus.io.mjcf import read_mjcf
from tarsus.model.assembly import assemble

mujoco.set_mju_user_warning(lambda message: None)  # warnings would go to a file in the working directory

SINGLE = 1e-5
"""Share of the largest entry by which masses may differ: MuJoCo keeps vertices of meshes in single precision."""
CENTRE = 2e-5
"""By which centres of mass may differ [m]: what is missing of an open mesh is the smaller, the less it is rounded."""
EXACT = 1e-9
"""Of what does not depend on meshes: poses of bodies and sites, coordinates of key frames."""
STATES = 3
HOME = "home"
TOLD = ("left-out", "not-supported", "missing-inertia", "mesh-volume")
"""Rules of warnings that say that something of the file is not there."""


@dataclass
class Outcome:
    """What became of a file.

    Attributes
    ----------
    verdict : {"agrees", "differs", "incomplete", "refused", "empty", "foreign"}
        "incomplete" differs, too, but a warning says that a part of the file was left out. "empty": there are no
        bodies. "foreign": MuJoCo does not compile the file.
    reasons : list of str
        Rules of the errors or warnings; quantities that differ.
    detail : str
    """

    verdict: str
    reasons: list[str] = field(default_factory=list)
    detail: str = ""


def compare(path: Path, package: Path) -> Outcome:
    """Read and compile a file of a package and compare masses, kinematics, dynamics and key frames."""
    try:
        mj = mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, mujoco.FatalError) as error:
        return Outcome("foreign", detail=str(error)[:200])
    if mj.nbody == 1:
        return Outcome("empty")
    try:
        description, problems = read_mjcf(path, package_dirs=[package])
        if any(problem.severity == "error" for problem in problems):
            raise ModelFileError(problems)
        model = assemble(description, couplings="cut")
    except TarsusError as error:
        rules = [p.rule for p in getattr(error, "problems", ()) if p.severity == "error"]
        return Outcome("refused", list(dict.fromkeys(rules)) or [type(error).__name__], str(error)[:400])
    findings = Comparison(description, model, mj).findings()
    detail = "; ".join(f"{quantity}: {size}" for quantity, size in findings.items())
    told = [problem.message[:60] for problem in problems if problem.rule in TOLD]
    if findings and told:
        return Outcome("incomplete", list(dict.fromkeys(told)), detail)
    return Outcome("differs", list(findings), detail) if findings else Outcome("agrees")


class Comparison:
    """A model that joints are independent in, and the same one in MuJoCo."""

    def __init__(self, description, model, mj) -> None:
        self.description, self.model, self.mj = description, model, mj
        self.links = [link for link in description.links if not link.virtual]
        self.found: dict[str, str] = {}
        self.held: dict[int, float] = {}

    def findings(self) -> dict[str, str]:
        """Quantities that differ, with the size of the difference."""
        mj = self.mj
        if len(self.links) != mj.nbody - 1:
            return {"bodies": f"{len(self.links)} here, {mj.nbody - 1} there"}
        layout = self._layout()
        if layout is None:
            return self.found
        falls = not mj.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
        self._close("gravity", self.description.gravity, mj.opt.gravity * falls, EXACT)
        self._inertias()
        self._poses(layout)
        self._states(layout)
        return self.found

    def _close(self, what: str, ours, theirs, tolerance: float, scale: float = 1.0) -> None:
        ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
        scale = max(float(np.max(np.abs(theirs), initial=0.0)), scale)
        error = float(np.max(np.abs(ours - theirs), initial=0.0)) / scale
        if not error <= tolerance:
            self.found[what] = f"{max(error, float(self.found.get(what, 0.0))):.3g}"

    def _layout(self) -> Layout | None:
        """Joints matched by their order; those that an equality constraint holds are fixed here."""
        mj = self.mj
        ours = [joint.name for joint in self.description.joints if joint.kind != "fixed"]
        ours = ["base", *ours] if self.description.base == "free" else ours
        names = [mj.joint(i).name for i in range(mj.njnt)]
        held = {int(mj.eq_obj1id[k]): k for k in range(mj.neq) if mj.eq_type[k] == mujoco.mjtEq.mjEQ_JOINT}
        loose = [i for i in range(mj.njnt) if i not in held or names[i] in ours]
        if len(loose) != len(ours):
            self.found["joints"] = f"{len(ours)} here, {len(loose)} there"
            return None
        for i in set(range(mj.njnt)) - set(loose):
            address = int(mj.jnt_qposadr[i])
            self.held[address] = float(mj.qpos0[address] + mj.eq_data[held[i], 0])
        matches = {}
        for name, i in zip(ours, loose, strict=True):
            if names[i] not in ("", name) and name != "base":
                self.found["joint names"] = f"{name} here, {names[i]} there"
                return None
            form = _mujoco_form(self.model.joints[name], int(mj.jnt_type[i]))
            matches[name] = PeerJoint(names[i], int(mj.jnt_qposadr[i]), int(mj.jnt_dofadr[i]), form)
        return Layout(self.model, matches, mj.nq, mj.nv)

    def _inertias(self) -> None:
        for i, link in enumerate(self.links, start=1):
            mass = 0.0 if link.inertia is None else link.inertia.mass
            self._close("mass", mass, self.mj.body_mass[i], SINGLE, 1e-12)
            if link.inertia is None or mass == 0.0:
                continue
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, self.mj.body_iquat[i])
            moments = R.reshape(3, 3) @ np.diag(self.mj.body_inertia[i]) @ R.reshape(3, 3).T
            self._close("centre of mass", link.inertia.com, self.mj.body_ipos[i], CENTRE)
            self._close("moments", link.inertia.moments, moments, 3.0 * SINGLE, 1e-12)

    def _poses(self, layout: Layout) -> None:
        """Start pose and key frames; MuJoCo appends nameless copies of qpos0 where <size nkey> asks for more keys."""
        model, mj = self.model, self.mj
        keys = {mj.key(k).name or f"key{k}": mj.key_qpos[k] for k in range(mj.nkey)}
        keys = {name: qpos for name, qpos in keys.items() if name in model.poses or not np.array_equal(qpos, mj.qpos0)}
        start = keys.get(HOME, next(iter(keys.values()), mj.qpos0))
        self._close("start pose", *self._normal(layout, model.reference, start), EXACT)
        if mj.nq > 0 and set(keys) != set(model.poses):
            self.found["names of key frames"] = f"{sorted(model.poses)} here, {sorted(keys)} there"
            return
        for name, qpos in keys.items():
            if mj.nq > 0:
                self._close("key frames", *self._normal(layout, model.poses[name], qpos), EXACT)

    def _normal(self, layout: Layout, q, qpos):
        """Our configuration and theirs, both with unit quaternions of the same sign."""
        mj = self.mj
        ours, theirs = self._qpos(layout, q), np.array(qpos)
        mujoco.mj_normalizeQuat(mj, theirs)
        theirs[list(self.held)] = list(self.held.values())
        for i in range(mj.njnt):
            kind = mujoco.mjtJoint(int(mj.jnt_type[i]))
            if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
                start = int(mj.jnt_qposadr[i]) + (3 if kind == mujoco.mjtJoint.mjJNT_FREE else 0)
                part = slice(start, start + 4)
                ours[part] *= -1.0 if ours[part] @ theirs[part] < 0.0 else 1.0
        return ours, theirs

    def _qpos(self, layout: Layout, q):
        qpos = layout.q(q)
        qpos[list(self.held)] = list(self.held.values())
        return qpos

    def _states(self, layout: Layout) -> None:
        """Poses of bodies and sites, and inverse dynamics, at random states."""
        model, mj = self.model, self.mj
        rng = np.random.default_rng(0)
        for flag in ("CONSTRAINT", "SPRING", "DAMPER", "ACTUATION"):
            mj.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")
        names = [link.name for link in self.links]
        places = {mj.site(i).name: i for i in range(mj.nsite)}
        sites = {frame.name: places[frame.name] for frame in self.description.frames if frame.name in places}
        for _ in range(STATES):
            q, v, vdot = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
            data = mujoco.MjData(mj)
            data.qpos, data.qvel = self._qpos(layout, q), layout.v(v, q)
            data.qacc = layout.acceleration(vdot, q, v)
            mujoco.mj_inverse(mj, data)
            self._frames(q, names, data.xpos[1:], data.xmat[1:], "poses of bodies")
            index = list(sites.values())
            self._frames(q, sites, data.site_xpos[index], data.site_xmat[index], "poses of sites")
            if model.nv > 0:
                ours = ts.inverse_dynamics(model, q, v, vdot)
                self._close("inverse dynamics", ours, layout.from_tau(data.qfrc_inverse, q), CENTRE)

    def _frames(self, q, names: Iterable[str], positions, rotations, what: str) -> None:
        if not list(names):
            return
        X = ts.frame_poses(self.model, q, list(names))
        self._close(what, X[:, :3, 3], positions, EXACT)
        self._close(what, X[:, :3, :3], rotations.reshape(-1, 3, 3), EXACT)
