"""Walking: models and planners of patterns, footsteps, path following, and the walks of the papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.walking.biped.biped import Biped
    from tarsus.walking.biped.leg import Leg
    from tarsus.walking.feng.found_gait import FENG_LAW, FENG_START
    from tarsus.walking.feng.gait_graph import GaitGraph, gait_graph
    from tarsus.walking.feng.gait_state import GaitState
    from tarsus.walking.feng.torques.camera import Camera
    from tarsus.walking.feng.torques.periodic_torques import PeriodicTorques
    from tarsus.walking.feng.torques.posture_springs import PostureSprings
    from tarsus.walking.feng.torques.visual_lifting import VisualLifting
    from tarsus.walking.feng.torques.walk_law import WalkLaw
    from tarsus.walking.feng.walk import FengWalk, feng_walk
    from tarsus.walking.feng.walk_step import WalkStep
    from tarsus.walking.feng.walk_table import WalkTable, walk_table
    from tarsus.walking.feng.whole_walk import whole_walk
    from tarsus.walking.kineto_dynamics.compensated import compensated_motion, planned_motion, previewed_motion
    from tarsus.walking.kineto_dynamics.error_compensation import ErrorCompensation
    from tarsus.walking.kineto_dynamics.force_distribution import force_distribution
    from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion
    from tarsus.walking.kineto_dynamics.hybrid_motion import Split, hybrid_motion
    from tarsus.walking.kineto_dynamics.inverse_kineto_dynamics import InverseKinetoDynamics
    from tarsus.walking.kineto_dynamics.kineto_walk_plan import kineto_walk_plan, known_walk
    from tarsus.walking.kineto_dynamics.known_motion import KnownMotion
    from tarsus.walking.kineto_dynamics.leg_ratio import fitted_leg_ratio, leg_ratio
    from tarsus.walking.kineto_dynamics.three_mass_plan import ThreeMassPlan
    from tarsus.walking.kineto_dynamics.upper_body import UpperBody
    from tarsus.walking.obstacles.obstacle_plan import ObstaclePlan, plan_past_obstacles
    from tarsus.walking.obstacles.obstacle_walk import ObstacleWalk, walk_past_obstacles
    from tarsus.walking.obstacles.obstruction import Obstruction
    from tarsus.walking.obstacles.passing_limits import PassingLimits
    from tarsus.walking.obstacles.reactive_avoidance import AvoidanceSettings, ReactiveAvoidance
    from tarsus.walking.obstacles.scene_file import read_scene_file
    from tarsus.walking.obstacles.scene_shapes import scene_shapes
    from tarsus.walking.obstacles.situation import Situation
    from tarsus.walking.path_following.falling_step import falling_step
    from tarsus.walking.path_following.flat_foot_limits import FlatFootLimits, pressure_of
    from tarsus.walking.path_following.joint_path import GaitPath, JointPath, PolynomialPath
    from tarsus.walking.path_following.path_controller import PathController
    from tarsus.walking.path_following.path_law import PathLaw
    from tarsus.walking.path_following.path_walk import walk_path
    from tarsus.walking.path_following.planar_biped import PlanarBiped
    from tarsus.walking.path_following.pressure_target import PressureTarget
    from tarsus.walking.path_following.speed_map import PeriodicStep, SpeedMap
    from tarsus.walking.path_following.timing import ClockTiming, PressureTiming, Timing
    from tarsus.walking.pendulum.flywheel_pendulum import FlywheelPendulum
    from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
    from tarsus.walking.pendulum.three_mass_model import ThreeMassModel
    from tarsus.walking.pendulum.variable_height import VariableHeightPendulum
    from tarsus.walking.planning.analytic import Analytic
    from tarsus.walking.planning.collocation import Collocation
    from tarsus.walking.planning.contact_wrench import contact_wrench
    from tarsus.walking.planning.finite_differences import FiniteDifferences
    from tarsus.walking.planning.free_footsteps import FreeFootsteps
    from tarsus.walking.planning.pattern import Pattern
    from tarsus.walking.planning.planner import Planner
    from tarsus.walking.planning.predictive_control import PredictiveControl
    from tarsus.walking.planning.pressure_path import PressurePath
    from tarsus.walking.planning.preview import PreviewControl
    from tarsus.walking.planning.relaxed_boundary import RelaxedBoundary
    from tarsus.walking.planning.shooting import Shooting
    from tarsus.walking.planning.singular_preview import SingularPreview, adapted_steps
    from tarsus.walking.planning.step_timing import StepTiming
    from tarsus.walking.reference.walk_plan import WalkPlan
    from tarsus.walking.shah.driven_joints import DrivenWalk, drive_joints
    from tarsus.walking.shah.feedforward_pd import feedforward_pd
    from tarsus.walking.shah.pendulum_gait import GaitMotion, Path, PendulumGait
    from tarsus.walking.shah.periodic_drive import periodic_drive
    from tarsus.walking.shah.rigid_ground_torque import rigid_ground_torque
    from tarsus.walking.shah.step_map import StepMap
    from tarsus.walking.shah.two_link_leg import LegMotion, two_link_leg
    from tarsus.walking.shah.walk import CONTACTS, FIRM_GROUND, SHAH_GROUND, WalkMeasures, measure_walk, shah_walk
    from tarsus.walking.stabilizer.torque_controller import TorqueController
    from tarsus.walking.stabilizer.walk_controller import WalkController
    from tarsus.walking.steps.foot_swing import FootSwing
    from tarsus.walking.steps.footsteps import Footstep, StepLimits, footsteps
    from tarsus.walking.steps.gait import Gait
    from tarsus.walking.steps.smooth_return import SmoothReturn
    from tarsus.walking.steps.stairs import Stairs
    from tarsus.walking.walker.climbing import climb, climb_plan
    from tarsus.walking.walker.verdict.walk_outcome import WalkOutcome
    from tarsus.walking.walker.walker import Walker

_HOMES = {
    "CONTACTS": "shah.walk",
    "FENG_LAW": "feng.found_gait",
    "FENG_START": "feng.found_gait",
    "FIRM_GROUND": "shah.walk",
    "SHAH_GROUND": "shah.walk",
    "Analytic": "planning.analytic",
    "AvoidanceSettings": "obstacles.reactive_avoidance",
    "Biped": "biped.biped",
    "Camera": "feng.torques.camera",
    "ClockTiming": "path_following.timing",
    "Collocation": "planning.collocation",
    "DrivenWalk": "shah.driven_joints",
    "ErrorCompensation": "kineto_dynamics.error_compensation",
    "FengWalk": "feng.walk",
    "FiniteDifferences": "planning.finite_differences",
    "FlatFootLimits": "path_following.flat_foot_limits",
    "FlywheelPendulum": "pendulum.flywheel_pendulum",
    "FootSwing": "steps.foot_swing",
    "Footstep": "steps.footsteps",
    "FreeFootsteps": "planning.free_footsteps",
    "Gait": "steps.gait",
    "GaitGraph": "feng.gait_graph",
    "GaitMotion": "shah.pendulum_gait",
    "GaitPath": "path_following.joint_path",
    "GaitState": "feng.gait_state",
    "GeneratedMotion": "kineto_dynamics.generated_motion",
    "InverseKinetoDynamics": "kineto_dynamics.inverse_kineto_dynamics",
    "JointPath": "path_following.joint_path",
    "KnownMotion": "kineto_dynamics.known_motion",
    "Leg": "biped.leg",
    "LegMotion": "shah.two_link_leg",
    "LinearInvertedPendulum": "pendulum.linear_inverted_pendulum",
    "MassState": "pendulum.linear_inverted_pendulum",
    "ObstaclePlan": "obstacles.obstacle_plan",
    "ObstacleWalk": "obstacles.obstacle_walk",
    "Obstruction": "obstacles.obstruction",
    "PassingLimits": "obstacles.passing_limits",
    "Path": "shah.pendulum_gait",
    "PathController": "path_following.path_controller",
    "PathLaw": "path_following.path_law",
    "Pattern": "planning.pattern",
    "PendulumGait": "shah.pendulum_gait",
    "PeriodicStep": "path_following.speed_map",
    "PeriodicTorques": "feng.torques.periodic_torques",
    "PlanarBiped": "path_following.planar_biped",
    "Planner": "planning.planner",
    "PolynomialPath": "path_following.joint_path",
    "PostureSprings": "feng.torques.posture_springs",
    "PredictiveControl": "planning.predictive_control",
    "PressurePath": "planning.pressure_path",
    "PressureTarget": "path_following.pressure_target",
    "PressureTiming": "path_following.timing",
    "PreviewControl": "planning.preview",
    "ReactiveAvoidance": "obstacles.reactive_avoidance",
    "RelaxedBoundary": "planning.relaxed_boundary",
    "Shooting": "planning.shooting",
    "SingularPreview": "planning.singular_preview",
    "Situation": "obstacles.situation",
    "SmoothReturn": "steps.smooth_return",
    "Stairs": "steps.stairs",
    "SpeedMap": "path_following.speed_map",
    "Split": "kineto_dynamics.hybrid_motion",
    "StepLimits": "steps.footsteps",
    "StepMap": "shah.step_map",
    "StepTiming": "planning.step_timing",
    "ThreeMassModel": "pendulum.three_mass_model",
    "ThreeMassPlan": "kineto_dynamics.three_mass_plan",
    "Timing": "path_following.timing",
    "TorqueController": "stabilizer.torque_controller",
    "UpperBody": "kineto_dynamics.upper_body",
    "VariableHeightPendulum": "pendulum.variable_height",
    "VisualLifting": "feng.torques.visual_lifting",
    "WalkController": "stabilizer.walk_controller",
    "WalkLaw": "feng.torques.walk_law",
    "WalkMeasures": "shah.walk",
    "WalkOutcome": "walker.verdict.walk_outcome",
    "WalkPlan": "reference.walk_plan",
    "WalkStep": "feng.walk_step",
    "WalkTable": "feng.walk_table",
    "Walker": "walker.walker",
    "adapted_steps": "planning.singular_preview",
    "climb": "walker.climbing",
    "climb_plan": "walker.climbing",
    "compensated_motion": "kineto_dynamics.compensated",
    "contact_wrench": "planning.contact_wrench",
    "drive_joints": "shah.driven_joints",
    "falling_step": "path_following.falling_step",
    "feedforward_pd": "shah.feedforward_pd",
    "feng_walk": "feng.walk",
    "fitted_leg_ratio": "kineto_dynamics.leg_ratio",
    "footsteps": "steps.footsteps",
    "force_distribution": "kineto_dynamics.force_distribution",
    "gait_graph": "feng.gait_graph",
    "hybrid_motion": "kineto_dynamics.hybrid_motion",
    "kineto_walk_plan": "kineto_dynamics.kineto_walk_plan",
    "known_walk": "kineto_dynamics.kineto_walk_plan",
    "leg_ratio": "kineto_dynamics.leg_ratio",
    "measure_walk": "shah.walk",
    "periodic_drive": "shah.periodic_drive",
    "plan_past_obstacles": "obstacles.obstacle_plan",
    "planned_motion": "kineto_dynamics.compensated",
    "pressure_of": "path_following.flat_foot_limits",
    "previewed_motion": "kineto_dynamics.compensated",
    "read_scene_file": "obstacles.scene_file",
    "rigid_ground_torque": "shah.rigid_ground_torque",
    "scene_shapes": "obstacles.scene_shapes",
    "shah_walk": "shah.walk",
    "two_link_leg": "shah.two_link_leg",
    "walk_past_obstacles": "obstacles.obstacle_walk",
    "walk_path": "path_following.path_walk",
    "walk_table": "feng.walk_table",
    "whole_walk": "feng.whole_walk",
}
"""Modules of the public names."""

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = [
    "CONTACTS",
    "FENG_LAW",
    "FENG_START",
    "FIRM_GROUND",
    "SHAH_GROUND",
    "Analytic",
    "AvoidanceSettings",
    "Biped",
    "Camera",
    "ClockTiming",
    "Collocation",
    "DrivenWalk",
    "ErrorCompensation",
    "FengWalk",
    "FiniteDifferences",
    "FlatFootLimits",
    "FlywheelPendulum",
    "FootSwing",
    "Footstep",
    "FreeFootsteps",
    "Gait",
    "GaitGraph",
    "GaitMotion",
    "GaitPath",
    "GaitState",
    "GeneratedMotion",
    "InverseKinetoDynamics",
    "JointPath",
    "KnownMotion",
    "Leg",
    "LegMotion",
    "LinearInvertedPendulum",
    "MassState",
    "ObstaclePlan",
    "ObstacleWalk",
    "Obstruction",
    "PassingLimits",
    "Path",
    "PathController",
    "PathLaw",
    "Pattern",
    "PendulumGait",
    "PeriodicStep",
    "PeriodicTorques",
    "PlanarBiped",
    "Planner",
    "PolynomialPath",
    "PostureSprings",
    "PredictiveControl",
    "PressurePath",
    "PressureTarget",
    "PressureTiming",
    "PreviewControl",
    "ReactiveAvoidance",
    "RelaxedBoundary",
    "Shooting",
    "SingularPreview",
    "Situation",
    "SmoothReturn",
    "SpeedMap",
    "Split",
    "Stairs",
    "StepLimits",
    "StepMap",
    "StepTiming",
    "ThreeMassModel",
    "ThreeMassPlan",
    "Timing",
    "TorqueController",
    "UpperBody",
    "VariableHeightPendulum",
    "VisualLifting",
    "WalkController",
    "WalkLaw",
    "WalkMeasures",
    "WalkOutcome",
    "WalkPlan",
    "WalkStep",
    "WalkTable",
    "Walker",
    "adapted_steps",
    "climb",
    "climb_plan",
    "compensated_motion",
    "contact_wrench",
    "drive_joints",
    "falling_step",
    "feedforward_pd",
    "feng_walk",
    "fitted_leg_ratio",
    "footsteps",
    "force_distribution",
    "gait_graph",
    "hybrid_motion",
    "kineto_walk_plan",
    "known_walk",
    "leg_ratio",
    "measure_walk",
    "periodic_drive",
    "plan_past_obstacles",
    "planned_motion",
    "pressure_of",
    "previewed_motion",
    "read_scene_file",
    "rigid_ground_torque",
    "scene_shapes",
    "shah_walk",
    "two_link_leg",
    "walk_past_obstacles",
    "walk_path",
    "walk_table",
    "whole_walk",
]


def __dir__() -> list[str]:
    return sorted(__all__)
