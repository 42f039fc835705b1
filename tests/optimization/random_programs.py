"""Random quadratic programs of every kind, and what must become of them.

An optimum is judged by the conditions of Karush, Kuhn and Tucker, which suffice for convex programs; that there is
none, by linear programs with HiGHS (SciPy); and optima are compared with those of ProxQP.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

FEASIBLE = 1e-8
"""Violation of a row, relative to its size at x: what solvers of another kind (HiGHS: 1e-7) agree upon."""
STATIONARY = 1e-8
"""The gradient of the Lagrangian, relative to its largest term."""
FLAT = 1e-6
"""Gradients below this part of curvature times x are measured by it: zero would be relative to nothing."""
MARGIN = 1e-3
"""By how much rows of infeasible programs contradict each other: much more than any solver's tolerance."""


@dataclass
class Case:
    """Arguments of `QP`, and what is known of them by construction."""

    kind: str
    given: dict[str, Any]
    expected: str | None = None


def random_hessian(rng, n, rank=None, spread=2.0):
    """Positive (semi-)definite of that rank, eigenvalues over `spread` decades."""
    rank = n if rank is None else rank
    basis = np.linalg.qr(rng.standard_normal((n, n)))[0][:, :rank]
    values = 10.0 ** rng.uniform(-spread / 2, spread / 2, rank)
    H = (basis * values) @ basis.T
    return 0.5 * (H + H.T)


def rows_around(rng, A, x, share_of_equalities=0.0, share_of_ends=0.4):
    """Bounds that hold at x, some of them one-sided."""
    value = A @ x
    m = len(A)
    lower, upper = value - rng.exponential(1.0, m), value + rng.exponential(1.0, m)
    lower[rng.random(m) < share_of_ends / 2] = -np.inf
    upper[rng.random(m) < share_of_ends / 2] = np.inf
    equal = rng.random(m) < share_of_equalities
    lower[equal] = upper[equal] = value[equal]
    return lower, upper


def sizes(rng):
    return int(rng.integers(1, 13)), int(rng.integers(0, 25))


def feasible(rng):
    n, m = sizes(rng)
    A, x = rng.standard_normal((m, n)), rng.standard_normal(n)
    lower, upper = rows_around(rng, A, x)
    given = {"H": random_hessian(rng, n), "g": 3.0 * rng.standard_normal(n), "A": A, "lower": lower, "upper": upper}
    k = int(rng.integers(0, n))
    E = rng.standard_normal((k, n))
    given |= {"E": E, "e": E @ x}
    if rng.random() < 0.5:
        given |= {"x_min": x - rng.exponential(1.0, n), "x_max": x + rng.exponential(1.0, n)}
    return Case("feasible", given, "optimal")


def infeasible(rng):
    """Some rows have a combination that is zero, and bounds that say otherwise by a margin."""
    case = feasible(rng)
    given, n = case.given, len(case.given["g"])
    count = int(rng.integers(1, min(n, 4) + 1))
    rows = rng.standard_normal((count, n))
    shares = rng.uniform(0.2, 2.0, count)
    most = rng.standard_normal(count)
    A = np.vstack([given["A"], rows, shares @ rows])
    lower = np.concatenate(
        [given["lower"], np.full(count, -np.inf), [shares @ most + MARGIN * (1 + rng.exponential())]]
    )
    upper = np.concatenate([given["upper"], most, [np.inf]])
    order = rng.permutation(len(A))
    given |= {"A": A[order], "lower": lower[order], "upper": upper[order]}
    return Case("infeasible", given, "infeasible")


def inconsistent(rng):
    """Equality rows that depend on each other and contradict each other."""
    case = dependent(rng)
    given = case.given
    e = given["e"].copy()
    e[int(rng.integers(len(e)))] += MARGIN * (1 + rng.exponential())
    row = int(rng.integers(len(e)))
    given |= {"E": np.vstack([given["E"], given["E"][row]]), "e": np.append(e, e[row] + 2 * MARGIN)}
    return Case("inconsistent", given, "infeasible")


def dependent(rng):
    """Equality rows that depend on each other, and say the same."""
    n = int(rng.integers(2, 13))
    rank = int(rng.integers(1, n))
    x = rng.standard_normal(n)
    basis = rng.standard_normal((rank, n))
    E = np.vstack([basis, rng.standard_normal((int(rng.integers(1, 5)), rank)) @ basis])
    E = E[rng.permutation(len(E))]
    A = np.vstack([rng.standard_normal((int(rng.integers(0, 10)), n)), basis[:1]])
    lower, upper = rows_around(rng, A, x)
    given = {"H": random_hessian(rng, n), "g": rng.standard_normal(n), "A": A, "lower": lower, "upper": upper}
    given |= {"E": E, "e": E @ x}
    return Case("dependent", given, "optimal")


def degenerate(rng):
    """More rows through the optimum than there are variables, with small whole numbers: many ties."""
    large = rng.random() < 0.2
    n = int(rng.integers(10, 40)) if large else int(rng.integers(1, 9))
    m = int(rng.integers(n, 4 * n + 4))
    A = rng.integers(-2, 3, (m, n)).astype(float)
    A[m // 2 :] = A[rng.integers(0, max(m // 2, 1), m - m // 2)] * rng.choice([-2.0, -1.0, 1.0, 3.0], (m - m // 2, 1))
    x = rng.integers(-2, 3, n).astype(float)
    value = A @ x
    lower, upper = value - rng.integers(0, 2, m), value + rng.integers(0, 2, m)
    lower[rng.random(m) < 0.3] = -np.inf
    ranks = (n, n, n // 2, 0)
    H = np.eye(n) if rng.random() < 0.3 else random_hessian(rng, n, ranks[int(rng.integers(4))])
    pressed = rng.exponential(1.0, m) * (rng.random(m) < 0.5)  # some rows hold x back: there is an optimum for any H
    g = -H @ x - A.T @ pressed
    return Case("degenerate", {"H": H, "g": g, "A": A, "lower": lower, "upper": upper}, "optimal")


def semidefinite(rng):
    """H has a kernel; the optimum exists, since g has no part in it or bounds close it off."""
    n, m = sizes(rng)
    H = random_hessian(rng, n, rank=int(rng.integers(0, n)))
    A, x = rng.standard_normal((m, n)), rng.standard_normal(n)
    lower, upper = rows_around(rng, A, x)
    given = {"H": H, "A": A, "lower": lower, "upper": upper}
    if rng.random() < 0.3:
        given["g"] = H @ rng.standard_normal(n)
    else:
        given |= {
            "g": rng.standard_normal(n),
            "x_min": x - rng.exponential(2.0, n),
            "x_max": x + rng.exponential(2.0, n),
        }
    return Case("semidefinite", given, "optimal")


def unbounded(rng):
    """A direction in the kernel of H leads down, and all bounds are behind it."""
    n = int(rng.integers(1, 13))
    m = int(rng.integers(0, 20))
    ray = rng.standard_normal(n)
    ray /= np.linalg.norm(ray)
    factor = rng.standard_normal((int(rng.integers(0, n + 1)), n))
    factor -= np.outer(factor @ ray, ray)
    A, x = rng.standard_normal((m, n)), rng.standard_normal(n)
    lower, upper = A @ x - rng.exponential(1.0, m), A @ x + rng.exponential(1.0, m)
    along = A @ ray
    upper[along > 0], lower[along < 0] = np.inf, -np.inf
    g = rng.standard_normal(n)
    g -= ray * (ray @ g + rng.uniform(0.1, 2.0))
    return Case("unbounded", {"H": factor.T @ factor, "g": g, "A": A, "lower": lower, "upper": upper}, "unbounded")


def soft(rng):
    """Soft rows among hard ones; the soft ones alone may contradict each other."""
    case = feasible(rng)
    given, n = case.given, len(case.given["g"])
    m = int(rng.integers(1, 8))
    rows = rng.standard_normal((m, n))
    lower = rng.standard_normal(m)
    upper = lower + rng.exponential(0.5, m) * (rng.random(m) < 0.7)
    hard = len(given["A"])
    if rng.random() < 0.4:  # H has a kernel, or is nothing at all: soft rows alone tell what is best
        given["H"] = random_hessian(rng, n, rank=int(rng.integers(0, n)))
        given["g"] = given["H"] @ rng.standard_normal(n)
    given |= {
        "A": np.vstack([given["A"], rows]),
        "lower": np.concatenate([given["lower"], lower]),
        "upper": np.concatenate([given["upper"], upper]),
        "weights": np.concatenate([np.full(hard, np.inf), 10.0 ** rng.uniform(-2, 4, m)]),
    }
    return Case("soft", given, "optimal")


def badly_scaled(rng):
    """Rows and variables over six decades."""
    case = feasible(rng)
    given, n = case.given, len(case.given["g"])
    columns = 10.0 ** rng.uniform(-1.5, 1.5, n)
    for matrix, bounds in (("A", ("lower", "upper")), ("E", ("e",))):
        rows = 10.0 ** rng.uniform(-3, 3, len(given[matrix]))
        given[matrix] = rows[:, None] * given[matrix] * columns
        for name in bounds:
            given[name] = rows * given[name]
    given["H"], given["g"] = columns[:, None] * given["H"] * columns, columns * given["g"]
    for name in ("x_min", "x_max"):
        if name in given:
            given[name] = given[name] / columns
    return Case("badly scaled", given, "optimal")


def arbitrary(rng):
    """Nobody knows: rows at random."""
    n, m = sizes(rng)
    rank = n if rng.random() < 0.5 else int(rng.integers(0, n + 1))
    lower = rng.standard_normal(m) - 0.5
    upper = lower + rng.exponential(2.0, m)
    lower[rng.random(m) < 0.4] = -np.inf
    given = {"H": random_hessian(rng, n, rank), "g": rng.standard_normal(n), "A": rng.standard_normal((m, n))}
    return Case("arbitrary", given | {"lower": lower, "upper": upper})


KINDS = (
    feasible,
    infeasible,
    inconsistent,
    dependent,
    degenerate,
    semidefinite,
    unbounded,
    soft,
    badly_scaled,
    arbitrary,
)


def random_case(seed, number):
    rng = np.random.default_rng([seed, number])
    return KINDS[number % len(KINDS)](rng)


def stacked(given):
    """Rows of a case in one matrix, with bounds and weights; equalities and bounds of x included."""
    n = len(given["H"])
    blocks = [(np.eye(n), given.get("x_min", np.full(n, -np.inf)), given.get("x_max", np.full(n, np.inf)), np.inf)]
    blocks.append((given["A"], given["lower"], given["upper"], given.get("weights", np.inf)))
    if "E" in given:
        blocks.append((given["E"], given["e"], given["e"], np.inf))
    C, lower, upper = (np.concatenate([block[i] for block in blocks]) for i in range(3))
    return C, lower, upper, np.concatenate([np.broadcast_to(block[3], len(block[0])) for block in blocks])


def all_multipliers(case, solution):
    n = len(case.given["H"])
    bounds = solution.bound_multipliers if len(solution.bound_multipliers) else np.zeros(n)
    return np.concatenate([bounds, solution.multipliers, solution.equality_multipliers])


def optimality_defects(case, solution):
    """What of the conditions of optimality does not hold; empty for an optimum."""
    H, g = case.given["H"], case.given["g"]
    C, lower, upper, weights = stacked(case.given)
    x, l = solution.x, all_multipliers(case, solution)
    defects = []
    if not (np.isfinite(x).all() and np.isfinite(l).all()):
        return ["not finite"]
    missed = np.where(np.isfinite(weights), l / weights, 0.0)
    value = C @ x - missed
    scale = np.abs(C) @ np.maximum(np.abs(x), 1.0) + 1.0
    bounds = np.stack([lower, upper])
    scale += np.where(np.isfinite(bounds), np.abs(bounds), 0.0).max(0)
    gap = np.maximum(value - upper, lower - value) / scale
    if gap.max(initial=0.0) > FEASIBLE:
        defects.append(f"row violated by {gap.max():.1e}")
    terms = np.stack([np.abs(H) @ np.abs(x), np.abs(g), np.abs(C.T) @ np.abs(l)])
    soft = np.where(np.isfinite(weights), weights, 0.0) * (C**2).sum(axis=1)
    flat = FLAT * max(np.abs(H).max(), soft.max(initial=0.0)) * min(np.abs(x).max(), 1.0)
    size = max(terms.max(), flat, 1e-300)
    slope = np.abs(H @ x + g + C.T @ l).max() / size
    if slope > STATIONARY:
        defects.append(f"not stationary by {slope:.1e}")
    distance = np.where(l > 0, np.abs(value - upper), np.where(l < 0, np.abs(lower - value), 0.0)) / scale
    share = np.abs(l) * np.linalg.norm(C, axis=1) / size
    if (distance * share).max(initial=0.0) > FEASIBLE:
        defects.append(f"multiplier of a row that is {distance.max():.1e} away from its bound")
    return defects


def has_no_point(given):
    """Whether the hard rows contradict each other, by HiGHS."""
    C, lower, upper, weights = stacked(given)
    hard = ~np.isfinite(weights)
    return _linear(np.zeros(C.shape[1]), C[hard], lower[hard], upper[hard], None) == 2


def falls_for_ever(given):
    """Whether a direction without curvature leads down and away from all bounds, by HiGHS."""
    C, lower, upper, _ = stacked(given)
    low = np.where(np.isfinite(lower), 0.0, -np.inf)
    high = np.where(np.isfinite(upper), 0.0, np.inf)
    values, vectors = np.linalg.eigh(given["H"])
    curved = vectors[:, values > 1e-9 * max(np.abs(values).max(), 1e-300)].T
    C, low, high = np.vstack([C, curved]), np.append(low, np.zeros(len(curved))), np.append(high, np.zeros(len(curved)))
    found = _linear(given["g"], C, low, high, (-1.0, 1.0), whole=True)
    return found.status == 0 and found.fun < -1e-6 * np.abs(given["g"]).max()


def _linear(cost, C, lower, upper, bounds, whole=False):
    at_most, at_least = np.isfinite(upper), np.isfinite(lower)
    found = scipy.optimize.linprog(
        cost,
        np.vstack([C[at_most], -C[at_least]]),
        np.concatenate([upper[at_most], -lower[at_least]]),
        bounds=bounds or (None, None),
        method="highs",
    )
    return found if whole else found.status


def defects(case, solution):
    """Everything that is wrong with an answer; empty where it is right."""
    found = []
    if case.expected is not None and solution.status != case.expected:
        found.append(f"{solution.status} instead of {case.expected}: {solution.reason}")
    if solution.status == "optimal":
        found += optimality_defects(case, solution)
    elif solution.status == "infeasible":
        if not has_no_point(case.given):
            found.append("infeasible, but HiGHS finds a point")
    elif solution.status == "unbounded":
        if has_no_point(case.given) or not falls_for_ever(case.given):
            found.append("unbounded, but HiGHS finds no ray")
    else:
        found.append(f"no verdict: {solution.reason}")
    return found
