"""Methods as the native table has them: documented, different, and in agreement on every kind of model."""

from itertools import combinations
from typing import Any, get_args

import numpy as np
import pytest
from dynamics.formulations import AGREEMENT
from dynamics.states import assert_close, random_state
from loop_models import MECHANISMS, configurations, mechanism

import tarsus as ts
from tarsus import _native
from tarsus.dynamics import method_path, methods
from tarsus.dynamics.constraints.constrained_dynamics import Method
from tarsus.dynamics.forward import ForwardMethod
from tarsus.dynamics.inverse import InverseMethod
from tarsus.errors import UnknownNameError

DECLARED = {
    "forward_dynamics": ForwardMethod,
    "inverse_dynamics": InverseMethod,
    "constrained_dynamics": Method,
}
ROWS = 5


def geared_humanoid() -> ts.Model:
    """A free body with two arms whose elbows follow their shoulders, and whose wrists follow each other."""
    builder = ts.ModelBuilder("geared", base="free").add_link("body", ts.Inertia.of_box(5.0, (0.3, 0.2, 0.5)))
    for side, y in (("left", 0.2), ("right", -0.2)):
        parent = "body"
        for k, name in enumerate(("shoulder", "elbow", "wrist")):
            link = f"{side} {name} link"
            builder.add_link(link, ts.Inertia.of_box(1.0, (0.05, 0.06, 0.3), com=(0.0, 0.02, -0.15)))
            position = (0.0, y, 0.2) if k == 0 else (0.0, 0.0, -0.3)
            axis = (1.0, 0.3 * k, 0.0) if k % 2 else (0.0, 1.0, 0.2)
            builder.add_joint(f"{side} {name}", "revolute", parent, link, axis=axis, position=position)
            parent = link
        builder.add_coupling(f"{side} elbow", f"{side} shoulder", 0.7, 0.1)
    return builder.add_coupling("right wrist", "left wrist", -1.0).build()


@pytest.mark.parametrize("function", DECLARED)
def test_declarations_name_the_methods_of_the_native_table(function: str) -> None:
    assert get_args(DECLARED[function]) == methods(function) == tuple(_native.methods(function))


def test_trees_run_every_method_itself() -> None:
    model = ts.robots.shah7()
    assert [method_path(model, method) for method in methods("forward_dynamics")] == list(methods("forward_dynamics"))


def test_methods_that_are_others_on_coupled_models_say_so() -> None:
    model = geared_humanoid()
    q, v, _, tau, _ = random_state(model, 60, (40,))
    results = {m: ts.forward_dynamics(model, q, v, tau, method=m) for m in methods("forward_dynamics")}  # type: ignore[arg-type]
    for one, other in combinations(results, 2):
        same = method_path(model, one) == method_path(model, other)
        assert np.array_equal(results[one], results[other]) == same, (one, other)
    assert len({method_path(model, method) for method in results}) == 5


@pytest.mark.parametrize("name", ["geared", *MECHANISMS])
@pytest.mark.parametrize("pushed", [False, True])
def test_methods_of_forward_dynamics_agree_where_joints_depend_on_others(name: str, pushed: bool) -> None:
    model = geared_humanoid() if name == "geared" else mechanism(name)
    q, v, _, tau, external = random_state(model, 61, (ROWS,))
    if name != "geared":
        q = configurations(name, 61, (ROWS,))
    wrenches = external if pushed else None
    expected = ts.forward_dynamics(model, q, v, tau, wrenches, method="composite-body", passive=pushed)
    every: Any = methods("forward_dynamics")
    for method in every:
        found = ts.forward_dynamics(model, q, v, tau, wrenches, method, passive=pushed)
        assert_close(found, expected, 1e2 * AGREEMENT)  # loops near dead points lose digits
        one = ts.forward_dynamics(model, q[2], v[2], tau[2], external[2] if pushed else None, method, passive=pushed)
        assert_close(one, found[2], 1e2 * AGREEMENT)


def test_unknown_methods_and_functions_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="denoc"):
        method_path(ts.robots.shah7(), "denok")
    with pytest.raises(UnknownNameError, match="mass"):
        methods("mass")
