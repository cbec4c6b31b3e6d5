//! Loop closures.

use crate::support::{cube_inertia, energy, kinematics, random_tree};
use drystone_articulation::dynamics::{kinetic_energy, momentum};
use drystone_articulation::{
    Articulation, Integrator, JointSpec, LinkIndex, LinkSpec, LoopSpec, ModelBuilder, State, StepConfig,
    Transform,
};
use nalgebra::{UnitQuaternion, Vector3};

const DT: f64 = 1.0 / 240.0;

/// A bar of `mass` along x from its joint, `length` long.
fn bar(mass: f64, length: f64) -> LinkSpec {
    let center = Vector3::x() * (0.5 * length);
    LinkSpec::new(JointSpec::revolute(Vector3::z())).cuboid(mass, center, Vector3::new(length, 0.02, 0.02))
}

/// A parallelogram: crank and rocker of 1 m upright on a ground of 2 m, a coupler of 2 m between them; gravity along -y.
fn parallelogram(
    masses: [f64; 3],
    closed_by_weld: bool,
    config: StepConfig,
) -> (Articulation, [LinkIndex; 3]) {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vector3::new(0.0, -9.81, 0.0)).expect("finite");
    let crank = builder.root(bar(masses[0], 1.0)).expect("valid");
    let coupler = builder.child(crank, bar(masses[1], 2.0).at(1.0, 0.0, 0.0)).expect("valid");
    let rocker = builder.child(coupler, bar(masses[2], 1.0).at(2.0, 0.0, 0.0)).expect("valid");
    let model = if closed_by_weld {
        // A fourth joint, whose link is welded to the ground: five of the weld's rows, three of them are implied.
        let foot = LinkSpec::new(JointSpec::revolute(Vector3::z())).at(1.0, 0.0, 0.0);
        let foot = foot.body(0.01, Vector3::zeros(), cube_inertia(0.01, 0.02));
        builder.child(rocker, foot).expect("valid");
        builder.build().expect("valid")
    } else {
        builder.build().expect("valid")
    };
    let mut linkage = Articulation::new(model, config).expect("valid");
    let ground = Vector3::new(2.0, 0.0, 0.0);
    if closed_by_weld {
        let foot = linkage.model().link_index(3).expect("there");
        linkage.add_loop(LoopSpec::weld(
            None,
            Transform::translation(2.0, 0.0, 0.0),
            foot,
            Transform::identity(),
        ))
    } else {
        linkage.add_loop(LoopSpec::point(None, ground, rocker, Vector3::x()))
    }
    .expect("valid");
    (linkage, [crank, coupler, rocker])
}

/// The crank at `angle` from x, the coupler level.
fn set(linkage: &mut Articulation, angle: f64, speed: f64) {
    let mut state = linkage.state().clone();
    // The rocker runs from the coupler's end down to the ground: opposite to the crank. A foot stands level.
    let all = [angle, -angle, angle + std::f64::consts::PI, -angle - std::f64::consts::PI];
    let rates = [speed, -speed, speed, -speed];
    let count = linkage.model().dof_count();
    state.set_positions(linkage.model(), &all[..count]).expect("finite");
    state.set_velocities(linkage.model(), &rates[..count]).expect("finite");
    linkage.set_state(&state).expect("fits");
}

/// The crank held by an outside torque: the ground's force on the rocker is that of statics. With the coupler's weight W, each of its ends
/// carries W/2; the rocker, a rod, is pushed along itself but for its own weight; so the force at the ground is known in closed form.
#[test]
fn a_four_bar_linkage_holds_the_forces_of_statics() {
    for weld in [false, true] {
        for angle in [1.1, std::f64::consts::FRAC_PI_2, 2.2] {
            for integrator in [Integrator::RungeKutta, Integrator::SemiImplicit] {
                let config = StepConfig { integrator, ..StepConfig::default() };
                let [m1, m2, m3] = [1.0, 3.0, 0.5];
                let (mut linkage, _) = parallelogram([m1, m2, m3], weld, config);
                set(&mut linkage, angle, 0.0);
                let g = 9.81;
                // Virtual work: the crank's torque carries half of crank and rocker and all of the coupler.
                let torque = (0.5 * m1 + m2 + 0.5 * m3) * g * angle.cos();
                let count = linkage.model().dof_count();
                let mut forces = vec![0.0; count];
                forces[0] = torque;
                linkage.add_joint_forces(&forces).expect("fits");
                linkage.step(1e-4).expect("finite");
                assert!(
                    linkage.state().velocities()[0].abs() < 1e-3,
                    "balanced: {:?}",
                    linkage.state().velocities()
                );
                // The rocker about its upper end: the ground's force f at (-cos, -sin) from there, the weight half way.
                // Vertical: f_y = W/2 + rocker (the coupler about its left end: its right end carries W/2 from the rocker, which is
                // vertical only); moment about the upper end: -cos f_y + sin f_x + cos/2 m3 g = 0.
                let vertical = (0.5 * m2 + m3) * g;
                let horizontal = angle.cos() / angle.sin() * (vertical - 0.5 * m3 * g);
                let found = linkage.loop_force(0).expect("there").force;
                let foot = if weld { 0.01 * g } else { 0.0 };
                let expected = Vector3::new(horizontal, vertical + foot, 0.0);
                let off = (found - expected).norm() / expected.norm();
                println!("weld {weld}, {angle} rad, {integrator:?}: {off:.1e}");
                assert!(off < 1e-12, "{weld} {angle}: {found} for {expected}");
            }
        }
    }
}

/// A swinging linkage keeps its energy and its loop; the redundant rows of a weld are found and do no harm.
#[test]
fn a_swinging_linkage_keeps_its_energy_and_stays_closed() {
    for weld in [false, true] {
        for dt in [DT, 1.0 / 60.0] {
            let (mut linkage, _) = parallelogram([1.0, 2.0, 1.5], weld, StepConfig::default());
            set(&mut linkage, -0.4, -0.5);
            let first = linkage.energy();
            for _ in 0..(10.0 / dt) as u32 {
                let report = linkage.step(dt).expect("finite");
                assert!(report.loop_distance < 1e-9 && report.loop_angle < 1e-9, "{report:?}");
                assert_eq!(report.redundant_rows, if weld { 3 } else { 1 });
                let change = linkage.energy() / first - 1.0;
                assert!(change.abs() < 1e-5, "{change}");
                // Its weight and what swings, a few times.
                let force = linkage.loop_force(0).expect("there");
                assert!(force.force.norm() < 100.0 && force.moment.norm() < 1e-6, "{force:?}");
            }
            println!("weld {weld}, {dt}: {:.1e}", linkage.energy() / first - 1.0);
        }
    }
}

/// Through the pose in which all bars lie in one line and one row more follows from the others: forces stay bounded, and there is no energy
/// more than before.
#[test]
fn a_linkage_passes_the_pose_in_which_it_is_singular() {
    let (mut linkage, _) = parallelogram([1.0, 2.0, 1.5], false, StepConfig::default());
    set(&mut linkage, 1.0, 0.5);
    let first = linkage.energy();
    for _ in 0..600 {
        let report = linkage.step(1.0 / 60.0).expect("finite");
        assert!(report.loop_distance < 1e-6, "{report:?}");
        let change = linkage.energy() / first - 1.0;
        assert!(change < 1e-6 && change > -1e-2, "{change}");
        let force = linkage.loop_force(0).expect("there").force.norm();
        assert!(force < 1000.0, "{force}");
    }
}

/// A parallelogram swings as a pendulum of its masses at the crank's length: `(I₁ + I₃ + m₂ l²) a = -(...)`.
#[test]
fn a_parallelogram_swings_as_the_pendulum_that_it_is() {
    let (mut linkage, _) = parallelogram([1.0, 2.0, 1.0], false, StepConfig::default());
    // Hanging: the crank points down.
    let start = -std::f64::consts::FRAC_PI_2 + 0.05;
    set(&mut linkage, start, 0.0);
    let bars: f64 = 2.0 * (1.0 / 3.0 + 0.02 * 0.02 / 12.0);
    // About the ends: 1/12 m (l² + w²) + m l²/4.
    let stiffness = (0.5 + 2.0 + 0.5) * 9.81;
    let period = std::f64::consts::TAU * ((bars + 2.0) / stiffness).sqrt() * (1.0 + 0.05 * 0.05 / 16.0);
    let steps = (period / 1e-3).round() as u32;
    for _ in 0..steps {
        linkage.step(period / f64::from(steps)).expect("finite");
    }
    let off = linkage.state().positions()[0] - start;
    assert!(off.abs() < 1e-6 && linkage.state().velocities()[0].abs() < 1e-3, "{off}");
}

/// Links that are put together apart come together, little by little and without a jump of energy.
#[test]
fn what_is_apart_is_brought_together_without_energy() {
    let (mut linkage, _) = parallelogram([1.0, 2.0, 1.5], false, StepConfig::default());
    set(&mut linkage, 1.2, 0.0);
    let mut state = linkage.state().clone();
    let mut positions = state.positions().to_vec();
    positions[2] += 0.2;
    state.set_positions(linkage.model(), &positions).expect("finite");
    linkage.set_state(&state).expect("fits");
    let mut last = f64::INFINITY;
    for _ in 0..60 {
        let report = linkage.step(DT).expect("finite");
        assert!(report.loop_distance <= last + 1e-9, "{last} to {}", report.loop_distance);
        last = report.loop_distance;
        assert!(linkage.state().velocities().iter().all(|v| v.abs() < 10.0));
    }
    assert!(last < 1e-9, "{last}");
}

/// A point that nothing can move: held twice, by the tree and by a closure. Its rows are zero, and get nothing.
#[test]
fn rows_that_nothing_moves_get_no_force() {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vector3::new(0.0, -9.81, 0.0)).expect("finite");
    let base =
        builder.root(LinkSpec::new(JointSpec::fixed()).point_mass(1.0, Vector3::zeros())).expect("valid");
    let arm = builder.child(base, bar(1.0, 1.0)).expect("valid");
    let mut held = Articulation::new(builder.build().expect("valid"), StepConfig::default()).expect("valid");
    held.add_loop(LoopSpec::weld(None, Transform::identity(), base, Transform::identity())).expect("valid");
    held.add_loop(LoopSpec::point(Some(base), Vector3::zeros(), arm, Vector3::zeros())).expect("valid");
    let report = held.step(DT).expect("finite");
    assert_eq!(report.redundant_rows, 9);
    assert_eq!(held.loop_force(0).expect("there").force, Vector3::zeros());
    // And the arm falls as if there were no closures.
    let expected = -9.81 * 0.5 / (1.0 / 3.0 + 0.0004 / 12.0) * DT;
    assert!((held.state().velocities()[0] / expected - 1.0).abs() < 1e-3);
}

/// The same closure twice: one of both carries everything, none carries more.
#[test]
fn a_closure_that_is_repeated_carries_nothing() {
    let (mut once, [_, _, rocker]) = parallelogram([1.0, 3.0, 0.5], false, StepConfig::default());
    set(&mut once, -0.9, 0.3);
    let mut twice = once.clone();
    twice.add_loop(LoopSpec::point(None, Vector3::new(2.0, 0.0, 0.0), rocker, Vector3::x())).expect("valid");
    for _ in 0..240 {
        once.step(DT).expect("finite");
        assert_eq!(twice.step(DT).expect("finite").redundant_rows, 4);
        let forces = [0, 1].map(|index| twice.loop_force(index).expect("there").force);
        let expected = once.loop_force(0).expect("there").force;
        assert!((forces[0] + forces[1] - expected).norm() < 1e-6 * expected.norm());
        assert!(forces.iter().all(|force| force.norm() <= expected.norm() * (1.0 + 1e-6)));
    }
}

/// Closures in random trees: an impulse leaves them closed, takes no part of the energy that it does not give, and motion keeps energy.
#[test]
fn closures_in_random_trees_keep_energy() {
    for seed in 0..10 {
        let (model, state) = random_tree(seed, 8, true);
        let now = kinematics(&model, &state);
        let (a, b) = (model.link_index(3).expect("there"), model.link_index(7).expect("there"));
        let at = Vector3::new(0.2, 0.1, -0.3);
        let place = now.pose(a).inverse() * now.pose(b);
        let mut tree = Articulation::new(model.clone(), StepConfig::default()).expect("valid");
        tree.set_state(&state).expect("fits");
        let frame = Transform::translation(at.x, at.y, at.z);
        tree.add_loop(LoopSpec::point(Some(a), (place * frame).translation.vector, b, at)).expect("valid");
        // The first step takes out of the velocities what opens the loop.
        tree.step(1e-6).expect("finite");
        let first = tree.energy();
        assert!(first <= energy(&model, &state) + 1e-6);
        let mut size = 0.0_f64;
        for _ in 0..480 {
            let report = tree.step(DT).expect("finite");
            assert!(report.loop_distance < 1e-8, "tree {seed}: {report:?}");
            size = size.max(kinetic_energy(&model, tree.kinematics(), tree.state().velocities()));
            let off = tree.energy() - first;
            assert!(off.abs() < 1e-4 * (1.0 + size), "tree {seed}: {off} J of {size} J");
        }
        let point = tree.kinematics().point(b, &at);
        tree.apply_impulse(b, &point, Vector3::new(1.0, -2.0, 0.5)).expect("finite");
        let velocity = |link, local: &Vector3<f64>| {
            tree.kinematics().velocity_at(link, &tree.kinematics().point(link, local)).linear
        };
        let apart = velocity(b, &at) - velocity(a, &(place * frame).translation.vector);
        assert!(apart.norm() < 1e-7, "tree {seed}: {apart}");
        let _: &State = tree.state();
    }
}

/// A crank of 0.3 m about z, a rod of 0.8 m on it and a piston on the rod that slides along x: its place, crank and rod angles.
fn slider_crank(crank: f64) -> [f64; 3] {
    let rod = -(0.3 * crank.sin() / 0.8).asin();
    [0.3 * crank.cos() + 0.8 * rod.cos(), crank, rod - crank]
}

/// The piston slides on the world by a closure, or on a slider of its own that is closed by the point at its pin.
fn engine(closes_by_slide: bool, tilt: &Transform) -> Articulation {
    let mut builder = ModelBuilder::new();
    builder.gravity(tilt.rotation * Vector3::new(0.0, -9.81, 0.0)).expect("finite");
    let hinge = || LinkSpec::new(JointSpec::revolute(Vector3::z()));
    let bar = |spec: LinkSpec, mass, length: f64| {
        spec.cuboid(mass, Vector3::x() * (0.5 * length), Vector3::new(length, 0.06, 0.04))
    };
    let crank = builder.root(bar(hinge().placed(*tilt), 2.0, 0.3)).expect("valid");
    let rod = builder.child(crank, bar(hinge().at(0.3, 0.0, 0.0), 1.0, 0.8)).expect("valid");
    let piston = Vector3::repeat(0.1);
    let [place, turn, bend] = slider_crank(0.4);
    let (last, positions) = if closes_by_slide {
        let spec = hinge().at(0.8, 0.0, 0.0).cuboid(1.5, Vector3::zeros(), piston);
        // The piston stays along x.
        (builder.child(rod, spec), vec![turn, bend, -turn - bend])
    } else {
        let spec = LinkSpec::new(JointSpec::prismatic(Vector3::x())).placed(*tilt);
        (builder.root(spec.cuboid(1.5, Vector3::zeros(), piston)), vec![turn, bend, place])
    };
    let last = last.expect("valid");
    let model = builder.build().expect("valid");
    let mut state = State::zero(&model);
    state.set_positions(&model, &positions).expect("finite");
    let mut engine = Articulation::new(model, StepConfig::default()).expect("valid");
    engine.set_state(&state).expect("fits");
    let closure = if closes_by_slide {
        LoopSpec::slide(None, *tilt, last, Transform::identity())
    } else {
        LoopSpec::point(Some(last), Vector3::zeros(), rod, Vector3::x() * 0.8)
    };
    engine.add_loop(closure).expect("valid");
    engine
}

/// A slider-crank: the piston is where its closed form has it, moves with its derivative, energy stays, and the force on the guide is that of statics' other
/// description, a piston on a slider.
#[test]
fn a_slider_closes_a_crank() {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.8, 0.5));
    let tilt = Transform::from_parts(Vector3::new(0.2, 0.5, -0.1).into(), turn);
    for tilt in [Transform::identity(), tilt] {
        let (mut slides, mut reference) = (engine(true, &tilt), engine(false, &tilt));
        let start = slides.energy();
        let size = slides.model().links().iter().map(|link| link.mass()).sum::<f64>() * 9.81 * 0.3;
        for step in 0..600 {
            for engine in [&mut slides, &mut reference] {
                let report = engine.step(DT).expect("finite");
                assert!(report.loop_distance < 1e-9 && report.loop_angle < 1e-9, "{report:?}");
                assert!(
                    (engine.energy() - start).abs() < 1e-6 * size,
                    "step {step}: {}",
                    engine.energy() - start
                );
            }
            let (state, piston) = (slides.state(), &slides.kinematics().links()[2]);
            let (crank, speed) = (state.positions()[0], state.velocities()[0]);
            let [place, _, bend] = slider_crank(crank);
            let along = tilt.rotation * Vector3::x();
            let at = along.dot(&(piston.origin - tilt.translation.vector));
            assert!((at - place).abs() < 1e-8, "step {step}: the piston is at {at} m, not {place}");
            assert!((state.positions()[1] - bend).abs() < 1e-8);
            let rod = crank + bend;
            let rate = 0.3 * speed * (rod.sin() * crank.cos() / rod.cos() - crank.sin());
            assert!((along.dot(&piston.velocity.linear) - rate).abs() < 1e-8, "step {step}: {rate} m/s");
            // Both are the same mechanism.
            let other = reference.state().positions()[0];
            assert!((crank - other).abs() < 1e-5, "step {step}: {crank} and {other} rad");
        }
        assert!(slides.state().positions()[0].abs() > 1.0, "it swung");
    }
}

/// A guide that moves: both ends of a slide are links. The sum of energies stays, and momentum about a free base does.
#[test]
fn a_slide_between_two_links_keeps_energy_and_momentum() {
    let mut builder = ModelBuilder::new();
    let bar =
        |joint, mass| LinkSpec::new(joint).cuboid(mass, Vector3::x() * 0.3, Vector3::new(0.6, 0.1, 0.08));
    let base = builder.root(bar(JointSpec::free(), 3.0)).expect("valid");
    let hinge = || JointSpec::revolute(Vector3::z());
    let crank = builder.child(base, bar(hinge(), 1.0).at(0.1, 0.05, 0.0)).expect("valid");
    let rod = builder.child(crank, bar(hinge(), 0.7).at(0.6, 0.0, 0.0)).expect("valid");
    let block = builder.child(rod, bar(hinge(), 0.5).at(0.6, 0.0, 0.0)).expect("valid");
    let model = builder.build().expect("valid");
    let mut articulation = Articulation::new(model, StepConfig::default()).expect("valid");
    let model = articulation.model().clone();
    let mut state = State::zero(&model);
    let mut positions = state.positions().to_vec();
    positions[7..].copy_from_slice(&[0.9, -1.2, 0.4]);
    state.set_positions(&model, &positions).expect("finite");
    articulation.set_state(&state).expect("fits");
    // A guide on the base along a slanted line, where the block is now.
    let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * 0.5);
    let pose = articulation.kinematics().pose(block);
    let guide = Transform::from_parts(pose.translation, turn);
    let on_block = pose.inverse() * guide;
    articulation.add_loop(LoopSpec::slide(Some(base), guide, block, on_block)).expect("valid");
    for (link, impulse) in [(rod, Vector3::new(0.5, 1.0, 0.3)), (base, Vector3::new(-1.0, 0.4, 0.9))] {
        let at = articulation.kinematics().point(link, &Vector3::new(0.2, 0.1, 0.05));
        articulation.apply_impulse(link, &at, impulse).expect("finite");
    }
    let (energy, before) = (articulation.energy(), momentum(articulation.kinematics()));
    for step in 0..600 {
        let report = articulation.step(DT).expect("finite");
        assert!(report.loop_distance < 1e-9 && report.loop_angle < 1e-9, "step {step}: {report:?}");
        let now = momentum(articulation.kinematics());
        assert!((articulation.energy() - energy).abs() < 1e-6 * energy, "step {step}");
        assert!(
            (now.linear - before.linear).norm() < 1e-6 && (now.angular - before.angular).norm() < 1e-6,
            "step {step}"
        );
    }
}
