"""Talos with the rotors of its motors as bodies, geared to the joints, here and in Pinocchio."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.linalg.lapack import dposv

import tarsus as ts
from benchmarks.contestants import TALOS, robot_file
from benchmarks.rival import Rival, rows_through
from tarsus.arrays import FloatArray
from tarsus.io.interop import PinocchioLayout
from tarsus.model.assembly import assemble
from tarsus.model.coupling import Coupling
from tarsus.model.description import JointSpec, LinkSpec
from tarsus.model.model import Model

RATIO = 100.0
MASS = 0.2
ACROSS, ALONG = 2e-4, 3e-4
"""Moments of inertia of a rotor [kg m^2] across and along its axis."""


def geared_talos() -> Model:
    """Talos with a free base; each of its 32 joints has a rotor on the link before that turns 100 times as fast."""
    description = ts.load(robot_file(TALOS), base="free").description
    links, joints, couplings = list(description.links), list(description.joints), list(description.couplings)
    for joint in description.joints:
        if joint.kind not in ("revolute", "continuous", "prismatic"):
            continue
        rotor, motor = f"rotor_{joint.name}", f"motor_{joint.name}"
        links.append(LinkSpec(rotor, ts.Inertia(MASS, np.zeros(3), _moments(joint.axis))))
        joints.append(JointSpec(motor, "revolute", joint.parent, rotor, pose=joint.pose, axis=joint.axis))
        couplings.append(Coupling(motor, joint.name, RATIO))
    parts = replace(description, links=tuple(links), joints=tuple(joints), couplings=tuple(couplings))
    return assemble(parts)


def geared_rivals(model: Model) -> list[Rival]:
    """Return mass matrix, bias and a LAPACK solve: its articulated-body and Cholesky algorithms refuse mimic joints."""
    plain = pin.buildModelFromUrdf(str(robot_file(TALOS)), pin.JointModelFreeFlyer())
    geared = _with_rotors(plain, model)
    # Mimic joints have no coordinates, so those of both robots with rotors are those of the robots without.
    layout = PinocchioLayout(ts.load(robot_file(TALOS), base="free"), plain)
    names = {"crba": pin.crba, "nle": pin.nonLinearEffects, "dposv": dposv, "m": geared, "d": geared.createData()}
    # The upper triangle of a matrix by rows is the lower one of its transpose by columns, which LAPACK wants.
    code = "a = dposv(crba(m, d, q).T, tau - nle(m, d, q, v), lower=1)[1]"
    return [Rival("crba, nonLinearEffects, LAPACK dposv", code, names, partial(rows_through, layout), layout.from_v)]


def _with_rotors(plain: Any, model: Model) -> Any:
    geared = pin.Model(plain)
    for joint in model.joints.values():
        motor = f"motor_{joint.name}"
        if motor not in model.joints:
            continue
        i = plain.getJointId(joint.name)
        mimic = pin.JointModelMimic(geared.joints[i], RATIO, 0.0)
        made = geared.addJoint(plain.parents[i], mimic, plain.jointPlacements[i], motor)
        inertia = pin.Inertia(MASS, np.zeros(3), _moments(joint.axis))
        geared.appendBodyToJoint(made, inertia, pin.SE3.Identity())
    return geared


def _moments(axis: Any) -> FloatArray:
    unit = np.array(axis) / np.linalg.norm(axis)
    return ACROSS * np.eye(3) + (ALONG - ACROSS) * np.outer(unit, unit)
