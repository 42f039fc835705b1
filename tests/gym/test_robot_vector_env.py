"""Episodes: how they begin, end and begin anew."""

import gymnasium
import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.gym import RobotEnv, RobotVectorEnv, Start


def pendulum():
    builder = ts.ModelBuilder("pendulum").add_link("base").add_link("rod", ts.Inertia.of_sphere(1.0, 0.1, (0, 0, -1.0)))
    builder.add_joint("swing", "revolute", "base", "rod", axis=(0, 1, 0))
    return builder.build()


class Swing(RobotVectorEnv):
    """Ends where the pendulum is beyond 1 rad; the torque is the action, of 1e200 where it is 1 exactly."""

    def __init__(self, num_envs=1, **options):
        super().__init__(num_envs, pendulum(), actions=1, observations=2, ground=None, **options)
        self.begun = np.zeros(num_envs, dtype=int)

    def start(self, rng, robot):
        self.begun[robot] += 1
        return Start(rng.uniform(-0.5, 0.5, 1), np.zeros(1))

    def command(self, actions):
        return np.where(actions == 1.0, 1e200, 20.0 * actions)

    def observation(self, observed):
        return np.concatenate([observed.q, observed.v], axis=-1)

    def reward(self, actions):
        return 1.0 - np.abs(self.sim.q[:, 0])

    def terminated(self):
        return np.abs(self.sim.q[:, 0]) > 1.0


def test_an_episode_that_ends_begins_anew_in_the_next_step_and_not_before():
    env = Swing(4)
    seen, _ = env.reset(seed=0)
    actions = np.zeros((4, 1))
    actions[2] = 0.9
    for _ in range(200):
        seen, reward, terminated, truncated, info = env.step(actions)
        if terminated.any():
            break
    assert terminated.tolist() == [False, False, True, False] and not truncated.any()
    assert abs(seen[2, 0]) > 1.0  # the last state of the episode
    np.testing.assert_array_equal(env.begun, [1, 1, 1, 1])
    seen, reward, terminated, truncated, info = env.step(actions)
    np.testing.assert_array_equal(env.begun, [1, 1, 2, 1])
    assert abs(seen[2, 0]) <= 0.5 and seen[2, 1] == 0.0  # the start: the action was ignored
    assert reward[2] == 0.0 and not terminated.any() and not truncated.any() and info == {}
    assert env.elapsed[2] == 0 and env.elapsed[0] > 1
    _, reward, *_ = env.step(actions)
    assert reward[2] > 0.0 and env.elapsed[2] == 1


def test_robots_that_cannot_be_simulated_are_terminated_and_come_back():
    env = Swing(3)
    env.reset(seed=0)
    actions = np.array([[0.0], [1.0], [0.0]])
    seen, reward, terminated, _, _ = env.step(actions)
    assert terminated.tolist() == [False, True, False] and reward[1] == 0.0
    assert env.sim.failed.tolist() == [False, True, False] and np.isfinite(seen).all()
    seen, _, terminated, _, _ = env.step(np.zeros((3, 1)))
    assert not env.sim.failed.any() and not terminated.any()
    np.testing.assert_array_equal(env.begun, [1, 2, 1])


def test_episodes_are_truncated_after_so_many_actions():
    env = Swing(2, max_episode_steps=7)
    env.reset(seed=0)
    ends = [env.step(np.zeros((2, 1)))[3].tolist() for _ in range(16)]
    assert [k for k, end in enumerate(ends) if end == [True, True]] == [6, 14]


def test_some_robots_are_reset_by_a_mask():
    env = Swing(3)
    env.reset(seed=0)
    before, *_ = env.step(np.zeros((3, 1)))
    seen, _ = env.reset(options={"reset_mask": np.array([False, True, False])})
    np.testing.assert_array_equal(seen[[0, 2]], before[[0, 2]])
    np.testing.assert_array_equal(env.elapsed, [1, 0, 1])
    for mask in (np.ones(2, dtype=bool), np.ones(3)):
        with pytest.raises(ArgumentError, match="expected bool of shape"):
            env.reset(options={"reset_mask": mask})


def test_actions_beyond_their_bounds_act_as_the_bounds_and_wrong_ones_are_named():
    env, other = Swing(2), Swing(2)
    for each in (env, other):
        each.reset(seed=0)
    seen, *_ = env.step(np.full((2, 1), -5.0))
    np.testing.assert_array_equal(seen, other.step(np.full((2, 1), -1.0))[0])
    with pytest.raises(ArgumentError, match=r"shape \(2,\); expected \(2, 1\)"):
        env.step(np.zeros(2))
    with pytest.raises(ArgumentError, match="action of robot 1 is nan at entry 0"):
        env.step([[0.0], [np.nan]])
    with pytest.raises(ArgumentError, match="seed holds 3 numbers; expected 2"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(ArgumentError, match="num_envs is 0"):
        Swing(0)


def test_what_start_draws_is_what_the_robots_are():
    class Heavy(Swing):
        def start(self, rng, robot):
            scale = rng.uniform(0.5, 2.0, 1)
            inertias = ts.simulation.body_inertias(self.sim.model, scale)
            return Start([0.1], [0.0], inertias, command_delay=robot, observation_delay=2 * robot)

    env = Heavy(3)
    env.reset(seed=0)
    masses = env.sim.inertias[:, 1, 0]
    assert len(np.unique(masses)) == 3
    env.reset(options={"reset_mask": np.array([False, True, False])})
    again = env.sim.inertias[:, 1, 0]
    assert again[1] != masses[1]
    np.testing.assert_array_equal(again[[0, 2]], masses[[0, 2]])
    np.testing.assert_array_equal(env.step(np.zeros((3, 1)))[0][0], np.float32([env.sim.q[0, 0], env.sim.v[0, 0]]))


def test_one_robot_goes_on_until_it_is_reset():
    robots = Swing(1)
    env = RobotEnv(robots)
    env.reset(seed=0)
    ended = [env.step([0.9])[2] for _ in range(60)]
    assert ended.count(True) > 1 and robots.begun[0] == 1
    env.reset()
    assert robots.begun[0] == 2
    limited = gymnasium.wrappers.TimeLimit(RobotEnv(Swing(1)), 3)
    limited.reset(seed=0)
    assert [limited.step([0.0])[3] for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize(
    ("hook", "answer", "message"),
    [
        ("command", np.zeros(3), r"Swing.command returned an array of shape \(3,\); expected \(3, 1\)"),
        ("observation", np.zeros((3, 5)), r"Swing.observation returned an array of shape \(3, 5\); expected \(3, 2\)"),
        ("reward", 0.0, r"Swing.reward returned an array of shape \(\); expected \(3,\)"),
        ("terminated", np.zeros((3, 1), bool), r"terminated returned an array of shape \(3, 1\); expected \(3,\)"),
        ("terminated", np.zeros(3), r"Swing.terminated returned float64; expected bool of shape \(3,\)"),
        ("external", np.zeros((3, 6)), r"Swing.external returned an array of shape \(3, 6\); expected \(3, 2, 6\)"),
        ("start", None, "Swing.start returned NoneType; expected a Start"),
        ("start", Start([0.0, 0.0], [0.0]), r"start returned q of robot 0: an array of shape \(2,\); expected \(1,\)"),
    ],
)
def test_a_hook_that_returns_something_else_is_named_with_what_it_returned_and_what_was_expected(hook, answer, message):
    env = Swing(3)
    env.reset(seed=0)
    setattr(env, hook, lambda *given: answer)
    with pytest.raises(ArgumentError, match=message):
        env.step(np.zeros(env.action_space.shape))
        env.reset(seed=1)


class Varied(Swing):
    """Gives friction, or delays, to some robots only."""

    def __init__(self, given, **options):
        self.given = given
        super().__init__(len(given), **options)

    def start(self, rng, robot):
        return Start(np.zeros(1), np.zeros(1), command_delay=2 if self.given[robot] else None)


@pytest.mark.parametrize("given", [(False, True, True), (True, False, True), (True, True, False)])
def test_what_a_start_gives_to_some_robots_only_is_refused_by_name(given):
    """Where the first robot had none, that of the others was dropped without a word."""
    with pytest.raises(
        ArgumentError, match=rf"gave command_delay of robot \d, and none of robot {given.index(False)};"
    ):
        Varied(given).reset(seed=0)
    Varied((True, True)).reset(seed=0)


def test_unknown_options_of_a_reset_are_refused():
    mask = np.array([True])
    with pytest.raises(ArgumentError, match="options holds 'reset_maks'; close: 'reset_mask'; expected 'reset_mask'"):
        Swing().reset(options={"reset_maks": mask})
    with pytest.raises(ArgumentError, match="options holds 'speed'"):
        RobotEnv(Swing()).reset(options={"speed": 1.0})


class Set(Swing):
    """A ball whose reference is inside the ground."""

    def __init__(self, **options):
        ball = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.1)).build()
        skin = [ts.contact.ContactPoint("skin", "ball", radius=0.5)]
        RobotVectorEnv.__init__(
            self, 2, ball, actions=1, observations=13, ground=ts.contact.flat(), contacts=skin, **options
        )

    def start(self, rng, robot):
        return Start([0, 0, 0.6, 1, 0, 0, 0], np.zeros(6))


def test_a_model_whose_reference_is_in_the_ground_is_put_elsewhere_before_its_first_episode():
    with pytest.raises(ArgumentError, match="inside the ground"):
        Set()
    seen, _ = Set(q0=[0, 0, 1.0, 1, 0, 0, 0]).reset(seed=0)
    np.testing.assert_allclose(seen[:, 2], 0.6, atol=1e-6)
