"""General arms: elimination and continuation check each other, and the geometry may be as special as it likes."""

import numpy as np
import pytest
from six_axis_arms import MANSEUR_DOTY, dh_arm, in_degrees, manseur_doty_pose, random_axes, special

import tarsus as ts
from tarsus.ik.six_axis.chain import chain_of
from tarsus.ik.six_axis.closed_form import closed_form, find_triple
from tarsus.ik.six_axis.closure import close_loop, closure
from tarsus.ik.six_axis.continuation import continue_to
from tarsus.ik.six_axis.distinct import distinct, wrapped
from tarsus.ik.six_axis.elimination import eliminate
from tarsus.ik.six_axis.general import CLOSED, solve_general
from tarsus.ik.six_axis.loop import Loop, product


def random_loop(rng):
    """A loop of random axes and the angles that close it."""
    w, o = random_axes(rng)
    t = rng.uniform(-np.pi, np.pi, (1, 6))
    open_ = Loop(w[None], o[None], np.zeros((1, 4, 4)))
    return Loop(open_.w, open_.o, product(open_, t)), t[0]


def same_sets(a, b, tolerance=1e-6):
    """Whether two lists of postures are the same."""
    if len(a) != len(b):
        return False
    return len(a) == 0 or bool(np.abs(wrapped(a[:, None] - b[None])).max(axis=-1).min(axis=1).max() < tolerance)


def test_the_jacobian_of_closure_is_that_of_its_error():
    loop, t = random_loop(np.random.default_rng(0))
    error, J = closure(loop.w, loop.o, loop.G, t[None])
    assert np.abs(error).max() < 1e-14
    step = 1e-6
    for k in range(6):
        sides = [closure(loop.w, loop.o, loop.G, (t + side * step * np.eye(6)[k])[None])[0][0] for side in (1, -1)]
        assert np.abs((sides[0] - sides[1]) / (2 * step) - J[0, :, k]).max() < 1e-9


def test_a_loop_may_begin_with_any_of_its_axes():
    loop, t = random_loop(np.random.default_rng(1))
    for first in range(6):
        begun = loop.beginning_with(first)
        assert np.abs(product(begun, np.roll(t, -first)[None]) - begun.G).max() < 1e-13


def test_the_eliminant_has_sixteen_roots_in_pairs_that_are_mirrored_at_the_unit_circle():
    rng = np.random.default_rng(2)
    for _ in range(5):
        loop, t = random_loop(rng)
        roots = eliminate(loop.w[0], loop.o[0], loop.G[0])
        assert len(roots.z3) == 16
        mirrored = 1 / roots.z3.conj()
        distance = np.abs(roots.z3[:, None] - mirrored[None]).min(axis=1)
        assert (distance < 1e-6 * np.maximum(1, np.abs(roots.z3)) ** 2).all()
        assert np.abs(roots.z - np.exp(1j * t)).max(axis=-1).min() < 1e-8


def test_elimination_and_continuation_find_the_same_solutions():
    rng = np.random.default_rng(3)
    loops = [random_loop(rng)[0] for _ in range(4)]
    together = Loop(*(np.concatenate([getattr(loop, name) for loop in loops]) for name in ("w", "o", "G")))
    ends = continue_to(together)
    assert ends.arrived.all()
    lists, methods = solve_general(together)
    assert methods == ["elimination"] * 4
    for k, own in enumerate(lists):
        real = ends.t[k][np.abs(ends.t[k].imag).max(axis=-1) < 1e-6].real
        assert same_sets(own, real, 1e-4)


def test_all_sixteen_paths_lead_to_the_sixteen_solutions_of_manseur_and_doty():
    model = dh_arm(in_degrees(MANSEUR_DOTY))
    loop = chain_of(model, "tool", model.neutral(), None).loop(manseur_doty_pose()[None])
    ends = continue_to(loop)
    assert ends.arrived.all()
    assert np.abs(ends.t.imag).max() < 1e-6
    assert same_sets(ends.t[0].real, solve_general(loop)[0][0], 1e-4)


def test_closed_forms_have_as_many_solutions_as_elimination_finds():
    """Another method, on arms for which it was not made."""
    rng = np.random.default_rng(4)
    compared = 0
    for _ in range(12):
        w, o = random_axes(rng)
        first = rng.integers(4)
        if rng.random() < 0.5:
            o[first : first + 3] = o[first]
        else:
            w[first : first + 3] = w[first]
        open_ = Loop(w[None], o[None], np.zeros((1, 4, 4)))
        loop = Loop(open_.w, open_.o, product(open_, rng.uniform(-np.pi, np.pi, (1, 6))))
        rows, t, _ = closed_form(loop, find_triple(w, o))
        t, error = close_loop(loop.rows(rows), t)
        t = t[error < CLOSED]
        lists, methods = solve_general(loop)
        assert methods[0]
        assert same_sets(lists[0], t[distinct(t)])
        compared += len(t)
    assert compared > 30


@pytest.mark.parametrize("seed", range(2))
def test_arms_of_right_angles_and_zeros_keep_every_solution(seed):
    compared = special_arms(seed, 8)
    assert compared["elimination"] >= 5


@pytest.mark.long
def test_many_arms_of_right_angles_and_zeros_keep_every_solution():
    compared = special_arms(100, 60)
    assert compared["elimination"] >= 40
    assert compared["continuation"] >= 2


def special_arms(seed, count):
    """How often each method proved the solutions of arms without closed form; a search finds none that are missing."""
    rng = np.random.default_rng(seed)
    compared = {"elimination": 0, "continuation": 0, "": 0}
    while sum(compared.values()) < count:
        model = special(rng)
        q = model.random(rng)
        chain = chain_of(model, "tool", q, None)
        J = ts.jacobian(model, q, "tool")
        if find_triple(chain.w, chain.o) is not None or np.linalg.svd(J, compute_uv=False)[-1] < 1e-4:
            continue  # closed forms and arms that cannot reach a pose at all have tests of their own
        X = ts.frame_pose(model, q, "tool")
        lists, methods = solve_general(chain.loop(X[None]))
        compared[methods[0]] += 1
        found = q + lists[0]
        assert np.abs(wrapped(found - q)).max(axis=-1).min() < 1e-6
        search = ts.ik.solve(model, ts.tasks.FramePose("tool", X), model.random(rng, (100,)), starts=1)
        for one in search.q[search.success]:
            J = ts.jacobian(model, one, "tool")
            if np.linalg.svd(J, compute_uv=False)[-1] > 1e-3:  # alone, and met to better than what is compared
                assert np.abs(wrapped(found - one)).max(axis=-1).min() < 1e-4
    assert compared[""] == 0
    return compared
