"""The environments that are registered with Gymnasium, and the policies that were written for them."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import tarsus as ts
import tarsus.gym
from tarsus.contact import HeightField
from tarsus.gym import HRP2StandVectorEnv, QuadrupedWalkVectorEnv, policies
from tarsus.robots.quadruped import LEGS

NAMES = ("tarsus/HRP2Stand-v0", "tarsus/QuadrupedWalk-v0")
ACTIONS = 500
"""Of 0.02 s: 10 s."""


def run(env, policy, seed, actions=ACTIONS):
    """Robots that have fallen on the way, and rewards of all; the robots are at the end of their episodes."""
    seen, _ = env.reset(seed=seed)
    fallen, rewards = np.zeros(env.num_envs, dtype=bool), np.zeros(env.num_envs)
    for _ in range(actions):
        seen, reward, terminated, _, _ = env.step(policy(seen))
        fallen |= terminated
        rewards += reward
    return fallen, rewards


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_checker_warns_of_nothing_but_unbounded_observations(name):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        env = gymnasium.make(name)
        check_env(env.unwrapped)
    assert all("infinity" in str(warning.message) for warning in told)
    assert env.spec.max_episode_steps == ACTIONS


@pytest.mark.parametrize("name", NAMES)
def test_make_vec_makes_one_simulation_and_states_its_autoreset_mode(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make_vec(name, num_envs=3)
    assert env.unwrapped.sim.batch == (3,)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert env.unwrapped.max_episode_steps == ACTIONS
    seen, info = env.reset(seed=1)
    assert seen in env.observation_space and info == {}


@pytest.mark.parametrize("name", NAMES)
def test_a_robot_of_many_is_the_one_of_its_own_environment_bit_by_bit(name):
    rng = np.random.default_rng(0)
    many = gymnasium.make_vec(name, num_envs=5)
    alone = gymnasium.make(name)
    actions = rng.uniform(-1.0, 1.0, (30, 5, 12)).astype(np.float32)
    kept = [many.reset(seed=7)[0]]
    rewards = []
    for action in actions:
        seen, reward, *_ = many.step(action)
        kept.append(seen)
        rewards.append(reward)
    np.testing.assert_array_equal(alone.reset(seed=7 + 3)[0], kept[0][3])
    for k, action in enumerate(actions):
        seen, reward, terminated, _, _ = alone.step(action[3])
        np.testing.assert_array_equal(seen, kept[k + 1][3])
        assert reward == rewards[k][3]
        if terminated:
            break


def test_seeds_decide_everything_and_go_on_where_they_are_left_out():
    env = QuadrupedWalkVectorEnv(4, randomised=True, max_episode_steps=5)
    actions = np.random.default_rng(1).uniform(-1.0, 1.0, (12, 4, 12))

    def episode(seed):
        return [env.reset(seed=seed)[0], *(env.step(action)[0] for action in actions)]

    first = episode(3)
    between = episode(None)
    np.testing.assert_array_equal(episode(3), first)
    np.testing.assert_array_equal(episode(None), between)
    assert np.any(between[0] != first[0])
    np.testing.assert_array_equal(episode([6, 5, 4, 3])[0][3], first[0][0])


def test_hrp2_survives_ten_seconds_of_pushes_that_throw_one_who_holds_still():
    env = HRP2StandVectorEnv(48)
    balanced, rewards = run(env, policies.balance, seed=0)
    assert not balanced.any()
    stiff, others = run(env, lambda seen: np.zeros((48, 12)), seed=0)
    assert stiff.sum() >= 3
    assert rewards.mean() > others.mean()


def test_pushes_are_those_of_the_docstring():
    env = HRP2StandVectorEnv(6)
    env.reset(seed=0)
    forces = []
    for _ in range(ACTIONS):
        wrenches = env.external()
        forces.append(np.zeros((6, 2)) if wrenches is None else wrenches[:, 0, :2])
        env.elapsed += 1
    size = np.linalg.norm(forces, axis=-1)  # (actions, robots)
    assert np.all((size == 0.0) | ((200.0 <= size) & (size <= 300.0)))
    np.testing.assert_array_equal((size > 0.0).sum(axis=0), 5 * 5)  # five pushes of 0.1 s


@pytest.mark.parametrize("randomised", [False, True])
def test_the_quadruped_trots_for_ten_seconds_near_the_speed_it_is_told(randomised):
    env = QuadrupedWalkVectorEnv(32, randomised=randomised, max_episode_steps=None)
    fallen, _ = run(env, policies.trot, seed=1)
    assert not fallen.any()
    q = env.sim.q
    np.testing.assert_allclose(q[:, 0] / 10.0, env.speed, rtol=0.15 if randomised else 0.1)
    assert np.abs(q[:, 1]).max() < 0.5
    assert np.ptp(env.speed) > 0.3


def test_the_quadruped_lifts_all_of_its_feet():
    env = QuadrupedWalkVectorEnv(1)
    seen, _ = env.reset(seed=0)
    clear = dict.fromkeys(LEGS, 0.0)
    for _ in range(100):
        seen, *_ = env.step(policies.trot(seen))
        for leg in LEGS:
            clear[leg] = max(clear[leg], ts.frame_pose(env.sim.model, env.sim.q[0], f"{leg}_foot")[2, 3] - 0.02)
    assert min(clear.values()) > 0.02


def test_the_quadruped_walks_on_ground_of_its_own():
    rng = np.random.default_rng(0)
    grounds = [
        ts.contact.Ground([HeightField(height * rng.random((161, 41)), spacing=0.1, origin=(-2.0, -8.0))])
        for height in (0.0, 0.01, 0.02)
    ]
    env = QuadrupedWalkVectorEnv(3, ground=grounds, max_episode_steps=None)
    fallen, _ = run(env, policies.trot, seed=1, actions=150)
    assert not fallen.any()
    assert np.all(env.sim.q[:, 0] > 0.3)


def test_observations_are_what_the_docstrings_say():
    env = QuadrupedWalkVectorEnv(2)
    seen, _ = env.reset(seed=0)
    seen, *_ = env.step(np.zeros((2, 12)))
    q, v = env.sim.q, env.sim.v
    R = ts.frame_pose(env.sim.model, q, "trunk")[:, :3, :3]
    np.testing.assert_allclose(seen[:, :3], R[:, 2], atol=1e-6)
    np.testing.assert_allclose(seen[:, 3:9], v[:, :6], atol=1e-6)
    np.testing.assert_allclose(seen[:, 9], np.arctan2(R[:, 1, 0], R[:, 0, 0]), atol=1e-6)
    np.testing.assert_allclose(seen[:, 10], env.speed, atol=1e-6)
    np.testing.assert_allclose(seen[:, 11:13], [[np.sin(0.1 * np.pi), np.cos(0.1 * np.pi)]] * 2, atol=1e-6)
    np.testing.assert_allclose(seen[:, 13:25], q[:, 7:] - env.sim.model.reference[7:], atol=1e-6)
    np.testing.assert_allclose(seen[:, 25:], 0.1 * v[:, 6:], atol=1e-6)


def test_the_centre_of_mass_that_is_seen_is_the_one_between_the_soles():
    env = HRP2StandVectorEnv(2)
    env.reset(seed=0)
    for _ in range(30):
        seen, *_ = env.step(np.zeros((2, 12)))
    model, q, v = env.sim.model, env.sim.q, env.sim.v

    def between_soles(q):
        soles = ts.frame_poses(model, q, ["l_sole", "r_sole"])[..., :3, 3].mean(axis=-2)
        return (ts.center_of_mass(model, q) - soles)[..., :2]

    np.testing.assert_allclose(seen[:, 9:11], between_soles(q) - between_soles(model.reference), atol=1e-6)
    speed = np.einsum("...ij,...j->...i", ts.com_jacobian(model, q), v)[..., :2]
    np.testing.assert_allclose(seen[:, 11:13], speed, atol=1e-6)


def test_the_package_is_registered_under_its_own_namespace():
    assert {name for name in gymnasium.registry if name.startswith("tarsus/")} == set(NAMES)
    assert tarsus.gym.__doc__ is not None
