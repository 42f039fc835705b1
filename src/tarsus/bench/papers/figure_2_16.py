"""Figure 2.16: run times for the rotational Jacobians of all bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.bench.growth import slope
from tarsus.bench.papers.figure import Claim, Outcome, PaperFigure, Run
from tarsus.bench.papers.figure_2_15 import counted_operations
from tarsus.bench.papers.mechanisms import COIL, DILL, Family, IntArray, depths, model_of, parents
from tarsus.bench.papers.plot import guide, log_log
from tarsus.bench.timing import Statement, race
from tarsus.dynamics.jacobians import body_jacobians, joint_screws
from tarsus.dynamics.kinematics import body_poses
from tarsus.model.model import Model
from tarsus.spatial.pose import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Levels:
    """The bodies of a tree of one-axis joints by their number of predecessors.

    Attributes
    ----------
    bodies : list of ndarray of int
        Numbers of the bodies of each level.
    within : list of ndarray of int
        Place of each body's parent in the level before.
    columns : list of ndarray of int, shape (bodies, predecessors)
        Columns of the Jacobian of the parent that are not zero.
    """

    bodies: list[IntArray] = field(default_factory=list)
    within: list[IntArray] = field(default_factory=list)
    columns: list[IntArray] = field(default_factory=list)

    @classmethod
    def of(cls, model: Model) -> Levels:
        """From the tree of a model."""
        parent = parents(model)
        depth = depths(parent)
        levels, place = cls(), np.zeros(len(parent), dtype=np.intp)
        for d in range(int(depth.max()) + 1):
            bodies = np.flatnonzero(depth == d)
            place[bodies] = np.arange(len(bodies))
            levels.within.append(place[parent[bodies]] if d else np.zeros(len(bodies), dtype=np.intp))
            if d:
                before = levels.columns[-1][levels.within[-1]]
                levels.columns.append(np.hstack([before, parent[bodies][:, None]]))
            else:
                levels.columns.append(np.zeros((len(bodies), 0), dtype=np.intp))
            levels.bodies.append(bodies)
        return levels


def dense_jacobians(levels: Levels, A: FloatArray) -> list[FloatArray]:
    """Rotational Jacobians (states, bodies, 3, n) of each level by (2.83) over all n columns.

    Parameters
    ----------
    A : ndarray, shape (states, n, 3, 3)
        A_ip, from the axes of the parent to those of the body; every joint turns about z.
    """
    states, n = A.shape[:2]
    result: list[FloatArray] = []
    for d, bodies in enumerate(levels.bodies):
        if d:
            J = _rotated(A[:, bodies], result[-1][:, levels.within[d]])
        else:
            J = np.zeros((states, len(bodies), 3, n))
        J[:, np.arange(len(bodies)), 2, bodies] = 1.0
        result.append(J)
    return result


def sparse_jacobians(levels: Levels, A: FloatArray) -> list[FloatArray]:
    """The same Jacobians, the columns of predecessors and the own one only: (states, bodies, 3, d + 1), by (2.87)."""
    result: list[FloatArray] = []
    for d, bodies in enumerate(levels.bodies):
        J = np.empty((len(A), len(bodies), 3, d + 1))
        if d:
            J[..., :d] = _rotated(A[:, bodies], result[-1][:, levels.within[d]])
        J[..., d] = (0.0, 0.0, 1.0)
        result.append(J)
    return result


def _rotated(A: FloatArray, J: FloatArray) -> FloatArray:
    """A J by its nine multiplications for every column, each for all states and all bodies of a level at once."""
    product = A[..., 0, None] * J[..., None, 0, :]
    product += A[..., 1, None] * J[..., None, 1, :]
    product += A[..., 2, None] * J[..., None, 2, :]
    return product


def relative_rotations(model: Model, q: FloatArray) -> FloatArray:
    """A_ip of all moving bodies, shape (..., n, 3, 3)."""
    R = body_poses(model, q)[..., :3, :3]
    parent = parents(model) + 1
    return np.ascontiguousarray(np.swapaxes(R[..., 1:, :, :], -1, -2) @ R[..., parent, :, :])


def states_for(columns: int) -> int:
    """States that one call evaluates, so that it is not NumPy's overhead that is timed; results stay below 12 MB.

    Parameters
    ----------
    columns : int
        Of the Jacobians of all bodies together.
    """
    return max(1, min(64, 2**19 // columns))


QUADRATIC = 0.3
"""A slope within this distance of 2 is quadratic; memory and NumPy's overhead bend the curves."""
LINEARITHMIC = 0.15
"""Largest difference between the slopes of run times and of counted operations."""
QUADRATIC_CURVES = (("Coil", "sparse"), ("Coil", "dense"), ("Dill", "dense"))
CURVES = {
    "dense": ("(2.83), all columns", "#b5442e", "s"),
    "sparse": ("(2.87), columns of predecessors", "#1d8a5b", "o"),
    "body_jacobians": ("ts.body_jacobians (native, 6 rows, dense result)", "#2f6db3", "^"),
    "joint_screws": ("ts.joint_screws (native, one screw a joint)", "#8e5bb5", "v"),
}


def measure(run: Run) -> Outcome:
    """Time the two recursions and the native functions on both mechanisms."""
    limits = run.choose(
        {"dense": 64, "sparse": 256, "body_jacobians": 64, "joint_screws": 256},
        {"dense": 1024, "sparse": 8192, "body_jacobians": 512, "joint_screws": 8192},
    )
    times: dict[str, dict[str, dict[str, list[Any]]]] = {}
    for family in (COIL, DILL):
        table = times[family.name] = {name: {"sizes": [], "times": []} for name in CURVES}
        largest = max(limits.values()) if family is DILL else min(max(limits.values()), 2048)
        n = 4
        while n <= largest:
            run.say(f"Jacobians of {family.label(n)}")
            names = [name for name in CURVES if n <= limits[name]]
            statements = _statements(family, n)
            for name, time in zip(names, race([statements[name] for name in names], run.effort), strict=True):
                table[name]["sizes"].append(n)
                table[name]["times"].append(time)
            n *= 2
    return Outcome(
        {"run_times": times},
        _claims(times, run),
        lambda figure: _draw(figure, times),
        "Time for one state. Rotational Jacobians by (2.83) in NumPy, all bodies of a level and up to 64 states in one "
        "operation, on all columns or on those of predecessors only; A_ip given. Below them the native functions for "
        "the same purpose, one state a call.",
        (9.0, 4.4),
    )


def _statements(family: Family, n: int) -> dict[str, Statement]:
    model = model_of(family, n)
    levels = Levels.of(model)
    dense, sparse = states_for(n * n), states_for(sum(columns.size + len(columns) for columns in levels.columns))
    q = model.random(np.random.default_rng(0), (sparse,))
    A = relative_rotations(model, q)
    native = {"m": model, "q": q[0]}
    statements = {
        "dense": Statement("f(levels, A)", {"levels": levels, "A": A[:dense], "f": dense_jacobians}, dense),
        "sparse": Statement("f(levels, A)", {"levels": levels, "A": A, "f": sparse_jacobians}, sparse),
        "joint_screws": Statement("f(m, q, out=r)", native | {"f": joint_screws, "r": np.empty((6, n))}),
    }
    if n <= 1024:
        out = np.empty((model.nb, 6, n))
        statements["body_jacobians"] = Statement("f(m, q, out=r)", native | {"f": body_jacobians, "r": out})
    return statements


def _claims(times: dict[str, dict[str, dict[str, list[Any]]]], run: Run) -> tuple[Claim, ...]:
    smallest = run.choose(16, 64)
    slopes = {
        (family, name): slope(table[name]["sizes"], table[name]["times"], smallest)
        for family, table in times.items()
        for name in table
    }
    dill = times["Dill"]["sparse"]["sizes"]
    counts = [counted_operations(DILL, n) for n in dill]
    expected = slope(dill, counts, smallest)
    n = times["Dill"]["dense"]["sizes"][-1]
    gain = {
        family: table["dense"]["times"][-1] / table["sparse"]["times"][table["sparse"]["sizes"].index(n)]
        for family, table in times.items()
    }
    same = times["Dill"]["dense"]["times"][-1] / times["Coil"]["dense"]["times"][-1]
    close = abs(slopes["Dill", "sparse"] - expected) < LINEARITHMIC
    return (
        Claim(
            "with sparsity O(n log n) on Dill (2.88)",
            f"slope {slopes['Dill', 'sparse']:.2f} for n >= {smallest}; {expected:.2f} for the counted operations",
            run.judge(close),
        ),
        Claim(
            "O(n^2) on Coil with sparsity (2.84), and without on both (2.85)",
            f"slopes {slopes['Coil', 'sparse']:.2f}, and {slopes['Coil', 'dense']:.2f} (Coil), "
            f"{slopes['Dill', 'dense']:.2f} (Dill)",
            run.judge(all(abs(slopes[key] - 2.0) < QUADRATIC for key in QUADRATIC_CURVES)),
        ),
        Claim(
            "sparsity reduces the cost, especially for the branched Dill",
            f"{gain['Coil']:.1f} times faster on Coil, {gain['Dill']:.0f} times on Dill at n = {n}",
            run.judge(gain["Dill"] > gain["Coil"]),
        ),
        Claim(
            "the basic implementation takes the same time for Coil and Dill",
            f"Dill / Coil = {same:.2f} at n = {n}: a level of Dill is one operation here",
        ),
    )


def _draw(figure: Figure, times: dict[str, dict[str, dict[str, list[Any]]]]) -> None:
    for axes, (family, table) in zip(figure.subplots(1, 2, sharey=True), times.items(), strict=True):
        for name, curve in table.items():
            label, color, marker = CURVES[name]
            axes.plot(curve["sizes"], 1e6 * np.array(curve["times"]), color=color, marker=marker, ms=4, label=label)
        guide(axes, table["dense"]["sizes"], 1e6 * np.array(table["dense"]["times"]), 2)
        guide(axes, table["joint_screws"]["sizes"], 1e6 * np.array(table["joint_screws"]["times"]), 1)
        log_log(axes, "bodies $n_b$", "time [µs]" if family == "Coil" else "", family)
    figure.axes[0].legend(frameon=False, fontsize=7.5)


FIGURE = PaperFigure("2.16", "run times for the Jacobians of all bodies", measure)
