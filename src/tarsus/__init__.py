"""Kinematics, dynamics and control of articulated robots with a floating base."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tarsus import quiet_start  # noqa: F401  first: what takes long can be interrupted from here on

# isort: split

from tarsus import errors
from tarsus._native import native_info
from tarsus.dynamics import (
    bias_force,
    body_jacobians,
    body_poses,
    body_wrenches,
    center_of_mass,
    com_jacobian,
    convective_inertia,
    coriolis_matrix,
    denoc_factors,
    denoc_mass_matrix,
    denoc_matrices,
    floating_inverse_dynamics,
    forward_dynamics,
    forward_dynamics_derivatives,
    frame_acceleration,
    frame_motions,
    frame_pose,
    frame_poses,
    frame_velocity,
    gauss_system,
    gravity_force,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    jacobian,
    jacobian_derivative,
    jacobian_dot,
    jacobian_dot_v,
    joint_screws,
    kinetic_energy,
    mass_matrix,
    momentum,
    momentum_dot_v,
    momentum_matrix,
    passive_force,
    potential_energy,
    solve_mass,
    torque_regressor,
)
from tarsus.model import Model, ModelBuilder, State
from tarsus.spatial import Inertia, pose

if TYPE_CHECKING:
    from tarsus import (
        actuators,
        analysis,
        collision,
        constraints,
        contact,
        control,
        ik,
        interop,
        io,
        optimization,
        robots,
        scenarios,
        sensors,
        simulation,
        spatial,
        tasks,
        viewer,
        walking,
    )
    from tarsus.dynamics.constraints import constraint_rows, loop_constraints
    from tarsus.dynamics.constraints.constrained_derivatives import constrained_dynamics_derivatives
    from tarsus.dynamics.constraints.constrained_dynamics import constrained_dynamics
    from tarsus.dynamics.constraints.projection import project_position, project_velocity
    from tarsus.io.load import load
    from tarsus.io.urdf.writer import write_urdf
    from tarsus.plots.energy import plot_energy
    from tarsus.plots.push_map import plot_push_map
    from tarsus.plots.report.report import write_report
    from tarsus.plots.signals import plot_signals
    from tarsus.recording.export import export
    from tarsus.recording.files import Recorder, open_recording, save
    from tarsus.recording.trajectory import Trajectory
    from tarsus.simulation.simulate import simulate
    from tarsus.simulation.stepping.simulation import Simulation
    from tarsus.viewer.drawing.picture import draw

__version__ = "0.1.0"

_LAZY = {
    "actuators": ("tarsus.actuators", None),
    "sensors": ("tarsus.sensors", None),
    "analysis": ("tarsus.analysis", None),
    "constrained_dynamics": ("tarsus.dynamics.constraints.constrained_dynamics", "constrained_dynamics"),
    "constrained_dynamics_derivatives": (
        "tarsus.dynamics.constraints.constrained_derivatives",
        "constrained_dynamics_derivatives",
    ),
    "constraint_rows": ("tarsus.dynamics.constraints", "constraint_rows"),
    "constraints": ("tarsus.constraints", None),
    "collision": ("tarsus.collision", None),
    "contact": ("tarsus.contact", None),
    "loop_constraints": ("tarsus.dynamics.constraints", "loop_constraints"),
    "project_position": ("tarsus.dynamics.constraints.projection", "project_position"),
    "project_velocity": ("tarsus.dynamics.constraints.projection", "project_velocity"),
    "load": ("tarsus.io.load", "load"),
    "write_report": ("tarsus.plots.report.report", "write_report"),
    "write_urdf": ("tarsus.io.urdf.writer", "write_urdf"),
    "interop": ("tarsus.interop", None),
    "io": ("tarsus.io", None),
    "optimization": ("tarsus.optimization", None),
    "robots": ("tarsus.robots", None),
    "scenarios": ("tarsus.scenarios", None),
    "Simulation": ("tarsus.simulation.stepping.simulation", "Simulation"),
    "simulate": ("tarsus.simulation.simulate", "simulate"),
    "simulation": ("tarsus.simulation", None),
    "control": ("tarsus.control", None),
    "ik": ("tarsus.ik", None),
    "spatial": ("tarsus.spatial", None),
    "tasks": ("tarsus.tasks", None),
    "viewer": ("tarsus.viewer", None),
    "walking": ("tarsus.walking", None),
    "draw": ("tarsus.viewer.drawing.picture", "draw"),
    "Recorder": ("tarsus.recording.recorder", "Recorder"),
    "Trajectory": ("tarsus.recording.trajectory", "Trajectory"),
    "export": ("tarsus.recording.export", "export"),
    "plot_energy": ("tarsus.plots.energy", "plot_energy"),
    "plot_push_map": ("tarsus.plots.push_map", "plot_push_map"),
    "plot_signals": ("tarsus.plots.signals", "plot_signals"),
    "open_recording": ("tarsus.recording.files", "open_recording"),
    "save": ("tarsus.recording.files", "save"),
}
"""Names whose modules are imported when they are first used, which keeps `import tarsus` cheap."""


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'tarsus' has no attribute {name!r}{errors.nearest(name, __all__)}")
    module, attribute = _LAZY[name]
    value = importlib.import_module(module)
    value = value if attribute is None else getattr(value, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Inertia",
    "Model",
    "ModelBuilder",
    "Recorder",
    "Simulation",
    "State",
    "Trajectory",
    "__version__",
    "actuators",
    "analysis",
    "bias_force",
    "body_jacobians",
    "body_poses",
    "body_wrenches",
    "center_of_mass",
    "collision",
    "com_jacobian",
    "constrained_dynamics",
    "constrained_dynamics_derivatives",
    "constraint_rows",
    "constraints",
    "contact",
    "control",
    "convective_inertia",
    "coriolis_matrix",
    "denoc_factors",
    "denoc_mass_matrix",
    "denoc_matrices",
    "draw",
    "errors",
    "export",
    "floating_inverse_dynamics",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "frame_acceleration",
    "frame_motions",
    "frame_pose",
    "frame_poses",
    "frame_velocity",
    "gauss_system",
    "gravity_force",
    "ik",
    "interop",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "io",
    "jacobian",
    "jacobian_derivative",
    "jacobian_dot",
    "jacobian_dot_v",
    "joint_screws",
    "kinetic_energy",
    "load",
    "loop_constraints",
    "mass_matrix",
    "momentum",
    "momentum_dot_v",
    "momentum_matrix",
    "native_info",
    "open_recording",
    "optimization",
    "passive_force",
    "plot_energy",
    "plot_push_map",
    "plot_signals",
    "pose",
    "potential_energy",
    "project_position",
    "project_velocity",
    "robots",
    "save",
    "scenarios",
    "sensors",
    "simulate",
    "simulation",
    "solve_mass",
    "spatial",
    "tasks",
    "torque_regressor",
    "viewer",
    "walking",
    "write_report",
    "write_urdf",
]
