"""The package as its users have it. Run with `python -m unittest` where it is installed."""

import doctest
import inspect
import math
import signal
import sys
import threading
import time
import unittest

import drystone as ds
import numpy as np
from drystone import _native

DT = 1 / 60


def ground(world, **keywords):
    return world.add_body(ds.Shape.half_space((0, 1, 0)), kind="fixed", **keywords)


def pile(count=10, **keywords):
    world = ds.World(**keywords)
    ground(world)
    at = np.zeros((count, 3))
    at[:, 1] = 0.5 + np.arange(count)
    return world, world.add_bodies(ds.Shape.cuboid((0.5, 0.5, 0.5)), at)


class Piles(unittest.TestCase):
    def test_a_pile_stands_and_sleeps(self):
        world, cubes = pile()
        report = world.step(DT, count=300)
        self.assertEqual((report.step, report.asleep, len(world)), (299, 10, 11))
        self.assertAlmostEqual(report.time, 5, places=4)
        self.assertLess(np.abs(world.positions[1:, 1] - (0.5 + np.arange(10))).max(), 1e-3)
        self.assertTrue(world.asleep[1:].all())
        self.assertIn("solve", report.seconds)
        self.assertIn("asleep=10", repr(report))

    def test_old_names_of_settings_are_taken_with_a_warning(self):
        with self.assertWarnsRegex(DeprecationWarning, "sub_step.contact_slop"):
            ds.World(settings={"sub_step.rest_band": 0.5})

    def test_every_preset_holds_a_cube(self):
        for preset in ds.PRESETS:
            with self.subTest(preset):
                world, cubes = pile(1, preset=preset)
                world.step(1 / 240, count=120)
                self.assertAlmostEqual(world.body(int(cubes[0])).position[1], 0.5, places=2)

    def test_equal_bits_at_any_number_of_threads_and_after_a_snapshot(self):
        def run(threads):
            world = ds.World(threads=threads)
            ground(world)
            at = np.stack([0.3 * (np.arange(40) % 3), 1 + 1.2 * np.arange(40), 0.2 * (np.arange(40) % 2)], axis=1)
            world.add_bodies(ds.Shape.cuboid((0.5, 0.5, 0.5)), at)
            world.step(DT, count=60)
            snapshot = world.snapshot()
            world.step(DT, count=60)
            first = world.state_hash
            world.restore(snapshot)
            self.assertEqual(world.report.step, 59)
            world.step(DT, count=60)
            self.assertEqual(world.state_hash, first)
            return first

        self.assertEqual(run(1), run(2))


class Arrays(unittest.TestCase):
    def test_arrays_follow_the_world_and_cannot_be_written(self):
        world = ds.World(gravity=(0, 0, 0))
        body = world.add_body(ds.Shape.sphere(0.1), (1, 2, 3), velocity=(6, 0, 0), angular_velocity=(0, 0, 1))
        positions, velocities = world.positions, world.velocities
        self.assertEqual(positions.tolist(), [[1, 2, 3]])
        self.assertEqual(velocities.tolist(), [[6, 0, 0, 0, 0, 1]])
        self.assertEqual(world.bodies.tolist(), [body])
        self.assertEqual(world.rotations.tolist(), [[0, 0, 0, 1]])
        world.step(0.1, count=5)
        self.assertAlmostEqual(positions[0, 0], 4, places=5)
        self.assertAlmostEqual(world.rotations[0, 2], math.sin(0.25), places=4)
        self.assertIs(world.positions, positions)
        with self.assertRaises(ValueError):
            positions[0, 0] = 7
        world.set_pose(body, (0, 0, 9))
        self.assertEqual(positions[0].tolist(), [0, 0, 9])
        world.add_body(ds.Shape.sphere(0.1))
        self.assertEqual((positions.shape, world.positions.shape), ((1, 3), (2, 3)))

    def test_arrays_follow_on_after_what_was_refused_or_was_nothing(self):
        sphere = ds.Shape.sphere(0.1)
        refused = [
            lambda world: world.add_body(sphere, mass=-1),
            lambda world: world.add_body(sphere, (0, math.nan, 0)),
            lambda world: world.add_bodies(sphere, [[5, 0, 0], [0, math.inf, 0]]),
            lambda world: world.add_bodies(sphere, [[5, 0, 0]], mass=-1),
            lambda world: world.remove_body(7),
            lambda world: world.restore(ds.World("nsgs").snapshot()),
        ]
        for case in refused + [lambda world: world.add_bodies(sphere, np.zeros((0, 3)))]:
            with self.subTest(inspect.getsource(case).strip()):
                world = ds.World(gravity=(0, 0, 0))
                world.add_body(sphere, velocity=(6, 0, 0))
                positions = world.positions
                if case in refused:
                    with self.assertRaises(ds.DrystoneError):
                        case(world)
                else:
                    self.assertEqual(len(case(world)), 0)
                self.assertEqual(len(world), 1)
                world.step(0.1, count=5)
                self.assertAlmostEqual(positions[0, 0], 3, places=5)
                self.assertIs(world.positions, positions)

    def test_arrays_follow_a_world_that_goes_back_to_the_same_bodies(self):
        sphere = ds.Shape.sphere(0.1)
        world = ds.World(gravity=(0, 0, 0))
        first = world.add_body(sphere, (1, 2, 3), velocity=(6, 0, 0))
        positions, bodies = world.positions, world.bodies
        snapshot = world.snapshot()
        world.step(0.1, count=5)
        world.restore(snapshot)
        self.assertEqual((positions.tolist(), bodies.tolist()), ([[1, 2, 3]], [first]))
        world.step(0.1, count=5)
        self.assertAlmostEqual(positions[0, 0], 4, places=5)
        self.assertIs(world.positions, positions)
        # As many, but another one: what was given out stays as it was.
        world.remove_body(first)
        second = world.add_body(sphere, (7, 7, 7))
        positions, bodies = world.positions, world.bodies
        world.restore(snapshot)
        self.assertEqual((world.positions.tolist(), world.bodies.tolist()), ([[1, 2, 3]], [first]))
        self.assertEqual((positions.tolist(), bodies.tolist()), ([[7, 7, 7]], [second]))
        world.add_body(sphere, (9, 9, 9))
        positions = world.positions
        world.restore(snapshot)
        self.assertEqual((positions.shape, world.positions.shape), ((2, 3), (1, 3)))

    def test_who_is_woken_is_seen_at_once(self):
        def asleep(*joints):
            world = ds.World(gravity=(0, 0, 0))
            bodies = [world.add_body(ds.Shape.sphere(0.1), (x, 0, 0), asleep=not joints) for x in (0, 1, 2)]
            joints = [world.add_joint(kind, *bodies[:2], at=(0.5, 0, 0)) for kind in joints]
            if joints:
                world.step(DT, count=300)
            self.assertEqual(world.asleep.tolist(), [True] * 3)
            return world, bodies, joints

        cases = [
            ((), lambda world, bodies, _: world.wake(bodies[1]), [True, False, True]),
            ((), lambda world, bodies, _: world.add_force(bodies[1], (1, 0, 0)), [True, False, True]),
            ((), lambda world, bodies, _: world.add_joint("ball", *bodies[:2], at=(0.5, 0, 0)), [False, False, True]),
            (("ball",), lambda world, _, joints: world.remove_joint(joints[0]), [False, False, True]),
        ]
        for joints, change, expected in cases:
            with self.subTest(inspect.getsource(change).strip()):
                world, bodies, joints = asleep(*joints)
                held = world.asleep
                change(world, bodies, joints)
                self.assertEqual([world.body(body).is_asleep for body in bodies], expected)
                self.assertEqual(held.tolist(), expected)
                self.assertIs(world.asleep, held)

    def test_contacts_carry_the_weight(self):
        world, cubes = pile(3)
        world.step(DT, count=30)
        contacts = world.contacts()
        self.assertEqual(contacts.points.shape, (len(contacts), 3))
        self.assertEqual(contacts.bodies.shape, (len(contacts), 2))
        lowest = contacts.points[:, 1] < 0.01
        weight = sum(world.body(int(cube)).mass for cube in cubes) * 9.81
        carried = np.abs(contacts.impulses[lowest, 1]).sum() / DT
        self.assertAlmostEqual(carried / weight, 1, places=2)
        self.assertTrue(np.allclose(np.linalg.norm(contacts.normals, axis=1), 1, atol=1e-6))
        self.assertEqual(len(ds.World().contacts()), 0)


    def test_arrays_are_written_with_the_interpreters_lock_held(self):
        # Where Python has none, importing the module takes it up again.
        self.assertTrue(getattr(sys, "_is_gil_enabled", lambda: True)())


class Bodies(unittest.TestCase):
    def test_shapes_of_all_kinds_fall_on_a_ground_of_each_kind(self):
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.2
        shapes = [
            ds.Shape.sphere(0.2),
            ds.Shape.cuboid((0.2, 0.2, 0.2)),
            ds.Shape.capsule(0.1, 0.1),
            ds.Shape.cylinder(0.2, 0.2),
            ds.Shape.cone(0.2, 0.2),
            ds.Shape.hull(corners),
        ]
        square = [[-3, 0, -3], [3, 0, -3], [3, 0, 3], [-3, 0, 3]]
        grounds = [
            ds.Shape.half_space((0, 1, 0)),
            ds.Shape.mesh(square, [[0, 2, 1], [0, 3, 2]]),
            ds.Shape.height_field(np.zeros((4, 4)), (2, 2)),
        ]
        for shape in shapes:
            for flat in grounds:
                with self.subTest(f"{shape!r} on {flat!r}"):
                    world = ds.World()
                    world.add_body(flat, kind="fixed")
                    body = world.add_body(shape, (0.1, 0.3, 0.1))
                    world.step(DT, count=180)
                    self.assertTrue(0.05 < world.body(body).position[1] < 0.25, world.body(body).position)
        self.assertAlmostEqual(ds.Shape.cuboid((1, 1, 1)).volume, 8)

    def test_mass_forces_and_impulses(self):
        world = ds.World(gravity=(0, 0, 0))
        body = world.add_body([ds.Collider(ds.Shape.sphere(0.1), position=(x, 0, 0)) for x in (-1, 1)], mass=2)
        self.assertEqual(world.body(body).mass, 2)
        for _ in range(60):
            world.add_force(body, (4, 0, 0))
            world.step(DT)
        self.assertAlmostEqual(world.body(body).velocity[0], 2, places=4)
        world.add_impulse(body, (-4, 0, 0))
        self.assertAlmostEqual(world.body(body).velocity[0], 0, places=4)
        world.remove_body(body)
        with self.assertRaisesRegex(ds.DrystoneError, "does not exist"):
            world.body(body)

    def test_a_body_put_elsewhere_keeps_its_rotation_unless_it_gets_another(self):
        world = ds.World(gravity=(0, 0, 0))
        half = math.sqrt(0.5)
        body = world.add_body(ds.Shape.cuboid((0.1, 0.1, 0.1)), rotation=(0, half, 0, half))
        world.set_pose(body, (0, 1, 0))
        self.assertEqual(world.body(body).position, [0, 1, 0])
        self.assertTrue(np.allclose(world.body(body).rotation, (0, half, 0, half), atol=1e-6))
        world.set_pose(body, (0, 2, 0), (0, 0, 0, 1))
        self.assertEqual(world.body(body).rotation, [0, 0, 0, 1])

    def test_materials_and_pairs(self):
        world = ds.World()
        ice = world.add_material("ice", density=917, friction=0.02, restitution=0)
        ground(world)
        cube = ds.Collider(ds.Shape.cuboid((0.5, 0.5, 0.5)), material=ice)
        body = world.add_body(cube, (0, 0.5, 0), velocity=(1, 0, 0))
        self.assertAlmostEqual(world.body(body).mass, 917, places=2)
        world.set_pair(0, ice, restitution=0, friction=0)
        world.step(DT, count=60)
        self.assertAlmostEqual(world.body(body).position[0], 1, places=3)

    def test_a_refused_batch_leaves_the_order_of_the_next(self):
        world = ds.World()
        sphere = ds.Shape.sphere(0.1)
        # A slot in between is free: bodies that come fill it first.
        world.remove_body([world.add_body(sphere, (0, y, 0)) for y in (10, 20, 30)][1])
        at = np.zeros((5, 3))
        at[:, 0] = np.arange(5)
        other = world.snapshot()
        world.add_bodies(sphere, at)
        expected = world.positions.tolist()
        world.restore(other)
        wrong = at.copy()
        wrong[4, 1] = math.inf
        with self.assertRaisesRegex(ds.DrystoneError, "row 4"):
            world.add_bodies(sphere, wrong)
        self.assertEqual(world.positions.tolist(), [[0, 10, 0], [0, 30, 0]])
        bodies = world.add_bodies(sphere, at)
        self.assertEqual(world.positions.tolist(), expected)
        self.assertEqual([world.body(int(body)).position[0] for body in bodies], at[:, 0].tolist())

    def test_settings_of_events_are_taken(self):
        def told(**keywords):
            world = ds.World(**keywords)
            ground(world)
            world.add_body(ds.Shape.cuboid((0.5, 0.5, 0.5)), (0, 3, 0))
            world.step(DT, count=90)
            return {event.kind for event in world.events()}

        # It bounces. Told of all steps, though asked after many.
        touches = {"touch_begin", "touch_end"}
        self.assertEqual(told(), touches)
        self.assertEqual(told(hits=True), touches | {"hit"})
        self.assertEqual(told(settings={"events.hit": True}), touches | {"hit"})
        self.assertEqual(told(hits=True, settings={"events.hit": False}), touches | {"hit"})
        self.assertEqual(told(settings={"events.hit": True, "events.hit_speed": 20}), touches)
        self.assertEqual(told(hits=True, settings={"events.queue": False}), set())

    def test_events_rays_and_lint(self):
        world = ds.World(hits=True)
        below = ground(world)
        body = world.add_body(ds.Shape.cuboid((0.5, 0.5, 0.5)), (0, 3, 0))
        hit = world.cast_ray((0, 10, 0), (0, -1, 0))
        self.assertEqual((hit.body, hit.distance, hit.normal), (body, 6.5, [0, 1, 0]))
        self.assertIsNone(world.cast_ray((0, 10, 0), (0, 1, 0), 5))
        world.step(DT, count=90)
        events = world.events()
        touch = next(event for event in events if event.kind == "touch_begin")
        self.assertEqual(sorted(touch.bodies), sorted([below, body]))
        # It falls by 2.5 m.
        self.assertAlmostEqual(max(e.speed for e in events if e.kind == "hit"), math.sqrt(2 * 9.81 * 2.5), delta=0.2)
        self.assertEqual(world.events(), [])
        self.assertEqual(world.lint(), [])
        self.assertEqual([finding.concern for finding in world.lint(0.1)], ["long step"])


class Joints(unittest.TestCase):
    def test_a_pendulum_keeps_its_length_and_its_period(self):
        world = ds.World("fine")
        post = world.add_body([], kind="fixed")
        angle = 0.01
        bob = world.add_body(ds.Shape.sphere(0.01), (math.sin(angle), -math.cos(angle), 0))
        hinge = world.add_joint("hinge", post, bob, at=(0, 0, 0), along=(0, 0, 1))
        crossings, last = [], 1
        for step in range(4000):
            world.step(1 / 960)
            x = world.body(bob).position[0]
            if last > 0 >= x:
                crossings.append((step + 1) / 960 - x / (x - last) / 960)
            last = x
        inertia = 1 + 0.4 * 0.01**2
        self.assertAlmostEqual(crossings[1] - crossings[0], 2 * math.pi * math.sqrt(inertia / 9.81), delta=2e-3)
        self.assertLess(abs(math.dist(world.body(bob).position, (0, 0, 0)) - 1), 1e-4)
        self.assertAlmostEqual(world.joint(hinge).force[1] / world.body(bob).mass, 9.81, delta=0.02)

    def test_joints_are_an_articulation(self):
        world = ds.World()
        post = world.add_body([], kind="fixed")
        rods = [world.add_body(ds.Shape.cuboid((0.25, 0.02, 0.02)), (0.25 + 0.5 * k, 0, 0)) for k in range(2)]
        ends = [post, *rods]
        joints = [
            world.add_joint("hinge", ends[k], ends[k + 1], at=(0.5 * k, 0, 0), along=(0, 0, 1)) for k in range(2)
        ]
        with self.assertRaises(ValueError):
            world.add_articulation([])
        arm = world.add_articulation(joints)
        world.step(1 / 60, 120)
        for joint in joints:
            self.assertLess(world.joint(joint).error[0], 1e-6)
        world.remove_articulation(arm)
        with self.assertRaises(ValueError):
            world.remove_articulation(arm)

    def test_motors_and_breaking(self):
        world = ds.World(gravity=(0, 0, 0))
        post = world.add_body([], kind="fixed")
        wheel = world.add_body(ds.Shape.cylinder(0.1, 0.5), mass=1)
        motor = ds.Motor.speed(2)
        hinge = world.add_joint("hinge", post, wheel, at=(0, 0, 0), along=(0, 1, 0), motor=motor, breaks_above=(100, math.inf))
        world.step(DT, count=60)
        self.assertAlmostEqual(world.body(wheel).angular_velocity[1], 2, places=3)
        world.add_force(wheel, (1e4, 0, 0))
        report = world.step(DT)
        self.assertEqual((report.broken_joints, world.broken_joints), (1, [hinge]))

    def axle(self, world, base, x, **options):
        wheel = world.add_body(ds.Shape.sphere(0.1), (x, 0, 0), mass=1)
        return world.add_joint("hinge", base, wheel, at=(x, 0, 0), along=(0, 0, 1), **options)

    def test_gears_turn_as_their_ratio_says(self):
        world = ds.World(gravity=(0, 0, 0))
        base = world.add_body([], kind="fixed")
        crank = self.axle(world, base, 0, motor=ds.Motor.speed(20))
        wheel = self.axle(world, base, 1)
        gear = world.add_coupling("gear", crank, wheel, ratio=-0.5)
        world.step(DT, count=120)
        twist = [world.joint(joint).coordinates[3] for joint in (crank, wheel)]
        self.assertAlmostEqual(twist[0], 40, delta=0.5)
        self.assertAlmostEqual(twist[1], -0.5 * twist[0], places=3)
        self.assertAlmostEqual(world.joint(wheel).velocities[3], -10, delta=0.05)
        state = world.joint(gear)
        self.assertAlmostEqual(state.coupling.error, 0, places=3)
        self.assertIsNone(world.joint(crank).coupling)
        with self.assertRaisesRegex(ds.DrystoneError, "ratio of a gear must be finite and not 0, got 0"):
            world.add_coupling("gear", crank, wheel, ratio=0)
        with self.assertRaisesRegex(ds.DrystoneError, "does not exist"):
            world.add_coupling("gear", crank, 12345, ratio=1)
        world.remove_joint(crank)
        with self.assertRaises(ds.DrystoneError):
            world.joint(gear)

    def test_atwoods_machine(self):
        world = ds.World()
        base = world.add_body([], kind="fixed")

        def rope(x, mass):
            body = world.add_body(ds.Shape.sphere(0.1), (x, 0, 0), mass=mass)
            joint = world.add_joint("distance", base, body, between=((x, 2, 0), (x, 0, 0)), limits=(0, math.inf))
            return body, joint

        (light, first), (heavy, second) = rope(0, 1), rope(1, 3)
        world.add_coupling("coupling", first, second, axes=("distance", "distance"), factors=(1, 1))
        world.step(DT, count=30)
        self.assertAlmostEqual(world.body(light).velocity[1], 9.81 * 0.5 * 0.5, delta=0.03)
        self.assertAlmostEqual(world.body(heavy).velocity[1], -9.81 * 0.5 * 0.5, delta=0.03)

    def test_servos_screws_wheels_and_welds(self):
        world = ds.World()
        base = world.add_body([], kind="fixed")
        servo = self.axle(world, base, 0, limits=(-60, 60))
        world.set_motor(servo, ds.Motor.servo(target=25, stiffness=0.2, damping=0.06))
        world.step(DT, count=240)
        self.assertAlmostEqual(world.joint(servo).coordinates[3], 25, delta=0.01)
        world.set_joint_limits(servo, (-10, 10), axis="twist")
        world.step(DT, count=60)
        self.assertAlmostEqual(world.joint(servo).coordinates[3], 10, delta=0.01)

        nut = world.add_body(ds.Shape.sphere(0.1), (2, 0, 0), mass=1)
        screw = world.add_joint("screw", base, nut, at=(2, 0, 0), along=(0, 1, 0), pitch=0.1, motor=ds.Motor.speed(math.tau))
        world.step(DT, count=60)
        self.assertAlmostEqual(world.body(nut).position[1], 0.1, delta=2e-3)

        hub = world.add_body(ds.Shape.sphere(0.1), (4, 0, 0), mass=1)
        spring = ds.Spring(200, 20)
        wheel = world.add_joint("wheel", base, hub, at=(4, 0, 0), along=(0, 0, 1), across=(0, 1, 0), suspension=spring)
        block = world.add_body(ds.Shape.sphere(0.1), (6, 0, 0), mass=1)
        weld = world.add_joint("soft-weld", base, block, at=(6, 0, 0), linear_spring=ds.Spring.frequency(2, 1))
        world.set_steering(wheel, 0.2)
        world.step(DT, count=240)
        self.assertAlmostEqual(world.body(hub).position[1], -9.81 / 200, delta=5e-4)
        self.assertAlmostEqual(world.joint(wheel).steering, 0.2, places=6)
        self.assertAlmostEqual(world.joint(weld).coordinates[1], -9.81 / (4 * math.pi) ** 2, delta=5e-4)
        self.assertLess(max(world.joint(weld).error), 1e-4)


class Refusals(unittest.TestCase):
    def test_what_is_refused_says_what_was_expected(self):
        world = ds.World()
        sphere = ds.Shape.sphere(1)
        cases = [
            (lambda: ds.World("quick"), "preset must be fast"),
            (lambda: ds.World(settings={"sub_step.sweps": 2}), "no setting"),
            (lambda: ds.World(settings={"sub_step.sweeps": "many"}), "whole number"),
            (lambda: ds.World(threads=0), "thread"),
            (lambda: ds.Shape.sphere(-1), "radius"),
            (lambda: ds.Shape.hull([[0, 0], [1, 1]]), r"\(n, 3\), got \(2, 2\)"),
            (lambda: ds.Shape.mesh([[0, 0, 0]], [[0, 1, -2]]), "index"),
            (lambda: world.add_body(sphere, (0, math.nan, 0)), "finite"),
            (lambda: world.add_body(sphere, rotation=(0, 0, 0, 0)), "quaternion"),
            (lambda: world.add_body(sphere, kind="static"), "dynamic, fixed or kinematic"),
            (lambda: world.add_body(sphere, mass=-1), "total_mass"),
            (lambda: world.add_body([]), "collider"),
            (lambda: world.add_bodies(sphere, [[0, 0, 0], [0, math.inf, 0]]), "row 1"),
            (lambda: world.add_bodies(sphere, [[0, 0, 0]], rotations=[[0, 0, 1]]), r"\(1, 4\)"),
            (lambda: world.step(-1), "dt"),
            (lambda: world.step(math.nan), "dt"),
            (lambda: world.add_joint("weld", 1, 2), "one of distance"),
            (lambda: world.add_joint("gear", 1, 2), "couples two joints"),
            (lambda: world.add_coupling("chain", 1, 2), "one of gear"),
            (lambda: world.add_coupling("gear", 1, 2), "needs a ratio"),
            (lambda: world.cast_ray((0, 0, 0), (0, 0, 0)), "direction"),
        ]
        for case, expected in cases:
            with self.subTest(inspect.getsource(case).strip()):
                with self.assertRaisesRegex(ds.DrystoneError, expected):
                    case()
        self.assertEqual((len(world), world.time), (0, 0))
        for case in (lambda: world.add_body("cube"), lambda: world.add_body(sphere, (0, 0)), lambda: ds.Shape.sphere("r")):
            with self.assertRaises((TypeError, ValueError)):
                case()

    def test_settings_are_taken(self):
        world = ds.World(settings={"sub_step.sweeps": 2, "sleeping.enabled": False})
        settings = dict(world.settings)
        self.assertEqual((settings["sub_step.sweeps"], settings["sleeping.enabled"]), ("2", "false"))


class Threads(unittest.TestCase):
    def test_ctrl_c_ends_a_long_run_between_two_steps(self):
        world, _ = pile(5)
        # What was started in the background by a shell ignores the signal.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,)).start()
        with self.assertRaises(KeyboardInterrupt):
            world.step(DT, count=10**9)
        self.assertGreater(world.time, 0)
        world.step(DT)

    def test_other_threads_run_while_a_world_steps(self):
        world, _ = pile(5)
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        begin = time.perf_counter()
        while time.perf_counter() - begin < 0.3:
            world.step(DT, count=200)
        done.set()
        thread.join()
        self.assertGreater(len(ticks), 20)


class Stubs(unittest.TestCase):
    def test_the_stubs_name_what_there_is(self):
        import ast
        import pathlib

        tree = ast.parse(pathlib.Path(_native.__file__).with_name("_native.pyi").read_text())
        for node in tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            own = getattr(ds, node.name)
            said = set()
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    said.add(item.name)
                elif isinstance(item, ast.AnnAssign):
                    said.add(item.target.id)
            there = {name for name in dir(own) if not name.startswith("_")}
            self.assertEqual({name for name in said if not name.startswith("_")}, there - set(dir(ValueError)), node.name)

    def test_the_examples_of_the_readme_run(self):
        import pathlib

        readme = pathlib.Path(__file__).parent.with_name("README.md").read_text()
        blocks = readme.split("```python\n")[1:]
        self.assertEqual(len(blocks), 2)
        for block in blocks:
            exec(block.split("```")[0], {})

    def test_the_example_of_the_package_runs(self):
        self.assertEqual(doctest.testmod(ds).failed, 0)


if __name__ == "__main__":
    unittest.main()
