//! Which chains of degrees of freedom are one joint of the engine, and which one.
//!
//! A joint of six coordinates moves its second body along the axes of a frame of the first one, and turns it then by a swing of the x axis and a twist about it
//! (`crates/contact/src/tie/mod.rs`). So slides come first, along axes that are square to each other, then turns about axes that meet; or, seen from the
//! other body, turns first. One turn is the twist; three are its limits as far as these stay near 0 (see [`CORNER`]); two are a twist and a swing where the swing
//! is small (see [`NARROW`]).

use super::dof::{Dof, Motion};
use crate::import::convert::within_half_a_turn;
use crate::import::xml::LeftOut;
use crate::model::{JointAxisEntry, JointAxisSpec, JointEntry, JointKindSpec};
use drystone::math::{Displacement, Real, Vector3, narrow};

/// How far the axes of turns may miss the point that they are about, m: numbers of files are rounded.
const MEETING: Real = 1e-4;
/// Sine or cosine of the angle by which axes may miss what they are to be, parallel or square to each other.
const SQUARE: Real = 2e-3;
/// Widest swing, rad, where another one is locked: the engine locks along an axis of the first body, which is off by the angle of the swing.
const NARROW: Real = 0.35;
/// Farthest that limits by twist and swing may be from those of three turns one after the other, rad. To the second order that is half of the product of the two
/// turns that become the swing, at the corner where both are at their ends.
const CORNER: Real = 0.35;
/// Widest swing with limits, rad: at half a turn it has no direction.
const WIDEST: Real = 2.4;

const PLACES: [JointAxisSpec; 3] = [JointAxisSpec::X, JointAxisSpec::Y, JointAxisSpec::Z];
const TURNS: [JointAxisSpec; 3] = [JointAxisSpec::Twist, JointAxisSpec::SwingY, JointAxisSpec::SwingZ];

/// A joint without names of bodies.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fit {
    pub entry: JointEntry,
    /// Its first body is the one at the end of the chain.
    pub is_reversed: bool,
}

/// The joint that does what the chain does, from the parent on; `None` where there is none.
pub(super) fn fit(chain: &[Dof]) -> Option<Fit> {
    let straight = |entry| Fit { entry, is_reversed: false };
    if let [only] = chain {
        return Some(straight(single(only)));
    }
    let reversed: Vec<Dof> = chain.iter().rev().map(Dof::turned_round).collect();
    let back = || generic(&reversed).map(|entry| Fit { entry, is_reversed: true });
    generic(chain).map(straight).or_else(back)
}

/// A joint that leaves all free and has the servos of a chain that is one joint; `None` without servos. It is where that joint is, seen from the same end.
pub(super) fn servos(chain: &[Dof]) -> Option<Fit> {
    if chain.iter().all(|dof| dof.servo.is_none()) {
        return None;
    }
    // Limits stay until the joint is found, since they decide which one it is.
    let driven = |dof: Dof| Dof { motor: dof.servo, friction: None, ..dof };
    let chain = bounded(chain, &mut LeftOut::default());
    let Fit { entry, is_reversed } = fit(&chain.into_iter().map(driven).collect::<Vec<_>>())?;
    let main = match entry.kind {
        JointKindSpec::Slider => JointAxisSpec::X,
        _ => JointAxisSpec::Twist,
    };
    let motor = |axis: JointAxisSpec| match entry.axes.iter().find(|own| own.axis == axis) {
        Some(own) => own.motor,
        None => entry.motor.filter(|_| axis == main),
    };
    let axes =
        PLACES.into_iter().chain(TURNS).map(|axis| JointAxisEntry { motor: motor(axis), ..free(axis) });
    let free = JointEntry::new(JointKindSpec::Generic, "", "", entry.at);
    let entry = JointEntry { axis: entry.axis, across: entry.across, axes: axes.collect(), ..free };
    Some(Fit { entry, is_reversed })
}

/// The longest beginning of a chain that is one joint, of at most `most` degrees of freedom, and how long that is. What goes with others is a joint by itself, whose
/// coordinate is counted over revolutions.
pub(super) fn longest(chain: &[Dof], most: usize) -> Option<(Fit, usize)> {
    let alone = chain.iter().position(|dof| dof.number.is_some());
    let most = alone.map_or(chain.len(), |first| first.max(1)).min(most);
    (1..=most).rev().find_map(|count| {
        let piece = bounded(&chain[..count], &mut LeftOut::default());
        Some((fit(&piece)?, count))
    })
}

/// Degrees of freedom as a joint of all of them can have them: revolutions are counted of a joint's only turn, where no servo is beside it that leaves all free.
pub(super) fn bounded(piece: &[Dof], left_out: &mut LeftOut) -> Vec<Dof> {
    let turns = piece.iter().filter(|dof| dof.motion == Motion::Turn).count();
    if turns < 2 && piece.iter().all(|dof| dof.servo.is_none()) {
        return piece.to_vec();
    }
    piece.iter().map(|dof| within_half_a_turn(dof.clone(), left_out)).collect()
}

fn single(dof: &Dof) -> JointEntry {
    let kind = match dof.motion {
        Motion::Turn => JointKindSpec::Hinge,
        Motion::Slide => JointKindSpec::Slider,
        Motion::Ball => JointKindSpec::Ball,
    };
    let mut entry = JointEntry::new(kind, "", "", dof.at.coords.into());
    entry.friction = dof.friction;
    if dof.motion == Motion::Ball {
        entry.cone = dof.upper;
        entry.axes = ball(dof);
        return entry;
    }
    entry.axis = Some(dof.axis.into());
    (entry.lower, entry.upper, entry.motor) = (dof.lower, dof.upper, dof.motor);
    entry
}

/// What a ball says of its three turns, as far as it says anything.
fn ball(dof: &Dof) -> Vec<JointAxisEntry> {
    let limit = |axis| dof.upper.filter(|_| axis == JointAxisSpec::Twist);
    let all = TURNS.map(|axis| JointAxisEntry {
        axis,
        lower: limit(axis).map(|limit| -limit),
        upper: limit(axis),
        motor: dof.motor,
        friction: None,
    });
    all.into_iter().filter(|own| own.motor.is_some() || own.upper.is_some()).collect()
}

/// The joint of six coordinates for slides and the turns after them.
fn generic(chain: &[Dof]) -> Option<JointEntry> {
    let slide_count = chain.iter().take_while(|dof| dof.motion == Motion::Slide).count();
    let (slides, turns) = chain.split_at(slide_count);
    let is_ball = matches!(turns, [only] if only.motion == Motion::Ball);
    if !is_ball && turns.iter().any(|dof| dof.motion != Motion::Turn) {
        return None;
    }
    let turning = if is_ball { &[] } else { turns };
    let (slid, turned) = (axes_of(slides), axes_of(turning));
    if !are_square(&slid) || !are_square(&turned) || !are_near(turning) {
        return None;
    }
    let frame = frame(&slid, &turned)?;
    let at = match turns {
        [_, _, ..] => meeting(turns)?,
        [only] => only.at.coords,
        [] => slides.first()?.at.coords,
    };
    let mut entry = JointEntry::new(JointKindSpec::Generic, "", "", at.into());
    (entry.axis, entry.across) = (Some(frame[0].into()), Some(frame[1].into()));
    for (dofs, names) in [(slides, PLACES), (turning, TURNS)] {
        for dof in dofs {
            entry.axes.push(coordinate(dof, &frame, names)?);
        }
    }
    if is_ball {
        // Free as a whole, so each by itself.
        let said = ball(&turns[0]);
        let friction = turns[0].friction;
        entry.axes.extend(TURNS.map(|axis| JointAxisEntry { friction, ..said_of(&said, axis) }));
    }
    if slides.is_empty() && turning.len() == 3 && turning.iter().all(Dof::is_unbound) {
        entry.kind = JointKindSpec::Ball;
        entry.axes.retain(|own| own.motor.is_some() || own.friction.is_some());
    }
    Some(entry)
}

fn said_of(said: &[JointAxisEntry], axis: JointAxisSpec) -> JointAxisEntry {
    said.iter().find(|own| own.axis == axis).copied().unwrap_or(free(axis))
}

/// A coordinate of which nothing is said.
fn free(axis: JointAxisSpec) -> JointAxisEntry {
    JointAxisEntry { axis, lower: None, upper: None, motor: None, friction: None }
}

fn axes_of(dofs: &[Dof]) -> Vec<Vector3> {
    dofs.iter().map(|dof| dof.axis).collect()
}

/// At most three directions, square to each other.
fn are_square(axes: &[Vector3]) -> bool {
    let pairs = |k: usize| axes[k + 1..].iter().all(|other| axes[k].dot(other).abs() <= SQUARE);
    axes.len() <= 3 && (0..axes.len()).all(pairs)
}

/// Whether twist and swing say of turns about square axes what they are one after the other.
fn are_near(turns: &[Dof]) -> bool {
    match turns {
        [first, _] => first.reach() <= NARROW,
        [first, second, last] => {
            let are_free = [first, second, last].iter().all(|turn| turn.is_unbound());
            let is_small = first.reach().max(second.reach()) <= WIDEST;
            are_free || is_small && 0.5 * first.reach() * second.reach() <= CORNER
        }
        _ => true,
    }
}

/// Axes of the frame of the joint: x is that of the last turn, which is the twist. `None` where slides are askew to it.
fn frame(slides: &[Vector3], turns: &[Vector3]) -> Option<[Vector3; 3]> {
    let x = *turns.last().or(slides.first())?;
    let others = turns.iter().rev().skip(1).rev().chain(slides);
    let is_square = |axis: &&Vector3| axis.dot(&x).abs() <= SQUARE;
    // Where all is along x any direction across will do.
    let across = others.clone().find(is_square).copied().unwrap_or_else(|| across(&x));
    let y = (across - x * x.dot(&across)).normalize();
    let frame = [x, y, x.cross(&y)];
    let is_along = |axis: &Vector3| frame.iter().any(|own| own.cross(axis).norm() <= 2.0 * SQUARE);
    slides.iter().chain(turns).all(is_along).then_some(frame)
}

/// A direction across another one.
fn across(x: &Vector3) -> Vector3 {
    let least = x.iamin();
    let mut axis = Vector3::zeros();
    axis[least] = 1.0;
    axis - x * x.dot(&axis)
}

/// What a degree of freedom says, as the coordinate of the frame that it is.
fn coordinate(dof: &Dof, frame: &[Vector3; 3], names: [JointAxisSpec; 3]) -> Option<JointAxisEntry> {
    let k = (0..3).find(|&k| frame[k].dot(&dof.axis).abs() > 0.5)?;
    let own = if frame[k].dot(&dof.axis) < 0.0 { dof.turned_round() } else { dof.clone() };
    Some(JointAxisEntry {
        axis: names[k],
        lower: own.lower,
        upper: own.upper,
        motor: own.motor,
        friction: own.friction,
    })
}

/// The point that the axes of turns have in common, m, world.
fn meeting(turns: &[Dof]) -> Option<Displacement> {
    let first = turns.first()?;
    let arm = |dof: &Dof| narrow(&(dof.at - first.at));
    let is_one = turns.iter().all(|dof| arm(dof).norm() <= MEETING);
    // Where the first axis comes nearest to the second one, which is square to it.
    let along = if is_one { 0.0 } else { arm(&turns[1]).dot(&first.axis) };
    let point = first.axis * along;
    let meets = |dof: &Dof| (point - arm(dof)).cross(&dof.axis).norm() <= MEETING;
    turns.iter().all(meets).then(|| first.at.coords + point.cast::<f64>())
}
