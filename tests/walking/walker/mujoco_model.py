"""Bipeds as MuJoCo models: made of tarsus' own, or read by MuJoCo from the same file; with a floor and motors."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model import Model
from tarsus.spatial import inverse_pose, quaternion_from_rotation_matrix
from tarsus.walking.biped.biped import Biped

THICKNESS = 0.02
"""Of the boxes that are soles [m]: only their lower faces touch."""
FLOOR = "floor"
CONVERGED = 100, 50
"""Iterations of MuJoCo's solver at most, and of its line search: its defaults."""


class Contact(NamedTuple):
    """How soles touch the floor; what is not told is as MuJoCo has it by default.

    Attributes
    ----------
    solref : tuple of 2 float
        Time constant [s] and damping ratio of the way in which a contact is led back to depth 0.
    solimp : tuple of 5 float
        Least and largest impedance, and how it grows with depth [-, -, m, -, -].
    friction : float
        Coefficient of Coulomb friction.
    cone : int
        Of `mujoco.mjtCone`: pyramid or circular cone.
    impratio : float
        Impedance of friction in that of the normal force: soles creep less, the larger it is.
    """

    solref: tuple[float, float] = (0.02, 1.0)
    solimp: tuple[float, float, float, float, float] = (0.9, 0.95, 0.001, 0.5, 2.0)
    friction: float = 0.8
    cone: int = int(mujoco.mjtCone.mjCONE_PYRAMIDAL)
    impratio: float = 1.0


DEFAULT = Contact()
"""MuJoCo's own numbers, with the friction of `tarsus.contact.flat`."""
STIFF = Contact((0.004, 1.0), (0.95, 0.99, 0.001, 0.5, 2.0), cone=int(mujoco.mjtCone.mjCONE_ELLIPTIC), impratio=10.0)
"""Five times as fast as the default, a circular cone, and friction that hardly creeps."""


def compiled(biped: Biped, contact: Contact = DEFAULT) -> mujoco.MjModel:
    """The tree of a biped, with boxes as large as the soles that it stands on and nothing else that touches."""
    spec, model = mujoco.MjSpec(), biped.model
    spec.compiler.degree = False
    spec.option.gravity = model.gravity
    spec.option.cone, spec.option.impratio = contact.cone, contact.impratio
    add_bodies(spec, model)
    add_contact(spec, biped, contact)
    add_motors(spec, model)
    mj_model = spec.compile()
    for joint in model.joints.values():
        mj_model.dof_damping[mj_model.joint(joint.name).dofadr] = joint.damping[0]
    return mj_model


def read_by_mujoco(path: Path, biped: Biped, contact: Contact | None = None) -> mujoco.MjModel:
    """An MJCF file as MuJoCo reads it, with the motors of `add_motors` in place of its own.

    Shapes, inertias, limits, armature, damping and dry friction of joints are those of the file; so are contacts, where
    no others are given. Files whose robots are fixed get a free joint, those without a floor at z = 0 get one.
    """
    spec = mujoco.MjSpec.from_file(str(path))
    for element in [*spec.actuators, *spec.keys, *spec.sensors]:
        spec.delete(element)
    level = False
    for plane in [geom for geom in spec.worldbody.geoms if geom.type == mujoco.mjtGeom.mjGEOM_PLANE]:
        if plane.pos[2] == 0.0:
            level = True
        else:
            spec.delete(plane)
    if not level:
        spec.worldbody.add_geom(name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0])
    root = spec.worldbody.first_body()
    if not root.joints:
        root.add_freejoint(name="base")
    if contact is not None:
        spec.option.cone, spec.option.impratio = contact.cone, contact.impratio
        spec.option.iterations, spec.option.ls_iterations = CONVERGED  # some files are content with one
        for touching in [*spec.geoms, *spec.pairs]:
            touching.solref, touching.solimp = contact.solref, contact.solimp
    add_motors(spec, biped.model)
    return spec.compile()


def add_bodies(spec: mujoco.MjSpec, model: Model) -> None:
    """Bodies with their inertias, a free joint and hinges or slides, without shapes."""
    bodies = {}
    for body, joint in zip(model.bodies.values(), model.joints.values(), strict=True):
        X = joint.pose @ joint.child_pose
        parent = spec.worldbody if body.parent is None else bodies[body.parent]
        own = bodies[body.name] = parent.add_body(name=body.name, pos=X[:3, 3], quat=_quaternion(X))
        own.mass, own.ipos, own.explicitinertial = body.inertia.mass, body.inertia.com, True
        own.fullinertia = body.inertia.moments[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
        if body.parent is None:
            own.add_freejoint(name=joint.name)
            continue
        to_joint = inverse_pose(joint.child_pose)  # X_BJ
        kind = mujoco.mjtJoint.mjJNT_SLIDE if joint.kind == "prismatic" else mujoco.mjtJoint.mjJNT_HINGE
        hinge = own.add_joint(name=joint.name, type=kind, axis=to_joint[:3, :3] @ joint.axis, pos=to_joint[:3, 3])
        hinge.armature, hinge.frictionloss = joint.armature[0], joint.friction[0]
        if np.isfinite([joint.q_min[0], joint.q_max[0]]).all():
            hinge.range = [joint.q_min[0], joint.q_max[0]]


def add_contact(spec: mujoco.MjSpec, biped: Biped, contact: Contact) -> None:
    """A floor at z = 0, and boxes as large as the soles that the biped stands on."""
    touches = dict(friction=[contact.friction, 0.005, 0.0001], solref=contact.solref, solimp=contact.solimp)
    plane, box = mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_BOX
    spec.worldbody.add_geom(name=FLOOR, type=plane, size=[0.0, 0.0, 1.0], **touches)
    for leg in biped.legs:
        X = biped.model.frames[leg.sole].pose
        middle = X[:3, 3] + 0.5 * THICKNESS * X[:3, 2]
        half = [*leg.half, 0.5 * THICKNESS]
        spec.body(leg.foot).add_geom(
            name=leg.sole, type=box, size=half, pos=middle, quat=_quaternion(X), mass=0.0, **touches
        )


def add_motors(spec: mujoco.MjSpec, model: Model) -> None:
    """One for every joint, of the joint's name and torque limit: its torque is ctrl - kp q - kd v, gains 0 at first."""
    for joint in model.joints.values():
        if not joint.actuated:
            continue
        motor = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.gaintype, motor.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
        motor.ctrllimited = False
        limit = float(model.tau_max[joint.v_index][0])
        if np.isfinite(limit):
            motor.forcerange = [-limit, limit]


def _quaternion(X: FloatArray) -> FloatArray:
    return quaternion_from_rotation_matrix(X[:3, :3])
