"""Models in which nothing can move, or something moves without mass: errors that name them."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import flat
from tarsus.errors import ArgumentError
from tarsus.simulation.starts import massless_base


def freed_root(mass):
    """An arm on a root of that mass, set free."""
    b = ts.ModelBuilder("arm", base="free").add_link("root", ts.Inertia.of_sphere(mass, 0.1) if mass else None)
    b.add_link("arm", ts.Inertia.of_box(1.0, (1.0, 0.1, 0.1)))
    return b.add_joint("joint", "revolute", "root", "arm", axis=(0, 0, 1)).build()


@pytest.mark.parametrize("run", [lambda m: ts.simulate(m, duration=0.1), ts.Simulation], ids=["simulate", "Simulation"])
def test_a_model_without_freedoms_is_refused_by_name(run):
    with pytest.raises(ArgumentError, match="nothing in 'room' can move"):
        run(ts.ModelBuilder("room").add_link("world").build())


@pytest.mark.parametrize(
    "run",
    [lambda m: ts.simulate(m, duration=0.01), lambda m: ts.Simulation(m, ground=flat())],
    ids=["simulate", "Simulation"],
)
def test_a_freed_root_without_mass_is_refused_by_name_and_one_with_mass_runs(run):
    with pytest.raises(ArgumentError, match="root can move without any mass"):
        run(freed_root(0.0))
    light = freed_root(1e-6)
    assert np.linalg.matrix_rank(ts.mass_matrix(light, light.neutral())) == light.nv
    run(light)


def test_a_massless_link_that_a_damper_holds_still_runs():
    b = ts.ModelBuilder("tail", base="free").add_link("root", ts.Inertia.of_sphere(1.0, 0.1)).add_link("tip", None)
    model = b.add_joint("joint", "revolute", "root", "tip", axis=(0, 0, 1), damping=0.1).build()
    assert np.isfinite(ts.simulate(model, duration=0.1).q).all()


def test_mass_that_rounding_leaves_below_nothing_counts_as_none(monkeypatch):
    b = ts.ModelBuilder("tail", base="free").add_link("root", ts.Inertia.of_sphere(1.0, 0.1)).add_link("tip", None)
    model = b.add_joint("joint", "revolute", "root", "tip", axis=(0, 0, 1)).build()
    rounded = np.array(ts.mass_matrix(model, model.neutral()))
    assert rounded[6, 6] == 0.0
    rounded[6, 6] = -1.7e-19
    monkeypatch.setattr(massless_base, "mass_matrix", lambda model, q: rounded)
    assert massless_base.massless_problem(model, model.neutral(), 1e-3) is None
