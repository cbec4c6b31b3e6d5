//! The plain way through one tie after the other is the reference of the lanes.

use super::super::trial::{Trial, agree};
use super::*;
use drystone_contact::{AxisDrive, ConstraintAxis, JointConstraint};
use drystone_math::Real;

struct Place<'a, 'c>(Trial<'a, 'c>);

impl Kernel for Place<'_, '_> {
    type Output = u8;

    fn run<L: Lanes>(self, lanes: L) -> u8 {
        // SAFETY: nobody else is at work.
        unsafe { place(lanes, self.0.block, self.0.hot, self.0.h, false) }
    }
}

/// The lane whose body has turned too far.
const TURNED: u8 = 1 << 3;
const SPRING: AxisDrive = AxisDrive {
    target: 0.2,
    speed: 0.5,
    stiffness: 40.0,
    damping: 3.0,
    force: 0.7,
    most: 5.0,
    friction: 0.1,
};
const MOTOR: AxisDrive = AxisDrive { stiffness: 0.0, damping: Real::INFINITY, ..SPRING };

fn lock(tie: &mut JointConstraint, axes: impl IntoIterator<Item = usize>) {
    axes.into_iter().for_each(|axis| tie.axes[axis] = ConstraintAxis::LOCKED);
}

/// A kind of joint per lane.
fn all_kinds(k: u32, tie: &mut JointConstraint) {
    match k {
        // Hinges with limits that are met, and with a motor.
        0 | 4 => {
            lock(tie, [0, 1, 2, 4, 5]);
            tie.axes[3] = ConstraintAxis::between(-0.1, 0.1);
            tie.axes[3].drive = if k == 0 { MOTOR } else { SPRING };
        }
        // Cones with friction of all turns.
        1 | 5 => {
            lock(tie, 0..3);
            tie.cone = 0.3;
            tie.axes[3] = ConstraintAxis::between(-0.2, 0.5);
            (3..6).for_each(|axis| tie.axes[axis].drive.friction = 0.4);
        }
        // A slider with a spring, at a turn of its own.
        2 => {
            lock(tie, 1..6);
            (tie.axes[4].lower, tie.axes[4].upper) = (0.05, 0.05);
            tie.axes[0] = ConstraintAxis::between(-0.01, 0.3);
            tie.axes[0].drive = SPRING;
        }
        // What is free but for a plane, what is fixed, and a ball.
        3 => lock(tie, [1]),
        6 => lock(tie, 0..6),
        _ => lock(tie, 0..3),
    }
}

/// The plain way through one tie after the other is the reference, to rounding; what is left is left alone.
#[test]
fn eight_of_all_kinds_do_what_one_does() {
    agree(all_kinds, |block| assert_eq!(block.framed, u8::MAX), |isa, trial| isa.run(Place(trial)), TURNED);
}

/// Locks and targets of the twist that are more than half a revolution away one way around, and less the other way; between
/// limits, where there is one way; and of hinges that are some revolutions on.
#[test]
fn eight_that_go_around_do_what_one_does() {
    agree(
        |k, tie| {
            // A swing with limits: the twist of the others is counted.
            lock(tie, [0, 1, 2, 4]);
            tie.axes[5] = if k < 4 { ConstraintAxis::LOCKED } else { ConstraintAxis::between(-0.5, 0.5) };
            let far = if k.is_multiple_of(2) { 3.1 } else { -3.1 };
            match k {
                0..2 => (tie.axes[3].lower, tie.axes[3].upper) = (far, far),
                2..4 => {
                    (tie.memory.twist, tie.memory.turns) = (far, 4);
                    tie.axes[3] = ConstraintAxis::between(20.0, 30.0);
                    tie.axes[3].drive = AxisDrive { target: 25.0, ..SPRING };
                }
                4..6 => tie.axes[3].drive = AxisDrive { target: far, ..SPRING },
                _ => {
                    tie.axes[3] = ConstraintAxis::between(-3.1, 3.1);
                    tie.axes[3].drive = AxisDrive { target: far, ..SPRING };
                }
            }
        },
        |block| assert_eq!(block.framed, u8::MAX),
        |isa, trial| isa.run(Place(trial)),
        TURNED,
    );
}

/// Ball joints alone, which need no frames.
#[test]
fn eight_balls_do_what_one_does() {
    agree(
        |_, tie| lock(tie, 0..3),
        |block| assert_eq!(block.plain, u8::MAX),
        |isa, trial| isa.run(Place(trial)),
        TURNED,
    );
}

/// Hinges alone, whose places have an inverse in any axes.
#[test]
fn eight_hinges_do_what_one_does() {
    agree(
        |_, tie| all_kinds(0, tie),
        |block| assert_eq!(block.parts, [false, true]),
        |isa, trial| isa.run(Place(trial)),
        TURNED,
    );
}

/// A locked distance is left to the plain way.
#[test]
fn a_distance_is_left() {
    agree(
        |k, tie| {
            all_kinds(k, tie);
            if k == 3 || k == 5 {
                tie.axes[SPAN] = ConstraintAxis { lower: 0.4, upper: 0.4, ..ConstraintAxis::FREE };
            }
        },
        |block| assert_eq!(block.framed, !(1 << 3 | 1 << 5)),
        |isa, trial| isa.run(Place(trial)),
        TURNED | 1 << 5,
    );
}
