"""Finding everything that is wrong with a description, in one go."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from tarsus.errors import Problem, nearest
from tarsus.model.coupling import Source
from tarsus.model.description import Description, JointSpec
from tarsus.model.joint import BASE_KINDS, JOINT_SIZES
from tarsus.model.merging import MergedBody, merge_fixed
from tarsus.model.tree import children_of_links, root_links
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import FloatArray

MIN_AXIS_NORM = 1e-12
"""Axes shorter than this have no direction."""
PSD_TOLERANCE = 1e-9
"""Eigenvalues of an inertia below minus this share of the largest one are negative, not rounded."""
MAX_MAGNITUDE = 1e100
"""Masses, moments and lengths beyond this overflow when they are multiplied."""
PSD_FLOOR = 1e-15
"""Negative eigenvalues smaller than this [kg m^2] are rounding, whatever their share."""
RIGID_TOLERANCE = 1e-6
"""Largest entry of R R^T - 1 of a rotation matrix that rounding in a file explains."""
TRIANGLE_TOLERANCE = 1e-6
"""Share by which printed inertias may miss the triangle inequality through rounding."""
EXTREME_MASS_RATIO = 1e6
"""Heaviest to lightest moving body; beyond it half of the digits of the mass matrix are lost."""


MAX_PROBLEMS = 1000
"""Nobody reads more; a hostile file must not cost more."""
MAX_HINTS = 10
"""Problems for which similar names are looked up, which takes time proportional to the size of the model."""


class _Findings:
    """Problems with the place they belong to."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._hints = 0

    def hint(self, name: str, candidates: Iterable[str]) -> str:
        """Names close to an unknown one, for the first few of them."""
        self._hints += 1
        return nearest(name, candidates) if self._hints <= MAX_HINTS else ""

    def error(self, rule: str, message: str, element: str, source: Source, value: object = "") -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem("error", rule, message, element, str(value), *source))

    def warning(self, rule: str, message: str, element: str, source: Source, value: object = "") -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem("warning", rule, message, element, str(value), *source))


def find_problems(description: Description) -> tuple[Problem, ...]:
    """Everything wrong (errors) or suspicious (warnings) in a description, errors first.

    Inertias are judged body by body after links behind fixed joints have been merged; a defective link in a sound
    body is a warning.
    """
    return judge(description)[0]


def judge(description: Description) -> tuple[tuple[Problem, ...], list[MergedBody]]:
    """Problems of a description, and its bodies with fixed links merged (empty where the tree is not sound)."""
    found = _Findings()
    bodies: list[MergedBody] = []
    _check_model(description, found)
    _check_links(description, found)
    _check_joints(description, found)
    _check_frames(description, found)
    _check_couplings(description, found)
    _check_loops(description, found)
    tree_is_sound = _check_tree(description, found)
    if tree_is_sound and not any(p.rule in ("non-finite", "pose") for p in found.problems):
        with np.errstate(all="ignore"):  # sums of huge numbers are found and refused below
            bodies = merge_fixed(description)
            if _check_finite(bodies, found):
                _check_bodies(bodies, found)
                _check_merged_links(description, bodies, found)
    else:
        _check_negative_masses(description, found)
    return tuple(sorted(found.problems, key=lambda p: p.severity != "error")), bodies


def _finite(values: Iterable[float]) -> bool:
    return all(map(math.isfinite, values))


def _duplicates(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def _check_model(d: Description, found: _Findings) -> None:
    from tarsus.spatial.parametrisations import PARAMETRISATIONS

    if d.base not in BASE_KINDS:
        found.error("base", f"base must be one of {sorted(BASE_KINDS)}, not {d.base!r}", "model", d.source, d.base)
    if d.rotation not in PARAMETRISATIONS:
        hint = nearest(d.rotation, PARAMETRISATIONS)
        found.error("rotation", f"unknown rotation parametrisation {d.rotation!r}{hint}", "model", d.source, d.rotation)
    if not _finite(d.gravity):
        found.error("non-finite", f"gravity {d.gravity} is not finite", "model", d.source, d.gravity)
    if not d.links:
        found.error("no-links", "the model has no links", "model", d.source)
    for name, value in d.reference.items():
        if not math.isfinite(value):
            found.error("non-finite", f"the reference pose of {name!r} is not finite", "model", d.source, value)


def _check_links(d: Description, found: _Findings) -> None:
    twice = _duplicates(link.name for link in d.links)
    for link in d.links:
        element = f"link {link.name!r}"
        if not link.name:
            found.error("missing-name", "a link has no name", "link", link.source)
        elif link.name in twice:
            found.error("duplicate-name", f"{element} is there more than once", element, link.source, link.name)
        if link.inertia is None:
            continue
        I = link.inertia
        if not (math.isfinite(I.mass) and _finite(I.com.tolist()) and _finite(I.moments.ravel().tolist())):
            found.error("non-finite", f"inertia of {element} is not finite", element, link.source, I.mass)


def _per_dof(joint: JointSpec, name: str, count: int) -> list[float] | None:
    value = getattr(joint, name)
    values = [float(value)] * count if np.ndim(value) == 0 else [float(x) for x in value]
    return values if len(values) == count else None


def _check_joints(d: Description, found: _Findings) -> None:
    twice = _duplicates(joint.name for joint in d.joints)
    for joint in d.joints:
        element = f"joint {joint.name!r}"
        if not joint.name:
            found.error("missing-name", "a joint has no name", "joint", joint.source)
        elif joint.name in twice:
            found.error("duplicate-name", f"{element} is there more than once", element, joint.source, joint.name)
        if joint.kind not in JOINT_SIZES:
            hint = found.hint(joint.kind, JOINT_SIZES)
            message = f"{element} has the unknown kind {joint.kind!r}{hint}"
            found.error("joint-kind", message, element, joint.source, joint.kind)
            continue
        _check_joint_geometry(joint, element, found)
        _check_joint_limits(joint, element, found)
    _check_poses([(f"joint {joint.name!r}", joint.pose, joint.source) for joint in d.joints], found)
    _check_poses([(f"joint {joint.name!r}", joint.child_pose, joint.source) for joint in d.joints], found)


def _check_poses(poses: Sequence[tuple[str, FloatArray, Source]], found: _Findings) -> None:
    """Poses must be rigid motions: a rotation matrix and the last row (0, 0, 0, 1)."""
    poses = [entry for entry in poses if np.shape(entry[1]) == (4, 4) and np.isfinite(entry[1]).all()]
    if not poses:
        return
    X = np.array([pose for _, pose, _ in poses])
    R = X[:, :3, :3]
    with np.errstate(over="ignore", invalid="ignore"):
        defect = np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2))
        proper = np.linalg.det(R) > 0.0
    last_row = np.abs(X[:, 3] - [0.0, 0.0, 0.0, 1.0]).max(axis=1)
    for k in np.flatnonzero(~((defect <= RIGID_TOLERANCE) & proper & (last_row <= RIGID_TOLERANCE))):
        element, _, source = poses[k]
        found.error("pose", f"pose of {element} is not a rigid motion", element, source, f"{defect[k]:.3g}")


def _check_joint_geometry(joint: JointSpec, element: str, found: _Findings) -> None:
    geometry = (*joint.pose.ravel().tolist(), *joint.child_pose.ravel().tolist(), joint.pitch)
    if not _finite((*geometry, *joint.axis, *joint.axis2)):
        found.error("non-finite", f"pose or axis of {element} is not finite", element, joint.source)
        return
    uses_axis = joint.kind not in ("fixed", "spherical", "free")
    if uses_axis and math.hypot(*joint.axis) < MIN_AXIS_NORM:
        found.error("zero-axis", f"axis of {element} has no direction", element, joint.source, joint.axis)
    if joint.kind == "universal":
        cross = np.linalg.norm(np.cross(joint.axis, joint.axis2))
        if cross < 1e-9 * max(math.hypot(*joint.axis) * math.hypot(*joint.axis2), MIN_AXIS_NORM):
            message = f"the two axes of {element} are parallel or have no direction"
            found.error("zero-axis", message, element, joint.source, joint.axis2)


def _check_joint_limits(joint: JointSpec, element: str, found: _Findings) -> None:
    size = JOINT_SIZES[joint.kind]
    values: dict[str, list[float]] = {}
    for name in ("q_min", "q_max", "v_max", "tau_max", "damping", "friction", "armature", "stiffness", "rest"):
        count = size.nq if name in ("q_min", "q_max") else size.nv
        entries = _per_dof(joint, name, count)
        if entries is None:
            message = f"{name} of {element} has {len(getattr(joint, name))} values, expected {count}"
            found.error("limit-count", message, element, joint.source, getattr(joint, name))
            return
        if any(map(math.isnan, entries)) or (
            name not in ("q_min", "q_max", "v_max", "tau_max") and not _finite(entries)
        ):
            found.error("non-finite", f"{name} of {element} is not finite", element, joint.source, entries)
            return
        values[name] = entries
    for low, high in zip(values["q_min"], values["q_max"], strict=True):
        if low > high:
            message = f"limits of {element} are swapped: lower {low:g} > upper {high:g}"
            found.error("swapped-limits", message, element, joint.source, f"{low:g} > {high:g}")
    for name, rule in (("tau_max", "negative-effort"), ("v_max", "negative-velocity")):
        if min(values[name], default=0.0) < 0.0:
            found.error(
                rule, f"{name} of {element} is negative: {min(values[name]):g}", element, joint.source, values[name]
            )
    for name in ("damping", "friction", "armature", "stiffness"):
        if min(values[name], default=0.0) < 0.0:
            message = f"{name} of {element} is negative: {min(values[name]):g}"
            found.error(f"negative-{name}", message, element, joint.source, values[name])


def _check_frames(d: Description, found: _Findings) -> None:
    links = {link.name for link in d.links}
    twice = _duplicates(frame.name for frame in d.frames)
    for frame in d.frames:
        element = f"frame {frame.name!r}"
        if frame.name in twice:
            found.error("duplicate-name", f"{element} is there more than once", element, frame.source, frame.name)
        elif frame.name in links:
            found.error("duplicate-name", f"{element} has the name of a link", element, frame.source, frame.name)
        if frame.link not in links:
            hint = found.hint(frame.link, links)
            message = f"{element} is on unknown link {frame.link!r}{hint}"
            found.error("unknown-link", message, element, frame.source, frame.link)
        if not frame.name:
            found.error("missing-name", "a frame has no name", "frame", frame.source)
        if not _finite(frame.pose.ravel().tolist()):
            found.error("non-finite", f"pose of {element} is not finite", element, frame.source)
    _check_poses([(f"frame {frame.name!r}", frame.pose, frame.source) for frame in d.frames], found)


def _check_tree(d: Description, found: _Findings) -> bool:
    """True where the joints form one tree."""
    links = {link.name: link for link in d.links}
    carriers: dict[str, JointSpec] = {}
    broken = False
    for joint in d.joints:
        element = f"joint {joint.name!r}"
        for role in ("parent", "child"):
            name = getattr(joint, role)
            if name not in links:
                hint = found.hint(name, links)
                found.error(
                    f"unknown-{role}", f"{element} has the unknown {role} {name!r}{hint}", element, joint.source, name
                )
                broken = True
        if joint.parent == joint.child:
            found.error(
                "self-parent", f"{element} joins link {joint.child!r} to itself", element, joint.source, joint.child
            )
            broken = True
        elif joint.child in carriers:
            first = carriers[joint.child]
            message = f"link {joint.child!r} has two parents: joints {first.name!r} and {joint.name!r}"
            found.error("two-parents", message, f"link {joint.child!r}", joint.source, joint.child)
            broken = True
        carriers.setdefault(joint.child, joint)
    if not d.links or broken or _duplicates(link.name for link in d.links):
        return False
    roots = root_links(d)
    if len(roots) > 1:
        shown = ", ".join(repr(r) for r in roots[:5]) + (", ..." if len(roots) > 5 else "")
        source = links[roots[1]].source
        message = f"the model has {len(roots)} roots: {shown}; expected one link without a parent"
        found.error("two-roots", message, f"link {roots[1]!r}", source, shown)
    return _check_cycles(d, roots, found) and len(roots) == 1


def _check_cycles(d: Description, roots: list[str], found: _Findings) -> bool:
    children = children_of_links(d.joints)
    reached = set(roots)
    stack = list(roots)
    while stack:
        for index in children.get(stack.pop(), ()):
            child = d.joints[index].child
            if child not in reached:
                reached.add(child)
                stack.append(child)
    for joint in d.joints:
        if joint.child not in reached:
            cycle = _cycle_through(d, joint.child)
            message = "the joints form a cycle: " + " -> ".join(repr(name) for name in cycle)
            found.error("cycle", message, f"link {joint.child!r}", joint.source, joint.child)
            return False
    return True


def _cycle_through(d: Description, link: str) -> list[str]:
    parent = {joint.child: joint.parent for joint in d.joints}
    path, seen = [link], {link}
    while (link := parent[link]) not in seen:
        path.append(link)
        seen.add(link)
    path = path[path.index(link) :]
    return [*path[:8], *(["..."] if len(path) > 8 else []), path[0]]


def _check_couplings(d: Description, found: _Findings) -> None:
    kinds = {joint.name: joint.kind for joint in d.joints}
    leaders: dict[str, tuple[str, ...]] = {}
    for coupling in d.couplings:
        element = f"coupling of joint {coupling.joint!r}"
        names, ratios = zip(*coupling.terms, strict=True)
        for name in (coupling.joint, *names):
            if name not in kinds:
                message = f"{element} names the unknown joint {name!r}{found.hint(name, kinds)}"
                found.error("unknown-joint", message, element, coupling.source, name)
            elif kinds[name] in JOINT_SIZES and JOINT_SIZES[kinds[name]].nv != 1:
                message = f"{element}: joint {name!r} is {kinds[name]}; only one-axis joints can be coupled"
                found.error("coupling-kind", message, element, coupling.source, kinds[name])
        if coupling.joint in names:
            found.error("coupling-self", f"{element} follows itself", element, coupling.source, coupling.joint)
        if not _finite((*ratios, coupling.offset)):
            found.error("non-finite", f"{element} is not finite", element, coupling.source, coupling.ratio)
        elif 0.0 in ratios:
            found.error("zero-ratio", f"{element} has the ratio 0, which moves nothing", element, coupling.source, 0)
        if coupling.joint in leaders:
            found.error("coupling-twice", f"{element} is there twice", element, coupling.source, coupling.joint)
        leaders[coupling.joint] = names
    _check_coupling_cycles(d, leaders, found)


def _check_loops(d: Description, found: _Findings) -> None:
    links = {link.name for link in d.links}
    joints = {joint.name for joint in d.joints}
    for loop in d.loops:
        element = f"loop {loop.name!r}"
        what, known = ("joint", joints) if loop.kind == "polynomial" else ("link", links)
        for name in (loop.link_a, loop.link_b):
            if name not in known:
                message = f"{element} names the unknown {what} {name!r}{found.hint(name, known)}"
                found.error(f"unknown-{what}", message, element, loop.source, name)
        for name in loop.independent:
            if name not in joints:
                message = f"{element} names the unknown joint {name!r}{found.hint(name, joints)}"
                found.error("unknown-joint", message, element, loop.source, name)
        if not any(loop.axis):
            found.error("zero-axis", f"{element} has a zero axis", element, loop.source)
        if not (np.isfinite(loop.pose_a).all() and np.isfinite(loop.pose_b).all() and _finite(loop.axis)):
            found.error("non-finite", f"pose or axis of {element} is not finite", element, loop.source)
        elif (largest := max(np.abs(loop.pose_a).max(), np.abs(loop.pose_b).max())) > MAX_MAGNITUDE:
            message = f"pose of {element} has entries of {largest:.3g}, more than {MAX_MAGNITUDE:g}"
            found.error("non-finite", message, element, loop.source, f"{largest:.3g}")


def _check_coupling_cycles(d: Description, leaders: dict[str, tuple[str, ...]], found: _Findings) -> None:
    """Joints that follow each other in a circle; depth-first without recursion, each joint visited once."""
    done: set[str] = set()
    for coupling in d.couplings:
        path: dict[str, int] = {coupling.joint: 0}  # joints on the way, with the leader to look at next
        while path and coupling.joint not in done:
            name = next(reversed(path))
            following = leaders.get(name, ())
            if name in done or path[name] == len(following):
                done.add(name)
                del path[name]
                continue
            leader = following[path[name]]
            path[name] += 1
            if leader not in path:
                path[leader] = 0
            elif leader != name:
                chain = " -> ".join(repr(n) for n in (*list(path)[list(path).index(leader) :], leader))
                element = f"coupling of joint {leader!r}"
                found.error("coupling-cycle", f"couplings form a cycle: {chain}", element, coupling.source, leader)


def _check_finite(bodies: list[MergedBody], found: _Findings) -> bool:
    """True where merged inertias and poses are numbers that can be computed with."""
    before = len(found.problems)
    for body in bodies:
        element = f"link {body.name!r}"
        I = body.inertia
        largest = max(abs(I.mass), np.abs(I.com).max(), np.abs(I.moments).max(), np.abs(body.joint_pose).max())
        if not largest <= MAX_MAGNITUDE:
            message = f"inertia or pose of {element} has entries of {largest:.3g}, more than {MAX_MAGNITUDE:g}"
            found.error("non-finite", message, element, body.source, f"{largest:.3g}")
    return len(found.problems) == before


def _principal_moments(inertias: list[Inertia]) -> FloatArray:
    moments = np.array([inertia.moments for inertia in inertias])
    eigenvalues: FloatArray = np.linalg.eigvalsh(0.5 * (moments + np.swapaxes(moments, -1, -2)))
    return eigenvalues


def _check_negative_masses(d: Description, found: _Findings) -> None:
    """What can be said of inertias when it is not clear which links belong together."""
    for link in d.links:
        if link.inertia is not None and link.inertia.mass < 0.0:
            element, mass = f"link {link.name!r}", f"{link.inertia.mass:g}"
            found.error("negative-mass", f"mass of {element} is negative: {mass}", element, link.source, mass)


def _check_bodies(bodies: list[MergedBody], found: _Findings) -> None:
    for body, eig in zip(bodies, _principal_moments([body.inertia for body in bodies]), strict=True):
        element = f"link {body.name!r}"
        mass, source = body.inertia.mass, body.source
        report = found.error if body.moving else found.warning
        if mass < 0.0:
            report("negative-mass", f"mass of {element} is negative: {mass:g}", element, source, f"{mass:g}")
        values = ", ".join(f"{x:.6g}" for x in eig)
        if eig[0] < -max(PSD_FLOOR, PSD_TOLERANCE * max(-eig[0], eig[2])):
            message = f"inertia of {element} is not positive semidefinite (eigenvalues {values})"
            report("inertia-not-psd", message, element, source, values)
        elif eig[0] + eig[1] < eig[2] * (1.0 - TRIANGLE_TOLERANCE) - PSD_FLOOR:
            message = f"inertia of {element} violates the triangle inequality (eigenvalues {values})"
            found.warning("triangle-inequality", message, element, source, values)
        if body.moving and not body.virtual and mass == 0.0:
            found.warning("massless", f"moving {element} has no mass", element, source, 0)
    masses = [body.inertia.mass for body in bodies if body.moving and body.inertia.mass > 0.0]
    if masses and max(masses) > EXTREME_MASS_RATIO * min(masses):
        ratio = max(masses) / min(masses)
        message = f"masses of moving bodies differ by a factor of {ratio:.3g}; expect loss of precision"
        found.warning("mass-ratio", message, "model", Source(), f"{ratio:.3g}")


def _check_merged_links(d: Description, bodies: list[MergedBody], found: _Findings) -> None:
    """Warn of links that are impossible by themselves but sit in a body that is sound."""
    merged = {name for body in bodies if len(body.links) > 1 for name in body.links}
    links = [link for link in d.links if link.name in merged and link.inertia is not None]
    if not links:
        return
    spectra = _principal_moments([link.inertia for link in links if link.inertia is not None])
    told = {problem.element for problem in found.problems}
    for link, eig in zip(links, spectra, strict=True):
        element = f"link {link.name!r}"
        if link.inertia is None or element in told:
            continue
        if link.inertia.mass < 0.0:
            message = f"mass of {element} is negative: {link.inertia.mass:g}, made good by the links fixed to it"
            found.warning("negative-mass", message, element, link.source, f"{link.inertia.mass:g}")
        if eig[0] < -max(PSD_FLOOR, PSD_TOLERANCE * max(-eig[0], eig[2])):
            values = ", ".join(f"{x:.6g}" for x in eig)
            message = f"inertia of {element} is not positive semidefinite (eigenvalues {values}), made good by merging"
            found.warning("inertia-not-psd", message, element, link.source, values)
