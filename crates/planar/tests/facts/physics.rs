//! Motion in closed form and what is conserved.

use super::*;
use drystone_planar::scenes::planar_scene;

#[test]
fn free_fall_follows_the_parabola() {
    let mut world = world(9.81, 0.0, 0.0);
    let spec = PlanarBodySpec::dynamic().velocity(Vector2::new(3.0, 4.0), 2.0).collider(cuboid(0.5, 0.25));
    let body = world.add_body(spec).expect("valid");
    run(&mut world, 60.0, 2.0);
    let (pose, velocity) = (world.pose(body).expect("there"), world.velocity(body).expect("there"));
    let wanted = [6.0, 8.0 - 0.5 * 9.81 * 4.0];
    // Rounding of 120 displacements of up to 0.3 m in `f32`.
    assert!((pose.translation.x - wanted[0]).abs() < 1e-5, "{pose:?}");
    assert!((pose.translation.y - wanted[1]).abs() < 1e-5, "{pose:?}");
    assert!((velocity.0.y - (4.0 - 19.62)).abs() < 1e-4 && velocity.1 == 2.0);
    let turned = (pose.turn.angle() - 4.0).rem_euclid(std::f64::consts::TAU);
    assert!(turned.min(std::f64::consts::TAU - turned) < 1e-4, "{turned}");
}

#[test]
fn positions_far_away_are_as_good_as_at_the_origin() {
    let heights = [0.0, 1e7].map(|x| {
        let mut world = world(9.81, 0.5, 0.0);
        let floor = PlanarBodySpec::fixed().pose(PlanarPose::at(x, -1.0)).collider(cuboid(100.0, 1.0));
        world.add_body(floor).expect("valid");
        let bodies = [0.5, 1.5, 2.5].map(|y| add(&mut world, x, y, cuboid(0.5, 0.5)));
        run(&mut world, 60.0, 2.0);
        bodies.map(|b| world.pose(b).expect("there").translation.y)
    });
    assert_eq!(heights[0], heights[1]);
}

/// A block on an incline sticks below the friction angle, and slides by `g (sin − μ cos)` above it.
#[test]
fn a_block_on_an_incline_sticks_and_slides_by_the_formula() {
    let angle = 0.5_f64;
    for friction in [0.3_f32, 0.7] {
        let mut world = world(9.81, friction, 0.0);
        let incline =
            PlanarBodySpec::fixed().pose(PlanarPose::new(0.0, 0.0, -angle)).collider(cuboid(100.0, 1.0));
        world.add_body(incline).expect("valid");
        let (up, along) = ([angle.sin(), angle.cos()], [angle.cos(), -angle.sin()]);
        let start = [1.25 * up[0], 1.25 * up[1]];
        let spec = PlanarBodySpec::dynamic()
            .pose(PlanarPose::new(start[0], start[1], -angle))
            .collider(cuboid(0.5, 0.25));
        let body = world.add_body(spec).expect("valid");
        run(&mut world, 240.0, 1.0);
        let at = world.pose(body).expect("there").translation;
        let way = (at.x - start[0]) * along[0] + (at.y - start[1]) * along[1];
        let acceleration = 9.81 * (angle.sin() - f64::from(friction) * angle.cos());
        let wanted = 0.5 * acceleration.max(0.0);
        // The sub-step of 1/960 s moves after it accelerates: a t h / 2; the block sticks to rounding.
        let tolerance = if wanted > 0.0 { acceleration / 960.0 + 1e-3 } else { 1e-5 };
        assert!((way - wanted).abs() < tolerance, "friction {friction}: {way} m, formula {wanted} m");
    }
}

/// A ball dropped from `h` rises to `e² h`, but for what a step of 1/240 s at the impact makes unsure.
#[test]
fn a_ball_bounces_to_the_height_of_the_formula() {
    for restitution in [0.5_f32, 0.8, 1.0] {
        let mut world = world(9.81, 0.0, restitution);
        add_floor(&mut world);
        let body = add(&mut world, 0.0, 2.5, ball(0.5));
        let (mut lowest, mut top) = (f64::MAX, 0.0_f64);
        for _ in 0..480 {
            world.step(1.0 / 240.0).expect("valid");
            let y = world.pose(body).expect("there").translation.y - 0.5;
            let rises = world.velocity(body).expect("there").0.y > 0.0;
            lowest = lowest.min(y);
            if rises {
                top = top.max(y);
            }
        }
        let wanted = 2.0 * f64::from(restitution).powi(2);
        let speed = (2.0 * 9.81 * 2.0_f64).sqrt();
        assert!((top - wanted).abs() < 2.0 * speed / 240.0, "e = {restitution}: {top} m, formula {wanted} m");
        assert!(lowest > -1e-3, "the ball sank {lowest} m in");
    }
}

fn momentum(world: &PlanarWorld) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for body in world.bodies() {
        let (m, v) = (f64::from(body.mass), [f64::from(body.linear.x), f64::from(body.linear.y)]);
        sum[0] += m * v[0];
        sum[1] += m * v[1];
        let spin = f64::from(body.inertia) * f64::from(body.angular);
        sum[2] += spin + m * (body.center.x * v[1] - body.center.y * v[0]);
    }
    sum
}

/// A heap of discs, squares and capsules that fly into each other keeps its momentum, linear and angular (S4-27).
#[test]
fn collisions_conserve_momentum() {
    let mut world = world(0.0, 0.5, 0.3);
    let capsule = || {
        let shape = PlanarShape::capsule(Vector2::new(-0.3, 0.0), Vector2::new(0.3, 0.0), 0.2);
        PlanarColliderSpec::new(shape.expect("valid"))
    };
    for k in 0..24_u32 {
        let w = std::f64::consts::TAU * f64::from(k) / 24.0;
        let r = 4.0 + f64::from(k % 3) * 1.2;
        let collider = [ball(0.4), cuboid(0.4, 0.3), capsule()][k as usize % 3].clone();
        let to_center = Vector2::new((-3.0 * w.cos()) as f32, (-3.0 * w.sin()) as f32);
        let spec = PlanarBodySpec::dynamic()
            .pose(PlanarPose::new(r * w.cos(), r * w.sin(), w))
            .velocity(to_center, 1.0);
        world.add_body(spec.collider(collider)).expect("valid");
    }
    let before = momentum(&world);
    let mut touched = 0;
    for _ in 0..240 {
        touched += world.step(1.0 / 60.0).expect("valid").contacts;
    }
    let after = momentum(&world);
    let scale: f64 = world.bodies().map(|b| 3.0 * f64::from(b.mass)).sum();
    assert!(touched > 100, "they met");
    for k in 0..2 {
        assert!((after[k] - before[k]).abs() < 1e-5 * scale, "{before:?} {after:?}");
    }
    // The turning of arms within a step is left out: the third component holds to a step's share only.
    assert!((after[2] - before[2]).abs() < 1e-2 * scale, "{before:?} {after:?}");
}

/// Bodies in a closed box never gain energy in a step, whatever they give back, but for the rounding of their velocities; and
/// what gives nothing back loses it.
#[test]
fn energy_never_grows_in_a_closed_box() {
    for (name, restitution, friction) in [
        ("circles:200", 0.0, 0.0),
        ("polygons:300", 0.0, 0.3),
        ("polygons:300", 0.5, 0.5),
        ("circles:400", 1.0, 0.0),
        ("polygons:400", 1.0, 0.0),
    ] {
        let mut scene = planar_scene(name).expect("known");
        let material = &mut scene.material;
        (material.restitution, material.static_friction, material.kinetic_friction) =
            (restitution, friction, friction);
        let mut config = PlanarConfig::default();
        config.sleeping.enabled = false;
        let mut world = scene.build(config, Exec::serial()).expect("valid");
        let first = world.kinetic_energy();
        let (mut last, mut limited) = (first, 0);
        for step in 1..=600 {
            limited += world.step(1.0 / 60.0).expect("valid").limited_islands;
            let now = world.kinetic_energy();
            assert!(now <= last * (1.0 + 1e-6), "{name}, step {step}: {last} J -> {now} J");
            last = now;
        }
        assert!(limited > 0, "{name}: the bound was never needed");
        let most = if restitution < 1.0 { 0.5 } else { 1.0 };
        assert!(last < most * first, "{name}: {first} J -> {last} J");
    }
}

fn drift(world: &PlanarWorld, before: &[Position2]) -> f64 {
    world.bodies().zip(before).map(|(b, p)| (b.center - p).norm()).fold(0.0, f64::max)
}

/// Fifty squares set up askew and a pyramid of thirty rows stand a minute, with sleep off, within a millimetre.
#[test]
fn tall_piles_stand_a_minute_without_sleep() {
    for name in ["planar_column:50", "planar_pyramid:30"] {
        let mut config = PlanarConfig::default();
        config.sleeping.enabled = false;
        let mut world = planar_scene(name).expect("known").build(config, Exec::serial()).expect("valid");
        let before: Vec<Position2> = world.bodies().map(|b| b.center).collect();
        run(&mut world, 60.0, 60.0);
        let moved = drift(&world, &before);
        assert!(moved < 1e-3, "{name}: {moved} m");
    }
}

/// A box on two others, of which one is pushed in: depths are shared by the inverse masses (S4-26), and taken back
/// without a velocity.
#[test]
fn overlap_is_parted_by_inverse_masses_without_velocity() {
    let mut world = world(0.0, 0.0, 0.0);
    let (light, heavy) = (add(&mut world, 0.0, 0.0, ball(0.5)), add(&mut world, 1.4, 0.0, ball(1.0)));
    run(&mut world, 60.0, 1.0);
    let x = |b| world.pose(b).expect("there").translation.x;
    let (moved_light, moved_heavy) = (-x(light), x(heavy) - 1.4);
    assert!((moved_light / moved_heavy - 4.0).abs() < 1e-2, "{moved_light} m and {moved_heavy} m");
    assert!((moved_light + moved_heavy - 0.1).abs() < 1e-3 && world.kinetic_energy() == 0.0);
}

/// A disc rolls down an incline with two thirds of the acceleration of one that slides: its moment is `m r² / 2`.
#[test]
fn a_disc_rolls_by_its_moment_of_inertia() {
    let angle = 0.3_f64;
    let mut world = world(9.81, 0.8, 0.0);
    let incline =
        PlanarBodySpec::fixed().pose(PlanarPose::new(0.0, 0.0, -angle)).collider(cuboid(100.0, 1.0));
    world.add_body(incline).expect("valid");
    let start = [1.5 * angle.sin(), 1.5 * angle.cos()];
    let body = add(&mut world, start[0], start[1], ball(0.5));
    run(&mut world, 240.0, 1.0);
    let at = world.pose(body).expect("there").translation;
    let way = (at.x - start[0]).hypot(at.y - start[1]);
    let acceleration = 2.0 / 3.0 * 9.81 * angle.sin();
    assert!((way - 0.5 * acceleration).abs() < acceleration / 960.0 + 1e-3, "{way} m");
}

/// Rolling friction of coefficient `c` (m) slows a disc that rolls without sliding by `c g / (1.5 r)`, and holds it on a slope
/// of a tangent below `c / r`.
#[test]
fn rolling_friction_slows_by_the_formula_and_holds() {
    let (coefficient, radius) = (0.02_f32, 0.5_f32);
    let rolling = |world: &mut PlanarWorld| {
        let pair = PairMaterial {
            restitution: 0.0,
            static_friction: 0.8,
            kinetic_friction: 0.8,
            rolling_friction: coefficient,
        };
        world.materials_mut().set_all_pairs(pair).expect("in range");
    };
    let mut flat = world(9.81, 0.8, 0.0);
    rolling(&mut flat);
    add_floor(&mut flat);
    let spec =
        PlanarBodySpec::dynamic().pose(PlanarPose::at(0.0, 0.5)).velocity(Vector2::new(2.0, 0.0), -4.0);
    let disc = flat.add_body(spec.collider(ball(radius))).expect("valid");
    run(&mut flat, 240.0, 1.0);
    let (speed, wanted) =
        (flat.velocity(disc).expect("there").0.x, 2.0 - coefficient * 9.81 / (1.5 * radius));
    // The first step has to press the disc down.
    assert!((speed - wanted).abs() < 5e-3, "{speed} m/s, formula {wanted} m/s");
    for (tangent, rolls) in [(0.03_f64, false), (0.06, true)] {
        let angle = tangent.atan();
        let mut slope = world(9.81, 0.8, 0.0);
        rolling(&mut slope);
        let floor =
            PlanarBodySpec::fixed().pose(PlanarPose::new(0.0, 0.0, -angle)).collider(cuboid(100.0, 1.0));
        slope.add_body(floor).expect("valid");
        let start = [1.5 * angle.sin(), 1.5 * angle.cos()];
        let disc = add(&mut slope, start[0], start[1], ball(radius));
        run(&mut slope, 240.0, 2.0);
        let way = slope.pose(disc).expect("there").translation.x - start[0];
        assert_eq!(way > 0.05, rolls, "tangent {tangent}: {way} m");
        assert!(rolls || way.abs() < 1e-3, "tangent {tangent}: {way} m");
    }
}

/// A belt takes along what lies on it, with kinetic friction until it has the belt's speed, and keeps it awake.
#[test]
fn a_belt_takes_along_what_lies_on_it() {
    let config = PlanarConfig::default();
    let mut world = world_of(config, 0.5, 0.0);
    let belt = PlanarBodySpec::fixed()
        .pose(PlanarPose::at(0.0, -1.0))
        .collider(cuboid(100.0, 1.0).surface_speed(-2.0));
    let belt = world.add_body(belt).expect("valid");
    let rider = add(&mut world, 0.0, 0.5, cuboid(0.5, 0.5));
    run(&mut world, 240.0, 0.2);
    let speed = world.velocity(rider).expect("there").0.x;
    assert!((speed - 0.5 * 9.81 * 0.2).abs() < 0.03, "{speed} m/s while it slides");
    run(&mut world, 240.0, 2.8);
    let speed = world.velocity(rider).expect("there").0.x;
    // The upper side of what runs against the clock runs to the left; this one runs the other way.
    assert!((speed - 2.0).abs() < 1e-3 && !world.body(rider).expect("there").is_asleep, "{speed} m/s");
    let collider = world.colliders_of(belt).expect("there").next().expect("it has one");
    world.set_surface_speed(collider, 0.0).expect("there");
    run(&mut world, 240.0, 2.0);
    assert!(world.body(rider).expect("there").is_asleep, "it stops with the belt");
    world.set_surface_speed(collider, 1.0).expect("there");
    assert!(!world.body(rider).expect("there").is_asleep, "it wakes when the belt runs");
}

/// A beam on a pivot turns about it and stays there to the bit; what may not turn does not.
#[test]
fn locked_bodies_turn_or_move_alone() {
    let mut world = world(9.81, 0.5, 0.0);
    add_floor(&mut world);
    let pivot = PlanarLocks { translation: true, rotation: false };
    let beam =
        PlanarBodySpec::dynamic().pose(PlanarPose::at(0.0, 3.0)).locks(pivot).collider(cuboid(2.0, 0.1));
    let beam = world.add_body(beam).expect("valid");
    let upright = PlanarLocks { translation: false, rotation: true };
    let stiff =
        PlanarBodySpec::dynamic().pose(PlanarPose::at(1.5, 5.0)).locks(upright).collider(cuboid(0.3, 0.3));
    let stiff = world.add_body(stiff).expect("valid");
    // A disc on its axis presses a pivot where nothing gives way.
    let wheel = PlanarBodySpec::dynamic().pose(PlanarPose::at(-10.0, 0.45)).locks(pivot).collider(ball(0.5));
    let wheel = world.add_body(wheel).expect("valid");
    let mut most = 0.0_f64;
    for _ in 0..240 {
        world.step(1.0 / 60.0).expect("valid");
        assert_eq!(world.pose(beam).expect("there").translation, Position2::new(0.0, 3.0));
        assert_eq!(world.pose(wheel).expect("there").translation, Position2::new(-10.0, 0.45));
        assert_eq!(world.pose(stiff).expect("there").turn, Turn::IDENTITY);
        most = most.max(world.pose(beam).expect("there").turn.angle().abs());
    }
    assert!(most > 0.3, "the beam was struck: {most} rad");
    assert!(world.pose(stiff).expect("there").translation.y < 1.0, "it slid off");
    assert!(world.report().quarantined.is_empty());
    assert_eq!(world.bodies().filter(|b| b.is_quarantined).count(), 0);
}
