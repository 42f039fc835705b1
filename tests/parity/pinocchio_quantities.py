"""What Pinocchio computes, under the names, in the layout and with the conventions of tarsus."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pinocchio as pin
from parity.pinocchio_models import Pair

import tarsus as ts
from tarsus.arrays import FloatArray

AXES = {
    "world": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    "local": pin.ReferenceFrame.LOCAL,
    "world_origin": pin.ReferenceFrame.WORLD,
}


@dataclass(frozen=True)
class Sample:
    """A state, accelerations, forces, and wrenches on all bodies; with leading batch axes or without."""

    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    tau: FloatArray
    external: FloatArray

    def __getitem__(self, row: int) -> "Sample":
        return Sample(*(getattr(self, field.name)[row] for field in fields(self)))


def samples(model: ts.Model, count: int, seed: int) -> Sample:
    """Random configurations with velocities, accelerations and forces of the order of one."""
    rng = np.random.default_rng(seed)
    v, vdot, tau = rng.normal(size=(3, count, model.nv))
    return Sample(model.random(rng, count), v, vdot, 10.0 * tau, 10.0 * rng.normal(size=(count, model.nb, 6)))


class Pinocchio:
    """Pinocchio at one state; methods have the names of the functions of tarsus and give what these should give."""

    def __init__(self, pair: Pair, sample: Sample) -> None:
        self.ours, self.model, self.layout = pair.model, pair.pin_model, pair.layout
        self.data = self.model.createData()  # holds the kinematics; every other algorithm would overwrite them
        self.scratch = self.model.createData()
        self.q, self.v, self.tau = self.layout.q(sample.q), self.layout.v(sample.v), self.layout.tau(sample.tau)
        self.vdot = self.layout.v(sample.vdot)
        pin.forwardKinematics(self.model, self.data, self.q, self.v, self.vdot)
        pin.updateFramePlacements(self.model, self.data)
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q, self.v)
        self.wrenches = self._wrenches(sample.external)

    def _frame(self, name: str) -> int:
        number: int = self.model.getFrameId(name, pin.FrameType.BODY)
        assert number < self.model.nframes, name
        return number

    def _joint(self, body: str) -> int:
        return int(self.model.frames[self._frame(body)].parentJoint)

    def _wrenches(self, external: FloatArray) -> Any:
        """Wrenches at the origins and in the axes of Pinocchio's joints."""
        sums = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for body, wrench in zip(self.ours.bodies, external, strict=True):
            joint, p_WB = self._joint(body), self.data.oMf[self._frame(body)].translation
            at_origin = pin.Force(wrench[:3], wrench[3:] + np.cross(p_WB, wrench[:3]))
            sums[joint] += self.data.oMi[joint].actInv(at_origin)
        vector = pin.StdVec_Force()
        vector.extend(sums)
        return vector

    def _root(self) -> tuple[float, FloatArray, float]:
        """Mass and centre of a root fixed to the world, which Pinocchio leaves out, and the mass of the rest."""
        root = self.model.inertias[0]
        rest = sum(inertia.mass for inertia in list(self.model.inertias)[1:])
        return root.mass, root.lever, rest

    def body_poses(self) -> FloatArray:
        return np.array([self.data.oMf[self._frame(body)].homogeneous for body in self.ours.bodies])

    def frame_poses(self) -> FloatArray:
        names = [frame.name for frame in self.ours.frames.values() if frame.kind in ("body", "link")]
        return np.array([self.data.oMf[self._frame(name)].homogeneous for name in names])

    def frame_velocity(self, frame: str, expressed_in: str) -> FloatArray:
        velocity: FloatArray = pin.getFrameVelocity(
            self.model, self.data, self._frame(frame), AXES[expressed_in]
        ).vector
        return velocity

    def frame_acceleration(self, frame: str, expressed_in: str) -> FloatArray:
        """Derivative of the components of the velocity: classical acceleration at the frame, spatial in the others."""
        get = pin.getFrameClassicalAcceleration if expressed_in == "world" else pin.getFrameAcceleration
        acceleration: FloatArray = get(self.model, self.data, self._frame(frame), AXES[expressed_in]).vector
        return acceleration

    def jacobian(self, frame: str, expressed_in: str) -> FloatArray:
        J = pin.getFrameJacobian(self.model, self.data, self._frame(frame), AXES[expressed_in])
        return self.layout.from_jacobian(J)

    def jacobian_dot(self, frame: str, expressed_in: str) -> FloatArray:
        J = pin.getFrameJacobianTimeVariation(self.model, self.data, self._frame(frame), AXES[expressed_in])
        return self.layout.from_jacobian(J)

    def jacobian_dot_v(self, frame: str, expressed_in: str) -> FloatArray:
        J = pin.getFrameJacobianTimeVariation(self.model, self.data, self._frame(frame), AXES[expressed_in])
        product: FloatArray = J @ self.v
        return product

    def body_jacobians(self) -> FloatArray:
        return np.array([self.jacobian(body, "world") for body in self.ours.bodies])

    def joint_screws(self) -> FloatArray:
        return self.layout.from_jacobian(pin.computeJointJacobians(self.model, self.scratch, self.q))

    def center_of_mass(self) -> FloatArray:
        mass, com, rest = self._root()
        moved: FloatArray = pin.centerOfMass(self.model, self.scratch, self.q)
        return (mass * com + rest * moved) / (mass + rest)

    def com_jacobian(self) -> FloatArray:
        mass, _, rest = self._root()
        J = self.layout.from_jacobian(pin.jacobianCenterOfMass(self.model, self.scratch, self.q))
        return J * rest / (mass + rest)

    def momentum(self) -> FloatArray:
        h: FloatArray = pin.computeCentroidalMomentum(self.model, self.scratch, self.q, self.v).vector
        return self._about_center(h)

    def momentum_matrix(self) -> FloatArray:
        A = self.layout.from_jacobian(pin.computeCentroidalMap(self.model, self.scratch, self.q))
        return self._about_center(A.T).T

    def momentum_dot_v(self) -> FloatArray:
        none = np.zeros(self.model.nv)
        rate = pin.computeCentroidalMomentumTimeVariation(self.model, self.scratch, self.q, self.v, none)
        return self._about_center(np.array(rate.vector))

    def _about_center(self, h: FloatArray) -> FloatArray:
        """Momenta (..., 6) about the centre of mass with the root instead of without it."""
        shift = pin.centerOfMass(self.model, self.scratch, self.q) - self.center_of_mass()
        return np.concatenate([h[..., :3], h[..., 3:] + np.cross(shift, h[..., :3])], axis=-1)

    def inverse_dynamics(self) -> FloatArray:
        return self.layout.from_tau(pin.rnea(self.model, self.scratch, self.q, self.v, self.vdot))

    def inverse_dynamics_with_wrenches(self) -> FloatArray:
        return self.layout.from_tau(pin.rnea(self.model, self.scratch, self.q, self.v, self.vdot, self.wrenches))

    def forward_dynamics(self) -> FloatArray:
        return self.layout.from_v(pin.aba(self.model, self.scratch, self.q, self.v, self.tau))

    def forward_dynamics_with_wrenches(self) -> FloatArray:
        return self.layout.from_v(pin.aba(self.model, self.scratch, self.q, self.v, self.tau, self.wrenches))

    def solve_mass(self) -> FloatArray:
        """M^-1 tau from their inverse of the mass matrix, which holds its upper half."""
        inverse = np.triu(pin.computeMinverse(self.model, self.scratch, self.q))
        return self.layout.from_v((inverse + np.triu(inverse, 1).T) @ self.tau)

    def mass_matrix(self) -> FloatArray:
        upper = np.triu(pin.crba(self.model, self.scratch, self.q))
        return self.layout.from_matrix(upper + np.triu(upper, 1).T)

    def bias_force(self) -> FloatArray:
        return self.layout.from_tau(pin.nonLinearEffects(self.model, self.scratch, self.q, self.v))

    def gravity_force(self) -> FloatArray:
        return self.layout.from_tau(pin.computeGeneralizedGravity(self.model, self.scratch, self.q))

    def coriolis_force(self) -> FloatArray:
        return self.layout.from_tau(pin.computeCoriolisMatrix(self.model, self.scratch, self.q, self.v) @ self.v)

    def torque_regressor(self) -> FloatArray:
        """Columns of the bodies, parameters in the frames of the bodies; zero for a root fixed to the world."""
        theirs = pin.computeJointTorqueRegressor(self.model, self.scratch, self.q, self.v, self.vdot)
        Y = self.layout.from_tau(theirs.T).T
        blocks = []
        for body in self.ours.bodies:
            joint = self._joint(body)
            X_MB = self.model.frames[self._frame(body)].placement.homogeneous
            block = Y[:, 10 * joint - 10 : 10 * joint] @ moved_parameters(X_MB) if joint > 0 else np.zeros((len(Y), 10))
            blocks.append(block)
        return np.concatenate(blocks, axis=1)

    def kinetic_energy(self) -> FloatArray:
        """Energy of the bodies from Pinocchio, and the rotors' by hand: theirs leaves out those of helical joints."""
        bodies = pin.Model(self.model)
        bodies.armature = np.zeros(self.model.nv)
        energy = pin.computeKineticEnergy(bodies, bodies.createData(), self.q, self.v)
        return np.array(energy + 0.5 * np.sum(self.model.armature * self.v**2))

    def potential_energy(self) -> FloatArray:
        mass, com, _ = self._root()
        moved = pin.computePotentialEnergy(self.model, self.scratch, self.q)
        return np.array(moved - mass * com @ self.model.gravity.linear)


def moved_parameters(X_AB: FloatArray) -> FloatArray:
    """Matrix (10, 10) that takes `Inertia.parameters` of matter described in B to those in A.

    Through the second moments of the mass distribution, which transform like X P X^T (Wensing, Kim and Slotine 2018).
    """
    columns = []
    for unit in np.eye(10):
        m, h = unit[0], unit[1:4]
        xx, xy, yy, xz, yz, zz = unit[4:]
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        P = np.block([[0.5 * np.trace(I) * np.eye(3) - I, h[:, None]], [h[None, :], np.full((1, 1), m)]])
        P = X_AB @ P @ X_AB.T
        J = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
        columns.append([P[3, 3], *P[:3, 3], J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2]])
    return np.array(columns).T
