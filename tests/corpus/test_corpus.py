"""MJCF files that nobody here wrote mean the same robots as in MuJoCo; `python -m corpus` in `tests` lists them."""

from collections import Counter

import pytest
from corpus.archives import PACKAGES, mjcf_files, package_directory
from corpus.comparison import compare

AGREEING = {
    "brax": 41,
    "dm_control": 38,
    "gym_aloha": 4,
    "gymnasium": 14,
    "gymnasium-robotics": 30,
    "metaworld": 84,
    "mujoco-mjx": 34,
    "mujoco-warp": 33,
    "myosuite": 1,
    "playground": 15,
    "robopal": 4,
    "robosuite": 49,
}
"""Files of each package with bodies that agree in everything that is compared."""
INCOMPLETE = {"mujoco-mjx": 1, "mujoco-warp": 8}
"""Files of which a part is left out with a warning: flexible bodies, tendons with armature, meshes made by plugins."""


@pytest.mark.long
@pytest.mark.parametrize("package", PACKAGES)
def test_files_of_a_package_mean_the_same_robots_as_in_mujoco(package):
    directory = package_directory(package)
    outcomes = {path: compare(path, directory) for path in mjcf_files(directory)}
    name = package.partition("==")[0]
    counts = Counter(outcome.verdict for outcome in outcomes.values())
    wrong = {path.name: found.detail for path, found in outcomes.items() if found.verdict in ("differs", "refused")}
    assert wrong == {}
    assert counts["agrees"] >= AGREEING[name]
    assert counts["incomplete"] <= INCOMPLETE.get(name, 0)
