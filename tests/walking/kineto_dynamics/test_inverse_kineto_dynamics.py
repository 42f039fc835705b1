"""Motions by inverse kineto-dynamics have the contact moments they were told to have."""

import numpy as np
import pytest

from tarsus.dynamics import momentum_matrix
from tarsus.errors import UnknownNameError
from tarsus.walking.kineto_dynamics.compensated import compensated_motion, planned_motion, previewed_motion
from tarsus.walking.kineto_dynamics.inverse_kineto_dynamics import InverseKinetoDynamics
from tarsus.walking.kineto_dynamics.leg_ratio import fitted_leg_ratio, leg_ratio
from tarsus.walking.kineto_dynamics.planning_feedback import pieces
from tarsus.walking.kineto_dynamics.three_mass_plan import ThreeMassPlan
from tarsus.walking.kineto_dynamics.upper_body import UpperBody

EXACT = 1e-9
"""Of places [m]: pressure of inverse dynamics beside the one told, two ways to the same sums."""
TRACKED = 1e-3
"""Errors of known tasks after integration by steps of 1.5 ms [m, rad]."""


@pytest.fixture(scope="module")
def hybrid(plan):
    return InverseKinetoDynamics(plan, 2e-4, "hybrid").run()


@pytest.fixture(scope="module")
def first(plan):
    return planned_motion(plan)


def test_pressure_of_inverse_dynamics_is_the_one_told(hybrid):
    assert hybrid.diverged is None
    assert np.abs(hybrid.wrench.pressure - hybrid.pressure).max() < EXACT
    assert hybrid.missed.max() < TRACKED
    assert hybrid.beyond <= EXACT


def test_pressure_is_told_for_turning_walks_too(turning):
    found = InverseKinetoDynamics(turning, 1e-3, "hybrid").run()
    assert found.diverged is None, found.reason
    assert np.abs(found.wrench.pressure - found.pressure).max() < EXACT
    heading = found.known.feet.place[-1, 0, 3]
    assert heading > 0.2


def test_without_stabilisation_the_centre_of_mass_diverges_and_says_when(plan):
    found = InverseKinetoDynamics(plan).run()
    assert found.diverged is not None and len(found.times) < len(plan.known.times)
    assert "m from the plan" in found.reason or "off by" in found.reason
    assert np.abs(found.wrench.pressure - found.pressure).max() < EXACT  # until then the moment is exact


def test_planning_changes_the_pressure_in_double_support_only(plan):
    found = InverseKinetoDynamics(plan, 0.0, "planning").run()
    assert found.diverged is None, found.reason
    changed = np.abs(found.pressure - plan.known.path.at(found.times)).max(axis=1)
    both = plan.known.feet.standing.all(axis=1)
    assert changed[both].max() > 0.005  # it has something to do
    assert changed[~both].max() < 0.02 * changed[both].max()  # knots of 5 ms


def test_pieces_of_planning_cover_the_walk_and_begin_on_both_feet(plan):
    found = pieces(plan.known)
    known = plan.known
    for piece in found:
        k = int(np.searchsorted(known.times, 0.5 * (piece.start + piece.shaped_until)))
        assert known.feet.standing[k].all()
    ends = [piece.end for piece in found]
    assert [piece.start for piece in found[1:]] == pytest.approx(ends[:-1])
    assert ends[-1] == pytest.approx(known.path.end)
    assert known.path.end <= known.times[-1] + 1e-9 < known.path.end + known.dt + 2e-9


def test_planning_has_the_least_to_do_with_the_fitted_ratio(plan):
    """Where three masses foretell the divergent component sideways, there is little to be made good in each step."""
    fitted = fitted_leg_ratio(planned_motion(plan))

    def asked(ratio):
        found = InverseKinetoDynamics(ThreeMassPlan.of(plan.known, ratio), 0.0, "planning").run()
        assert found.diverged is None, found.reason
        change = found.pressure - plan.known.path.at(found.times)
        return float(np.sqrt(np.mean(change[:, 1] ** 2)))

    assert asked(fitted) < 0.7 * min(asked(fitted - 0.01), asked(fitted + 0.01))


def test_saturation_keeps_the_pressure_inside_whatever_is_asked_for(plan):
    found = InverseKinetoDynamics(
        ThreeMassPlan.of(plan.known, 0.15), 2e-4, "moment"
    ).run()  # legs that are much too heavy
    assert found.saturated.any()
    assert found.beyond <= EXACT


def test_a_plan_is_followed_by_inverse_kinematics_and_its_moments_are_off(first, plan):
    assert first.diverged is None
    assert np.abs(first.com - plan.along(first.times).position).max() < 1e-4
    assert np.abs(first.moment_error).max() > 5.0


def test_error_compensation_lowers_the_largest_error_and_preview_all_of_them(first, plan):
    def sizes(motion):
        start, end = motion.known.phases[1].start, motion.known.phases[-2].end
        error = motion.moment_error[(motion.times > start) & (motion.times < end)]
        return np.abs(error).max(axis=0), np.sqrt(np.mean(error**2, axis=0))

    plain, mended = sizes(first), sizes(compensated_motion(plan, first=first))
    previewed = sizes(previewed_motion(plan, first=first))
    assert mended[0][1] < 0.9 * plain[0][1]
    assert (previewed[1] < 0.5 * plain[1]).all()


def test_leg_ratio_is_that_of_lighter_legs_and_near_the_one_that_fits(first, lola):
    assert 0.04 < fitted_leg_ratio(first) < leg_ratio(lola) < 0.1


def test_arms_and_waist_turn_against_the_legs_and_the_pressure_stays_exact(lola, plan, swinging):
    upper = UpperBody.swinging(lola)
    swung = InverseKinetoDynamics(swinging, 1e-3, "hybrid", upper=upper).run()
    stiff = InverseKinetoDynamics(plan, 1e-3, "hybrid").run()
    assert swung.diverged is None, swung.reason
    assert np.abs(swung.wrench.pressure - swung.pressure).max() < EXACT
    spins = [np.einsum("nj,nj->n", momentum_matrix(lola.model, m.q)[:, 5], m.v) for m in (stiff, swung)]
    assert np.abs(spins[1]).max() < 0.5 * np.abs(spins[0]).max()
    assert (lola.model.q_min[7:] <= swung.q[:, 7:]).all() and (swung.q[:, 7:] <= lola.model.q_max[7:]).all()


def test_unknown_stabilisation_is_refused_with_the_nearest_name(plan):
    with pytest.raises(UnknownNameError, match="hybrid"):
        InverseKinetoDynamics(plan, 0.0, "hybrd")
