"""Distance to a posture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.ik.objectives.objective import Objective
from tarsus.model import Model
from tarsus.tasks import Posture


@dataclass(frozen=True, eq=False)
class PostureDistance(Objective):
    """H = 1/2 |difference(q, target)|^2 of the chosen joints.

    Attributes
    ----------
    target : array_like, shape (..., nq), optional
        The model's reference pose by default.
    joints : iterable of str, optional
        Which joints count; all but the base, free and planar ones by default. Sums of several give joints weights of
        their own.
    """

    target: npt.ArrayLike | None = None
    joints: Iterable[str] | None = None
    _tasks: WeakKeyDictionary[Model, Posture] = field(init=False, repr=False, default_factory=WeakKeyDictionary)

    def __post_init__(self) -> None:
        super().__post_init__()
        task = Posture(self.target, self.joints)  # checks and copies
        object.__setattr__(self, "target", task.target)
        object.__setattr__(self, "joints", task.joints)

    def plain_value(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Half the squared way to the target."""
        e = self._task(model).error(model, q)
        return np.asarray(0.5 * (e * e).sum(axis=-1))

    def plain_gradient(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """The way from the target; for a ball joint, too, since a rotation vector is along its own axis."""
        task = self._task(model)
        e = task.error(model, q)
        gradient = np.zeros((*e.shape[:-1], model.nv))
        gradient[..., task.columns(model)] = -e
        return gradient

    def _task(self, model: Model) -> Posture:
        found = self._tasks.get(model)
        if found is None:
            found = self._tasks[model] = self._made(model)
        return found

    def _made(self, model: Model) -> Posture:
        movers = [name for name, joint in model.joints.items() if joint.kind in ("free", "planar")]
        if self.joints is None:
            names = [name for name in model.joints if name not in movers and name != "base"]
            return Posture(self.target, [name for name in names if _moves(model, name)])
        for name in self.joints:
            if name in movers:
                raise ArgumentError(
                    f"joint {name!r} of PostureDistance moves in a plane or freely; expected joints of a posture: a "
                    "FramePose task places a base"
                )
        return Posture(self.target, self.joints)


def _moves(model: Model, name: str) -> bool:
    index = model.joints[name].v_index
    return bool(index.stop > index.start)
