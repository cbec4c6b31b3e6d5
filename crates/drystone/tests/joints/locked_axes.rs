//! Joints between bodies with locked world axes. Trusted: the same linkage of free bodies on hinges, statics, the closed form of a crank and slider, and conservation of energy.

use super::*;
use drystone::math::{Position, larger, rotation_from_vector};
use drystone::{AxisLocks, JointHandle, JointSpec};

/// A preset with its step, s.
type Case = (&'static str, Method);

/// Every preset that takes joints, at 60 and at 240 steps per second.
fn cases() -> Vec<Case> {
    type Preset = (&'static str, fn() -> WorldConfig);
    let presets: [Preset; 3] =
        [("fast", WorldConfig::fast), ("fine", WorldConfig::fine), ("thesis_fast", WorldConfig::thesis_fast)];
    let each = |(name, config): Preset| [60.0, 240.0].map(|rate| (name, Method { config, dt: 1.0 / rate }));
    presets.into_iter().flat_map(each).collect()
}

/// Ratios of the masses of a linkage, one after the other.
const RATIOS: [Real; 3] = [1.0, 100.0, 0.01];

/// Locked along some axes and free to turn.
fn along(translation: [bool; 3]) -> AxisLocks {
    AxisLocks { translation, rotation: [false; 3] }
}

/// A bar of this mass, kg, and a width of 0.2 m, in the plane of x and y between two points, that meets nothing.
fn bar(world: &mut Sim, [from, to]: [[f64; 2]; 2], mass: Real, locks: AxisLocks) -> BodyHandle {
    let (x, y) = (to[0] - from[0], to[1] - from[1]);
    let half = Vector3::new(0.5 * x.hypot(y) as Real, 0.1, 0.1);
    let turn = rotation_from_vector(&(Vector3::z() * y.atan2(x) as Real));
    let center = Position::new(0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0.0);
    let volume = 8.0 * half.x * half.y * half.z;
    let spec = BodySpec::dynamic()
        .pose(Pose::new(center, turn))
        .collider(ColliderSpec::new(Shape::cuboid(half).expect("positive")).filter(0, 0))
        .mass(MassProperties::cuboid(&half, mass / volume))
        .locks(locks);
    world.add_body(spec).expect("room")
}

/// A cube of 0.2 m of this mass, kg, that meets nothing.
fn slider(world: &mut Sim, [x, y]: [f64; 2], mass: Real, locks: AxisLocks) -> BodyHandle {
    let half = Vector3::new(0.1, 0.1, 0.1);
    let spec = BodySpec::dynamic()
        .pose(Pose::at(x, y, 0.0))
        .collider(ColliderSpec::new(Shape::cuboid(half).expect("positive")).filter(0, 0))
        .mass(MassProperties::cuboid(&half, mass / 0.008))
        .locks(locks);
    world.add_body(spec).expect("room")
}

fn ball(world: &mut Sim, a: BodyHandle, b: BodyHandle, [x, y]: [f64; 2]) -> JointHandle {
    world.add_joint(&JointSpec::ball(a, b).at(Position::new(x, y, 0.0))).expect("a joint")
}

fn hinge(world: &mut Sim, a: BodyHandle, b: BodyHandle, [x, y]: [f64; 2]) -> JointHandle {
    let spec = JointSpec::hinge(a, b).at(Position::new(x, y, 0.0)).along(Vector3::z());
    world.add_joint(&spec).expect("a joint")
}

/// Kinetic energy and that of the height, J.
fn energy(world: &Sim) -> f64 {
    let pull = f64::from(world.config().gravity.norm());
    world.kinetic_energy() + world.bodies().map(|b| f64::from(b.mass) * pull * b.center.y).sum::<f64>()
}

/// Largest error of a place, m.
fn apart(world: &Sim, joints: &[JointHandle]) -> Real {
    let error = |&joint: &JointHandle| world.joint(joint).expect("it is there").error[0];
    joints.iter().map(error).fold(0.0, Real::max)
}

fn place(world: &Sim, body: BodyHandle) -> Position {
    world.pose(body).expect("it is there").translation
}

/// Checks that bodies are in the plane of x and y and turn in it alone, to the bit.
fn assert_planar(world: &Sim, bodies: &[BodyHandle], what: &str) {
    for &body in bodies {
        let pose = world.pose(body).expect("it is there");
        let (linear, angular) = world.velocity(body).expect("it is there");
        assert_eq!(pose.translation.z, 0.0, "{what}");
        assert_eq!((pose.rotation.i, pose.rotation.j), (0.0, 0.0), "{what}");
        assert_eq!((linear.z, angular.x, angular.y), (0.0, 0.0, 0.0), "{what}");
    }
}

/// The worst of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    /// Largest error of a place, m.
    apart: Real,
    /// What was gained over the begin, as a share of `scale`.
    gained: f64,
}

impl Worst {
    /// Goes on for so many sixtieths of a second; `scale` is an energy, J, and `look` sees every step.
    fn of_run(
        world: &mut Sim,
        joints: &[JointHandle],
        (sixtieths, scale): (u32, f64),
        mut look: impl FnMut(&Sim),
    ) -> Self {
        let begin = energy(world);
        let mut worst = Self::default();
        for _ in 0..world.steps(sixtieths) {
            world.tick();
            look(world);
            worst.apart = worst.apart.max(apart(world, joints));
            worst.gained = worst.gained.max((energy(world) - begin) / scale);
        }
        worst
    }

    /// Checks that places are within 0.1 mm and that nothing is gained, or else that the same linkage without locked axes has as much of it: what steps are too long for.
    fn assert_as_good_as(self, other: Self, what: &str) {
        assert!(
            self.apart < larger(1e-4, 1.2 * other.apart),
            "{what}: {self:?}, {other:?} without locked axes"
        );
        assert!(
            self.gained < 0.02_f64.max(1.2 * other.gained),
            "{what}: {self:?}, {other:?} without locked axes"
        );
    }
}

/// How a linkage is kept in its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plane {
    /// Free bodies on hinges.
    Hinges,
    /// Bodies with locked axes on ball joints.
    Locks,
    /// Both.
    Both,
}

impl Plane {
    fn locks(self) -> AxisLocks {
        if self == Self::Hinges { AxisLocks::default() } else { AxisLocks::PLANE_XY }
    }

    fn join(self, world: &mut Sim, a: BodyHandle, b: BodyHandle, at: [f64; 2]) -> JointHandle {
        if self == Self::Locks { ball(world, a, b, at) } else { hinge(world, a, b, at) }
    }
}

/// Two bars of a metre, let go askew.
fn double_pendulum(method: &Method, ratio: Real, plane: Plane) -> (Sim, [BodyHandle; 2], [JointHandle; 2]) {
    let mut world = sleepless(method);
    let hook = world.add_body(BodySpec::fixed()).expect("room");
    let [middle, end] = [[0.6, -0.8], [1.4, -1.4]];
    let upper = bar(&mut world, [[0.0; 2], middle], 1.0, plane.locks());
    let lower = bar(&mut world, [middle, end], ratio, plane.locks());
    let first = plane.join(&mut world, hook, upper, [0.0; 2]);
    let second = plane.join(&mut world, upper, lower, middle);
    (world, [upper, lower], [first, second])
}

#[test]
fn a_planar_double_pendulum_is_one_on_hinges() {
    for (name, method) in cases() {
        for ratio in RATIOS {
            // What both bars can fall by.
            let scale = 9.81 * (2.0 + 4.0 * f64::from(ratio));
            let [(free, wanted), (locks, found), (both, found_of_both)] =
                [Plane::Hinges, Plane::Locks, Plane::Both].map(|plane| {
                    let (mut world, bodies, joints) = double_pendulum(&method, ratio, plane);
                    let what = format!("{name}, {} s, ratio {ratio}, {plane:?}", method.dt);
                    let mut way = Vec::new();
                    let worst = Worst::of_run(&mut world, &joints, (180, scale), |world| {
                        if plane != Plane::Hinges {
                            assert_planar(world, &bodies, &what);
                        }
                        way.push(bodies.map(|body| place(world, body)));
                    });
                    (worst, way)
                });
            let what = format!("{name}, {} s, ratio {ratio}", method.dt);
            locks.assert_as_good_as(free, &what);
            both.assert_as_good_as(free, &what);
            // Rounding, and what is solved by sweeps in the one and at once in the other, grow as they swing.
            let most = if method.dt > 0.01 { 1e-2 } else { 1e-4 };
            let second = wanted.len() / 3;
            for step in 0..second {
                for k in 0..2 {
                    let of = |way: &[[Position; 2]]| (way[step][k] - wanted[step][k]).norm();
                    let off = of(&found).max(of(&found_of_both));
                    assert!(off < most, "{what}, step {step}: body {k} is off by {off} m");
                }
            }
        }
    }
}

/// Two bars that hold up a cube, which moves along y alone and is not below the hook.
fn hung_up(
    method: &Method,
    ratio: Real,
    locks: AxisLocks,
    damping: Real,
) -> (Sim, [BodyHandle; 3], [JointHandle; 3]) {
    let mut world = sleepless(method);
    let hook = world.add_body(BodySpec::fixed()).expect("room");
    let (middle, end) = ([0.8, -0.6], [0.3, -0.6 - 0.75_f64.sqrt()]);
    let upper = bar(&mut world, [[0.0; 2], middle], 1.0, AxisLocks::default());
    let lower = bar(&mut world, [middle, end], 1.0, AxisLocks::default());
    let hung = slider(&mut world, end, ratio, locks);
    for body in [upper, lower, hung] {
        world.set_damping(body, damping, damping).expect("at least 0");
    }
    let first = ball(&mut world, hook, upper, [0.0; 2]);
    let second = ball(&mut world, upper, lower, middle);
    let third = ball(&mut world, lower, hung, end);
    (world, [upper, lower, hung], [first, second, third])
}

/// Holds a body to a line along an axis by a joint.
fn rail(world: &mut Sim, body: BodyHandle, axis: Vector3) {
    let at = place(world, body);
    let ground = world.add_body(BodySpec::fixed()).expect("room");
    world.add_joint(&JointSpec::slider(ground, body).at(at).along(axis)).expect("a joint");
}

#[test]
fn what_hangs_on_a_swinging_bar_keeps_to_its_line() {
    for (name, method) in cases() {
        for ratio in RATIOS {
            let scale = 9.81 * (2.0 + 2.0 * f64::from(ratio));
            let what = format!("{name}, {} s, ratio {ratio}", method.dt);
            let (mut world, [_, _, hung], joints) = hung_up(&method, ratio, AxisLocks::default(), 0.0);
            rail(&mut world, hung, Vector3::y());
            let railed = Worst::of_run(&mut world, &joints, (300, scale), |_| ());
            for rotation in [[false; 3], [true; 3]] {
                let locks = AxisLocks { translation: [true, false, true], rotation };
                let (mut world, [_, _, hung], joints) = hung_up(&method, ratio, locks, 0.0);
                let (start, mut moved) = (place(&world, hung), 0.0_f64);
                let locked = Worst::of_run(&mut world, &joints, (300, scale), |world| {
                    let now = place(world, hung);
                    assert_eq!((now.x, now.z), (start.x, start.z), "{what}");
                    moved = moved.max((now.y - start.y).abs());
                });
                locked.assert_as_good_as(railed, &what);
                assert!(moved > 0.1, "{what}: it moved by {moved} m");
            }
        }
    }
}

/// At rest: the locks carry what is sideways, and the hook the whole weight.
#[test]
fn the_lock_takes_the_sideways_part_of_a_reaction() {
    for (name, method) in cases() {
        for ratio in RATIOS {
            let locks = AxisLocks { translation: [true, false, true], rotation: [true; 3] };
            let (mut world, [upper, lower, hung], joints) = hung_up(&method, ratio, locks, 3.0);
            run(&mut world, 1200);
            // A damped step has less of the weight.
            for body in [upper, lower, hung] {
                world.set_damping(body, 0.0, 0.0).expect("at least 0");
            }
            run(&mut world, 30);
            let what = format!("{name}, {} s, ratio {ratio}", method.dt);
            let [hook, _, last] = joints.map(|joint| world.joint(joint).expect("it is there").force);
            let weight = 9.81 * ratio;
            assert!(
                (last.y - weight).abs() < 0.005 * weight.max(9.81),
                "{what}: {last:?}, weighs {weight} N"
            );
            let whole = weight + 2.0 * 9.81;
            assert!((hook.y - whole).abs() < 0.005 * whole, "{what}: {hook:?}, weighs {whole} N");
            // What both bars weigh and carry about the hook.
            let places = [upper, lower, hung].map(|body| place(&world, body));
            let moment = 9.81 * (places[0].x + places[1].x + f64::from(ratio) * places[2].x);
            let wanted = (moment / places[2].y) as Real;
            let most = 0.01 * wanted.abs().max(9.81);
            assert!((last.x - wanted).abs() < most, "{what}: {last:?}, {wanted} N wanted");
            assert!((hook.x - wanted).abs() < most, "{what}: {hook:?}, {wanted} N wanted");
        }
    }
}

/// A crank, a coupler and a rocker.
fn four_bars(method: &Method, ratio: Real, plane: Plane) -> (Sim, [BodyHandle; 3], [JointHandle; 4]) {
    let mut world = sleepless(method);
    let ground = world.add_body(BodySpec::fixed()).expect("room");
    let [a, b, c, d] = [[0.0, 0.0], [0.0, 0.5], [1.2, 1.0], [1.0, 0.0]];
    let crank = bar(&mut world, [a, b], 1.0, plane.locks());
    let coupler = bar(&mut world, [b, c], ratio, plane.locks());
    let rocker = bar(&mut world, [d, c], 1.0, plane.locks());
    let joints = [
        plane.join(&mut world, ground, crank, a),
        plane.join(&mut world, crank, coupler, b),
        plane.join(&mut world, coupler, rocker, c),
        plane.join(&mut world, ground, rocker, d),
    ];
    (world, [crank, coupler, rocker], joints)
}

#[test]
fn a_planar_four_bar_linkage_stays_together() {
    for (name, method) in cases() {
        for ratio in RATIOS {
            let scale = 9.81 * (0.25 + 0.5 + 0.75 * f64::from(ratio));
            let [(free, _), (locks, far), (both, far_of_both)] = [Plane::Hinges, Plane::Locks, Plane::Both]
                .map(|plane| {
                    let (mut world, bodies, joints) = four_bars(&method, ratio, plane);
                    let what = format!("{name}, {} s, ratio {ratio}, {plane:?}", method.dt);
                    let (start, mut far) = (place(&world, bodies[1]), 0.0_f64);
                    let worst = Worst::of_run(&mut world, &joints, (180, scale), |world| {
                        if plane != Plane::Hinges {
                            assert_planar(world, &bodies, &what);
                        }
                        far = far.max((place(world, bodies[1]) - start).norm());
                    });
                    (worst, far)
                });
            let what = format!("{name}, {} s, ratio {ratio}", method.dt);
            locks.assert_as_good_as(free, &what);
            both.assert_as_good_as(free, &what);
            assert!(far > 0.3 && far_of_both > 0.3, "{what}: it moved by {far} m and {far_of_both} m");
        }
    }
}

/// Where the slider of a crank of 0.3 m and a rod of a metre is, m, by the angle of the crank.
fn closed_form(angle: f64) -> f64 {
    let (sine, cosine) = angle.sin_cos();
    0.3 * cosine + (1.0 - (0.3 * sine) * (0.3 * sine)).sqrt()
}

/// From the outer dead point on, at 2 rad/s and without weight; the slider keeps to its line by these locks, or by a joint.
fn crank_and_slider(method: &Method, ratio: Real, locks: Option<AxisLocks>) -> (Worst, f64) {
    let mut world = weightless(method);
    let ground = world.add_body(BodySpec::fixed()).expect("room");
    let crank = bar(&mut world, [[0.0; 2], [0.3, 0.0]], 1.0, AxisLocks::default());
    let rod = bar(&mut world, [[0.3, 0.0], [1.3, 0.0]], 1.0, AxisLocks::default());
    let end = slider(&mut world, [1.3, 0.0], ratio, locks.unwrap_or_default());
    if locks.is_none() {
        rail(&mut world, end, Vector3::x());
    }
    let joints = [
        hinge(&mut world, ground, crank, [0.0; 2]),
        hinge(&mut world, crank, rod, [0.3, 0.0]),
        ball(&mut world, rod, end, [1.3, 0.0]),
    ];
    for (body, spin) in [(crank, 2.0), (rod, -0.6)] {
        world.set_velocity(body, Vector3::y() * 0.3, Vector3::z() * spin).expect("finite");
    }
    let scale = world.kinetic_energy();
    let (mut angle, mut last) = (0.0_f64, 0.0_f64);
    let worst = Worst::of_run(&mut world, &joints, (360, scale), |world| {
        let center = place(world, crank);
        let now = center.y.atan2(center.x);
        let (half, whole) = (std::f64::consts::PI, std::f64::consts::TAU);
        angle += (now - last + half).rem_euclid(whole) - half;
        last = now;
        let found = place(world, end);
        if locks.is_some() {
            assert_eq!(found.y, 0.0);
        }
        let off = (found.x - closed_form(now)).abs();
        assert!(off < 3e-4, "{} s, ratio {ratio}, {now} rad: off by {off} m", world.dt);
    });
    (worst, angle)
}

#[test]
fn a_crank_moves_a_slider_of_locked_axes() {
    for (name, method) in cases() {
        for ratio in RATIOS {
            let what = format!("{name}, {} s, ratio {ratio}", method.dt);
            let (railed, wanted) = crank_and_slider(&method, ratio, None);
            for is_flat in [true, false] {
                let axes = AxisLocks { translation: [false, true, is_flat], rotation: [true; 3] };
                let (locked, angle) = crank_and_slider(&method, ratio, Some(axes));
                locked.assert_as_good_as(railed, &what);
                assert!((angle / wanted - 1.0).abs() < 0.01, "{what}: {angle} rad, {wanted} on a rail");
                // A heavy slider leaves a crank little.
                assert!(angle > if ratio > 1.0 { 0.5 } else { std::f64::consts::TAU }, "{what}: {angle} rad");
            }
        }
    }
}

/// A pendulum of 1 m, let go level, on a cart that rolls along x by its locks alone: neither loses what the other one gets.
#[test]
fn a_pendulum_on_a_cart_comes_up_again() {
    let rails = AxisLocks { translation: [false, true, true], rotation: [true; 3] };
    for mass in [1.0, 10.0] {
        let mut world = sleepless(&SUB_STEP);
        let cart = slider(&mut world, [0.0; 2], 1.0, rails);
        let bob = slider(&mut world, [1.0, 0.0], mass, AxisLocks::default());
        let joint = hinge(&mut world, cart, bob, [0.0; 2]);
        let scale = 9.81 * f64::from(mass);
        let (mut most, mut highest) = (0.0_f64, -1.0_f64);
        for step in 0..world.steps(1200) {
            world.tick();
            most = most.max(energy(&world));
            assert_eq!(place(&world, cart).y, 0.0);
            if step >= world.steps(1080) {
                highest = highest.max(place(&world, bob).y);
            }
        }
        assert!(most < 0.02 * scale, "{mass} kg: {most} of {scale} J");
        assert!(highest > -0.05, "{mass} kg: up to {highest} m after 20 s");
        assert!(apart(&world, &[joint]) < 1e-4);
    }
}

#[test]
fn a_snapshot_goes_on_as_the_linkage_did() {
    for (name, method) in cases() {
        let make = |method: &Method| hung_up(method, 100.0, along([true, false, true]), 0.0).0;
        let mut world = make(&method);
        run(&mut world, 30);
        let snapshot = world.snapshot();
        run(&mut world, 30);
        let wanted = world.state_hash();
        world.restore(&snapshot).expect("its own");
        run(&mut world, 30);
        assert_eq!(world.state_hash(), wanted, "{name}, {} s", method.dt);
        let mut other = make(&method);
        other.restore(&snapshot).expect("alike");
        run(&mut other, 30);
        assert_eq!(other.state_hash(), wanted, "{name}, {} s", method.dt);
    }
}

/// A body that comes in the place of another one, on joints like its own, with other locked axes: what was found for the one does not serve the other.
#[test]
fn other_locks_on_the_same_joints_make_another_set() {
    for (name, method) in cases() {
        let (mut world, [_, lower, hung], joints) = hung_up(&method, 1.0, along([false, false, true]), 0.0);
        run(&mut world, 30);
        world.remove_joint(joints[2]).expect("it is there");
        let begin = world.pose(hung).expect("it is there");
        let velocity = world.velocity(hung).expect("it is there");
        world.remove_body(hung).expect("it is there");
        let at = [begin.translation.x, begin.translation.y];
        let hung = slider(&mut world, at, 1.0, along([true, false, true]));
        world.set_velocity(hung, Vector3::y() * velocity.0.y, Vector3::zeros()).expect("finite");
        let last = ball(&mut world, lower, hung, at);
        let joints = [joints[0], joints[1], last];
        // It does not go on as the bar does.
        run(&mut world, 15);
        for step in 0..world.steps(120) {
            world.tick();
            let what = format!("{name}, {} s, step {step}", method.dt);
            assert_eq!(place(&world, hung).x, at[0], "{what}");
            assert!(apart(&world, &joints) < 1e-4, "{what}: {} m", apart(&world, &joints));
        }
    }
}
