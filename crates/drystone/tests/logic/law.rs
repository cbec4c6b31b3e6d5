//! The law of events: whatever the user does, every begin has exactly one end, per kind and pair (S3-16). Trusted reference:
//! a ledger of what is open.

use crate::common::*;
use drystone::math::{Pose, Real, Vector3};
use drystone::{
    BodyHandle, BodyKind, BodySpec, ColliderHandle, DetectMode, EventConfig, EventDetail, Rule, RuleHandle,
    RuleSide, TimerHandle, TimerSpec, TouchPhase, TriggerPhase, World, WorldConfig,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const HZ: Real = 60.0;

/// What begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Law {
    Trigger,
    Touch,
    Proximity,
}

/// What is open, with the bodies of its begin, and ticks so far.
#[derive(Default)]
struct Ledger {
    open: BTreeMap<(Law, [ColliderHandle; 2]), [BodyHandle; 2]>,
    ticks: BTreeMap<TimerHandle, u64>,
    counts: BTreeMap<(Law, bool), u32>,
    /// Composites and multibodies made.
    containers: [u32; 2],
}

impl Ledger {
    fn follow(&mut self, world: &World) {
        let mut persisted = BTreeSet::new();
        for event in world.events() {
            match event.detail {
                EventDetail::Trigger(e) => {
                    let phase = if e.phase == TriggerPhase::In { TouchPhase::Begin } else { TouchPhase::End };
                    self.note(Law::Trigger, [e.trigger, e.other], e.bodies, phase);
                }
                EventDetail::Touch(e) => self.note(Law::Touch, e.colliders, e.bodies, e.phase),
                EventDetail::Proximity(e) => {
                    self.note(Law::Proximity, e.colliders, e.bodies, e.phase);
                    if e.phase != TouchPhase::End {
                        persisted.insert(e.colliders);
                    }
                }
                EventDetail::Tick(e) => {
                    let ticks = self.ticks.entry(e.timer).or_default();
                    *ticks += 1;
                    assert_eq!(*ticks, e.number, "no tick is lost or told twice");
                }
                EventDetail::Hit(e) => {
                    assert!(self.open.contains_key(&(Law::Touch, e.colliders)), "a hit is a touch: {e:?}");
                }
                other => panic!("unknown to the law: {other:?}"),
            }
        }
        let near: BTreeSet<_> =
            self.open.keys().filter(|(law, _)| *law == Law::Proximity).map(|(_, c)| *c).collect();
        assert_eq!(near, persisted, "what is near is told in every step");
        assert_eq!(near.len(), world.graph().edge_count());
    }

    fn note(&mut self, law: Law, colliders: [ColliderHandle; 2], bodies: [BodyHandle; 2], phase: TouchPhase) {
        let key = (law, colliders);
        match phase {
            TouchPhase::Begin => assert_eq!(self.open.insert(key, bodies), None, "begun twice: {key:?}"),
            TouchPhase::Persist => {
                assert_eq!(self.open.get(&key), Some(&bodies), "persists unbegun: {key:?}")
            }
            TouchPhase::End => {
                assert_eq!(self.open.remove(&key), Some(bodies), "an end without a begin: {key:?}")
            }
        }
        if phase != TouchPhase::Persist {
            *self.counts.entry((law, phase == TouchPhase::Begin)).or_default() += 1;
        }
    }

    /// What the world says is inside of triggers is what is open.
    fn compare_inside(&self, world: &World, bodies: &[BodyHandle]) {
        let mut inside = BTreeSet::new();
        for &body in bodies {
            for collider in world.colliders_of(body).expect("it exists") {
                if world.is_trigger(collider).expect("it exists") {
                    inside.extend(world.inside(collider).expect("a trigger").map(|other| [collider, other]));
                }
            }
        }
        let open: BTreeSet<_> =
            self.open.keys().filter(|(law, _)| *law == Law::Trigger).map(|(_, c)| *c).collect();
        assert_eq!(inside, open);
    }
}

/// What a user may do. Numbers choose among what exists.
#[derive(Clone, Debug)]
enum Act {
    Add(usize, f64, f64, f64),
    Remove(usize),
    Move(usize, f64, f64, f64),
    Push(usize, f32, f32),
    Filter(usize, u32, u32),
    Activate(usize, bool),
    Fasten(usize, usize, usize),
    Unfasten(usize),
    Gather(usize, usize),
    Scatter(usize, bool),
    AddRule(usize, usize, bool),
    RemoveRule(usize),
    AddTimer(f64),
    RemoveTimer(usize),
    Detect(usize),
    Rest,
    Steps(u32),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let place = || (-0.3..0.3_f64, 0.05..0.5_f64, -0.3..0.3_f64);
    let one = || 0..64_usize;
    let act = prop_oneof![
        3 => (one(), place()).prop_map(|(k, (x, y, z))| Act::Add(k, x, y, z)),
        2 => one().prop_map(Act::Remove),
        3 => (one(), place()).prop_map(|(k, (x, y, z))| Act::Move(k, x, y, z)),
        1 => (one(), -8.0..8.0_f32, -8.0..8.0_f32).prop_map(|(k, x, z)| Act::Push(k, x, z)),
        2 => (one(), 0..4_u32, 0..4_u32).prop_map(|(k, a, b)| Act::Filter(k, a, b)),
        3 => (one(), any::<bool>()).prop_map(|(k, on)| Act::Activate(k, on)),
        3 => (one(), one(), one()).prop_map(|(a, b, c)| Act::Fasten(a, b, c)),
        2 => one().prop_map(Act::Unfasten),
        3 => (one(), one()).prop_map(|(a, b)| Act::Gather(a, b)),
        1 => (one(), any::<bool>()).prop_map(|(k, is_gone)| Act::Scatter(k, is_gone)),
        2 => (one(), one(), any::<bool>()).prop_map(|(a, b, ignore)| Act::AddRule(a, b, ignore)),
        1 => one().prop_map(Act::RemoveRule),
        1 => (0.001..0.3_f64).prop_map(Act::AddTimer),
        1 => one().prop_map(Act::RemoveTimer),
        3 => (0..3_usize).prop_map(Act::Detect),
        1 => Just(Act::Rest),
        9 => (1..12_u32).prop_map(Act::Steps),
    ];
    prop::collection::vec(act, 20..70)
}

/// A body of one of several kinds, with and without triggers.
fn body(kind: usize, x: f64, y: f64, z: f64) -> BodySpec {
    let place = Pose::at(x, y, z);
    match kind % 6 {
        0 | 1 => cube(0.1, x, y, z),
        2 => ball(0.06, x, y, z).collider(block(0.1, 0.1, 0.1).trigger()),
        3 => BodySpec::fixed().pose(place).collider(block(0.2, 0.02, 0.2)),
        4 => BodySpec::fixed().pose(place).collider(block(0.15, 0.15, 0.15).trigger()),
        _ => BodySpec::kinematic().pose(place).collider(block(0.1, 0.03, 0.1)).angular_velocity(Vector3::y()),
    }
}

/// One of the dynamic bodies, where there is one.
fn movable(world: &World, bodies: &[BodyHandle], k: usize) -> BodyHandle {
    let is_movable = |&b: &BodyHandle| world.body(b).expect("it exists").kind == BodyKind::Dynamic;
    let movable: Vec<BodyHandle> = bodies.iter().copied().filter(is_movable).collect();
    movable.get(k % movable.len().max(1)).copied().unwrap_or(bodies[k % bodies.len()])
}

struct Play {
    run: Run,
    ledger: Ledger,
    rules: Vec<RuleHandle>,
    timers: Vec<TimerHandle>,
}

impl Play {
    fn step(&mut self) {
        self.run.step(HZ);
        self.ledger.follow(&self.run.world);
        self.ledger.compare_inside(&self.run.world, &self.run.bodies);
        self.compare_members();
    }

    /// Members are where their composite is, and move as it does.
    fn compare_members(&self) {
        let (world, store) = (&self.run.world, self.run.world.body_store());
        for (_, composite) in world.composites() {
            let carrier = store.center_pose(composite.index());
            for member in composite.member_indices() {
                let told = composite.carrier_pose(member, store.center_pose(member));
                // A turn in single precision moves what is far from the middle.
                let rounding = 1e-6 * (1.0 + f64::from(composite.arm(store, member).norm()));
                let apart = (told.translation - carrier.translation).norm();
                assert!(apart < rounding, "{apart}: {told:?} {carrier:?}");
                let hot = store.hot(member);
                assert_eq!([hot.linear, hot.angular], composite.velocities(store, member));
            }
        }
    }

    fn act(&mut self, act: Act) {
        let count = self.run.bodies.len();
        let Run { world, bodies, .. } = &mut self.run;
        match act {
            Act::Add(kind, x, y, z) => bodies.push(world.add_body(body(kind, x, y, z)).expect("valid")),
            Act::Remove(k) if count > 1 => world.remove_body(bodies.remove(k % count)).expect("it exists"),
            Act::Move(k, x, y, z) => world.set_pose(bodies[k % count], Pose::at(x, y, z)).expect("finite"),
            Act::Push(k, x, z) => {
                // Refused by what cannot be pushed.
                let _ = world.add_impulse(bodies[k % count], Vector3::new(x, 0.0, z), Vector3::zeros());
            }
            Act::Filter(k, member_of, meets) => {
                let collider = world.colliders_of(bodies[k % count]).expect("it exists").next().expect("one");
                world.set_filter(collider, member_of, meets).expect("it exists");
            }
            Act::Activate(k, on) => world.set_active(bodies[k % count], on).expect("it exists"),
            Act::Fasten(a, b, c) => {
                // Refused where one is passive, fastened already or named twice.
                let members = [a, b, c].map(|k| movable(world, bodies, k));
                let made = world.fasten(&members[..2 + c % 2]);
                self.ledger.containers[0] += u32::from(made.is_ok());
            }
            Act::Unfasten(k) => {
                let all: Vec<_> = world.composites().map(|(handle, _)| handle).collect();
                if let Some(&handle) = all.get(k % all.len().max(1)) {
                    world.unfasten(handle).expect("it exists");
                }
            }
            Act::Gather(a, b) => {
                let made = world.add_multibody(&[a, b].map(|k| movable(world, bodies, k)));
                self.ledger.containers[1] += u32::from(made.is_ok());
            }
            Act::Scatter(k, is_gone) => {
                let all: Vec<_> = world.multibodies().map(|(handle, _)| handle).collect();
                if let Some(&handle) = all.get(k % all.len().max(1)) {
                    if is_gone {
                        world.remove_multibody(handle).expect("it exists");
                    } else {
                        world.set_self_collision(handle, k % 2 == 0).expect("it exists");
                    }
                }
            }
            Act::AddRule(a, b, ignore) => {
                let sides =
                    [RuleSide::Body(bodies[a % count]), [RuleSide::Anything, RuleSide::Groups(1)][b % 2]];
                let rule = if ignore { Rule::ignore } else { Rule::force };
                self.rules.push(world.add_rule(rule(sides[0], sides[1])).expect("it exists"));
            }
            Act::RemoveRule(k) if !self.rules.is_empty() => {
                let rule = self.rules.remove(k % self.rules.len());
                world.remove_rule(rule).expect("it exists");
            }
            Act::AddTimer(period) => {
                self.timers.push(world.add_timer(TimerSpec::periodic(period)).expect("in range"));
            }
            Act::RemoveTimer(k) if !self.timers.is_empty() => {
                let timer = self.timers.remove(k % self.timers.len());
                let told = self.ledger.ticks.get(&timer).copied().unwrap_or(0);
                assert_eq!(world.timer(timer).expect("it exists").ticks, told);
                world.remove_timer(timer).expect("it exists");
            }
            Act::Detect(mode) => {
                let first = DetectMode::FirstPenetration { deeper_than: 1e-3 };
                world.detect([DetectMode::ProximityOnly, first, DetectMode::Full][mode]).expect("in range");
                self.ledger.follow(world);
                self.ledger.compare_inside(world, bodies);
            }
            // Until most of it sleeps.
            Act::Rest => (0..60).for_each(|_| self.step()),
            Act::Steps(steps) => (0..steps).for_each(|_| self.step()),
            Act::Remove(_) | Act::RemoveRule(_) | Act::RemoveTimer(_) => {}
        }
    }
}

/// Plays a sequence, then removes all bodies: nothing may stay open.
fn play(config: &WorldConfig, acts: Vec<Act>) -> Ledger {
    let events = EventConfig {
        touch_persist: true,
        proximity_begin: true,
        proximity_persist: true,
        proximity_end: true,
        hit: true,
        ..EventConfig::default()
    };
    let config = WorldConfig { events, ..config.clone() };
    let zone = BodySpec::fixed().pose(Pose::at(0.1, 0.15, 0.0)).collider(block(0.2, 0.1, 0.2).trigger());
    let scene = Scene::on_ground().with_all(pen(0.4)).with(zone).with_all(heap(4, 0.0, 0.0, 1));
    let run = scene.start(&config, 1);
    let mut play = Play { run, ledger: Ledger::default(), rules: Vec::new(), timers: Vec::new() };
    acts.into_iter().for_each(|act| play.act(act));
    for body in std::mem::take(&mut play.run.bodies) {
        play.run.world.remove_body(body).expect("it exists");
    }
    play.step();
    assert!(play.ledger.open.is_empty(), "never ended: {:?}", play.ledger.open);
    play.ledger
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_begin_has_exactly_one_end_whatever_is_done(acts in acts(), thesis: bool) {
        play(&if thesis { WorldConfig::thesis_fast() } else { WorldConfig::fast() }, acts);
    }
}

/// The sequences above are no empty ones: of every kind much begins and ends.
#[test]
fn the_law_is_put_to_the_test() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<(Law, bool), u32> = BTreeMap::new();
    let (mut ticks, mut containers) = (0, [0; 2]);
    for _ in 0..40 {
        let acts = acts().new_tree(&mut runner).expect("a sequence").current();
        let ledger = play(&WorldConfig::fast(), acts);
        ledger.counts.into_iter().for_each(|(key, count)| *counts.entry(key).or_default() += count);
        ticks += ledger.ticks.values().sum::<u64>();
        containers = [0, 1].map(|kind| containers[kind] + ledger.containers[kind]);
    }
    for law in [Law::Trigger, Law::Touch, Law::Proximity] {
        let [begun, ended] = [true, false].map(|begins| counts.get(&(law, begins)).copied().unwrap_or(0));
        assert!(begun == ended && begun > 100, "{law:?}: {begun} begun, {ended} ended");
    }
    assert!(ticks > 100, "{ticks} ticks");
    assert!(containers.iter().all(|&count| count > 10), "{containers:?} composites and multibodies");
}
