"""The robots of the zoo: where their files are, and how they are let go.

All files come with packages of the Python Package Index; none of them is part of this repository.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Literal

import tarsus as ts
from tarsus.errors import ModelWarning
from tarsus.model.model import Model

Kind = Literal["quadruped", "biped", "humanoid", "mobile", "arm", "hand", "other"]

_ROOTS = {
    "example-robot-data": "cmeel.prefix/share/example-robot-data/robots",
    "gymnasium": "gymnasium/envs/mujoco/assets",
    "gymnasium-robotics": "gymnasium_robotics/envs/assets",
}
"""Directory of the robots in each distribution."""


@dataclass(frozen=True)
class Robot:
    """A robot of the zoo.

    Attributes
    ----------
    name : str
    kind : str
        What it is.
    path : str
        File, relative to the robots of its distribution.
    distribution : str
        Package that the file comes with.
    base : {"free", "fixed"}
        How the root is attached to the world; arms and hands fall freely, too.
    lift, turn : str or None
        Joints that raise and turn the whole robot, where its file has such joints instead of a free base.
    """

    name: str
    kind: Kind
    path: str
    distribution: str = "example-robot-data"
    base: Literal["free", "fixed"] = "free"
    lift: str | None = None
    turn: str | None = None

    @property
    def root(self) -> Path:
        """Directory that the files of the robot, its meshes too, are in."""
        return Path(str(distribution(self.distribution).locate_file(_ROOTS[self.distribution])))

    @property
    def file(self) -> Path:
        """Its file on this machine."""
        return self.root / self.path

    def load(self) -> Model:
        """The model, loaded once; warnings about its file are for those who check files."""
        return _load(self)


@cache
def _load(robot: Robot) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return ts.load(robot.file, base=robot.base, package_dirs=[robot.root])


def _in_the_plane(name: str, kind: Kind) -> Robot:
    """A robot of Gymnasium that slides and turns in the plane x-z."""
    return Robot(name, kind, f"{name}.xml", "gymnasium", base="fixed", lift="rootz", turn="rooty")


_ALL = (
    Robot("solo", "quadruped", "solo_description/robots/solo.urdf"),
    Robot("solo12", "quadruped", "solo_description/robots/solo12.urdf"),
    Robot("ant", "quadruped", "ant.xml", "gymnasium"),
    Robot("quadruped", "quadruped", "quadruped_description/urdf/quadruped.urdf"),
    Robot("a1", "quadruped", "a1_description/urdf/a1.urdf"),
    Robot("go1", "quadruped", "go1_description/urdf/go1.urdf"),
    Robot("go2", "quadruped", "go2_description/urdf/go2.urdf"),
    Robot("laikago", "quadruped", "laikago_description/urdf/laikago.urdf"),
    Robot("anymal_b", "quadruped", "anymal_b_simple_description/robots/anymal.urdf"),
    Robot("anymal_kinova", "quadruped", "anymal_b_simple_description/robots/anymal-kinova.urdf"),
    Robot("anymal_c", "quadruped", "anymal_c_simple_description/urdf/anymal.urdf"),
    Robot("b1", "quadruped", "b1_description/urdf/b1.urdf"),
    Robot("b1_z1", "quadruped", "b1_description/urdf/b1-z1.urdf"),
    Robot("hyq", "quadruped", "hyq_description/robots/hyq_no_sensors.urdf"),
    Robot("centauro", "quadruped", "centauro_description/urdf/centauro.urdf"),
    Robot("bolt", "biped", "bolt_description/robots/bolt.urdf"),
    Robot("cassie", "biped", "cassie_description/robots/cassie_v2.sdf"),
    _in_the_plane("hopper", "biped"),
    _in_the_plane("walker2d", "biped"),
    _in_the_plane("half_cheetah", "biped"),
    Robot("talos", "humanoid", "talos_data/robots/talos_reduced.urdf"),
    Robot("romeo", "humanoid", "romeo_description/urdf/romeo_small.urdf"),
    Robot("icub", "humanoid", "icub_description/robots/icub_reduced.urdf"),
    Robot("g1", "humanoid", "g1_description/urdf/g1_29dof_rev_1_0.urdf"),
    Robot("g1_hands", "humanoid", "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf"),
    Robot("alex", "humanoid", "alex_description/urdf/alex_sake_hands.urdf"),
    Robot("humanoid", "humanoid", "humanoid.xml", "gymnasium"),
    Robot("simple_humanoid", "humanoid", "simple_humanoid_description/urdf/simple_humanoid.urdf"),
    Robot("tiago", "mobile", "tiago_description/robots/tiago.urdf"),
    Robot("baxter", "mobile", "baxter_description/urdf/baxter.urdf"),
    Robot("reacher", "arm", "reacher.xml", "gymnasium"),
    Robot("so101", "arm", "so_arm_description/urdf/so101.urdf"),
    Robot("finger_edu", "arm", "finger_edu_description/robots/finger_edu.urdf"),
    Robot("kinova", "arm", "kinova_description/robots/kinova.urdf"),
    Robot("z1", "arm", "z1_description/urdf/z1.urdf"),
    Robot("xarm7", "arm", "xarm_description/urdf/xarm7.urdf"),
    Robot("panda", "arm", "panda_description/urdf/panda.urdf"),
    Robot("ur5", "arm", "ur_description/urdf/ur5_robot.urdf"),
    Robot("allegro_hand", "hand", "allegro_hand_description/urdf/allegro_left_hand.urdf"),
    Robot("shadow_hand", "hand", "hand/reach.xml", "gymnasium-robotics"),
    Robot("double_pendulum", "other", "double_pendulum_description/urdf/double_pendulum.urdf"),
    Robot("iris", "other", "iris_description/robots/iris.urdf"),
    Robot("hextilt", "other", "hextilt_description/urdf/hextilt_flying_arm_5.urdf"),
)

ROBOTS = {robot.name: robot for robot in _ALL}
"""All robots by name."""
