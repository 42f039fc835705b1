"""Native core: see native/bindings."""

from collections.abc import Callable, Sequence
from typing import Any, Self

class ModelCore:
    """Native tables of a model; the base class of `tarsus.Model`."""

    def __new__(cls, arrays: dict[str, Any]) -> Self: ...

class ConstraintCore:
    """Native table of constraints; the base class of `tarsus.dynamics.constraints.table.ConstraintTable`."""

    def __new__(cls, model: ModelCore, arrays: dict[str, Any]) -> Self: ...

class VolumeCore:
    """Native tables of a collision model, made by `tarsus.collision.volume_table`."""

    def __new__(cls, model: ModelCore, arrays: dict[str, Any]) -> Self: ...

def volume_distances(a: Any, radius_a: Any, b: Any, radius_b: Any, results: tuple[Any, ...], threads: int, /) -> None:
    """Distances of pairs of swept spheres, into distance, points, normal and parts; all but the first may be None."""

def function(name: str, doc: str = "") -> Callable[..., Any]:
    """The native function of that name as a built-in with the given documentation."""

def methods(function: str, /) -> dict[str, str]:
    """Methods of a function, each with the one whose way it goes where joints depend on others."""

def set_prepare(callable: Callable[..., Any], /) -> None:
    """Install the function that converts unusual arguments."""

def kept_memory() -> int:
    """Bytes of freed results that are kept for later ones."""

def release_memory() -> None:
    """Give memory of freed results back to the system."""

def relative_poses(X: Any, p: Any, R: Any, /) -> None:
    """Positions (n, 3) and rotations (n, 3, 3) of poses (1 + n, 4, 4) as seen from the first one, into p and R."""

def enumeration(name: str, /) -> dict[str, int]:
    """Names and numbers of a native enumeration, in their order."""

def native_info() -> dict[str, Any]:
    """Instruction set in use (`isa`, `lanes`), and what was compiled and runs here."""

def make_world(model: ModelCore, tables: dict[str, Any], /) -> object:
    """Surfaces and contact features, ready for runs."""

def pair_contacts(model: ModelCore, world: object, pair: int, X: Any, Y: Any, /) -> Any:
    """Contacts (slots, 10) of a pair of solids at the poses of their bodies: depth, points of both, normal."""

def contact_laws() -> dict[str, tuple[int, tuple[str, ...]]]:
    """Number and names of the parameters of each contact law."""

def integrators() -> dict[str, tuple[int, bool]]:
    """Number of each integrator, and whether it chooses its steps by itself."""

def surface_distances(tables: dict[str, Any], points: Any, /) -> tuple[Any, Any]:
    """Distances of points (rows, 3) to the nearest surface, and normals out of it."""

def contact_force(law: int, parameters: Any, depth: Any, velocity: Any, /) -> Any:
    """Forces of a law on points without displacement, in axes whose third is the normal."""

def rasterise(tables: dict[str, Any], /) -> tuple[Any, Any]:
    """Nearest triangle (height, width) at every sample of a picture, -1 where there is none, and its depth."""

def shaded(tables: dict[str, Any], /) -> Any:
    """Picture (height, width, 4) of lit triangles: red, green, blue, opacity."""

class ProgramCore:
    """One quadratic program, with the memory in which it is solved; works on the arrays it is made of."""

    def __new__(
        cls, H: Any, g: Any, C: Any, lower: Any, upper: Any, weight: Any, bounded: bool, equalities: int, /
    ) -> ProgramCore: ...
    def update(
        self, H: Any, g: Any, A: Any, lower: Any, upper: Any, E: Any, e: Any, x_min: Any, x_max: Any, /
    ) -> tuple[int, int] | None:
        """New numbers; None, or which argument is wrong, and how: then nothing has changed."""

    def solve(
        self, warm: bool, limit: int, /
    ) -> tuple[int, Any, Any, Any, int, int, float, float, float, float, float, float]:
        """Status, x, multipliers, sides, iterations, passes, objective and residuals."""

    def judge(self, x: Any, multipliers: Any, /) -> tuple[float, float, float, float, float, float, Any]:
        """Objective, primal, dual, complementarity; primal and dual relative to what is summed; sides."""

    def expect(self, sides: Any, /) -> None:
        """Rows that a warm start begins with."""

def solve_programs(
    H: Any,
    g: Any,
    C: Any,
    lower: Any,
    upper: Any,
    weight: Any,
    bounded: bool,
    limit: int,
    threads: int,
    x: Any,
    multipliers: Any,
    sides: Any,
    status: Any,
    iterations: Any,
    residuals: Any,
    /,
) -> None:
    """A batch of quadratic programs into given arrays."""

class SimulatorCore:
    """Robots of one model in a world, with the memory in which they are stepped.

    Runs tell status, robot, time and loop that failed, and steps whose impulses did not settle.
    """

    def __new__(cls, model: ModelCore, world: object, settings: dict[str, Any], /) -> SimulatorCore: ...
    def bind(self, state: dict[str, Any], /) -> None:
        """Arrays of the state that runs change in place."""

    def set_law(self, tables: dict[str, Any], /) -> None:
        """Gains and references of the joints from now on."""

    def set_constant_law(self, kp: Any, kd: Any, q: Any, v: Any, tau: Any, gravity: bool, limited: bool, /) -> bool:
        """The same of a law without knots; False, and nothing has changed, where its arrays are not plain."""

    def set_torque(self, tau: Any, /) -> int | None:
        """Constant torques from now on; the first entry that is not finite, which changes nothing, or None."""

    def set_external(self, wrenches: Any, /) -> None:
        """Wrenches on the bodies from now on, or None."""

    def set_given(self, numbers: Any, first: float, spacing: float, /) -> None:
        """Motions of constraints that are functions of time, one row for each of equidistant times."""

    def set_engaged(self, rows: Any, /) -> None:
        """Which rows of the constraints act, int32 of every robot and row, or None for all."""

    def set_bodies(self, inertias: Any, /) -> None:
        """Bodies of every robot from now on, (robots, nb, 10): mass, centre, moments about it; or None."""

    def set_friction(self, coefficients: Any, /) -> None:
        """Coefficients of friction of every robot from now on, or None."""

    def set_worlds(self, worlds: tuple[object, ...], /) -> None:
        """The world of every robot from now on, all with the same contacts."""

    def switch_off(self, contacts: Any, /) -> None:
        """Contacts that touch nothing from now on, or None."""

    def run(self, request: dict[str, Any], /) -> tuple[int, int, float, int, int]:
        """Advance robots in place, of the state in the request where it has one, with samples and rates."""

    def run_rigid(
        self, request: dict[str, Any], /
    ) -> tuple[int, int, float, int, int, float, int, int, list[tuple[Any, ...]]]:
        """The same by events on rigid ground; then depth of a start below it, samples, due ones, and events."""

    def contacts(self, time: float, position: Any, force: Any, /) -> tuple[int, int, float, int, int]:
        """Places of all contacts [m] and the forces of the step that led here [N], (robots, 3 nc), into the arrays."""

    def step(
        self, first_step: int, steps: int, failed: Any = ..., failed_time: Any = ..., /
    ) -> tuple[int, int, float, int, int]:
        """The same without samples; robots that fail are marked in `failed` and stay, those that are marked, too."""

class SensorCore:
    """What perfect sensors of one model read; frames by name, tables of `tarsus.devices.sensors.native_truth`."""

    def __new__(cls, model: ModelCore, frames: Sequence[str], table: dict[str, Any], /) -> SensorCore: ...
    def sense(self, q: Any, v: Any, vdot: Any, position: Any, force: Any, out: Any, /) -> bool:
        """Fill `out`, (channels,) of one robot or (robots, channels); False where a state is refused."""

class FilterCore:
    """The filter of a `BaseEstimator`, in arrays of `tarsus.control.estimation.invariant_filter`, which it changes."""

    def __new__(cls, table: dict[str, Any], /) -> FilterCore: ...
    def propagate(self, dt: float, gyroscope: Any, accelerometer: Any, scale: float, other_scale: float, /) -> None:
        """A step in time; noise of gyroscope and accelerometer times their scales."""
    def correct(
        self, p_IC: Any, R_IC: Any, X_BI: Any, J: Any, used: tuple[int, ...], gate: float, /
    ) -> tuple[int, ...]:
        """Take contacts into account, numbers that rise; those that are too far off, and nothing changes then."""
    def base(self, X_BI: Any, angular: Any, V_BI: Any, q: Any, v: Any, /) -> None:
        """Write coordinates and twist of the base that carries the unit into the beginning of q and v."""
    def straighten(self) -> None:
        """Take rounding out of rotation matrices."""

class StepCore:
    """Steps of velocity-level inverse kinematics; tables of `tarsus.ik.velocity.stepper`."""

    def __new__(cls, tasks: TaskCore, table: dict[str, Any], /) -> Self: ...
    def __call__(self, q: Any, v: Any = None, /, **options: Any) -> Any:
        """The configuration after a step; what is no plain array goes to `_general` of the subclass."""
    def run(self, run: dict[str, Any], threads: int, /) -> None:
        """One step of each robot of a batch."""

class BodyCore:
    """Steps of whole-body control; frames by name, tables of `tarsus.control.whole_body.native_step`."""

    def __new__(
        cls, model: ModelCore, tasks: TaskCore | None, frames: Sequence[str], table: dict[str, Any], /
    ) -> BodyCore: ...
    def solve(self, q: Any, v: Any, A: Any = ..., lower: Any = ..., /) -> tuple[Any, int, int] | None:
        """Results, status and iterations of one robot; None where q and v are no plain vectors.

        A vdot >= lower is kept as limits of joints are.
        """
    def run(self, run: dict[str, Any], threads: int, /) -> None:
        """One step of each robot of a batch."""
    def forget(self) -> None:
        """Begin the next step without the active rows of the last one."""

class TaskCore:
    """Tasks of one model as a native table of `tarsus.ik.position.native_solver`; frames by name."""

    def __new__(cls, model: ModelCore, frames: Sequence[str], table: dict[str, Any], /) -> TaskCore: ...
    def solve(self, run: dict[str, Any], threads: int, /) -> None:
        """Position-level inverse kinematics of a batch of targets."""
    def predict(
        self, run: dict[str, Any], volumes: VolumeCore | None, /
    ) -> tuple[int, int, int, int, tuple[float, float, float, float, float]]:
        """Predictive inverse kinematics: status, iterations, evaluations, failed step, parts of the cost."""
