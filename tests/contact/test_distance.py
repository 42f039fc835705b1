"""Depths, normals and points of contact against a NumPy oracle.

The ground has the stiffness 1 N/m and no friction: at rest, a contact force is the depth [m] times the normal.
"""

import numpy as np
import pytest
from simulation.bodies import ball, box, capsule, particle, pose

import tarsus as ts
from tarsus.contact import Block, Compliant, ContactEdge, ContactPoint, Ground, HeightField, Plane, Sole, flat, stairs
from tarsus.contact.distances import distances

SOFT = Compliant(stiffness=1.0, damping=0.0, friction=0.0)
ROUNDING = 1e-13
"""[m]: a few roundings of coordinates of order one."""
DIFFERENCES = 1e-6
"""Of a normal by central differences of the oracle's distance with a step of 1e-6 m."""
REACH = 0.04
"""Radius of the probing sphere [m]: it feels the ground from this far."""
RNG_POINTS = 400


def probe(ground, centres, radius=REACH):
    """Depths (n,), normals (n, 3) and contact points (n, 3) of spheres; zero depth where nothing is touched."""
    q = np.zeros((len(centres), 7))
    q[:, :3], q[:, 3] = centres, 1.0
    run = ts.simulate(ball(radius), q, ground=ground, duration=0.0)
    force = run.contact_force[0, :, 0]
    depth = np.linalg.norm(force, axis=1)
    normal = force / np.where(depth > 0, depth, 1.0)[:, None]
    return depth, normal, run.contact_position[0, :, 0]


def half_space(point, normal):
    return lambda p: (p - point) @ normal


def solid_box(X, size):
    """Signed distance to a box: to the nearest point of it, or inside the smallest distance to a face."""

    def gap(p):
        local = (p - X[:3, 3]) @ X[:3, :3]
        half = 0.5 * np.array(size)
        nearest = np.clip(local, -half, half)
        outside = np.linalg.norm(local - nearest, axis=-1)
        faces = np.concatenate([half - local, half + local], axis=-1).min(axis=-1)
        return np.where(outside > 0, outside, -faces)

    return gap


def gradient(gap, p, step=1e-6):
    return np.stack([(gap(p + step * e) - gap(p - step * e)) / (2 * step) for e in np.eye(3)], axis=-1)


def assert_agrees(ground, gap, centres, *, smooth=None):
    depth, normal, point = probe(ground, centres)
    expected = np.maximum(REACH - gap(centres), 0.0)
    np.testing.assert_allclose(depth, expected, atol=ROUNDING)
    touching = depth > 1e-9
    assert 20 < touching.sum() < len(centres)
    np.testing.assert_allclose(point[touching], (centres - REACH * normal)[touching], atol=ROUNDING)
    smooth = touching if smooth is None else touching & smooth
    assert smooth.sum() > 20
    np.testing.assert_allclose(normal[smooth], gradient(gap, centres)[smooth], atol=DIFFERENCES)


def test_a_tilted_plane_pushes_along_its_normal():
    rng = np.random.default_rng(1)
    normal = np.array([-0.3, 0.2, 0.9])
    normal /= np.linalg.norm(normal)
    point = np.array([0.1, -0.2, 0.3])
    centres = point + rng.uniform(-0.1, 0.1, (RNG_POINTS, 3))
    assert_agrees(Ground(Plane(SOFT, point, normal)), half_space(point, normal), centres)


def test_a_turned_block_pushes_out_of_faces_edges_and_corners():
    rng = np.random.default_rng(2)
    X, size = pose((0.2, -0.1, 0.4), 0.6), (0.1, 0.14, 0.08)
    gap = solid_box(X, size)
    centres = X[:3, 3] + rng.uniform(-0.12, 0.12, (4 * RNG_POINTS, 3))
    local = (centres - X[:3, 3]) @ X[:3, :3]
    room = np.sort(0.5 * np.array(size) - np.abs(local), axis=1)
    away = (gap(centres) > 1e-5) | (room[:, 1] - room[:, 0] > 1e-5)  # where the nearest face inside is not a tie
    beyond = (np.abs(local) > 0.5 * np.array(size)).sum(axis=1)
    assert {0, 1, 2, 3} <= set(beyond[REACH - gap(centres) > 0].tolist())  # inside, faces, edges, corners
    assert_agrees(Ground(Block(size, X, SOFT)), gap, centres, smooth=away)


HEIGHTS, SPACING, ORIGIN = np.random.default_rng(3).uniform(0.0, 0.1, (4, 6)), 0.25, (-0.5, 0.3)
"""A rough field [m]."""


def height(p):
    """Bilinear between the points of the grid, level beyond its edges."""
    x = np.clip((p[..., 0] - ORIGIN[0]) / SPACING, 0, 5)
    y = np.clip((p[..., 1] - ORIGIN[1]) / SPACING, 0, 3)
    i, j = np.minimum(x.astype(int), 4), np.minimum(y.astype(int), 2)
    u, w = x - i, y - j
    low = (1 - u) * HEIGHTS[j, i] + u * HEIGHTS[j, i + 1]
    return (1 - w) * low + w * ((1 - u) * HEIGHTS[j + 1, i] + u * HEIGHTS[j + 1, i + 1])


def places_about_the_field(rng, count=RNG_POINTS):
    """Points near the surface, beyond its edges, too."""
    p = np.column_stack([rng.uniform(-0.8, 1.1, count), rng.uniform(0.0, 1.4, count), np.zeros(count)])
    p[:, 2] = height(p) + rng.uniform(-0.03, 0.06, count)
    return p


def searched_gap(p):
    """Signed distances to the field by trying: a net of points of the surface, then finer ones around the best."""
    gap = np.zeros(len(p))
    for k, place in enumerate(p):
        centre, half = place[:2], 0.08
        for _ in range(12):
            side = np.linspace(-half, half, 41)
            net = centre + np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
            away = np.linalg.norm(np.column_stack([net, height(net)]) - place, axis=1)
            centre, half = net[np.argmin(away)], 0.25 * half
        gap[k] = away.min()
    return np.where(p[:, 2] < height(p), -gap, gap)


SEARCHED = 1e-9
"""[m]: of distances found by trying, whose last net has steps of 1e-9 m."""


def test_a_height_field_is_bilinear_and_level_beyond_its_edges():
    """Points on the surface feel nothing above it and are pushed out along its slope below it."""
    p = places_about_the_field(np.random.default_rng(3))
    p[:, 2] = height(p) - 1e-7
    slope = gradient(lambda x: -height(x), p)
    normal = slope + np.array([0.0, 0.0, 1.0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    depth, found, _ = probe(Ground(HeightField(HEIGHTS, SPACING, ORIGIN, SOFT)), p, radius=1e-12)
    np.testing.assert_allclose(depth, 1e-7 * normal[:, 2], atol=1e-11)
    np.testing.assert_allclose(found, normal, atol=10 * DIFFERENCES)  # depths of 1e-7 m are rounded, and twisted
    p[:, 2] += 2e-7
    assert not probe(Ground(HeightField(HEIGHTS, SPACING, ORIGIN, SOFT)), p, radius=1e-12)[0].any()


def test_a_sphere_on_a_height_field_is_as_deep_as_its_nearest_point():
    p = places_about_the_field(np.random.default_rng(4), 200)
    depth, normal, point = probe(Ground(HeightField(HEIGHTS, SPACING, ORIGIN, SOFT)), p)
    gap = searched_gap(p)
    np.testing.assert_allclose(depth, np.maximum(REACH - gap, 0.0), atol=SEARCHED)
    touching = depth > 1e-6
    assert 50 < touching.sum() < len(p)
    np.testing.assert_allclose(point[touching], (p - REACH * normal)[touching], atol=ROUNDING)
    nearest = p - gap[:, None] * normal
    np.testing.assert_allclose(nearest[touching, 2], height(nearest)[touching], atol=1e-6)
    outside = touching & (p[:, 0] < ORIGIN[0] - 0.05) & (p[:, 1] < ORIGIN[1] - 0.05)
    assert outside.any()
    np.testing.assert_allclose(normal[outside], np.tile([0.0, 0.0, 1.0], (outside.sum(), 1)), atol=ROUNDING)


@pytest.mark.parametrize("radius", [1e-9, 0.02, 0.1, 0.4])
def test_forces_on_a_height_field_are_the_slope_of_what_it_stores(radius):
    """Of points and of spheres small and large beside the cells: no force has work that the ground does not store."""
    model, delta, ground = ball(radius), 1e-7, Ground(HeightField(HEIGHTS, SPACING, ORIGIN, SOFT))
    q = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (RNG_POINTS, 1))
    q[:, :3] = places_about_the_field(np.random.default_rng(6))
    q[:, 2] += radius - 0.03

    def at(shift):
        return ts.simulate(model, q + np.r_[shift, np.zeros(4)], ground=ground, duration=0.0)

    def stored(shift):
        return at(shift).energy["ground_stored"][0]

    slope = np.stack([(stored(delta * e) - stored(-delta * e)) / (2 * delta) for e in np.eye(3)], axis=-1)
    force = at(np.zeros(3)).contact_force[0, :, 0]
    assert np.count_nonzero(force.any(axis=1)) > 100
    off = np.abs(-slope - force).max(axis=1)
    seams = off > 1e-6 * (1.0 + radius)  # where two places are equally near, a difference has one on either side
    assert np.count_nonzero(seams) <= 2


def test_native_and_python_distances_to_a_height_field_agree():
    p = places_about_the_field(np.random.default_rng(7))
    field = HeightField(HEIGHTS, SPACING, ORIGIN, SOFT)
    depth, normal, _ = probe(Ground(field), p)
    found = distances((field,), p, np.zeros_like(p))
    np.testing.assert_allclose(depth, np.maximum(REACH - found.gap, 0.0), atol=ROUNDING)
    touching = depth > 1e-9
    np.testing.assert_allclose(normal[touching], found.normal[touching], atol=1e-10)


def test_normals_of_a_height_field_turn_as_its_distances_do():
    """Rates of normals against differences, within cells, on their edges and at their corners."""
    rng, delta, field = np.random.default_rng(8), 1e-7, HeightField(HEIGHTS, SPACING, ORIGIN, SOFT)
    p = places_about_the_field(rng)
    u = rng.normal(size=p.shape)
    found, before, after = (distances((field,), p + s * delta * u, u) for s in (0.0, -1.0, 1.0))
    turn = (after.normal - before.normal) / (2 * delta)
    off = np.abs(turn - found.turn).max(axis=1)
    assert np.count_nonzero(off > 1e-4) <= 2  # on seams
    rate = (after.gap - before.gap) / (2 * delta)
    off = np.abs(rate - np.sum(found.normal * u, axis=1))
    assert np.count_nonzero(off > 1e-6) <= 2


def test_a_height_field_that_is_an_inclined_plane_is_that_plane():
    """Spheres of every size and depth: cells have no edges there."""
    x = SPACING * np.arange(9) - 1.0
    plane = HeightField(0.3 * x[None, :] - 0.2 * x[:, None], SPACING, (-1.0, -1.0), SOFT)
    normal = np.array([-0.3, 0.2, 1.0]) / np.linalg.norm([-0.3, 0.2, 1.0])
    rng = np.random.default_rng(9)
    for radius in (1e-9, 0.03, 0.3):
        p = np.column_stack([rng.uniform(-0.5, 0.5, (200, 2)), np.zeros(200)])
        p[:, 2] = 0.3 * p[:, 0] - 0.2 * p[:, 1]
        p += (radius - rng.uniform(0.001, 0.02, 200))[:, None] * normal
        depth, found, _ = probe(Ground(plane), p, radius)
        np.testing.assert_allclose(depth, radius - p @ normal, atol=ROUNDING)
        np.testing.assert_allclose(found, np.tile(normal, (200, 1)), atol=1e-10)


def test_stairs_carry_a_point_on_every_tread_up_to_the_riser():
    rise, run, start = 0.15, 0.3, 0.5
    ground = stairs(3, rise, run, start=start, law=SOFT)
    sink = 1e-3
    places = [(0.2, 0.0)] + [(start + i * run + d, (i + 1) * rise) for i in range(3) for d in (0.002, 0.15, 0.2995)]
    places.pop()  # there the stairs end
    centres = np.array([(x, 0.3, top - sink) for x, top in places])
    depth, normal, _ = probe(ground, centres, radius=1e-9)
    np.testing.assert_allclose(depth, sink, atol=1e-8)
    np.testing.assert_allclose(normal, np.tile([0, 0, 1], (len(places), 1)), atol=ROUNDING)


def test_where_solids_overlap_a_point_touches_the_one_that_it_is_deepest_in():
    hard = Compliant(stiffness=3.0, damping=0.0, friction=0.0)
    ground = Ground(Plane(SOFT), Block((1.0, 1.0, 0.2), pose((0.0, 0.0, 0.0)), hard))
    depth, _, _ = probe(ground, np.array([[0.0, 0.0, 0.09], [0.0, 0.9, -0.01]]), radius=1e-12)
    np.testing.assert_allclose(depth, [3.0 * 0.01, 0.01], atol=1e-10)


def forces_of(model, q, ground, contacts=None):
    run = ts.simulate(model, q, ground=ground, contacts=contacts, duration=0.0)
    return {
        name: (run.contact_position[0, i], run.contact_force[0, i])
        for i, name in enumerate(run.contacts)
        if np.any(run.contact_force[0, i])
    }


def test_a_capsule_on_its_side_touches_with_both_ends():
    q = np.array([0.0, 0.0, 0.045, np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])  # axis along x
    found = forces_of(capsule(0.05, 0.3), q, flat(SOFT))
    assert set(found) == {"capsule/skin.start", "capsule/skin.end"}
    for position, force in found.values():
        np.testing.assert_allclose(np.abs(position), [0.15, 0.0, 0.005], atol=ROUNDING)
        np.testing.assert_allclose(force, [0.0, 0.0, 0.005], atol=ROUNDING)


def test_a_sole_half_over_a_step_stands_on_its_edge():
    """Corners behind the edge and the crossings of the sides with the step's face carry, nothing else."""
    corners = [(0.1, 0.05, 0.0), (-0.1, 0.05, 0.0), (-0.1, -0.05, 0.0), (0.1, -0.05, 0.0)]
    sole = Sole("foot", "point", corners)
    step = Ground(Block((1.0, 1.0, 0.5), pose((-0.5, 0.0, -0.25)), SOFT))  # tread at z = 0, edge at x = 0
    found = forces_of(particle(), np.array([0.02, 0.0, -0.001]), step, [sole])
    places = sorted(tuple(np.round(p, 9)) for p, _ in found.values())
    assert places == [(-0.08, -0.05, -0.001), (-0.08, 0.05, -0.001), (0.0, -0.05, -0.001), (0.0, 0.05, -0.001)]
    for _, force in found.values():
        np.testing.assert_allclose(force, [0.0, 0.0, 0.001], atol=ROUNDING)


def test_an_edge_across_a_beam_rests_on_the_ends_of_the_part_inside():
    edge = ContactEdge("bar", "point", (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0))
    beam = Ground(Block((0.2, 2.0, 0.2), pose((0.1, 0.0, -0.1)), SOFT))
    found = forces_of(particle(), np.array([0.0, 0.0, -0.002]), beam, [edge])
    assert set(found) == {"bar<", "bar>"}
    np.testing.assert_allclose(found["bar<"][0], [0.0, 0.0, -0.002], atol=ROUNDING)
    np.testing.assert_allclose(found["bar>"][0], [0.2, 0.0, -0.002], atol=ROUNDING)
    np.testing.assert_allclose(sum(f for _, f in found.values()), [0.0, 0.0, 0.004], atol=ROUNDING)


def test_a_tilted_edge_touches_a_block_at_its_edge_only():
    """It enters through the tread and leaves through the face of the step: the shortest way out is square to both."""
    tilt = 0.02
    edge = ContactEdge("bar", "point", (-0.5, 0.0, 0.5 * tilt), (0.5, 0.0, -0.5 * tilt))
    step = Ground(Block((1.0, 1.0, 0.5), pose((-0.4, 0.0, -0.25)), SOFT))  # edge at x = 0.1
    found = forces_of(particle(), np.zeros(3), step, [edge])
    assert set(found) == {"bar>"}
    normal = np.array([tilt, 0.0, 1.0]) / np.hypot(tilt, 1.0)
    depth = 0.1 * normal[0]
    np.testing.assert_allclose(found["bar>"][0], np.array([0.1, 0.0, 0.0]) - depth * normal, atol=ROUNDING)
    np.testing.assert_allclose(found["bar>"][1], depth * normal, atol=ROUNDING)


def test_forces_on_edges_and_corners_are_the_slope_of_what_they_store():
    """Of a box in 300 attitudes over a step: no force has work that the ground does not store."""
    rng, model, delta = np.random.default_rng(5), box(), 1e-6
    step = Ground(Block((1.0, 1.0, 0.5), pose((-0.5, 0.0, -0.25), pitch=0.3), SOFT))
    q = np.repeat(model.neutral()[None], 300, axis=0)
    q[:, :3] = rng.uniform((-0.1, -0.3, -0.1), (0.25, 0.3, 0.2), (300, 3))
    q[:, 3:7] = rng.normal(size=(300, 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)

    def at(q):
        return ts.simulate(model, q, ground=step, duration=0.0)

    def stored(move):
        return at(model.integrate(q, np.broadcast_to(move, (300, 6)))).energy["ground_stored"][0]

    slope = np.stack([(stored(delta * e) - stored(-delta * e)) / (2 * delta) for e in np.eye(6)], axis=-1)
    run = at(q)
    force, arm = run.contact_force[0], run.contact_position[0] - q[:, None, :3]
    R = np.asarray(ts.frame_pose(model, q, "box"))[:, :3, :3]
    pull = np.einsum("nji,nj->ni", R, force.sum(axis=1))
    turn = np.einsum("nji,nj->ni", R, np.cross(arm, force).sum(axis=1))
    edges = np.array([name[-1] in "<>" for name in run.contacts])
    assert np.count_nonzero(force[:, edges].any(axis=(1, 2))) > 50
    np.testing.assert_allclose(-slope, np.concatenate([pull, turn], axis=1), atol=1e-8)


def test_a_box_dropped_on_a_block_lands_on_its_corners_alone():
    """Its upright edges cross the tread in the very face that pushes: they have no depth there and carry nothing."""
    tread = Ground(Block((2.0, 2.0, 0.5), pose((0.3, 0.2, -0.25))))
    q = [0.1, 0.0, 0.101, np.cos(0.2), 0.0, 0.0, np.sin(0.2)]
    run = ts.simulate(box(), q, [0, 0, -0.2, 0.1, 0, 0], ground=tread, duration=0.2, sample_dt=1e-3)
    acting = {name for name, force in zip(run.contacts, run.contact_force.any(axis=(0, 2)), strict=True) if force}
    assert acting == {"box/skin.0", "box/skin.2", "box/skin.4", "box/skin.6"}


def test_forces_act_somewhere_on_the_robot():
    """A box slides back from the edge of a step and tips: its edges begin and cease to touch between samples."""
    step = Ground(Plane(), Block((1.0, 1.0, 0.5), pose((-0.5, 0.0, 0.0))))
    start, speed = [0.02, 0.0, 0.35, 1, 0, 0, 0], [-0.5, 0, 0, 0.5, 0.3, 1.0]
    run = ts.simulate(box(), start, speed, ground=step, duration=1.0, sample_dt=1e-3)
    away = np.linalg.norm(run.contact_position - run.q[:, None, :3], axis=-1)
    acting = np.any(run.contact_force != 0.0, axis=-1)
    edges = np.array([name[-1] in "<>" for name in run.contacts])
    assert acting[:, edges].any() and not acting[:, edges].all()
    assert away[acting].max() < 0.2693 + 1e-3  # half the diagonal of the box, and how far it moves in a step


@pytest.mark.parametrize("gap", [0.049, 0.051, 1.0])
def test_nothing_is_felt_above_the_ground(gap):
    run = ts.simulate(particle(), np.array([0.0, 0.0, gap]), ground=flat(SOFT), duration=0.0,
                      contacts=[ContactPoint("tip", "point")])  # fmt: skip
    assert not np.any(run.contact_force)
