"""What is drawn of a walk past obstacles."""

import numpy as np
from walking.obstacles.scenes import planned

from tarsus.geometry.shapes import Box, Capsule
from tarsus.walking.obstacles.scene_shapes import AFTER, BEFORE, VOLUME, scene_shapes


def test_swings_are_drawn_before_and_after_where_they_differ():
    plan = planned("beam")
    shapes = scene_shapes(plan)
    after = [shape for shape in shapes if shape.color == AFTER]
    before = [shape for shape in shapes if shape.color == BEFORE]
    assert 0 < len(before) <= len(after)
    top = max(shape.pose[2, 3] for shape in after)
    assert 0.17 < top < plan.raises.max()  # middles of the pieces of the path over the beam
    assert max(shape.pose[2, 3] for shape in before) < 0.06


def test_obstacles_volumes_and_footsteps_are_drawn():
    plan = planned("beam")
    shapes = scene_shapes(plan)
    assert any(shape.name == "beam" for shape in shapes)
    assert sum(isinstance(shape.geometry, Box) for shape in shapes) == 1 + len(plan.walk.footsteps)
    volumes = [shape for shape in shapes if shape.color == VOLUME]
    assert volumes
    assert not [shape for shape in scene_shapes(plan, volumes=False) if shape.color == VOLUME]
    for shape in volumes:
        assert isinstance(shape.geometry, Capsule)
        np.testing.assert_allclose(np.linalg.det(shape.pose[:3, :3]), 1.0)
