//! A world under hostile hands: any operations in any order, with any numbers.

mod play;

use crate::input::Input;
use drystone::math::{Pose, Position, Real, Rotation, Vector3};
use drystone::{
    BodyHandle, BodySpec, ColliderHandle, ColliderSpec, CompositeHandle, JointHandle, MultibodyHandle,
    RuleHandle, Snapshot, TimerHandle, World, WorldConfig,
};
use play::play;

/// Bodies that an input may add in all, besides the ground.
const MOST_BODIES: usize = 14;
/// Operations of an input.
const MOST_OPERATIONS: usize = 80;
/// Steps of an input; the methods that solve groups jointly take far longer for one.
const MOST_STEPS: [usize; 2] = [40, 12];

/// Operations on a world, one after the other: each does what it says or is refused and changes nothing, whatever its values; every step ends
/// with numbers, and with a report that counts what is there; handles of what was removed are refused; and a world that was put back goes on with
/// the same bits.
///
/// # Panics
/// When a promise of [`World`] is broken.
pub fn world_ops(data: &[u8]) {
    let mut input = Input::new(data);
    let Some(mut hand) = Hand::new(&mut input) else { return };
    for _ in 0..MOST_OPERATIONS {
        if input.is_empty() {
            break;
        }
        play(&mut hand, &mut input);
    }
    hand.step(1.0 / 60.0);
    hand.step(1.0 / 60.0);
}

/// What an input has in its hands.
#[derive(Clone, Default)]
struct Things {
    bodies: Vec<BodyHandle>,
    gone: Vec<BodyHandle>,
    colliders: Vec<ColliderHandle>,
    composites: Vec<CompositeHandle>,
    multibodies: Vec<MultibodyHandle>,
    rules: Vec<RuleHandle>,
    timers: Vec<TimerHandle>,
    joints: Vec<JointHandle>,
}

/// A world and what is known of it.
struct Hand {
    world: World,
    things: Things,
    /// A moment to go back to.
    kept: Option<(Snapshot, Things)>,
    added: usize,
    steps: usize,
    most_steps: usize,
}

impl Hand {
    /// A world of any preset, with ground; `None` where its settings were refused.
    fn new(input: &mut Input<'_>) -> Option<Self> {
        let kind = input.below(8);
        let mut config = match kind {
            0 => WorldConfig::thesis_fast(),
            1 => WorldConfig::thesis_accurate(),
            2 => WorldConfig::nsgs(),
            3 => WorldConfig::lcp(),
            4 => WorldConfig::fast().planar(),
            _ => WorldConfig::fast(),
        };
        // The bound on a step of these, 10 000 resolutions of each contact, is a setting, and takes seconds to reach.
        if matches!(kind, 0 | 1) {
            config.set_field("resolution.safety_limit", "100").ok()?;
        }
        if input.below(4) == 0 {
            change_settings(&mut config, input);
        }
        let mut world = World::new(config).ok()?;
        let ground = ColliderSpec::new(drystone::Shape::half_space(Vector3::y()).ok()?);
        let ground = world.add_body(BodySpec::fixed().collider(ground)).ok()?;
        let mut things = Things::default();
        things.bodies.push(ground);
        let is_joint = matches!(kind, 2 | 3);
        Some(Self {
            world,
            things,
            kept: None,
            added: 0,
            steps: 0,
            most_steps: MOST_STEPS[usize::from(is_joint)],
        })
    }

    fn any_body(&self, input: &mut Input<'_>) -> Option<BodyHandle> {
        // Now and then one that is gone.
        let list = if input.below(12) == 0 { &self.things.gone } else { &self.things.bodies };
        list.get(input.below(list.len())).copied()
    }

    /// Does what may be refused: then nothing has changed.
    fn attempt<T, E: std::fmt::Debug>(
        &mut self,
        change: impl FnOnce(&mut World) -> Result<T, E>,
    ) -> Option<T> {
        let facts = |world: &World| (world.state_hash(), world.body_count(), world.contacts().count());
        let before = facts(&self.world);
        match change(&mut self.world) {
            Ok(value) => Some(value),
            Err(error) => {
                assert_eq!(before, facts(&self.world), "refused with {error:?}, and something changed");
                None
            }
        }
    }

    /// One step, and what must hold after any.
    fn step(&mut self, dt: Real) {
        if self.steps == self.most_steps {
            return;
        }
        self.steps += 1;
        if self.attempt(|world| world.step(dt).map(drop)).is_some() {
            self.forget_joints();
            self.check_state();
            self.check_report();
        }
    }

    /// Joints that broke, or whose body left, are no more.
    fn forget_joints(&mut self) {
        let world = &self.world;
        self.things.joints.retain(|&joint| world.joint(joint).is_ok());
    }

    /// The report of the step that was just taken counts what is there.
    fn check_report(&self) {
        let (world, report, store) = (&self.world, self.world.report(), self.world.body_store());
        assert_eq!(report.bodies as usize, world.body_count());
        assert_eq!(report.awake as usize, store.indices().filter(|&i| store.is_awake(i)).count());
        assert_eq!(report.asleep as usize, store.indices().filter(|&i| store.is_asleep(i)).count());
        assert_eq!(report.joints as usize, world.joint_count());
        assert_eq!(report.broken_joints as usize, world.broken_joints().len());
        assert!(world.broken_joints().iter().all(|&joint| world.joint(joint).is_err()));
        assert_eq!(report.edges as usize, world.graph().edge_count() - world.joint_count());
        assert!(report.woken.len() <= report.wakes.total() as usize, "{report:?}");
        assert!(report.quarantined.iter().all(|&body| world.body(body).is_ok_and(|b| b.is_quarantined)));
        assert!(report.worst_overlap >= 0.0 && report.time.is_finite(), "{report:?}");
    }

    /// All numbers are numbers, and handles lead to what is there alone.
    fn check_state(&self) {
        let world = &self.world;
        for body in world.bodies() {
            let velocity = body.linear_velocity.iter().chain(body.angular_velocity.iter());
            let is_number = body.pose.is_finite() && velocity.copied().all(Real::is_finite);
            assert!(is_number, "{body:?}");
        }
        assert_eq!(world.bodies().count(), world.body_count());
        for contact in world.contacts() {
            let is_number = contact.point.coords.iter().all(|c| c.is_finite())
                && (contact.normal.norm() - 1.0).abs() < 1e-3
                && !contact.distance.is_nan();
            assert!(is_number, "{contact:?}");
        }
        for (handle, _) in world.joints() {
            let joint = world.joint(handle).expect("it is listed");
            let numbers = joint.force.iter().chain(joint.torque.iter()).chain(&joint.error);
            assert!(numbers.copied().all(|number| !number.is_nan()), "{joint:?}");
            assert!(joint.bodies.iter().all(|&body| world.body(body).is_ok()), "{joint:?}");
        }
        assert_eq!(world.joints().count(), world.joint_count());
        for &body in &self.things.bodies {
            assert!(world.body(body).is_ok(), "{body:?} is gone");
        }
        for &body in &self.things.gone {
            assert!(world.body(body).is_err() && world.pose(body).is_err(), "{body:?} was removed");
        }
    }

    /// A step, taken back and taken again: the same bits.
    fn step_twice(&mut self, dt: Real) {
        if self.steps + 2 > self.most_steps {
            return;
        }
        let before = self.world.snapshot();
        let things = self.things.clone();
        self.step(dt);
        let first = (self.world.state_hash(), self.world.contacts().count());
        self.world.restore(&before).expect("a snapshot of this very world");
        self.things = things;
        self.step(dt);
        let second = (self.world.state_hash(), self.world.contacts().count());
        assert_eq!(first, second, "a step that was taken back went another way");
    }

    /// A body is no more.
    fn lose(&mut self, body: BodyHandle) {
        self.things.bodies.retain(|&other| other != body);
        self.things.gone.push(body);
        self.forget_joints();
    }
}

/// Settings that a user may make, with any values; what is refused stays as it was.
fn change_settings(config: &mut WorldConfig, input: &mut Input<'_>) {
    for _ in 0..1 + input.below(4) {
        let names = config.field_names();
        let name = names[input.below(names.len())];
        let value = match input.below(6) {
            0 => "true".to_owned(),
            1 => "false".to_owned(),
            2 => input.wild().to_string(),
            3 => input.below(256).to_string(),
            _ => input.real().abs().to_string(),
        };
        // Numbers of rounds and the like multiply what a step costs, and are not what is looked for.
        let is_count =
            ["iterations", "rounds", "sweeps", "sub_steps", "max", "limit", "cut", "level", "size"];
        if is_count.iter().any(|word| name.contains(word)) {
            continue;
        }
        let before = config.clone();
        if config.set_field(name, &value).is_err() {
            assert_eq!(*config, before, "{name} = {value} was refused, and something changed");
        }
    }
}

/// A place near the others, seldom far away or nowhere.
fn place(input: &mut Input<'_>) -> Position {
    let mut coordinate = || {
        if input.below(64) == 0 {
            f64::from(input.wild()) * if input.below(2) == 0 { 1.0 } else { 1e6 }
        } else {
            f64::from(input.real()) * 0.4
        }
    };
    let (x, y, z) = (coordinate(), coordinate(), coordinate());
    Position::new(x, y.abs(), z)
}

fn pose(input: &mut Input<'_>) -> Pose {
    let at = place(input);
    let rotation = if input.below(64) == 0 {
        Rotation::new_unchecked(drystone::math::Quaternion::new(
            input.wild(),
            input.wild(),
            input.wild(),
            input.wild(),
        ))
    } else {
        input.rotation()
    };
    Pose::new(at, rotation)
}

/// A vector of ordinary size, seldom with any number in it.
fn seldom_wild_vector(input: &mut Input<'_>) -> Vector3 {
    if input.below(24) == 0 { input.wild_vector() } else { input.vector() }
}
