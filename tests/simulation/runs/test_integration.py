"""Classes of a simulation are interfaces or final: what differs is passed in, not overridden."""

import importlib
import inspect
import pkgutil

import pytest

import tarsus.simulation
from tarsus.simulation.runs.integration import Integration

MODULES = [
    name
    for _, name, package in pkgutil.walk_packages(tarsus.simulation.__path__, "tarsus.simulation.")
    if not package and name not in ("tarsus.simulation.actuators", "tarsus.simulation.sensors")
]


def classes_of(module):
    """Classes that a module defines, exceptions aside."""
    found = inspect.getmembers(importlib.import_module(module), inspect.isclass)
    return [kind for _, kind in found if kind.__module__ == module and not issubclass(kind, Exception)]


@pytest.mark.parametrize("module", MODULES)
def test_no_class_extends_a_concrete_one(module):
    for kind in classes_of(module):
        bases = [base for base in kind.__mro__[1:] if base.__module__.startswith("tarsus.")]
        assert all(inspect.isabstract(base) for base in bases), kind


def test_every_integration_is_final_and_adds_no_method_that_others_call():
    importlib.import_module("tarsus.simulation.simulate")  # which knows all of them
    asked = {name for name in vars(Integration) if not name.startswith("_")}
    assert len(Integration.__subclasses__()) == 3
    for kind in Integration.__subclasses__():
        assert kind.__final__
        assert {name for name in vars(kind) if not name.startswith("_")} == asked
