//! Bad input is refused with its value and changes nothing; a broken state is taken out and named.

use super::*;

#[test]
fn shapes_refuse_bad_input_with_its_value() {
    let message = |r: Result<PlanarShape, PlanarError>| r.expect_err("refused").to_string();
    assert!(message(PlanarShape::circle(-1.0)).contains("-1"));
    assert!(message(PlanarShape::circle(f32::NAN)).contains("NaN"));
    assert!(message(PlanarShape::cuboid(1.0, 0.0)).contains("half_y must be in (0, 1e6] m, got 0"));
    let line = [0.0, 1.0, 2.0].map(|x| Vector2::new(x, x));
    assert!(message(PlanarShape::polygon(&line)).contains("three points that are not on a line, got 3"));
    let circle: Vec<Vector2> =
        (0..40).map(|k| Turn::new(f64::from(k) * 0.157).apply(&Vector2::new(1.0, 0.0))).collect();
    assert!(message(PlanarShape::polygon(&circle)).contains("at most 16 corners, got 40"));
    assert!(PlanarShape::polygon(&[Vector2::new(f32::INFINITY, 0.0)]).is_err());
    assert!(PlanarShape::capsule(Vector2::zeros(), Vector2::zeros(), 1.0).is_err());
    assert!(PlanarShape::segment(Vector2::zeros(), Vector2::new(f32::NAN, 0.0)).is_err());
}

#[test]
fn a_refused_request_changes_nothing() {
    let mut world = world(9.81, 0.5, 0.0);
    let body = add(&mut world, 0.0, 1.0, ball(0.5));
    let hash = world.state_hash();
    let nan = f32::NAN;
    assert!(world.step(nan).is_err() && world.step(0.0).is_err() && world.step(2.0).is_err());
    assert!(world.set_velocity(body, Vector2::new(nan, 0.0), 0.0).is_err());
    assert!(world.set_pose(body, PlanarPose::at(f64::NAN, 0.0)).is_err());
    assert!(world.add_force(body, Vector2::new(f32::INFINITY, 0.0), 0.0).is_err());
    assert!(world.add_impulse(body, Vector2::zeros(), nan).is_err());
    assert!(world.set_gravity(Vector2::new(0.0, nan)).is_err());
    assert!(world.set_damping(body, -1.0, 0.0).is_err());
    assert!(world.add_body(PlanarBodySpec::dynamic()).is_err(), "no mass");
    let segment = PlanarShape::segment(Vector2::zeros(), Vector2::x()).expect("valid");
    let moving = PlanarBodySpec::dynamic().collider(PlanarColliderSpec::new(segment));
    assert!(world.add_body(moving).expect_err("refused").to_string().contains("Segment"));
    let stranger = PlanarColliderSpec::new(PlanarShape::circle(1.0).expect("valid")).material(MaterialId(99));
    assert!(world.add_body(PlanarBodySpec::dynamic().collider(stranger)).is_err());
    assert_eq!((world.state_hash(), world.body_count()), (hash, 1));
    world.remove_body(body).expect("there");
    assert!(world.pose(body).is_err() && world.remove_body(body).is_err(), "stale handles are refused");
    let config = PlanarConfig { sub_steps: 0, ..PlanarConfig::default() };
    assert!(
        PlanarWorld::new(config)
            .expect_err("refused")
            .to_string()
            .contains("sub_steps must be in 1 to 64, got 0")
    );
}

#[test]
fn a_body_whose_state_is_not_finite_is_taken_out_and_the_rest_goes_on() {
    let mut world = world(9.81, 0.5, 0.0);
    add_floor(&mut world);
    let (bad, above) =
        (add(&mut world, 0.0, 0.5, cuboid(0.5, 0.5)), add(&mut world, 0.0, 1.5, cuboid(0.5, 0.5)));
    run(&mut world, 60.0, 0.5);
    world.set_velocity(bad, Vector2::new(f32::MAX, 0.0), f32::MAX).expect("finite");
    assert_eq!(world.step(1.0 / 60.0).expect("goes on").quarantined, [bad]);
    assert!(world.body(bad).expect("there").is_quarantined);
    assert!(matches!(world.set_velocity(bad, Vector2::zeros(), 0.0), Err(PlanarError::Quarantined(_))));
    run(&mut world, 60.0, 2.0);
    let y = world.pose(above).expect("there").translation.y;
    assert!((y - 0.5).abs() < 0.01, "what stood on it lies on the floor: {y} m");
    world.remove_body(bad).expect("there");
}

/// What is taken out stays where it last was; a turn of a whole step of hundreds of radians is none of that.
#[test]
fn what_is_taken_out_stays_where_it_was() {
    let mut world = world(0.0, 0.5, 0.0);
    let spec = PlanarBodySpec::dynamic().pose(PlanarPose::at(3.0, 4.0));
    // A turn by which the series of the tangent had a pole.
    let spin = 404.771_55_f32;
    let fast = spec.clone().velocity(Vector2::zeros(), spin).collider(cuboid(0.5, 0.5));
    let fast = world.add_body(fast).expect("valid");
    assert!(world.step(1.0).expect("valid").quarantined.is_empty());
    let pose = world.pose(fast).expect("there");
    let wanted = Turn::new(f64::from(spin));
    assert_eq!(pose.translation, Position2::new(3.0, 4.0));
    assert!((pose.turn.cos - wanted.cos).abs() + (pose.turn.sin - wanted.sin).abs() < 1e-5, "{pose:?}");
    world.remove_body(fast).expect("there");
    let lost = world.add_body(spec.collider(cuboid(0.5, 0.5))).expect("valid");
    world.set_gravity(Vector2::new(0.0, -1e30)).expect("finite");
    assert_eq!(world.step(1.0 / 60.0).expect("goes on").quarantined, [lost]);
    assert_eq!(world.pose(lost).expect("there"), PlanarPose::at(3.0, 4.0));
}

/// Turns within a thousandth of unit length are taken for what they mean, and turns of unit length as they are.
#[test]
fn poses_have_turns_of_unit_length() {
    let mut world = world(9.81, 0.5, 0.0);
    let place = |turn| PlanarPose { translation: Position2::new(0.0, -1.0), turn };
    let long = Turn { cos: 1.0009, sin: 0.0 };
    let floor = PlanarBodySpec::fixed().pose(place(long)).collider(cuboid(1.0, 1.0));
    let floor = world.add_body(floor).expect("within 1e-3");
    assert_eq!(world.pose(floor).expect("there"), place(Turn::IDENTITY));
    for k in 0..100 {
        let turn = Turn::new(0.37 * f64::from(k));
        world.set_pose(floor, place(turn)).expect("there");
        assert_eq!(world.pose(floor).expect("there").turn, turn);
    }
    world.set_pose(floor, place(Turn { cos: 0.0, sin: -0.9991 })).expect("within 1e-3");
    assert_eq!(world.pose(floor).expect("there").turn, Turn { cos: 0.0, sin: -1.0 });
    assert!(world.set_pose(floor, place(Turn { cos: 1.01, sin: 0.0 })).is_err());
}

/// A hull has the corners of its points wherever they are, whatever sign a zero has; points on edges are dropped.
#[test]
fn hulls_have_their_corners_wherever_they_are() {
    let hull = |points: &[(f32, f32)]| {
        let points: Vec<Vector2> = points.iter().map(|&(x, y)| Vector2::new(x, y)).collect();
        PlanarShape::polygon(&points).expect("it has an area").corners().to_vec()
    };
    let triangle = [(0.0, 0.0), (1.0, 1.0), (0.0, 2.0)].map(|(x, y)| Vector2::new(x, y));
    for points in
        [[(-0.0, 1.0), (0.0, 0.0), (0.0, 2.0), (1.0, 1.0)], [(-0.0, 2.0), (0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]]
    {
        assert_eq!(hull(&points), triangle, "{points:?}");
    }
    let square = [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5)].map(|(x, y)| (1e5 + x, y));
    assert_eq!(hull(&square).len(), 4);
    let bevelled = [(1000.0, 0.0), (1000.99, 0.0), (1001.0, 0.01), (1001.0, 1.0), (1000.0, 1.0)];
    assert_eq!(hull(&bevelled).len(), 5);
    // Points on a slanted edge a kilometre away are off it by what they are rounded to.
    let mut edge: Vec<(f32, f32)> =
        (0..=40_u8).map(|k| (1000.0 + 0.03 * f32::from(k), 0.01 * f32::from(k))).collect();
    edge.push((1000.0, 1.0));
    assert_eq!(hull(&edge).len(), 3);
}

/// Piles of hundreds on one kinematic and one dynamic body: more contacts than there are colours.
#[test]
fn a_body_with_more_contacts_than_colours_is_solved() {
    let mut world = world(9.81, 0.5, 0.0);
    add_floor(&mut world);
    let plank = add(&mut world, 0.0, 0.5, cuboid(50.0, 0.5));
    let balls: Vec<BodyHandle> =
        (0..90).map(|k| add(&mut world, f64::from(k) - 45.0, 1.5, ball(0.45))).collect();
    run(&mut world, 60.0, 2.0);
    assert!(world.report().uncoloured > 0, "{:?}", world.report());
    assert!((world.pose(plank).expect("there").translation.y - 0.5).abs() < 1e-3);
    for body in balls {
        let y = world.pose(body).expect("there").translation.y;
        assert!((y - 1.45).abs() < 1e-3, "{y} m");
    }
}
