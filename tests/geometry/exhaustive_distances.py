"""Slow distances of points, segments and triangles: every candidate, in extended precision."""

import numpy as np

WIDE = np.longdouble


def dot(a, b):
    return (a * b).sum(-1)


def divided(a, b):
    """a / b, and 0 where b is 0."""
    return np.where(b == 0, 0, a / np.where(b == 0, 1, b))


def edges(v):
    n = v.shape[-2]
    return [
        (v[..., i, :], v[..., j, :]) for i, j in ([] if n == 1 else [(0, 1)] if n == 2 else [(0, 1), (1, 2), (2, 0)])
    ]


def vertex_edge(p, a, b):
    d = b - a
    t = np.clip(divided(dot(p - a, d), dot(d, d)), 0, 1)
    return p, a + t[..., None] * d


def edge_edge(a, b, c, d):
    """The point of the first line that is nearest to the second one, brought to its ends, and the nearest to that."""
    u, v, w = b - a, d - c, a - c
    n = np.cross(u, v)
    s = np.clip(divided(dot(np.cross(v, w), n), dot(n, n)), 0, 1)
    return vertex_edge(a + s[..., None] * u, c, d)


def plane(triangle):
    """Corner, edge, what leads from it to the third vertex at a right angle, where that is along the edge, and whether
    there is any area."""
    a = triangle[..., 0, :]
    u, v = triangle[..., 1, :] - a, triangle[..., 2, :] - a
    h, lean = v, 0
    for _ in range(3):
        more = divided(dot(u, h), dot(u, u))
        h, lean = h - more[..., None] * u, lean + more
    solid = np.minimum(dot(h, h), dot(u, u)) > 1e-33 * (dot(u, u) + dot(v, v))
    return a, u, h, lean, solid


def foot(p, triangle):
    """The nearest point in the plane of a triangle, and whether it is inside."""
    a, u, h, lean, solid = plane(triangle)
    x, t = divided(dot(p - a, u), dot(u, u)), divided(dot(p - a, h), dot(h, h))
    s = x - t * lean
    return a + x[..., None] * u + t[..., None] * h, solid & (s >= 0) & (t >= 0) & (s + t <= 1)


def pierced(a, b, triangle):
    """Where the segment a, b passes the plane of a triangle, the foot of that, and whether it is inside of both."""
    o, u, h, _, _ = plane(triangle)
    n = np.cross(u, h)
    high, low = dot(a - o, n), dot(b - o, n)
    x = a + divided(high, high - low)[..., None] * (b - a)
    on, inside = foot(x, triangle)
    return x, on, ((high < 0) != (low < 0)) & inside


def candidates(a, b):
    """Pairs of points of both primitives, each with where it is one."""
    yes = np.ones(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), dtype=bool)
    for i in range(a.shape[-2]):
        for j in range(b.shape[-2]):
            yield a[..., i, :], b[..., j, :], yes
    for flip, (p, q) in enumerate(((a, b), (b, a))):
        back = slice(None, None, -1 if flip else 1)
        for i in range(p.shape[-2]):
            for c, d in edges(q):
                yield *vertex_edge(p[..., i, :], c, d)[back], yes
            if q.shape[-2] == 3:
                on, inside = foot(p[..., i, :], q)
                yield *(p[..., i, :], on)[back], inside
        if q.shape[-2] == 3:
            for c, d in edges(p):
                yield pierced(c, d, q)
    for c, d in edges(a):
        for e, f in edges(b):
            yield *edge_edge(c, d, e, f), yes
            yield *edge_edge(e, f, c, d)[::-1], yes


def primitive_distances(a, b):
    """Smallest distance of two primitives, shapes (..., 1 | 2 | 3, 3) -> (...)."""
    a, b = np.asarray(a, dtype=WIDE), np.asarray(b, dtype=WIDE)
    origin = a[..., :1, :]
    a, b = a - origin, b - origin
    best = np.full(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), np.inf, dtype=WIDE)
    for p, q, valid in candidates(a, b):
        best = np.minimum(best, np.where(valid, dot(p - q, p - q), np.inf))
    return np.sqrt(best).astype(float)
