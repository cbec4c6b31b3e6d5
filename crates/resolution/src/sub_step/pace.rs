//! How finely the step of an island is cut: as finely as it has to stand.
//!
//! The stiffness of a pile grows with the square of the number of sub-steps, and what it needs with its height. So
//! islands with fewer bodies on top of one another than [`SubStepConfig::low_pile_height`] take
//! [`SubStepConfig::low_pile_sub_steps`]. The height is the extent of the centres of mass along the pull over the mean edge
//! of a cube with the inertia of the bodies: levels of the contact graph would count a pile between walls as low. Small
//! islands cost little and keep all sub-steps. So do islands of which half is calm ([`SubStepConfig::settling_speed`]) where bodies may fall
//! asleep: what few sub-steps leave unsolved keeps them awake, which costs more than the others. Measurements: `docs/sub-step.md`.
//!
//! Islands with joints take them as well where their bodies turn slowly ([`SLOW`]): those in contact by the rule of piles (as high as they have contacts for, as joints need none), and those
//! that nothing touches if a direct solve is what holds them, so that joints are as close with few sub-steps as with all, in loops of bodies of like masses too. Large trees among these that were solved so in the last step take two where nothing drives them: a velocity is that of the middle of a sub-step, and small ones cost little. Couplings, whose forces
//! come to what they have to be from solve to solve, and articulations keep all.

use super::config::SubStepConfig;
use super::rest::{RestRule, squared_radius, squared_speed};
use crate::sweep::is_pushed;
use crate::ties::{self, RHYTHMS};
use drystone_contact::{
    Bodies, BodyIndex, ConstraintAxis, ContactGraph, EdgeIndex, JointConstraint, StepParams,
};
use drystone_math::{Real, Vector3, larger, narrow, smaller};

/// Bodies from which an island may take coarse sub-steps, and from which one with joints may take two.
const SMALLEST: usize = 16;
/// Angles, rad, up to which bodies on joints turn in a coarse sub-step: where nothing touches them, so that nothing but the sub-steps keeps their energy, and in loops; and in contact.
const SLOW: Real = 0.04;
const SLOW_IN_CONTACT: Real = 0.2;
/// Beyond so many times what a sub-step can follow it is damped either way.
const STIFF: Real = 8.0;
/// Edge of a cube over its radius of gyration: √6.
const EDGE_PER_RADIUS: Real = 2.449_489_7;

/// What an island does in a step; islands of one pace are solved together, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pace {
    /// It takes two sub-steps at most: a large tree of joints that nothing drives or touches.
    Two,
    /// It takes few sub-steps.
    Coarse,
    /// It takes all.
    #[default]
    Fine,
    /// Nothing in it moves: the first of all may be enough.
    Still,
}

impl Pace {
    /// The paces at which sub-steps are counted ([`Pace::rhythm`]).
    pub(super) const RHYTHMS: [Self; RHYTHMS] = [Self::Two, Self::Coarse, Self::Fine];

    /// Which number of sub-steps it takes.
    pub(super) fn rhythm(self) -> usize {
        (self as usize).min(RHYTHMS - 1)
    }
}

/// What a look at an island tells.
struct Seen {
    /// Bodies of mean size that fit on top of one another into the extent of the centres of mass along the pull, and one; infinite without a
    /// pull.
    height: Real,
    /// More than half of what can move is calm.
    is_calm: bool,
}

/// Tells the pace of an island.
#[derive(Clone, Copy, Debug)]
pub(super) struct PaceRule {
    rest: RestRule,
    /// Unit vector against the pull; none without.
    up: Option<Vector3>,
    /// Bodies on top of one another below which an island is coarse.
    low_pile_height: Real,
    /// Square of the speed below which a body is calm, m²/s²; 0 where nobody may fall asleep.
    calm: Real,
    /// Coarse sub-steps per second; what makes of the impulse of a step the force times the square of a coarse sub-step, s; length of a fine sub-step over
    /// that of a coarse one.
    inverse_h: Real,
    pull: Real,
    share: Real,
    /// Coarse sub-steps.
    coarse: Real,
    /// Whether islands are told apart by it.
    is_used: bool,
}

impl PaceRule {
    /// The rule of a step; kinematic bodies that move keep all islands in one rhythm.
    pub(super) fn new(
        config: &SubStepConfig,
        rest: RestRule,
        step: &StepParams,
        any_kinematic: bool,
    ) -> Self {
        let calm = if step.may_sleep { config.settling_speed * step.speed_unit() } else { 0.0 };
        let coarse = config.sub_steps_at(Pace::Coarse) as Real;
        Self {
            rest,
            inverse_h: coarse / step.dt,
            pull: step.dt / (coarse * coarse),
            coarse,
            share: coarse / config.sub_steps_at(Pace::Fine) as Real,
            calm: calm * calm,
            up: (-step.acceleration).try_normalize(0.0),
            low_pile_height: config.low_pile_height,
            is_used: config.low_pile_sub_steps < config.sub_steps && !any_kinematic,
        }
    }

    /// The pace of these bodies, and the slack of what is still ([`RestRule::slack`]).
    pub(super) fn of(&self, bodies: &Bodies, members: &[BodyIndex]) -> (Pace, Real) {
        let slack = self.rest.slack(bodies, members, || self.look_at(bodies, members).height);
        if let Some(slack) = slack {
            (Pace::Still, slack)
        } else if self.is_used && members.len() >= SMALLEST && self.is_coarse(bodies, members, 1.0) {
            (Pace::Coarse, 1.0)
        } else {
            (Pace::Fine, 1.0)
        }
    }

    /// The pace of bodies with joints between them.
    pub(super) fn of_jointed(
        &self,
        bodies: &Bodies,
        graph: &ContactGraph,
        members: &[BodyIndex],
        edges: &[EdgeIndex],
    ) -> Pace {
        if !self.is_used {
            return Pace::Fine;
        }
        let (mut contacts, mut joints, mut in_loop, mut is_pure) = (0, 0, false, true);
        for &edge in edges {
            let Some(tie) = graph.tie(edge) else {
                contacts += usize::from(!graph.edge(edge).manifold.points().is_empty());
                continue;
            };
            if tie.coupled != 0 {
                return Pace::Fine;
            }
            joints += 1;
            is_pure &= tie.memory.is_direct && !tie.axes.iter().any(ConstraintAxis::is_driven);
            in_loop |= tie.memory.in_loop;
        }
        // What costs least comes first: most of what is not coarse has a body that turns too fast.
        let slow = if contacts > 0 && !in_loop { SLOW_IN_CONTACT } else { SLOW } * self.inverse_h;
        let mut fastest: Real = 0.0;
        for &body in members {
            is_pure &= !bodies.hot(body).has_locks();
            match squared_turning(bodies, body, contacts == 0) {
                Some(turning) if turning <= slow * slow => fastest = larger(fastest, turning),
                _ => return Pace::Fine,
            }
        }
        if in_loop && !have_like_masses(bodies, members) {
            return Pace::Fine;
        }
        if contacts > 0 {
            let of_pile = smaller(contacts as Real / members.len() as Real, 1.0);
            let is_coarse = members.len() >= SMALLEST && self.is_coarse(bodies, members, of_pile);
            return if is_coarse { Pace::Coarse } else { Pace::Fine };
        }
        if joints > ties::MOST_DIRECT {
            return Pace::Fine;
        }
        // How fast joints turn bodies back, for coarse sub-steps: all sub-steps can follow it and coarse ones cannot, they would damp what swings (`ties::stiff`).
        let mut stiffest: Real = 0.0;
        for ratio in
            edges.iter().filter_map(|&edge| graph.tie(edge)).flat_map(|tie| self.stiffness(bodies, tie))
        {
            if ratio * self.share * self.share < STIFF * ties::CALM {
                stiffest = larger(stiffest, ratio);
            }
        }
        let is_enough = |sub_steps: Real| {
            let longer = self.coarse / sub_steps;
            let angle = longer / self.inverse_h;
            fastest * angle * angle <= SLOW * SLOW && stiffest * longer * longer <= ties::CALM
        };
        if !is_enough(self.coarse) {
            Pace::Fine
        } else if is_pure && !in_loop && members.len() >= SMALLEST && is_enough(smaller(self.coarse, 2.0)) {
            Pace::Two
        } else {
            Pace::Coarse
        }
    }

    /// How fast a joint turns its bodies back ([`ties::most_stiffness`]), in coarse sub-steps.
    fn stiffness(&self, bodies: &Bodies, tie: &JointConstraint) -> [Real; 2] {
        let pull = tie.memory.strongest * self.pull;
        [0, 1].map(|side: usize| {
            ties::most_stiffness(bodies.inverse_inertia(tie.bodies[side]), tie.anchors[side].norm(), pull)
        })
    }

    /// Whether a large enough island need not be stiff, of whose height this share is that of a pile.
    fn is_coarse(&self, bodies: &Bodies, members: &[BodyIndex], of_pile: Real) -> bool {
        let seen = self.look_at(bodies, members);
        seen.height * of_pile < self.low_pile_height && !seen.is_calm
    }

    fn look_at(&self, bodies: &Bodies, members: &[BodyIndex]) -> Seen {
        let (Some(up), Some(&first)) = (self.up, members.first()) else {
            return Seen { height: Real::INFINITY, is_calm: false };
        };
        let view = bodies.view();
        let origin = view.pose[first.get()].translation;
        let (mut bottom, mut top, mut sizes, mut count): (Real, Real, Real, Real) = (0.0, 0.0, 0.0, 0.0);
        let mut calm_count = 0.0;
        for &body in members.iter().filter(|&&body| is_pushed(bodies, body)) {
            let height = up.dot(&narrow(&(view.pose[body.get()].translation - origin)));
            (bottom, top) = (smaller(height, bottom), larger(height, top));
            let hot = bodies.hot(body);
            let radius = squared_radius(hot.inverse_mass, bodies.inverse_inertia(body));
            sizes += radius.sqrt();
            count += 1.0;
            calm_count += if squared_speed(hot, radius) < self.calm { 1.0 } else { 0.0 };
        }
        let height = 1.0 + (top - bottom) * count / (EDGE_PER_RADIUS * sizes);
        Seen { height, is_calm: 2.0 * calm_count > count }
    }
}

/// Whether the masses of all that is pushed are within [`ties::MODEST`]: what loops hold twice comes apart with light links between heavy ones.
fn have_like_masses(bodies: &Bodies, members: &[BodyIndex]) -> bool {
    let masses = members.iter().map(|&body| bodies.hot(body).inverse_mass).filter(|&inverse| inverse > 0.0);
    let (least, most) = masses.fold((Real::INFINITY, 0.0), |(least, most), inverse| {
        (smaller(least, inverse), larger(most, inverse))
    });
    most <= ties::MODEST * least
}

/// Square of the turning of a body, (rad/s)²; none for links of articulations: those have no mass of their own here. Where its `shape` counts, what is thin has to turn more slowly, by
/// the root of the ratio of its moments over [`ties::THIN`].
fn squared_turning(bodies: &Bodies, body: BodyIndex, shape: bool) -> Option<Real> {
    let hot = bodies.hot(body);
    let is_link = hot.is_dynamic() && !is_pushed(bodies, body);
    let moments = &bodies.view().local_inertia[body.get()].principal;
    let ratio = if shape { moments.max() / moments.min() } else { 1.0 };
    let thin = larger(ratio / ties::THIN, 1.0);
    (!is_link).then(|| hot.angular.norm_squared() * thin)
}
