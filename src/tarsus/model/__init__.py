"""Models: joints, bodies, frames, couplings, and how they are built and checked."""

from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from tarsus.model.body import Body, Frame
from tarsus.model.builder import ModelBuilder
from tarsus.model.coupling import Coupling, Loop, Source
from tarsus.model.description import Description, FrameSpec, JointSpec, LinkSpec
from tarsus.model.joint import JOINT_SIZES, Joint
from tarsus.model.model import Model
from tarsus.model.state import State
from tarsus.model.tendons import Tendon
from tarsus.model.validation import find_problems

__all__ = [
    "JOINT_SIZES",
    "Body",
    "Box",
    "Capsule",
    "Coupling",
    "Cylinder",
    "Description",
    "Ellipsoid",
    "Frame",
    "FrameSpec",
    "Joint",
    "JointSpec",
    "LinkSpec",
    "Loop",
    "Mesh",
    "Model",
    "ModelBuilder",
    "Plane",
    "Shape",
    "Source",
    "Sphere",
    "State",
    "Tendon",
    "find_problems",
]
