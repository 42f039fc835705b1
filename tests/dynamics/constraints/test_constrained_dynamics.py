"""Accelerations and forces under constraints: four methods, closed forms, redundancy and contradictions."""

import gc
import itertools
import warnings
import weakref
from functools import cache

import numpy as np
import pytest
from dynamics.loop_models import IN_PLANE, FourBar, bennett, bennett_configuration, point_pendulum, rod
from dynamics.random_models import KINDS, random_builder
from dynamics.states import SOLVED, assert_close

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints import (
    Constraint,
    Gear,
    JointCoupling,
    LoopJoint,
    PrescribedJoint,
    Rod,
    RollingSphere,
    RollingWheel,
    ball,
    weld,
)
from tarsus.dynamics.constraints import constrained_dynamics as constrained
from tarsus.dynamics.constraints.table import TABLES_PER_MODEL, constraint_table
from tarsus.errors import (
    ArgumentError,
    InconsistentConstraintsError,
    MasslessJointError,
    NonFiniteError,
    RedundantConstraintWarning,
    ShapeError,
    UnknownNameError,
)
from tarsus.spatial import pose

METHODS = ("sparse", "recursive", "runs", "dense")
CLOSED_FORM = 1e-10
"""Against formulas worked out by hand, as a share of the result: rounding through mass matrices of condition 1e3."""

SETS: dict[str, list[Constraint]] = {
    "loop between branches": [LoopJoint("tool4", "tool9", "revolute")],
    "loop inside a branch": [ball("tool9", "tool6")],
    "nested loops": [ball("tool9", "tool7"), Rod("tool8", "tool6"), Rod("tool4", "tool9")],
    "world and loop": [weld("world", "tool9"), Rod("tool4", "tool5"), ball("world", "tool4")],
    "joints": [Gear({"joint1": 2.0, "joint3": -1.0}), JointCoupling("joint2", "joint4", (0.1, 1.0, 2.0))],
    "joints and bodies": [Gear({"joint1": 2.0, "joint3": -1.0}), Rod("tool3", "tool5"), ball("tool4", "tool8")],
    "rolling": [RollingWheel("world", "tool9", radius=0.3), RollingSphere("tool5", "tool7", radius=0.2)],
    "driven": [PrescribedJoint("joint5", lambda t: (np.stack([t, t], -1), np.ones(2), np.ones(2)))],
    "nothing": [],
}


@cache
def tree(base: str = "free") -> ts.Model:
    return random_builder(KINDS, [0, 1, 1, 3, 2, 0, 6, 7, 8], base, 3).build()


def problem(
    model: ts.Model, batch: tuple[int, ...] = (), seed: int = 1
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=(2, *batch, model.nv))
    return model.random(rng, batch), v, tau, rng.normal(size=(*batch, model.nb, 6))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("base", ["free", "fixed", "planar"])
@pytest.mark.parametrize("name", SETS)
def test_solution_obeys_the_equations_of_motion_and_the_constraints(name: str, base: str, method: str) -> None:
    model = tree(base)
    q, v, tau, external = problem(model, (3,))
    alpha, beta = 2.0, 3.0
    motion = ts.constrained_dynamics(
        model, q, v, tau, SETS[name], external=external, alpha=alpha, beta=beta, method=method
    )  # type: ignore[arg-type]
    rows = motion.rows
    needed = ts.inverse_dynamics(model, q, v, motion.vdot, external)
    assert_close(needed, tau + motion.joint_force, SOLVED)
    second = (rows.jacobian @ motion.vdot[..., None])[..., 0] + rows.bias
    assert_close(second, -2.0 * alpha * rows.velocity - beta**2 * rows.violation, SOLVED)
    assert_close(motion.joint_force, np.einsum("...ij,...i->...j", rows.jacobian, motion.multipliers))
    assert motion.rank.tolist() == [rows.size] * 3


@pytest.mark.parametrize("base", ["free", "fixed", "planar"])
@pytest.mark.parametrize("name", SETS)
def test_methods_agree(name: str, base: str) -> None:
    model = tree(base)
    q, v, tau, external = problem(model, (3,))
    results = [ts.constrained_dynamics(model, q, v, tau, SETS[name], external=external, method=m) for m in METHODS]  # type: ignore[arg-type]
    for result in results[:-1]:
        assert_close(result.vdot, results[-1].vdot, SOLVED)
        assert_close(result.multipliers, results[-1].multipliers, SOLVED)


def test_methods_are_different_algorithms() -> None:
    model = tree()
    q, v, tau, _ = problem(model)
    results = [ts.constrained_dynamics(model, q, v, tau, SETS["nested loops"], method=m).vdot for m in METHODS]  # type: ignore[arg-type]
    for one, other in itertools.combinations(results, 2):
        assert not np.array_equal(one, other)


@pytest.mark.parametrize("method", METHODS)
def test_batch_has_the_results_of_its_states(method: str) -> None:
    model = tree()
    q, v, tau, _ = problem(model, (2, 3))
    batch = ts.constrained_dynamics(model, q, v, tau, SETS["nested loops"], method=method)  # type: ignore[arg-type]
    one = ts.constrained_dynamics(model, q[1, 2], v[1, 2], tau[1, 2], SETS["nested loops"], method=method)  # type: ignore[arg-type]
    assert_close(batch.vdot[1, 2], one.vdot, SOLVED)
    assert_close(batch.wrenches[0].on_b[1, 2], one.wrenches[0].on_b, SOLVED)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SETS)
def test_all_results_of_a_batch_are_those_of_its_states(name: str, method: str) -> None:
    """Eleven states: whole packs and a remainder, whatever the instruction set."""
    model = tree()
    q, v, tau, external = problem(model, (11,))
    batch = ts.constrained_dynamics(model, q, v, tau, SETS[name], external=external, alpha=2.0, method=method)  # type: ignore[arg-type]
    for i in range(len(q)):
        one = ts.constrained_dynamics(
            model, q[i], v[i], tau[i], SETS[name], external=external[i], alpha=2.0, method=method
        )  # type: ignore[arg-type]
        for what in ("vdot", "multipliers", "joint_force", "rank"):
            assert_close(getattr(batch, what)[i], getattr(one, what), SOLVED)
        for found, expected in zip(batch.wrenches, one.wrenches, strict=True):
            assert_close(found.on_a[i], expected.on_a, SOLVED)
            assert_close(found.on_b[i], expected.on_b, SOLVED)
        for what in ("violation", "velocity", "jacobian", "bias"):
            assert_close(getattr(batch.rows, what)[i], getattr(one.rows, what), SOLVED)


def test_batch_axes_of_all_arguments_broadcast() -> None:
    model = tree()
    q, v, tau, external = problem(model, (2, 3))
    found = ts.constrained_dynamics(
        model, q[:, :1], v[0], tau, SETS["driven"], time=np.linspace(0.0, 1.0, 3), external=external[1, 2]
    )
    assert found.vdot.shape == (2, 3, model.nv)
    one = ts.constrained_dynamics(model, q[1, 0], v[0, 2], tau[1, 2], SETS["driven"], time=1.0, external=external[1, 2])
    assert_close(found.vdot[1, 2], one.vdot, SOLVED)
    assert_close(found.rows.velocity[1, 2], one.rows.velocity)
    empty = ts.constrained_dynamics(model, np.zeros((0, model.nq)), v[0, 0], tau[0, 0], SETS["nested loops"])
    assert empty.vdot.shape == (0, model.nv)


@pytest.mark.parametrize("method", METHODS)
def test_threads_do_not_change_a_bit(method: str) -> None:
    model = tree()
    q, v, tau, _ = problem(model, (150,))
    results = [
        ts.constrained_dynamics(model, q, v, tau, SETS["nested loops"], method=method, threads=n)  # type: ignore[arg-type]
        for n in (1, 3)
    ]
    np.testing.assert_array_equal(results[0].vdot, results[1].vdot)
    np.testing.assert_array_equal(results[0].multipliers, results[1].multipliers)


def oracle(
    model: ts.Model, q: FloatArray, v: FloatArray, tau: FloatArray, rows: ts.constraints.ConstraintRows
) -> tuple[FloatArray, FloatArray]:
    """The system (3.58) by singular values: accelerations, and multipliers of least norm."""
    M, J = ts.mass_matrix(model, q), rows.jacobian
    free = np.linalg.solve(M, tau - ts.bias_force(model, q, v))
    G = J @ np.linalg.solve(M, J.T)
    multipliers = np.linalg.pinv(G, rcond=1e-12, hermitian=True) @ (-rows.bias - J @ free)
    multipliers = J @ np.linalg.lstsq(J, multipliers, rcond=1e-12)[0]  # what J^T sees of them
    return free + np.linalg.solve(M, J.T @ multipliers), multipliers


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [*SETS, "doubled"])
def test_methods_agree_with_the_dense_equations_of_numpy(name: str, method: str) -> None:
    model = tree()
    given = SETS["nested loops"] + SETS["nested loops"][:2] if name == "doubled" else SETS[name]
    q, v, tau, _ = problem(model)
    found = ts.constrained_dynamics(model, q, v, tau, given, method=method, redundant="accept")  # type: ignore[arg-type]
    vdot, multipliers = oracle(model, q, v, tau, found.rows)
    assert_close(found.vdot, vdot, SOLVED)
    assert_close(found.multipliers, multipliers, SOLVED)


@pytest.mark.parametrize("method", METHODS)
def test_states_of_different_rank_may_share_a_batch(method: str) -> None:
    """An arm of two hinges whose hand is held: where it is stretched, one of two rows follows from the other."""
    builder = ts.ModelBuilder("arm").add_link("ground").add_link("upper", rod(1.0)).add_link("lower", rod(0.8))
    builder.add_joint("shoulder", "revolute", "ground", "upper", axis=IN_PLANE)
    model = builder.add_joint("elbow", "revolute", "upper", "lower", axis=IN_PLANE, position=(1.0, 0, 0)).build()
    held = [LoopJoint("world", "lower", "spherical", pose_b=pose((0.8, 0.0, 0.0)))]
    q = np.random.default_rng(3).uniform(0.3, 1.2, (13, 2))
    q[[2, 5, 6, 11], 1] = 0.0
    batch = ts.constrained_dynamics(model, q, np.zeros(2), np.ones(2), held, method=method, redundant="accept")  # type: ignore[arg-type]
    assert batch.rank.tolist() == [1 if x == 0.0 else 2 for x in q[:, 1]]
    for i in range(len(q)):
        vdot, multipliers = oracle(
            model, q[i], np.zeros(2), np.ones(2), ts.constraint_rows(model, q[i], np.zeros(2), held)
        )
        assert_close(batch.vdot[i], vdot, SOLVED)
        assert_close(batch.multipliers[i], multipliers, SOLVED)


@pytest.mark.parametrize("method", METHODS)
def test_rows_that_are_nearly_dependent_count_as_the_tolerance_says(method: str) -> None:
    """Two hinges nearly in line: the smaller singular value of J is about 0.4 times the angle between them."""
    builder = ts.ModelBuilder("arm").add_link("ground").add_link("upper", rod(1.0)).add_link("lower", rod(0.8))
    builder.add_joint("shoulder", "revolute", "ground", "upper", axis=IN_PLANE)
    model = builder.add_joint("elbow", "revolute", "upper", "lower", axis=IN_PLANE, position=(1.0, 0, 0)).build()
    held = [LoopJoint("world", "lower", "spherical", pose_b=pose((0.8, 0.0, 0.0)))]
    for angle in (1e-2, 1e-4, 1e-6):
        ranks = [
            ts.constrained_dynamics(
                model, [0.4, angle], np.zeros(2), np.zeros(2), held, method=method, rank_tolerance=t, redundant="accept"
            ).rank  # type: ignore[arg-type]
            for t in (0.01 * angle, 10.0 * angle)
        ]
        assert [int(r) for r in ranks] == [2, 1]


def test_rows_belong_to_the_state_that_was_given() -> None:
    model = tree()
    q, v, tau, _ = problem(model)
    expected = ts.constraint_rows(model, q, v, SETS["nested loops"]).jacobian
    motion = ts.constrained_dynamics(model, q, v, tau, SETS["nested loops"])
    q[0] += 1.0
    np.testing.assert_array_equal(motion.rows.jacobian, expected)


def test_tables_are_made_once_and_do_not_keep_a_model_alive() -> None:
    model = random_builder(KINDS[:3], [0, 1, 2], "free", 5).build()
    given = ball("world", "tool2")
    assert constraint_table(model, [given]) is constraint_table(model, (given,))
    assert constraint_table(model, given) is not constraint_table(model, [ball("world", "tool2")])
    q, v, tau, _ = problem(model)
    with pytest.raises(ArgumentError, match="prepared for another model"):
        constrained._native_dynamics(model, q, v, tau, constraint_table(tree(), [given]))
    for _ in range(2 * TABLES_PER_MODEL):
        ts.constraint_rows(model, q, v, [ball("world", "tool2")])
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("name", ["nested loops", "world and loop", "rolling", "loop between branches"])
def test_wrenches_as_external_forces_give_the_same_motion(name: str) -> None:
    model = tree()
    q, v, tau, external = problem(model, (2,))
    motion = ts.constrained_dynamics(model, q, v, tau, SETS[name], external=external)
    for wrench in motion.wrenches:
        for body, value in ((wrench.body_a, wrench.on_a), (wrench.body_b, wrench.on_b)):
            if body is not None:
                external[..., model.bodies[body].index, :] += value
    assert_close(ts.forward_dynamics(model, q, v, tau, external), motion.vdot, SOLVED)


def test_coupling_agrees_with_the_reduced_model() -> None:
    builder = FourBar().builder().add_coupling("rocker_joint", "crank_joint", -0.5, 0.1)
    reduced, cut = builder.build(), builder.build(couplings="cut")
    q, v, tau = np.array([0.3, 0.8]), np.array([1.0, -2.0]), np.array([0.5, -1.0])
    motion = ts.constrained_dynamics(
        cut, reduced.joint_positions(q), [v[0], v[1], -0.5 * v[0]], [*tau, 0.0], ts.loop_constraints(cut)
    )
    assert_close(motion.vdot[:2], ts.forward_dynamics(reduced, q, v, tau), CLOSED_FORM)


def test_model_with_dependent_joints_takes_constraints_on_top() -> None:
    builder = FourBar().builder().add_coupling("rocker_joint", "crank_joint", -0.5, 0.1)
    reduced, cut = builder.build(), builder.build(couplings="cut")
    held = [Rod("world", "coupler", length=0.5, pose_a=pose((0.0, 0.0, 0.5)))]
    q, v, tau = np.array([0.3, 0.8]), np.array([1.0, -2.0]), np.array([0.5, -1.0])
    expected = ts.constrained_dynamics(
        cut, reduced.joint_positions(q), [v[0], v[1], -0.5 * v[0]], [*tau, 0.0], [*ts.loop_constraints(cut), *held]
    )
    for method in ("sparse", "runs", "dense"):
        found = ts.constrained_dynamics(reduced, q, v, tau, held, method=method)  # type: ignore[arg-type]
        assert_close(found.vdot, expected.vdot[:2], SOLVED)
    with pytest.raises(ArgumentError, match="works on trees"):
        ts.constrained_dynamics(reduced, q, v, tau, held, method="recursive")


# Closed forms


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("crank", [0.3, 1.5, 2.9, 4.4])
def test_four_bar_has_the_crank_acceleration_of_its_minimal_equation(crank: float, method: str) -> None:
    bars = FourBar()
    rate, torque = 2.5, 3.0
    q, v = bars.configuration(crank), bars.velocity(crank, rate)
    closure = LoopJoint(
        "coupler", "rocker", "cylindrical", axis=IN_PLANE,
        pose_a=bars.closure().pose_a, pose_b=bars.closure().pose_b,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedundantConstraintWarning)
        motion = ts.constrained_dynamics(bars.model(), q, v, [torque, 0, 0], [closure], method=method)  # type: ignore[arg-type]
    np.testing.assert_allclose(motion.rows.violation, 0.0, atol=1e-14)
    np.testing.assert_allclose(motion.rows.velocity, 0.0, atol=1e-13)
    assert motion.vdot[0] == pytest.approx(bars.crank_acceleration(crank, rate, torque), rel=CLOSED_FORM)
    expected = bars.second_rates(crank) * rate**2 + bars.rates(crank) * motion.vdot[0]
    assert_close(motion.vdot, np.array([expected[0], expected[1] - expected[0], expected[2]]), CLOSED_FORM)


def parallel_cranks(loops: int) -> tuple[ts.Model, list[Constraint]]:
    """Uniform bars of 1 m and 1 kg: cranks on pivots at (i, 0), a bar between the tips of each two neighbours."""
    bar = ts.Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.diag([1e-9, 1.0 / 12.0, 1.0 / 12.0]))
    builder = ts.ModelBuilder("parallel cranks").add_link("ground")
    constraints: list[Constraint] = []
    tip = pose((1.0, 0.0, 0.0))
    for i in range(loops + 1):
        builder.add_link(f"crank{i}", bar)
        builder.add_joint(f"pivot{i}", "revolute", "ground", f"crank{i}", axis=IN_PLANE, position=(float(i), 0, 0))
        if i < loops:
            builder.add_link(f"bar{i}", bar).add_joint(
                f"tip{i}", "revolute", f"crank{i}", f"bar{i}", axis=IN_PLANE, position=(1.0, 0, 0)
            )
            constraints.append(
                LoopJoint(f"bar{i}", f"crank{i + 1}", "spherical", pose_a=tip, pose_b=tip, name=f"loop{i}")
            )
    return builder.build(), constraints


@pytest.mark.filterwarnings("ignore::tarsus.errors.RedundantConstraintWarning")
@pytest.mark.parametrize("loops", [1, 2, 5])
@pytest.mark.parametrize("method", METHODS)
def test_chain_of_parallelograms_has_the_acceleration_of_its_energy(loops: int, method: str) -> None:
    """IFToMM benchmark A02: phi'' = (P / M) g sin(phi), phi from the vertical, away from its singular positions."""
    model, constraints = parallel_cranks(loops)
    M, P = (loops + 1) / 3 + loops, (loops + 1) / 2 + loops
    for phi, rate in ((0.3, 1.0), (1.2, -2.0), (2.5, 3.0)):
        angle = 0.5 * np.pi - phi  # from x to z
        q, v = np.zeros(model.nv), np.zeros(model.nv)
        for joint in list(model.joints.values())[1:]:
            sign = 1.0 if joint.name.startswith("pivot") else -1.0
            q[joint.q_index], v[joint.v_index] = sign * angle, -sign * rate
        motion = ts.constrained_dynamics(model, q, v, np.zeros(model.nv), constraints, method=method)  # type: ignore[arg-type]
        np.testing.assert_allclose(motion.rows.violation, 0.0, atol=1e-14)
        expected = -P / M * 9.81 * np.sin(phi)
        for joint in list(model.joints.values())[1:]:
            sign = 1.0 if joint.name.startswith("pivot") else -1.0
            assert motion.vdot[joint.v_index][0] == pytest.approx(sign * expected, rel=CLOSED_FORM)


def four_bars_in_series(count: int) -> tuple[ts.Model, list[Constraint]]:
    """Each four-bar stands on the coupler of the one before."""
    bars = FourBar()
    builder = ts.ModelBuilder("series").add_link("coupler0")
    constraints: list[Constraint] = []
    for k in range(1, count + 1):
        for name, length, mass in zip(("crank", "coupler", "rocker"), bars.lengths, bars.masses, strict=True):
            builder.add_link(f"{name}{k}", rod(length, mass))
        ground = f"coupler{k - 1}"
        builder.add_joint(f"a{k}", "revolute", ground, f"crank{k}", axis=IN_PLANE)
        builder.add_joint(f"b{k}", "revolute", f"crank{k}", f"coupler{k}", axis=IN_PLANE, position=(bars.crank, 0, 0))
        builder.add_joint(f"c{k}", "revolute", ground, f"rocker{k}", axis=IN_PLANE, position=(bars.ground, 0, 0))
        a, b = (bars.coupler, 0.0, 0.0), (bars.rocker, 0.0, 0.0)
        constraints.append(ball(f"coupler{k}", f"rocker{k}", a, b, name=f"loop{k}"))
    return builder.build(), constraints


@pytest.mark.filterwarnings("ignore::tarsus.errors.RedundantConstraintWarning")
def test_loops_in_series_are_solved_one_by_one_inside_the_recursion() -> None:
    model, constraints = four_bars_in_series(6)
    bars = FourBar()
    rng = np.random.default_rng(8)
    q, v = np.zeros(model.nv), np.zeros(model.nv)
    for k in range(1, 7):
        crank, rate = rng.uniform(0.5, 2.5), rng.normal()
        for name, angle, speed in zip("abc", bars.configuration(crank), bars.velocity(crank, rate), strict=True):
            q[model.joints[f"{name}{k}"].q_index], v[model.joints[f"{name}{k}"].v_index] = angle, speed
    tau = rng.normal(size=model.nv)
    results = [ts.constrained_dynamics(model, q, v, tau, constraints, method=m) for m in METHODS]  # type: ignore[arg-type]
    np.testing.assert_allclose(results[0].rows.violation, 0.0, atol=1e-13)
    for result in results[:-1]:
        assert_close(result.vdot, results[-1].vdot, SOLVED)
        assert_close(result.multipliers, results[-1].multipliers, SOLVED)


def test_rod_of_a_pendulum_carries_weight_and_centrifugal_force() -> None:
    model, constraints = point_pendulum()
    angle, rate = 0.7, 3.0  # from the vertical
    q = [np.sin(angle), -np.cos(angle)]
    v = rate * np.array([np.cos(angle), np.sin(angle)])
    motion = ts.constrained_dynamics(model, q, v, [0.0, 0.0], constraints)
    assert motion.multipliers[0] == pytest.approx(-(rate**2 + 9.81 * np.cos(angle)), rel=CLOSED_FORM)
    tangent = np.array([np.cos(angle), np.sin(angle)])
    assert motion.vdot @ tangent == pytest.approx(-9.81 * np.sin(angle), rel=CLOSED_FORM)


@pytest.mark.parametrize("method", METHODS)
def test_weld_that_holds_a_body_at_rest_carries_its_weight(method: str) -> None:
    body = ts.Inertia.of_box(3.0, (0.1, 0.2, 0.3), com=(0.2, -0.1, 0.4))
    model = ts.ModelBuilder(base="free").add_link("body", body).build()
    q = model.random(np.random.default_rng(4))
    hold = weld("world", "body", pose_a=ts.frame_pose(model, q, "body"))
    motion = ts.constrained_dynamics(model, q, np.zeros(6), np.zeros(6), [hold], method=method)  # type: ignore[arg-type]
    force = np.array([0.0, 0.0, 3.0 * 9.81])
    arm = ts.center_of_mass(model, q) - q[:3]
    np.testing.assert_allclose(motion.vdot, 0.0, atol=1e-12)
    np.testing.assert_allclose(motion.wrenches[0].on_b, [*force, *np.cross(arm, force)], rtol=1e-12, atol=1e-12)
    assert (motion.wrenches[0].body_a, motion.wrenches[0].body_b) == (None, "body")
    # the world gets the opposite at its own origin
    moment = np.cross(ts.center_of_mass(model, q), -force)
    np.testing.assert_allclose(motion.wrenches[0].on_a, [*-force, *moment], rtol=1e-12, atol=1e-12)


def test_hanging_four_bar_at_rest_has_the_pin_forces_of_statics() -> None:
    bars = FourBar()
    q = bars.configuration(1.1)
    model = bars.model()
    hold = PrescribedJoint("crank_joint", lambda t: (1.1, 0.0, 0.0))
    closure = ball("coupler", "rocker", (bars.coupler, 0, 0), (bars.rocker, 0, 0))
    with pytest.warns(RedundantConstraintWarning):
        motion = ts.constrained_dynamics(model, q, np.zeros(3), np.zeros(3), [closure, hold])
    np.testing.assert_allclose(motion.vdot, 0.0, atol=1e-10)
    # moments of the rocker about its pivot and of the coupler about the crank tip, solved by hand for the pin force
    a, (_, l2, l3), (_, m2, m3) = bars.angles(1.1), bars.lengths, bars.masses
    A = np.array([[-l3 * np.sin(a[2]), l3 * np.cos(a[2])], [l2 * np.sin(a[1]), -l2 * np.cos(a[1])]])
    b = 9.81 / 2.0 * np.array([m3 * l3 * np.cos(a[2]), m2 * l2 * np.cos(a[1])])
    on_rocker = motion.wrenches[0].on_b
    assert_close(on_rocker[[0, 2]], np.linalg.solve(A, b), CLOSED_FORM)
    needed = ts.gravity_force(model, q) - motion.joint_force
    assert_close(needed, np.zeros(3), CLOSED_FORM)


def test_sphere_on_an_inclined_plane_rolls_with_five_sevenths_of_the_slope() -> None:
    slope, radius, mass = 0.4, 0.3, 2.0
    model = ts.ModelBuilder(base="free").add_link("ball", ts.Inertia.of_sphere(mass, radius)).build()
    R = ts.spatial.rotation_y(slope)
    plane = pose(rotation=R)
    q = np.array([*(R @ [0.1, 0.2, radius]), 1.0, 0.0, 0.0, 0.0])
    rolling = RollingSphere("world", "ball", radius=radius, pose_a=plane)
    motion = ts.constrained_dynamics(model, q, np.zeros(6), np.zeros(6), [rolling])
    expected = 5.0 / 7.0 * 9.81 * np.sin(slope)
    assert_close(motion.vdot[:3], R @ [expected, 0.0, 0.0], CLOSED_FORM)
    assert_close(motion.vdot[3:], R @ [0.0, expected / radius, 0.0], CLOSED_FORM)
    force = mass * 9.81 * np.array([-2.0 / 7.0 * np.sin(slope), 0.0, np.cos(slope)])
    assert_close(motion.wrenches[0].on_b[:3], R @ force, CLOSED_FORM)


def steady_precession(r: float, tilt: float, b: float) -> float:
    """Rate W at which a thin disc, tilted by `tilt` from the vertical, goes round with its centre on a circle of b.

    Where the centre is at (b, 0, .), the disc leans inwards: its axis is a = (cos, 0, sin), its contact at
    c = r (sin, 0, -cos) from the centre. With the angular velocity W z + s a, rolling gives s = -W (b + r sin) / r. The
    force on the disc is m (-W^2 b, 0, g); its moment c x f about the centre equals W z x L, with the moments of inertia
    m r^2 / 2 about the axis and m r^2 / 4 across, if W^2 (3 b / 2 + r sin / 4) = g tan.
    """
    return float(np.sqrt(9.81 * np.tan(tilt) / (1.5 * b + 0.25 * r * np.sin(tilt))))


def test_disc_that_rolls_in_a_circle_keeps_its_tilt_at_the_speed_of_the_closed_form() -> None:
    mass, r, tilt, b = 1.5, 0.2, 0.3, 0.9
    W = steady_precession(r, tilt, b)
    moments = mass * r**2 * np.diag([0.25, 0.5, 0.25])
    model = ts.ModelBuilder(base="free").add_link("disc", ts.Inertia(mass, np.zeros(3), moments)).build()
    axis, up = np.array([np.cos(tilt), 0.0, np.sin(tilt)]), np.array([-np.sin(tilt), 0.0, np.cos(tilt)])
    R = np.column_stack([np.cross(axis, up), axis, up])
    q = np.array([b, 0.0, r * np.cos(tilt), *ts.spatial.quaternion_from_rotation_matrix(R)])
    omega = W * np.array([0.0, 0.0, 1.0]) - W * (b + r * np.sin(tilt)) / r * axis
    v = np.concatenate([R.T @ [0.0, W * b, 0.0], R.T @ omega])
    motion = ts.constrained_dynamics(model, q, v, np.zeros(6), [RollingWheel("world", "disc", radius=r)])
    np.testing.assert_allclose(motion.rows.violation, 0.0, atol=1e-14)
    np.testing.assert_allclose(motion.rows.velocity, 0.0, atol=1e-13)
    acceleration = ts.frame_acceleration(model, q, v, motion.vdot, "disc")
    assert_close(acceleration[:3], np.array([-(W**2) * b, 0.0, 0.0]), CLOSED_FORM)
    assert_close(acceleration[3:], np.cross([0.0, 0.0, W], omega), CLOSED_FORM)
    assert_close(motion.wrenches[0].on_b[:3], mass * np.array([-(W**2) * b, 0.0, 9.81]), CLOSED_FORM)


def test_force_of_a_driven_pendulum_is_that_of_inverse_dynamics() -> None:
    builder = ts.ModelBuilder("pendulum").add_link("ground").add_link("bar", rod(0.6))
    model = builder.add_joint("hinge", "revolute", "ground", "bar", axis=IN_PLANE).build()
    t = 0.4
    drive = PrescribedJoint("hinge", lambda t: (np.sin(3.0 * t), 3.0 * np.cos(3.0 * t), -9.0 * np.sin(3.0 * t)))
    q, v, vdot = [np.sin(3.0 * t)], [3.0 * np.cos(3.0 * t)], -9.0 * np.sin(3.0 * t)
    motion = ts.constrained_dynamics(model, q, v, [0.0], [drive], time=t)
    assert motion.vdot[0] == pytest.approx(vdot, rel=CLOSED_FORM)
    inertia = rod(0.6).moments[1, 1] + 0.3**2
    expected = inertia * vdot + 9.81 * 0.3 * np.cos(q[0])
    assert motion.multipliers[0] == pytest.approx(expected, rel=CLOSED_FORM)


# Redundant and contradictory constraints


def test_planar_loop_closed_by_a_hinge_in_space_has_rank_two_of_five() -> None:
    bars = FourBar()
    q, v = bars.configuration(1.0), bars.velocity(1.0, 2.0)
    for method in METHODS:
        with pytest.warns(RedundantConstraintWarning, match="5 rows have the rank 2"):
            motion = ts.constrained_dynamics(bars.model(), q, v, [1.0, 0, 0], [bars.closure()], method=method)  # type: ignore[arg-type]
        assert (int(motion.rank), int(motion.redundancy)) == (2, 3)
        assert motion.vdot[0] == pytest.approx(bars.crank_acceleration(1.0, 2.0, 1.0), rel=CLOSED_FORM)
        np.testing.assert_allclose(motion.multipliers[[1, 3, 4]], 0.0, atol=1e-9)  # across the plane: least norm


@pytest.mark.parametrize("method", METHODS)
def test_two_identical_welds_share_the_force_of_one(method: str) -> None:
    model = tree()
    q, v, tau, _ = problem(model)
    one = ts.constrained_dynamics(model, q, v, tau, [weld("world", "tool9")])
    with pytest.warns(RedundantConstraintWarning, match="12 rows have the rank 6"):
        two = ts.constrained_dynamics(model, q, v, tau, [weld("world", "tool9")] * 2, method=method)  # type: ignore[arg-type]
    assert_close(two.vdot, one.vdot, SOLVED)
    assert_close(two.multipliers, np.tile(0.5 * one.multipliers, 2), SOLVED)


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_different_loops_that_depend_on_each_other_are_solved_together(method: str) -> None:
    """The rod inside the branch follows from the two welds to the world at its ends."""
    model = tree()
    q, v, tau, _ = problem(model)
    welds: list[Constraint] = [weld("world", name, pose_a=ts.frame_pose(model, q, name)) for name in ("body7", "body9")]
    p = [ts.frame_pose(model, q, name)[:3, 3] for name in ("body7", "body9")]
    inner = Rod("body7", "body9", length=float(np.linalg.norm(p[1] - p[0])))
    v = ts.project_velocity(model, q, v, welds)
    expected = ts.constrained_dynamics(model, q, v, tau, welds)
    with pytest.warns(RedundantConstraintWarning, match="13 rows have the rank 12"):
        found = ts.constrained_dynamics(model, q, v, tau, [*welds, inner], method=method)  # type: ignore[arg-type]
    assert_close(found.vdot, expected.vdot, SOLVED)
    dense = ts.constrained_dynamics(model, q, v, tau, welds, method="dense")
    assert np.linalg.norm(found.multipliers) < np.linalg.norm(dense.multipliers)


def test_redundancy_may_be_accepted_but_contradictions_may_not() -> None:
    builder = ts.ModelBuilder("pendulum").add_link("ground").add_link("bar", rod(0.6))
    model = builder.add_joint("hinge", "revolute", "ground", "bar", axis=IN_PLANE).build()
    still = PrescribedJoint("hinge", lambda t: (0.0, 0.0, 0.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = ts.constrained_dynamics(model, [0.0], [0.0], [0.0], [still, still], redundant="accept")
    assert int(motion.redundancy) == 1
    driven = PrescribedJoint("hinge", lambda t: (0.0, 0.0, 1.0))
    with pytest.raises(InconsistentConstraintsError, match="contradict each other by 0.5"):
        ts.constrained_dynamics(model, [0.0], [0.0], [0.0], [still, driven], redundant="accept")


def test_independent_constraints_warn_of_nothing() -> None:
    model = tree()
    q, v, tau, _ = problem(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.constrained_dynamics(model, q, v, tau, SETS["nested loops"])


def test_bennett_linkage_has_rank_two_of_five_where_its_loop_is_closed() -> None:
    model, loop = bennett()
    q = bennett_configuration(model, loop)
    with pytest.warns(RedundantConstraintWarning, match="5 rows have the rank 2"):
        assert int(ts.constrained_dynamics(model, q, np.zeros(3), np.zeros(3), loop).rank) == 2


@pytest.mark.parametrize("method", METHODS)
def test_contradictory_constraints_are_named(method: str) -> None:
    builder = ts.ModelBuilder("pendulum").add_link("ground").add_link("bar", rod(0.6))
    model = builder.add_joint("hinge", "revolute", "ground", "bar", axis=IN_PLANE).build()
    still = PrescribedJoint("hinge", lambda t: (0.0, 0.0, 0.0), name="still")
    driven = PrescribedJoint("hinge", lambda t: (0.0, 0.0, 1.0), name="driven")
    with pytest.raises(InconsistentConstraintsError, match="'still'.*'driven'.*2 rows have the rank 1") as caught:
        ts.constrained_dynamics(model, [0.0], [0.0], [0.0], [still, driven], method=method)  # type: ignore[arg-type]
    assert len(caught.value.constraints) == 2


def test_constraint_that_nothing_can_move_is_a_contradiction_only_if_it_asks_for_motion() -> None:
    model, _ = point_pendulum()
    across = ts.constraints.PrescribedFrame(
        "world", "mass", "planar", axis=(0, 1, 0),
        motion=lambda t: (pose((0.0, t, 0.0)), np.zeros(6), np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])),
    )  # fmt: skip
    with pytest.raises(InconsistentConstraintsError, match="given motion of frame 'mass'"):
        ts.constrained_dynamics(model, [0.5, 0.5], [0.0, 0.0], [0.0, 0.0], [across])
    plane = LoopJoint("world", "mass", "planar", axis=(0, 1, 0))
    with pytest.warns(RedundantConstraintWarning, match="3 rows have the rank 0"):
        motion = ts.constrained_dynamics(model, [0.5, 0.5], [0.0, 0.0], [0.0, 0.0], [plane])
    np.testing.assert_allclose(motion.vdot, [0.0, -9.81], rtol=1e-14)


def test_joint_without_inertia_is_solved_only_where_a_constraint_fixes_it() -> None:
    builder = ts.ModelBuilder().add_link("ground").add_link("bar", rod(0.6)).add_link("pointer", virtual=True)
    builder.add_joint("hinge", "revolute", "ground", "bar", axis=IN_PLANE)
    model = builder.add_joint("needle", "revolute", "bar", "pointer", axis=IN_PLANE, position=(0.6, 0, 0)).build()
    q, v, tau = [0.3, 0.4], [1.0, 2.0], [0.5, 0.0]
    upright = Gear({"hinge": 1.0, "needle": 1.0}, 0.7)
    motion = ts.constrained_dynamics(model, q, v, tau, [upright], method="dense")
    alone = (0.5 - 9.81 * 0.3 * np.cos(0.3)) / (rod(0.6).moments[1, 1] + 0.09)
    np.testing.assert_allclose(motion.vdot, [alone, -alone], rtol=CLOSED_FORM)
    for method in ("sparse", "recursive", "runs"):
        with pytest.raises(MasslessJointError, match="'needle'"):
            ts.constrained_dynamics(model, q, v, tau, [upright], method=method)  # type: ignore[arg-type]
    with pytest.raises(MasslessJointError):
        ts.constrained_dynamics(model, q, v, tau, [Gear({"hinge": 1.0}, 0.3)], method="dense")


@pytest.mark.parametrize("rotation", ["roll-pitch-yaw", "rotation-vector"])
def test_parametrisation_of_the_base_does_not_change_the_motion(rotation: str) -> None:
    builder = random_builder(KINDS[:4], [0, 1, 2, 0], "free", 4)
    model = builder.build()
    builder.rotation = rotation
    other = builder.build()
    q, v, tau, _ = problem(model)
    constraints = [ball("world", "tool3"), JointCoupling("joint4", "joint1", (0.1, 0.2, 0.3))]
    R = ts.spatial.rotation_matrix_from_quaternion(q[3:7])
    parameters = ts.spatial.parametrisation(rotation).parameters(R, "error")
    q_other = np.concatenate([q[:3], parameters, q[7:]])
    found = ts.constrained_dynamics(other, q_other, v, tau, constraints)
    assert_close(found.vdot, ts.constrained_dynamics(model, q, v, tau, constraints).vdot, SOLVED)
    closed = ts.project_position(other, q_other, constraints)
    assert np.abs(ts.constraint_rows(other, closed, v, constraints).violation).max() < 1e-12


# Order


@pytest.mark.parametrize("method", METHODS)
def test_results_do_not_depend_on_the_order_of_joints(method: str) -> None:
    """Breadth first, depth first, last first: joints and accelerations are compared by name."""
    bars = FourBar()
    crank, rate = 1.3, -2.0
    by_name = []
    for order in itertools.permutations(range(3)):
        model = bars.builder(order).build()
        q, v, tau = np.zeros(3), np.zeros(3), np.zeros(3)
        for index, name in enumerate(("crank_joint", "coupler_joint", "rocker_joint")):
            place = model.joints[name].v_index
            q[place], v[place] = bars.configuration(crank)[index], bars.velocity(crank, rate)[index]
            tau[place] = index
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RedundantConstraintWarning)
            vdot = ts.constrained_dynamics(model, q, v, tau, [bars.closure()], method=method).vdot  # type: ignore[arg-type]
        by_name.append([vdot[model.joints[n].v_index][0] for n in ("crank_joint", "coupler_joint", "rocker_joint")])
    assert_close(np.array(by_name[1:]), np.array([by_name[0]] * 5), CLOSED_FORM)


@pytest.mark.parametrize("method", METHODS)
def test_results_do_not_depend_on_the_order_of_constraints(method: str) -> None:
    model = tree()
    q, v, tau, _ = problem(model)
    given = [*SETS["nested loops"], *SETS["joints"]]
    expected = ts.constrained_dynamics(model, q, v, tau, given)
    rng = np.random.default_rng(2)
    for _ in range(4):
        order = rng.permutation(len(given))
        found = ts.constrained_dynamics(model, q, v, tau, [given[i] for i in order], method=method)  # type: ignore[arg-type]
        assert_close(found.vdot, expected.vdot, SOLVED)
        for place, i in enumerate(order):
            assert_close(found.wrenches[place].multipliers, expected.wrenches[i].multipliers, SOLVED)


# Bad input


def call(**changes: object) -> object:
    model, constraints = point_pendulum()
    arguments = {"q": [1.0, 0.0], "v": [0.0, 0.0], "tau": [0.0, 0.0], "constraints": constraints} | changes
    return ts.constrained_dynamics(model, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"method": "spars"}, UnknownNameError, "'spars' is not known; close: 'sparse'"),
        ({"alpha": -1.0}, ArgumentError, "alpha .* -1.0"),
        ({"rank_tolerance": -1e-9}, ArgumentError, "rank_tolerance .* -1e-09"),
        ({"redundant": "hide"}, UnknownNameError, "redundant must be 'warn' or 'accept', not 'hide'"),
        ({"threads": 0}, ArgumentError, "threads"),
        ({"beta": np.nan}, ArgumentError, "beta .* nan"),
        ({"q": [1.0]}, ShapeError, r"q of constrained_dynamics has shape \(1,\), expected \(..., 2\)"),
        ({"tau": [np.inf, 0.0]}, NonFiniteError, "tau of constrained_dynamics"),
        ({"time": np.zeros(3), "v": np.zeros((2, 2))}, ShapeError, "do not fit together"),
        ({"external": np.zeros((2, 6))}, ShapeError, "external"),
        ({"constraints": [Rod("world", "mas")]}, UnknownNameError, "close: 'mass'"),
    ],
)
def test_bad_arguments_are_told(changes: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(**changes)
