"""The same robots, dropped in the same way, in MuJoCo with the same step and otherwise its defaults.

Robots held by joint control get the integrator "implicitfast", which MuJoCo recommends for the damping of actuators.
The model there is made from ours: bodies, joints with limits, springs, damping and friction, and the collision shapes,
meshes as their convex hulls. Shapes touch the ground only, as here. Models with dependent joints are left out.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import mujoco
import numpy as np

from benchmarks.peers_mujoco import mujoco_name, mujoco_quaternion, mujoco_tree
from benchmarks.zoo.drop import DAMPING, DT, DURATION, STIFFNESS, Drive, fall_energy, start
from benchmarks.zoo.outcome import Outcome
from benchmarks.zoo.robots import Robot
from tarsus.contact import Compliant
from tarsus.geometry import shapes
from tarsus.geometry.meshes.read import triangles_of
from tarsus.geometry.triangles import Triangles
from tarsus.io.interop import MujocoLayout
from tarsus.model.model import Model

LEAST_MASS, LEAST_INERTIA = 1e-6, 1e-9
"""MuJoCo refuses moving bodies without mass, such as those between the joints of a planar base [kg, kg m^2]."""
LEAST_RANGE = 1e-6
"""And limits that leave no room [rad or m]."""


def takes(robot: Robot) -> bool:
    """Whether MuJoCo can hold this robot as we hold it: without joints that depend on others."""
    return bool(np.all(robot.load().coordinates.independent))


def drop(robot: Robot, drive: Drive, seed: int) -> Outcome:
    """Let a robot go; energy of a limp one and depth are looked at after every step, outside the time that is told."""
    model, q = robot.load(), start(robot, seed)
    peer, layout = model_there(robot, drive)
    mujoco.set_mju_user_warning(lambda _: None)  # else it writes a log file where it is started
    data = mujoco.MjData(peer)
    data.qpos[:] = layout.q(q[None])[0]
    if drive == "held":
        data.ctrl[:] = [q[joint.q_index][0] for joint in _driven(model)]
    steps = round(DURATION / DT)
    energy, depth, spent, failure = np.empty(steps + 1), 0.0, 0.0, ""
    mujoco.mj_forward(peer, data)
    energy[0] = data.energy.sum()
    for k in range(steps):
        begin = time.process_time()
        mujoco.mj_step(peer, data)
        spent += time.process_time() - begin
        energy[k + 1] = data.energy.sum()
        depth = max(depth, -float(data.contact.dist.min(initial=0.0)))
        if _bad(data) or not np.isfinite(energy[k + 1]):
            failure = f"bad state at {data.time:g} s"
            energy = energy[: k + 2]
            break
    energy = energy / fall_energy(model)
    gain = float(np.max(energy - energy[0])) if drive == "limp" else None
    rise = float(np.max(energy - np.minimum.accumulate(energy))) if drive == "limp" else None
    return Outcome(robot.name, drive, "mujoco", seed, failure, gain, rise, depth, spent / (DT * (len(energy) - 1)))


@cache
def model_there(robot: Robot, drive: Drive) -> tuple[Any, MujocoLayout]:
    """Model of MuJoCo, and its layout of q and v."""
    model = robot.load()
    spec = mujoco_tree(model)
    spec.compiler.boundmass, spec.compiler.boundinertia = LEAST_MASS, LEAST_INERTIA
    spec.compiler.balanceinertia = True
    spec.option.timestep = DT
    if drive == "held":  # the default takes the damping of actuators explicitly, and diverges
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    friction = [Compliant().friction, 0.0, 0.0]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0], contype=0, friction=friction)
    for body in model.bodies.values():
        for i, shape in enumerate(body.collisions):
            _add_shape(spec, mujoco_name(body.name), f"{body.name}/{i}", shape, friction)
    for joint in model.joints.values():
        if joint.nv == 1:
            _set_forces(spec.joint(joint.name), model, joint)
    for joint in _driven(model) if drive == "held" else []:
        _add_control(spec, model, joint)
    compiled = spec.compile()
    compiled.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    compiled.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    return compiled, MujocoLayout(model, compiled)


def _add_shape(spec: Any, body: str, name: str, shape: shapes.Shape, friction: list[float]) -> None:
    geometry, kinds = shape.geometry, mujoco.mjtGeom
    more: dict[str, Any] = {}
    match geometry:
        case shapes.Sphere(radius=radius):
            more = {"type": kinds.mjGEOM_SPHERE, "size": [radius, 0.0, 0.0]}
        case shapes.Capsule(radius=radius, length=length):
            more = {"type": kinds.mjGEOM_CAPSULE, "size": [radius, length / 2.0, 0.0]}
        case shapes.Cylinder(radius=radius, length=length):
            more = {"type": kinds.mjGEOM_CYLINDER, "size": [radius, length / 2.0, 0.0]}
        case shapes.Box(size=size):
            more = {"type": kinds.mjGEOM_BOX, "size": [side / 2.0 for side in size]}
        case shapes.Ellipsoid(radii=radii):
            more = {"type": kinds.mjGEOM_ELLIPSOID, "size": list(radii)}
        case shapes.Mesh():
            found = triangles_of(geometry)
            assert isinstance(found, Triangles), geometry.uri
            points = (found.vertices * np.array(geometry.scale)).ravel()
            spec.add_mesh(name=name, uservert=points, inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
            more = {"type": kinds.mjGEOM_MESH, "meshname": name}
        case _:
            return
    X = shape.pose
    spec.body(body).add_geom(pos=X[:3, 3], quat=mujoco_quaternion(X[:3, :3]), mass=0.0, contype=1, conaffinity=0,
                             friction=friction, **more)  # fmt: skip


def _set_forces(there: Any, model: Model, joint: Any) -> None:
    """Limits, spring, damping and friction of a joint."""
    q_min, q_max = (float(limit[joint.q_index][0]) for limit in (model.q_min, model.q_max))
    if np.isfinite(q_min) and np.isfinite(q_max):
        there.limited, there.range = mujoco.mjtLimited.mjLIMITED_TRUE, [q_min, max(q_max, q_min + LEAST_RANGE)]
    there.damping[0], there.frictionloss = float(joint.damping[0]), float(joint.friction[0])
    there.stiffness[0], there.springref = float(joint.stiffness[0]), float(joint.rest[0])


def _add_control(spec: Any, model: Model, joint: Any) -> None:
    """Position control of the joint, as stiff as ours and as limited."""
    kp, kd = STIFFNESS * model.total_mass, DAMPING * model.total_mass
    actuator = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.set_to_position(kp=kp, kv=kd)
    limit = float(model.tau_max[joint.v_index][0])
    if np.isfinite(limit):
        actuator.forcelimited, actuator.forcerange = mujoco.mjtLimited.mjLIMITED_TRUE, [-limit, limit]


def _driven(model: Model) -> list[Any]:
    """Joints that control can move."""
    joints = [joint for joint in model.joints.values() if joint.nv == 1]
    return [joint for joint in joints if model.actuated[joint.v_index].all() and model.tau_max[joint.v_index].all()]


def _bad(data: Any) -> bool:
    """Whether MuJoCo warns of numbers that are not finite or too large."""
    kinds = mujoco.mjtWarning
    return any(data.warning[int(kind)].number for kind in (kinds.mjWARN_BADQPOS, kinds.mjWARN_BADQVEL,
                                                           kinds.mjWARN_BADQACC))  # fmt: skip
