"""The same robot for all: a URDF without meshes, and without what only some programs read."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

LEFT_OUT = ("visual", "collision", "gazebo", "transmission", "mimic", "dynamics")


def write_plain(source: Path, target: Path, *, floating: str | None = None) -> Path:
    """Copy a URDF without shapes; with `floating`, the name of the root link, it hangs at the world by a free joint.

    An element for MuJoCo keeps links behind fixed joints, and gives bodies without mass a little.
    """
    tree = etree.parse(source, etree.XMLParser(remove_comments=True, resolve_entities=False))
    robot = tree.getroot()
    for tag in LEFT_OUT:
        for element in list(robot.iter(tag)):
            element.getparent().remove(element)
    mujoco = etree.SubElement(robot, "mujoco")
    etree.SubElement(mujoco, "compiler", fusestatic="false", boundmass="1e-6", boundinertia="1e-9")
    if floating is not None:
        etree.SubElement(robot, "link", name="world")
        joint = etree.SubElement(robot, "joint", name="root_of_the_robot", type="floating")
        etree.SubElement(joint, "parent", link="world")
        etree.SubElement(joint, "child", link=floating)
    target.parent.mkdir(parents=True, exist_ok=True)
    tree.write(target)
    return target
