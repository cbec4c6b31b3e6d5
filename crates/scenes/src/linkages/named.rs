//! Cases that are known by name: each was seen to gain or lose energy, or is what games build.

use super::case::{Case, Expectation};
use super::rods::{GRAVITY, Style, arc, chain, four_bar};
use super::{Hold, Link, Linkage};
use crate::{Preset, Random};
use drystone::math::{Displacement, Position, Real};
use drystone::{JointAxis, JointKind, Motor};
use std::f64::consts::{PI, TAU};

/// Speeds of a rod on a hinge, rad/s.
const SPINS: [f64; 5] = [8.0, 12.0, 40.0, 100.0, 200.0];
/// Thicknesses of that rod of 1 m, m.
const THICKNESSES: [f64; 7] = [0.005, 0.01, 0.02, 0.04, 0.1, 0.2, 0.5];
/// Starts of a cart and pole.
const STARTS: usize = 64;

/// All of them, at 60 steps per second with `fast` ([`Case::with`] gives others).
pub fn all() -> Vec<Case> {
    let mut cases = rods();
    cases.extend([fan(), four_bar_case(Style::Hinge), four_bar_case(Style::Ball)]);
    cases.extend([arc_case(Style::Hinge), arc_case(Style::Ball)]);
    cases.extend([1, 2, 3, 12].map(pendulum));
    cases.extend(springs());
    cases.extend(carts());
    cases
}

/// A case of 20 s at 60 steps per second.
fn case(family: &'static str, name: String, joint: &'static str, linkage: Linkage) -> Case {
    Case {
        name: format!("named/{name}"),
        family,
        joint,
        slenderness: 50.0,
        speed: 0.0,
        links: linkage.links.iter().filter(|link| !link.is_fixed).count(),
        hz: 60.0,
        preset: Preset::Fast,
        seconds: 20.0,
        linkage,
        expects: Expectation::default(),
    }
}

fn free() -> Expectation {
    Expectation { is_free: true, ..Expectation::default() }
}

/// A rod of 1 m and 1 kg, held at its end, that nothing touches: on a hinge with every thickness, and on other joints.
fn rods() -> Vec<Case> {
    let mut cases = Vec::new();
    let others = [Style::Ball, Style::ConeTwist, Style::Generic].map(|style| (style, 0.02));
    let hinges = THICKNESSES.map(|thickness| (Style::Hinge, thickness));
    for (style, thickness) in hinges.into_iter().chain(others) {
        for speed in SPINS {
            let linkage = chain(style, &[0.0], 1.0, thickness, 1.0, true)
                .spun(Position::origin(), Displacement::z() * speed);
            let name = format!("rod on {}, {} mm, {speed} rad/s", style.name(), 1e3 * thickness);
            let case = case("rod", name, style.name(), linkage);
            cases.push(Case { slenderness: 1.0 / thickness, speed, expects: free(), ..case });
        }
    }
    cases
}

/// A blade of 1.2 m x 10 x 2 cm, 1 kg, in the middle on a hinge whose motor turns it at 20 rad/s from rest.
fn fan() -> Case {
    const SPEED: f64 = 20.0;
    let (from, to) = (Position::new(-0.6, 0.0, 0.0), Position::new(0.6, 0.0, 0.0));
    let mut blade = Link::rod(from, to, 0.02, 1.0);
    blade.half.y = 0.05;
    let motor = Motor::Speed { speed: SPEED as Real, most: 5.0 };
    let hinge = Hold {
        motor: Some((JointAxis::Twist, motor)),
        ..Hold::new(JointKind::Hinge, [0, 1], Position::origin(), Displacement::z())
    };
    let links = vec![Link::base(Position::origin()), blade];
    let expects = Expectation { turns: Some((0, SPEED)), ..Expectation::default() };
    let linkage = Linkage { links, holds: vec![hinge], ..Linkage::default() };
    Case {
        speed: SPEED,
        slenderness: 60.0,
        expects,
        ..case("fan", "fan blade, 20 rad/s".into(), "hinge", linkage)
    }
}

/// The four-bar linkage, driven at its crank at 6 rad/s.
fn four_bar_case(others: Style) -> Case {
    const SPEED: f64 = 6.0;
    let driven = |style| {
        let mut linkage = four_bar(style, 0.02, SPEED);
        linkage.holds[0].motor = Some((JointAxis::Twist, Motor::Speed { speed: SPEED as Real, most: 100.0 }));
        linkage
    };
    let released = (others == Style::Hinge).then(|| driven(Style::Ball));
    let expects = Expectation { turns: Some((0, SPEED)), released, ..Expectation::default() };
    let name = if others == Style::Hinge { "four hinges" } else { "a hinge and three balls" };
    let case = case("four-bar", format!("four-bar on {name}, 6 rad/s"), others.name(), driven(others));
    Case { speed: SPEED, expects, ..case }
}

/// Eight rods in an arc between two fixed points.
fn arc_case(style: Style) -> Case {
    let released = (style == Style::Hinge).then(|| arc(Style::Ball, 0.02));
    let expects = Expectation { is_free: true, speeds_up: true, released, ..Expectation::default() };
    let name = format!("arc of 8 rods on {}s", style.name());
    Case { slenderness: 12.5, expects, ..case("arc", name, style.name(), arc(style, 0.02)) }
}

/// Rods of 0.5 m and 1 kg on hinges, let go level.
fn pendulum(links: usize) -> Case {
    let mut linkage = chain(Style::Hinge, &vec![0.0; links], 0.5, 0.02, 1.0, true);
    linkage.gravity = Displacement::y() * -GRAVITY;
    let expects = Expectation { is_free: true, speeds_up: true, ..Expectation::default() };
    let name = format!("pendulum of {links}, let go level");
    Case { slenderness: 25.0, expects, ..case("pendulum", name, "hinge", linkage) }
}

/// A mass of 1 kg on an undamped spring of 2 s period: along a slider, between two points, and turned on a hinge.
fn springs() -> [Case; 3] {
    const PERIOD: f64 = 2.0;
    let rate = TAU / PERIOD;
    let (origin, x) = (Position::origin(), Displacement::x());
    let spring = |target: f64, inertia: f64| Motor::Spring {
        target: target as Real,
        stiffness: (inertia * rate * rate) as Real,
        damping: 0.0,
        most: Real::INFINITY,
    };
    let block = |at: f64| Link::rod(origin + x * (at - 0.1), origin + x * (at + 0.1), 0.2, 1.0);
    let make = |name: &str, joint, link: Link, hold: Hold| {
        let linkage =
            Linkage { links: vec![Link::base(origin), link], holds: vec![hold], ..Linkage::default() };
        let expects = Expectation { is_free: true, swings: Some((0, PERIOD)), ..Expectation::default() };
        Case { slenderness: 1.0, expects, ..case("spring", format!("spring of 2 s, {name}"), joint, linkage) }
    };
    let slider = Hold {
        motor: Some((JointAxis::X, spring(0.3, 1.0))),
        ..Hold::new(JointKind::Slider, [0, 1], origin + x, x)
    };
    let distance = Hold {
        points: [origin, origin + x],
        motor: Some((JointAxis::Distance, spring(1.3, 1.0))),
        ..Hold::new(JointKind::Distance, [0, 1], origin, x)
    };
    let rod = Link::rod(origin, origin + x, 0.02, 1.0);
    // About its end: m (l²/3 + t²/12).
    let moment = 1.0 / 3.0 + 0.02 * 0.02 / 12.0;
    let hinge = Hold {
        motor: Some((JointAxis::Twist, spring(0.3, moment))),
        ..Hold::new(JointKind::Hinge, [0, 1], origin, Displacement::z())
    };
    [
        make("slider", "slider", block(1.0), slider),
        make("distance", "distance", block(1.0), distance),
        make("hinge", "hinge", rod, hinge),
    ]
}

/// A cart of 1 kg on a slider and a pole of 1 m and 4 cm on it, 100 g and 10 g, from 64 angles and spins.
fn carts() -> Vec<Case> {
    let mut cases = Vec::with_capacity(2 * STARTS);
    for mass in [0.1, 0.01] {
        for start in 0..STARTS {
            let spin = Random::new(start as u64).between(-2.0, 2.0);
            let linkage = cart(mass, TAU * start as f64 / STARTS as f64, spin);
            let expects = Expectation { is_free: true, speeds_up: true, ..Expectation::default() };
            let name = format!("cart and pole of {} g, start {start}", 1e3 * mass);
            cases.push(Case {
                slenderness: 25.0,
                expects,
                ..case("cart", name, "slider and hinge", linkage)
            });
        }
    }
    cases
}

/// `angle` of the pole from the upright, rad, and its spin, rad/s.
fn cart(mass: f64, angle: f64, spin: f64) -> Linkage {
    let (origin, z) = (Position::origin(), Displacement::z());
    let way = Displacement::new((0.5 * PI + angle).cos(), (0.5 * PI + angle).sin(), 0.0);
    let x = Displacement::new(0.2, 0.0, 0.0);
    let cart = Link::rod(origin - x, origin + x, 0.2, 1.0);
    let mut pole = Link::rod(origin, origin + way, 0.04, mass);
    pole.angular = z * spin;
    pole.linear = pole.angular.cross(&(way * 0.5));
    let rail = Hold::new(JointKind::Slider, [0, 1], origin, Displacement::x());
    let hinge = Hold::new(JointKind::Hinge, [1, 2], origin, z);
    Linkage {
        gravity: Displacement::y() * -GRAVITY,
        links: vec![Link::base(origin), cart, pole],
        holds: vec![rail, hinge],
        ..Linkage::default()
    }
}
