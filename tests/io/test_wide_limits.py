"""Limits of joints that are written in place of none."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ModelWarning
from tarsus.io.wide_limits import WIDEST

URDF = """<robot name="arm"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="{}" upper="{}" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [("-1e16", "1e16", (-np.inf, np.inf)), ("-1", "1e7", (-1.0, np.inf)), ("-2e6", "2", (-np.inf, 2.0))],
)
def test_limits_that_are_too_wide_are_none_and_told(tmp_path, lower, upper, expected):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.format(lower, upper))
    with pytest.warns(ModelWarning, match="limits of joint 'j' .* are beyond 1e\\+06 and read as none"):
        model = ts.load(path)
    assert (model.q_min[0], model.q_max[0]) == expected
    drawn = np.array([model.random(np.random.default_rng(k)) for k in range(50)])
    assert np.all(np.isfinite(drawn)) and np.abs(drawn).max() <= np.pi + 2.0 and np.ptp(drawn) > 1.0


def test_limits_up_to_the_widest_are_what_they_are(tmp_path, recwarn):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.format(-WIDEST, WIDEST))
    assert ts.load(path).q_max[0] == WIDEST
    assert not [w for w in recwarn if "read as none" in str(w.message)]
