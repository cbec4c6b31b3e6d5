//! Any linkage, by its seed: for property tests.

use super::case::{Case, Expectation};
use super::linkage::Blow;
use super::rods::GRAVITY;
use super::{Hold, Link, Linkage, RATES};
use crate::{Preset, Random};
use drystone::math::{Displacement, Position, Real};
use drystone::{JointAxis, JointKind, Motor};

/// Kinds of joints that are drawn: those of two bodies whose energy is known. A seed stays what it was as long as these do.
const KINDS: [JointKind; 7] = [
    JointKind::Distance,
    JointKind::Ball,
    JointKind::Hinge,
    JointKind::Slider,
    JointKind::Fixed,
    JointKind::ConeTwist,
    JointKind::Generic,
];
/// Most links.
const MOST_LINKS: usize = 12;
/// Simulated time, s.
const SECONDS: f64 = 2.0;
/// Least and greatest length, m; length over thickness; mass, kg; speed, rad/s.
const LENGTHS: [f64; 2] = [0.1, 1.0];
const SLENDERNESS: [f64; 2] = [2.0, 200.0];
const MASSES: [f64; 2] = [0.01, 100.0];
const SPEEDS: [f64; 2] = [0.1, 200.0];

/// The linkage of a seed, with `fast`: a tree of 1 to 12 rods (most of it chains), up to two loops, joints of all kinds, lengths 0.1 to 1 m, thickness
/// 1:2 to 1:200, masses 10 g to 100 kg, limits, motors, springs, friction, blows, with or without a fixed body and gravity, at 30 to 240
/// steps per second. Every number is drawn from its own part of the seed's row, so equal seeds are equal linkages.
pub fn random(seed: u64) -> Case {
    let mut draw = Draw(Random::new(seed));
    let hz = RATES[draw.below(RATES.len())];
    let count = 1 + draw.below(MOST_LINKS);
    let is_held = count == 1 || draw.chance(0.8);
    let mut linkage = Linkage::default();
    if is_held {
        linkage.links.push(Link::base(Position::origin()));
        if draw.chance(0.5) {
            linkage.gravity = draw.direction() * GRAVITY;
        }
    }
    let mut slenderness: f64 = 0.0;
    while linkage.links.len() < count + usize::from(is_held) {
        slenderness = slenderness.max(grow(&mut linkage, &mut draw));
    }
    for _ in 0..draw.below(3) {
        close(&mut linkage, &mut draw);
    }
    let mut speed = 0.0;
    // What nothing pulls is given a speed.
    if linkage.gravity == Displacement::zeros() || draw.chance(0.6) {
        speed = draw.log(SPEEDS);
        let own = draw.direction();
        let axis =
            linkage.holds.first().map_or(own, |hold| if is_held { hold.axis.normalize() } else { own });
        linkage = linkage.spun(Position::origin(), axis * speed);
    }
    strike(&mut linkage, &mut draw, (SECONDS * hz) as usize);
    Case {
        name: format!("random/{seed}"),
        family: "random",
        joint: "any",
        slenderness,
        speed,
        links: count,
        hz,
        preset: Preset::Fast,
        seconds: SECONDS,
        linkage,
        expects: Expectation::default(),
    }
}

/// Adds a rod, and the joint that holds it; length over thickness.
fn grow(linkage: &mut Linkage, draw: &mut Draw) -> f64 {
    let own = linkage.links.len();
    let (length, slenderness, mass) = (draw.log(LENGTHS), draw.log(SLENDERNESS), draw.log(MASSES));
    let way = draw.direction();
    if own == 0 {
        let from = Position::origin();
        linkage.links.push(Link::rod(from, from + way * length, length / slenderness, mass));
        return slenderness;
    }
    let parent = if draw.chance(0.7) { own - 1 } else { draw.below(own) };
    let on_parent = point(&linkage.links[parent], draw);
    let kind = KINDS[draw.below(KINDS.len())];
    let gap = if kind == JointKind::Distance { draw.between(0.05, 0.3) } else { 0.0 };
    let from = on_parent + way * gap;
    linkage.links.push(Link::rod(from, from + way * length, length / slenderness, mass));
    linkage.holds.push(hold(kind, [parent, own], [on_parent, from], draw));
    slenderness
}

/// A joint between two links that are there, or a link and the fixed body: a loop.
fn close(linkage: &mut Linkage, draw: &mut Draw) {
    let count = linkage.links.len();
    let ends = [draw.below(count), draw.below(count)];
    if ends[0] == ends[1] || ends.iter().all(|&end| linkage.links[end].is_fixed) {
        return;
    }
    let points = ends.map(|end| point(&linkage.links[end], draw));
    let kinds =
        [JointKind::Hinge, JointKind::Ball, JointKind::Distance, JointKind::ConeTwist, JointKind::Generic];
    let kind = kinds[draw.below(kinds.len())];
    let middle = points[0] + (points[1] - points[0]) * 0.5;
    let is_apart = kind == JointKind::Distance && (points[1] - points[0]).norm() > 0.01;
    if kind == JointKind::Distance && !is_apart {
        return;
    }
    linkage.holds.push(hold(kind, ends, if is_apart { points } else { [middle; 2] }, draw));
}

/// A joint of a kind: its axis, limits, motor and friction.
fn hold(kind: JointKind, ends: [usize; 2], points: [Position; 2], draw: &mut Draw) -> Hold {
    let mut hold = Hold { points, ..Hold::new(kind, ends, points[0], draw.direction()) };
    let is_limited = draw.chance(0.4);
    match kind {
        JointKind::Hinge if is_limited => {
            hold = hold.limited(JointAxis::Twist, draw.between(-2.5, -0.1), draw.between(0.1, 2.5));
        }
        // Always, so that what hangs on it has a lowest place.
        JointKind::Slider => {
            hold = hold.limited(JointAxis::X, draw.between(-0.3, -0.02), draw.between(0.02, 0.3));
        }
        JointKind::Distance if is_limited => {
            let length = (points[1] - points[0]).norm();
            hold = hold.limited(
                JointAxis::Distance,
                length * draw.between(0.3, 0.9),
                length * draw.between(1.1, 1.6),
            );
        }
        JointKind::Ball if is_limited => hold.cone = draw.between(0.3, 1.5),
        JointKind::ConeTwist => {
            hold.cone = draw.between(0.3, 1.5);
            if is_limited {
                hold = hold.limited(JointAxis::Twist, draw.between(-2.0, -0.1), draw.between(0.1, 2.0));
            }
        }
        JointKind::Generic => {
            for axis in [JointAxis::Twist, JointAxis::SwingY, JointAxis::SwingZ] {
                hold = match draw.below(3) {
                    0 => hold,
                    1 => hold.freed(axis),
                    _ => hold.limited(axis, draw.between(-1.2, -0.1), draw.between(0.1, 1.2)),
                };
            }
        }
        _ => {}
    }
    if draw.chance(0.3) {
        hold.motor = motor(&hold, draw);
    }
    if draw.chance(0.2) && !matches!(kind, JointKind::Fixed | JointKind::Generic) {
        hold.friction = draw.log([1e-3, 10.0]);
    }
    hold
}

/// A motor that keeps a speed, or a spring where limits say how far it can be stretched.
fn motor(hold: &Hold, draw: &mut Draw) -> Option<(JointAxis, Motor)> {
    let axis = hold.kind.main_axis().or((hold.kind == JointKind::Ball).then_some(JointAxis::Twist))?;
    let limits = hold.limits.iter().find(|(own, _)| *own == axis).map(|(_, limits)| *limits);
    if hold.kind == JointKind::Distance && limits.is_none() {
        return None;
    }
    if let Some([lower, upper]) = limits
        && draw.chance(0.5)
    {
        let damping = if draw.chance(0.5) { draw.log([1e-3, 1.0]) } else { 0.0 };
        let most = if draw.chance(0.7) { f64::INFINITY } else { draw.log([0.1, 100.0]) };
        let [target, stiffness] = [draw.between(lower, upper), draw.log([0.1, 1e4])];
        let [target, stiffness, damping, most] = [target, stiffness, damping, most].map(|v| v as Real);
        return Some((axis, Motor::Spring { target, stiffness, damping, most }));
    }
    let speed = draw.log([0.1, 50.0]) * if draw.chance(0.5) { 1.0 } else { -1.0 };
    // Ways are told in m/s: a tenth.
    let speed = if matches!(axis, JointAxis::X | JointAxis::Distance) { 0.1 * speed } else { speed };
    Some((axis, Motor::Speed { speed: speed as Real, most: draw.log([0.01, 100.0]) as Real }))
}

/// Half of the linkages are struck up to three times, each time with up to 10 m/s.
fn strike(linkage: &mut Linkage, draw: &mut Draw, steps: usize) {
    if draw.chance(0.5) {
        return;
    }
    for _ in 0..=draw.below(3) {
        let (step, link) = (draw.below(steps), draw.below(linkage.links.len()));
        let body = &linkage.links[link];
        let impulse = draw.direction() * (body.mass * draw.between(0.0, 10.0));
        // Across its length alone: its thickness is no arm for a blow on its middle line.
        let arm = point(body, draw) - body.center;
        if !body.is_fixed {
            linkage.blows.push(Blow { step, link, impulse, angular: arm.cross(&impulse) });
        }
    }
}

/// A point of a link where others are held: an end, or anywhere along it; of a fixed one its centre.
fn point(link: &Link, draw: &mut Draw) -> Position {
    let along = if draw.chance(0.7) { 1.0 } else { draw.between(-1.0, 1.0) };
    if link.is_fixed {
        link.center
    } else {
        link.center + link.rotation * Displacement::x() * (along * link.half.x)
    }
}

/// Numbers of a seed.
struct Draw(Random);

impl Draw {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.between(low, high)
    }

    fn chance(&mut self, share: f64) -> bool {
        self.between(0.0, 1.0) < share
    }

    fn below(&mut self, count: usize) -> usize {
        (self.between(0.0, 1.0) * count as f64) as usize
    }

    /// As often in each octave.
    fn log(&mut self, [low, high]: [f64; 2]) -> f64 {
        low * (self.between(0.0, 1.0) * (high / low).ln()).exp()
    }

    /// Any direction, each as likely: of points in the cube those in the ball.
    fn direction(&mut self) -> Displacement {
        loop {
            let found = Displacement::from(self.0.vector(1.0));
            if (1e-4..=1.0).contains(&found.norm_squared()) {
                return found.normalize();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_linkage_and_others_differ() {
        assert_eq!(random(7), random(7));
        assert_ne!(random(7).linkage, random(8).linkage);
    }

    #[test]
    fn all_that_is_promised_is_drawn() {
        let cases: Vec<Case> = (0..400).map(random).collect();
        let some = |what: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| what(case)).count();
        for count in 1..=MOST_LINKS {
            assert!(some(&|case| case.links == count) > 5, "{count} links");
        }
        for hz in RATES {
            assert!(some(&|case| case.hz == hz) > 50, "{hz} Hz");
        }
        for kind in KINDS {
            let has = |case: &Case| case.linkage.holds.iter().any(|hold| hold.kind == kind);
            assert!(some(&has) > 20, "{}", kind.name());
        }
        assert!(some(&|case| !case.linkage.blows.is_empty()) > 100);
        assert!(some(&|case| case.linkage.gravity.norm() > 9.8) > 100);
        assert!(some(&|case| case.linkage.holds.len() >= case.linkage.links.len()) > 50, "loops");
        let masses = || cases.iter().flat_map(|case| &case.linkage.links).map(|link| link.mass);
        assert!(masses().fold(f64::INFINITY, f64::min) < 0.011 && masses().fold(0.0, f64::max) > 90.0);
    }

    #[test]
    fn every_one_of_them_becomes_a_world_with_a_least_energy() {
        for seed in 0..200 {
            let linkage = random(seed).linkage;
            linkage.lowest_potential().unwrap_or_else(|error| panic!("{seed}: {error}"));
            linkage.build(Preset::Fast.config()).unwrap_or_else(|error| panic!("{seed}: {error}"));
        }
    }
}
