"""Settings of the <compiler> element of MJCF."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field

from lxml import etree

from tarsus.io.mjcf.expansion.attachment import DIRECTORY, SCOPE
from tarsus.io.mjcf.settings.defaults import Element
from tarsus.io.numbers import shown
from tarsus.io.xml import Report


@dataclass(slots=True)
class Compiler:
    """What the <compiler> elements of a document say; a later one overrides an earlier one.

    Attributes
    ----------
    degrees : bool
        Angles are in degrees.
    eulerseq : str
        Axes of `euler`, lower case for axes that turn with the frame.
    autolimits : bool
        A range that is given is meant.
    inertiafromgeom : {"false", "true", "auto"}
    inertiagrouprange : tuple of int
        Groups of geoms that count for inertias.
    boundmass, boundinertia : float
        Lower bounds [kg], [kg m^2].
    balanceinertia : bool
        Replace principal moments against the triangle inequality by their mean.
    settotalmass : float
        Scale all bodies to this mass [kg], where positive.
    meshdir, texturedir : str
        Directories of meshes and of pictures relative to the main file.
    strippath, discardvisual, fitaabb, alignfree : bool
    scopes : dict of str to Compiler
        Settings of attached models.
    """

    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    inertiagrouprange: tuple[int, int] = (0, 5)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balanceinertia: bool = False
    settotalmass: float = -1.0
    meshdir: str = ""
    texturedir: str = ""
    strippath: bool = False
    discardvisual: bool = False
    fitaabb: bool = False
    alignfree: bool = False
    scopes: dict[str, Compiler] = field(default_factory=dict)

    def of(self, node: etree._Element) -> Compiler:
        """Return the settings that an element was written under: those of its own file if that is attached."""
        place: etree._Element | None = node if self.scopes else None
        while place is not None:
            scope = place.get(SCOPE)
            if scope in self.scopes:
                return self.scopes[scope]
            place = place.getparent()
        return self

    def angle(self, value: float) -> float:
        """Angle in radians of a number in the file."""
        return math.radians(value) if self.degrees else value


def read_compiler(root: etree._Element, report: Report) -> Compiler:
    """Return the settings of all <compiler> elements below `root`."""
    nodes: dict[str, list[etree._Element]] = {"": []}
    for node in root.iterchildren("compiler"):
        nodes.setdefault(node.get(SCOPE, ""), []).append(node)
    settings = _read_settings(nodes.pop(""), report)
    settings.scopes = {scope: _read_settings(own, report) for scope, own in nodes.items()}
    return settings


def _read_settings(nodes: list[etree._Element], report: Report) -> Compiler:
    """Return what the <compiler> elements of one model say."""
    settings = Compiler()
    asset_directory = mesh_directory = texture_directory = None
    directory = ""
    for node in nodes:
        element = Element(node, report, None)
        _read_angles(settings, element, report)
        _read_inertias(settings, element, report)
        settings.autolimits = element.flag("autolimits", settings.autolimits)
        settings.strippath = element.flag("strippath", settings.strippath)
        settings.discardvisual = element.flag("discardvisual", settings.discardvisual)
        settings.fitaabb = element.flag("fitaabb", settings.fitaabb)
        asset_directory = node.get("assetdir", asset_directory)
        mesh_directory = node.get("meshdir", mesh_directory)
        texture_directory = node.get("texturedir", texture_directory)
        directory = node.get(DIRECTORY, directory)
        settings.alignfree = element.flag("alignfree", settings.alignfree)
    settings.meshdir = mesh_directory if mesh_directory is not None else asset_directory or ""
    settings.texturedir = texture_directory if texture_directory is not None else asset_directory or ""
    if directory:
        settings.meshdir = os.path.join(directory, settings.meshdir)
        settings.texturedir = os.path.join(directory, settings.texturedir)
    return settings


def _read_angles(settings: Compiler, element: Element, report: Report) -> None:
    node = element.node
    settings.degrees = element.keyword("angle", ("radian", "degree"), _unit(settings)) == "degree"
    if element.keyword("coordinate", ("local", "global"), "local") == "global":
        message = "coordinate='global' is not supported; MuJoCo removed it, too"
        report.error("global-coordinates", message, node, "global")
    sequence = node.get("eulerseq", settings.eulerseq)
    if len(sequence) != 3 or any(letter not in "xyzXYZ" for letter in sequence):
        message = f"eulerseq {shown(sequence)!r} is not three letters of x, y, z, X, Y, Z"
        report.error("euler-sequence", message, node, shown(sequence))
    else:
        settings.eulerseq = sequence


def _unit(settings: Compiler) -> str:
    return "degree" if settings.degrees else "radian"


def _read_inertias(settings: Compiler, element: Element, report: Report) -> None:
    node = element.node
    words = ("false", "true", "auto")
    settings.inertiafromgeom = element.keyword("inertiafromgeom", words, settings.inertiafromgeom)
    groups = element.numbers("inertiagrouprange", 2, settings.inertiagrouprange)
    if groups is not None:
        settings.inertiagrouprange = (int(groups[0]), int(groups[1]))
    settings.balanceinertia = element.flag("balanceinertia", settings.balanceinertia)
    settings.settotalmass = element.number("settotalmass", settings.settotalmass)
    for attribute in ("boundmass", "boundinertia"):
        value = element.number(attribute, getattr(settings, attribute))
        if value < 0.0:
            report.error("negative-bound", f"{attribute} is negative: {value}", node, str(value))
        else:
            setattr(settings, attribute, value)
