"""Strips of stances: a panel a stance, with its name, load and contacts."""

import matplotlib.image
import numpy as np
import pytest

import tarsus as ts
from tarsus.control import Contact, Release, first_stance, stance_sequence
from tarsus.errors import TarsusError
from tarsus.viewer import draw_stances

SOLE = [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.05, 0.05)]


def test_every_stance_has_a_panel_with_its_name_load_and_contacts(tmp_path):
    model = ts.robots.hrp2()
    start = first_stance(model, model.reference, [Contact(f"{side}_sole", SOLE) for side in "lr"], "standing")
    stances = stance_sequence(model, start, [Release("r_sole", name="right foot off")]).stances
    path = tmp_path / "strip.png"
    figure = draw_stances(model, stances, path=path, columns=1, dpi=50)
    titles = [axes.get_title() for axes in figure.axes]
    assert len(titles) == 2
    for number, (title, stance) in enumerate(zip(titles, stances, strict=True)):
        assert title.startswith(f"{number}. {stance.name}") and f"{stance.equilibrium.load:.0%}" in title
    outlines = [[line for line in axes.lines if len(line.get_xdata()) == 5] for axes in figure.axes]
    assert [len(each) for each in outlines] == [2, 1]
    picture = matplotlib.image.imread(path)
    assert picture.shape[0] > picture.shape[1] and np.ptp(picture[..., :3]) > 0.5


def test_bad_input_is_named():
    model = ts.robots.hrp2()
    with pytest.raises(TarsusError, match="stances"):
        draw_stances(model, [])
    start = first_stance(model, model.reference, [Contact(f"{side}_sole", SOLE) for side in "lr"])
    with pytest.raises(TarsusError, match="columns"):
        draw_stances(model, [start], columns=0)
