//! Sleep of what swings. Trusted: a twin world in which nothing sleeps, begun from the same state: what sleeps may do so only if its twin moves by less within the
//! next second than the speed `sleeping.threshold` makes in it.

use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Real, Vector3};
use drystone::{
    BodyHandle, BodySpec, ColliderSpec, JointSpec, Motor, Shape, SleepConfig, Snapshot, World, WorldConfig,
};
use std::f64::consts::PI;

/// A preset and steps per second.
#[derive(Clone, Copy, Debug)]
struct Rate {
    preset: &'static str,
    config: fn() -> WorldConfig,
    hz: u32,
}

fn rates() -> impl Iterator<Item = Rate> {
    let presets: [(_, fn() -> _); 3] =
        [("fast", WorldConfig::fast), ("fine", WorldConfig::fine), ("thesis_fast", WorldConfig::thesis_fast)];
    presets.into_iter().flat_map(|(preset, config)| [60, 240].map(|hz| Rate { preset, config, hz }))
}

impl Rate {
    fn dt(self) -> Real {
        1.0 / self.hz as Real
    }

    /// The way that the threshold's speed makes in a second, m.
    fn length(self) -> f64 {
        let config = (self.config)();
        f64::from(config.sleeping.threshold * config.reference_acceleration * self.dt())
    }

    fn world(self) -> World {
        World::new((self.config)()).expect("valid")
    }

    fn sleepless(self) -> WorldConfig {
        let config = (self.config)();
        WorldConfig { sleeping: SleepConfig { enabled: false, ..config.sleeping }, ..config }
    }
}

/// A body, and the largest distance of its surface from its centre, m.
type Part = (BodyHandle, f64);

/// A ball of a kilogram.
fn ball(world: &mut World, at: [f64; 3], radius: Real) -> Part {
    let shape = ColliderSpec::new(Shape::sphere(radius).expect("positive"));
    let mass = MassProperties::sphere(radius, 0.75 / (std::f32::consts::PI * radius.powi(3)));
    let spec = BodySpec::dynamic().pose(Pose::at(at[0], at[1], at[2])).collider(shape).mass(mass);
    (world.add_body(spec).expect("room"), f64::from(radius))
}

fn block(world: &mut World, at: [f64; 3], half: [Real; 3], mass: Real) -> Part {
    let half = Vector3::from(half);
    let shape = ColliderSpec::new(Shape::cuboid(half).expect("positive"));
    let properties = MassProperties::cuboid(&half, mass / (8.0 * half.x * half.y * half.z));
    let spec = BodySpec::dynamic().pose(Pose::at(at[0], at[1], at[2])).collider(shape).mass(properties);
    (world.add_body(spec).expect("room"), f64::from(half.norm()))
}

fn hook(world: &mut World) -> BodyHandle {
    world.add_body(BodySpec::fixed()).expect("room")
}

/// A ball on a ball joint, let go at `angle` (rad).
fn pendulum(world: &mut World, length: f64, angle: f64) -> Vec<Part> {
    let hook = hook(world);
    let radius = (0.2 * length).min(0.05) as Real;
    let bob = ball(world, [length * angle.sin(), -length * angle.cos(), 0.0], radius);
    world.add_joint(&JointSpec::ball(hook, bob.0).at(Position::origin())).expect("a joint");
    vec![bob]
}

/// A spring without damping that a kilogram, or a kg m², swings on with this period (s).
fn spring(period: f64, target: f64) -> Motor {
    let rate = (2.0 * PI / period) as Real;
    Motor::Spring { target: target as Real, stiffness: rate * rate, damping: 0.0, most: Real::INFINITY }
}

/// A ball on a level slider, let go `offset` (m) from where its spring pulls to.
fn mass_on_spring(world: &mut World, period: f64, offset: f64) -> Vec<Part> {
    let hook = hook(world);
    let bob = ball(world, [0.0; 3], 0.05);
    let slider = JointSpec::slider(hook, bob.0).at(Position::origin()).along(Vector3::x());
    world.add_joint(&slider.motor(spring(period, offset))).expect("a joint");
    vec![bob]
}

/// A plank of 1.2 m that turns about an upright axis through its middle, `angle` (rad) from where its spring pulls to.
fn torsion(world: &mut World, period: f64, angle: f64) -> Vec<Part> {
    let hook = hook(world);
    let half: [Real; 3] = [0.6, 0.02, 0.05];
    let mass = 3.0 / (half[0] * half[0] + half[2] * half[2]);
    let plank = block(world, [0.0; 3], half, mass);
    let hinge = JointSpec::hinge(hook, plank.0).at(Position::origin()).along(Vector3::y());
    world.add_joint(&hinge.motor(spring(period, angle))).expect("a joint");
    vec![plank]
}

/// Five rods of `length` (m) on ball joints, let go at `angle` (rad) as one straight line, or every other rod to the other side.
fn chain(world: &mut World, length: f64, angle: f64, is_bent: bool) -> Vec<Part> {
    let mut above = hook(world);
    let mut top = [0.0, 0.0];
    let mut parts = Vec::new();
    for k in 0..5 {
        let angle = if is_bent && k % 2 == 1 { -angle } else { angle };
        let along = [angle.sin() * length, -angle.cos() * length];
        let middle = [top[0] + 0.5 * along[0], top[1] + 0.5 * along[1], 0.0];
        let half = [0.05 * length as Real, 0.5 * length as Real, 0.05 * length as Real];
        let rod = block(world, middle, half, 1.0);
        let turn = drystone::math::rotation_from_vector(&(Vector3::z() * angle as Real));
        let pose = Pose::new(Position::new(middle[0], middle[1], 0.0), turn);
        world.set_pose(rod.0, pose).expect("finite");
        let joint = JointSpec::ball(above, rod.0).at(Position::new(top[0], top[1], 0.0));
        world.add_joint(&joint).expect("a joint");
        above = rod.0;
        top = [top[0] + along[0], top[1] + along[1]];
        parts.push(rod);
    }
    parts
}

/// A board on an upright slider with a spring, and a box on it; the board is let go `offset` (m) above its balance.
fn box_on_spring(world: &mut World, period: f64, offset: f64) -> Vec<Part> {
    let hook = hook(world);
    let board = block(world, [0.0, 0.0, 0.0], [0.3, 0.02, 0.3], 1.0);
    let load = block(world, [0.0, 0.07, 0.0], [0.05, 0.05, 0.05], 1.0);
    let rate = 2.0 * PI / period;
    // Two kilograms hang on it, and pull it down by g / rate².
    let target = 9.81 / (rate * rate) - offset;
    let motor = Motor::Spring {
        target: target as Real,
        stiffness: 2.0 * (rate * rate) as Real,
        damping: 0.0,
        most: Real::INFINITY,
    };
    let slider = JointSpec::slider(hook, board.0).at(Position::origin()).along(Vector3::y());
    world.add_joint(&slider.motor(motor)).expect("a joint");
    vec![board, load]
}

/// Where the parts are.
fn poses(world: &World, parts: &[Part]) -> Vec<Pose> {
    parts.iter().map(|&(body, _)| world.pose(body).expect("it is there")).collect()
}

/// How far the farthest point of a part has moved at most, m.
fn way(from: &Pose, to: &Pose, radius: f64) -> f64 {
    let turn = f64::from((from.rotation.inverse() * to.rotation).angle());
    (from.translation - to.translation).norm() + radius * turn
}

/// How far the parts of a world in which nothing sleeps swing in the last ten of so many seconds: half of the largest distance between two of their places, m.
/// Nothing where the limit of the energy of joints took some of it.
fn amplitude(rate: Rate, seconds: u32, build: impl Fn(&mut World) -> Vec<Part>) -> Option<f64> {
    let mut world = World::new(rate.sleepless()).expect("valid");
    let parts = build(&mut world);
    let mut places: Vec<Vec<Pose>> = Vec::new();
    for step in 0..seconds * rate.hz {
        let report = world.step(rate.dt()).expect("a step");
        if report.solver.joint_energy_limited > 0 {
            return None;
        }
        // Twenty places a second: more than four in each swing.
        if step >= (seconds - 10) * rate.hz && step % (rate.hz / 20) == 0 {
            places.push(poses(&world, &parts));
        }
    }
    let mut farthest: f64 = 0.0;
    for (k, from) in places.iter().enumerate() {
        for to in &places[..k] {
            for ((from, to), &(_, radius)) in from.iter().zip(to).zip(&parts) {
                farthest = farthest.max(way(from, to, radius));
            }
        }
    }
    Some(0.5 * farthest)
}

/// Runs a world, and from every step in which somebody fell asleep a second of its twins: from before that step, and from after it, at rest. Returns how far
/// sleepers go there, m, and whether somebody sleeps at the end.
fn watch(rate: Rate, seconds: u32, build: impl Fn(&mut World) -> Vec<Part>) -> (f64, bool) {
    let mut world = rate.world();
    let parts = build(&mut world);
    let (mut before, mut after) = (Snapshot::default(), Snapshot::default());
    let mut farthest: f64 = 0.0;
    for _ in 0..seconds * rate.hz {
        if world.report().asleep < parts.len() as u32 {
            world.snapshot_into(&mut before);
        }
        if world.step(rate.dt()).expect("a step").fell_asleep > 0 {
            world.snapshot_into(&mut after);
            for (state, steps) in [(&before, rate.hz + 1), (&after, rate.hz)] {
                farthest = farthest.max(way_of_twin(rate, state, steps, &world, &parts));
            }
        }
    }
    (farthest, parts.iter().any(|&(body, _)| is_asleep(&world, body)))
}

/// How far those that sleep in `world` go in a world without sleep, from a state on, m.
fn way_of_twin(rate: Rate, state: &Snapshot, steps: u32, world: &World, parts: &[Part]) -> f64 {
    let mut twin = rate.world();
    twin.restore(state).expect("it fits");
    twin.set_config(rate.sleepless()).expect("valid");
    let sleepers: Vec<Part> = parts.iter().copied().filter(|&(body, _)| is_asleep(world, body)).collect();
    for &(body, _) in &sleepers {
        twin.wake(body).expect("it is there");
    }
    let from = poses(world, &sleepers);
    let mut farthest: f64 = 0.0;
    for _ in 0..steps {
        twin.step(rate.dt()).expect("a step");
        for ((from, to), &(_, radius)) in from.iter().zip(poses(&twin, &sleepers)).zip(&sleepers) {
            farthest = farthest.max(way(from, &to, radius));
        }
    }
    farthest
}

fn is_asleep(world: &World, body: BodyHandle) -> bool {
    world.body(body).expect("it is there").is_asleep
}

/// Cases, and those of them that break a fact.
#[derive(Default)]
struct Table {
    broken: Vec<String>,
    /// Largest way of a sleeper's twin, in lengths.
    farthest: f64,
    slept: u32,
    /// Those asleep at the end whose energy was limited without sleep.
    limited: u32,
    count: u32,
}

impl Table {
    /// Twenty seconds of a case. Who sleeps would have stayed, and who without sleep still swings by more than the length is awake.
    fn add(&mut self, rate: Rate, case: &str, build: impl Fn(&mut World) -> Vec<Part>) {
        let length = rate.length();
        let (farthest, sleeps) = watch(rate, 20, &build);
        let swings = sleeps.then(|| amplitude(rate, 20, &build));
        self.limited += u32::from(swings == Some(None));
        let swings = swings.flatten();
        if farthest > length || swings.is_some_and(|amplitude| amplitude > length) {
            let Rate { preset, hz, .. } = rate;
            self.broken.push(format!(
                "{case}, {preset} at {hz} Hz: a sleeper would go {farthest} m, sleeps {sleeps}, swings {swings:?}; {length} m"
            ));
        }
        self.farthest = self.farthest.max(farthest / length);
        self.slept += u32::from(farthest > 0.0);
        self.count += 1;
    }

    fn end(self, what: &str) {
        let Self { slept, limited, count, farthest, .. } = self;
        println!(
            "{what}: {slept} of {count} slept ({limited} with limited energy), and would have gone {farthest} lengths"
        );
        assert!(self.broken.is_empty(), "{}", self.broken.join("\n"));
    }
}

#[test]
fn pendulums_sleep_only_where_they_would_stay() {
    let mut table = Table::default();
    for rate in rates() {
        for length in [0.05, 0.2, 1.0, 3.0, 10.0] {
            for degrees in [0.3f64, 1.0, 3.0, 10.0, 30.0] {
                let angle = degrees.to_radians();
                table.add(rate, &format!("{length} m, {degrees} degrees"), |world| {
                    pendulum(world, length, angle)
                });
            }
        }
    }
    table.end("pendulums");
}

#[test]
fn masses_on_springs_sleep_only_where_they_would_stay() {
    let mut table = Table::default();
    for rate in rates() {
        for period in [0.2, 0.5, 1.0, 2.0, 5.0, 10.0] {
            for offset in [0.001, 0.004, 0.012, 0.05] {
                table.add(rate, &format!("{period} s, {offset} m"), |world| {
                    mass_on_spring(world, period, offset)
                });
            }
        }
    }
    table.end("masses on springs");
}

#[test]
fn torsion_springs_sleep_only_where_they_would_stay() {
    let mut table = Table::default();
    for rate in rates() {
        for period in [0.5, 2.0, 10.0] {
            for angle in [0.002, 0.02, 0.2] {
                table.add(rate, &format!("{period} s, {angle} rad"), |world| torsion(world, period, angle));
            }
        }
    }
    table.end("torsion springs");
}

#[test]
fn chains_sleep_only_where_they_would_stay() {
    let mut table = Table::default();
    for rate in rates() {
        for length in [0.1, 0.5, 2.0] {
            for (degrees, is_bent) in [(0.3f64, false), (0.3, true), (3.0, true), (30.0, false)] {
                let case = format!("rods of {length} m, {degrees} degrees, bent {is_bent}");
                table.add(rate, &case, |world| chain(world, length, degrees.to_radians(), is_bent));
            }
        }
    }
    table.end("chains");
}

/// What lies on a board that swings is no part of its joint; asleep it would hold the board like a nail.
#[test]
fn what_lies_on_a_spring_sleeps_only_where_it_would_stay() {
    let mut table = Table::default();
    for rate in rates() {
        for period in [0.5, 2.0, 5.0] {
            for offset in [0.004, 0.012, 0.05] {
                table.add(rate, &format!("{period} s, {offset} m"), |world| {
                    box_on_spring(world, period, offset)
                });
            }
        }
    }
    table.end("boxes on springs");
}

/// The two that fell asleep aslant, after 0.97 and 0.87 s at 60 steps per second with each preset.
#[test]
fn a_pendulum_at_a_degree_and_a_spring_at_12_mm_stay_awake() {
    for rate in rates() {
        for build in [
            (&|world: &mut World| pendulum(world, 1.0, 1f64.to_radians()))
                as &dyn Fn(&mut World) -> Vec<Part>,
            &|world| mass_on_spring(world, 2.0, 0.012),
        ] {
            let mut world = rate.world();
            let parts = build(&mut world);
            for _ in 0..10 * rate.hz {
                world.step(rate.dt()).expect("a step");
                assert!(!is_asleep(&world, parts[0].0), "{rate:?}: asleep after {} s", world.time());
            }
        }
    }
}

/// Seconds until all parts sleep; `None` where they do not within ten.
fn time_to_sleep(
    rate: Rate,
    swing_limit: Option<Real>,
    build: impl Fn(&mut World) -> Vec<Part>,
) -> Option<f64> {
    let config = (rate.config)();
    let sleeping = SleepConfig { swing_limit, ..config.sleeping };
    let mut world = World::new(WorldConfig { sleeping, ..config }).expect("valid");
    let parts = build(&mut world);
    for _ in 0..10 * rate.hz {
        world.step(rate.dt()).expect("a step");
        if parts.iter().all(|&(body, _)| is_asleep(&world, body)) {
            return Some(world.time());
        }
    }
    None
}

/// A trunk of boxes with four limbs on ball joints with friction, a hand above the ground.
fn figure(world: &mut World) -> Vec<Part> {
    let ground = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a unit vector"));
    world.add_body(BodySpec::fixed().collider(ground)).expect("room");
    let trunk = block(world, [0.0, 0.2, 0.0], [0.3, 0.1, 0.15], 20.0);
    let mut parts = vec![trunk];
    for [x, z] in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
        let limb = block(world, [0.52 * x, 0.2, 0.1 * z], [0.2, 0.05, 0.05], 4.0);
        let at = Position::new(0.31 * x, 0.2, 0.1 * z);
        world.add_joint(&JointSpec::ball(trunk.0, limb.0).at(at)).expect("a joint");
        parts.push(limb);
    }
    parts
}

/// Where it does by speeds alone, and at most 0.15 s later: `fine` keeps it awake by either rule.
#[test]
fn a_figure_that_lies_on_the_ground_falls_asleep() {
    for rate in rates() {
        let by_speed = time_to_sleep(rate, None, figure);
        let now = time_to_sleep(rate, SleepConfig::default().swing_limit, figure);
        println!("{} at {} Hz: {by_speed:?} s by speeds, {now:?} s now", rate.preset, rate.hz);
        let is_later = by_speed.is_some_and(|by_speed| now.is_none_or(|now| now > by_speed + 0.15));
        assert!(!is_later, "{rate:?}: {now:?} s, {by_speed:?} s by speeds");
        assert!(now.is_some() || rate.preset == "fine", "{rate:?}: awake");
    }
}

/// A spring with damping, at rest in the end.
fn damped(world: &mut World) -> Vec<Part> {
    let hook = hook(world);
    let bob = ball(world, [0.0; 3], 0.05);
    let slider = JointSpec::slider(hook, bob.0).at(Position::origin()).along(Vector3::x());
    world.add_joint(&slider.motor(Motor::spring(0.05, 1.0, 1.0, 0.3))).expect("a joint");
    vec![bob]
}

#[test]
fn a_damped_spring_falls_asleep() {
    for rate in rates() {
        let time = time_to_sleep(rate, SleepConfig::default().swing_limit, damped);
        assert!(time.is_some_and(|time| time < 4.0), "{rate:?}: {time:?}");
    }
}

/// The means that the rule keeps from step to step are part of a snapshot.
#[test]
fn what_is_restored_falls_asleep_in_the_same_step() {
    for rate in rates() {
        let mut world = rate.world();
        let bob = damped(&mut world)[0].0;
        let mut kept = Snapshot::default();
        let mut other = rate.world();
        let mut step = 0;
        while !is_asleep(&world, bob) {
            world.snapshot_into(&mut kept);
            other.restore(&kept).expect("it fits");
            world.step(rate.dt()).expect("a step");
            other.step(rate.dt()).expect("a step");
            assert_eq!(is_asleep(&world, bob), is_asleep(&other, bob), "{rate:?}, step {step}");
            step += 1;
            assert!(step < 10 * rate.hz, "{rate:?}: awake");
        }
    }
}
