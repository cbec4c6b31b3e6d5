"""Rigid bodies in contact, piled high.

SI units; y is up unless gravity says otherwise; rotations are quaternions (x, y, z, w).

>>> import drystone as ds
>>> world = ds.World()
>>> ground = world.add_body(ds.Shape.half_space((0, 1, 0)), kind="fixed")
>>> cube = world.add_body(ds.Shape.cuboid((0.5, 0.5, 0.5)), (0, 0.5, 0))
>>> report = world.step(1 / 60, count=120)
>>> round(world.body(cube).position[1], 3), report.asleep
(0.5, 1)
"""

from ._native import (
    PRESETS,
    BodyState,
    Collider,
    Contacts,
    CouplingState,
    DrystoneError,
    Event,
    LintFinding,
    JointState,
    Motor,
    RayHit,
    Report,
    Shape,
    Snapshot,
    Spring,
    World,
    __version__,
)

__all__ = [
    "PRESETS",
    "BodyState",
    "Collider",
    "Contacts",
    "CouplingState",
    "DrystoneError",
    "Event",
    "LintFinding",
    "JointState",
    "Motor",
    "RayHit",
    "Report",
    "Shape",
    "Snapshot",
    "Spring",
    "World",
    "__version__",
]
