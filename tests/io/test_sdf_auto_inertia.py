"""Inertias that SDF leaves to the collision shapes; numbers of boxes are those of Drake 1.51 (libsdformat)."""

import numpy as np
import pytest

from tarsus.errors import Problem
from tarsus.io.sdf import read_sdf, read_sdf_text
from tarsus.spatial.inertia import Inertia

ROUND_OFF = 1e-12
"""Sums of a few terms, relative."""
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def box(x: float, density: str = "", y: str = "0", yaw: str = "0") -> str:
    return (
        f'<collision name="c{x}"><pose>{x} {y} 0 0 0 {yaw}</pose>{density}'
        "<geometry><box><size>1 2 3</size></box></geometry></collision>"
    )


def inertia(inertial: str, shapes: str) -> tuple[Inertia, list[Problem]]:
    link = f'<link name="a">{inertial}{shapes}</link>'
    description, problems = read_sdf_text(f'<sdf version="1.12"><model name="m">{link}</model></sdf>')
    found = description.links[0].inertia
    assert found is not None
    return found, list(problems)


AUTO = '<inertial auto="true"/>'
DENSITY = '<inertial auto="true"><density>10</density></inertial>'
MASS = '<inertial auto="true"><mass>5</mass></inertial>'


@pytest.mark.parametrize(
    ("inertial", "shapes", "mass", "x", "moments"),
    [
        (AUTO, box(1), 6000.0, 1.0, (6500.0, 11000.0, 8500.0)),
        (DENSITY, box(1) + box(-1, "<density>20</density>"), 180.0, -1.0 / 3.0, (195.0, 330.0, 255.0)),
        (MASS, box(1) + box(-1, "<density>3000</density>"), 5.0, -0.5, (65.0 / 12.0, 110.0 / 12.0, 85.0 / 12.0)),
    ],
)
def test_boxes_weigh_what_their_densities_say(inertial, shapes, mass, x, moments):
    found, problems = inertia(inertial, shapes)
    assert problems == []
    assert found.mass == pytest.approx(mass, rel=ROUND_OFF)
    np.testing.assert_allclose(found.com, (x, 0.0, 0.0), rtol=ROUND_OFF)
    np.testing.assert_allclose(np.diag(found.moments_about_origin), moments, rtol=ROUND_OFF)


def test_a_turned_box_is_turned_with_its_pose():
    found, _ = inertia(AUTO, box(0, yaw="1.5707963267948966"))
    np.testing.assert_allclose(np.diag(found.moments), (5000.0, 6500.0, 2500.0), rtol=ROUND_OFF)


@pytest.mark.parametrize("scale", ["2 2 2", "-2 2 2"])
def test_a_mesh_weighs_what_it_holds(tmp_path, scale):
    """A tetrahedron of edges 2: volume 8/6, centre at a quarter, even where it is mirrored."""
    (tmp_path / "t.obj").write_text(TETRAHEDRON)
    mesh = f"<geometry><mesh><uri>t.obj</uri><scale>{scale}</scale></mesh></geometry>"
    path = tmp_path / "r.sdf"
    link = f'<link name="a">{AUTO}<collision name="c">{mesh}</collision></link>'
    path.write_text(f'<sdf version="1.12"><model name="m">{link}</model></sdf>')
    found = read_sdf(path)[0].links[0].inertia
    assert found is not None
    assert found.mass == pytest.approx(8000.0 / 6.0, rel=ROUND_OFF)
    sign = np.sign(float(scale.split()[0]))
    np.testing.assert_allclose(found.com, (0.5 * sign, 0.5, 0.5), rtol=ROUND_OFF)
    # Of a right tetrahedron of edge h about its corner: m h^2 / 5.
    np.testing.assert_allclose(np.diag(found.moments_about_origin), found.mass * 4.0 / 5.0, rtol=ROUND_OFF)


def test_what_auto_overrides_is_told():
    _, problems = inertia('<inertial auto="true"><pose>1 2 3 0 0 0</pose></inertial>', box(1))
    assert [(p.severity, p.rule) for p in problems] == [("warning", "auto-inertia")]


def test_nothing_to_weigh_is_told():
    found, problems = inertia(AUTO, "")
    assert found.mass == 1.0
    assert [(p.severity, p.rule) for p in problems] == [("warning", "missing-inertia")]


def test_a_density_is_positive():
    _, problems = inertia(AUTO, box(1, "<density>-1</density>"))
    assert ("error", "density") in [(p.severity, p.rule) for p in problems]


def test_a_mesh_that_is_not_there_has_no_inertia():
    shape = "<collision name='c'><geometry><mesh><uri>nobody.stl</uri></mesh></geometry></collision>"
    _, problems = inertia(AUTO, shape)
    assert ("error", "auto-inertia") in [(p.severity, p.rule) for p in problems]
