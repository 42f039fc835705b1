"""What robots touch, what acts on them and what integrates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor, Ground, LeastConstraint, Rigid
from tarsus.contact.pairs import Pairs
from tarsus.contact.rigid.touch_points import TouchPoints
from tarsus.control.joint_law import JointLaw
from tarsus.errors import ArgumentError
from tarsus.simulation.constraints import HeldConstraints
from tarsus.simulation.rigid.event_driven import EventDriven
from tarsus.simulation.runs.adaptive import AdaptiveSteps
from tarsus.simulation.runs.integration import Integration
from tarsus.simulation.runs.native_steps import NativeSteps
from tarsus.simulation.runs.plain_run import PlainRun
from tarsus.simulation.runs.robots import INTEGRATORS, Robots
from tarsus.simulation.runs.user_events import Event
from tarsus.simulation.spring import Spring
from tarsus.simulation.world import World

if TYPE_CHECKING:
    from tarsus.model import Model


@final
@dataclass(frozen=True, eq=False)
class Scene:
    """All that runs of a model are made of, and of other models of the same robot, beside its state.

    Attributes
    ----------
    method : str
        An integrator, or the method of a contact law.
    ground, contacts, pairs
        What can be touched, and with what.
    pushed : bool
        Whether forces from outside act on bodies.
    springs : sequence of Spring
    law : JointLaw or None
        What drives the joints from the start on.
    held : HeldConstraints or None
        Constraints, of one model only.
    dt, every, relative, absolute, stops, threads, resumable
        As for `Robots`.
    """

    method: str
    ground: Ground | None
    contacts: tuple[Contactor, ...] | None
    pairs: Pairs | None
    pushed: bool
    springs: Sequence[Spring]
    law: JointLaw | None
    held: HeldConstraints | None
    dt: float
    every: int
    relative: float
    absolute: float
    stops: bool
    threads: int
    resumable: bool

    def run(self, model: Model, q: FloatArray, v: FloatArray, events: Sequence[Event] = ()) -> PlainRun:
        """Robots at q (*batch, nq) and v (*batch, nv), and what integrates them.

        Raises
        ------
        ArgumentError
            For grounds that the method is not for.
        """
        world = World(model, self.ground, self.contacts, self.pairs, all_nodes=self.pushed or bool(self.springs))
        rigid = self.method == Rigid.method
        if rigid:
            if world.pairs.pairs:
                raise ArgumentError(
                    "bodies touch each other on ground of a law with forces, such as Compliant, not of Rigid"
                )
            TouchPoints(model, self.ground, self.contacts)  # refuses grounds that are not for rigid contact
        native = "semi-implicit-euler" if self.method == LeastConstraint.method else self.method
        own = native in INTEGRATORS and not events and not (self.held is not None and self.held.locks)
        robots = Robots(
            model, world, q, v, integrator=native if own else None, dt=self.dt, every=self.every,
            relative=self.relative, absolute=self.absolute, stops=self.stops, threads=self.threads, law=self.law,
            resumable=self.resumable, constraints=self.held, springs=self.springs,
        )  # fmt: skip
        integration: Integration
        if rigid:
            integration = EventDriven(robots, events)
        elif own:
            integration = NativeSteps(robots, native)
        else:
            integration = AdaptiveSteps(robots, self.method, events)
        return PlainRun(robots, integration)
