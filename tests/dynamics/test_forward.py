"""Forward dynamics by all methods."""

from dataclasses import replace

import numpy as np
import pytest
from dynamics.random_models import models, random_inertia, seeds
from dynamics.states import PROPERTY, SOLVED, assert_close, random_state
from hypothesis import given
from hypothesis import strategies as st

import tarsus as ts
from tarsus.errors import MasslessJointError
from tarsus.model.assembly import assemble

METHODS = (
    "articulated-body",
    "composite-body",
    "composite-body-sparse",
    "newton-euler",
    "newton-euler-sparse",
    "denoc",
)


@PROPERTY
@given(models(passive=True), seeds(), st.sampled_from(METHODS), st.booleans(), st.booleans())
def test_forward_after_inverse_dynamics_is_the_identity(
    model: ts.Model, seed: int, method: str, passive: bool, pushed: bool
) -> None:
    q, v, vdot, _, external = random_state(model, seed)
    wrenches = external if pushed else None
    tau = ts.inverse_dynamics(model, q, v, vdot, wrenches, passive=passive)
    assert_close(ts.forward_dynamics(model, q, v, tau, wrenches, method, passive=passive), vdot, SOLVED)


@PROPERTY
@given(models(passive=True), seeds(), st.sampled_from(METHODS))
def test_inverse_after_forward_dynamics_is_the_identity(model: ts.Model, seed: int, method: str) -> None:
    q, v, _, tau, external = random_state(model, seed)
    vdot = ts.forward_dynamics(model, q, v, tau, external, method=method)
    assert_close(ts.inverse_dynamics(model, q, v, vdot, external), tau, SOLVED)


@PROPERTY
@given(models(), seeds())
def test_solve_mass_inverts_the_mass_matrix(model: ts.Model, seed: int) -> None:
    q, *_, tau, _ = random_state(model, seed)
    assert_close(ts.mass_matrix(model, q) @ ts.solve_mass(model, q, tau), tau, SOLVED)


@PROPERTY
@given(models(), seeds())
def test_right_hand_sides_of_solve_mass_are_a_batch(model: ts.Model, seed: int) -> None:
    q = random_state(model, seed).q
    inverse = ts.solve_mass(model, q, np.eye(model.nv))
    assert_close(inverse @ ts.mass_matrix(model, q), np.eye(model.nv), SOLVED)


def hand(massless: str, **properties: object) -> ts.Model:
    """An arm with two fingers, one of whose links has no inertia."""
    rng = np.random.default_rng(5)
    builder = ts.ModelBuilder("hand").add_link("ground")
    for name, parent in (("arm", "ground"), ("left", "arm"), ("right", "arm"), ("tip", "right")):
        builder.add_link(name, None if name == massless else random_inertia(rng))
        extra = properties if name == massless else {}
        builder.add_joint(f"{name}_joint", "revolute", parent, name, axis=(1, 0, 0), position=(0, 0.1, 0.2), **extra)
    return builder.build()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("finger", ["left", "tip"])
def test_joint_that_moves_no_inertia_is_named(finger: str, method: str) -> None:
    model = hand(finger)
    zero = np.zeros(model.nv)
    with pytest.raises(MasslessJointError, match=f"{finger}_joint"):
        ts.forward_dynamics(model, model.neutral(), zero, zero, method=method)
    with pytest.raises(MasslessJointError, match=rf"{finger}_joint.*\[0\]"):
        ts.forward_dynamics(model, np.zeros((3, model.nq)), zero, zero, method=method)
    with pytest.raises(MasslessJointError, match=f"{finger}_joint"):
        ts.solve_mass(model, model.neutral(), zero)
    assert np.all(np.isfinite(ts.inverse_dynamics(model, model.neutral(), zero, zero)))


@pytest.mark.parametrize("method", METHODS)
def test_massless_link_moves_where_something_behind_it_or_a_rotor_has_inertia(method: str) -> None:
    for model in (hand("right"), hand("left", armature=0.1)):
        q, v, vdot, *_ = random_state(model, 0)
        tau = ts.inverse_dynamics(model, q, v, vdot)
        assert_close(ts.forward_dynamics(model, q, v, tau, method=method), vdot, SOLVED)


def test_spherical_joint_without_inertia_is_named() -> None:
    builder = (
        ts.ModelBuilder("ball").add_link("ground").add_link("arm", ts.Inertia.of_sphere(1.0, 0.1, com=(0.3, 0, 0)))
    )
    builder.add_link("nothing").add_joint("hinge", "revolute", "ground", "arm")
    model = builder.add_joint("empty_ball", "spherical", "arm", "nothing").build()
    for method in ("articulated-body", "composite-body", "denoc", "gauss"):
        with pytest.raises(MasslessJointError, match="empty_ball"):
            ts.forward_dynamics(model, model.neutral(), np.zeros(4), np.zeros(4), method=method)


@pytest.mark.parametrize("base", ["free", "planar"])
def test_armature_of_a_base_is_the_same_inertia_alone_and_in_batches(base: str) -> None:
    """One state of a tree with limbs has kernels of its own; batches have the general ones."""
    described = replace(ts.robots.quadruped().description, base=base, reference={}, poses={})
    model = assemble(replace(described, base_forces={"armature": 2.5}))
    rng = np.random.default_rng(0)
    states = [(model.random(rng), *rng.normal(size=(2, model.nv))) for _ in range(5)]
    q, v, tau = (np.stack(x) for x in zip(*states, strict=True))
    together = ts.forward_dynamics(model, q, v, tau)
    alone = [ts.forward_dynamics(model, *x) for x in zip(q, v, tau, strict=True)]
    assert_close(np.array(alone), together)
    needed = [ts.inverse_dynamics(model, *x) for x in zip(q, v, together, strict=True)]
    assert_close(np.array(needed), tau)
    turning = ts.coriolis_matrix(model, q, v) @ v[..., None]
    assert_close(turning[..., 0] + ts.gravity_force(model, q), ts.bias_force(model, q, v))
    light = ts.bias_force(assemble(described), q, v)
    moved = ts.bias_force(model, q, v) - light
    if base == "free":
        assert_close(moved[:, :3], 2.5 * np.cross(v[:, 3:6], v[:, :3]))
    else:  # pitch about +y turns z towards x
        assert_close(moved[:, :2], 2.5 * v[:, 2:3] * np.stack([v[:, 1], -v[:, 0]], axis=-1))
    assert np.all(moved[:, 6 if base == "free" else 3 :] == 0.0)
