"""Environments of Gymnasium; importing this registers "tarsus/HRP2Stand-v0" and "tarsus/QuadrupedWalk-v0"."""

try:
    import gymnasium
except ImportError as error:
    raise ImportError("tarsus.gym needs Gymnasium: pip install 'tarsus[gym]'") from error

from tarsus.gym import policies
from tarsus.gym.hrp2_stand import HRP2StandVectorEnv
from tarsus.gym.quadruped_walk import QuadrupedWalkVectorEnv
from tarsus.gym.robot_env import RobotEnv
from tarsus.gym.robot_vector_env import RobotVectorEnv
from tarsus.gym.start import Start

__all__ = ["HRP2StandVectorEnv", "QuadrupedWalkVectorEnv", "RobotEnv", "RobotVectorEnv", "Start", "policies"]

gymnasium.register(
    "tarsus/HRP2Stand-v0",
    entry_point="tarsus.gym.hrp2_stand:hrp2_stand",
    vector_entry_point="tarsus.gym.hrp2_stand:HRP2StandVectorEnv",
    max_episode_steps=500,
)
gymnasium.register(
    "tarsus/QuadrupedWalk-v0",
    entry_point="tarsus.gym.quadruped_walk:quadruped_walk",
    vector_entry_point="tarsus.gym.quadruped_walk:QuadrupedWalkVectorEnv",
    max_episode_steps=500,
)
