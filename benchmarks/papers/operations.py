"""Operation counts of articulated bodies and of divide and conquer, for figure 3.14.

The count for articulated bodies is published. Buschmann 2014 takes the one of divide and conquer from Featherstone 1999
part 2 without printing it, so it is counted here again, step by step, for the algorithm of
`tarsus.dynamics.divide_and_conquer` on a chain of revolute joints with one processor for each body: what is constant in
a body is prepared, symmetric matrices are computed by half, the basis T selects rows and costs nothing, a division or
root counts as a multiplication, sine and cosine are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operations:
    """Multiplications `m` and additions `a`."""

    m: int
    a: int

    def __add__(self, other: Operations) -> Operations:
        return Operations(self.m + other.m, self.a + other.a)

    def __rmul__(self, times: int) -> Operations:
        return Operations(times * self.m, times * self.a)

    def weighted(self, addition: float) -> float:
        """Cost where a multiplication counts 1 and an addition `addition`."""
        return self.m + addition * self.a


def articulated_body(n: int) -> Operations:
    """Serial O(n) method on a chain of n bodies: (300 n - 267) m + (279 n - 259) a, Featherstone 1987."""
    return Operations(300 * n - 267, 279 * n - 259)


def matrix_product(rows: int, inner: int, columns: int) -> Operations:
    """Product of dense matrices."""
    return Operations(rows * inner * columns, rows * (inner - 1) * columns)


def symmetric_product(rows: int, inner: int) -> Operations:
    """Y^T Y and the like: entries on and above the diagonal only."""
    entries = rows * (rows + 1) // 2
    return Operations(entries * inner, entries * (inner - 1))


ADD_3, ADD_6, ADD_SYMMETRIC_6 = Operations(0, 3), Operations(0, 6), Operations(0, 21)
ROTATE = matrix_product(3, 3, 1)
ROTATE_6 = 2 * ROTATE
CROSS = Operations(6, 3)
CHOLESKY_5 = Operations(20 + 10 + 5, 20)
"""5 x 5: products, divisions and roots."""
TRIANGULAR_5 = Operations(10 + 5, 10)
"""Solve with a triangular 5 x 5 matrix, one right side."""
POSE_PRODUCT = matrix_product(3, 3, 3) + ROTATE + ADD_3

LEAF = {
    "rotation of the joint after a constant one": Operations(12, 6),
    "screw at the world origin, times rate": CROSS + Operations(6, 0),
    "twist back to the body": ROTATE_6 + CROSS + ADD_3,
    "Phi_12: constant matrix, rotated from one side": 4 * matrix_product(3, 3, 3),
    "Phi_2: constant matrix, rotated from both sides": 2 * (matrix_product(3, 3, 3) + symmetric_product(3, 3))
    + 2 * matrix_product(3, 3, 3),
    "momentum I V": Operations(3, 0) + ROTATE + 2 * (CROSS + ADD_3),
    "V x* I V": 3 * CROSS + ADD_3,
    "b_1": matrix_product(6, 6, 1),
    "b_2": CROSS + ADD_3 + ROTATE_6,
    "c": Operations(4, 0),
}
JOINING = {
    "pose and twist by doubling": POSE_PRODUCT + ADD_6,
    "K": ADD_SYMMETRIC_6,
    "factors of T^T K T": CHOLESKY_5,
    "Y_A, Y_B": 12 * TRIANGULAR_5,
    "beta": 2 * ADD_6,
    "f at outer forces of zero, half": Operations(5, 5) + TRIANGULAR_5,
    "Phi_1, Phi_2 of the whole": 2 * (symmetric_product(6, 5) + ADD_SYMMETRIC_6),
    "Phi_12 of the whole": matrix_product(6, 5, 6),
    "b_1, b_2 of the whole": 2 * (matrix_product(6, 5, 1) + Operations(6, 6) + ADD_6),
}
RELEASE = {
    "force of the joint": 2 * (matrix_product(5, 6, 1) + Operations(0, 5)) + TRIANGULAR_5,
    "acceleration of the joint": 3 * matrix_product(1, 6, 1) + Operations(0, 3),
}
ROOT = {
    "factors": CHOLESKY_5,
    "gravity and beta": ROTATE + 2 * ADD_6,
    "force": Operations(5, 5) + 2 * TRIANGULAR_5,
    "acceleration": matrix_product(1, 6, 1) + Operations(0, 2),
}


def total(steps: dict[str, Operations]) -> Operations:
    """Sum of the steps."""
    return sum(steps.values(), Operations(0, 0))


def divide_and_conquer(n: int) -> Operations:
    """Parallel method on n processors: a leaf, ceil(log2 n) joinings up and down, the root; counted, see above."""
    levels = (n - 1).bit_length()
    return total(LEAF) + levels * (total(JOINING) + total(RELEASE)) + total(ROOT)


def first_advantage(addition: float, largest: int = 4096) -> int:
    """Smallest number of bodies from which on divide and conquer needs less than articulated bodies."""
    costly = [
        n
        for n in range(1, largest + 1)
        if divide_and_conquer(n).weighted(addition) >= articulated_body(n).weighted(addition)
    ]
    return max(costly, default=0) + 1
