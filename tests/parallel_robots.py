"""Parallel robots as people have them: a tree in a file, and what closes its loops beside it."""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.model import Loop
from tarsus.spatial import pose, quaternion_from_rotation_matrix, rotation_matrix_from_rotation_vector


def bar(length: float, mass: float = 0.5, along: int = 0) -> ts.Inertia:
    """A bar from the origin along +x, or along -z for `along` = 2."""
    size, com = [0.03, 0.03, 0.03], [0.0, 0.0, 0.0]
    size[along], com[along] = abs(length), 0.5 * length if along == 0 else -0.5 * length
    return ts.Inertia.of_box(mass, tuple(size), com=tuple(com))


def five_bar_urdf(ground: float = 0.3, inner: float = 0.35, outer: float = 0.5) -> str:
    """Planar five-bar in the plane x-z: two driven shoulders, two elbows; `left_tip` and `right_tip` shall meet."""

    def link(name: str, length: float) -> str:
        moment = 0.5 * length**2 / 12.0
        return (
            f'<link name="{name}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="0.5"/>'
            f'<inertia ixx="1e-4" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )

    def joint(name: str, parent: str, child: str, x: float) -> str:
        return (
            f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{x} 0 0"/><axis xyz="0 -1 0"/></joint>'
        )

    def tip(side: str) -> str:
        return (
            f'<link name="{side}_tip"/><joint name="{side}_tip_joint" type="fixed"><parent link="{side}_rod"/>'
            f'<child link="{side}_tip"/><origin xyz="{outer} 0 0"/></joint>'
        )

    parts = ['<robot name="five-bar"><link name="frame"/>']
    for side, x in (("left", -0.5 * ground), ("right", 0.5 * ground)):
        parts += [link(f"{side}_arm", inner), link(f"{side}_rod", outer), tip(side)]
        parts += [joint(f"{side}_shoulder", "frame", f"{side}_arm", x)]
        parts += [joint(f"{side}_elbow", f"{side}_arm", f"{side}_rod", inner)]
    return "".join([*parts, "</robot>"])


def stewart(
    base_radius: float = 0.5, top_radius: float = 0.3, height: float = 0.6, stroke: float = 0.2, level: bool = False
) -> ts.ModelBuilder:
    """A Stewart platform: six legs with universal joint, slider and ball; the platform is carried by the first one.

    Every leg stands upright where its joints are at zero, with its slider at half of its stroke, which closes nothing;
    with `level` a reference tells where the platform is level.
    """
    b = ts.ModelBuilder("stewart").add_link("frame")
    feet, heads = _hexagon(base_radius, 0.2), _hexagon(top_radius, np.pi / 3.0 - 0.2)
    length = float(np.linalg.norm(np.append(heads[0] - feet[0], height)))
    for k in range(6):
        b.add_link(f"tube{k}", ts.Inertia.of_box(1.0, (0.05, 0.04, 0.3), com=(0, 0, 0.15)))
        b.add_link(f"rod{k}", ts.Inertia.of_box(0.5, (0.03, 0.02, 0.3), com=(0, 0, -0.15)))
        b.add_joint(f"foot{k}", "universal", "frame", f"tube{k}", position=(*feet[k], 0.0), axis=(1, 0, 0),
                    axis2=(0, 1, 0), actuated=False)  # fmt: skip
        b.add_joint(f"leg{k}", "prismatic", f"tube{k}", f"rod{k}", position=(0, 0, length), axis=(0, 0, 1),
                    q_min=-stroke, q_max=stroke)  # fmt: skip
    b.add_link("platform", ts.Inertia.of_box(5.0, (0.5, 0.4, 0.05)))
    b.add_joint("ball0", "spherical", "rod0", "platform", child_pose=pose((*-heads[0], 0.0)), actuated=False)
    for k in range(1, 6):
        b.add_loop(Loop(f"ball{k}", "spherical", f"rod{k}", "platform", pose_b=pose((*heads[k], 0.0))))
    if level:
        b.reference = _level(np.column_stack([heads - feet, np.full(6, height)]) / length)
    return b


def _level(directions: FloatArray) -> dict[str, float | tuple[float, ...]]:
    """Coordinates at which the platform is level: z of every leg, Rx(a) Ry(b) z, is along its direction."""
    reference: dict[str, float | tuple[float, ...]] = {}
    for k, (x, y, z) in enumerate(directions):
        a, b = float(np.arctan2(-y, z)), float(np.arcsin(x))
        reference[f"foot{k}"] = (a, b)
        if k == 0:
            turn = rotation_matrix_from_rotation_vector
            R = turn((a, 0.0, 0.0)) @ turn((0.0, b, 0.0))
            reference["ball0"] = tuple(quaternion_from_rotation_matrix(R.T).tolist())
    return reference


def _hexagon(radius: float, half_gap: float) -> FloatArray:
    """Six points in pairs of an angle 2 half_gap around three corners."""
    angles = [corner + side * half_gap for corner in 2.0 * np.pi / 3.0 * np.arange(3) for side in (-1.0, 1.0)]
    return radius * np.array([np.cos(angles), np.sin(angles)]).T


def delta(
    base: float = 0.2, arm: float = 0.25, rod: float = 0.5, top: float = 0.06, half: float = 0.04
) -> ts.ModelBuilder:
    """A delta robot: three driven arms, each with a pair of parallel rods between balls; the platform only translates.

    The platform hangs on three sliders that do not turn, which is what the parallelograms do to it.
    """
    b = ts.ModelBuilder("delta").add_link("frame")
    b.add_link("x_slide", virtual=True).add_link("y_slide", virtual=True)
    b.add_link("platform", ts.Inertia.of_box(0.3, (0.1, 0.1, 0.02)))
    b.add_joint("x", "prismatic", "frame", "x_slide", axis=(1, 0, 0), actuated=False)
    b.add_joint("y", "prismatic", "x_slide", "y_slide", axis=(0, 1, 0), actuated=False)
    b.add_joint("z", "prismatic", "y_slide", "platform", axis=(0, 0, 1), position=(0, 0, -0.5), actuated=False)
    for k in range(3):
        R = rotation_matrix_from_rotation_vector((0.0, 0.0, 2.0 * np.pi / 3.0 * k))
        b.add_link(f"arm{k}", bar(arm, 0.4)).add_link(f"rod{k}", bar(rod, 0.1, along=2))
        b.add_joint(f"motor{k}", "revolute", "frame", f"arm{k}", position=R @ (base, 0, 0), rotation=R, axis=(0, 1, 0),
                    q_min=-1.0, q_max=1.2)  # fmt: skip
        b.add_joint(f"knee{k}", "universal", f"arm{k}", f"rod{k}", position=(arm, 0, 0), axis=(0, 1, 0),
                    axis2=(1, 0, 0), actuated=False)  # fmt: skip
        b.add_loop(Loop(f"wrist{k}", "spherical", f"rod{k}", "platform", pose((0, 0, -rod)), pose(R @ (top, 0, 0), R)))
    return b


def planar_leg_mjcf(motors: bool, springs: bool) -> str:
    """The same biped with legs in the planes of their thighs: a hinge carries the rod, so that it could lead."""
    text = cassie_leg_mjcf().replace('type="ball"/>', 'type="hinge" axis="0 0 1"/>').replace("0 0 0.045", "0 0 0")
    text = text if springs else text.replace('stiffness="1250"', "")
    return text if motors else text[: text.index("<actuator>")] + "</mujoco>"


def cassie_leg_mjcf(sides: tuple[str, ...] = ("left", "right")) -> str:
    """A biped with leaf springs and rods like Agility's Cassie, numbers of our own: two connects a leg.

    Knee and toe are driven. The shin and the heel carry leaf springs; a rod with a ball ties the heel to the thigh,
    another one the crank of the toe to the foot.
    """
    parts = [
        '<mujoco model="leaf-spring biped"><compiler angle="radian"/><worldbody>'
        '<body name="pelvis" pos="0 0 1"><freejoint/><inertial mass="10" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>'
    ]
    for side in sides:
        parts.append(_leg(side, 0.1 if side == "left" else -0.1))
    parts.append("</body></worldbody><equality>")
    for side in sides:
        parts.append(f'<connect name="{side}_achilles" site1="{side}_rod_end" site2="{side}_heel_end"/>')
        parts.append(f'<connect name="{side}_plantar" site1="{side}_toe_rod_end" site2="{side}_foot_end"/>')
    parts.append("</equality><actuator>")
    parts += [f'<motor joint="{side}_{name}"/>' for side in sides for name in ("roll", "pitch", "knee", "crank")]
    return "".join([*parts, "</actuator></mujoco>"])


def _leg(side: str, y: float) -> str:
    """In the plane x-z of the thigh; the heel of the tarsus meets the rod, the foot the rod of the toe."""

    def body(name: str, position: str, mass: float, com: str, joint: str, *inside: str, end: str = "0 0 0") -> str:
        return (
            f'<body name="{side}_{name}" pos="{position}">{joint}<site name="{side}_{name}_end" pos="{end}"/>'
            f'<inertial mass="{mass}" pos="{com}" diaginertia="0.01 0.01 0.01"/>{"".join(inside)}</body>'
        )

    def hinge(name: str, low: float, high: float, extra: str = "") -> str:
        return f'<joint name="{side}_{name}" type="hinge" axis="0 0 1" limited="true" range="{low} {high}" {extra}/>'

    spring = 'stiffness="1250"'
    heel = body("heel", "-0.013 -0.03 0", 0.2, "0.05 0 0", hinge("heel_spring", -0.2, 0.2, spring), end="0.12 -0.01 0")
    toe_rod = body("toe_rod", "0.055 0 0", 0.1, "0.17 0 0", hinge("toe_rod_joint", -3.1, 3.1), end="0.35 0 0")
    crank = body("toe_crank", "0.06 -0.035 0", 0.1, "0.03 0 0", hinge("crank", -2.4, -0.5), toe_rod)
    foot = body("foot", "0.41 -0.035 0", 0.2, "0.03 0 0", hinge("toe", -2.4, -0.5), end="0.055 0 0")
    tarsus = body("tarsus", "0.435 0.02 0", 0.8, "0.2 0 0", hinge("ankle", 0.9, 2.9), heel, crank, foot)
    shin = body("shin", "0.06 0.047 0", 0.6, "0.2 0 0", hinge("shin_spring", -0.35, 0.35, spring), tarsus)
    knee = body("knee_link", "0.12 0 0", 0.8, "0.03 0.03 0", hinge("knee", -2.8, -0.7), shin)
    ball = f'<joint name="{side}_ball" type="ball"/>'
    rod = body("rod", "0 0 0.045", 0.2, "0.25 0 0", ball, end="0.5 0 0")
    thigh = (
        f'<body name="{side}_thigh" pos="0 0 -0.1" quat="0.5 0.5 0.5 0.5">'
        f'<joint name="{side}_pitch" type="hinge" axis="0 0 1" limited="true" range="-0.9 1.4"/>'
        f'<inertial mass="3" pos="0.05 0 0" diaginertia="0.02 0.02 0.02"/>{knee}{rod}</body>'
    )
    return (
        f'<body name="{side}_hip" pos="0 {y} 0"><joint name="{side}_roll" type="hinge" axis="1 0 0" limited="true" '
        f'range="-0.3 0.4"/><inertial mass="1.8" pos="0 0 0" diaginertia="0.01 0.01 0.01"/>{thigh}</body>'
    )
