"""HRP-2 reaches below a table with both hands while it stands: `examples/reach_below_table.py`."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from ik.true_shapes import TrueShapes

import tarsus as ts
from tarsus.geometry.shapes import Box
from tarsus.geometry.support_polygon import support_polygon
from tarsus.recording import open_recording

EXAMPLE = Path(__file__).parents[3] / "examples" / "reach_below_table.py"
KEPT = 1e-6
CORNERS = [f"{side}_sole_{end}_{edge}" for side in "lr" for end in ("front", "rear") for edge in ("left", "right")]


@pytest.mark.long
def test_the_example_runs_and_nothing_touches_or_falls(tmp_path):
    result = subprocess.run([sys.executable, str(EXAMPLE)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "arrived after" in result.stdout
    run = open_recording(tmp_path / "reach_below_table.h5")
    model, q = run.model, run.q
    names = {surface.name: surface for surface in run.ground.surfaces[1:]}
    around = {name: (Box(block.size), np.asarray(block.pose)) for name, block in names.items()}
    assert "table top" in around
    assert TrueShapes(model, around).touching(q) == set()
    soles = ts.frame_poses(model, q, ["l_sole", "r_sole"])
    assert np.abs(soles - soles[0]).max() < KEPT
    corners = ts.frame_poses(model, q[0], CORNERS)[:, :3, 3]
    polygon = support_polygon(corners, np.tile([0.0, 0.0, 1.0], (len(corners), 1)))[:, :2]
    sides = np.roll(polygon, -1, axis=0) - polygon
    for com in ts.center_of_mass(model, q)[:, :2]:
        left = sides[:, 0] * (com - polygon)[:, 1] - sides[:, 1] * (com - polygon)[:, 0]
        assert (left > 0).all()  # corners go round counter-clockwise
    hands = ts.frame_poses(model, q[-1], ["l_hand", "r_hand"])[:, :3, 3]
    top = np.asarray(names["table top"].pose)[:3, 3]
    assert (np.abs(hands[:, :2] - top[:2]) < np.array(names["table top"].size[:2]) / 2).all()
    assert (hands[:, 2] < top[2] - 0.1).all()
    assert (tmp_path / "reach_below_table.png").stat().st_size > 10_000
