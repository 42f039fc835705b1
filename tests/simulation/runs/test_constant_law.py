"""Laws without knots, which the native core reads itself: the same steps as by tables, and the same refusals."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import flat
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError
from tarsus.simulation import JointLaw


@pytest.fixture(scope="module")
def robot():
    return ts.robots.hrp2()


def by_tables(law, model):
    """The same law as the long way reads it: two equal knots."""
    given = {name: getattr(law, name) for name in ("q", "v", "tau")}
    knots = {name: None if value is None else np.tile(np.asarray(value), (2, 1)) for name, value in given.items()}
    return JointLaw(law.kp, law.kd, **knots, times=(0.0, 100.0), gravity=law.gravity, limited=law.limited)


def laws(model):
    rng = np.random.default_rng(3)
    gains = np.where(model.actuated, rng.uniform(500.0, 3000.0, model.nv), 0.0)
    q, tau = np.array(model.reference), np.where(model.actuated, rng.normal(size=model.nv), 0.0)
    v = np.where(model.actuated, 0.1 * rng.normal(size=model.nv), 0.0)
    return {
        "numbers": JointLaw(3000, 60.0),
        "arrays": JointLaw(gains, 0.02 * gains, q=q, v=v, tau=tau),
        "gravity": JointLaw(gains, 0.02 * gains, gravity=True),
        "unlimited": JointLaw(1e5, 1e3, q=q + np.where(np.arange(model.nq) > 6, 0.3, 0.0), limited=False),
        "at the limits": JointLaw(1e5, 1e3, q=q + np.where(np.arange(model.nq) > 6, 0.3, 0.0)),
    }


@pytest.mark.parametrize("name", laws(ts.robots.hrp2()))
@pytest.mark.parametrize("batch", [(), (3,)], ids=["one", "three"])
def test_a_law_of_a_controller_gives_the_bits_of_its_tables(robot, name, batch):
    law = laws(robot)[name]
    options = {"q0": np.tile(robot.reference, (*batch, 1)), "duration": 0.02, "sample_dt": 1e-3, "ground": flat()}
    one = ts.simulate(robot, controller=lambda observation: law, **options)
    other = ts.simulate(robot, controller=by_tables(law, robot), **options)
    for quantity in ("q", "v", "tau", "contact_force"):
        np.testing.assert_array_equal(getattr(one, quantity), getattr(other, quantity))


def test_arrays_of_a_law_may_be_used_again_by_the_controller(robot):
    """What is written into them after the call does not act before they are returned again."""
    q = np.array(robot.reference)
    sim = ts.Simulation(robot, ground=flat())
    law = JointLaw(3000.0, 60.0, q=q)
    sim.step(law)
    q[7:] += 1.0  # not asked for
    sim.step(steps=5)
    other = ts.Simulation(robot, ground=flat())
    other.step(JointLaw(3000.0, 60.0), steps=6)
    np.testing.assert_array_equal(sim.q, other.q)


REFUSED = {
    "negative gain": ({"kd": -1.0}, ArgumentError, "kd of JointLaw must be finite and not negative"),
    "infinite gain": ({"kp": np.inf}, ArgumentError, "kp of JointLaw must be finite"),
    "gain of the base": ({"kp": np.ones(36)}, ArgumentError, "kp of joint 'base' must be 0"),
    "NaN": ({"q": np.full(37, np.nan)}, NonFiniteError, "q of JointLaw has entries that are not finite"),
    "shape": ({"tau": np.zeros(7)}, ShapeError, r"tau of JointLaw has shape \(7,\)"),
    "text": ({"kp": "stiff"}, DtypeError, "kp of JointLaw is 'stiff'"),
    "too large a number": ({"kp": 10**400}, DtypeError, "kp of JointLaw is 1000"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_in_words_and_changes_nothing(robot, name):
    assert (robot.nv, robot.nq) == (36, 37)
    wrong, error, text = REFUSED[name]
    sim, other = (ts.Simulation(robot, ground=flat()) for _ in range(2))
    hold = JointLaw(3000.0, 60.0)
    for one in (sim, other):
        one.step(hold)
    with pytest.raises(error, match=text):
        sim.step(JointLaw(**{"kp": 3000.0, "kd": 60.0, **wrong}))
    for one in (sim, other):
        one.step(steps=3)
    np.testing.assert_array_equal(sim.q, other.q)
