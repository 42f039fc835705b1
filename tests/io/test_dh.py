"""Denavit-Hartenberg tables against the printed matrix and against forward kinematics by hand."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError, NonFiniteError
from tarsus.io.dh import DHRow, dh_transform, from_dh
from tarsus.model.derive import joint_transform
from tarsus.model.description import Description
from tarsus.spatial.inertia import Inertia

ROUND_OFF = 1e-14
"""Products of up to seven transformations with entries near one."""


def printed_matrix(theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    """Return T_{i-1,i} as Buschmann 2014 (A.20) prints it."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s, 0, a], [s * ca, c * ca, -sa, -sa * d], [s * sa, c * sa, ca, ca * d], [0, 0, 0, 1]])


def classical_matrix(theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    """Return the transformation of Denavit and Hartenberg 1955 as textbooks print it."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def pose_of(description: Description, body: str, q: dict[str, float]) -> np.ndarray:
    """Pose of a body in the root, multiplied up from the joints."""
    carrier = {joint.child: joint for joint in description.joints}
    X = np.eye(4)
    while body in carrier:
        joint = carrier[body]
        values = [q[joint.name]] if joint.kind != "fixed" else []
        X = joint.pose @ joint_transform(joint, values) @ joint.child_pose @ X
        body = joint.parent
    return X


def test_transform_is_the_printed_one() -> None:
    rng = np.random.default_rng(1)
    for theta, d, a, alpha in rng.uniform(-3, 3, size=(50, 4)):
        np.testing.assert_allclose(
            dh_transform(theta, d, a, alpha), printed_matrix(theta, d, a, alpha), rtol=0, atol=ROUND_OFF
        )
        np.testing.assert_allclose(
            dh_transform(theta, d, a, alpha, convention="distal"),
            classical_matrix(theta, d, a, alpha),
            rtol=0,
            atol=ROUND_OFF,
        )


@pytest.mark.parametrize("convention", ["proximal", "distal"])
def test_batches_broadcast(convention: str) -> None:
    rng = np.random.default_rng(2)
    theta, d, a = rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=(4, 1))
    X = dh_transform(theta, d, a, 0.5, convention=convention)
    assert X.shape == (4, 3, 4, 4)
    np.testing.assert_array_equal(X[2, 1], dh_transform(theta[2, 1], d[1], a[2, 0], 0.5, convention=convention))


@pytest.mark.parametrize(("convention", "matrix"), [("proximal", printed_matrix), ("distal", classical_matrix)])
def test_chain_moves_like_the_product_of_its_matrices(convention: str, matrix: object) -> None:
    rng = np.random.default_rng(3)
    table = rng.uniform(-1, 1, size=(6, 4))
    kinds = ["revolute", "prismatic", "continuous", "fixed", "prismatic", "revolute"]
    rows = [DHRow(*row, kind=kind) for row, kind in zip(table.tolist(), kinds, strict=True)]
    description = from_dh(rows, convention=convention).describe()
    q = rng.normal(size=6)
    expected = np.eye(4)
    for (a, alpha, d, theta), kind, value in zip(table, kinds, q, strict=True):
        turned = theta + value * (kind in ("revolute", "continuous"))
        expected = expected @ matrix(turned, d + value * (kind == "prismatic"), a, alpha)
    found = pose_of(description, "body6", {f"joint{i + 1}": q[i] for i in range(6)})
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUND_OFF)


def test_planar_two_link_arm_has_its_known_tip() -> None:
    builder = from_dh([(0, 0, 0, 0), (1, 0, 0, 0), {"a": 0.5, "kind": "fixed", "body": "tip"}])
    X = pose_of(builder.describe(), "tip", {"joint1": 0.3, "joint2": 0.4})
    np.testing.assert_allclose(X[:3, 3], [np.cos(0.3) + 0.5 * np.cos(0.7), np.sin(0.3) + 0.5 * np.sin(0.7), 0])


def test_rows_of_a_tree_name_their_parents() -> None:
    rows = [
        DHRow(body="trunk", d=0.5),
        DHRow(body="left", joint="hip", a=0.1, properties={"q_min": -1.0, "tau_max": 5.0}),
        DHRow(body="right", parent="trunk", a=-0.1, inertia=Inertia.of_sphere(1.0, 0.1)),
        DHRow(body="other", parent="ground"),
    ]
    description = from_dh(rows, name="biped", base="free").describe()
    assert [(joint.name, joint.parent, joint.child) for joint in description.joints] == [
        ("joint1", "ground", "trunk"),
        ("hip", "trunk", "left"),
        ("joint3", "trunk", "right"),
        ("joint4", "ground", "other"),
    ]
    assert (description.joints[1].q_min, description.joints[1].tau_max) == (-1.0, 5.0)
    assert description.links[3].inertia is rows[2].inertia
    assert (description.name, description.base) == ("biped", "free")


def test_coil_of_the_literature_has_its_length() -> None:
    n = 32  # Coil(n): d = 0, a = 1/n, alpha = 5 pi/n (Featherstone 1999b)
    rows = [DHRow(a=1 / n, alpha=5 * np.pi / n) for _ in range(n)]
    description = from_dh(rows).describe()
    zero = {f"joint{i + 1}": 0.0 for i in range(n)}
    np.testing.assert_allclose(pose_of(description, f"body{n}", zero)[:3, 3], (1, 0, 0), atol=ROUND_OFF)


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ([(0, 0, 0)], ArgumentError),
        ([{"a": 1, "alfa": 2}], ArgumentError),
        ([DHRow(kind="spherical")], ArgumentError),
        ([(0, np.nan, 0, 0)], NonFiniteError),
    ],
)
def test_wrong_rows_are_refused(table: list[object], error: type[Exception]) -> None:
    with pytest.raises(error, match="row 1"):
        from_dh(table)


def test_unknown_convention_is_refused() -> None:
    with pytest.raises(ArgumentError, match="medial"):
        dh_transform(0, 0, 0, 0, convention="medial")
