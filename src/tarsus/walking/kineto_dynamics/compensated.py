"""Plans that are mended by inverse dynamics: error compensation, and the second pass of preview control."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.kineto_dynamics.error_compensation import ErrorCompensation
from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion
from tarsus.walking.kineto_dynamics.inverse_kineto_dynamics import InverseKinetoDynamics
from tarsus.walking.kineto_dynamics.three_mass_plan import PlannedMass, ThreeMassPlan
from tarsus.walking.kineto_dynamics.upper_body import UpperBody
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum
from tarsus.walking.planning.pressure_path import PressurePath
from tarsus.walking.planning.preview import PreviewControl

PREVIEW_DT = 0.005
"""Between samples of preview control, as in the text of Kajita et al. (2003) [s]."""


def planned_motion(plan: ThreeMassPlan, *, upper: UpperBody | None = None) -> GeneratedMotion:
    """The motion of a plan as it is, by inverse kinematics: contact moments are what comes of it."""
    return InverseKinetoDynamics(plan, upper=upper, com=plan.along(plan.known.times)).run()


def compensated_motion(
    plan: ThreeMassPlan,
    compensation: ErrorCompensation | None = None,
    *,
    first: GeneratedMotion | None = None,
    upper: UpperBody | None = None,
) -> GeneratedMotion:
    """The motion of a plan with error compensation (5.98).

    Parameters
    ----------
    compensation : ErrorCompensation, optional
        That of the text by default.
    first : GeneratedMotion, optional
        `planned_motion` of the plan, where it is at hand.
    """
    first = planned_motion(plan, upper=upper) if first is None else first
    own = ErrorCompensation.of(plan.known.biped) if compensation is None else compensation
    way, _ = own.motion(first.moment_error, plan.known.dt)
    return _moved(plan, way, upper)


def previewed_motion(
    plan: ThreeMassPlan, *, first: GeneratedMotion | None = None, upper: UpperBody | None = None
) -> GeneratedMotion:
    """The motion of a plan with a second pass of preview control on the error of the pressure (Kajita et al. 2003)."""
    first = planned_motion(plan, upper=upper) if first is None else first
    known = plan.known
    pendulum = LinearInvertedPendulum(known.height, known.biped.gravity)
    path = PressurePath(first.times, known.path.at(first.times) - first.wrench.pressure)
    found = PreviewControl(pendulum, PREVIEW_DT).plan(path)
    return _moved(plan, np.stack(found.at(known.times), axis=1), upper)


def _moved(plan: ThreeMassPlan, way: FloatArray, upper: UpperBody | None) -> GeneratedMotion:
    """The motion of a plan whose centre of mass is moved by ways, rates and accelerations, shape (n, 3, 2)."""
    mass = plan.along(plan.known.times)
    moved = PlannedMass(
        mass.position + way[:, 0], mass.velocity + way[:, 1], mass.acceleration + way[:, 2], mass.pressure
    )
    return InverseKinetoDynamics(plan, upper=upper, com=moved).run()
