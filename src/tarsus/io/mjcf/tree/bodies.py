"""The tree of bodies of an MJCF document: links, joints and frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.io.mjcf.expansion.replication import REPEAT
from tarsus.io.mjcf.settings.compiler import Compiler
from tarsus.io.mjcf.settings.defaults import DefaultClass, Defaults, Element
from tarsus.io.mjcf.settings.orientation import compose, pose_of, read_pose, rotation_to_z
from tarsus.io.mjcf.shapes.geoms import Geom, GeomReader
from tarsus.io.mjcf.tree.alignment import inertial_frame, wants_alignment
from tarsus.io.mjcf.tree.flexible import flexible_mass
from tarsus.io.mjcf.tree.inertias import balanced, read_inertial
from tarsus.io.mjcf.tree.joints import JointReader
from tarsus.io.numbers import shown
from tarsus.io.urdf.shapes import IDENTITY
from tarsus.io.xml import Report, tag_of
from tarsus.model.description import FrameSpec, JointSpec, LinkSpec
from tarsus.model.joint import JOINT_TRAITS
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import inverse_pose

WORLD = "world"
_LEFT_OUT = ("composite", "flexcomp", "plugin")
"""What makes bodies that bend, or forces, and is passed over with a warning."""
_IGNORED = ("camera", "light")


@dataclass(slots=True)
class Tree:
    """What the tree of bodies says.

    Attributes
    ----------
    links, joints, frames : list
        In the order of the file; bodies without joints are carried by fixed joints, top-level ones by the link "world".
    world : LinkSpec
        The world with what is attached to it.
    X_W : dict of str to ndarray
        Pose of every body as drawn, in the world.
    sites : dict of str to (str, ndarray)
        Body and pose of every named site.
    top : list of str
        Names of the bodies directly below the world.
    order : dict of str to element
        Names of the joints in the order of MuJoCo's coordinates, with where they are written.
    left_out : list of str
        Names of flexible bodies, none of whose parts are there.
    mocap : set of str
        Names of the bodies that stand where somebody else puts them.
    compensation : dict of str to float
        Part of the weight of every body that is carried (`gravcomp`).
    """

    links: list[LinkSpec] = field(default_factory=list)
    joints: list[JointSpec] = field(default_factory=list)
    frames: list[FrameSpec] = field(default_factory=list)
    world: LinkSpec = field(default_factory=lambda: LinkSpec(WORLD, virtual=True))
    X_W: dict[str, FloatArray] = field(default_factory=dict)
    sites: dict[str, tuple[str, FloatArray]] = field(default_factory=dict)
    top: list[str] = field(default_factory=list)
    order: dict[str, etree._Element] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    mocap: set[str] = field(default_factory=set)
    compensation: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class _Contents:
    """Children of a body by what they are, with the frame and default class they stand in."""

    joints: list[tuple[etree._Element, FloatArray, DefaultClass | None]] = field(default_factory=list)
    bodies: list[tuple[etree._Element, FloatArray, DefaultClass | None]] = field(default_factory=list)
    geoms: list[tuple[etree._Element, FloatArray, DefaultClass | None]] = field(default_factory=list)
    sites: list[tuple[etree._Element, FloatArray, DefaultClass | None]] = field(default_factory=list)
    inertials: list[tuple[etree._Element, FloatArray, DefaultClass | None]] = field(default_factory=list)


def _seen_from(geom: Geom, X_IB: FloatArray) -> Geom:
    """A geom of a body B in a frame I of it."""
    return geom if geom.shape is None else replace(geom, shape=replace(geom.shape, pose=X_IB @ geom.shape.pose))


class TreeReader:
    """Walks down the bodies; errors go to the report and reading continues."""

    def __init__(
        self, compiler: Compiler, defaults: Defaults, geoms: GeomReader, joints: JointReader, report: Report
    ) -> None:
        self._compiler = compiler
        self._defaults = defaults
        self._geoms = geoms
        self._joints = joints
        self._report = report
        self._tree = Tree()
        self._taken: set[str] = set()

    def read(self, root: etree._Element) -> Tree:
        """All bodies below the <worldbody> elements of `root`."""
        worlds = list(root.iterchildren("worldbody"))
        if not worlds:
            self._report.error("missing-worldbody", "there is no <worldbody>", root)
        self._taken = {name for world in worlds for node in world.iter("body") if (name := node.get("name"))}
        for world in worlds:
            self._read_world(world)
        return self._tree

    def _read_world(self, world: etree._Element) -> None:
        tree = self._tree
        contents = self._contents(world, self._childclass(world, None))
        for node, _, _ in (*contents.joints, *contents.inertials):
            self._report.error("world-element", f"the world cannot have a <{tag_of(node)}>", node)
        geoms = self._read_geoms(contents, weighs=False)
        old = tree.world
        tree.world = LinkSpec(
            WORLD,
            None,
            (*old.visuals, *(g.shape for g in geoms if g.shape is not None and g.is_visual)),
            (*old.collisions, *(g.shape for g in geoms if g.shape is not None and g.is_collision)),
            True,
            old.source if old.source.file else self._report.source(world),
        )
        tree.X_W[WORLD] = IDENTITY
        self._read_sites(contents, WORLD)
        stack = self._below(contents, WORLD)
        while stack:
            node, parent, X_PF, childclass, fallback = stack.pop()
            stack += self._read_body(node, parent, X_PF, childclass, fallback)

    def _below(
        self, contents: _Contents, name: str
    ) -> list[tuple[etree._Element, str, FloatArray, DefaultClass | None, str]]:
        """Child bodies, last one first, with the name each gets if it has none."""
        entries = [
            (node, name, X, childclass, f"{name}/{position}")
            for position, (node, X, childclass) in enumerate(contents.bodies)
        ]
        return entries[::-1]

    def _read_body(
        self, node: etree._Element, parent: str, X_PF: FloatArray, outer: DefaultClass | None, fallback: str
    ) -> list[tuple[etree._Element, str, FloatArray, DefaultClass | None, str]]:
        tree, report = self._tree, self._report
        name = node.get("name") or self._unused(fallback)
        if name == WORLD:
            report.error("reserved-name", "a body cannot be called 'world'", node, name)
        element = Element(node, report, None)
        X_PB = compose(X_PF, read_pose(element, self._compiler, report))
        tree.X_W[name] = compose(tree.X_W[parent], X_PB)
        if element.flag("mocap", False):
            tree.mocap.add(name)
        if parent == WORLD:
            tree.top.append(name)
        contents = self._contents(node, self._childclass(node, outer))
        self._read_joints(contents, node, name, parent, X_PB)
        geoms = self._read_geoms(contents, weighs=self._needs_geoms(node, contents))
        inertia = balanced(self._inertia(node, contents, geoms), self._compiler.of(node), X_PB[:3, 3])
        X_BI = self._inertial_frame(node, contents, geoms, inertia)
        if X_BI is not None and inertia is not None:
            X_IB = inverse_pose(X_BI)
            tree.X_W[name] = compose(tree.X_W[name], X_BI)
            inertia = inertia.in_frame(X_IB)
            geoms = [_seen_from(geom, X_IB) for geom in geoms]
            contents.sites = [(site, compose(X_IB, X), inner) for site, X, inner in contents.sites]
        tree.compensation[name] = element.number("gravcomp", 0.0)
        tree.links.append(
            LinkSpec(
                name,
                inertia,
                tuple(g.shape for g in geoms if g.shape is not None and g.is_visual),
                tuple(g.shape for g in geoms if g.shape is not None and g.is_collision),
                source=report.source(node),
            )
        )
        self._read_sites(contents, name)
        return self._below(contents, name)

    def _inertial_frame(
        self, node: etree._Element, contents: _Contents, geoms: list[Geom], inertia: Inertia | None
    ) -> FloatArray | None:
        """Pose of the frame that a body is to have instead of its own; None where it keeps that."""
        joints = [joint for joint, _, _ in contents.joints]
        if inertia is None or not wants_alignment(joints, bool(contents.bodies), self._compiler):
            return None
        counts = contents.inertials and not self._needs_geoms(node, contents)
        inertial = (contents.inertials[0][0], contents.inertials[0][1]) if counts else None
        found = inertial_frame(inertia, inertial, geoms, self._compiler, self._report)
        if found is None:
            message = "the inertial axes of a body of one mesh are not known; its frame stays where the file has it"
            self._report.warning("not-supported", message, joints[0], "align")
        return found

    def _unused(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _childclass(self, node: etree._Element, outer: DefaultClass | None) -> DefaultClass | None:
        name = node.get("childclass")
        return outer if name is None else self._defaults.find(name, node)

    def _contents(self, node: etree._Element, childclass: DefaultClass | None) -> _Contents:
        contents = _Contents()
        places = {
            "joint": contents.joints,
            "freejoint": contents.joints,
            "body": contents.bodies,
            "geom": contents.geoms,
            "site": contents.sites,
            "inertial": contents.inertials,
        }
        for child, X, inner in self._unframed(node, childclass):
            tag = tag_of(child)
            if tag in places:
                places[tag].append((child, X, inner))
            elif tag in _LEFT_OUT:
                self._leave_out(child, tag)
            elif tag not in _IGNORED:
                self._report.warning("unknown-element", f"<{shown(tag)}> is ignored", child, shown(tag))
        return contents

    def _leave_out(self, node: etree._Element, tag: str) -> None:
        name = node.get("name") or node.get("prefix") or node.get("plugin") or tag
        message = f"<{tag}> {shown(name)!r} is not supported and left out"
        if tag == "flexcomp":
            mass = flexible_mass(node, self._report)
            if mass.is_rigid:  # a skin on its body, without mass and joints of its own
                message = f"<flexcomp> {shown(name)!r} is rigid; its surface is not drawn and touches nothing"
                self._report.warning("left-out", message, node, tag)
                return
            message = f"<flexcomp> {shown(name)!r} is flexible and left out with its mass of {mass}"
        elif tag == "composite":
            kind = shown(node.get("type", ""))
            message = f"<composite> {shown(name)!r} of type {kind!r}, which MuJoCo dropped with version 4, is left out"
        self._report.warning("left-out", message, node, tag)
        if tag != "plugin":
            self._tree.left_out.append(name)

    def _unframed(
        self, node: etree._Element, childclass: DefaultClass | None
    ) -> Iterator[tuple[etree._Element, FloatArray, DefaultClass | None]]:
        """Children of a body in the order of the file, those inside <frame> elements with the pose of their frame."""
        stack = [(child, IDENTITY, childclass) for child in reversed(node)]
        while stack:
            child, X, place = stack.pop()
            if tag_of(child) != "frame":
                yield child, X, place
                continue
            own = read_pose(Element(child, self._report, None), self._compiler, self._report)
            inner = compose(X, np.linalg.matrix_power(own, int(child.get(REPEAT, "1"))))
            place = self._childclass(child, place)
            stack += [(element, inner, place) for element in reversed(child)]

    def _read_joints(self, contents: _Contents, node: etree._Element, name: str, parent: str, X_PB: FloatArray) -> None:
        """Return the joints of a body in their order, with virtual links between them, or a weld."""
        tree, report = self._tree, self._report
        if not contents.joints:
            tree.joints.append(JointSpec(f"{name}/fixed", "fixed", parent, name, X_PB, source=report.source(node)))
            return
        X, above = X_PB, parent
        last = len(contents.joints) - 1
        specs = []
        for position, (child, X_BF, childclass) in enumerate(contents.joints):
            given = child.get("name")
            short = given or ("joint" if last == 0 else f"joint{position}")
            below = name if position == last else self._unused(f"{name}/{short}")
            spec = self._joints.read(child, childclass, given or f"{name}/{short}", above, below, X_BF)
            # A free joint gives the pose in the world, whatever the body says about its own.
            spec = spec if spec.kind == "free" or X is IDENTITY else replace(spec, pose=compose(X, spec.pose))
            specs.append(spec)
            tree.order.setdefault(spec.name, child)
            if position != last:
                tree.links.append(LinkSpec(below, virtual=True, source=spec.source))
            X, above = IDENTITY, below
        tree.joints += specs
        self._check_combination(specs, parent, node)

    def _check_combination(self, specs: list[JointSpec], parent: str, node: etree._Element) -> None:
        kinds = [spec.kind for spec in specs]
        if "free" in kinds and (len(kinds) > 1 or parent != WORLD):
            message = "a free joint must be the only joint of a body directly below the world"
            self._report.error("free-joint-place", message, node)
        if "spherical" in kinds:
            turns = [kind for kind in kinds if not any(JOINT_TRAITS[kind].slides)]
            if len(turns) > 1:
                self._report.error("ball-joint-place", "a ball joint cannot be combined with other rotations", node)

    def _read_geoms(self, contents: _Contents, weighs: bool) -> list[Geom]:
        read = []
        for node, X, childclass in contents.geoms:
            geom = self._geoms.read(self._defaults.element(node, childclass), X, weighs)
            if geom is not None:
                read.append(geom)
        return read

    def _needs_geoms(self, node: etree._Element, contents: _Contents) -> bool:
        mode = self._compiler.of(node).inertiafromgeom
        return mode == "true" or (mode == "auto" and not contents.inertials)

    def _inertia(self, body: etree._Element, contents: _Contents, geoms: list[Geom]) -> Inertia | None:
        """Inertia from <inertial> or from the geoms; None if nothing is said."""
        for node, _, _ in contents.inertials[1:]:
            self._report.error("duplicate-element", "a body has more than one <inertial>", node)
        inertia: Inertia | None = None
        if self._needs_geoms(body, contents):
            for geom in geoms:
                if geom.inertia is not None:
                    inertia = geom.inertia if inertia is None else inertia + geom.inertia
        elif contents.inertials:
            node, X, _ = contents.inertials[0]
            inertia = read_inertial(Element(node, self._report, None), X, self._compiler, self._report)
        return inertia

    def _read_sites(self, contents: _Contents, name: str) -> None:
        for node, X, childclass in contents.sites:
            element = self._defaults.element(node, childclass)
            site = node.get("name")
            X_BS = compose(X, self._site_pose(element))
            if not site:
                continue
            if site in self._tree.sites:
                self._report.error("duplicate-name", f"site {shown(site)!r} is defined twice", node, shown(site))
                continue
            self._tree.sites[site] = (name, X_BS)
            self._tree.frames.append(FrameSpec(site, name, X_BS, self._report.source(node)))

    def _site_pose(self, element: Element) -> FloatArray:
        """Pose of a site; with `fromto` in the middle between two points, its z axis from the second to the first."""
        ends = element.numbers("fromto", 6) if element.has("fromto") else None
        R = None if ends is None else rotation_to_z((ends[:3] - ends[3:]).tolist())
        if ends is None or R is None:
            return read_pose(element, self._compiler, self._report)
        return pose_of((0.5 * (ends[:3] + ends[3:])).tolist(), R)
