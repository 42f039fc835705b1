"""The robots of the comparison, each in all libraries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import distribution
from pathlib import Path

import pinocchio as pin

import tarsus as ts
from benchmarks.peers_mujoco import MujocoPeer
from benchmarks.peers_pinocchio import PinocchioPeer, from_pinocchio, to_pinocchio
from benchmarks.quantity import Peer
from tarsus.model.assembly import assemble
from tarsus.model.model import Model

TALOS = "talos_data/robots/talos_reduced.urdf"
PANDA = "panda_description/urdf/panda.urdf"


@dataclass(frozen=True)
class Contestant:
    """A robot, the body whose Jacobian is measured, and the peers."""

    name: str
    model: Model
    frame: str
    peers: tuple[Peer, ...]


def robot_file(relative: str) -> Path:
    """File of the installed package example-robot-data."""
    root = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    return Path(str(root)) / relative


def humanoid() -> Contestant:
    """Pinocchio's sample humanoid, free base, 34 DoF."""
    pin_model = pin.buildSampleModelHumanoid()
    return _contestant("humanoid", from_pinocchio(pin_model), pin_model, "body_of_larm_wrist2_joint")


def talos() -> Contestant:
    """Talos with grippers locked, free base, 38 DoF."""
    path = robot_file(TALOS)
    pin_model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    return _contestant("talos", ts.load(path, base="free"), pin_model, "arm_left_7_link")


def hrp2() -> Contestant:
    """Our own HRP-2 with rotor inertias, free base, 36 DoF."""
    model = ts.robots.hrp2()
    return _contestant("hrp2", model, to_pinocchio(model), list(model.bodies)[-1])


def panda() -> Contestant:
    """Panda on a fixed base, both fingers independent, 9 DoF.

    The link that is fixed to the world has no mass here: the libraries disagree on whether it counts.
    """
    path = robot_file(PANDA)
    loaded = ts.load(path, couplings="cut")
    root = next(iter(loaded.bodies.values()))
    links = tuple(replace(link, inertia=None) if link.name in root.links else link for link in loaded.description.links)
    model = assemble(replace(loaded.description, links=links), couplings="cut")
    return _contestant("panda", model, pin.buildModelFromUrdf(str(path)), "panda_link7")


ROBOTS: dict[str, Callable[[], Contestant]] = {"humanoid": humanoid, "talos": talos, "hrp2": hrp2, "panda": panda}


def _contestant(name: str, model: Model, pin_model: object, frame: str) -> Contestant:
    return Contestant(name, model, frame, (PinocchioPeer(model, pin_model, frame), MujocoPeer(model, frame)))
