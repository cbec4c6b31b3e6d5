//! What a specification becomes: frames on both bodies, what is held and what is free, and what is refused.

use drystone_contact::{
    Bodies, BodyDesc, BodyHandle, ConstraintAxis, ContactError, ContactGraph, JointConstraint,
};
use drystone_joint::{
    Anchor, CouplingSpec, JointAxis, JointError, JointKind, JointSpec, Joints, Motor, Softness,
};
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Position, Real, Rotation, Vector3, rotation_from_vector};

/// Three balls: two that move, turned anyhow, and one that is fixed.
fn world() -> (Bodies, ContactGraph, [BodyHandle; 3]) {
    let (mut bodies, mut graph) = (Bodies::default(), ContactGraph::default());
    let ball = MassProperties::sphere(0.1, 1000.0);
    let pose =
        |x: f64, turn: [Real; 3]| Pose::new(Position::new(x, 0.3, -0.2), rotation_from_vector(&turn.into()));
    let descs = [
        BodyDesc::dynamic(ball, 0.1).at(pose(0.0, [0.3, -0.8, 1.1])),
        BodyDesc::dynamic(ball, 0.1).at(pose(1.0, [-1.3, 0.2, 0.4])),
        BodyDesc::fixed().at(pose(2.0, [0.0, 0.5, 0.0])),
    ];
    let handles = descs.map(|desc| {
        let body = bodies.add(&desc).expect("room");
        graph.add_body(&bodies, bodies.index(body).expect("just added"));
        body
    });
    (bodies, graph, handles)
}

fn tie(joints: &Joints, graph: &ContactGraph, handle: drystone_contact::JointHandle) -> JointConstraint {
    *graph.tie(joints.get(handle).expect("it is there").edge()).expect("it has a tie")
}

#[test]
fn both_frames_agree_where_a_joint_is_made() {
    let (bodies, mut graph, [a, b, fixed]) = world();
    let mut joints = Joints::default();
    for kind in JointKind::ALL.into_iter().filter(|kind| !kind.couples_joints()) {
        for other in [b, fixed] {
            let spec = JointSpec::new(kind, a, other)
                .at(Position::new(0.4, -0.7, 0.2))
                .along(Vector3::new(1.0, -2.0, 0.5));
            let spec = match kind {
                JointKind::Distance => spec.limits(0.0, 1.0),
                JointKind::Screw => spec.pitch(0.1),
                _ => spec,
            };
            let handle = joints.add(&spec, &bodies, &mut graph).expect("a joint");
            let tie = tie(&joints, &graph, handle);
            let found = tie.coordinates(&bodies);
            assert!(found.values.iter().all(|value| value.abs() < 1e-6), "{kind:?}: {:?}", found.values);
            let axis = Vector3::new(1.0, -2.0, 0.5).normalize();
            assert!((found.axes[0] - axis).norm() < 1e-6, "{kind:?}: {:?}", found.axes);
            assert_eq!(tie.error(&bodies).map(|error| error < 1e-6), [true; 2], "{kind:?}");
        }
    }
}

#[test]
fn kinds_hold_what_their_names_say() {
    let (bodies, mut graph, [a, b, _]) = world();
    let mut joints = Joints::default();
    let mut held = |kind| {
        let spec = JointSpec::new(kind, a, b);
        let spec = if kind == JointKind::Screw { spec.pitch(0.1) } else { spec };
        let handle = joints.add(&spec, &bodies, &mut graph).expect("a joint");
        tie(&joints, &graph, handle).axes.map(|axis| axis.is_locked())
    };
    let (yes, no) = (true, false);
    assert_eq!(held(JointKind::Distance), [no, no, no, no, no, no, yes]);
    assert_eq!(held(JointKind::Ball), [yes, yes, yes, no, no, no, no]);
    assert_eq!(held(JointKind::Hinge), [yes, yes, yes, no, yes, yes, no]);
    assert_eq!(held(JointKind::Slider), [no, yes, yes, yes, yes, yes, no]);
    assert_eq!(held(JointKind::Fixed), [yes, yes, yes, yes, yes, yes, no]);
    assert_eq!(held(JointKind::ConeTwist), [yes, yes, yes, no, no, no, no]);
    assert_eq!(held(JointKind::Generic), [yes, yes, yes, yes, yes, yes, no]);
    assert_eq!(held(JointKind::Screw), [no, yes, yes, no, yes, yes, no]);
    assert_eq!(held(JointKind::Wheel), [yes, no, yes, no, yes, yes, no]);
    assert_eq!(held(JointKind::SoftWeld), [yes, yes, yes, yes, yes, yes, no]);
}

/// By stiffness as it is said, by frequency with the masses, and the moments about the axes, of both bodies against each other.
#[test]
fn soft_welds_are_free_where_they_are_soft() {
    let (bodies, mut graph, [a, b, fixed]) = world();
    let mut joints = Joints::default();
    let ball = MassProperties::sphere(0.1, 1000.0);
    let moment = 0.4 * ball.mass * 0.01;
    for (other, share) in [(b, 0.5), (fixed, 1.0)] {
        let softness = Softness::Frequency { frequency: 2.0, damping_ratio: 0.5 };
        let spec = JointSpec::soft_weld(a, other).angular_spring(softness);
        let spec = spec.linear_spring(Softness::Stiffness { stiffness: 30.0, damping: 4.0 });
        let handle = joints.add(&spec, &bodies, &mut graph).expect("a joint");
        let axes = tie(&joints, &graph, handle).axes;
        let rate = 4.0 * std::f32::consts::PI;
        for (axis, own) in axes.iter().enumerate().take(6) {
            let (stiffness, damping) =
                if axis < 3 { (30.0, 4.0) } else { (share * moment * rate * rate, share * moment * rate) };
            let drive = own.drive;
            assert!(!own.is_locked() && !own.is_limited(), "{axis}");
            assert!((drive.stiffness / stiffness - 1.0).abs() < 1e-4, "{axis}: {drive:?}, {stiffness}");
            assert!((drive.damping / damping - 1.0).abs() < 1e-4, "{axis}: {drive:?}, {damping}");
        }
    }
}

/// A coupling is between two bodies that move, where there are two, has no hold of its own, and gives both coordinates a row until it goes.
#[test]
fn couplings_join_islands_and_mark_coordinates() {
    let (bodies, mut graph, [a, b, fixed]) = world();
    let mut joints = Joints::default();
    // The second joint has the body that moves first.
    let hinge = joints.add(&JointSpec::hinge(fixed, a), &bodies, &mut graph).expect("a joint");
    let slider = joints.add(&JointSpec::slider(b, fixed), &bodies, &mut graph).expect("a joint");
    let rows = |graph: &ContactGraph, joints: &Joints| {
        [hinge, slider].map(|joint| tie(joints, graph, joint).holds().rows)
    };
    assert_eq!(rows(&graph, &joints), [0, 0]);
    let spec = CouplingSpec::rack_and_pinion(hinge, slider, 0.5);
    let rack = joints.add_coupling(&spec, &bodies, &mut graph).expect("a rack");
    assert_eq!(joints.get(rack).expect("it is there").bodies(), [a, b]);
    assert_eq!(graph.coupling_count(), 1);
    let own = tie(&joints, &graph, rack);
    assert_eq!((own.holds().rows, own.holds().locks), (0, 0));
    assert_eq!(rows(&graph, &joints), [1 << 3, 1 << 0]);
    graph.update_islands();
    let island = |body| graph.island_of(bodies.index(body).expect("it is there"));
    assert_eq!(island(a), island(b));
    let again = joints.add_coupling(&spec, &bodies, &mut graph).expect("another");
    assert_eq!(joints.coupling_of(hinge), Some(rack));
    joints.remove(rack, &bodies, &mut graph).expect("it is there");
    assert_eq!(rows(&graph, &joints), [1 << 3, 1 << 0], "the other one is about them as well");
    joints.remove(again, &bodies, &mut graph).expect("it is there");
    assert_eq!(rows(&graph, &joints), [0, 0]);
    assert_eq!((graph.coupling_count(), joints.coupling_of(slider)), (0, None));
}

#[test]
fn local_anchors_are_taken_as_they_are() {
    let (bodies, mut graph, [a, b, _]) = world();
    let mut joints = Joints::default();
    let axes = rotation_from_vector(&Vector3::new(0.1, 0.2, 0.3));
    let origin = [Vector3::new(0.1, 0.0, 0.0), Vector3::new(0.0, -0.2, 0.0)];
    let anchors = [
        Anchor::Local { origin: origin[0], axes },
        Anchor::Local { origin: origin[1], axes: Rotation::identity() },
    ];
    let handle = joints.add(&JointSpec::ball(a, b).anchored(anchors), &bodies, &mut graph).expect("a joint");
    let tie = tie(&joints, &graph, handle);
    assert_eq!((tie.anchors, tie.frames), (origin, [axes, Rotation::identity()]));
}

#[test]
fn what_is_changed_later_is_checked_and_kept_when_refused() {
    let (bodies, mut graph, [a, b, _]) = world();
    let mut joints = Joints::default();
    let spec = JointSpec::hinge(a, b).limits(-0.5, 0.5).friction(2.0);
    let handle = joints.add(&spec, &bodies, &mut graph).expect("a joint");
    let motor = Motor::Speed { speed: 3.0, most: 7.0 };
    joints.set_motor(handle, JointAxis::Twist, Some(motor), &mut graph).expect("it turns");
    let twist = tie(&joints, &graph, handle).axes[3];
    assert_eq!((twist.lower, twist.upper, twist.drive.friction, twist.drive.most), (-0.5, 0.5, 2.0, 7.0));
    let refused = joints.set_limits(handle, JointAxis::Twist, [1.0, 0.0], &mut graph);
    assert!(matches!(refused, Err(JointError::Contact(ContactError::OutOfRange { .. }))), "{refused:?}");
    let refused = joints.set_friction(handle, JointAxis::X, 1.0, &mut graph);
    assert_eq!(refused, Err(JointError::HasNo { kind: JointKind::Hinge, what: "friction there" }));
    assert_eq!(tie(&joints, &graph, handle).axes[3], twist, "nothing changed");
    joints.set_motor(handle, JointAxis::Twist, None, &mut graph).expect("it turns");
    assert_eq!(tie(&joints, &graph, handle).axes[3].drive.most, 0.0);
}

#[test]
fn a_place_that_is_freed_is_another_joint() {
    let (bodies, mut graph, [a, b, fixed]) = world();
    let mut joints = Joints::default();
    let first = joints
        .add(&JointSpec::ball(a, b).breaks_above(5.0, Real::INFINITY), &bodies, &mut graph)
        .expect("a joint");
    graph.update_islands();
    let island = |graph: &ContactGraph, body| graph.island_of(bodies.index(body).expect("it is there"));
    assert_eq!(island(&graph, a), island(&graph, b));
    let edge = joints.get(first).expect("it is there").edge();
    graph.change_tie(edge, |tie| tie.impulse = Vector3::x()).expect("it has a tie");
    assert_eq!(joints.first_broken(&bodies, &graph, 0.1), Some(first), "10 N");
    assert_eq!(joints.first_broken(&bodies, &graph, 0.5), None, "2 N");
    joints.remove(first, &bodies, &mut graph).expect("it is there");
    graph.update_islands();
    assert_ne!(island(&graph, a), island(&graph, b));
    assert_eq!((joints.count(), graph.tie_count(), joints.of_edge(edge)), (0, 0, None));
    let second = joints.add(&JointSpec::fixed(b, fixed), &bodies, &mut graph).expect("a joint");
    assert_ne!(first, second);
    assert_eq!(joints.get(first), Err(JointError::UnknownJoint(first)));
    assert_eq!(tie(&joints, &graph, second).impulse, Vector3::zeros(), "nothing is left of the first");
    assert_eq!(tie(&joints, &graph, second).axes[0], ConstraintAxis::LOCKED);
}
