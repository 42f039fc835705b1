"""What a controller in Python costs: HRP-2 stands on its soles and is controlled every millisecond.

Each run has the motion of one that needs no Python, bit by bit: that one is the physics, and is taken off. The
controllers compute nothing; what they would compute comes on top.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.section import Section, as_one
from benchmarks.target import Target
from tarsus.contact import Sole, flat
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.devices.sensors import IMU, Encoder, ErrorModel, ForceTorqueSensor, Sensor
from tarsus.model.model import Model
from tarsus.recording.trajectory import Trajectory

DT, STEPS = 1e-3, 500
"""Step and control step [s], and steps of one run: a robot under constant torques still stands after half a second."""
SETTLING_TIME = 1.0
CORNERS = ((0.12, 0.06, 0.0), (0.12, -0.06, 0.0), (-0.1, -0.06, 0.0), (-0.1, 0.06, 0.0))
KP, KD = 3000.0, 60.0


@dataclass(frozen=True)
class ControlStep:
    """Processor times of a control step [us], best of all rounds: the physics, and what controllers cost beyond it."""

    physics: float
    torque: float
    joint_law: float
    sensors: float
    sensors_torque: float

    @property
    def beyond(self) -> dict[str, float]:
        """What each controller costs beyond the physics [us]."""
        names = {
            "torque": "torques",
            "joint_law": "a JointLaw",
            "sensors_torque": "encoders, IMU and two force sensors, torques",
            "sensors": "encoders, IMU and two force sensors, a JointLaw",
        }
        return {text: asdict(self)[name] for name, text in names.items()}


def all_sensors(model: Model) -> list[Sensor]:
    """Encoders of all joints, an IMU in the waist and a force sensor in each foot, with errors."""
    joints = tuple(name for name, joint in model.joints.items() if joint.traits.one_axis)
    return [
        Encoder(joints=joints, velocity="filtered", errors=ErrorModel(noise=1e-5, resolution=1e-5)),
        IMU(frame="BODY", gyroscope=ErrorModel(noise=2e-3), accelerometer=ErrorModel(noise=0.02)),
        *(ForceTorqueSensor(frame=f"{side}_sole", name=side, errors=ErrorModel(noise=0.5)) for side in "lr"),
    ]


def controlled_runs() -> dict[str, Callable[[], Trajectory]]:
    """Simulations by what controls them; "held" and "pushed" need no Python."""
    model = ts.robots.hrp2()
    soles = [Sole(side, f"{side}_sole", CORNERS) for side in "lr"]
    hold = JointLaw(KP, KD, q=np.array(model.reference))
    world: dict[str, Any] = {"ground": flat(), "contacts": soles, "progress": False}
    rest = ts.simulate(model, duration=SETTLING_TIME, controller=hold, **world)
    tau = rest.tau[-1]
    sensors = all_sensors(model)

    def simulate(controller: Any, sensors: Sequence[Sensor] = ()) -> Callable[[], Trajectory]:
        return lambda: ts.simulate(model, rest.q[-1], rest.v[-1], duration=STEPS * DT, controller=controller,
                                   sensors=sensors, sample_dt=STEPS * DT, **world)  # fmt: skip

    def sensing(answer: Any) -> Callable[[Observation], Any]:
        def controller(observation: Observation) -> Any:
            readings = observation.sensors
            for name in ("encoder", "imu", "l", "r"):
                _ = readings[name]
            return answer

        return controller

    return {
        "held": simulate(hold),
        "pushed": simulate(JointLaw(tau=tau, limited=False)),
        "torque": simulate(lambda observation: tau),
        "joint_law": simulate(lambda observation: hold),
        "sensors_torque": simulate(sensing(tau), sensors),
        "sensors": simulate(sensing(hold), sensors),
    }


def measure_control_step(rounds: int = 25) -> ControlStep:
    """All controllers in turn, on one thread."""
    best = _fastest(controlled_runs(), rounds)
    held, pushed = best["held"], best["pushed"]
    return ControlStep(
        physics=held,
        torque=best["torque"] - pushed,
        joint_law=best["joint_law"] - held,
        sensors=best["sensors"] - held,
        sensors_torque=best["sensors_torque"] - pushed,
    )


def _fastest(runs: dict[str, Callable[[], Trajectory]], rounds: int) -> dict[str, float]:
    """Processor time of a step [us], the best of some rounds in which the runs take turns."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for name, run in runs.items():
            begin = time.thread_time()
            run()
            best[name] = min(best[name], (time.thread_time() - begin) / STEPS * 1e6)
    return best


_CONTROL = (
    # field, what, most
    ("torque", "returns torques", 20.0),
    ("joint_law", "returns a JointLaw", 20.0),
    ("sensors", "reads all sensors and returns a JointLaw", 40.0),
)


def control_table(control: ControlStep) -> Table:
    """Controllers in Python, a call every step."""
    table = empty_table(
        "hrp2 stands, a controller is called every step of 1 ms",
        ("what it reads and returns", "us a step"),
        left=("what it reads and returns",),
    )
    table.add_row("the physics alone, which are taken off below", f"{control.physics:.1f}")
    for what, cost in control.beyond.items():
        table.add_row(what, f"{cost:.1f}")
    return table


def judge_control(control: ControlStep | None) -> list[Target]:
    """Controllers in Python, beyond the physics."""
    found = {} if control is None else asdict(control)
    return [
        Target(f"hrp2, a controller that {what}: us a step beyond the physics", None, ceiling, found.get(name))
        for name, what, ceiling in _CONTROL
    ]


SECTION = Section(
    "control",
    lambda options: iter([measure_control_step(options.rounds(25, 5))]),
    lambda found: [control_table(found[0])],
    lambda found: judge_control(found[0] if found else None),
    as_one,
)


if __name__ == "__main__":
    found = measure_control_step()
    print(f"physics: {found.physics:.1f} us a step")
    for what, cost in found.beyond.items():
        print(f"{what}: {cost:.1f} us a step beyond the physics")
