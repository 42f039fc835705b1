"""Whether the integrator of a run gained or lost more energy than a result that can be trusted has."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.recording.trajectory import Trajectory

MOST_GAINED = 0.01
"""Share of the energy that was exchanged in a run which the integrator may add to it,"""
MOST_LOST = 0.1
"""and which it may take away: that ends in robots which are too calm, not in ones that fly off."""
_LEAST_FALL = 0.1
"""Energy of a fall from this height [m] counts as exchanged by every robot, so that one at rest has a share, too."""
_ROUNDING = 1e-9
"""The same for this part of the potential energy: what is left of it is rounded."""
_LEAST_LIFT = 0.01
"""Energy that lifts a robot by this height [m] is never told as gained: contacts that start in the ground are pushed
out of it."""


_DRIVEN = 2.0
"""Bodies that press on each other with more than this part of the weight are driven by something else."""


def exchanged_energy(run: Trajectory) -> FloatArray:
    """Energy that went from one form to another in a run, shape (*batch,) [J].

    S = max T + D_ground + D_joints + D_impact + max |W_actuator| + max |W_external| + max |W_constraint| + m g 0.1 m
    """
    energy = run.energy
    taken = np.sum([energy[name][-1] for name in ("ground_dissipated", "joint_dissipated", "impact")], axis=0)
    works = [name for name in ("actuator", "external", "constraint") if name in energy]
    given = np.sum([np.abs(energy[name]).max(axis=0) for name in works], axis=0)
    rounding = _ROUNDING * np.abs(energy["potential"]).max(axis=0)
    exchanged: FloatArray = energy["kinetic"].max(axis=0) + taken + given + _weight(run) * _LEAST_FALL + rounding
    return exchanged


def _weight(run: Trajectory) -> float:
    """[N]."""
    return float(run.model.total_mass * np.linalg.norm(run.model.gravity))


def integration_problem(run: Trajectory, before: FloatArray | float = 0.0) -> str | None:
    """What to tell about a finished run whose part "integration" is beyond `MOST_GAINED` or `MOST_LOST` of its energy.

    Samples are all that is looked at. Of a batch, the robot that is worst is told, and of how many.

    Parameters
    ----------
    before : ndarray, shape (*batch,), optional
        The part at the start of a run that resumes another one [J]: what was told before is not told again.
    """
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):  # a motion that has left all bounds
        added = run.energy["integration"] - before
        exchanged = exchanged_energy(run) + np.finfo(float).tiny
        gained, lost = added / (MOST_GAINED * exchanged + _weight(run) * _LEAST_LIFT), -added / (MOST_LOST * exchanged)
        badness = np.nan_to_num(np.maximum(gained, lost), nan=np.inf, posinf=np.inf)
        share = added / exchanged
    if not badness.max() > 1.0:
        return None
    sample, *robot = map(int, np.unravel_index(np.argmax(badness), badness.shape))
    joules, part = (float(x[(sample, *robot)]) for x in (added, share))
    bad = badness.max(axis=0) > 1.0
    whose = f" of robot {tuple(robot)} (worst of {np.count_nonzero(bad)} among {bad.size})" if robot else ""
    return (
        f"the integrator {run.metadata['integrator']!r} {'added' if part > 0.0 else 'took'} {abs(joules):.3g} J"
        f"{whose} until {run.time[sample]:g} s, {100.0 * abs(part):.3g} % of the energy that was exchanged in the run: "
        f"{_pressed(run, (sample, *robot)) or _remedy(run)}"
    )


def _pressed(run: Trajectory, place: tuple[int, ...]) -> str | None:
    """Bodies that are driven into each other at that sample and robot, and what helps; None where there are none."""
    between = [i for i, name in enumerate(run.contacts) if "|" in name]
    if not between:
        return None
    sample, *robot = place
    near = run.contact_force[max(sample - 1, 0) : sample + 1]
    force = np.linalg.norm(near, axis=-1).max(axis=0)[tuple(robot)]
    worst = max(between, key=lambda i: float(force[i]))
    if not force[worst] > _DRIVEN * _weight(run):
        return None
    first, second = (part.split("/")[0] for part in run.contacts[worst].split("|"))
    return (
        f"{first} and {second} are driven into each other there with {force[worst]:.2g} N, where the description of "
        "their contact changes; a smaller dt does not help, Compliant, PseudoCoulomb or LeastConstraint between them do"
    )


def _remedy(run: Trajectory) -> str:
    """What helps against it."""
    name, dt = run.metadata["integrator"], run.metadata["dt"]
    if name in ("semi-implicit-euler", "least-constraint"):
        return f"try a smaller dt than {dt:g} s"
    if name in ("runge-kutta-4", "implicit-midpoint"):
        return f"try a smaller dt than {dt:g} s, or leave the integrator out"
    return f"try smaller tolerances than {run.metadata['relative']:g} and {run.metadata['absolute']:g}"
