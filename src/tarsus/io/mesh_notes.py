"""What is wrong with the mesh files that a model file refers to, as notes in its report."""

from __future__ import annotations

import os

from lxml import etree

from tarsus.geometry.meshes.read import check_mesh
from tarsus.io.report import Report


def note_mesh_defects(report: Report, node: etree._Element, path: str, uri: str, *, cloud: bool = False) -> None:
    """Look into a mesh file; a defect is an error, a format that cannot be read a warning: others may read it.

    Parameters
    ----------
    node : Element
        Where the model file refers to it.
    path, uri : str
        The file, and how the model file names it.
    cloud : bool
        Whether a cloud of points is welcome.
    """
    for rule, message in check_mesh(path, cloud=cloud):
        note = report.warning if rule == "mesh-format" else report.error
        note(rule, f"mesh {os.path.basename(path)!r}: {message}", node, uri)
