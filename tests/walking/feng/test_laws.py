"""Visual lifting, periodic torques, springs of the posture, and the camera."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.walking.feng.contacting_foot import support_model
from tarsus.walking.feng.found_gait import FENG_LAW
from tarsus.walking.feng.support_exchange import mirrored
from tarsus.walking.feng.torques.camera import Camera, Sight
from tarsus.walking.feng.torques.periodic_torques import PeriodicTorques
from tarsus.walking.feng.torques.posture_springs import PostureSprings
from tarsus.walking.feng.torques.visual_lifting import VisualLifting

MODEL = support_model("right")
LIFTING = VisualLifting(forward=30.0, lift=2000.0, roll=11.0, pitch=13.0, yaw=17.0, lead=0.1, height=1.5)


def some(seed, scale=0.2):
    return np.random.default_rng(seed).normal(scale=scale, size=18)


def test_lifting_does_what_springs_at_the_head_do():
    """Torques are those of the potential of the springs, but for the free toe joint."""
    q = some(0)

    def potential(q):
        x, _, z = ts.frame_pose(MODEL, q, "head")[:3, 3]
        return 0.5 * LIFTING.forward * (x - LIFTING.lead) ** 2 + 0.5 * LIFTING.lift * (z - LIFTING.height) ** 2

    springs = VisualLifting(30.0, 2000.0, 0.0, 0.0, 0.0, lead=0.1, height=1.5)
    tau = springs.torque(MODEL, q, ts.frame_pose(MODEL, q, "head"))
    h = 1e-6
    slope = [(potential(q + h * e) - potential(q - h * e)) / (2 * h) for e in np.eye(18)]
    np.testing.assert_allclose(tau[1:], -np.array(slope)[1:], atol=1e-5)
    assert abs(slope[0]) > 1.0
    assert tau[0] == 0.0


@pytest.mark.parametrize("axis", range(3))
def test_moments_turn_the_head_back(axis):
    pose = np.eye(4)
    pose[:3, :3] = ts.spatial.rotation_matrix_from_rotation_vector(0.2 * np.eye(3)[axis])
    pose[:3, 3] = 0.1, 0.0, 1.5
    wrench = LIFTING.wrench(pose)
    expected = np.zeros(6)
    expected[3 + axis] = -[11.0, 13.0, 17.0][axis] * np.sin(0.2)
    np.testing.assert_allclose(wrench, expected, atol=1e-12)


def test_waves_begin_anew_and_swing_the_leg_forward():
    torques = PeriodicTorques(thigh=20.0, roll=3.0, arms=2.0, period=1.85)
    start, quarter, half = (torques.torque(t) for t in (0.0, 1.85 / 4, 1.85 / 2))
    np.testing.assert_array_equal(start[[4, 10, 11, 14]], [-20.0, 3.0, -2.0, 2.0])
    np.testing.assert_allclose(quarter, 0.0, atol=1e-13)
    np.testing.assert_allclose(half, -start)
    assert np.count_nonzero(start) == 4
    forward = ts.forward_dynamics(MODEL, np.zeros(18), np.zeros(18), start) - ts.forward_dynamics(
        MODEL, np.zeros(18), np.zeros(18), np.zeros(18)
    )
    assert ts.jacobian(MODEL, np.zeros(18), "swing_foot")[0, 4] * forward[4] > 0.0


def test_the_law_of_the_left_leg_is_the_mirror_image():
    q = some(1)
    left = FENG_LAW.torque(support_model("left"), 0.3, mirrored(q), -1.0)
    np.testing.assert_allclose(left, mirrored(FENG_LAW.torque(MODEL, 0.3, q)), atol=1e-9)


def test_laws_of_many_robots_are_those_of_each():
    q = np.stack([some(2), some(3)])
    both = VisualLifting(np.array([30.0, 40.0]), 2000.0, 11.0, 13.0, 17.0, np.array([0.1, 0.2]), 1.5)
    heads = ts.frame_pose(MODEL, q, "head")
    one = VisualLifting(40.0, 2000.0, 11.0, 13.0, 17.0, 0.2, 1.5)
    np.testing.assert_allclose(both.torque(MODEL, q, heads)[1], one.torque(MODEL, q[1], heads[1]), atol=1e-12)


def test_springs_act_on_the_swinging_leg_and_the_trunk_alone():
    springs = PostureSprings(10.0, 30.0, 40.0, knee_rest=0.3, toe_rest=0.05)
    tau = springs.torque(np.full(18, 0.1))
    expected = np.zeros(18)
    expected[[5, 7, 8]] = 10.0 * 0.2, 30.0 * -0.05, 40.0 * -0.1
    np.testing.assert_allclose(tau, expected, atol=1e-12)


def test_pictures_arrive_late():
    sight = Sight(Camera(delay=0.1))
    seen = []
    for k in range(10):
        pose = np.eye(4)
        pose[0, 3] = k
        seen.append(sight.look(0.05 * k, pose)[0, 3])
    assert seen == [0, 0, 0, 1, 2, 3, 4, 5, 6, 7]


def test_noise_has_its_deviation_and_is_repeated():
    camera = Camera(position_noise=0.01, rotation_noise=0.02, seed=4)
    poses = np.array([Sight(camera).look(0.0, np.eye(4)) for _ in range(2)])
    np.testing.assert_array_equal(poses[0], poses[1])
    sight = Sight(camera)
    many = np.array([sight.look(0.1 * k, np.eye(4)) for k in range(4000)])
    np.testing.assert_allclose(many[:, :3, 3].std(axis=0), 0.01, rtol=0.05)
    np.testing.assert_allclose(many[:, 2, 1].std(), 0.02, rtol=0.05)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: PeriodicTorques(1.0, 1.0, 1.0, 0.0), "period is 0.0"),
        (lambda: VisualLifting(-1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0), "forward is -1.0"),
        (lambda: PostureSprings(1.0, -2.0, 1.0, 0.0, 0.0), "toe is -2.0"),
        (lambda: Camera(delay=-1.0), "delay is -1.0"),
        (lambda: Camera(delay=np.inf), "delay is inf"),
        (lambda: Camera(position_noise=np.nan), "position_noise is nan"),
        (lambda: Camera(rotation_noise="a"), "rotation_noise is 'a'"),
        (lambda: Camera(seed=-1), "seed is -1"),
        (lambda: PeriodicTorques(np.nan, 1.0, 1.0, 1.0), "thigh is nan"),
        (lambda: PeriodicTorques(1.0, 1.0, 1.0, np.inf), "period is inf"),
        (lambda: VisualLifting(1.0, 1.0, 1.0, 1.0, 1.0, np.nan, 1.0), "lead is nan"),
        (lambda: VisualLifting(1.0, np.array([1.0, np.inf]), 1.0, 1.0, 1.0, 0.0, 1.0), "lift is array"),
        (lambda: PostureSprings(1.0, 1.0, 1.0, np.nan, 0.0), "knee_rest is nan"),
    ],
)
def test_what_makes_no_sense_is_refused(make, named):
    with pytest.raises(ArgumentError, match=named):
        make()


def test_bent_toes_alone_do_not_fall_back_within_a_minute():
    """Gravity against the friction of joint 8: why the toes have a spring."""
    falling = abs(ts.gravity_force(MODEL, np.zeros(18))[7]) / MODEL.joints["joint8"].damping
    assert 60.0 * falling < 0.4
