"""The scenes of Buschmann 2014, figures 5.30 to 5.35: what the text says of them holds."""

from itertools import pairwise

import numpy as np
import pytest

from tarsus.errors import UnknownNameError
from tarsus.ik import predictive
from tarsus.ik.predictive.scenes import SCENES, scene

CONTINUOUS = 1e-9  # [rad/s]


def energies(s, motion):
    """Integral and peak of the pseudoenergy."""
    e = s.pseudo_energy(motion)
    return s.dt * float(e.sum()), float(e.max())


@pytest.mark.parametrize("name", SCENES)
def test_looking_ahead_takes_less_energy_and_half_the_peak(name):
    s = scene(name)
    here, ahead = s.local(), s.predictive(iterations=1)
    best = s.whole(ahead.u)
    (local, local_peak), (middle, peak), (least, _) = (energies(s, motion) for motion in (here, ahead, best))
    assert least <= middle <= local
    assert local_peak >= 2 * peak
    for motion in (here, ahead, best):
        assert motion.task_error.max() < 1e-4
        assert motion.clearance.min() > 0.01
        assert motion.beyond_limits == 0.0
        assert motion.success
    assert s.unaware().clearance.min() < -0.02


def test_a_short_horizon_lowers_the_peak_a_little():
    s = scene("crops9")
    here, short, far = (energies(s, m)[1] for m in (s.local(), s.predictive(0.15), s.predictive(2.0, iterations=1)))
    assert far < short < here


def test_a_free_start_takes_the_least_of_all():
    s = scene("planar4")
    held = s.whole(s.local().u)
    free = s.whole(held.u, free_start=True)
    assert free.cost < held.cost and energies(s, free)[0] < energies(s, held)[0]
    assert free.success


def test_conjugate_gradients_descend_faster_than_steepest_descent():
    s = scene("planar4")
    counts = {}
    for method in ("conjugate-gradient", "steepest-descent"):
        plan = predictive.optimize(
            s.model, s.task, s.q0, dt=s.dt, costs=s.costs, guess=s.local().u, method=method, step=0.05, iterations=400
        )
        counts[method] = plan.history
    least = min(history[-1] for history in counts.values())
    first = {method: int(np.argmax(history <= 1.01 * least)) for method, history in counts.items()}
    assert first["conjugate-gradient"] < 0.5 * first["steepest-descent"]


def test_the_augmented_state_makes_velocities_continuous():
    s = scene("planar4")
    largest = {}
    for level in ("velocity", "acceleration"):
        motion = s.predictive(level=level, cycle=0.05, keep=True)
        jumps = [np.abs(b.v[0] - a.v[5]).max() for a, b in pairwise(motion.plans) if len(a.v) > 5]
        largest[level] = max(jumps)
        assert motion.success
    assert largest["acceleration"] <= CONTINUOUS < 1e-3 < largest["velocity"]


def test_unknown_scenes_are_named():
    with pytest.raises(UnknownNameError, match="planar4, crops9|planar4"):
        scene("planar5")
