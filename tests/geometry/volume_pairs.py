"""Pairs of primitives for distance queries: in general position, and degenerate in every way that matters."""

import numpy as np

KINDS = [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]


def rotated(rng, x):
    """Each row turned by a rotation of its own."""
    R = np.linalg.qr(rng.standard_normal((len(x), 3, 3)))[0]
    return np.einsum("rij,rvj->rvi", R, x)


def general(rng, n, m, rows):
    return rng.standard_normal((rows, n, 3)), rng.standard_normal((rows, m, 3)) + rng.choice([0, 1, 3], (rows, 1, 1))


def on_a_grid(rng, n, m, rows):
    """Small whole numbers: parallel, coplanar, touching, coinciding and without extent, all of them exactly."""
    return rng.integers(-2, 3, (rows, n, 3)).astype(float), rng.integers(-2, 3, (rows, m, 3)).astype(float)


def turned_grid(rng, n, m, rows):
    """The same with rounding: nearly parallel, nearly coplanar."""
    a, b = on_a_grid(rng, n, m, rows)
    both = rotated(rng, np.concatenate([a, b], axis=1)) + rng.standard_normal((rows, 1, 3))
    return both[:, :n], both[:, n:]


def thin(rng, n, m, rows):
    """Needles and slivers: all vertices near a line."""
    a, b = general(rng, n, m, rows)
    width = 10.0 ** rng.uniform(-12, -1, (rows, 1, 1))
    squeeze = np.concatenate([np.ones((rows, 1, 1)), width, width * rng.uniform(0, 1, (rows, 1, 1))], axis=2)
    a, b = a * squeeze, b * np.where(rng.random((rows, 1, 1)) < 0.5, squeeze, 1.0)
    both = rotated(rng, np.concatenate([a, b], axis=1))
    return both[:, :n], both[:, n:]


def nearly_parallel(rng, n, m, rows):
    """Primitives in planes that are tilted against each other by next to nothing, or cross there."""
    a, b = rng.standard_normal((rows, n, 3)), rng.standard_normal((rows, m, 3))
    a[..., 2] *= 10.0 ** rng.uniform(-17, -3, (rows, 1))
    b[..., 2] = b[..., 2] * 10.0 ** rng.uniform(-17, -3, (rows, 1)) + rng.choice([0.0, 0.3], (rows, 1))
    if n > 1 and m > 1:  # edges nearly along each other, too
        along = rng.random(rows) < 0.5
        turn = rng.standard_normal((rows, 3)) * 10.0 ** rng.uniform(-17, -3, (rows, 1))
        b[along, 1] = (b[:, 0] + (a[:, 1] - a[:, 0]) * rng.uniform(-2, 2, (rows, 1)) + turn)[along]
    both = rotated(rng, np.concatenate([a, b], axis=1))
    return both[:, :n], both[:, n:]


def far_and_small(rng, n, m, rows):
    """Of any size, anywhere."""
    a, b = general(rng, n, m, rows)
    size = 10.0 ** rng.uniform(-4, 4, (rows, 1, 1))
    place = 100 * rng.standard_normal((rows, 1, 3)) * size
    return a * size + place, b * size + place


def sharing(rng, n, m, rows):
    """With vertices in common, or vertices of one on an edge of the other."""
    a, b = general(rng, n, m, rows)
    b[:, 0] = a[:, 0]
    half = rng.random(rows) < 0.5
    if n > 1 and m > 1:
        b[half, 1] = a[half, 1]
    if n > 1:
        b[~half, 0] = (0.25 * a[:, 0] + 0.75 * a[:, 1])[~half]
    return a, b


def crossing(rng, n, m, rows):
    """Moved so that inner points coincide."""
    a, b = general(rng, n, m, rows)
    inner = [rng.dirichlet(np.ones(x.shape[1]), rows)[:, None] @ x for x in (a, b)]
    return a, b + inner[0] - inner[1]


CLASSES = [general, on_a_grid, turned_grid, thin, nearly_parallel, far_and_small, sharing, crossing]


def scale_of(a, b):
    """Size of both with what is between them, at least the distance of their first vertices, (rows,)."""
    both = np.concatenate([a, b], axis=1)
    return np.linalg.norm(both - both[:, :1], axis=-1).max(-1) + 1e-300
