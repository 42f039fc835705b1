"""Talos standing on eight contact points under joint PD, here and in MuJoCo on the equivalent model.

Both take steps of 1 ms with the PD gains and the damping of contact implicit. MuJoCo's `rollout` and `mj_step` are
called as a user would; its model is made from ours, body by body, without the meshes that would only slow it down.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as xml

import mujoco
import mujoco.rollout
import numpy as np
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.contestants import TALOS, robot_file
from benchmarks.section import Section, as_one
from benchmarks.target import Target
from tarsus.arrays import FloatArray
from tarsus.contact import Compliant, ContactPoint, Ground, LeastConstraint, flat
from tarsus.control.joint_law import JointLaw
from tarsus.model.model import Model
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix

DT = 1e-3
KP, KD = 5000.0, 200.0
FRICTION = 0.8
FEET = ("leg_left_6_link", "leg_right_6_link")
SOLE = -0.107
"""Height of the sole below the ankle of Talos [m]."""
CORNERS = ((0.1, 0.06), (0.1, -0.06), (-0.1, 0.06), (-0.1, -0.06))
LEG_BEND = {"3": -0.4, "4": 0.8, "5": -0.4}
"""Hip, knee and ankle [rad]."""
SETTLING_TIME = 2.0
"""Time after which robots stand: forces are compared and steps are timed from there on [s]."""
START_SPREAD, DIFFERENT_ROBOTS = 1e-3, 64
"""Spread of the joint angles at the start [rad], and number of robots of a batch that differ."""
LIMP_FALLS, LIMP_HEIGHT, LIMP_TIME = 5, 1.2, 3.0
"""Falls of a limp robot, height of its base at their start [m], and their duration [s]."""
_LEAST_RADIUS = 0.0005
"""Of the spheres that stand for points in MuJoCo [m]."""
ROBOTS, STEPS = 1024, 100
SINGLE_STEPS = 5000


@dataclass(frozen=True)
class Standing:
    """What was measured; times are those of one step of one robot [us], best of all rounds.

    `limp` are falls of a robot without control, with all of its contact points, on least-constraint ground: time of the
    processor for each second [s/s].
    """

    rollout: float
    compliant: float
    least_constraint: float
    landing: float
    mj_step: float
    single: float
    sinkage: float
    force_difference: float
    chatter: float
    limp: tuple[float, ...]

    @property
    def ratios(self) -> dict[str, float]:
        """How many times as many steps as MuJoCo."""
        return {
            "1024 robots, compliant": self.rollout / self.compliant,
            "1024 robots, least-constraint": self.rollout / self.least_constraint,
            "1024 robots finding their stance, least-constraint": self.rollout / self.landing,
            "1 robot, compliant": self.mj_step / self.single,
        }


def talos() -> tuple[Model, FloatArray, tuple[ContactPoint, ...]]:
    """The robot, its stance with bent knees and the soles on the ground, and the corners of the soles."""
    model = ts.load(robot_file(TALOS), base="free")
    q = model.neutral()
    for side in ("left", "right"):
        for number, angle in LEG_BEND.items():
            q[model.joints[f"leg_{side}_{number}_joint"].q_index] = angle
    q[2] -= ts.frame_pose(model, q, FEET[0])[2, 3] + SOLE
    corners = tuple(
        ContactPoint(f"{foot}.{i}", foot, (x, y, SOLE)) for foot in FEET for i, (x, y) in enumerate(CORNERS)
    )
    return model, q, corners


def mujoco_model(
    model: Model, corners: tuple[ContactPoint, ...], dt: float = DT, kp: float = KP, kd: float = KD
) -> Any:
    """The same robot for MuJoCo: bodies, joints with damping and friction, spheres at the corners, PD."""
    root = xml.Element("mujoco")
    xml.SubElement(root, "compiler", angle="radian", autolimits="true")
    xml.SubElement(root, "option", timestep=str(dt), integrator="implicitfast")
    world = xml.SubElement(root, "worldbody")
    xml.SubElement(world, "geom", type="plane", size="0 0 1", friction=f"{FRICTION} 0 0")
    elements: dict[str, Any] = {"world": world}
    for joint, body in zip(model.joints.values(), model.bodies.values(), strict=True):
        pose = joint.pose @ joint.child_pose
        attributes = {"pos": _text(pose[:3, 3]), "quat": _text(quaternion_from_rotation_matrix(pose[:3, :3]))}
        element = xml.SubElement(elements[joint.parent], "body", name=body.name, **attributes)
        elements[body.name] = element
        inertia = body.inertia
        moments = inertia.moments
        full = (moments[0, 0], moments[1, 1], moments[2, 2], moments[0, 1], moments[0, 2], moments[1, 2])
        xml.SubElement(element, "inertial", mass=repr(inertia.mass), pos=_text(inertia.com), fullinertia=_text(full))
        if joint.kind == "free":
            xml.SubElement(element, "freejoint")
            continue
        back = np.linalg.inv(joint.child_pose)
        axis, place = back[:3, :3] @ joint.axis, back[:3, 3]
        xml.SubElement(element, "joint", name=joint.name, axis=_text(axis), pos=_text(place),
                       damping=repr(float(joint.damping[0])), frictionloss=repr(float(joint.friction[0])),
                       armature=repr(float(joint.armature[0])))  # fmt: skip
    for corner in corners:
        place = model.frames[corner.frame].pose @ np.array([*np.asarray(corner.position), 1.0])
        radius = max(corner.radius, _LEAST_RADIUS)
        centre = place[:3] + np.array([0.0, 0.0, radius - corner.radius])
        xml.SubElement(elements[model.frames[corner.frame].body], "geom", type="sphere", size=str(radius),
                       pos=_text(centre), friction=f"{FRICTION} 0 0", condim="3",
                       mass="0", contype="1", conaffinity="0")  # fmt: skip
    actuators = xml.SubElement(root, "actuator")
    for joint in model.joints.values():
        if joint.kind != "free":
            xml.SubElement(actuators, "position", joint=joint.name, kp=str(kp), kv=str(kd))
    return mujoco.MjModel.from_xml_string(xml.tostring(root, encoding="unicode"))


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def measure_standing(rounds: int = 5) -> Standing:
    """Both simulators in turn, on one thread."""
    model, q, corners = talos()
    law = JointLaw(kp=KP, kd=KD, q=q, limited=False)
    peer = mujoco_model(model, corners)
    data = mujoco.MjData(peer)
    rest = ts.simulate(model, q, duration=SETTLING_TIME, controller=law, ground=flat(Compliant(friction=FRICTION)),
                       contacts=corners, stops=False, sample_dt=0.1)  # fmt: skip
    forces = _foot_forces(rest.contact_force[-1])
    peer_forces = _peer_forces(peer, data, q)
    starts = np.repeat(q[None], DIFFERENT_ROBOTS, axis=0)
    starts[:, 7:] += np.random.default_rng(0).normal(scale=START_SPREAD, size=(DIFFERENT_ROBOTS, model.nq - 7))
    soft, hard = flat(Compliant(friction=FRICTION)), flat(LeastConstraint(friction=FRICTION))

    def settled(ground: Ground) -> tuple[FloatArray, FloatArray]:
        end = ts.simulate(model, starts, duration=SETTLING_TIME, sample_dt=SETTLING_TIME, controller=law,
                          ground=ground, contacts=corners, stops=False)  # fmt: skip
        return _repeated(end.q[-1]), _repeated(end.v[-1])

    stands = {ground: settled(ground) for ground in (soft, hard)}
    full = np.concatenate([np.zeros((DIFFERENT_ROBOTS, 1)), starts, np.zeros((DIFFERENT_ROBOTS, model.nv))], axis=1)
    settling = np.broadcast_to(q[7:], (DIFFERENT_ROBOTS, round(SETTLING_TIME / DT), model.nv - 6))
    states = _repeated(mujoco.rollout.rollout(peer, [data], full, settling)[0][:, -1])
    controls = np.broadcast_to(q[7:], (ROBOTS, STEPS, model.nv - 6))
    tools = [data]

    def rollout() -> None:
        mujoco.rollout.rollout(peer, tools, states, controls)

    def ours(ground: Ground, q0: FloatArray, v0: FloatArray | None) -> None:
        ts.simulate(model, q0, v0, duration=STEPS * DT, controller=law, ground=ground, contacts=corners, stops=False,
                    sample_dt=STEPS * DT)  # fmt: skip

    def standing(ground: Ground) -> None:
        ours(ground, *stands[ground])

    def mj_steps() -> None:
        step = mujoco.mj_step
        for _ in range(SINGLE_STEPS):
            step(peer, data)

    def single() -> None:  # goes on from where it stands, as `data` of the peer does
        ts.simulate(model, rest.q[-1], rest.v[-1], duration=SINGLE_STEPS * DT, controller=law, stops=False,
                    ground=soft, contacts=corners,
                    sample_dt=SINGLE_STEPS * DT)  # fmt: skip

    batches = {
        "rollout": (rollout, ROBOTS * STEPS),
        "compliant": (lambda: standing(soft), ROBOTS * STEPS),
        "least_constraint": (lambda: standing(hard), ROBOTS * STEPS),
        "landing": (lambda: ours(hard, _repeated(starts), None), ROBOTS * STEPS),
    }
    singles = {"mj_step": (mj_steps, SINGLE_STEPS), "single": (single, SINGLE_STEPS)}
    best = _fastest(batches, rounds) | _fastest(singles, 2 * rounds)
    late = ts.simulate(model, rest.q[-1], rest.v[-1], duration=0.1, controller=law, stops=False, contacts=corners,
                       ground=flat(Compliant(friction=FRICTION)), sample_dt=DT).contact_force[-50:]  # fmt: skip
    return Standing(
        **best,
        sinkage=float(-rest.contact_position[-1, :, 2].min()),
        force_difference=float(np.abs(forces - peer_forces).max() / np.abs(peer_forces).max()),
        chatter=float(np.abs(np.diff(late, axis=0)).max() / np.abs(forces).max()),
        limp=tuple(_limp_fall(model, q, seed) for seed in range(LIMP_FALLS)),
    )


def _limp_fall(model: Model, q: FloatArray, seed: int) -> float:
    """Time of the processor for a second of a fall from a random attitude, until the robot lies [s]."""
    start = q.copy()
    attitude = np.random.default_rng(seed).normal(size=4)
    start[2], start[3:7] = LIMP_HEIGHT, attitude / np.linalg.norm(attitude)
    begin = time.process_time()
    ts.simulate(model, start, duration=LIMP_TIME, ground=flat(LeastConstraint()), sample_dt=LIMP_TIME)
    return (time.process_time() - begin) / LIMP_TIME


def _fastest(tasks: dict[str, tuple[Callable[[], None], int]], rounds: int) -> dict[str, float]:
    """Time of a step [us], the best of some rounds in which the tasks take turns."""
    best = dict.fromkeys(tasks, np.inf)
    for _ in range(rounds):
        for name, (run, steps) in tasks.items():
            begin = time.perf_counter()
            run()
            best[name] = min(best[name], (time.perf_counter() - begin) / steps * 1e6)
    return best


def _repeated(rows: FloatArray) -> FloatArray:
    """Rows for so many robots, the same ones again and again."""
    return np.tile(rows, (ROBOTS // DIFFERENT_ROBOTS, 1))


def _foot_forces(force: FloatArray) -> FloatArray:
    """Vertical force of each foot [N]."""
    return force.reshape(len(FEET), len(CORNERS), 3)[:, :, 2].sum(axis=1)


def _peer_forces(peer: Any, data: Any, q: FloatArray) -> FloatArray:
    mujoco.mj_resetData(peer, data)
    data.qpos[:], data.ctrl[:] = q, q[7:]
    for _ in range(round(SETTLING_TIME / DT)):
        mujoco.mj_step(peer, data)
    total = np.zeros(len(FEET))
    for i in range(data.ncon):
        wrench = np.zeros(6)
        mujoco.mj_contactForce(peer, data, i, wrench)
        body = mujoco.mj_id2name(peer, mujoco.mjtObj.mjOBJ_BODY, peer.geom_bodyid[data.contact[i].geom2])
        total[FEET.index(body)] += wrench[0]
    return total


_STANDING = (
    # what, floor
    ("1024 robots, compliant", 20.0),
    ("1024 robots, least-constraint", 4.0),
    ("1 robot, compliant", 8.0),
)


def standing_table(standing: Standing) -> Table:
    """Talos standing on eight points, here and in MuJoCo."""
    table = empty_table(
        "talos standing on eight contact points, steps of 1 ms",
        ("", "ours, us a step", "mujoco, us a step", "ratio"),
        left=("",),
    )
    times = {
        "1024 robots, compliant": (standing.compliant, standing.rollout),
        "1024 robots, least-constraint": (standing.least_constraint, standing.rollout),
        "1024 robots finding their stance, least-constraint": (standing.landing, standing.rollout),
        "1 robot, compliant": (standing.single, standing.mj_step),
    }
    for name, (ours, theirs) in times.items():
        table.add_row(name, f"{ours:.3g}", f"{theirs:.3g}", f"{theirs / ours:.2f}")
    table.caption = (
        f"sinkage {1e3 * standing.sinkage:.2f} mm, foot forces within {100 * standing.force_difference:.2f} % of "
        f"MuJoCo's, force changes by {100 * standing.chatter:.2g} % from step to step; a limp robot with all its "
        f"points falls and lies on least-constraint ground at {min(standing.limp):.2f} to {max(standing.limp):.2f} s "
        "of the processor a second"
    )
    return table


def judge_standing(standing: Standing | None) -> list[Target]:
    """Talos on eight contact points, against MuJoCo."""
    ratios = {} if standing is None else standing.ratios
    targets = [
        Target(f"talos standing, {name}: mujoco / ours", floor, None, ratios.get(name)) for name, floor in _STANDING
    ]
    sinkage = None if standing is None else 1e3 * standing.sinkage
    difference = None if standing is None else 100.0 * standing.force_difference
    chatter = None if standing is None else 100.0 * standing.chatter
    return [
        *targets,
        Target("talos standing, compliant: sinkage, mm", None, 1.0, sinkage),
        Target("talos standing, compliant: difference of foot forces from MuJoCo, %", None, 5.0, difference),
        Target("talos standing, compliant: change of force from step to step, %", None, 1.0, chatter),
    ]


SECTION = Section(
    "standing",
    lambda options: iter([measure_standing(options.rounds(15, 3))]),
    lambda found: [standing_table(found[0])],
    lambda found: judge_standing(found[0] if found else None),
    as_one,
)


if __name__ == "__main__":
    found = measure_standing()
    print(found)
    print(found.ratios)
