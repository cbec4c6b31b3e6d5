//! What carries a body: its locked axes in their directions (beside S1-41, S1-42), and what joints hold together as a whole.

mod common;

use common::{Rig, ball};
use drystone_contact::{
    AxisLocks, BodyDesc, BodyIndex, ConstraintAxis, EdgeIndex, JointConstraint, WakeCause,
};
use drystone_math::{Real, Rotation, Vector3};
use drystone_sleeping::{put_one_to_sleep, supports_of};

fn locked(translation: [bool; 3]) -> BodyDesc {
    BodyDesc { locks: AxisLocks { translation, ..AxisLocks::default() }, ..ball() }
}

fn put_to_sleep(rig: &mut Rig, body: BodyIndex) -> bool {
    put_one_to_sleep(&rig.config, &mut rig.bodies, &rig.graph, body, &rig.step)
}

/// A ball joint between two centres.
fn tie(rig: &mut Rig, a: BodyIndex, b: BodyIndex) -> EdgeIndex {
    let mut tie = JointConstraint::new([a, b], [Vector3::zeros(); 2], [Rotation::identity(); 2]);
    (0..3).for_each(|axis| tie.axes[axis] = ConstraintAxis::LOCKED);
    rig.graph.add_tie(&rig.bodies, tie).expect("of two bodies")
}

/// What cannot fall needs nothing below it: a bead on a level wire, or a wheel on its axle.
#[test]
fn what_locked_axes_hold_sleeps_with_nothing_below_it() {
    for translation in [[false, true, false], [true; 3]] {
        let mut rig = Rig::new();
        let body = rig.add(&locked(translation));
        rig.fall_asleep(body);
        rig.bodies.wake(body, WakeCause::User);
        assert!(put_to_sleep(&mut rig, body));
        let added = rig.add(&BodyDesc { is_asleep: true, ..locked(translation) });
        rig.graph.mark_changed(added);
        assert_eq!((rig.wake().floating, rig.bodies.is_asleep(added)), (0, true));
    }
    // Locked along another axis it falls as any other.
    let mut rig = Rig::new();
    let body = rig.add(&locked([true, false, true]));
    assert!(!put_to_sleep(&mut rig, body));
}

/// Gravity askew pulls a bead along its wire: what stands across the wire there carries it, what lies below the wire does not.
#[test]
fn along_a_wire_its_stop_carries() {
    let mut rig = Rig::new();
    rig.step.acceleration = Vector3::new(1.0, -9.0, 0.0);
    let (floor, stop, bead) = (rig.fixed(), rig.fixed(), rig.add(&locked([false, true, true])));
    rig.touch(floor, bead, Vector3::y(), 1, 0.0);
    assert_eq!(supports_of(&rig.config, &rig.bodies, &rig.graph, bead, &rig.step).carrying, 0);
    rig.touch(stop, bead, -Vector3::x(), 1, 0.0);
    assert_eq!(supports_of(&rig.config, &rig.bodies, &rig.graph, bead, &rig.step).carrying, 1);
}

/// A sleeper that its axle holds is in balance without any impulse, and one that its axle pushes down on what lies below it too.
#[test]
fn locked_axes_are_in_balance() {
    for impulse in [0.0, 3.0 as Real] {
        let mut rig = Rig::new();
        rig.config.max_imbalance = Some(0.2);
        let (floor, sleeper, ball) = (rig.fixed(), rig.add(&locked([true; 3])), rig.ball());
        let below = rig.touch(floor, sleeper, Vector3::y(), 1, 0.0);
        rig.graph.edges_mut()[below.get()].manifold.points_mut()[0].impulse = Vector3::y() * impulse;
        rig.fall_asleep(sleeper);
        rig.touch(floor, ball, Vector3::y(), 1, 0.0);
        rig.touch(sleeper, ball, Vector3::x(), 1, 0.0);
        rig.fall_asleep(ball);
        assert!(rig.bodies.is_asleep(sleeper), "{impulse} N·s from below");
        assert_eq!(rig.bodies.take_wakes().get(WakeCause::Unbalanced), 0);
    }
}

/// Two bodies on one joint in free fall hold each other and are held by nothing: neither is put to sleep, one after the other, nor do both fall asleep
/// where they turn round at the top, nor do they sleep on where they were added so.
#[test]
fn what_hangs_on_what_falls_does_not_sleep() {
    let mut rig = Rig::new();
    rig.config.averaging_time = 0.0;
    let (a, b) = (rig.ball(), rig.ball());
    tie(&mut rig, a, b);
    assert!(!put_to_sleep(&mut rig, a) && !put_to_sleep(&mut rig, b));
    assert_eq!(rig.sleep().fell_asleep, 0);

    let added = BodyDesc { is_asleep: true, ..ball() };
    let (c, d) = (rig.add(&added), rig.add(&added));
    tie(&mut rig, c, d);
    [c, d].into_iter().for_each(|body| rig.graph.mark_changed(body));
    assert_eq!((rig.wake().floating, rig.bodies.is_asleep(c), rig.bodies.is_asleep(d)), (2, false, false));
}

/// What one of them touches below itself, or hangs from, carries all; what they touch of each other carries none.
#[test]
fn what_carries_one_carries_what_joints_hold_to_it() {
    // On the ground, on a joint to what is fixed, on another body, on its own first one, without gravity.
    for (case, is_carried) in [true, true, true, false, true].into_iter().enumerate() {
        let mut rig = Rig::new();
        rig.config.averaging_time = 0.0;
        let fixed = rig.fixed();
        let other = rig.ball();
        let chain = [0; 4].map(|_| rig.ball());
        chain.windows(2).for_each(|pair| {
            tie(&mut rig, pair[0], pair[1]);
        });
        let last = chain[3];
        if case == 1 {
            tie(&mut rig, fixed, last);
        } else if case == 4 {
            rig.step.acceleration = Vector3::zeros();
        } else {
            let below = [fixed, fixed, other, chain[0]][case];
            rig.touch(below, last, Vector3::y(), 1, 0.0);
        }
        rig.sleep();
        let asleep = chain.map(|body| rig.bodies.is_asleep(body));
        assert_eq!(asleep, [is_carried; 4], "case {case}");
        chain.iter().for_each(|&body| rig.bodies.wake(body, WakeCause::User));
        assert_eq!(chain.map(|body| put_to_sleep(&mut rig, body)), [is_carried; 4], "case {case}");
        // Each of them is asked about.
        for body in chain {
            rig.bodies.put_to_sleep(body);
            rig.graph.mark_changed(body);
        }
        rig.wake();
        assert_eq!(chain.map(|body| rig.bodies.is_asleep(body)), [is_carried; 4], "case {case}");
    }
}
