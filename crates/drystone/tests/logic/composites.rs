//! Bodies fastened to each other (S3-01 C): momentum, events, and what is done to members. Trusted reference: sums over the members in f64.

use crate::common::*;
use drystone::math::{Displacement, Pose, Position, Real, Rotation, Vector3, widen};
use drystone::{
    BodyHandle, BodySpec, CompositeHandle, EventKind, NodeKey, NodeKind, Rule, RuleSide, TouchPhase, World,
    WorldConfig,
};
use proptest::prelude::*;

const HZ: Real = 60.0;
/// Relative rounding of sums over a few bodies whose figures are kept in f32.
const ROUNDING: f64 = 3e-6;

/// Linear momentum, angular momentum about a point, kinetic energy and mass of bodies, in f64.
#[derive(Debug)]
struct Sums {
    momentum: Displacement,
    spin: Displacement,
    energy: f64,
    mass: f64,
    /// What rounding of the angular momentum counts against: the sum of the sizes of its parts.
    size: f64,
}

impl Sums {
    fn of(world: &World, handles: &[BodyHandle], about: &Position) -> Self {
        let zero = Displacement::zeros();
        let mut sums = Self { momentum: zero, spin: zero, energy: 0.0, mass: 0.0, size: 0.0 };
        let store = world.body_store();
        // Places are known to a rounding of the distance between the bodies, whatever their own arms are.
        let center = |&body: &BodyHandle| world.body(body).expect("it exists").center;
        let reach = handles.iter().map(|body| (center(body) - about).norm()).fold(0.0, f64::max);
        for &handle in handles {
            let index = store.index(handle).expect("it exists");
            let (linear, angular) = world.velocity(handle).expect("it exists");
            let [linear, angular] = [linear, angular].map(|v| widen(&v));
            let (pose, own) = (store.center_pose(index), store.mass_properties(index));
            let frame = drystone::math::widen_rotation(&(pose.rotation * own.frame));
            let principal = widen(&own.principal);
            let turning = frame * principal.component_mul(&frame.inverse_transform_vector(&angular));
            let mass = f64::from(own.mass);
            let orbit = (pose.translation - about).cross(&(linear * mass));
            sums.momentum += linear * mass;
            sums.spin += turning + orbit;
            sums.size += turning.norm() + reach * linear.norm() * mass;
            sums.energy += 0.5 * (mass * linear.norm_squared() + angular.dot(&turning));
            sums.mass += mass;
        }
        sums
    }

    /// The same momenta as `other`, up to `tolerance` of their parts.
    fn assert_momenta(&self, other: &Self, tolerance: f64, what: &str) {
        let speed = (2.0 * other.energy.max(self.energy) / other.mass).sqrt();
        let linear = (self.momentum - other.momentum).norm();
        assert!(linear <= tolerance * other.mass * speed, "{what}: linear momentum is off by {linear} N·s");
        let spin = (self.spin - other.spin).norm();
        assert!(
            spin <= tolerance * self.size.max(other.size),
            "{what}: angular momentum is off by {spin} of {}",
            self.size
        );
    }
}

/// A box or a ball somewhere near the origin, on its way somewhere else.
fn member() -> impl Strategy<Value = BodySpec> {
    let vector = |size: Real| [-size..size, -size..size, -size..size];
    (any::<bool>(), vector(1.0), vector(3.0), vector(3.0), vector(6.0), [0.05..0.3_f32, 0.05..0.3, 0.05..0.3])
        .prop_map(|(is_ball, at, turn, linear, angular, size)| {
            let place = Position::new(at[0].into(), at[1].into(), at[2].into());
            let pose = Pose::new(place, Rotation::from_scaled_axis(Vector3::from(turn)));
            let shape = if is_ball { ball_of(size[0]) } else { block(size[0], size[1], size[2]) };
            BodySpec::dynamic()
                .pose(pose)
                .linear_velocity(linear.into())
                .angular_velocity(angular.into())
                .collider(shape)
        })
}

fn ball_of(radius: Real) -> drystone::ColliderSpec {
    drystone::ColliderSpec::new(drystone::Shape::sphere(radius).expect("positive"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Fastened anywhere in any motion, 2 s in free fall, broken: momenta are kept throughout, energy falls once.
    #[test]
    fn momentum_is_kept_by_fastening_falling_and_breaking(members in prop::collection::vec(member(), 2..6), thesis: bool) {
        let (config, hz) = if thesis { (WorldConfig::thesis_fast(), FAST) } else { (WorldConfig::fast(), HZ) };
        let mut run = Scene::default().with_all(members).start(&config, 1);
        let own = run.bodies.clone();
        let origin = Position::origin();
        let before = Sums::of(&run.world, &own, &origin);
        let handle = run.world.fasten(&own).expect("free bodies");
        let body = run.world.composite(handle).expect("just made").body();
        let made = Sums::of(&run.world, &[body], &origin);
        made.assert_momenta(&before, ROUNDING, "fastened");
        Sums::of(&run.world, &own, &origin).assert_momenta(&before, ROUNDING, "members after fastening");
        prop_assert!(made.energy <= before.energy * (1.0 + ROUNDING), "{} J from {} J", made.energy, before.energy);
        let center = |run: &Run| run.world.body(body).expect("it exists").center;
        let about_center = Sums::of(&run.world, &[body], &center(&run));
        run.steps(hz, 2.0, |_| {});
        let mut fallen = Sums::of(&run.world, &[body], &center(&run));
        // Gravity takes no part in the rest.
        fallen.momentum -= widen(&run.world.config().gravity) * (fallen.mass * 2.0);
        let (spin, kept) = (fallen.spin, about_center.spin);
        prop_assert!((spin - kept).norm() <= 1e-4 * kept.norm().max(1e-3), "{spin} from {kept} after 2 s");
        prop_assert!((fallen.momentum - about_center.momentum).norm() <= 1e-4 * (made.momentum.norm() + made.mass));
        let fast = Sums::of(&run.world, &[body], &center(&run));
        let middle = center(&run);
        run.world.unfasten(handle).expect("it exists");
        let broken = Sums::of(&run.world, &own, &middle);
        broken.assert_momenta(&fast, ROUNDING, "broken");
        let lost = (broken.energy - fast.energy).abs();
        prop_assert!(lost <= 4.0 * ROUNDING * fast.energy, "breaking changed the energy by {lost} J");
        prop_assert!(run.world.body(body).is_err() && run.world.composite(handle).is_err());
    }

    /// Removing a member leaves the others the momentum that they have.
    #[test]
    fn what_is_left_moves_on(members in prop::collection::vec(member(), 3..6), gone in 0..3_usize) {
        let mut run = Scene::default().with_all(members).start(&WorldConfig::fast(), 1);
        let mut own = run.bodies.clone();
        let handle = run.world.fasten(&own).expect("free bodies");
        let gone = own.remove(gone);
        let before = Sums::of(&run.world, &own, &Position::origin());
        let places: Vec<_> = own.iter().map(|&b| run.world.pose(b).expect("it exists")).collect();
        run.world.remove_body(gone).expect("a member");
        let after = Sums::of(&run.world, &own, &Position::origin());
        after.assert_momenta(&before, ROUNDING, "left");
        if own.len() > 1 {
            let composite = run.world.composite(handle).expect("two are left");
            prop_assert_eq!(composite.members(), &own[..]);
            let whole = Sums::of(&run.world, &[composite.body()], &Position::origin());
            whole.assert_momenta(&before, ROUNDING, "the whole");
        }
        for (&body, place) in own.iter().zip(&places) {
            let now = run.world.pose(body).expect("it exists");
            prop_assert!((now.translation - place.translation).norm() < 1e-6);
        }
        run.step(HZ);
    }
}

/// Two cubes, one on the other, on the ground.
fn pair(config: &WorldConfig) -> Run {
    Scene::on_ground().with_all([cube(0.1, 0.0, 0.05, 0.0), cube(0.1, 0.0, 0.15, 0.0)]).start(config, 1)
}

fn told(run: &mut Run) -> Vec<(EventKind, [BodyHandle; 2])> {
    run.step(HZ);
    let touches = touches(&run.world).map(|event| {
        let kind = match event.phase {
            TouchPhase::Begin => EventKind::TouchBegin,
            TouchPhase::Persist => EventKind::TouchPersist,
            TouchPhase::End => EventKind::TouchEnd,
        };
        (kind, event.bodies)
    });
    touches.collect()
}

#[test]
fn touches_between_members_end_and_begin_and_those_with_others_go_on() {
    let mut run = pair(&WorldConfig::fast());
    let [ground, lower, upper] = run.bodies[..] else { panic!("three bodies") };
    assert_eq!(told(&mut run).len(), 2);
    let handle = run.world.fasten(&[upper, lower]).expect("free bodies");
    assert_eq!(told(&mut run), [(EventKind::TouchEnd, [lower, upper])]);
    let contacts: Vec<_> = run.world.contacts().map(|contact| contact.bodies).collect();
    assert!(contacts.len() >= 3 && contacts.iter().all(|bodies| *bodies == [ground, lower]), "{contacts:?}");
    run.steps(HZ, 0.5, |world| assert_eq!(touches(world).count(), 0));
    run.world.unfasten(handle).expect("it exists");
    assert_eq!(told(&mut run), [(EventKind::TouchBegin, [lower, upper])]);
    // Both between two steps: nothing has happened.
    let handle = run.world.fasten(&[upper, lower]).expect("free bodies");
    run.world.unfasten(handle).expect("it exists");
    run.steps(HZ, 0.5, |world| assert_eq!(touches(world).count(), 0));
    assert!((run.place(2).y - 0.15).abs() < 1e-3, "{}", run.place(2));
}

/// A heavy plank with a small cube at its end stands on a post under its middle: without the plank's weight it tips.
#[test]
fn a_composite_rests_and_sleeps_as_one_and_falls_apart() {
    for (config, hz) in [(WorldConfig::fast(), HZ), (WorldConfig::thesis_fast(), FAST)] {
        let plank = BodySpec::dynamic().pose(Pose::at(0.0, 0.42, 0.0)).collider(block(0.4, 0.02, 0.1));
        let post = BodySpec::fixed().pose(Pose::at(0.0, 0.2, 0.0)).collider(block(0.2, 0.2, 0.1));
        // Beside the plank's end: held by nothing but the fastening.
        let hanging = cube(0.1, 0.45, 0.42, 0.0);
        let mut run = Scene::on_ground().with_all([post, plank, hanging]).start(&config, 1);
        let members = [run.bodies[2], run.bodies[3]];
        let handle = run.world.fasten(&members).expect("free bodies");
        let body = run.world.composite(handle).expect("just made").body();
        run.until_asleep(hz, &[2, 3]);
        assert!(run.world.body(body).expect("it exists").is_asleep);
        assert_eq!(run.world.report().asleep, 1, "the members count as one");
        assert!((run.place(3).y - 0.42).abs() < 1e-3, "it hangs at {}", run.place(3));
        let facts = run.world.body(members[1]).expect("it exists");
        assert!(facts.is_active && facts.island.is_some(), "{facts:?}");
        assert_eq!(run.world.level(members[1]), Ok(Some(1)));
        assert_eq!(run.world.velocity(members[1]).expect("it exists").0, Vector3::zeros());
        run.world.set_pose(run.bodies[1], Pose::at(0.0, 0.21, 0.0)).expect("finite");
        let found = run.world.first_penetration(1e-3).expect("in range").expect("the post is in the plank");
        assert_eq!(found.bodies, [run.bodies[1], members[0]], "members are named");
        run.world.set_pose(run.bodies[1], Pose::at(0.0, 0.2, 0.0)).expect("finite");
        run.world.unfasten(handle).expect("it exists");
        run.steps(hz, 1.0, |_| {});
        assert!((run.place(3).y - 0.05).abs() < 2e-3, "it fell to {}", run.place(3));
        assert!((run.place(2).y - 0.42).abs() < 2e-3, "the plank stays at {}", run.place(2));
    }
}

#[test]
fn what_is_done_to_a_member_is_done_to_the_whole() {
    let weightless = WorldConfig { gravity: Vector3::zeros(), ..WorldConfig::fast() };
    let mut run = Scene::default()
        .with_all([cube(0.1, -0.2, 0.0, 0.0), cube(0.1, 0.2, 0.0, 0.0)])
        .start(&weightless, 1);
    let [left, right] = run.bodies[..] else { panic!("two bodies") };
    let handle = run.world.fasten(&[left, right]).expect("free bodies");
    let world = &mut run.world;
    let body = world.composite(handle).expect("just made").body();
    assert_eq!(world.composite_of(left).expect("it exists"), Some(handle));
    assert_eq!(world.composite_of(body).expect("it exists"), Some(handle));
    assert_eq!(world.colliders_of(left).expect("it exists").count(), 1);
    assert_eq!(world.colliders_of(body).expect("it exists").count(), 2);
    // Turned by a right angle about y at another place: the other one goes round.
    let turn = Rotation::from_axis_angle(&Vector3::y_axis(), std::f32::consts::FRAC_PI_2);
    world.set_pose(left, Pose::new(Position::new(1.0, 0.0, 0.0), turn)).expect("finite");
    let place = world.pose(right).expect("it exists").translation;
    assert!((place - Position::new(1.0, 0.0, -0.4)).norm() < 1e-6, "{place}");
    let spin = Vector3::y() * 2.0;
    world.set_velocity(left, Vector3::z(), spin).expect("finite");
    let [own, other] = [left, right].map(|b| world.velocity(b).expect("it exists"));
    assert!((own.0 - Vector3::z()).norm() < 1e-6 && own.1 == spin && other.1 == spin);
    assert!((other.0 - Vector3::new(-0.8, 0.0, 1.0)).norm() < 1e-5, "{:?}", other.0);
    world.set_velocity(body, Vector3::zeros(), Vector3::zeros()).expect("finite");
    // An impulse at a member: momentum, and angular momentum about the common centre.
    let at_rest = world.body(body).expect("it exists");
    world.add_impulse(left, Vector3::x() * 0.1, Vector3::zeros()).expect("finite");
    let sums = Sums::of(world, &[left, right], &at_rest.center);
    assert!((sums.momentum - Displacement::new(0.1, 0.0, 0.0)).norm() < 1e-6, "{sums:?}");
    assert!((sums.spin - Displacement::new(0.0, 0.02, 0.0)).norm() < 1e-6, "{sums:?}");
    world.set_velocity(body, Vector3::zeros(), Vector3::zeros()).expect("finite");
    world.add_force(left, Vector3::x() * 6.0, Vector3::zeros()).expect("finite");
    run.step(HZ);
    run.step(HZ);
    let sums = Sums::of(&run.world, &[left, right], &run.world.body(body).expect("it exists").center);
    assert!((sums.momentum - Displacement::new(0.1, 0.0, 0.0)).norm() < 1e-5, "{sums:?}");
    assert!((sums.spin - Displacement::new(0.0, 0.02, 0.0)).norm() < 1e-4, "{sums:?}");
    // Damping is the mean by mass, activity that of all.
    run.world.set_gravity_scale(left, 0.0).expect("finite");
    let store = run.world.body_store();
    assert!((store.gravity_scale(store.index(body).expect("it exists")) - 0.5).abs() < 1e-6);
    let before = run.place(1);
    run.world.set_active(right, false).expect("it exists");
    run.step(HZ);
    assert!(run.place(1) == before && !run.world.body(left).expect("it exists").is_active);
    run.world.unfasten(handle).expect("it exists");
    run.step(HZ);
    assert!(run.place(1) == before, "both are passive by themselves");
    run.world.set_active(right, true).expect("it exists");
    run.step(HZ);
    assert!(run.place(1) != before);
}

/// A force that waits for the next step acts on who is fastened or broken meanwhile as it would have.
#[test]
fn forces_that_wait_are_kept() {
    let weightless = WorldConfig { gravity: Vector3::zeros(), ..WorldConfig::fast() };
    let scene = Scene::default().with_all([cube(0.1, -0.2, 0.0, 0.0), cube(0.1, 0.2, 0.0, 0.0)]);
    for is_broken in [false, true] {
        let mut run = scene.start(&weightless, 1);
        let own = [run.bodies[0], run.bodies[1]];
        run.world.add_force(own[0], Vector3::y() * 3.0, Vector3::z()).expect("finite");
        let handle = run.world.fasten(&own).expect("free bodies");
        if is_broken {
            run.world.unfasten(handle).expect("it exists");
        }
        run.step(HZ);
        run.step(HZ);
        let sums = Sums::of(&run.world, &own, &Position::origin());
        let dt = f64::from(1.0 / HZ);
        let (momentum, spin) = (Displacement::y() * (3.0 * dt), Displacement::z() * (0.4 * dt));
        assert!((sums.momentum - momentum).norm() < 1e-5, "{sums:?}");
        assert!((sums.spin - spin).norm() < 1e-4, "{sums:?} instead of {spin}");
    }
}

#[test]
fn misuse_is_refused_by_name_and_changes_nothing() {
    let mut run = pair(&WorldConfig::fast());
    let [ground, lower, upper] = run.bodies[..] else { panic!("three bodies") };
    let loose = run.world.add_body(cube(0.1, 1.0, 0.05, 0.0)).expect("valid");
    let passive = run.world.add_body(cube(0.1, 2.0, 0.05, 0.0)).expect("valid");
    run.world.set_active(passive, false).expect("it exists");
    let handle = run.world.fasten(&[lower, upper]).expect("free bodies");
    let body = run.world.composite(handle).expect("just made").body();
    let stranger = BodyHandle { index: 99, generation: 1 };
    let before = (run.world.state_hash(), run.world.body_count());
    let refusals: [(&[BodyHandle], &str); 9] = [
        (&[], "a composite needs at least 2 bodies, got 0"),
        (&[loose], "a composite needs at least 2 bodies, got 1"),
        (&[loose, stranger], "does not exist"),
        (&[loose, ground], "is not dynamic"),
        (&[loose, passive], "is passive"),
        (&[loose, loose], "is named more than once"),
        (&[loose, lower], "is a member of a composite"),
        (&[loose, body], "is the body of a composite"),
        (&[stranger, ground], "99"),
    ];
    for (members, expected) in refusals {
        let error = run.world.fasten(members).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error} instead of {expected}");
    }
    let rule = Rule::ignore(RuleSide::Body(body), RuleSide::Anything);
    for error in [run.world.remove_body(body).err(), run.world.add_rule(rule).err()] {
        assert!(error.expect("refused").to_string().contains("unfasten"));
    }
    let unknown = CompositeHandle { index: handle.index, generation: handle.generation + 2 };
    assert!(run.world.unfasten(unknown).is_err() && run.world.composite(unknown).is_err());
    assert!(run.world.composite_of(stranger).is_err());
    assert!(run.world.set_pose(lower, Pose::at(f64::NAN, 0.0, 0.0)).is_err());
    assert!(run.world.set_velocity(lower, Vector3::repeat(Real::INFINITY), Vector3::zeros()).is_err());
    assert_eq!((run.world.state_hash(), run.world.body_count()), before);
    run.world.unfasten(handle).expect("it exists");
    assert!(run.world.unfasten(handle).is_err());
}

#[test]
fn a_composite_in_quarantine_is_named_with_its_members_and_can_be_taken_apart() {
    let mut run = Scene::default()
        .with_all([cube(0.1, -0.2, 0.0, 0.0), cube(0.1, 0.2, 0.0, 0.0)])
        .start(&WorldConfig::fast(), 1);
    let own = [run.bodies[0], run.bodies[1]];
    let handle = run.world.fasten(&own).expect("free bodies");
    let body = run.world.composite(handle).expect("just made").body();
    run.world.set_velocity(body, Vector3::repeat(3.2e38), Vector3::zeros()).expect("finite");
    run.world.add_impulse(own[0], Vector3::repeat(3e38), Vector3::zeros()).expect("finite");
    run.step(HZ);
    assert_eq!(run.world.report().quarantined, [body, own[0], own[1]]);
    assert!(run.world.body(own[1]).expect("it exists").is_quarantined);
    assert!(run.world.set_velocity(own[0], Vector3::zeros(), Vector3::zeros()).is_err());
    run.world.remove_body(own[0]).expect("it exists");
    assert!(run.world.composite(handle).is_err() && run.world.body(own[1]).expect("left").is_quarantined);
    run.step(HZ);
}

#[test]
fn the_graph_of_a_moment_shows_members_where_they_touch() {
    let mut run = pair(&WorldConfig::fast());
    let beside = run.world.add_body(cube(0.1, 0.1, 0.15, 0.0)).expect("valid");
    let above = run.world.add_body(cube(0.1, 0.13, 0.25, 0.0)).expect("valid");
    let [ground, lower, upper] = run.bodies[..] else { panic!("three bodies") };
    let handle = run.world.fasten(&[lower, upper, beside]).expect("free bodies");
    let body = run.world.composite(handle).expect("just made").body();
    run.steps(HZ, 0.2, |_| {});
    let graph = run.world.graph_snapshot();
    let place = |key| graph.find(key).expect("a node");
    let whole = place(NodeKey::Container(handle.index));
    assert!(graph.find(NodeKey::Body(body)).is_none(), "the composite stands for its body");
    let node = &graph.nodes()[whole];
    assert_eq!((node.kind, node.level), (NodeKind::Composite, Some(1)));
    let members = [lower, upper, beside].map(|b| place(NodeKey::Body(b)));
    for member in members {
        let edge = graph.edge_between(whole, member).expect("structural");
        assert_eq!((edge.kind.name().as_str(), edge.points), ("R-C", 0));
        assert_eq!(graph.nodes()[member].island, node.island);
    }
    assert!(graph.edge_between(members[0], members[1]).is_none(), "fastened, not touching");
    let [ground, above] = [ground, above].map(|b| place(NodeKey::Body(b)));
    assert_eq!(graph.edge_between(ground, members[0]).map(|edge| edge.kind.name()), Some("R-F".to_owned()));
    assert_eq!(graph.edge_between(above, members[2]).map(|edge| edge.kind.name()), Some("R-R".to_owned()));
    assert!(graph.neighbours(whole).count() == 3, "contacts are the members'");
    // What hangs beside is held by the composite, over the member that stands on the ground.
    let supports = graph.supports(&Vector3::y(), 0.7);
    assert_eq!(supports.path_down(above), Some(vec![above, members[2], whole, members[0], ground]));
    assert!(supports.unsupported().is_empty());
    assert_eq!(supports.falls_without(members[2]), [above]);
    let mut rest = vec![members[1], members[2], above, whole];
    rest.sort_unstable();
    assert_eq!(supports.falls_without(members[0]), rest);
    let mut cuts = vec![members[2], whole];
    cuts.sort_unstable();
    assert_eq!(graph.articulation_nodes(), cuts);
    let name = NodeKey::Container(handle.index).to_string();
    let (dot, xml) = (graph.to_dot(), graph.to_graphml());
    assert!(dot.contains(&format!("{name} [label=\"C {name}\", shape=hexagon")), "{dot}");
    assert!(xml.contains(&format!("<node id=\"{name}\">")) && xml.contains("R-C"));
}

/// A pile of crosses of three boxes each, some of which break while it falls; returns the hash of every step.
fn pile(threads: usize) -> Vec<u64> {
    let mut run = Scene::on_ground().with_all(pen(0.8)).start(&WorldConfig::fast(), threads);
    let mut handles = Vec::new();
    for k in 0..24 {
        let at = |dx: f64, dy: f64| {
            let (x, z) = (f64::from(k % 3 - 1) * 0.4, f64::from(k / 3 % 3 - 1) * 0.4);
            cube(0.1, x + dx, 0.3 + 0.35 * f64::from(k / 9) + dy, z)
        };
        let bodies =
            [at(0.0, 0.0), at(0.1, 0.0), at(0.0, 0.1)].map(|b| run.world.add_body(b).expect("valid"));
        handles.push(run.world.fasten(&bodies).expect("free bodies"));
        run.bodies.extend(bodies);
    }
    let mut hashes = Vec::new();
    for step in 0..150 {
        if step % 10 == 5 && step < 120 {
            run.world.unfasten(handles.swap_remove(step % handles.len())).expect("it exists");
        }
        run.step(HZ);
        hashes.push(run.world.state_hash());
    }
    let lowest = (0..run.bodies.len()).filter(|&b| run.world.composite_of(run.bodies[b]).is_ok());
    let lowest = lowest.map(|b| run.place(b).y).skip(5).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.03, "nothing sinks: {lowest} m");
    hashes
}

#[test]
fn a_pile_of_composites_is_the_same_on_any_number_of_threads() {
    let serial = pile(1);
    for threads in [2, 4] {
        let differs = pile(threads).iter().zip(&serial).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{threads} threads: first step that differs");
    }
}

#[test]
fn rules_and_triggers_speak_of_members() {
    let zone = BodySpec::fixed().pose(Pose::at(0.0, 0.15, 0.0)).collider(block(0.02, 0.02, 0.02).trigger());
    let mut run = pair(&WorldConfig::fast());
    let [ground, lower, upper] = run.bodies[..] else { panic!("three bodies") };
    let zone = run.world.add_body(zone).expect("valid");
    let trigger = run.world.colliders_of(zone).expect("it exists").next().expect("one");
    run.step(HZ);
    let handle = run.world.fasten(&[lower, upper]).expect("free bodies");
    run.steps(HZ, 0.1, |world| assert!(world.events().all(|e| e.kind() != EventKind::TriggerOut)));
    let inside: Vec<_> = run.world.inside(trigger).expect("a trigger").collect();
    assert_eq!(inside, run.world.colliders_of(upper).expect("it exists").collect::<Vec<_>>());
    // The lower one falls through the ground, and takes the upper one along until that lands.
    run.world.add_rule(Rule::ignore(RuleSide::Body(ground), RuleSide::Body(lower))).expect("both exist");
    run.steps(HZ, 1.0, |_| {});
    assert!(
        (run.place(2).y - 0.05).abs() < 3e-3 && run.place(1).y < -0.03,
        "{} {}",
        run.place(2),
        run.place(1)
    );
    assert_eq!(run.world.inside(trigger).expect("a trigger").count(), 0);
    assert_eq!(run.world.composites().map(|(handle, _)| handle).collect::<Vec<_>>(), [handle]);
}

/// Correction displaces a composite that sleeps, which sleeps again in the same step.
#[test]
fn members_follow_a_composite_that_sleeps_again_in_the_step_in_which_it_is_displaced() {
    let wall = BodySpec::fixed().pose(Pose::at(3.0, 0.05, 0.0)).collider(block(0.05, 0.05, 0.05));
    let mut run = Scene::on_ground()
        .with_all([cube(0.1, 0.0, 0.05, 0.0), cube(0.1, -0.1, 0.05, 0.0), wall])
        .start(&WorldConfig::thesis_fast(), 1);
    let handle = run.world.fasten(&[run.bodies[1], run.bodies[2]]).expect("free bodies");
    run.until_asleep(FAST, &[1, 2]);
    run.world.set_pose(run.bodies[3], Pose::at(0.085, 0.05, 0.0)).expect("finite");
    let body = run.world.composite(handle).expect("it exists").body();
    let before = run.world.body(body).expect("it exists").center;
    for _ in 0..24 {
        run.step(FAST);
        let (center, places) =
            (run.world.body(body).expect("it exists").center, [run.place(1), run.place(2)]);
        let middle = (places[0].coords + places[1].coords) * 0.5;
        assert!((middle - center.coords).norm() < 1e-6, "{places:?} about {center}");
    }
    let way = run.world.body(body).expect("it exists").center.x - before.x;
    assert!(way < -0.01, "displaced by {way} m");
}

/// A composite that is put to sleep is at rest, and so are its members, whatever becomes of it.
#[test]
fn members_of_a_composite_that_is_put_to_sleep_are_at_rest() {
    let config = WorldConfig { gravity: Vector3::zeros(), ..WorldConfig::fast() };
    let drift = Vector3::new(0.5, 0.0, 0.1);
    let drifting = |x: f64| cube(0.1, x, 0.0, 0.0).linear_velocity(drift);
    let mut run = Scene::default().with(drifting(0.0)).with(drifting(0.3)).start(&config, 1);
    let own = run.bodies.clone();
    let handle = run.world.fasten(&own).expect("free bodies");
    run.steps(HZ, 0.1, |_| {});
    assert!(run.world.put_to_sleep(own[0]).expect("it is there"), "nothing pulls at it");
    let at_rest = |run: &Run| {
        own.iter().all(|&body| {
            run.world.velocity(body).expect("it is there") == (Vector3::zeros(), Vector3::zeros())
        })
    };
    assert!(at_rest(&run), "asleep");
    run.world.unfasten(handle).expect("it is there");
    assert!(at_rest(&run), "let go");
}
