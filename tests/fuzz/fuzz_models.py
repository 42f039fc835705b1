"""Fuzz of the model file readers: mutated files load or are refused, in bounded time and memory, and nothing else.

    python tests/fuzz/fuzz_models.py --count 100000 --seed 1 --jobs 2

Every file is small, made from one of a few seeds by random mutations, read, judged and assembled. Whatever happens must
be a model, a `ModelError`, or a list of problems; any other exception, a numerical warning, two seconds or a gigabyte
fails the run. A failing file is named by its number and may be written out with ``--save``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tarsus.errors import ModelError, ModelWarning
from tarsus.io.mjcf import read_mjcf_text
from tarsus.io.sdf import read_sdf_text
from tarsus.io.urdf import read_urdf_text
from tarsus.model.assembly import assemble
from tarsus.model.validation import find_problems

SECONDS_PER_FILE = 2.0
MAX_RESIDENT_BYTES = 2**30

URDF_SEEDS = [
    b"""<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.1" rpy="0.1 0 0"/><mass value="2.5"/>
      <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.12" iyz="0" izz="0.05"/></inertial>
    <visual><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.05" length="0.2"/></geometry>
      <material name="grey"/></visual>
    <collision><geometry><mesh filename="package://arm/upper.stl" scale="1 1 1"/></geometry></collision>
  </link>
  <link name="lower"><inertial><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 1.57 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="50" velocity="3"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="elbow" type="prismatic"><parent link="upper"/><child link="lower"/>
    <axis xyz="1 1 0"/><limit lower="0" upper="1" effort="10" velocity="1"/>
    <mimic joint="shoulder" multiplier="0.5" offset="0.1"/></joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0.1 0 0"/></joint>
</robot>
""",
    b"""<robot name="octopus"><link name="head"><inertial><mass value="3"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="c"><collision><geometry><box size="1 2 3"/></geometry></collision></link>
<joint name="a" type="floating"><parent link="head"/><child link="a"/></joint>
<joint name="b" type="planar"><parent link="head"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="c" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint>
<transmission name="t"><type>x</type></transmission><gazebo reference="c"><mu>1</mu></gazebo></robot>
""",
]

MJCF_SEEDS = [
    b"""<mujoco model="walker">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.01" gravity="0 0 -9.81"/>
  <default><joint damping="0.1" armature="0.01"/><geom density="1000" rgba="0.8 0.6 0.4 1"/>
    <default class="leg"><geom type="capsule" size="0.05"/></default></default>
  <worldbody><geom name="floor" type="plane" size="0 0 1"/>
    <body name="torso" pos="0 0 1"><freejoint name="root"/><geom type="sphere" size="0.2"/>
      <site name="imu" pos="0 0 0.1"/>
      <body name="thigh" pos="0 0 -0.2" euler="0 0.1 0"><joint name="hip" axis="0 1 0" range="-1 1"/>
        <geom class="leg" fromto="0 0 0 0 0 -0.4"/>
        <body name="shin" pos="0 0 -0.4"><inertial pos="0 0 -0.2" mass="1" diaginertia="0.1 0.1 0.01"/>
          <joint name="knee" type="hinge" axis="0 1 0" range="-2 0" stiffness="1" ref="0.1"/>
          <joint name="slide" type="slide" axis="0 0 1"/></body></body></body></worldbody>
  <equality><joint joint1="knee" joint2="hip" polycoef="0 -2 0 0 0"/></equality>
  <actuator><motor joint="hip" gear="50" ctrlrange="-1 1"/><position joint="slide" kp="10"/></actuator>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 0 0 0"/></keyframe>
</mujoco>
""",
    b"""<mujoco><worldbody><body name="a"><joint type="ball"/><geom type="box" size="0.1 0.2 0.3" mass="2"/>
<replicate count="3" offset="0.1 0 0"><body><joint axis="1 0 0"/><geom size="0.1"/></body></replicate>
<frame pos="1 0 0" quat="1 0 0 1"><body name="b" axisangle="0 0 1 0.5"><joint type="hinge"/>
<geom type="ellipsoid" size="0.1 0.2 0.3"/></body></frame></body></worldbody>
<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality></mujoco>
""",
]

SDF_SEEDS = [
    b"""<?xml version="1.0"?>
<sdf version="1.9"><model name="cart"><static>false</static>
<link name="chassis"><pose>0 0 0.5 0 0 0.1</pose><inertial><pose>0 0 0.1 0 0 0</pose><mass>10</mass>
<inertia><ixx>1</ixx><ixy>0.1</ixy><iyy>1</iyy><izz>1</izz></inertia></inertial>
<collision name="c"><geometry><box><size>1 0.5 0.2</size></box></geometry></collision></link>
<link name="wheel"><pose relative_to="chassis">0.3 0 0 1.57 0 0</pose><inertial><mass>1</mass></inertial>
<visual name="v"><geometry><mesh><uri>model://cart/wheel.dae</uri></mesh></geometry></visual></link>
<link name="mast"><inertial><mass>2</mass></inertial></link>
<frame name="camera" attached_to="mast"><pose>0 0 1 0 0 0</pose></frame>
<joint name="axle" type="revolute"><parent>chassis</parent><child>wheel</child>
<axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>-1</lower><upper>1</upper><effort>5</effort></limit>
<dynamics><damping>0.1</damping></dynamics></axis></joint>
<joint name="lift" type="prismatic"><parent>chassis</parent><child>mast</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="bar" type="ball"><parent>wheel</parent><child>mast</child></joint></model></sdf>
""",
]
SDF_SEEDS.append(
    SDF_SEEDS[0].replace(b'<joint name="bar" type="ball"><parent>wheel</parent><child>mast</child></joint>', b"")
)

READERS = {
    "urdf": (read_urdf_text, URDF_SEEDS),
    "mjcf": (read_mjcf_text, MJCF_SEEDS),
    "sdf": (read_sdf_text, SDF_SEEDS),
}

NASTY = [
    *(
        "nan",
        "-inf",
        "1e999",
        "-1e308",
        "1e308",
        "1e-320",
        "0",
        "-0",
        "-1",
        "1e5",
        "1e9",
        "0x10",
        "1,2,3",
        "1_0",
        "9" * 400,
    ),
    *("", " ", "1 2", "1 2 3", "0 0 0", "1 2 3 4 5 6 7", "nan nan nan", "1e308 1e308 1e308", "1e-200 0 0", "1e200 0 0"),
    *("true", "false", "a", "base", "hip", "world", "free", "ball", "spherical", "${x}", "\u0661", "&#0;", "&x;"),
    *("../../../../etc/passwd", "file:///dev/zero", "package://a/../../b", "http://localhost:9/x"),
    *("99999999999999999999", "-99999999999999999999"),
]
TOKENS = [
    *(b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<", b">", b"/>", b'"', b"&amp;"),
    *(b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\xe2\x80\xa8", b"<a>" * 300, b"xmlns='urn:x' "),
    *(b"<?xml version='1.0' encoding='utf-16'?>", b"<x:y/>", b"<include file='x.xml'/>"),
    *(b"<replicate count='100000'>", b"<default class='leg'>"),
]

_VALUE = re.compile(rb'(?<==")[^"<>]*(?=")|(?<=>)[^<>\s][^<>]*(?=<)')
_TAG = re.compile(rb"(?<=<)[A-Za-z_]+")


def _span(rng: random.Random, data: bytes, longest: int = 200) -> slice:
    start = rng.randrange(len(data) + 1)
    return slice(start, min(len(data), start + rng.randrange(1, longest)))


def _flip(rng: random.Random, data: bytes) -> bytes:
    copy = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        if copy:
            copy[rng.randrange(len(copy))] ^= 1 << rng.randrange(8)
    return bytes(copy)


def _delete(rng: random.Random, data: bytes) -> bytes:
    span = _span(rng, data)
    return data[: span.start] + data[span.stop :]


def _duplicate(rng: random.Random, data: bytes) -> bytes:
    span = _span(rng, data)
    return data[: span.stop] + data[span] * rng.choice((1, 1, 1, 20)) + data[span.stop :]


def _insert(rng: random.Random, data: bytes) -> bytes:
    position = rng.randrange(len(data) + 1)
    return data[:position] + rng.choice(TOKENS) + data[position:]


def _cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _replace(rng: random.Random, data: bytes, pattern: re.Pattern[bytes], new: Callable[[list[bytes]], bytes]) -> bytes:
    matches = list(pattern.finditer(data))
    if not matches:
        return data
    target = rng.choice(matches)
    return data[: target.start()] + new([match[0] for match in matches]) + data[target.end() :]


def _nasty_value(rng: random.Random, data: bytes) -> bytes:
    return _replace(rng, data, _VALUE, lambda _: rng.choice(NASTY).encode())


def _other_value(rng: random.Random, data: bytes) -> bytes:
    return _replace(rng, data, _VALUE, rng.choice)


def _other_tag(rng: random.Random, data: bytes) -> bytes:
    """Rename all elements of one kind, or the start tag of one element."""
    if rng.random() < 0.2:
        return _replace(rng, data, _TAG, rng.choice)
    tags = sorted({match[0] for match in _TAG.finditer(data)})
    if not tags:
        return data
    old, new = rng.choice(tags), rng.choice(tags)
    return re.sub(rb"(</?)" + old + rb"\b", rb"\1" + new, data)


def _move_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    action = rng.randrange(3)
    if action == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif action == 1:
        lines.insert(i, lines[j])
    else:
        del lines[i]
    return b"\n".join(lines)


# Mutations that keep the file well-formed come often, or little beyond the parser would ever be reached.
MUTATIONS = [_nasty_value, _other_value] * 10 + [_other_tag, _move_lines, _flip, _delete, _duplicate, _insert, _cut]


def mutated(kind: str, seed: int, number: int) -> bytes:
    """File number `number` of the run with the given seed."""
    rng = random.Random(f"{kind} {seed} {number}")
    data = rng.choice(READERS[kind][1])
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        data = rng.choice(MUTATIONS)(rng, data)
    return data


@dataclass
class Outcome:
    """What became of a share of the files."""

    verdicts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, int, str]] = field(default_factory=list)
    slowest: float = 0.0
    resident: int = 0


def verdict(kind: str, data: bytes) -> str:
    """Read, judge and assemble one file."""
    try:
        description, noted = READERS[kind][0](data)
    except ModelError as error:
        return f"refused: {error.first.rule}"
    errors = [problem for problem in (*noted, *find_problems(description)) if problem.severity == "error"]
    if errors:
        return f"refused: {errors[0].rule}"
    try:
        model = assemble(description)
    except ModelError as error:
        return f"refused: {error.first.rule}"
    if not np.isfinite(model.total_mass) or not np.isfinite(model.neutral()).all():
        raise AssertionError("the model is not finite")
    return "loaded"


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SECONDS_PER_FILE} s")


def run(kind: str, seed: int, numbers: range) -> Outcome:
    """Fuzz one share of the files in this process."""
    outcome = Outcome()
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ModelWarning)
    signal.signal(signal.SIGALRM, _too_slow)
    for number in numbers:
        data = mutated(kind, seed, number)
        start = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, SECONDS_PER_FILE)
        try:
            outcome.verdicts[verdict(kind, data)] += 1
        except Exception:
            outcome.failures.append((kind, number, traceback.format_exc(limit=-4)))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        outcome.slowest = max(outcome.slowest, time.perf_counter() - start)
    outcome.resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return outcome


def _shares(kinds: list[str], seed: int, count: int, jobs: int) -> Iterator[tuple[str, int, range]]:
    each = count // len(kinds)
    for kind in kinds:
        for job in range(jobs):
            yield kind, seed, range(job, each, jobs)


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzz from the command line; 0 if every file loaded or was refused."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000, help="number of files, all kinds together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--kinds", nargs="+", choices=list(READERS), default=list(READERS))
    parser.add_argument("--save", type=Path, help="directory for files that fail")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    shares = list(_shares(options.kinds, options.seed, options.count, options.jobs))
    if options.jobs == 1:
        outcomes = [run(*share) for share in shares]
    else:
        with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
            outcomes = pool.starmap(run, shares, chunksize=1)
    total = sum((outcome.verdicts for outcome in outcomes), Counter[str]())
    failures = [failure for outcome in outcomes for failure in outcome.failures]
    resident = max(outcome.resident for outcome in outcomes)
    for name, number in total.most_common():
        print(f"{number:8d}  {name}")
    for kind, number, text in failures[:10]:
        print(f"FAILED {kind} file {number} of seed {options.seed}\n{text}")
        if options.save:
            options.save.mkdir(parents=True, exist_ok=True)
            (options.save / f"{kind}-{options.seed}-{number}.xml").write_bytes(mutated(kind, options.seed, number))
    slowest, elapsed = max(outcome.slowest for outcome in outcomes), time.perf_counter() - start
    size = f"slowest {slowest:.3f} s, {resident / 2**20:.0f} MiB"
    print(f"{total.total()} files in {elapsed:.1f} s, {size}, {len(failures)} failures")
    return 1 if failures or resident > MAX_RESIDENT_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
