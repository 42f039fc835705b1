"""Volumes in the scene of the viewer: shown on request, replaced, and joined by lines that follow the robot."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.viewer import show
from tarsus.viewer.volumes.layer import VolumeLayer


@pytest.fixture(name="viewer", scope="module")
def _viewer():
    with show(ts.robots.feng18(), port=0, open_browser=False, block=False) as viewer:
        yield viewer


def test_volumes_are_hidden_until_they_are_wanted(viewer):
    layer = viewer.stage.followers[0].__self__
    assert isinstance(layer, VolumeLayer)
    count = sum(map(len, viewer.stage.model.volumes.values()))
    assert len(layer._handles) == count
    assert not any(handle.visible for handle in layer._handles.values())
    layer.show(True)
    assert all(handle.visible for handle in layer._handles.values())


def test_lines_follow_the_robot(viewer):
    layer = viewer.stage.followers[0].__self__
    layer.show_nearest(4)
    assert layer._lines.visible and layer._lines.points.shape == (4, 2, 3)
    before = np.array(layer._lines.points)
    viewer.stage.show(viewer.stage.model.random(np.random.default_rng(1)))
    assert not np.allclose(before, layer._lines.points)
    layer.show_nearest(0)
    assert not layer._lines.visible


def test_volumes_of_one_link_are_replaced(viewer):
    layer = viewer.stage.followers[0].__self__
    volumes = dict(viewer.stage.model.volumes)
    before = dict(layer._handles)
    volumes["head"] = volumes["head"][:1]
    layer.replace(volumes, "head")
    assert [key for key in layer._handles if key[0] == "head"] == [("head", 0)]
    assert all(layer._handles[key] is before[key] for key in layer._handles if key[0] != "head")


def test_models_without_volumes_have_no_layer():
    with show(ts.robots.rabbit(), port=0, open_browser=False, block=False) as viewer:
        assert viewer.stage.followers == []
