"""Finding everything that is wrong with a description, in one go."""

from __future__ import annotations

import numpy as np

from tarsus.errors import Problem
from tarsus.model.description import Description
from tarsus.model.merging import MergedBody, merge_fixed
from tarsus.model.tendon_joints import with_tendon_joints
from tarsus.model.validation.couplings import check_couplings, check_loops, check_tendons
from tarsus.model.validation.findings import Findings
from tarsus.model.validation.inertias import check_bodies, check_finite, check_merged_links, check_negative_masses
from tarsus.model.validation.joints import MIN_AXIS_NORM, check_base, check_joints
from tarsus.model.validation.links import check_frames, check_links, check_model, check_volumes
from tarsus.model.validation.tree import check_tree

__all__ = ["MIN_AXIS_NORM", "find_problems", "judge"]


def find_problems(description: Description) -> tuple[Problem, ...]:
    """Everything wrong (errors) or suspicious (warnings) in a description, errors first.

    Inertias are judged body by body after links behind fixed joints have been merged; a defective link in a sound
    body is a warning.
    """
    return judge(description)[0]


def judge(description: Description) -> tuple[tuple[Problem, ...], list[MergedBody]]:
    """Problems of a description, and its bodies with fixed links merged (empty where the tree is not sound).

    Tendons are judged as the joints that they become.
    """
    found = Findings()
    bodies: list[MergedBody] = []
    check_tendons(description, found)
    description = with_tendon_joints(description)
    check_model(description, found)
    check_links(description, found)
    check_joints(description, found)
    check_base(description, found)
    check_frames(description, found)
    check_volumes(description, found)
    check_couplings(description, found)
    check_loops(description, found)
    tree_is_sound = check_tree(description, found)
    if tree_is_sound and not any(p.rule in ("non-finite", "pose") for p in found.problems):
        with np.errstate(all="ignore"):  # sums of huge numbers are found and refused below
            bodies = merge_fixed(description)
            if check_finite(bodies, found):
                check_bodies(bodies, found)
                check_merged_links(description, bodies, found)
    else:
        check_negative_masses(description, found)
    return tuple(sorted(found.problems, key=lambda p: p.severity != "error")), bodies
