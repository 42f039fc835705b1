"""One horizon in one native call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import ArgumentError, ClosureError, UnknownNameError, nearest
from tarsus.ik.predictive.costs import Costs
from tarsus.ik.predictive.motion import Plan
from tarsus.ik.predictive.task_path import TaskPath
from tarsus.ik.velocity.damped import MOST, NEAR
from tarsus.model import Model
from tarsus.model.joint import JOINT_TRAITS
from tarsus.spatial._arrays import as_vector

STATUS = tuple(_native.enumeration("PredictiveStatus"))
PARTS = tuple(_native.enumeration("CostPart"))
NOT_EVALUABLE = "not evaluable"


@dataclass(frozen=True, eq=False)
class Method:
    """How one horizon is optimised; see `optimize`."""

    augmented: bool = False
    free_start: bool = False
    local: bool = False
    steepest: bool = False
    step: float = 0.0
    tolerance: float = 1e-6
    most: FloatArray | None = None


class NativeHorizon:
    """Costs of a model as the native core reads them, for horizons one after the other."""

    def __init__(self, model: Model, costs: Costs) -> None:
        if not isinstance(costs, Costs):
            raise ArgumentError(f"costs is {costs!r}; expected Costs")
        self.model, self.costs = model, costs
        self.scene = None if costs.collision is None else costs.collision.scene
        if self.scene is not None and self.scene.model is not model:
            raise ArgumentError(
                f"the scene of CollisionCost is one of model {self.scene.model.name!r}; expected the same model object"
            )
        self._table = {**self._velocity(), **self._limits(), **self._collision(), **self._posture()}
        self._table["weight"] = np.array([self._weight(part) for part in PARTS])

    def run(
        self,
        path: TaskPath,
        q0: FloatArray,
        guess: FloatArray,
        method: Method,
        iterations: int,
        u0: FloatArray | None = None,
        step: float = 0.0,
        t0: float = 0.0,
    ) -> Plan:
        """Optimise, or evaluate with iterations = 0.

        Parameters
        ----------
        guess : ndarray, shape (steps, nv)
        u0 : ndarray, shape (nv,), optional
            u at the start of an augmented state; zeros by default.
        step : float
            First length of steps; 0 where none is known.
        t0 : float
            Time of the first sample [s].
        """
        n, nv, nq = path.steps, self.model.nv, self.model.nq
        length, history = np.array([step]), np.zeros(iterations + 1)
        out: dict[str, Any] = {
            "input": np.array(guess, dtype=float),
            "q": np.zeros((n + 1, nq)),
            "v": np.zeros((n, nv)),
            "u": np.zeros((n, nv)),
            "adjoint": np.zeros((n + 1, nv)),
            "gradient": np.zeros((n, nv)),
            "error": np.zeros(n + 1),
            "damped": np.zeros(n),
        }
        run = {
            **self._table,
            **out,
            "steps": n,
            "dt": path.dt,
            "near": NEAR,
            "damping": MOST,
            "q0": np.ascontiguousarray(q0),
            "target": path.target,
            "rate": path.rate,
            "gain": path.gain,
            "augmented": int(method.augmented),
            "free_start": int(method.free_start),
            "local": int(method.local),
            "steepest": int(method.steepest),
            "step": method.step,
            "tolerance": method.tolerance,
            "max_iterations": iterations,
            "u0": np.zeros(nv) if u0 is None else np.ascontiguousarray(u0),
            "most": method.most,
            "length": length,
            "history": history,
        }
        volumes = None if self.scene is None else self.scene._table
        status, done, tried, failed, parts = path.core.predict(run, volumes)
        if STATUS[status] == NOT_EVALUABLE:
            raise self._refusal(failed, n, t0 + failed * path.dt)
        return Plan(
            self.model,
            self.scene,
            t0 + path.dt * np.arange(n + 1, dtype=float),
            out["q"],
            out["v"],
            out["u"],
            float(sum(parts)),
            dict(zip(PARTS, parts, strict=True)),
            out["error"],
            out["damped"],
            "local" if method.local else STATUS[status],
            out["input"],
            out["gradient"],
            out["adjoint"],
            history[: done + 1],
            done,
            tried,
            float(length[0]),
        )

    def _refusal(self, sample: int, samples: int, t: float) -> Exception:
        """What is said of a motion that cannot be evaluated from a sample on."""
        where = f"the motion cannot be evaluated at t = {t:.6g} s (sample {sample} of {samples})"
        if self.model.loops or self.model.couplings:
            return ClosureError(f"{where}: a loop does not close there, or numbers overflow")
        return ArgumentError(f"{where}: numbers overflow; take gains, inputs or weights that fit to the step")

    def _weight(self, part: str) -> float:
        if part in ("velocity", "acceleration"):
            return float(getattr(self.costs, part))
        term = getattr(self.costs, part)
        return 0.0 if term is None else float(term.weight)

    def _velocity(self) -> dict[str, Any]:
        return {"velocity_scale": np.ascontiguousarray(self.costs.scales(self.model.nv))}

    def _flat(self, names: tuple[str, ...] | None) -> tuple[IntArray, IntArray]:
        """Places in q and v of the coordinates that are plain numbers, of all joints or of some."""
        model = self.model
        for name in names or ():
            if name not in model.joints:
                raise UnknownNameError(f"joint {name!r} of PostureCost not found{nearest(name, model.joints)}")
            joint = model.joints[name]
            if not JOINT_TRAITS[joint.kind].flat or joint.v_index.start == joint.v_index.stop:
                raise ArgumentError(
                    f"joint {name!r} of PostureCost has no coordinate of its own that is a plain number"
                )
        joints = [joint for joint in model.joints.values() if JOINT_TRAITS[joint.kind].flat]
        chosen = [joint for joint in joints if names is None or joint.name in names]
        at_q = [k for joint in chosen for k in range(joint.q_index.start, joint.q_index.stop)]
        at_v = [k for joint in chosen for k in range(joint.v_index.start, joint.v_index.stop)]
        return np.array(at_q, dtype=np.int32), np.array(at_v, dtype=np.int32)

    def _limits(self) -> dict[str, Any]:
        term, model = self.costs.limits, self.model
        at_q, at_v = self._flat(None)
        lower, upper = model.q_min[at_q], model.q_max[at_q]
        kept = (np.isfinite(lower) | np.isfinite(upper)) & (term is not None)
        at_q, at_v, lower, upper = at_q[kept], at_v[kept], lower[kept], upper[kept]
        gain, activation = (np.ones(len(at_q)), np.ones(len(at_q))) if term is None else term.scaled(lower, upper)
        return {
            "bounds": len(at_q),
            "bound_q": at_q,
            "bound_v": at_v,
            "lower": np.ascontiguousarray(lower),
            "upper": np.ascontiguousarray(upper),
            "bound_gain": gain,
            "bound_activation": activation,
            "limit_kind": _native.enumeration("PotentialKind")["quadratic" if term is None else term.kind],
            "limit_switch": 0.5 if term is None else term.switch,
        }

    def _collision(self) -> dict[str, Any]:
        term = self.costs.collision
        return {
            "collision_kind": _native.enumeration("PotentialKind")["cubic" if term is None else term.kind],
            "collision_gain": 1.0 if term is None else float(term.gain),
            "collision_activation": 1.0 if term is None else float(term.activation),
            "collision_switch": 0.5 if term is None else float(term.switch),
        }

    def _posture(self) -> dict[str, Any]:
        term, model = self.costs.posture, self.model
        if term is None:
            at_q, at_v = self._flat(())
            target, scale = model.reference, 1.0
        else:
            at_q, at_v = self._flat(None if term.joints is None else tuple(term.joints))
            target = (
                model.reference if term.target is None else as_vector(term.target, "target of PostureCost", model.nq)
            )
            scale = float(term.scale)
        return {
            "postured": len(at_q),
            "posture_q": at_q,
            "posture_v": at_v,
            "posture_target": np.ascontiguousarray(target[at_q]),
            "posture_scale": np.full(len(at_q), scale),
        }
