"""From a description to a model: check, couple, merge, number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import LoopError, ModelError, ModelFileError, Problem, UnknownNameError
from tarsus.model.body import Body, Frame
from tarsus.model.coupling import Coupling, CouplingMode, Loop
from tarsus.model.description import Description, JointSpec, PoseValues
from tarsus.model.joint import BASE_KINDS, JOINT_SIZES, SAGITTAL_AXIS, Joint
from tarsus.model.loops.closure import Closure
from tarsus.model.loops.idle_spin import without_idle_spins
from tarsus.model.loops.tree_coordinates import TreeCoordinates
from tarsus.model.lowering import user_shift
from tarsus.model.merging import MergedBody, merge_fixed
from tarsus.model.model import Model
from tarsus.model.poses import joint_coordinates
from tarsus.model.repair import repair as repaired
from tarsus.model.tendon_joints import with_tendon_joints
from tarsus.model.validation import judge
from tarsus.spatial.pose import inverse_pose

if TYPE_CHECKING:
    from tarsus.model.loops.reduction import Reduction

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
    whole = with_tendon_joints(description)
    problems, bodies = judge(description)
    problems += tuple(warning for warning in warnings if warning not in problems)
    if strict:
        problems = tuple(replace(problem, severity="error") for problem in problems)
    if any(problem.severity == "error" for problem in problems):
        raise (ModelFileError if description.source.file else ModelError)(problems)
    active = whole
    if couplings == "lock" and (description.couplings or description.loops):
        active = with_tendon_joints(_lock_dependent(description, merge_fixed(description)))
        bodies = merge_fixed(active)
    elif couplings == "cut":
        active = replace(active, couplings=whole.couplings[len(description.couplings) :], loops=())
    else:
        bodies, idle = without_idle_spins(bodies, active.loops)
        problems += tuple(w for w in idle if w not in problems)
    joints = _number_joints(bodies, active)
    reduction = _reduce(bodies, joints, active) if active.loops else None
    coordinates = _coordinates(joints, active.couplings, reduction)
    problems += tuple(w for w in reduction.warnings if w not in problems) if reduction is not None else ()
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

    def renamed_pose(pose: PoseValues) -> PoseValues:
        return {renamed(name): value for name, value in pose.items()}

    others = {
        *(link.name for link in description.links),
        *(frame.name for frame in description.frames),
    }  # their names win over a joint's
    return replace(
        description,
        joints=tuple(replace(joint, name=renamed(joint.name)) for joint in description.joints),
        volumes={name if name in others else renamed(name): x for name, x in description.volumes.items()},
        couplings=tuple(coupling.renamed(renamed) for coupling in description.couplings),
        loops=tuple(_renamed_loop(loop, renamed) for loop in description.loops),
        tendons=tuple(tendon.renamed(renamed, tendon.name) for tendon in description.tendons),
        reference=renamed_pose(description.reference),
        poses={name: renamed_pose(pose) for name, pose in description.poses.items()},
    )


def _reduce(bodies: list[MergedBody], joints: list[Joint], description: Description) -> Reduction:
    """Closures of the loops, found on the spanning tree."""
    from tarsus.model.loops.reduction import reduce_loops
    from tarsus.model.loops.spanning_tree import SpanningTree

    tree = replace(description, couplings=(), loops=(), rotation="quaternion")
    core = Model(
        description=replace(tree, reference={}, poses={}),
        coupling_mode="cut",
        bodies=_finish_bodies(bodies),
        joints=joints,
        frames=_collect_frames(bodies, joints, tree),
        coordinates=_coordinates(joints, (), None),
        warnings=(),
    )
    home = {name: (index, X_BL) for index, body in enumerate(bodies) for name, X_BL in body.links.items()}
    start = core.neutral()
    starts = np.concatenate([[0], np.cumsum([joint.nq for joint in joints])])
    for joint in joints:
        if joint.name in description.reference:
            start[starts[joint.index] : starts[joint.index + 1]] = joint_coordinates(
                joint, description.reference[joint.name]
            )
    parents = [body.parent for body in bodies]
    spanning = SpanningTree(core, joints, parents, home, start, frozenset(description.reference))
    return reduce_loops(spanning, description.loops, description.couplings)


def _renamed_loop(loop: Loop, new: Callable[[str], str]) -> Loop:
    """A loop of joints with other names; links keep theirs."""
    renamed = replace(loop, independent=tuple(new(name) for name in loop.independent))
    if loop.kind != "polynomial":
        return renamed
    return replace(renamed, link_a=new(loop.link_a), link_b=new(loop.link_b))


def _lock_dependent(description: Description, bodies: list[MergedBody]) -> Description:
    """Dependent joints fixed: followers where they are when their leaders are at zero, loops where they are closed."""
    from tarsus.model.derive import lock_joints

    values: dict[str, tuple[float, ...]] = {}
    if description.loops:
        joints = _number_joints(bodies, description)
        reduction = _reduce(bodies, joints, description)
        starts = np.concatenate([[0], np.cumsum([joint.nq for joint in joints])])
        held = {k for closure in reduction.closures for k in closure.coordinates}
        for joint in joints:
            place = slice(int(starts[joint.index]), int(starts[joint.index + 1]))
            if held & set(range(place.start, place.stop)):
                values[joint.name] = tuple(reduction.reference[place].tolist())
    for name, coupling in resolve_couplings(description.couplings).items():
        values.setdefault(name, (coupling.offset,))
    return lock_joints(replace(description, couplings=(), loops=()), values)


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


def base_joint(description: Description, root: str) -> JointSpec:
    """The joint between the world and the root."""
    forces: dict[str, Any] = dict(description.base_forces) if description.base != "fixed" else {}
    kind = BASE_KINDS[description.base]
    return JointSpec(BASE, kind, "world", root, axis=SAGITTAL_AXIS, actuated=False, **forces)


def _number_joints(bodies: list[MergedBody], description: Description) -> list[Joint]:
    """One joint per body, the base joint first; q_index and v_index are set later."""
    root = bodies[0]
    base = base_joint(description, root.name)
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


def _coordinates(joints: list[Joint], couplings: tuple[Coupling, ...], reduction: Reduction | None) -> TreeCoordinates:
    """Number the coordinates of the spanning tree and the independent ones among them."""
    joined = reduction.joined if reduction is not None else frozenset()
    resolved = resolve_couplings([c for c in couplings if c.joint not in joined])
    followed = {name: x for name, x in resolved.items() if len(x.terms) == 1}
    index = {joint.name: joint.index for joint in joints}
    nq = np.array([joint.nq for joint in joints])
    nv = np.array([joint.nv for joint in joints])
    tree_q = np.concatenate([[0], np.cumsum(nq)])
    tree_v = np.concatenate([[0], np.cumsum(nv)])
    closures = [
        *(_combination(x, index, tree_q, tree_v) for x in resolved.values() if len(x.terms) > 1),
        *(reduction.closures if reduction is not None else ()),
    ]
    dependent = {k for c in closures for k in c.dofs[: c.dependents]}
    free = np.array([joint.name not in followed and tree_v[joint.index] not in dependent for joint in joints])
    _refuse_double(joints, free, followed, closures, tree_v)
    q_start = np.concatenate([[0], np.cumsum(np.where(free, nq, 0))])
    v_start = np.concatenate([[0], np.cumsum(np.where(free, nv, 0))])
    leader_q = np.concatenate([q_start[i] + np.arange(nq[i]) for i in range(len(joints))]).astype(np.int32)
    leader_v = np.concatenate([v_start[i] + np.arange(nv[i]) for i in range(len(joints))]).astype(np.int32)
    ratio_q, offset_q = np.ones(len(leader_q)), np.zeros(len(leader_q))
    ratio_v = np.ones(len(leader_v))
    for i in np.flatnonzero(~free):
        leader_q[tree_q[i] : tree_q[i + 1]] = -1
        leader_v[tree_v[i] : tree_v[i + 1]] = -1
    for name, coupling in followed.items():
        follower, k = index[name], index[coupling.leader]
        place, rate = tree_q[follower], tree_v[follower]
        leader_q[place], ratio_q[place], offset_q[place] = q_start[k], coupling.ratio, coupling.offset
        leader_v[rate], ratio_v[rate] = v_start[k], coupling.ratio
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
        closures=tuple(closures),
        reference=reduction.reference if reduction is not None else np.zeros(len(leader_q)),
        reach=reduction.reach if reduction is not None else {},
    )


def resolve_couplings(couplings: Sequence[Coupling]) -> dict[str, Coupling]:
    """Couplings with every leader that follows others itself replaced by what it follows."""
    given = {c.joint: c for c in couplings}
    done: dict[str, Coupling] = {}

    def resolved(name: str) -> tuple[dict[str, float], float]:
        if name not in given:
            return {name: 1.0}, 0.0
        if name in done:
            return dict(done[name].terms), done[name].offset
        terms: dict[str, float] = {}
        offset = given[name].offset
        for leader, ratio in given[name].terms:
            inner, shift = resolved(leader)
            offset += ratio * shift
            for far, r in inner.items():
                terms[far] = terms.get(far, 0.0) + ratio * r
        first, *rest = terms.items()
        done[name] = Coupling(name, first[0], first[1], offset, given[name].source, tuple(rest))
        return terms, offset

    for joint in given:
        chain = [joint]  # from the far end, so that long chains of followers need no deep recursion
        while given[chain[-1]].leader in given and not given[chain[-1]].further:
            chain.append(given[chain[-1]].leader)
        for name in reversed(chain):
            resolved(name)
    return {joint: done[joint] for joint in given}


def _combination(coupling: Coupling, index: dict[str, int], tree_q: FloatArray, tree_v: FloatArray) -> Closure:
    """A joint that follows several others, as a linear closure."""
    joints = [index[coupling.joint], *(index[name] for name, _ in coupling.terms)]
    return Closure(
        "linear",
        f"coupling of joint {coupling.joint!r}",
        tuple(int(tree_v[i]) for i in joints),
        tuple(int(tree_q[i]) for i in joints),
        1,
        slope=np.array([[ratio for _, ratio in coupling.terms]]),
        table=np.array([coupling.offset]),
    )


def _refuse_double(
    joints: list[Joint], free: Any, followed: dict[str, Coupling], closures: list[Closure], tree_v: FloatArray
) -> None:
    """A joint may depend on others once only, and leaders must be independent."""
    dependent: set[int] = {int(tree_v[j.index]) for j in joints if j.name in followed}
    for c in closures:
        for k in c.dofs[: c.dependents]:
            if k in dependent:
                raise LoopError(f"{c.name} determines a joint that already follows another one")
            dependent.add(k)
    names = {joint.name: joint for joint in joints}
    for coupling in followed.values():
        if not free[names[coupling.leader].index]:
            raise LoopError(f"joint {coupling.joint!r} follows {coupling.leader!r}, which depends on others itself")
    for c in closures:
        for k in c.dofs[c.dependents :]:
            if k in dependent:
                raise LoopError(f"{c.name} leads to a joint that depends on others itself")


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
            carried=_frozen(body.carried),
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
