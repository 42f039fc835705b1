"""Contact forces in reports, on ground with edges."""

import numpy as np

import tarsus as ts
from tarsus.contact.ground_document import ground_to_document
from tarsus.plots.report.contacts import cone_section, touches
from tarsus.walking.walker.terrain import kerbs

HEIGHT = 0.03


def pressed(places, force):
    """A recording of one moment, on kerbs: forces on places of a body."""
    model = ts.robots.planar4()
    names = [f"toe.{k}" for k in range(len(places))]
    metadata = {"ground": ground_to_document(kerbs(HEIGHT)), "contact_bodies": ["toe"] * len(names)}
    return ts.Trajectory(
        model,
        np.zeros(1),
        np.zeros((1, model.nq)),
        np.zeros((1, model.nv)),
        contacts=tuple(names),
        contact_position=np.array([places], dtype=float),
        contact_force=np.broadcast_to(np.asarray(force, dtype=float), (1, len(places), 3)),
        metadata=metadata,
    )


def test_weight_on_the_edges_of_kerbs_is_inside_its_cones():
    run = pressed([(1.0, 0.0, HEIGHT - 1e-3), (2.0, -0.016, HEIGHT - 1e-3)], (24.6, 16.5, 289.0))
    (touch,) = touches(run)
    assert touch.normal[0] == np.float64(2.0 * 289.0)
    found = cone_section(run)
    assert not found.warning and "Beyond" not in found.note


def test_forces_beyond_the_cone_of_the_ground_beside_kerbs_are_told():
    for place in ((1.5, 0.0, HEIGHT - 1e-4), (0.9, 0.0, -1e-4)):
        found = cone_section(pressed([place], (240.0, 0.0, 200.0)))  # one and a half times what friction of 0.8 allows
        assert found.warning
        assert "Beyond their cones: toe by 50 %." in found.note
