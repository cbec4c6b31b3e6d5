"""Types of the compiled part. SI units; rotations are quaternions (x, y, z, w)."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

__version__: str
PRESETS: list[str]

Vector = Sequence[float] | npt.NDArray[np.floating]
BodyKind = Literal["dynamic", "fixed", "kinematic"]
JointKind = Literal[
    "distance", "ball", "hinge", "slider", "fixed", "cone-twist", "generic", "screw", "wheel", "soft-weld"
]
CouplingKind = Literal["gear", "rack-and-pinion", "pulley", "coupling"]
JointAxis = Literal["x", "y", "z", "twist", "swing_y", "swing_z", "distance"]

class DrystoneError(ValueError):
    """What was asked for was refused; it says which value, and what was expected. Nothing has changed: arrays go on following the world."""

class Shape:
    """A shape in its own frame, m."""

    @staticmethod
    def sphere(radius: float) -> Shape: ...
    @staticmethod
    def cuboid(half_extents: Vector) -> Shape: ...
    @staticmethod
    def capsule(half_length: float, radius: float) -> Shape:
        """Along y."""
    @staticmethod
    def cylinder(half_height: float, radius: float) -> Shape:
        """Along y."""
    @staticmethod
    def cone(half_height: float, radius: float) -> Shape:
        """Along y."""
    @staticmethod
    def half_space(normal: Vector) -> Shape:
        """All that lies below a plane through the origin; for fixed bodies."""
    @staticmethod
    def hull(array: npt.ArrayLike) -> Shape:
        """The convex hull of points, (n, 3)."""
    @staticmethod
    def mesh(vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> Shape:
        """A surface: vertices (n, 3) and triangles (m, 3) of their indices, counter-clockwise from outside; for fixed bodies."""
    @staticmethod
    def height_field(heights: npt.ArrayLike, cell: tuple[float, float]) -> Shape:
        """Heights (rows, columns) in cells of so many metres along x and z; for fixed bodies."""
    @property
    def volume(self) -> float:
        """m³; 0 for surfaces and half-spaces."""

class Collider:
    """A shape on a body: where on it, of what material, what it meets."""

    def __init__(
        self,
        shape: Shape,
        *,
        position: Vector = (0, 0, 0),
        rotation: Vector | None = None,
        material: int = 0,
        member_of: int = 1,
        meets: int = 0xFFFFFFFF,
        surface_velocity: Vector = (0, 0, 0),
        trigger: bool = False,
    ) -> None: ...

Colliders = Shape | Collider | Sequence[Shape | Collider]

class Motor:
    """What drives the main coordinate of a joint."""

    @staticmethod
    def speed(speed: float, most: float = float("inf")) -> Motor:
        """Keeps a speed (m/s or rad/s), as far as its largest force (N) or torque (N·m) goes."""
    @staticmethod
    def spring(target: float, stiffness: float, damping: float, most: float = float("inf")) -> Motor:
        """Pulls to a place (m or rad)."""
    @staticmethod
    def servo(
        *,
        target: float = 0,
        speed: float = 0,
        stiffness: float = 0,
        damping: float = 0,
        force: float = 0,
        max_force: float = float("inf"),
    ) -> Motor:
        """All of it at once: `force + stiffness (target - q) + damping (speed - q')`, within `max_force` on both sides."""

class Spring:
    """How soft a spring with a damper is."""

    def __init__(self, stiffness: float, damping: float = 0) -> None: ...
    @staticmethod
    def frequency(frequency: float, damping_ratio: float = 0) -> Spring:
        """By how the two bodies would swing on it, Hz (1: critical damping)."""

class BodyState:
    """A body as it was when it was asked for."""

    handle: int
    kind: BodyKind
    position: list[float]
    rotation: list[float]
    center: list[float]
    velocity: list[float]
    angular_velocity: list[float]
    mass: float
    is_asleep: bool
    island: int | None
    level: int | None
    user_data: int

class JointState:
    """A joint as it was when it was asked for; force and torque are those on its second body, N and N·m."""

    force: list[float]
    torque: list[float]
    coordinates: list[float]
    """Ways along x, y, z (m), twist and swings (rad), distance (m); the twist of hinges, screws and wheels counts revolutions."""
    velocities: list[float]
    """How fast they change, m/s and rad/s."""
    steering: float
    coupling: CouplingState | None
    error: list[float]

class CouplingState:
    """What a joint couples, as it was when it was asked for."""

    sum: float
    velocity: float
    error: float
    force: float

class Report:
    """What one step did."""

    step: int
    time: float
    bodies: int
    awake: int
    asleep: int
    contacts: int
    joints: int
    broken_joints: int
    islands: int
    iterations: int
    is_solved: bool
    unsolved_joints: int
    turned_joints: int
    worst_residual: float
    worst_overlap: float
    limit_hits: int
    energy_before: float
    energy_after: float
    energy_grown: float
    energy_grown_body: int | None
    quarantined: list[int]
    seconds: dict[str, float]

class Contacts:
    """All contact points, one a row."""

    bodies: npt.NDArray[np.uint64]
    points: npt.NDArray[np.float64]
    normals: npt.NDArray[np.float32]
    distances: npt.NDArray[np.float32]
    impulses: npt.NDArray[np.float32]
    def __len__(self) -> int: ...

class RayHit:
    """What a ray hit."""

    body: int
    collider: int
    distance: float
    point: list[float]
    normal: list[float]

class Event:
    """Something that happened; `speed` of hits alone, m/s."""

    kind: str
    time: float
    bodies: list[int] | None
    speed: float | None

class LintFinding:
    """Something that is likely to go badly, or is worth knowing and goes well (`is_note`)."""

    concern: str
    bodies: list[int]
    joints: list[int]
    is_note: bool
    value: float
    bound: float
    message: str

class Snapshot:
    """The state of a world between two steps."""

class World:
    """Bodies in contact, and what advances them."""

    def __init__(
        self,
        preset: str = "fast",
        *,
        gravity: Vector | None = None,
        threads: int = 1,
        settings: Mapping[str, object] | None = None,
        hits: bool = False,
    ) -> None:
        """A preset (`drystone.PRESETS`), and settings that differ from it; `hits` tells touches that begin fast, whatever the settings say.

        Events gather until `events()` takes them, without bound: a program that never asks gives `settings={"events.queue": False}`.
        """
    def add_body(
        self,
        colliders: Colliders,
        position: Vector = (0, 0, 0),
        *,
        kind: BodyKind = "dynamic",
        rotation: Vector | None = None,
        velocity: Vector = (0, 0, 0),
        angular_velocity: Vector = (0, 0, 0),
        mass: float | None = None,
        lock_translation: Sequence[bool] = (False, False, False),
        lock_rotation: Sequence[bool] = (False, False, False),
        linear_damping: float = 0,
        angular_damping: float = 0,
        gravity_scale: float = 1,
        can_sleep: bool = True,
        asleep: bool = False,
        user_data: int = 0,
    ) -> int:
        """Adds a body; returns its handle."""
    def add_bodies(
        self,
        colliders: Colliders,
        positions: npt.ArrayLike,
        *,
        kind: BodyKind = "dynamic",
        rotations: npt.ArrayLike | None = None,
        mass: float | None = None,
    ) -> npt.NDArray[np.uint64]:
        """Adds a body at every row of `positions`, (n, 3); returns their handles. All or none: who tries again gets the same order."""
    def remove_body(self, handle: int) -> None: ...
    def body(self, handle: int) -> BodyState: ...
    def set_pose(self, handle: int, position: Vector, rotation: Vector | None = None) -> None:
        """Puts a body elsewhere; it wakes. Without a rotation it keeps the one that it has."""
    def set_velocity(self, handle: int, velocity: Vector, angular_velocity: Vector = (0, 0, 0)) -> None: ...
    def add_force(self, handle: int, force: Vector, torque: Vector = (0, 0, 0)) -> None:
        """For the next step."""
    def add_impulse(self, handle: int, impulse: Vector, angular: Vector = (0, 0, 0)) -> None: ...
    def wake(self, handle: int) -> None:
        """Wakes a body; so do forces, impulses, poses and joints that come or go. `asleep` shows it at once."""
    def add_material(
        self,
        name: str,
        *,
        density: float = 2600,
        restitution: float = 0.5,
        friction: float = 0.2,
        rolling_friction: float = 0,
    ) -> int:
        """Adds a material; returns its number. `friction` is that against itself; between two materials it is the mean."""
    def set_pair(
        self, a: int, b: int, *, restitution: float, friction: float, rolling_friction: float = 0
    ) -> None:
        """What two materials have between them."""
    def add_joint(
        self,
        kind: JointKind,
        a: int,
        b: int,
        *,
        at: Vector | None = None,
        between: tuple[Vector, Vector] | None = None,
        along: Vector | None = None,
        across: Vector | None = None,
        pitch: float | None = None,
        steering: float | None = None,
        suspension: Spring | None = None,
        linear_spring: Spring | None = None,
        angular_spring: Spring | None = None,
        limits: tuple[float, float] | None = None,
        motor: Motor | None = None,
        friction: float | None = None,
        cone: float | None = None,
        breaks_above: tuple[float, float] | None = None,
        collides: bool = False,
    ) -> int:
        """Adds a joint, with places in the world; returns its handle."""
    def add_coupling(
        self,
        kind: CouplingKind,
        first: int,
        second: int,
        *,
        ratio: float | None = None,
        axes: tuple[JointAxis, JointAxis] | None = None,
        factors: tuple[float, float] | None = None,
        limits: tuple[float, float] | None = None,
        breaks_above: tuple[float, float] | None = None,
        collides: bool = False,
    ) -> int:
        """Couples coordinates of two joints. The second one of a gear turns by `ratio` times the turn of the first one, a rack goes by `ratio` (m per rad) times the turn
        of its pinion, of a pulley the first distance and `ratio` times the second one are at most what they are; a coupling holds the sum of `axes` with `factors`."""
    def set_motor(self, handle: int, motor: Motor | None, axis: JointAxis | None = None) -> None:
        """Sets what drives a coordinate, by default the main one."""
    def set_joint_limits(
        self, handle: int, limits: tuple[float, float], axis: JointAxis | None = None
    ) -> None:
        """Sets the limits of a coordinate (m or rad, infinite for none), by default of the main one."""
    def set_steering(self, handle: int, angle: float) -> None:
        """Steers a wheel by an angle from straight on, rad."""
    def add_articulation(self, joints: list[int]) -> int:
        """Makes joints an articulation: they are solved by their coordinates from now on; returns its handle. It is no more as soon as one of its joints or bodies is removed."""
    def remove_articulation(self, handle: int) -> None:
        """Removes an articulation: its joints are constraints again."""
    def remove_joint(self, handle: int) -> None: ...
    def joint(self, handle: int) -> JointState: ...
    @property
    def broken_joints(self) -> list[int]:
        """Those that broke in the last step."""
    def step(self, dt: float = 1 / 60, count: int = 1) -> Report:
        """Makes `count` steps of `dt` seconds. Other threads run meanwhile; Ctrl-C ends it between two steps."""
    @property
    def report(self) -> Report: ...
    @property
    def bodies(self) -> npt.NDArray[np.uint64]:
        """Handles of all bodies: the order of the arrays below."""
    @property
    def positions(self) -> npt.NDArray[np.float64]:
        """(n, 3), m. Read-only; follows the world until a body comes or goes. Written in place, as the arrays below: another thread takes a copy between steps."""
    @property
    def rotations(self) -> npt.NDArray[np.float32]:
        """(n, 4). Read-only; follows the world until a body comes or goes."""
    @property
    def velocities(self) -> npt.NDArray[np.float32]:
        """(n, 6): m/s, then rad/s. Read-only; follows the world until a body comes or goes."""
    @property
    def asleep(self) -> npt.NDArray[np.bool_]:
        """(n,). Read-only; follows the world until a body comes or goes."""
    def contacts(self) -> Contacts: ...
    def events(self) -> list[Event]:
        """What happened since this was asked the last time; until then all is kept. Nothing with the setting `events.queue` off."""
    def cast_ray(self, origin: Vector, direction: Vector, max_distance: float = float("inf")) -> RayHit | None: ...
    def lint(self, dt: float = 1 / 60) -> list[LintFinding]:
        """What is likely to go badly with steps of `dt` seconds."""
    def snapshot(self) -> Snapshot: ...
    def restore(self, snapshot: Snapshot) -> None:
        """Goes back to a snapshot. Arrays follow when the bodies are the same ones as before the call; else ask for them anew."""
    @property
    def settings(self) -> list[tuple[str, str]]: ...
    @property
    def time(self) -> float: ...
    @property
    def kinetic_energy(self) -> float: ...
    @property
    def state_hash(self) -> int:
        """Equal worlds hash equal, on every machine and at any number of threads."""
    def __len__(self) -> int: ...
