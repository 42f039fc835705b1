"""A batch of robots as a vector environment of Gymnasium."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv

from tarsus.arrays import BoolArray, FloatArray
from tarsus.contact import Contactor, Ground
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.errors import ArgumentError, nearest
from tarsus.gym.start import Start
from tarsus.simulation.stepping.simulation import Simulation

if TYPE_CHECKING:
    from tarsus.model import Model

Float32Array = npt.NDArray[np.float32]

_VARIED = ("inertias", "friction", "command_delay", "observation_delay")


class RobotVectorEnv(VectorEnv[Float32Array, Float32Array, npt.NDArray[Any]]):
    """Robots of one model that are stepped together.

    A subclass says what an episode is by `start`, `command`, `observation`, `reward` and `terminated`. Robots do not
    touch each other. Robot i of a `reset` with the seed s is, bit by bit, robot 0 of one with the seed s + i.

    An episode that has ended begins anew in the next `step`, which ignores the action of that robot and returns its
    start with no reward (`AutoresetMode.NEXT_STEP`). Robots that cannot be simulated any further are terminated, with a
    reward of 0.

    Parameters
    ----------
    num_envs : int
        Number of robots.
    model : Model
    actions, observations : int
        Lengths of the action and of the observation of one robot; actions are from -1 to 1.
    ground, contacts, dt, threads
        As of `ts.Simulation`.
    q0 : array_like, shape (nq,) or (num_envs, nq), optional
        Where robots are before their first episode begins; the model's reference pose by default, which may be inside
        the ground.
    steps : int
        Steps of dt from one action to the next.
    max_episode_steps : int, optional
        Actions after which an episode is truncated.

    Attributes
    ----------
    sim : Simulation
        The robots.
    elapsed : ndarray of int, shape (num_envs,)
        Actions since the start of the present episodes.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int,
        model: Model,
        *,
        actions: int,
        observations: int,
        ground: Ground | Sequence[Ground] | None,
        contacts: Iterable[Contactor] | None = None,
        q0: npt.ArrayLike | None = None,
        dt: float = 2e-3,
        steps: int = 10,
        threads: int = 1,
        max_episode_steps: int | None = None,
    ) -> None:
        if not isinstance(num_envs, int | np.integer) or num_envs < 1:
            raise ArgumentError(f"num_envs is {num_envs!r}; expected a number of robots")
        if not isinstance(steps, int | np.integer) or steps < 1:
            raise ArgumentError(f"steps is {steps!r}; expected a whole number above 0")
        self.num_envs, self.steps, self.max_episode_steps = int(num_envs), int(steps), max_episode_steps
        self.sim = Simulation(model, q0, batch=self.num_envs, ground=ground, contacts=contacts, dt=dt,
                                       threads=threads)  # fmt: skip
        self.metadata = {**type(self).metadata, "render_fps": round(1.0 / (steps * dt))}
        self.render_mode = None
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (actions,), np.float32)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (observations,), np.float32)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, self.num_envs)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, self.num_envs)
        self.elapsed = np.zeros(self.num_envs, dtype=np.int64)
        self._ended = np.ones(self.num_envs, dtype=bool)
        self._generators = [np.random.default_rng() for _ in range(self.num_envs)]

    # -- what an episode is -----------------------------------------------------------------------------------------

    @abstractmethod
    def start(self, rng: np.random.Generator, robot: int) -> Start:
        """Draw how an episode of one robot begins.

        What else belongs to it (a speed to keep, pushes to come) is drawn here, too, and kept in arrays of the
        environment at the place `robot`.
        """

    @abstractmethod
    def command(self, actions: FloatArray) -> FloatArray | JointLaw:
        """Torques (num_envs, nv) or a joint law, from actions (num_envs, actions) between -1 and 1."""

    @abstractmethod
    def observation(self, observed: Observation) -> FloatArray:
        """What policies see, shape (num_envs, observations); of `sim.observe()`, delays included."""

    @abstractmethod
    def reward(self, actions: FloatArray) -> FloatArray:
        """Of the present state and the actions that led to it, shape (num_envs,)."""

    @abstractmethod
    def terminated(self) -> BoolArray:
        """Robots whose episode ends with the present state, shape (num_envs,)."""

    def external(self) -> FloatArray | None:
        """Wrenches on the bodies (num_envs, nb, 6) until the next action: see `Simulation.step`. None by default."""
        return None

    # -- Gymnasium --------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float32Array, dict[str, Any]]:
        """Begin new episodes.

        Parameters
        ----------
        seed : int or sequence of int, optional
            Of robot 0, which is followed by the others, or of each; where it is left out random numbers go on.
        options : dict, optional
            ``"reset_mask"``: bool (num_envs,), robots whose episode begins anew; all by default.
        """
        chosen = np.ones(self.num_envs, dtype=bool)
        for name in options or {}:
            if name != "reset_mask":
                raise ArgumentError(
                    f"options holds {name!r}{nearest(str(name), ('reset_mask',))}; expected 'reset_mask'"
                )
        if options and "reset_mask" in options:
            chosen = np.asarray(options["reset_mask"])
            if chosen.dtype != bool or chosen.shape != (self.num_envs,):
                raise ArgumentError(
                    f"reset_mask is {chosen.dtype} of shape {chosen.shape}; expected bool of shape ({self.num_envs},)"
                )
        seeds = _seeds(seed, self.num_envs)
        for i in np.flatnonzero(chosen):
            if seeds[i] is not None:
                self._generators[i] = np.random.default_rng(seeds[i])
        self._begin(chosen)
        return self._seen(), {}

    def step(self, actions: npt.ArrayLike) -> tuple[Float32Array, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Act on all robots, and begin new episodes of those whose last one had ended."""
        given = np.asarray(actions, dtype=float)
        if given.shape != self.action_space.shape:
            raise ArgumentError(f"actions have shape {given.shape}; expected {self.action_space.shape}")
        if not np.isfinite(given).all():
            robot, entry = np.argwhere(~np.isfinite(given))[0]
            raise ArgumentError(f"action of robot {robot} is {given[robot, entry]} at entry {entry}; expected numbers")
        given = np.clip(given, -1.0, 1.0)
        again = self._ended.copy()
        self.sim.step(self._command(given), external=self._external(), steps=self.steps)
        self.elapsed += 1
        lost = self.sim.failed
        reward = np.where(lost | again, 0.0, self._told("reward", self.reward(given), (self.num_envs,)))
        ends = self._told("terminated", self.terminated(), (self.num_envs,), bool)
        terminated = (lost | ends) & ~again
        truncated = np.zeros(self.num_envs, dtype=bool)
        if self.max_episode_steps is not None:
            truncated = (self.elapsed >= self.max_episode_steps) & ~again & ~terminated
        if again.any():
            self._begin(again)
        self._ended = terminated | truncated
        return self._seen(), reward, terminated, truncated, {}

    def go_on(self) -> None:
        """Let episodes that have ended go on, instead of beginning anew in the next step."""
        self._ended[:] = False

    def _begin(self, chosen: BoolArray) -> None:
        """Begin episodes of these robots."""
        robots = np.flatnonzero(chosen)
        starts = [self.start(self._generators[i], int(i)) for i in robots]
        for start in starts:
            if not isinstance(start, Start):
                raise ArgumentError(f"{type(self).__name__}.start returned {type(start).__name__}; expected a Start")
        if not starts:
            return
        varied = {}
        for name in _VARIED:
            own = [getattr(start, name) for start in starts]
            given = [i for i, value in zip(robots, own, strict=True) if value is not None]
            if given and len(given) < len(own):
                without = next(int(i) for i in robots if i not in given)
                raise ArgumentError(
                    f"{type(self).__name__}.start gave {name} of robot {given[0]}, and none of robot {without}; "
                    "expected it of every robot in every episode, or of none"
                )
            if given:
                varied[name] = _spread(np.array(own), robots, self.num_envs)
        if varied:
            self.sim.vary(**varied, where=chosen)
        q, v = (
            _spread(np.array([self._told("start", getattr(start, name), (size,), what=f"{name} of robot {i}: ")
                              for i, start in zip(robots, starts, strict=True)]), robots, self.num_envs)
            for name, size in (("q", self.sim.model.nq), ("v", self.sim.model.nv))
        )  # fmt: skip
        self.sim.reset(q, v, where=chosen)
        self.elapsed[chosen] = 0
        self._ended[chosen] = False

    def _seen(self) -> Float32Array:
        shape = self.observation_space.shape
        assert shape is not None
        return self._told("observation", self.observation(self.sim.observe()), shape).astype(np.float32)

    def _command(self, actions: FloatArray) -> FloatArray | JointLaw:
        found = self.command(actions)
        return (
            found if isinstance(found, JointLaw) else self._told("command", found, (self.num_envs, self.sim.model.nv))
        )

    def _external(self) -> FloatArray | None:
        found = self.external()
        return None if found is None else self._told("external", found, (self.num_envs, len(self.sim.model.bodies), 6))

    def _told(
        self, hook: str, found: Any, expected: tuple[int, ...], kind: type = float, what: str = ""
    ) -> npt.NDArray[Any]:
        """What a hook of a subclass returned, or an error that names it."""
        name = f"{type(self).__name__}.{hook}"
        try:
            value = np.asarray(found)
        except ValueError as error:
            raise ArgumentError(f"{name} returned {what}{error}; expected shape {expected}") from None
        if value.dtype.kind not in ("b" if kind is bool else "fiub"):
            raise ArgumentError(
                f"{name} returned {what}{found if value.ndim == 0 else value.dtype}; expected {kind.__name__} of shape "
                f"{expected}"
            )
        if value.shape != expected:
            raise ArgumentError(f"{name} returned {what}an array of shape {value.shape}; expected {expected}")
        return value.astype(kind, copy=False)


def _seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """One for each robot: following each other from one number on."""
    if seed is None:
        return [None] * count
    if isinstance(seed, int | np.integer):
        return [int(seed) + i for i in range(count)]
    if len(seed) != count:
        raise ArgumentError(f"seed holds {len(seed)} numbers; expected {count}")
    return list(seed)


def _spread(values: npt.NDArray[Any], robots: npt.NDArray[np.intp], count: int) -> npt.NDArray[Any]:
    """Values of some robots at their places in those of all; the other places hold the first one, and are not used."""
    spread = np.repeat(values[:1], count, axis=0)
    spread[robots] = values
    return spread
