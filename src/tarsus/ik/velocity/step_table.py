"""Limits of joints as the native step reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.ik.velocity.joint_limits import Limits, flat_coordinates, follower_limits
from tarsus.model import Model


def limit_table(model: Model, limits: Limits | None) -> dict[str, Any]:
    """Entries of `StepLimits` (`native/ik/step_run.hpp`)."""
    own = Limits(position=False, velocity=False) if limits is None else limits
    place = flat_coordinates(model)
    low, high = model.q_min[place.q], model.q_max[place.q]
    limited = (np.isfinite(low) | np.isfinite(high)) & own.position
    followers = follower_limits(model)
    fast = followers.v_max if own.velocity is True else np.full(len(followers.v), np.inf)
    q_min = followers.q_min if own.position else np.full(len(followers.v), -np.inf)
    q_max = followers.q_max if own.position else np.full(len(followers.v), np.inf)
    bound = np.isfinite(fast) | np.isfinite(q_min) | np.isfinite(q_max)
    v_max, a_max = own.speeds(model), own.accelerations(model)
    return {
        "bounded": int(limited.any() or np.isfinite(v_max).any() or np.isfinite(a_max).any()),
        "share": float(own.share),
        "flats": int(limited.sum()),
        "flat_q": place.q[limited].astype(np.int32),
        "flat_v": place.v[limited].astype(np.int32),
        "q_min": np.ascontiguousarray(low[limited]),
        "q_max": np.ascontiguousarray(high[limited]),
        "v_max": v_max,
        "a_max": a_max,
        "followers": int(bound.sum()),
        "follower_q": followers.q[bound].astype(np.int32),
        "follower_v": followers.v[bound].astype(np.int32),
        "follower_min": np.ascontiguousarray(q_min[bound]),
        "follower_max": np.ascontiguousarray(q_max[bound]),
        "follower_speed": np.ascontiguousarray(fast[bound]),
    }
