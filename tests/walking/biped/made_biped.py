"""A biped in MJCF, made to measure: light or heavy, feet of boxes, spheres or capsules, soles that are not level."""

from __future__ import annotations

import math

from tarsus.io.mjcf import read_mjcf_text
from tarsus.model import Model
from tarsus.model.assembly import assemble

FEET = {
    "box": '<geom name="{side}0" type="box" size="{a} {b} {r}"/>',
    "spheres": "".join(
        f'<geom name="{{side}}{k}" type="sphere" size="{{r}}" pos="{x}{{a}} {y}{{b}} 0"/>'
        for k, (x, y) in enumerate([("", ""), ("", "-"), ("-", ""), ("-", "-")])
    ),
    "capsules": "".join(
        f'<geom name="{{side}}{k}" type="capsule" size="{{r}}" fromto="-{{a}} {y}{{b}} 0 {{a}} {y}{{b}} 0"/>'
        for k, y in enumerate(("", "-"))
    ),
}
"""Shapes of a foot, by name; half of its length and of its width are `a` and `b`, `r` is its half thickness."""


def made_biped(
    *,
    size: float = 1.0,
    foot: str = "box",
    slope: float = 0.0,
    tilt: float = 0.0,
    spread: float = 0.0,
    inwards: float = 40.0,
    knees: tuple[float, float] = (140.0, 140.0),
    raised: tuple[float, float] = (100.0, 100.0),
    torque: float = 200.0,
    armature: float = 0.0,
    below: float = 0.0,
    masked: bool = False,
) -> Model:
    """A robot of 21 kg with legs of 0.7 m, times the cube of `size` and `size`.

    Parameters
    ----------
    slope : float
        Of the soles, toes up, with all joints at 0 [degrees].
    tilt : float
        Of the base in the key frame of the file [degrees].
    spread : float
        Of the legs with all joints at 0 [degrees].
    inwards : float
        How far legs can be brought inwards [degrees].
    knees, raised : tuple of float
        How far the left and the right knee can be bent, and thighs be raised [degrees].
    torque : float
        Limit of all joints [N m].
    below : float
        How far the frame of the base is below its hips [m].
    masked : bool
        Whether geoms touch the floor only because pairs say so.
    """
    s = size
    geoms = {
        side: FEET[foot].format(side=side, a=0.1 * s, b=0.04 * s, r=0.015 * s) for side in ("left_foot", "right_foot")
    }
    legs = "".join(
        _leg(side, sign, s, geoms[f"{side}_foot"], slope, spread, inwards, below, knee, up)
        for side, sign, knee, up in zip(("left", "right"), (1.0, -1.0), knees, raised, strict=True)
    )
    count = geoms["left_foot"].count("<geom")
    pairs = "".join(f'<pair geom1="floor" geom2="{side}_foot{k}"/>' for side in ("left", "right") for k in range(count))
    height = 0.78 * s - below
    text = f"""<mujoco model="made"><compiler angle="degree" inertiafromgeom="true"/>
      <default><joint armature="{armature}" damping="0.1" actuatorfrcrange="-{torque} {torque}"/>
        <geom density="1000" {'contype="0" conaffinity="0"' if masked else ""}/></default>
      <worldbody><geom name="floor" type="plane" size="9 9 1" contype="1" conaffinity="1"/>
        <body name="trunk" pos="0 0 {height}"><freejoint/>
          <geom type="box" size="{0.08 * s} {0.12 * s} {0.2 * s}" pos="0 0 {0.24 * s + below}" density="1000"/>
          {legs}</body></worldbody>
      {f"<contact>{pairs}</contact>" if masked else ""}
      {f'<keyframe><key qpos="0 0 1 {_half(tilt)} {" 0" * 12}"/></keyframe>' if tilt else ""}</mujoco>"""
    return assemble(read_mjcf_text(text, base="free")[0])


def _half(tilt: float) -> str:
    """Quaternion of a tilt forwards [degrees]."""
    half = math.radians(tilt) / 2
    return f"{math.cos(half)} 0 {math.sin(half)} 0"


def _leg(
    side: str,
    sign: float,
    s: float,
    foot: str,
    slope: float,
    spread: float,
    inwards: float,
    below: float,
    knee: float,
    up: float,
) -> str:
    roll = f'range="-{40 if sign < 0 else inwards} {inwards if sign < 0 else 40}"'
    limb = f'<geom type="capsule" size="{0.035 * s}" fromto="0 0 {-0.05 * s} 0 0 {-0.3 * s}"/>'
    return f"""<body name="{side}_yaw" pos="0 {0.1 * sign * s} {below}" euler="{spread * sign} 0 0">
      <joint name="{side}_hip_yaw" axis="0 0 1" range="-60 60"/><geom type="sphere" size="{0.02 * s}"/>
      <body name="{side}_roll"><joint name="{side}_hip_roll" axis="1 0 0" {roll}/>
      <geom type="sphere" size="{0.02 * s}"/>
      <body name="{side}_thigh"><joint name="{side}_hip_pitch" axis="0 1 0" range="-{up} 60"/>{limb}
      <body name="{side}_shin" pos="0 0 {-0.35 * s}"><joint name="{side}_knee" axis="0 1 0" range="0 {knee}"/>{limb}
      <body name="{side}_ankle" pos="0 0 {-0.35 * s}"><joint name="{side}_ankle_pitch" axis="0 1 0" range="-60 60"/>
      <geom type="sphere" size="{0.02 * s}"/>
      <body name="{side}_foot"><joint name="{side}_ankle_roll" axis="1 0 0" range="-40 40"/>
      <frame euler="{-spread * sign} {-slope} 0"><frame pos="{0.02 * s} 0 {-0.05 * s}">{foot}</frame></frame>
      </body></body></body></body></body></body>"""
