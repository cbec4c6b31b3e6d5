"""From nothing to a wall that is hit, in cells: run it whole, or cell by cell in an editor or notebook."""

# %% A world, a ground, and a wall of bricks
import drystone as ds
import numpy as np

world = ds.World("fast", threads=1)
ground = world.add_body(ds.Shape.half_space((0, 1, 0)), kind="fixed")

ROWS, COLUMNS = 8, 6
half = np.array([0.2, 0.1, 0.1])
places = []
for row in range(ROWS):
    shift = half[0] if row % 2 else 0
    for column in range(COLUMNS):
        places.append((2 * half[0] * column + shift, half[1] * (2 * row + 1), 0))
bricks = world.add_bodies(ds.Shape.cuboid(half), np.array(places))
print(f"{len(bricks)} bricks; likely to go badly: {world.lint(1 / 60) or 'nothing'}")

# %% It stands
report = world.step(1 / 60, count=120)
wall = world.positions[1:]
drift = np.linalg.norm(wall - np.array(places), axis=1).max()
print(f"after {world.time:.1f} s {report.asleep} bricks sleep; the farthest has moved by {1e6 * drift:.1f} µm")
assert drift < 1e-3

# %% What the ground carries
contacts = world.contacts()
on_ground = (contacts.bodies == ground).any(axis=1)
carried = np.abs(contacts.impulses[on_ground, 1]).sum() * 60
weight = 9.81 * sum(world.body(int(brick)).mass for brick in bricks)
print(f"{on_ground.sum()} points on the ground carry {carried:.1f} N of {weight:.1f} N")

# %% A ball on a rope, swung into it
post = world.add_body([], (1.2, 3, 0.6), kind="fixed")
ball = world.add_body(ds.Shape.sphere(0.25), (1.2, 3, 2.7), mass=300)
rope = world.add_joint("distance", post, ball, between=((1.2, 3, 0.6), (1.2, 3, 2.7)), limits=(0, 2.6))
before = world.snapshot()
path = []
for _ in range(120):
    world.step(1 / 60)
    path.append(world.body(ball).position)
fallen = (world.positions[1 : 1 + len(bricks), 1] < np.array(places)[:, 1] - 0.05).sum()
print(f"the ball went down to {min(p[1] for p in path):.2f} m; {fallen} bricks lie lower than they did")
assert fallen > 5

# %% The same once more, to the bit
first = world.state_hash
world.restore(before)
world.step(1 / 60, count=120)
assert world.state_hash == first
print(f"again from the snapshot: the same bits, {first:#018x}")
