"""One robot as an environment of Gymnasium."""

from __future__ import annotations

from typing import Any, final

import gymnasium
import numpy as np
import numpy.typing as npt

from tarsus.gym.robot_vector_env import Float32Array, RobotVectorEnv


@final
class RobotEnv(gymnasium.Env[Float32Array, Float32Array]):
    """The only robot of a vector environment, without its automatic resets.

    Parameters
    ----------
    robots : RobotVectorEnv
        Of one robot.
    """

    metadata = {"render_modes": []}

    def __init__(self, robots: RobotVectorEnv) -> None:
        self.robots = robots
        self.metadata = {"render_modes": [], "render_fps": robots.metadata["render_fps"]}
        self.action_space, self.observation_space = robots.single_action_space, robots.single_observation_space
        self.render_mode = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float32Array, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        seen, _ = self.robots.reset(seed=seed, options=options)
        return seen[0], {}

    def step(self, action: npt.ArrayLike) -> tuple[Float32Array, float, bool, bool, dict[str, Any]]:
        """Act on the robot; an episode that has ended goes on until it is reset."""
        seen, reward, terminated, truncated, _ = self.robots.step(np.asarray(action)[None])
        self.robots.go_on()
        return seen[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), {}
