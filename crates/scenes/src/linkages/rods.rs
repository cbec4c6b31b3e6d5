//! Linkages of rods: what the cases are made of.

use super::{Hold, Link, Linkage};
use drystone::math::{Displacement, Position, WideRotation};
use drystone::{JointAxis, JointKind};
use std::f64::consts::TAU;

/// Acceleration of linkages with gravity, m/s².
pub(super) const GRAVITY: f64 = 9.81;

/// Joints of a chain, a ring or a rod on a fixed body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Hinges about z.
    Hinge,
    /// Hinges about z and about what is across z and the chain, in turn.
    Crossed,
    /// Ball joints.
    Ball,
    /// Cone-twist joints with a wide cone (1.2 rad) about z.
    ConeTwist,
    /// Generic joints that leave the twist about z free: hinges made of coordinates.
    Generic,
    /// Generic joints that leave the swings free: universal joints.
    Universal,
    /// Welds.
    Fixed,
}

impl Style {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Hinge => "hinge",
            Self::Crossed => "hinge, crossed",
            Self::Ball => "ball",
            Self::ConeTwist => "cone-twist",
            Self::Generic => "generic",
            Self::Universal => "universal",
            Self::Fixed => "fixed",
        }
    }

    /// The joint between two links at a point; `way` is along the chain, `place` its place there.
    pub(super) fn hold(self, ends: [usize; 2], at: Position, way: Displacement, place: usize) -> Hold {
        let z = Displacement::z();
        let axis = if self == Self::Crossed && place % 2 == 1 { z.cross(&way) } else { z };
        let of = |kind| Hold::new(kind, ends, at, axis);
        match self {
            Self::Hinge | Self::Crossed => of(JointKind::Hinge),
            Self::Ball => of(JointKind::Ball),
            Self::ConeTwist => Hold { cone: 1.2, ..of(JointKind::ConeTwist) },
            Self::Generic => of(JointKind::Generic).freed(JointAxis::Twist),
            // The frame's x axis runs along the chain, so that no turn about the links is left.
            Self::Universal => {
                Hold { axis: way, ..of(JointKind::Generic) }.freed(JointAxis::SwingY).freed(JointAxis::SwingZ)
            }
            Self::Fixed => of(JointKind::Fixed),
        }
    }

    /// Whether a link on a fixed body can turn about another axis than z.
    pub(super) fn tilts(self) -> bool {
        matches!(self, Self::Ball | Self::Universal)
    }
}

/// Rods of a length (m) and mass (kg) from the origin on, each turned by its angle about z (rad) from the x axis; on a fixed body or in flight.
pub(super) fn chain(
    style: Style,
    angles: &[f64],
    length: f64,
    thickness: f64,
    mass: f64,
    is_held: bool,
) -> Linkage {
    let mut linkage = Linkage::default();
    if is_held {
        linkage.links.push(Link::base(Position::origin()));
    }
    let mut at = Position::origin();
    for (place, angle) in angles.iter().enumerate() {
        let way = Displacement::new(angle.cos(), angle.sin(), 0.0);
        linkage.links.push(Link::rod(at, at + way * length, thickness, mass));
        let own = linkage.links.len() - 1;
        if own > 0 {
            linkage.holds.push(style.hold([own - 1, own], at, way, place));
        }
        at += way * length;
    }
    linkage
}

/// Angles of a chain of `count` rods that is bent by 0.8 rad to one side and the other.
pub(super) fn bent(count: usize) -> Vec<f64> {
    (0..count).map(|place| if place % 2 == 0 { 0.4 } else { -0.4 }).collect()
}

/// A closed ring of rods between `count` points of an ellipse of 1 m and 0.7 m, in flight, 1 kg each.
pub(super) fn ring(style: Style, count: usize, thickness: f64) -> Linkage {
    let corner = |place: usize| {
        let angle = TAU * (place % count) as f64 / count as f64;
        Position::new(angle.cos(), 0.7 * angle.sin(), 0.0)
    };
    let mut linkage = Linkage::default();
    for place in 0..count {
        let (from, to) = (corner(place), corner(place + 1));
        linkage.links.push(Link::rod(from, to, thickness, 1.0));
        linkage.holds.push(style.hold([place, (place + 1) % count], to, to - from, place));
    }
    linkage
}

/// A plate of 1 m x 0.8 m, 1 kg, on two joints 0.8 m apart to a fixed body, that turns at a speed about the line through both (y).
pub(super) fn door(upper: Style, thickness: f64, speed: f64) -> Linkage {
    let y = Displacement::y();
    let mut plate = Link::rod(Position::origin(), Position::new(1.0, 0.0, 0.0), thickness, 1.0);
    plate.half.y = 0.4;
    let hold = |style: Style, height| Hold {
        axis: y,
        ..style.hold([0, 1], Position::new(0.0, height, 0.0), Displacement::x(), 0)
    };
    let holds = vec![hold(Style::Hinge, -0.4), hold(upper, 0.4)];
    let links = vec![Link::base(Position::origin()), plate];
    Linkage { links, holds, ..Linkage::default() }.spun(Position::origin(), y * speed)
}

/// Lengths of crank, coupler, rocker and ground of the four-bar linkage, m.
const FOUR_BAR: [f64; 4] = [0.3, 1.1, 0.8, 1.0];

/// A four-bar linkage in the plane of x and y: crank, coupler and rocker of 1 kg each. It moves as its crank does at `speed` (rad/s). Joint 0 turns the
/// crank on the fixed body; the other three are of a style of their own.
pub(super) fn four_bar(others: Style, thickness: f64, speed: f64) -> Linkage {
    let [crank, coupler, rocker, ground] = FOUR_BAR;
    // The crank stands at a right angle to the ground; the joint of coupler and rocker is where two circles meet.
    let (a, b) = (Position::new(0.0, crank, 0.0), Position::new(ground, 0.0, 0.0));
    let way = b - a;
    let far = way.norm();
    let along = (coupler * coupler - rocker * rocker + far * far) / (2.0 * far);
    let z = Displacement::z();
    let c = a + way / far * along + z.cross(&(way / far)) * (coupler * coupler - along * along).sqrt();
    let mut links = vec![
        Link::base(Position::origin()),
        Link::rod(Position::origin(), a, thickness, 1.0),
        Link::rod(a, c, thickness, 1.0),
        Link::rod(c, b, thickness, 1.0),
    ];
    // The velocity of c as a point of the coupler and of the rocker: v_a + w2 z × (c - a) = w3 z × (c - b).
    let v_a = z.cross(&(a - Position::origin())) * speed;
    let (p, q) = (z.cross(&(c - a)), z.cross(&(c - b)));
    let determinant = q.x * p.y - p.x * q.y;
    let turn_coupler = (v_a.x * q.y - v_a.y * q.x) / determinant;
    let turn_rocker = (v_a.x * p.y - v_a.y * p.x) / determinant;
    for (link, (turn, about, moving)) in links[1..].iter_mut().zip([
        (speed, Position::origin(), Displacement::zeros()),
        (turn_coupler, a, v_a),
        (turn_rocker, b, Displacement::zeros()),
    ]) {
        link.angular = z * turn;
        link.linear = moving + link.angular.cross(&(link.center - about));
    }
    let holds = vec![
        Style::Hinge.hold([0, 1], Position::origin(), a - Position::origin(), 0),
        others.hold([1, 2], a, c - a, 1),
        others.hold([2, 3], c, b - c, 2),
        others.hold([0, 3], b, c - b, 3),
    ];
    Linkage { links, holds, ..Linkage::default() }
}

/// Eight rods of 0.25 m and 0.25 kg in a half circle between two points of a fixed body, with gravity. Let go there they swing to the shape they hang in.
pub(super) fn arc(style: Style, thickness: f64) -> Linkage {
    const COUNT: usize = 8;
    let radius = 0.125 / (TAU / 4.0 / COUNT as f64).sin();
    let corner = |place: usize| {
        let angle = TAU / 2.0 * place as f64 / COUNT as f64;
        Position::new(-radius * angle.cos(), -radius * angle.sin(), 0.0)
    };
    let mut linkage = Linkage { gravity: Displacement::y() * -GRAVITY, ..Linkage::default() };
    linkage.links.push(Link::base(Position::origin()));
    for place in 0..COUNT {
        let (from, to) = (corner(place), corner(place + 1));
        linkage.links.push(Link::rod(from, to, thickness, 0.25));
        linkage.holds.push(style.hold([place, place + 1], from, to - from, place));
    }
    let last = corner(COUNT);
    linkage.holds.push(style.hold([0, COUNT], last, Displacement::x(), COUNT));
    linkage
}

/// The turn by which linkages of the matrix are seen askew, so that no axis of theirs is one of the world's.
pub(super) fn askew() -> WideRotation {
    WideRotation::new(Displacement::new(0.4, -0.7, 0.9))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Velocity of the point of a hold on one of its ends.
    fn velocity(linkage: &Linkage, hold: &Hold, side: usize) -> Displacement {
        let link = &linkage.links[hold.ends[side]];
        link.linear + link.angular.cross(&(hold.points[side] - link.center))
    }

    #[test]
    fn all_begin_with_velocities_that_their_joints_allow() {
        let z = Displacement::z();
        let spun = |linkage: Linkage| linkage.spun(Position::origin(), z * 3.0);
        let linkages = [
            spun(chain(Style::Crossed, &bent(5), 0.3, 0.01, 1.0, true)),
            spun(ring(Style::Hinge, 6, 0.01)),
            door(Style::Hinge, 0.02, 5.0),
            four_bar(Style::Hinge, 0.02, 6.0),
            arc(Style::Hinge, 0.02),
        ];
        for linkage in &linkages {
            for hold in &linkage.holds {
                let [a, b] = [0, 1].map(|side| velocity(linkage, hold, side));
                assert!((a - b).norm() < 1e-12, "{hold:?}: {a} {b}");
            }
        }
    }

    #[test]
    fn the_four_bar_linkage_has_its_lengths() {
        let linkage = four_bar(Style::Hinge, 0.02, 6.0);
        for (link, length) in linkage.links[1..].iter().zip(FOUR_BAR) {
            assert!((2.0 * link.half.x - length).abs() < 1e-12, "{} {length}", 2.0 * link.half.x);
        }
    }
}
