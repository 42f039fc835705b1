"""Wrong arguments: an error that says what is wrong, or the right answer; never a crash, never a silent NaN."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from dynamics.calls import ARGUMENTS, CALLS
from dynamics.random_models import random_model
from dynamics.states import State, random_state

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.errors import (
    ArgumentError,
    DtypeError,
    NonFiniteError,
    OutputError,
    QuaternionNormError,
    ShapeError,
    TarsusError,
    UnknownNameError,
)

ROWS = 9


@cache
def model() -> ts.Model:
    """Free base, a hinge, a ball joint and a slide."""
    return random_model(("revolute", "spherical", "prismatic"), "free", seed=1)


@cache
def slider() -> ts.Model:
    """Hinges before and after a slide, whose position has no bounds."""
    builder = ts.ModelBuilder("slider").add_link("body0", ts.Inertia.of_box(1.0, (0.1, 0.2, 0.3)))
    for k, kind in enumerate(("revolute", "prismatic", "revolute"), start=1):
        builder.add_link(f"body{k}", ts.Inertia.of_box(1.0, (0.1, 0.2, 0.3), com=(0.1, 0.2, 0.3)))
        builder.add_joint(f"joint{k}", kind, f"body{k - 1}", f"body{k}", axis=(1, 0, k), position=(0.1, 0.2, 0.3))
        builder.add_frame(f"tool{k}", f"body{k}", ts.pose((0.1, 0.2, 0.3)))
    return builder.build()


def state(*batch: int) -> State:
    return random_state(model(), 2, batch)


# Numbers


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_entry_that_is_not_finite_is_named(name: str, argument: str, value: float) -> None:
    call = CALLS[name]
    shown = {"tau": "(tau|rhs)"}.get(argument, argument)
    one = state()
    getattr(one, argument).flat[-1] = value
    with pytest.raises(NonFiniteError, match=rf"^{shown} of {call.function.__name__} has the entry {value}"):
        call(model(), one)
    many = state(ROWS)
    getattr(many, argument)[7].flat[2] = value
    with pytest.raises(NonFiniteError, match=rf"^{shown}\[7\] of .* entry {value} at position 2;"):
        call(model(), many)


def test_first_bad_row_is_named_whatever_the_number_of_threads() -> None:
    rows = random_state(model(), 3, (40, 10))
    rows.v[21, 4, 1] = np.nan
    rows.v[30, 0, 0] = np.inf
    for threads in (1, 2, 3):
        with pytest.raises(NonFiniteError, match=r"^v\[21, 4\] of bias_force has the entry nan at position 1"):
            ts.bias_force(model(), rows.q, rows.v, threads=threads)


def test_bad_rows_are_found_in_unusual_layouts() -> None:
    rows = state(ROWS)
    rows.q[5, 1] = np.nan
    with pytest.raises(NonFiniteError, match=r"q of bias_force has the entry nan at \[5, 1\]"):
        ts.bias_force(model(), np.asfortranarray(rows.q), rows.v)
    rows = state(ROWS)
    rows.v[5, 1] = np.nan
    with pytest.raises(NonFiniteError, match=r"v\[5\] of bias_force has the entry nan at position 1"):
        ts.bias_force(model(), rows.q, np.asfortranarray(rows.v))


@pytest.mark.parametrize("factor", [0.0, 0.99, 1.01, -1.2, 1e90])
@pytest.mark.parametrize("name", CALLS)
def test_quaternion_of_wrong_norm_is_refused(name: str, factor: float) -> None:
    for start in (3, model().joints["joint2"].q_index.start):
        one, many = state(), state(ROWS)
        one.q[start : start + 4] *= factor
        many.q[6, start : start + 4] *= factor
        with pytest.raises(QuaternionNormError, match=rf"^q of .* norm .* at position {start}; expected 1"):
            CALLS[name](model(), one)
        with pytest.raises(QuaternionNormError, match=rf"^q\[6\] of .* norm .* at position {start}; expected 1"):
            CALLS[name](model(), many)


@pytest.mark.parametrize("name", CALLS)
def test_quaternion_of_almost_unit_norm_is_normalised(name: str) -> None:
    good, off = state(ROWS), state(ROWS)
    for start in (3, model().joints["joint2"].q_index.start):
        off.q[:, start : start + 4] *= 1.0 + np.linspace(-9e-4, 9e-4, ROWS)[:, None]
    expected = CALLS[name](model(), good)
    np.testing.assert_allclose(CALLS[name](model(), off), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_what_is_not_real_numbers_is_refused(name: str, argument: str) -> None:
    x = getattr(state(), argument)
    wrong: list[Any] = [x + 0j, x.astype(object), x.astype(str).tolist(), x > 0.0, "hello", {}, None, x.astype("M8[s]")]
    for value in wrong if argument != "external" else [w for w in wrong if w is not None]:
        with pytest.raises(DtypeError, match=r"(expected real numbers|expected numbers)"):
            CALLS[name](model(), state()._replace(**{argument: value}))


# Shapes


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_wrong_shape_is_told_with_the_right_one(name: str, argument: str) -> None:
    x = getattr(state(), argument)
    expected = ", ".join(map(str, x.shape))
    shown = {"tau": "(tau|rhs)"}.get(argument, argument)
    longer = np.concatenate([x, x[..., :1]], axis=-1)
    for value in (x[..., :-1], longer, 1.0, np.zeros((2, 0)), x[..., None], [[1.0, 2.0], [3.0]]):
        with pytest.raises(
            ShapeError, match=rf"^{shown} of .*(expected \(\.\.\., {expected}\)|not a rectangular array)"
        ):
            CALLS[name](model(), state()._replace(**{argument: value}))


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if len(call.arguments) > 1])
def test_batch_axes_that_do_not_fit_are_told(name: str) -> None:
    two, three = state(2), state(3)
    last = CALLS[name].arguments[-1]
    with pytest.raises(ShapeError, match=r"batch axes .* do not fit together: q \(2, \d+\)"):
        CALLS[name](model(), two._replace(**{last: getattr(three, last)}))


def test_transposed_wrenches_are_not_taken_for_wrenches() -> None:
    s = state()
    with pytest.raises(ShapeError, match=r"external .* \(6, 4\), expected \(\.\.\., 4, 6\)"):
        ts.inverse_dynamics(model(), s.q, s.v, s.vdot, s.external.T)


# Overflow


@pytest.mark.parametrize("size", [1e150, 1e200, 1e300, 1.7e308])
@pytest.mark.parametrize("argument", ["v", "vdot", "tau", "external"])
@pytest.mark.parametrize("name", CALLS)
def test_huge_rates_and_forces_give_finite_results_or_an_error(name: str, argument: str, size: float) -> None:
    if argument in CALLS[name].arguments:
        for s in (state(), state(ROWS)):
            assert_finite_or_refused(name, model(), s._replace(**{argument: np.full_like(getattr(s, argument), size)}))


@pytest.mark.parametrize("size", [1e150, 1e200, 1e300, 1.7e308])
@pytest.mark.parametrize("name", CALLS)
def test_huge_positions_give_finite_results_or_an_error(name: str, size: float) -> None:
    for batch in ((), (ROWS,)):
        s = random_state(slider(), 4, batch)
        s.q[..., 1] = size
        assert_finite_or_refused(name, slider(), s)
        far = state(*batch)
        far.q[..., :3] = size
        assert_finite_or_refused(name, model(), far)


def assert_finite_or_refused(name: str, robot: ts.Model, s: State) -> None:
    try:
        result = CALLS[name](robot, s)
    except NonFiniteError as error:
        assert "finite" in str(error)
    else:
        assert np.all(np.isfinite(result))


def test_huge_steps_on_the_manifold_give_finite_results_or_an_error() -> None:
    q, v = model().neutral(), np.ones(model().nv)
    planar = ts.ModelBuilder(base="planar").add_link("box", ts.Inertia.of_box(1.0, (1, 1, 1))).build()
    calls: list[Callable[[float], FloatArray]] = [
        lambda size: model().integrate(q, size * v),
        lambda size: model().integrate(q, v, size),
        lambda size: slider().difference(np.full(3, -size), np.full(3, size)),
        lambda size: planar.integrate([0.0, 0.0, 0.0], [1.0, 1.0, size]),
        lambda size: planar.difference([0.0, 0.0, 0.0], [1.0, 1.0, size]),
        lambda size: planar.difference([0.0, 0.0, 0.0], [size, 1.0, 1.0]),
    ]
    for call in calls:
        for size in (1e10, 1e150, 1e200, 1.7e308):
            try:
                assert np.all(np.isfinite(call(size)))
            except NonFiniteError as error:
                assert "finite" in str(error)


# Names and options


FRAME_CALLS = [name for name, call in CALLS.items() if "frame" in call.options]


@pytest.mark.parametrize("name", FRAME_CALLS)
def test_unknown_frame_is_told_with_close_names(name: str) -> None:
    call = CALLS[name]
    arguments = [getattr(state(), a) for a in call.arguments]
    with pytest.raises(UnknownNameError, match=r"frame 'tol2' not found; close: 'tool2'"):
        call.function(model(), *arguments, "tol2")
    for wrong in (3, b"tool2", ("tool2",), 1.5):
        with pytest.raises(UnknownNameError, match="not found"):
            call.function(model(), *arguments, wrong)


def test_unknown_frame_in_a_list_is_told() -> None:
    q = state().q
    with pytest.raises(UnknownNameError, match=r"'boddy1' not found; close: 'body1'"):
        ts.frame_poses(model(), q, ["tool1", "boddy1"])
    with pytest.raises(ArgumentError, match="list of names"):
        ts.frame_poses(model(), q, "tool1")
    with pytest.raises(TypeError, match="list of names"):
        ts.frame_poses(model(), q, 5)  # type: ignore[arg-type]
    assert ts.frame_poses(model(), q, []).shape == (0, 4, 4)


@pytest.mark.parametrize("wrong", ["wolrd", "World", "", 1, b"world"])
@pytest.mark.parametrize("name", [name for name in FRAME_CALLS if name != "frame_pose"])
def test_unknown_axes_are_told_with_the_known_ones(name: str, wrong: object) -> None:
    with pytest.raises(UnknownNameError, match=r"expressed_in must be 'world', 'local' or 'world_origin'"):
        CALLS[name](model(), state(), expressed_in=wrong)


@pytest.mark.parametrize("wrong", ["articulated", "aba", 1])
def test_unknown_method_is_told_with_the_known_ones(wrong: object) -> None:
    s = state()
    with pytest.raises(UnknownNameError, match=r"method .* of forward_dynamics .*'articulated-body', 'composite-body'"):
        ts.forward_dynamics(model(), s.q, s.v, s.tau, method=wrong)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match=r"method .* of inverse_dynamics .*'recursive'"):
        ts.inverse_dynamics(model(), s.q, s.v, s.tau, method=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [0, -1, 1.0, "2", True, 10**6, 10**30])
@pytest.mark.parametrize("name", CALLS)
def test_number_of_threads_must_be_a_sensible_whole_number(name: str, threads: object) -> None:
    with pytest.raises(ArgumentError, match=r"threads must be a whole number from 1"):
        CALLS[name](model(), state(), threads=threads)


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_checked_like_those_of_any_function(name: str) -> None:
    call, s = CALLS[name], state()
    arguments = [getattr(s, a) for a in call.arguments]
    function = call.function
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'thread'"):
        call(model(), s, thread=1)
    with pytest.raises(TypeError, match=r"positional arguments"):
        function(model(), *arguments, *([None] * 12))
    with pytest.raises(TypeError, match=r"missing required argument: 'q'"):
        function(model())
    with pytest.raises(TypeError, match=r"multiple values for argument 'q'"):
        call(model(), s, q=s.q)
    for wrong in (3, None, "talos", model().description):
        with pytest.raises(TypeError, match=r"must be a tarsus.Model"):
            function(wrong, *arguments, **call.options)


@pytest.mark.parametrize("name", CALLS)
def test_functions_tell_their_signature_and_what_they_do(name: str) -> None:
    function = CALLS[name].function
    parameters = list(inspect.signature(function).parameters)
    assert parameters[:2] == ["model", "q"]
    assert parameters[-2:] == ["out", "threads"]
    assert "Returns" in (function.__doc__ or "")


NOTHING = """
import numpy as np, tarsus as ts
builder = ts.ModelBuilder(base="free").add_link("box", ts.Inertia.of_box(1.0, (1, 1, 1)))
model = builder.build()
q, v = model.neutral(), np.zeros(6)
for call in (
    lambda: ts.frame_pose(model, q, None),
    lambda: ts.frame_poses(model, q, None),
    lambda: ts.frame_poses(model, q, [None]),
    lambda: ts.frame_velocity(model, q, v, None),
    lambda: ts.frame_acceleration(model, q, v, v, None),
    lambda: ts.jacobian(model, q, None),
    lambda: ts.jacobian_dot(model, q, v, None),
    lambda: ts.jacobian_dot_v(model, q, v, None),
    lambda: ts.mass_matrix(model, None),
    lambda: ts.bias_force(model, q, None),
    lambda: ts.inverse_dynamics(model, q, v, None),
    lambda: ts.forward_dynamics(model, q, v, None),
    lambda: ts.solve_mass(model, q, None),
):
    try:
        call()
    except ts.errors.ArgumentError:
        continue
    raise SystemExit("no error")
"""


def test_none_instead_of_an_argument_is_an_error_and_no_crash() -> None:
    """In a process of its own, so that a crash is a failure of this test and not the end of all."""
    done = subprocess.run([sys.executable, "-c", NOTHING], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_none_for_options_means_their_defaults() -> None:
    s = state()
    expected = ts.forward_dynamics(model(), s.q, s.v, s.tau)
    found = ts.forward_dynamics(model(), s.q, s.v, s.tau, None, None, out=None)  # type: ignore[arg-type]
    np.testing.assert_array_equal(found, expected)


# Arrays for results


@pytest.mark.parametrize("name", CALLS)
def test_out_must_have_shape_type_and_order_of_the_result(name: str) -> None:
    call, s = CALLS[name], state(ROWS)
    shape = call(model(), s).shape
    read_only = np.zeros(shape)
    read_only.flags.writeable = False
    wrong: list[Any] = [
        np.zeros((*shape, 1)),
        np.zeros((ROWS + 1, *shape[1:])),
        np.zeros(shape[1:]),
        np.zeros(shape, dtype=np.float32),
        np.zeros(shape, dtype=np.int64),
        np.zeros(shape, dtype=">f8"),
        np.zeros((2 * ROWS, *shape[1:]))[::2],
        read_only,
        np.zeros(shape).tolist(),
        "out",
    ]
    if len(shape) > 1:
        wrong.append(np.zeros(shape, order="F"))
    for out in wrong:
        with pytest.raises(OutputError, match=rf"^out of {call.function.__name__} "):
            call(model(), s, out=out)


@pytest.mark.parametrize("argument", ["q", "v", "vdot"])
def test_out_must_not_overlap_with_an_argument(argument: str) -> None:
    s = state(ROWS)
    memory = np.zeros((2, ROWS * (model().nq + 1)))
    memory[0, : getattr(s, argument).size] = getattr(s, argument).ravel()
    view = memory[0, : getattr(s, argument).size].reshape(getattr(s, argument).shape)
    out = memory[0, 1 : 1 + ROWS * model().nv].reshape(ROWS, model().nv)
    with pytest.raises(OutputError, match=rf"overlaps the argument {argument}"):
        CALLS["inverse_dynamics"](model(), s._replace(**{argument: view}), out=out)


def test_failed_call_names_out_before_it_writes() -> None:
    s = state()
    s.v[0] = np.nan
    out = np.full(model().nv, 7.0)
    with pytest.raises(NonFiniteError):
        ts.bias_force(model(), s.q, s.v, out=out)
    np.testing.assert_array_equal(out, 7.0)


# Methods of the model


def test_methods_of_the_model_check_their_arguments() -> None:
    m, s = model(), state()
    calls: list[tuple[Callable[[], object], type[TarsusError]]] = [
        (lambda: m.integrate(s.q[:-1], s.v), ShapeError),
        (lambda: m.integrate(s.q, s.v[:-1], 0.1), ShapeError),
        (lambda: m.integrate(state(2).q, state(2).v, np.ones(3)), ShapeError),
        (lambda: m.integrate(s.q, s.v, np.nan), NonFiniteError),
        (lambda: m.integrate(s.q, s.v, "x"), DtypeError),
        (lambda: m.integrate(s.q, s.v * 1j, 0.1), DtypeError),
        (lambda: m.integrate(s.q, ["a"] * m.nv, 0.1), DtypeError),
        (lambda: m.difference(s.q, s.q[:-1]), ShapeError),
        (lambda: m.difference(s.q, 2.0 * s.q), QuaternionNormError),
        (lambda: m.difference(s.q * np.nan, s.q), NonFiniteError),
        (lambda: m.normalize(np.zeros(m.nq)), QuaternionNormError),
        (lambda: m.joint_positions(s.q[:3]), ShapeError),
        (lambda: m.state(s.q * np.nan), NonFiniteError),
        (lambda: m.state(s.q, s.v[:-1]).momentum, ShapeError),
        (lambda: m.state(s.q).momentum, ArgumentError),
        (lambda: m.frames["tol2"], UnknownNameError),
        (lambda: m.joints["joint9"], UnknownNameError),
    ]
    for number, (call, error) in enumerate(calls):
        with pytest.raises(error):
            call()
            pytest.fail(f"call number {number} went through")


def test_wrenches_are_checked_like_other_arguments() -> None:
    q = state().q
    wrong: list[tuple[Any, type[TarsusError]]] = [
        (np.full(6, np.nan), NonFiniteError),
        (["a"] * 6, DtypeError),
        (np.ones(6) * 1j, DtypeError),
        (np.ones(5), ShapeError),
        (1.0, ShapeError),
        (None, DtypeError),
    ]
    for value, error in wrong:
        with pytest.raises(error, match="tool1"):
            ts.body_wrenches(model(), q, {"tool1": value})
    with pytest.raises(ShapeError, match="batch axes"):
        ts.body_wrenches(model(), state(2).q, {"tool1": np.ones((3, 6))})
    with pytest.raises(NonFiniteError, match="q of"):
        ts.body_wrenches(model(), q * np.nan, {"tool1": np.ones(6)})
