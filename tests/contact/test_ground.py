"""What a ground is made of."""

import pytest

from tarsus.contact import Ground, Plane
from tarsus.errors import ArgumentError
from tarsus.geometry import shapes


@pytest.mark.parametrize("put", [lambda s: Ground(s), lambda s: Ground([Plane(), s]), lambda s: Ground(Plane(), s)])
@pytest.mark.parametrize(
    ("thing", "told"),
    [(shapes.Plane(), "not tarsus.geometry.shapes.Plane"), (3.0, "not float"), (None, "not NoneType")],
)
def test_what_is_no_surface_is_named(put, thing, told):
    with pytest.raises(ArgumentError, match=f"of tarsus.contact, {told}"):
        put(thing)


def test_surfaces_come_alone_or_together():
    a, b = Plane(name="a"), Plane(name="b")
    assert Ground(a, b).surfaces == Ground([a, b]).surfaces == Ground(a, [b]).surfaces == (a, b)
