"""Loops in minimal coordinates against the same loops opened and closed again by multipliers."""

import numpy as np
import pytest
from dynamics.loop_models import IN_PLANE, FourBar, rod
from dynamics.states import assert_close

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.model.coupling import Loop
from tarsus.spatial import pose

pytestmark = pytest.mark.filterwarnings("ignore::tarsus.errors.RedundantConstraintWarning")

AGREEMENT = 1e-9
"""Two exact routes, through mass matrices of condition 1e4 and closures of 1e-12 m."""
METHODS = ("sparse", "recursive", "runs", "dense")


def four_bars(count: int, kind: str) -> ts.ModelBuilder:
    """Each four-bar stands on the coupler of the one before."""
    bars = FourBar()
    start = bars.configuration(1.0)
    builder = ts.ModelBuilder("series").add_link("coupler0")
    for k in range(1, count + 1):
        for name, length, mass in zip(("crank", "coupler", "rocker"), bars.lengths, bars.masses, strict=True):
            builder.add_link(f"{name}{k}", rod(length, mass))
        ground = f"coupler{k - 1}"
        builder.add_joint(f"a{k}", "revolute", ground, f"crank{k}", axis=IN_PLANE)
        builder.add_joint(f"b{k}", "revolute", f"crank{k}", f"coupler{k}", axis=IN_PLANE, position=(bars.crank, 0, 0))
        builder.add_joint(f"c{k}", "revolute", ground, f"rocker{k}", axis=IN_PLANE, position=(bars.ground, 0, 0))
        ends = pose((bars.coupler, 0.0, 0.0)), pose((bars.rocker, 0.0, 0.0))
        builder.add_loop(Loop(f"loop{k}", kind, f"coupler{k}", f"rocker{k}", *ends, IN_PLANE))
        builder.reference |= {f"{name}{k}": float(angle) for name, angle in zip("abc", start, strict=True)}
    return builder


def differential() -> ts.ModelBuilder:
    """Two motors drive two axes: one follows their sum, the other their difference."""
    builder = ts.ModelBuilder("differential").add_link("ground")
    parents = {"motor1": "ground", "motor2": "ground", "pitch": "ground", "roll": "pitch"}
    for k, (name, parent) in enumerate(parents.items()):
        builder.add_link(name, ts.Inertia.of_box(1.0 + k, (0.1, 0.2, 0.3), com=(0.1, 0.05, 0.2)))
        axis = (0, 1, 0) if name != "roll" else (1, 0, 0)
        builder.add_joint(f"{name}_joint", "revolute", parent, name, axis=axis, position=(0.1 * k, 0.0, 0.1))
    builder.add_coupling("pitch_joint", "motor1_joint", 0.5, 0.1, further={"motor2_joint": 0.5})
    return builder.add_coupling("roll_joint", "motor1_joint", 0.4, further={"motor2_joint": -0.4})


MODELS = {
    "four-bar closed by a hinge": lambda: four_bars(1, "revolute"),
    "four-bar closed by a ball": lambda: four_bars(1, "spherical"),
    "four-bars in series": lambda: four_bars(4, "revolute"),
    "differential": differential,
}


def completed(J: FloatArray, v: FloatArray, independent: list[int]) -> FloatArray:
    """All velocities with J v = 0 and the given independent ones."""
    dependent = [k for k in range(J.shape[-1]) if k not in independent]
    result = np.zeros(J.shape[-1])
    result[independent] = v
    result[dependent] = np.linalg.lstsq(J[:, dependent], -J[:, independent] @ v, rcond=1e-9)[0]
    return result


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MODELS)
def test_minimal_coordinates_and_multipliers_give_the_same_accelerations(name: str, method: str) -> None:
    builder = MODELS[name]()
    reduced, tree = builder.build(), builder.build(couplings="cut")
    constraints = ts.loop_constraints(tree)
    free = [j.name for j in reduced.joints.values() if j.nv and j.v_index.stop > j.v_index.start]
    independent = [tree.joints[joint].v_index.start for joint in free]
    rng = np.random.default_rng(12)
    for _ in range(3):
        q = reduced.reference + 0.3 * rng.normal(size=reduced.nq)
        v, tau = rng.normal(size=(2, reduced.nv))
        q_tree = reduced.joint_positions(q)
        rows = ts.constraint_rows(tree, q_tree, np.zeros(tree.nv), constraints)
        np.testing.assert_allclose(rows.violation, 0.0, atol=1e-11)
        v_tree, tau_tree = completed(rows.jacobian, v, independent), np.zeros(tree.nv)
        tau_tree[independent] = tau
        motion = ts.constrained_dynamics(tree, q_tree, v_tree, tau_tree, constraints, method=method)  # type: ignore[arg-type]
        assert int(motion.rank) == tree.nv - reduced.nv
        assert_close(motion.vdot[independent], ts.forward_dynamics(reduced, q, v, tau), AGREEMENT)
