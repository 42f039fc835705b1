"""Walks whose joints come from inverse kineto-dynamics, for the same controller as those of inverse kinematics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from tarsus.errors import PlanningError, UnknownNameError, nearest
from tarsus.walking.biped.biped import Biped
from tarsus.walking.kineto_dynamics.compensated import compensated_motion, planned_motion, previewed_motion
from tarsus.walking.kineto_dynamics.drift_feedback import DriftFeedback
from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion
from tarsus.walking.kineto_dynamics.inverse_kineto_dynamics import InverseKinetoDynamics
from tarsus.walking.kineto_dynamics.known_motion import KnownMotion
from tarsus.walking.kineto_dynamics.leg_ratio import fitted_leg_ratio, leg_ratio
from tarsus.walking.kineto_dynamics.moment_feedback import MomentFeedback
from tarsus.walking.kineto_dynamics.three_mass_plan import ThreeMassPlan
from tarsus.walking.kineto_dynamics.upper_body import UpperBody
from tarsus.walking.reference.ground_wrench import feed_forward
from tarsus.walking.reference.rest import rest_time, rested_path, rested_phases
from tarsus.walking.reference.walk_plan import WalkPlan, leads
from tarsus.walking.steps.footsteps import Footstep
from tarsus.walking.steps.gait import Gait

DT = 1.5e-3
"""Cycle of the text [s]."""
GAIN = 2e-4
"""k of the text's experiments."""
IKD = "ikd"
"""Word of the method that acts in each cycle of a walk, too."""


def holding_gain(plan: ThreeMassPlan) -> float:
    """The overall gain k that holds without planning each step: 1e-3 for Lola."""
    known = plan.known
    kp = MomentFeedback.holding(known.biped.gravity / known.height).kp
    return kp / DriftFeedback.at(known.dt).kp


Upper = UpperBody | None
METHODS: dict[str, Callable[[ThreeMassPlan, Upper], GeneratedMotion]] = {
    IKD: lambda plan, upper: InverseKinetoDynamics(plan, GAIN, "hybrid", upper=upper).run(),
    "ikd-planning": lambda plan, upper: InverseKinetoDynamics(plan, 0.0, "planning", upper=upper).run(),
    "ikd-moment": lambda plan, upper: InverseKinetoDynamics(plan, holding_gain(plan), "moment", upper=upper).run(),
    "error-compensation": lambda plan, upper: compensated_motion(plan, upper=upper),
    "preview": lambda plan, upper: previewed_motion(plan, upper=upper),
    "three-mass": lambda plan, upper: planned_motion(plan, upper=upper),
}
"""Ways from a plan of three masses to the motion of the whole robot: inverse kineto-dynamics with hybrid stabilisation,
via planning, or via the contact moment; Takenaka's error compensation; Kajita's second pass; the plan as it is."""


def known_walk(
    biped: Biped, footsteps: Sequence[Footstep], gait: Gait, clearance: float, *, dt: float = DT,
    upper: UpperBody | None = None, late: bool = True
) -> KnownMotion:  # fmt: skip
    """What is known of a walk on footsteps, with rest before and after it; `late` is that of `KnownMotion.of`."""
    rest = rest_time(math.sqrt(biped.gravity / biped.height), dt)
    path, phases = rested_path(gait.pressure_path(footsteps), rest), rested_phases(gait.phases(footsteps), rest)
    return KnownMotion.of(biped, phases, path, clearance, dt, None if upper is None else upper.body, late)


def kineto_walk_plan(
    biped: Biped,
    footsteps: Sequence[Footstep],
    gait: Gait,
    clearance: float,
    method: str = "ikd",
    *,
    ratio: float | None = None,
    swinging: bool = False,
) -> WalkPlan:
    """From footsteps to joints, as `walk_plan` does by inverse kinematics.

    Parameters
    ----------
    method : str
        Of `METHODS`.
    ratio : float, optional
        m_l / m; fitted to the motion of the whole robot by default.
    swinging : bool
        Whether the upper body moves, against the angular momentum of the legs.

    Raises
    ------
    PlanningError
        Where the motion diverges, or joints leave their limits; with the time.
    """
    if method not in METHODS:
        raise UnknownNameError(f"method {method!r} not found{nearest(method, METHODS)}")
    upper = UpperBody.swinging(biped) if swinging else None
    known = known_walk(biped, footsteps, gait, clearance, upper=upper)
    if ratio is None:
        ratio = fitted_leg_ratio(_checked(planned_motion(ThreeMassPlan.of(known, leg_ratio(biped)), upper=upper)))
    motion = _checked(METHODS[method](ThreeMassPlan.of(known, ratio), upper))
    _check_limits(motion)
    n = len(motion.times)
    omega = math.sqrt(biped.gravity / known.height)
    rate = np.gradient(motion.com, known.dt, axis=0)
    return WalkPlan(
        biped, tuple(footsteps), known.phases, motion.times, known.feet,
        np.column_stack([motion.com, known.heights[:n, 0]]), motion.com + rate / omega, motion.pressure,
        motion.wrench.pressure - motion.pressure, omega, leads(known.feet, omega, known.dt), motion.q, motion.v,
        feed_forward(biped, motion.wrench, motion.q, known.feet),
    )  # fmt: skip


def _checked(motion: GeneratedMotion) -> GeneratedMotion:
    if motion.diverged is not None:
        raise PlanningError(
            f"{motion.known.biped.model.name!r} cannot take these steps: at {motion.diverged:.2f} s {motion.reason}"
        )
    return motion


def _check_limits(motion: GeneratedMotion) -> None:
    """Accelerations do not know of limits: say where joints went beyond them."""
    model = motion.known.biped.model
    over = np.maximum(model.q_min[7:] - motion.q[:, 7:], motion.q[:, 7:] - model.q_max[7:])
    k, i = np.unravel_index(int(np.argmax(over)), over.shape)
    if over[k, i] > 0.0:
        name = next(joint.name for joint in model.joints.values() if joint.q_index.start <= 7 + i < joint.q_index.stop)
        raise PlanningError(
            f"{model.name!r} cannot take these steps: at {motion.times[k]:.2f} s joint {name!r} is "
            f"{over[k, i]:.3g} beyond its limit"
        )
