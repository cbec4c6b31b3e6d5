//! How far a step is from Signorini's and Coulomb's laws, from the manifolds after it: one measure for all methods.
//!
//! In: a world after a step, with the impulses of the step in its contact points. Out: speeds (m/s) by which the laws are missed.
//! Nothing that a method says of itself is used, so the figures mean the same for all of them.
//!
//! The measure is the natural map of [`drystone_resolution::problem::Measure`], contact by contact and in one unit: impulses are
//! multiplied by the contact's own inverse mass `k = nᵀ K n`, so a figure of 1 mm/s is a velocity, or an impulse that
//! makes this velocity. With `u` the velocity of B relative to A after the step and `d` the gap (m):
//! ```text
//! ũ = u_N + max(d, 0)/h               a gap may close while bodies move with u, which they do for h
//! ũ = max(u_N − s, 0)                 where k r_N > 2 g dt and it parts: restitution gives back s = e/(1 + e) k r_N + g dt
//! |k r − P_K(k r − (ũ + mu |u_T|, u_T))|
//! ```
//! `h` is the step, and the sub-step where there are any. Manifolds then have the gap after the motion, `d = d' − u_N h`.
//!
//! Methods that judge friction for a manifold as a whole spread it over the points afterwards. So a manifold has the
//! smaller of two figures: the worst of its points, and Signorini's law of its points with Coulomb's of its sums.

use drystone::World;
use drystone::math::{Displacement, Real, widen};
use drystone_resolution::problem::{Local, project_on_cone};

/// How far a step is from the laws, m/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Law {
    /// Natural map of the worst manifold.
    pub(super) residual: f64,
    /// Fastest approach that is left, beyond what closes a gap.
    pub(super) closing: f64,
    /// Friction of a manifold outside of Coulomb's cone, at most.
    pub(super) outside_cone: f64,
}

/// Multiple of `g dt` above which an impulse is a blow, and may come back.
const BLOW: f64 = 2.0;
/// Multiple of `g dt` of slip from which friction is kinetic.
const SLIDES: f64 = 0.1;

/// A contact point in its frame: normal, two tangents.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// Impulse on B times `k`, m/s.
    push: Local,
    /// Velocity of B relative to A, m/s.
    velocity: Local,
    /// The same along the normal, beyond what closes a gap.
    normal_velocity: f64,
    /// `ũ` of the module.
    judged: f64,
}

impl Law {
    /// Of a step of `dt` (s) whose velocities move bodies for `motion` (s) under this acceleration (m/s²).
    pub(super) fn of(world: &World, [dt, motion]: [f64; 2], acceleration: f64) -> Self {
        let bodies = world.body_store();
        let unit = acceleration * dt;
        let mut law = Self::default();
        for index in world.graph().edge_indices() {
            let manifold = &world.graph().edge(index).manifold;
            let [a, b] = [manifold.body_a, manifold.body_b];
            let frame = frame(&widen(&manifold.normal));
            let material = &manifold.material;
            let restitution = f64::from(material.restitution);
            let points = manifold.points().iter().map(|point| {
                let part = |body, arm| {
                    let hot = bodies.hot(body);
                    let k = bodies.inverse_inertia(body).collision_matrix(hot.inverse_mass, arm);
                    if hot.is_dynamic() { manifold.normal.dot(&(k * manifold.normal)) } else { 0.0 }
                };
                let inverse_mass = f64::from(part(a, &point.arm_a) + part(b, &point.arm_b));
                let ends = [(a, &point.arm_a), (b, &point.arm_b)];
                let [of_a, of_b] = ends.map(|(body, arm)| widen(&bodies.hot(body).velocity_at(arm)));
                let in_frame =
                    |v: &Displacement| Local::new(frame[0].dot(v), frame[1].dot(v), frame[2].dot(v));
                let velocity = in_frame(&(of_b - of_a));
                let push = in_frame(&widen(&point.impulse)) * inverse_mass;
                let moved = if motion < dt { velocity.x * motion } else { 0.0 };
                let gap = (f64::from(point.distance) - moved).max(0.0);
                let normal_velocity = velocity.x + gap / motion;
                let is_blow = restitution > 0.0 && push.x > BLOW * unit;
                let back = restitution / (1.0 + restitution) * push.x + unit;
                let comes_back = is_blow && velocity.x > 0.0;
                let judged = if comes_back { (velocity.x - back).max(0.0) } else { normal_velocity };
                Point { push, velocity, normal_velocity, judged }
            });
            let points: Vec<Point> = points.collect();
            law.add(&points, [material.static_friction, material.kinetic_friction], unit);
        }
        law
    }

    /// Adds a manifold with this static and kinetic friction.
    fn add(&mut self, points: &[Point], friction: [Real; 2], unit: f64) {
        if points.is_empty() {
            return;
        }
        let [sum, mean] = points.iter().fold([Local::zeros(); 2], |[sum, mean], point| {
            [sum + point.push, mean + point.velocity / points.len() as f64]
        });
        let slip = |u: &Local| u.y.hypot(u.z);
        let [fixed, sliding] = friction.map(f64::from);
        let mu = |u: &Local| if slip(u) > SLIDES * unit { sliding } else { fixed };
        let at_points = points.iter().map(|p| {
            let mu = mu(&p.velocity);
            let raised = Local::new(p.judged + mu * slip(&p.velocity), p.velocity.y, p.velocity.z);
            (p.push - project_on_cone(&(p.push - raised), mu)).norm()
        });
        let normal = points.iter().map(|p| p.push.x.min(p.judged).abs()).fold(0.0, f64::max);
        let of_sums = normal.max(coulomb(&sum, &mean, mu(&mean)));
        self.residual = self.residual.max(at_points.fold(0.0, f64::max).min(of_sums));
        let closing = points.iter().map(|p| -p.normal_velocity).fold(0.0, f64::max);
        self.closing = self.closing.max(closing);
        let outside = slip(&sum) - fixed.max(sliding) * sum.x;
        self.outside_cone = self.outside_cone.max(outside);
    }
}

/// Coulomb's law of a push and a velocity: how far the tangential push is from the one that the disc of friction allows.
fn coulomb(push: &Local, velocity: &Local, mu: f64) -> f64 {
    let [y, z] = [push.y - velocity.y, push.z - velocity.z];
    let (length, radius) = (y.hypot(z), mu * push.x.max(0.0));
    let share = if length > radius { radius / length } else { 1.0 };
    (push.y - share * y).hypot(push.z - share * z)
}

/// A normal and two tangents.
fn frame(normal: &Displacement) -> [Displacement; 3] {
    // Across the axis that is farthest from the normal.
    let axis = normal.iamin();
    let first = normal.cross(&Displacement::ith(axis, 1.0)).normalize();
    [*normal, first, normal.cross(&first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(push: [f64; 3], velocity: [f64; 3]) -> Point {
        let velocity = Local::from(velocity);
        Point { push: Local::from(push), velocity, normal_velocity: velocity.x, judged: velocity.x }
    }

    fn law(points: &[Point]) -> Law {
        let mut law = Law::default();
        law.add(points, [0.5, 0.5], 0.01);
        law
    }

    #[test]
    fn what_obeys_the_laws_measures_nothing() {
        // Sticking, sliding, parting.
        for p in [
            point([2.0, 0.5, -0.5], [0.0; 3]),
            point([2.0, -1.0, 0.0], [0.0, 3.0, 0.0]),
            point([0.0; 3], [1.0; 3]),
        ] {
            assert!(law(&[p]).residual < 1e-12, "{p:?}");
        }
        // Friction of a manifold that is inside the cone as a whole only.
        let spread = law(&[point([2.0, 0.5, 0.0], [0.0; 3]), point([0.1, 0.5, 0.0], [0.0; 3])]);
        assert_eq!((spread.residual, spread.outside_cone), (0.0, 0.0));
    }

    #[test]
    fn each_way_to_miss_the_laws_shows() {
        let closing = law(&[point([1.0, 0.0, 0.0], [-0.25, 0.0, 0.0])]);
        assert_eq!((closing.closing, closing.residual), (0.25, 0.25));
        let outside = law(&[point([1.0, 2.0, 0.0], [0.0; 3])]);
        assert_eq!((outside.outside_cone, outside.residual >= 1.0), (1.5, true));
        // Slips, and friction does nothing against it: (0.5, -3) is nearest to (1.6, -0.8) of the cone, and the push is (2, 0).
        let free = law(&[point([2.0, 0.0, 0.0], [0.0, 3.0, 0.0])]).residual;
        assert!((free - 0.4_f64.hypot(0.8)).abs() < 1e-12, "{free}");
        // Pulled together where it parts.
        assert_eq!(law(&[point([0.5, 0.0, 0.0], [3.0, 0.0, 0.0])]).residual, 0.5);
    }
}
