//! S1's equations restated in `f64`, in S1's own contact coordinates and signs (normal from B to A), as the
//! reference for the engine's resolution in world axes. Trusted because every line is an equation of S1, but
//! for the direction of sliding friction; slow, and nothing is kept from one iteration to the next.

use super::Rig;
use drystone_math::{Displacement, Real, widen};

/// A body with its inverse masses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefBody {
    pub(crate) linear: Displacement,
    pub(crate) angular: Displacement,
    inverse_mass: f64,
    /// Columns of the inverse world inertia.
    inverse_inertia: [Displacement; 3],
}

impl RefBody {
    fn spin(&self, torque: &Displacement) -> Displacement {
        let columns = &self.inverse_inertia;
        columns[0] * torque.x + columns[1] * torque.y + columns[2] * torque.z
    }

    fn velocity_at(&self, arm: &Displacement) -> Displacement {
        self.linear + self.angular.cross(arm)
    }

    fn push(&mut self, arm: &Displacement, impulse: &Displacement) {
        self.linear += impulse * self.inverse_mass;
        self.angular += self.spin(&arm.cross(impulse));
    }

    /// This body's share of the collision matrix times a vector: velocity change at the arm per impulse
    /// (equations 3.4.9 to 3.4.11).
    fn collision(&self, arm: &Displacement, impulse: &Displacement) -> Displacement {
        impulse * self.inverse_mass + self.spin(&arm.cross(impulse)).cross(arm)
    }
}

/// A contact point; the normal is S1's, from B to A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefContact {
    pub(crate) ends: [usize; 2],
    pub(crate) normal: Displacement,
    arms: [Displacement; 2],
    restitution: f64,
    static_friction: f64,
    kinetic_friction: f64,
}

/// Impulse of Algorithm 8, and how far its decisions are from going the other way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefImpulse {
    /// On A, world axes, N·s.
    pub(crate) on_a: Displacement,
    pub(crate) is_static: bool,
    /// Relative distance from the border of the static cone.
    pub(crate) margin: f64,
    /// Condition number of the collision matrix (Frobenius).
    pub(crate) condition: f64,
    /// The trial pushes, and the sliding solution's denominator is far from 0: what S1 takes for granted.
    pub(crate) is_ordinary: bool,
}

impl RefContact {
    fn relative_velocity(&self, bodies: &[RefBody]) -> Displacement {
        let [a, b] = self.ends;
        bodies[a].velocity_at(&self.arms[0]) - bodies[b].velocity_at(&self.arms[1])
    }

    /// Closing speed, m/s (equation 3.6.1).
    pub(crate) fn closing_speed(&self, bodies: &[RefBody]) -> f64 {
        -self.normal.dot(&self.relative_velocity(bodies))
    }

    /// The contact frame of equations 3.3.1 to 3.3.4 (S1-47).
    fn frame(&self) -> [Displacement; 3] {
        let x = self.normal;
        let y =
            if x.z == 0.0 { Displacement::new(x.y, -x.x, 0.0) } else { Displacement::new(0.0, x.z, -x.y) };
        let y = y.normalize();
        [x, y, x.cross(&y)]
    }

    /// Algorithm 8 with Algorithm 11's threshold.
    pub(crate) fn impulse(&self, bodies: &[RefBody], restitution_speed: f64) -> RefImpulse {
        let frame = self.frame();
        let [a, b] = self.ends;
        // K_contact = Bᵀ K B, entry by entry: rows are the frame's axes, columns what they are pushed to.
        let columns = frame.map(|axis| {
            let pushed =
                bodies[a].collision(&self.arms[0], &axis) + bodies[b].collision(&self.arms[1], &axis);
            Displacement::from_fn(|i, _| frame[i].dot(&pushed))
        });
        let velocity = self.relative_velocity(bodies);
        let v = Displacement::from_fn(|i, _| frame[i].dot(&velocity));
        let restitution = if -v.x > restitution_speed { self.restitution } else { 0.0 };
        let wanted = Displacement::new(-(1.0 + restitution) * v.x, -v.y, -v.z);
        let trial = solve(&columns, &wanted);
        let tangential = trial.y.hypot(trial.z);
        let limit = self.static_friction * trial.x;
        let is_static = tangential <= limit;
        let mut j = trial;
        let mut is_ordinary = trial.x > 0.0;
        if !is_static {
            // Equations 3.5.5 to 3.5.8 with the engine's one departure: the kinetic impulse acts against the
            // slip, not along the trial.
            let half = 0.5 * wanted.x / columns[0].x;
            let middle = (v.y + half * columns[0].y, v.z + half * columns[0].z);
            let slip = middle.0.hypot(middle.1);
            let (y, z) = (-middle.0 / slip, -middle.1 / slip);
            // K is symmetric: row 0 is column 0.
            let denominator = columns[0].x + self.kinetic_friction * (columns[0].y * y + columns[0].z * z);
            let normal = wanted.x / denominator;
            let along = self.kinetic_friction * normal;
            j = Displacement::new(normal, along * y, along * z);
            is_ordinary &= denominator > 0.1 * columns[0].x;
        }
        let norm = |m: &[Displacement; 3]| m.iter().map(|c| c.norm_squared()).sum::<f64>().sqrt();
        let axes = [Displacement::x(), Displacement::y(), Displacement::z()];
        let inverse = axes.map(|axis| solve(&columns, &axis));
        RefImpulse {
            on_a: frame[0] * j.x + frame[1] * j.y + frame[2] * j.z,
            is_static,
            margin: (tangential - limit).abs() / tangential.max(limit.abs()).max(1e-30),
            condition: norm(&columns) * norm(&inverse),
            is_ordinary,
        }
    }

    /// Applies an impulse: `+` on A, `-` on B (equation 3.4.4).
    pub(crate) fn apply(&self, bodies: &mut [RefBody], on_a: &Displacement) {
        let [a, b] = self.ends;
        bodies[a].push(&self.arms[0], on_a);
        bodies[b].push(&self.arms[1], &-on_a);
    }
}

/// Cramer's rule for a matrix given by columns.
fn solve(columns: &[Displacement; 3], right: &Displacement) -> Displacement {
    let [x, y, z] = columns;
    let determinant = x.dot(&y.cross(z));
    let entries = [right.dot(&y.cross(z)), x.dot(&right.cross(z)), x.dot(&y.cross(right))];
    Displacement::from_fn(|i, _| entries[i] / determinant)
}

/// Bodies and contact points of a rig, as they are now. Entries of what cannot be pushed have no masses.
pub(crate) fn read(rig: &Rig) -> (Vec<RefBody>, Vec<RefContact>) {
    let bodies = (0..rig.bodies.capacity())
        .map(|i| {
            let hot = &rig.bodies.view().hot[i];
            let inertia = rig.bodies.view().inverse_inertia[i].to_matrix();
            RefBody {
                linear: widen(&hot.linear),
                angular: widen(&hot.angular),
                inverse_mass: hot.inverse_mass.into(),
                inverse_inertia: [0, 1, 2].map(|k| Displacement::from_fn(|row, _| inertia[(row, k)].into())),
            }
        })
        .collect();
    let mut contacts = Vec::new();
    for edge in rig.graph.edge_indices() {
        let manifold = &rig.graph.edge(edge).manifold;
        contacts.extend(manifold.points().iter().map(|point| RefContact {
            ends: [manifold.body_a.get(), manifold.body_b.get()],
            normal: -widen(&manifold.normal),
            arms: [widen(&point.arm_a), widen(&point.arm_b)],
            restitution: manifold.material.restitution.into(),
            static_friction: manifold.material.static_friction.into(),
            kinetic_friction: manifold.material.kinetic_friction.into(),
        }));
    }
    (bodies, contacts)
}

/// What Algorithm 9 did.
#[derive(Clone, Debug)]
pub(crate) struct RefRun {
    pub(crate) bodies: Vec<RefBody>,
    pub(crate) iterations: u64,
    /// Smallest relative distance of a decision (which contact, which friction, closing or not) from going
    /// the other way: below it, rounding may lead elsewhere.
    pub(crate) margin: f64,
    /// Product of the condition numbers met: how much the rounding may have grown.
    pub(crate) condition: f64,
    pub(crate) is_ordinary: bool,
}

/// Algorithm 9: highest closing speed first, everything computed anew in each iteration.
pub(crate) fn algorithm_9(rig: &Rig, limit: u64, threshold: Real, restitution_speed: Real) -> RefRun {
    let (bodies, contacts) = read(rig);
    let mut run = RefRun { bodies, iterations: 0, margin: 1.0, condition: 1.0, is_ordinary: true };
    let (threshold, restitution_speed) = (f64::from(threshold), f64::from(restitution_speed));
    while run.iterations < limit {
        let mut speeds: Vec<(f64, usize)> =
            contacts.iter().enumerate().map(|(i, c)| (c.closing_speed(&run.bodies), i)).collect();
        speeds.sort_by(|x, y| y.0.total_cmp(&x.0));
        let (best, chosen) = speeds[0];
        let second = speeds.get(1).map_or(f64::NEG_INFINITY, |s| s.0);
        let relative = |x: f64, y: f64| ((x - y) / x.abs().max(1e-30)).abs();
        run.margin = run.margin.min(relative(best, threshold));
        if best <= threshold {
            return run;
        }
        let impulse = contacts[chosen].impulse(&run.bodies, restitution_speed);
        run.margin = run.margin.min(relative(best, second)).min(relative(best, restitution_speed));
        run.margin = run.margin.min(impulse.margin);
        run.condition = run.condition.max(impulse.condition);
        run.is_ordinary &= impulse.is_ordinary;
        contacts[chosen].apply(&mut run.bodies, &impulse.on_a);
        run.iterations += 1;
    }
    run
}
