"""From a description to a model: check, couple, merge, number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.errors import LoopError, ModelError, ModelFileError, Problem, UnknownNameError
from tarsus.model.body import Body, Frame
from tarsus.model.coordinates import TreeCoordinates
from tarsus.model.coupling import Coupling, CouplingMode
from tarsus.model.description import Description, JointSpec
from tarsus.model.joint import BASE_KINDS, JOINT_SIZES, SAGITTAL_AXIS, Joint
from tarsus.model.lowering import user_shift
from tarsus.model.merging import MergedBody, merge_fixed
from tarsus.model.model import Model
from tarsus.model.repair import repair as repaired
from tarsus.model.validation import judge
from tarsus.spatial.pose import FloatArray, inverse_pose

BASE = "base"
"""Name of the joint between the world and the root."""


def assemble(
    description: Description,
    *,
    couplings: CouplingMode = "reduce",
    strict: bool = False,
    repair: bool = False,
    warnings: tuple[Problem, ...] = (),
) -> Model:
    """Check a description and make the model; see `ModelBuilder.build`.

    `warnings` are findings of whoever read the description, kept with the model's own.
    """
    if couplings not in ("reduce", "cut", "lock"):
        raise UnknownNameError(f"couplings must be 'reduce', 'cut' or 'lock', not {couplings!r}")
    if repair:
        description = repaired(description)
    description = _free_base_name(description)
    problems, bodies = judge(description)
    problems += tuple(warning for warning in warnings if warning not in problems)
    if strict:
        problems = tuple(replace(problem, severity="error") for problem in problems)
    if any(problem.severity == "error" for problem in problems):
        raise (ModelFileError if description.source.file else ModelError)(problems)
    active = description
    if couplings != "cut":
        _refuse_loops(description)
    if couplings == "lock" and description.couplings:
        active = _lock_dependent(description)
        bodies = merge_fixed(active)
    elif couplings == "cut":
        active = replace(active, couplings=())
    joints = _number_joints(bodies, active)
    coordinates = _coordinates(joints, active.couplings)
    joints = _place_joints(joints, coordinates, user_shift(active))
    return Model(
        description=description,
        coupling_mode=couplings,
        bodies=_finish_bodies(bodies),
        joints=joints,
        frames=_collect_frames(bodies, joints, active),
        coordinates=coordinates,
        warnings=problems,
    )


def _free_base_name(description: Description) -> Description:
    """A joint that is itself called "base" is renamed to "base_": the name belongs to the joint of the root."""
    taken = {joint.name for joint in description.joints}
    if BASE not in taken:
        return description
    other = BASE
    while other in taken:
        other += "_"

    def renamed(name: str) -> str:
        return other if name == BASE else name

    return replace(
        description,
        joints=tuple(replace(joint, name=renamed(joint.name)) for joint in description.joints),
        couplings=tuple(replace(c, joint=renamed(c.joint), leader=renamed(c.leader)) for c in description.couplings),
        reference={renamed(name): value for name, value in description.reference.items()},
    )


def _refuse_loops(description: Description) -> None:
    if description.loops:
        problems = [
            Problem(
                "error",
                "loop",
                f"kinematic loop {loop.name!r} between {loop.link_a!r} and {loop.link_b!r} cannot be evaluated yet; "
                "couplings='cut' opens it",
                f"loop {loop.name!r}",
                loop.kind,
                *loop.source,
            )
            for loop in description.loops
        ]
        raise LoopError(problems)


def _lock_dependent(description: Description) -> Description:
    """Couplings replaced by fixed joints at the position they have when their leaders are at zero."""
    from tarsus.model.derive import lock_joints

    offsets = {c.joint: (c.leader, c.ratio, c.offset) for c in description.couplings}

    def position(name: str) -> float:
        ratio, offset = 1.0, 0.0
        while name in offsets:
            leader, r, o = offsets[name]
            offset += ratio * o
            ratio *= r
            name = leader
        return offset

    values = {coupling.joint: (position(coupling.joint),) for coupling in description.couplings}
    return lock_joints(replace(description, couplings=()), values)


def _values(value: float | tuple[float, ...], count: int) -> FloatArray:
    a = np.array(value, dtype=float)
    a = np.full(count, float(a)) if a.ndim == 0 else a
    a.flags.writeable = False
    return a


def _frozen(X: FloatArray) -> FloatArray:
    """Read-only copy: the model must not follow later changes of what it was made from."""
    X = np.array(X, dtype=float)
    X.flags.writeable = False
    return X


def _unit(axis: tuple[float, float, float]) -> FloatArray:
    a = np.array(axis, dtype=float)
    largest = np.abs(a).max()
    if largest > 0.0:
        a = a / largest  # keeps the squares of extreme numbers in range
        a = a / np.sqrt(a @ a)
    a.flags.writeable = False
    return a


def _number_joints(bodies: list[MergedBody], description: Description) -> list[Joint]:
    """One joint per body, the base joint first; q_index and v_index are set later."""
    root = bodies[0]
    kind = BASE_KINDS[description.base]
    base = JointSpec(BASE, kind, "world", root.name, axis=SAGITTAL_AXIS, actuated=False)
    joints = []
    for index, body in enumerate(bodies):
        spec = body.joint or base
        size = JOINT_SIZES[spec.kind]
        joints.append(
            Joint(
                name=spec.name,
                kind=spec.kind,  # type: ignore[arg-type]
                index=index,
                parent=bodies[body.parent].name if body.joint is not None else "world",
                child=body.name,
                pose=_frozen(body.joint_pose),
                child_pose=_frozen(spec.child_pose),
                axis=_unit(spec.axis),
                axis2=_unit(spec.axis2),
                pitch=float(spec.pitch),
                q_index=slice(0, 0),
                v_index=slice(0, 0),
                q_min=_values(spec.q_min, size.nq),
                q_max=_values(spec.q_max, size.nq),
                v_max=_values(spec.v_max, size.nv),
                tau_max=_values(spec.tau_max, size.nv),
                damping=_values(spec.damping, size.nv),
                friction=_values(spec.friction, size.nv),
                armature=_values(spec.armature, size.nv),
                stiffness=_values(spec.stiffness, size.nv),
                rest=_values(spec.rest, size.nv),
                actuated=spec.actuated,
            )
        )
    return joints


def _coordinates(joints: list[Joint], couplings: tuple[Coupling, ...]) -> TreeCoordinates:
    """Number the coordinates of the spanning tree and the independent ones among them."""
    followed = {c.joint: c for c in couplings}
    index = {joint.name: joint.index for joint in joints}
    nq = np.array([joint.nq for joint in joints])
    nv = np.array([joint.nv for joint in joints])
    free = np.array([joint.name not in followed for joint in joints])
    q_start = np.concatenate([[0], np.cumsum(np.where(free, nq, 0))])
    v_start = np.concatenate([[0], np.cumsum(np.where(free, nv, 0))])
    leader_q = np.concatenate([q_start[i] + np.arange(nq[i]) for i in range(len(joints))]).astype(np.int32)
    leader_v = np.concatenate([v_start[i] + np.arange(nv[i]) for i in range(len(joints))]).astype(np.int32)
    ratio_q, offset_q = np.ones(len(leader_q)), np.zeros(len(leader_q))
    ratio_v = np.ones(len(leader_v))
    tree_q = np.concatenate([[0], np.cumsum(nq)])
    tree_v = np.concatenate([[0], np.cumsum(nv)])
    for name in followed:
        ratio, offset, leader = 1.0, 0.0, name
        while leader in followed:  # q = ratio q_leader + offset along the chain of couplings
            c = followed[leader]
            ratio, offset, leader = ratio * c.ratio, offset + ratio * c.offset, c.leader
        i, k = index[name], index[leader]
        leader_q[tree_q[i]], ratio_q[tree_q[i]], offset_q[tree_q[i]] = q_start[k], ratio, offset
        leader_v[tree_v[i]], ratio_v[tree_v[i]] = v_start[k], ratio
    return TreeCoordinates(
        nq=int(q_start[-1]),
        nv=int(v_start[-1]),
        q_start=q_start,
        v_start=v_start,
        tree_q_start=tree_q,
        tree_v_start=tree_v,
        leader_q=leader_q,
        ratio_q=ratio_q,
        offset_q=offset_q,
        leader_v=leader_v,
        ratio_v=ratio_v,
        independent=free,
    )


def _place_joints(joints: list[Joint], coordinates: TreeCoordinates, shift: int) -> list[Joint]:
    """Joints with their places in q and v; `shift` is what the rotation of the base takes more than a quaternion."""
    c = coordinates
    return [
        replace(
            joint,
            q_index=slice(
                int(c.q_start[joint.index]) + (shift if joint.index > 0 else 0), int(c.q_start[joint.index + 1]) + shift
            ),
            v_index=slice(int(c.v_start[joint.index]), int(c.v_start[joint.index + 1])),
        )
        for joint in joints
    ]


def _finish_bodies(bodies: list[MergedBody]) -> list[Body]:
    return [
        Body(
            name=body.name,
            index=index,
            parent=bodies[body.parent].name if body.joint is not None else None,
            joint=body.joint.name if body.joint is not None else BASE,
            inertia=body.inertia,
            links=tuple(body.links),
            visuals=tuple(body.visuals),
            collisions=tuple(body.collisions),
        )
        for index, body in enumerate(bodies)
    ]


def _collect_frames(bodies: list[MergedBody], joints: list[Joint], description: Description) -> dict[str, Frame]:
    """Frames by name: bodies, merged links and given frames first, joints where the name is still free."""
    frames: dict[str, Frame] = {}
    identity = _frozen(np.eye(4))
    for body in bodies:
        frames[body.name] = Frame(body.name, body.name, identity, "body")
    home: dict[str, tuple[str, FloatArray]] = {}
    for body in bodies:
        for name, X_BL in body.links.items():
            home[name] = (body.name, X_BL)
            frames.setdefault(name, Frame(name, body.name, _frozen(X_BL), "link"))
    for spec in description.frames:
        owner, X_BL = home[spec.link]
        frames.setdefault(spec.name, Frame(spec.name, owner, _frozen(X_BL @ spec.pose), "frame"))
    for joint, body in zip(joints, bodies, strict=True):
        if joint.index > 0:
            same = np.array_equal(joint.child_pose, identity)
            X_BJ = identity if same else _frozen(inverse_pose(joint.child_pose))
            frames.setdefault(joint.name, Frame(joint.name, body.name, X_BJ, "joint"))
        for name, X_BJ in body.fixed_joints.items():
            frames.setdefault(name, Frame(name, body.name, _frozen(X_BJ), "joint"))
    return frames
