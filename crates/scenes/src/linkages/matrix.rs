//! The matrix: kinds of joints, thickness 1:2 to 1:200, 0.1 to 200 rad/s, free, motorised, limited, chained and in loops.
//!
//! A row is a linkage with a speed; it is measured at each of [`super::RATES`] with `fast`, and at 60 and 240 steps per second with other presets. All are turned askew, so that no axis of
//! theirs is one of the world's, where rounding would be kinder.

use super::case::{Case, Expectation};
use super::rods::{Style, askew, bent, chain, door, four_bar, ring};
use super::{Hold, Link, Linkage};
use crate::Preset;
use drystone::math::{Displacement, Position, Real};
use drystone::{JointAxis, JointKind, Motor};

/// Length of a link over its thickness.
const SLENDERNESS: [f64; 7] = [2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 200.0];
/// rad/s.
const SPEEDS: [f64; 7] = [0.1, 1.0, 8.0, 12.0, 40.0, 100.0, 200.0];
/// Numbers of links of chains.
const CHAINS: [usize; 4] = [2, 3, 6, 12];
/// Numbers of links of rings.
const RINGS: [usize; 4] = [3, 4, 6, 12];
/// Length of free motion, s, and of all other.
const SECONDS: [f64; 2] = [20.0, 5.0];
/// Length of a link of a chain, m.
const LENGTH: f64 = 0.3;
/// Time in which a motor would reach its speed with nothing to hold it up, s.
const RISE: f64 = 0.5;

/// How much of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every row.
    Full,
    /// Four thicknesses, and 12, 40 and 200 rad/s.
    Thin,
}

impl Extent {
    fn has(self, slenderness: f64, speed: f64) -> bool {
        self == Self::Full
            || [2.0, 25.0, 50.0, 200.0].contains(&slenderness) && [12.0, 40.0, 200.0].contains(&speed)
    }
}

/// All rows, at 60 steps per second with `fast` ([`Case::with`] gives others).
pub fn rows(extent: Extent) -> Vec<Case> {
    let mut rows = Vec::new();
    for slenderness in SLENDERNESS {
        for speed in SPEEDS.into_iter().filter(|&speed| extent.has(slenderness, speed)) {
            let row = Row { slenderness, speed };
            rows.extend(row.singles());
            rows.extend(row.motors());
            rows.extend(row.limits());
            // Of what takes longer every other thickness and speed.
            if [2.0, 10.0, 50.0, 200.0].contains(&slenderness) && [0.1, 12.0, 40.0, 200.0].contains(&speed) {
                rows.extend(row.chains(extent));
                rows.extend(row.loops(extent));
            }
        }
    }
    rows
}

/// What all cases of a thickness and a speed share.
#[derive(Clone, Copy)]
struct Row {
    slenderness: f64,
    speed: f64,
}

impl Row {
    fn case(self, family: &'static str, joint: &'static str, linkage: Linkage, expects: Expectation) -> Case {
        let links = linkage.links.iter().filter(|link| !link.is_fixed).count();
        let Self { slenderness, speed } = self;
        Case {
            name: format!("{family}/{joint}/1:{slenderness}/{links} links/{speed} rad/s"),
            family,
            joint,
            slenderness,
            speed,
            links,
            hz: 60.0,
            preset: Preset::Fast,
            seconds: SECONDS[usize::from(!expects.is_free)],
            linkage: linkage.turned(&askew()),
            expects: Expectation { released: expects.released.map(|own| own.turned(&askew())), ..expects },
        }
    }

    /// A link of 1 m and 1 kg that turns freely.
    fn singles(self) -> Vec<Case> {
        let (origin, z, thickness) = (Position::origin(), Displacement::z(), 1.0 / self.slenderness);
        let free = || Expectation { is_free: true, ..Expectation::default() };
        let mut cases = Vec::new();
        for style in [Style::Hinge, Style::Ball, Style::ConeTwist, Style::Generic] {
            let mut linkage = chain(style, &[0.0], 1.0, thickness, 1.0, true).spun(origin, z * self.speed);
            if style.tilts() {
                // About its length as well: the end on the joint does not notice.
                linkage.links[1].angular += Displacement::x() * (0.1 * self.speed);
            }
            cases.push(self.case("free", style.name(), linkage, free()));
        }
        let mut tethered = chain(Style::Ball, &[0.0], 1.0, thickness, 1.0, true);
        tethered.links[1].center.x += 0.5;
        let hold = &mut tethered.holds[0];
        (hold.kind, hold.points[1].x) = (JointKind::Distance, 0.5);
        cases.push(self.case("free", "distance", tethered.spun(origin, z * self.speed), free()));
        let mut sliding = chain(Style::Hinge, &[0.0], 1.0, thickness, 1.0, true);
        (sliding.holds[0].kind, sliding.holds[0].axis) =
            (JointKind::Slider, Displacement::new(1.0, 2.0, 2.0));
        sliding.links[1].linear = sliding.holds[0].axis.normalize() * (0.5 * self.speed);
        cases.push(self.case("free", "slider", sliding, free()));
        let welded = chain(Style::Fixed, &[0.0, 0.0], 0.5, 0.5 * thickness, 0.5, false);
        let middle = Position::new(0.5, 0.0, 0.0);
        cases.push(self.case("free", "fixed", welded.spun(middle, z * self.speed), free()));
        cases
    }

    /// A motor brings a link to its speed.
    fn motors(self) -> Vec<Case> {
        let thickness = 1.0 / self.slenderness;
        let moment = 1.0 / 3.0 + thickness * thickness / 12.0;
        let torque = |most: f64| Motor::Speed { speed: self.speed as Real, most: most as Real };
        let mut cases = Vec::new();
        for style in [Style::Hinge, Style::Ball, Style::ConeTwist, Style::Generic] {
            let mut linkage = chain(style, &[0.0], 1.0, thickness, 1.0, true);
            linkage.holds[0].motor = Some((JointAxis::Twist, torque(moment * self.speed / RISE)));
            cases.push(self.case("motor", style.name(), linkage, Expectation::default()));
        }
        let mut sliding = chain(Style::Hinge, &[0.0], 1.0, thickness, 1.0, true);
        (sliding.holds[0].kind, sliding.holds[0].axis) =
            (JointKind::Slider, Displacement::new(1.0, 2.0, 2.0));
        sliding.holds[0].motor = Some((
            JointAxis::X,
            Motor::Speed { speed: (0.5 * self.speed) as Real, most: (0.5 * self.speed / RISE) as Real },
        ));
        cases.push(self.case("motor", "slider", sliding, Expectation::default()));
        cases
    }

    /// Two links, the second at rest or drawn outwards against the limits of the joint between them.
    fn limits(self) -> Vec<Case> {
        let (origin, z, x) = (Position::origin(), Displacement::z(), Displacement::x());
        let (length, at) = (0.5, Position::new(0.5, 0.0, 0.0));
        let of = |kind| Hold::new(kind, [1, 2], at, z);
        let tight = |kind| Hold { cone: 0.5, ..of(kind) };
        let rope = Position::new(0.6, 0.0, 0.0);
        let holds = [
            ("hinge", Style::Hinge, of(JointKind::Hinge).limited(JointAxis::Twist, -0.5, 0.5)),
            ("ball", Style::Ball, Hold { axis: x, ..tight(JointKind::Ball) }),
            (
                "cone-twist",
                Style::Ball,
                Hold { axis: x, ..tight(JointKind::ConeTwist).limited(JointAxis::Twist, -0.3, 0.3) },
            ),
            (
                "generic",
                Style::Ball,
                of(JointKind::Generic)
                    .limited(JointAxis::Twist, -0.5, 0.5)
                    .limited(JointAxis::SwingY, -0.3, 0.3)
                    .limited(JointAxis::SwingZ, -0.3, 0.3),
            ),
            (
                "slider",
                Style::Hinge,
                Hold { axis: x, ..of(JointKind::Slider) }.limited(JointAxis::X, -0.2, 0.2),
            ),
            (
                "distance",
                Style::Hinge,
                Hold { points: [at, rope], axis: x, ..of(JointKind::Distance) }.limited(
                    JointAxis::Distance,
                    0.05,
                    0.3,
                ),
            ),
        ];
        let mut cases = Vec::with_capacity(holds.len());
        for (name, base, hold) in holds {
            let mut linkage = chain(base, &[0.0, 0.0], length, length / self.slenderness, 1.0, true)
                .spun(origin, z * self.speed);
            let second = &mut linkage.links[2];
            second.center += hold.points[1] - hold.points[0];
            match hold.kind {
                // They go with the first link and are drawn outwards.
                JointKind::Slider | JointKind::Distance => {
                    second.linear = second.angular.cross(&(second.center - origin));
                }
                // It does not turn at first, and meets its limits.
                _ => {
                    second.angular = Displacement::zeros();
                    second.linear = z.cross(&(at - origin)) * self.speed;
                }
            }
            linkage.holds[1] = hold;
            cases.push(self.case("limited", name, linkage, Expectation::default()));
        }
        cases
    }

    /// Chains that begin bent and turn like one body, on a fixed body and in flight.
    fn chains(self, extent: Extent) -> Vec<Case> {
        let expects = || Expectation { is_free: true, speeds_up: true, ..Expectation::default() };
        let styles =
            [Style::Hinge, Style::Crossed, Style::Ball, Style::ConeTwist, Style::Universal, Style::Fixed];
        let mut cases = Vec::new();
        for style in styles {
            for links in CHAINS.into_iter().filter(|&n| extent == Extent::Full || n != 3) {
                for is_held in [true, false] {
                    // What is welded to a fixed body does not turn.
                    if is_held && style == Style::Fixed {
                        continue;
                    }
                    let linkage = chain(style, &bent(links), LENGTH, LENGTH / self.slenderness, 1.0, is_held);
                    let tilt = if style.tilts() || !is_held { 0.2 } else { 0.0 };
                    let spin = Displacement::new(tilt, 0.0, 1.0).normalize() * self.speed;
                    let about = if is_held { Position::origin() } else { center(&linkage) };
                    let family = if is_held { "chain" } else { "flight" };
                    cases.push(self.case(family, style.name(), linkage.spun(about, spin), expects()));
                }
            }
        }
        cases
    }

    /// Rings in flight, a door on two joints, and the four-bar linkage; hinges beside balls.
    fn loops(self, extent: Extent) -> Vec<Case> {
        let expects =
            |released| Expectation { is_free: true, speeds_up: true, released, ..Expectation::default() };
        let (origin, spin) = (Position::origin(), Displacement::z() * self.speed);
        let mut cases = Vec::new();
        for links in RINGS.into_iter().filter(|&n| extent == Extent::Full || n % 4 == 0) {
            // About as thick as the longest of its links asks for.
            let thickness = std::f64::consts::TAU / (links as f64 * self.slenderness);
            let of = |style| ring(style, links, thickness).spun(origin, spin);
            cases.push(self.case("ring", "hinge", of(Style::Hinge), expects(Some(of(Style::Ball)))));
            cases.push(self.case("ring", "ball", of(Style::Ball), expects(None)));
        }
        let thickness = 1.0 / self.slenderness;
        let door = |upper| door(upper, thickness, self.speed);
        let two = Expectation { is_free: true, released: Some(door(Style::Ball)), ..Expectation::default() };
        cases.push(self.case("door", "two hinges", door(Style::Hinge), two));
        let bars = |others| four_bar(others, thickness, self.speed);
        cases.push(self.case("four-bar", "hinge", bars(Style::Hinge), expects(Some(bars(Style::Ball)))));
        cases
    }
}

/// Centre of mass of what moves.
fn center(linkage: &Linkage) -> Position {
    let moving = || linkage.links.iter().filter(|link| !link.is_fixed);
    let mass: f64 = moving().map(|link: &Link| link.mass).sum();
    let sum: Displacement = moving().map(|link| link.center.coords * link.mass).sum();
    Position::from(sum / mass)
}
