//! One contact point as the resolver sees it, and the impulse that resolves it (Algorithms 7, 8, 11).

use crate::bounce::Bounce;
use drystone_contact::{BodyIndex, PairMaterial};
use drystone_math::{Real, Symmetric3, Vector3};

/// A body inside a batch. Entry 0 of a batch cannot move.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct LocalBody {
    pub(super) linear: Vector3,
    pub(super) inverse_mass: Real,
    /// 1 along the axes on which the body may move, 0 along locked ones.
    pub(super) free: Vector3,
    pub(super) angular: Vector3,
    /// Breadth-first level; 0 for what cannot move.
    pub(super) level: u32,
    pub(super) inverse_inertia: Symmetric3,
    pub(super) is_awake: bool,
}

impl LocalBody {
    /// What cannot move.
    pub(super) const IMMOVABLE: Self = Self {
        linear: Vector3::new(0.0, 0.0, 0.0),
        inverse_mass: 0.0,
        free: Vector3::new(1.0, 1.0, 1.0),
        angular: Vector3::new(0.0, 0.0, 0.0),
        level: 0,
        inverse_inertia: Symmetric3::ZERO,
        is_awake: false,
    };

    /// True when the body can be pushed and its level is not frozen.
    #[inline]
    pub(super) fn moves(&self, frozen_below: u32) -> bool {
        self.inverse_mass > 0.0 && self.level >= frozen_below
    }

    /// Velocity at an arm from the centre of mass, m/s.
    #[inline]
    pub(super) fn velocity_at(&self, arm: &Vector3) -> Vector3 {
        self.linear + self.angular.cross(arm)
    }
}

/// One contact point of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Local indices of A and B.
    pub(super) bodies: [u32; 2],
    /// Rows of the same manifold from this one on, itself included.
    pub(super) left_in_manifold: u32,
    pub(super) normal: Vector3,
    pub(super) arm_a: Vector3,
    pub(super) arm_b: Vector3,
    /// Approach that is no collision, m/s: a gap may close within the step; negative demands of a deep overlap
    /// that it separates.
    pub(super) allowed_approach: Real,
    /// Normal velocity of a resolved contact that does not bounce, m/s: a gap closes, an overlap is taken
    /// back.
    pub(super) resting_velocity: Real,
    /// The same once the contact closes again after it was resolved, m/s (see
    /// [`super::ImpulseConfig::overshoot`]).
    pub(super) repeated_velocity: Real,
    /// What a bounce at the place of the impact leaves at the present one.
    pub(super) bounce: Bounce,
    /// Tangential velocity that a sticking contact is asked for, m/s: back to where it stuck.
    pub(super) return_velocity: Vector3,
    /// Velocity of the surface of B over the surface of A beside that of the bodies, m/s; tangential.
    pub(super) surface_velocity: Vector3,
    pub(super) material: PairMaterial,
    /// Sum of the impulses on B so far, N·s.
    pub(super) impulse: Vector3,
    /// The part of it that rests, and may begin the next step, N·s.
    pub(super) total: Vector3,
    /// Which masses the matrices below belong to; [`Masses::NONE`] before the first use.
    pub(super) masses: Masses,
    /// Inverse collision matrix, kg.
    pub(super) inverse_k: Symmetric3,
    /// Collision matrix times the normal, 1/kg.
    pub(super) k_normal: Vector3,
    /// Of this the part along the normal, 1/kg.
    pub(super) k_nn: Real,
}

/// Which of the two bodies count with their mass (the others are infinite).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Masses(u8);

impl Masses {
    /// Matrices were never computed.
    pub(super) const NONE: Self = Self(0xFF);

    #[inline]
    pub(super) fn new(a_moves: bool, b_moves: bool) -> Self {
        Self(u8::from(a_moves) | u8::from(b_moves) << 1)
    }

    #[inline]
    pub(super) fn a(self) -> bool {
        self.0 & 1 != 0
    }

    #[inline]
    pub(super) fn b(self) -> bool {
        self.0 & 2 != 0
    }
}

/// What resolving a contact did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Resolved {
    /// Velocity changes of A.
    pub(super) linear_a: Vector3,
    pub(super) angular_a: Vector3,
    /// Velocity changes of B.
    pub(super) linear_b: Vector3,
    pub(super) angular_b: Vector3,
    /// True when the impulse was scaled back to add no energy.
    pub(super) is_scaled: bool,
}

/// Speeds and switches that a resolution needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResolveParams {
    /// Closing speed below which a contact does not bounce, m/s (Algorithm 11).
    pub(super) restitution_speed: Real,
    /// Closing speed above which no impulse may add energy, whatever the rule, m/s (see [`StepSpeeds::calmed_above`]).
    ///
    /// [`StepSpeeds::calmed_above`]: super::speeds::StepSpeeds::calmed_above
    pub(super) blow_speed: Real,
    pub(super) energy: EnergyRule,
}

/// What is done with an impulse that would add kinetic energy (S2-32).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnergyRule {
    /// Nothing.
    Free,
    /// It is scaled back.
    Scale,
    /// It is left to a joint solve (`super::joint`).
    Joint,
}

impl EnergyRule {
    pub(super) fn is_safe(self) -> bool {
        self != Self::Free
    }
}

impl Row {
    /// Velocity of the surface of B relative to that of A at the contact, m/s.
    #[inline]
    pub(super) fn relative_velocity(&self, a: &LocalBody, b: &LocalBody) -> Vector3 {
        self.body_velocity(a, b) + self.surface_velocity
    }

    /// The same of the bodies: its part along the normal is that of the surfaces.
    #[inline]
    fn body_velocity(&self, a: &LocalBody, b: &LocalBody) -> Vector3 {
        b.velocity_at(&self.arm_b) - a.velocity_at(&self.arm_a)
    }

    /// Velocity of B relative to A beyond the one that a contact at rest is asked for, m/s.
    #[inline]
    pub(super) fn velocity_beyond_rest(&self, a: &LocalBody, b: &LocalBody) -> Vector3 {
        self.relative_velocity(a, b) - self.normal * self.resting_velocity - self.return_velocity
    }

    /// Closing speed beyond what is allowed, m/s: positive means there is something to resolve (S1-48).
    #[inline]
    pub(super) fn excess(&self, a: &LocalBody, b: &LocalBody) -> Real {
        self.excess_of(&self.body_velocity(a, b))
    }

    /// The same for a known relative velocity.
    #[inline]
    pub(super) fn excess_of(&self, u: &Vector3) -> Real {
        -self.normal.dot(u) - self.allowed_approach
    }

    /// Computes the collision matrix for a set of masses (S1-52): `K = K_A + K_B`,
    /// `K_X = m⁻¹ 1 − [r]ₓ I⁻¹ [r]ₓ`.
    #[inline]
    pub(super) fn prepare(&mut self, a: &LocalBody, b: &LocalBody, masses: Masses) -> Symmetric3 {
        let part = |moves: bool, body: &LocalBody, arm: &Vector3| {
            if !moves {
                return Symmetric3::ZERO;
            }
            body.inverse_inertia.collision_matrix(0.0, arm)
                + Symmetric3::from_diagonal(&(body.free * body.inverse_mass))
        };
        let k = part(masses.a(), a, &self.arm_a) + part(masses.b(), b, &self.arm_b);
        self.k_normal = k * self.normal;
        self.k_nn = self.normal.dot(&self.k_normal);
        // Along locked axes nothing can be changed: rows of zeros, left out of the inverse. What stands on the diagonal there
        // meanwhile is as large as the rest, so that neither is lost beside the other. A matrix that is singular otherwise: push
        // along the normal only.
        let locked = Vector3::new(k.xx, k.yy, k.zz).map(|entry| Real::from(u8::from(entry <= 0.0)));
        let padded = k + Symmetric3::from_diagonal(&(locked * k.scale()));
        self.inverse_k = padded.inverse().map_or(Symmetric3::ZERO, |inverse| Symmetric3 {
            xx: inverse.xx * (1.0 - locked.x),
            yy: inverse.yy * (1.0 - locked.y),
            zz: inverse.zz * (1.0 - locked.z),
            ..inverse
        });
        self.masses = masses;
        k
    }

    /// The impulse on B, N·s, that resolves the contact (Algorithm 8 in world axes and our signs).
    ///
    /// The wanted change of the relative velocity is `−u_t` along the tangents (static trial, S1-55) and
    /// along the normal what turns the closing speed into `e` times itself (at the place of the impact, see
    /// [`Bounce`]), or into the allowed approach when that is less of a change or the closing speed is
    /// below the restitution threshold (Algorithm 11). When the trial impulse leaves the static cone, the tangential part is scaled to `μ_k` times
    /// the normal part, which keeps the wanted normal change (S1-56):
    /// ```text
    /// j = j_n (n + μ_k d),  d = j_t / |j_t|,  j_n = Δu_n / (nᵀ K (n + μ_k d))
    /// ```
    #[inline]
    fn impulse_for(&self, u: &Vector3, params: &ResolveParams) -> Vector3 {
        let n = self.normal;
        let closing = -n.dot(u);
        let after = if closing > params.restitution_speed {
            self.bounce.speed_after(closing, self.material.restitution, self.resting_velocity)
        } else {
            self.resting_velocity
        };
        let normal_change = closing + after;
        let tangential = u + n * closing;
        let trial = self.inverse_k * (n * normal_change - tangential + self.return_velocity);
        let trial_normal = n.dot(&trial);
        let trial_tangential = trial - n * trial_normal;
        let (tangential_squared, limit) =
            (trial_tangential.norm_squared(), self.material.static_friction * trial_normal);
        if trial_normal > 0.0 && tangential_squared <= limit * limit {
            return trial;
        }
        let k_nn = self.k_nn;
        if k_nn <= 0.0 {
            return Vector3::zeros();
        }
        if self.inverse_k == Symmetric3::ZERO {
            return n * (normal_change / k_nn);
        }
        // Sliding. Without a tangential trial (or a trial that pulls) the direction is against the slip.
        // The slip is that in the middle of the blow: what was there, and half of what the normal part makes
        // through the coupling. A blow without slip before it slides in the direction that it makes itself.
        let coupled = (self.k_normal - n * k_nn) * (0.5 * normal_change / k_nn);
        let middle = tangential + coupled;
        let slip = middle.norm();
        let direction = if slip > 0.0 { middle / -slip } else { Vector3::zeros() };
        let effective = k_nn + self.material.kinetic_friction * self.k_normal.dot(&direction);
        // Strong friction against a coupled matrix can make the denominator vanish (Painlevé): then push
        // along the normal only, which always separates.
        if effective < MIN_EFFECTIVE_SHARE * k_nn {
            return n * (normal_change / k_nn);
        }
        (n + direction * self.material.kinetic_friction) * (normal_change / effective)
    }

    /// Resolves the contact with the relative velocity `u`: changes the velocities of both bodies (those with
    /// mass) and returns the changes. `None`, and nothing done, when that is left to a joint solve.
    #[inline]
    pub(super) fn resolve(
        &mut self,
        a: &mut LocalBody,
        b: &mut LocalBody,
        u: &Vector3,
        params: &ResolveParams,
    ) -> Option<Resolved> {
        let mut j = self.impulse_for(u, params);
        let mut resolved = self.changes(a, b, &j);
        if params.energy.is_safe() || -self.normal.dot(u) > params.blow_speed {
            // Work on the pair: j·u + j·K j / 2; K j is the change of the relative velocity.
            let change = resolved.linear_b + resolved.angular_b.cross(&self.arm_b)
                - resolved.linear_a
                - resolved.angular_a.cross(&self.arm_a);
            let (linear, quadratic) = (j.dot(u), j.dot(&change));
            if linear + 0.5 * quadratic > 0.0 && quadratic > 0.0 {
                if params.energy == EnergyRule::Joint {
                    return None;
                }
                j *= (-2.0 * linear / quadratic).max(0.0);
                resolved = self.changes(a, b, &j);
                resolved.is_scaled = true;
            }
        }
        self.impulse += j;
        self.resting_velocity = self.repeated_velocity;
        self.apply(a, b, &resolved);
        Some(resolved)
    }

    /// Changes the velocities of both bodies (those with mass) by an impulse on B, and nothing else.
    #[inline]
    pub(super) fn push(&self, a: &mut LocalBody, b: &mut LocalBody, impulse: &Vector3) {
        let resolved = self.changes(a, b, impulse);
        self.apply(a, b, &resolved);
    }

    /// Velocity of B relative to A, and its slip beyond what is asked for (m/s); `None` when the slip is not above
    /// `threshold` (m/s).
    #[inline]
    pub(super) fn slip_above(
        &self,
        a: &LocalBody,
        b: &LocalBody,
        threshold: Real,
    ) -> Option<(Vector3, Vector3)> {
        let u = self.relative_velocity(a, b);
        let slip = u - self.normal * self.normal.dot(&u) - self.return_velocity;
        (slip.norm_squared() > threshold * threshold).then_some((u, slip))
    }

    /// Stops the `slip` of a contact of a loaded manifold, when static friction can: changes the velocities of
    /// both bodies and returns the changes. `u` is the relative velocity (see [`Row::slip_above`]). When the
    /// manifold would leave its static cone, it slides and gets what is left of the kinetic cone. `None` when
    /// nothing is left of it.
    ///
    /// The impulse takes the slip to zero and leaves the normal velocity as it is; where that would need a
    /// pull, it is tangential only. Either way it never adds energy.
    #[inline]
    pub(super) fn hold(
        &mut self,
        a: &mut LocalBody,
        b: &mut LocalBody,
        load: &mut Load,
        u: &Vector3,
        slip: &Vector3,
        energy_safe: bool,
    ) -> Option<Resolved> {
        let n = self.normal;
        let mut j = self.inverse_k * -*slip;
        if n.dot(&self.impulse) + n.dot(&j) < 0.0 {
            let k_n = self.inverse_k * n;
            let along = n.dot(&k_n);
            if along <= 0.0 {
                return None;
            }
            j -= k_n * (n.dot(&j) / along);
        }
        let share = load.share_of(self, &j);
        if share < LEAST_SHARE {
            return None;
        }
        j *= share;
        let resolved = self.changes(a, b, &j);
        if energy_safe {
            // Of a separating contact it may add energy, through the coupling.
            let change = resolved.linear_b + resolved.angular_b.cross(&self.arm_b)
                - resolved.linear_a
                - resolved.angular_a.cross(&self.arm_a);
            if j.dot(u) + 0.5 * j.dot(&change) > 0.0 {
                return None;
            }
        }
        load.add(self, &j);
        self.impulse += j;
        self.apply(a, b, &resolved);
        Some(resolved)
    }

    /// Changes both velocities.
    #[inline]
    fn apply(&self, a: &mut LocalBody, b: &mut LocalBody, resolved: &Resolved) {
        a.linear += resolved.linear_a;
        a.angular += resolved.angular_a;
        b.linear += resolved.linear_b;
        b.angular += resolved.angular_b;
    }

    /// How far the contact has slipped since it stuck, after this step (m): grows by this step's slip while
    /// it is slower than `limit` (m/s), and is zero otherwise. For contacts whose manifold sticks.
    #[inline]
    pub(super) fn slip_after(&self, slip: &Vector3, ends: [&LocalBody; 2], limit: Real, dt: Real) -> Vector3 {
        let n = self.normal;
        let u = self.relative_velocity(ends[0], ends[1]);
        let tangential = u - n * n.dot(&u);
        if tangential.norm_squared() > limit * limit {
            return Vector3::zeros();
        }
        let sum = slip + tangential * dt;
        sum - n * n.dot(&sum)
    }

    /// Velocity changes by an impulse on B (S1-50); bodies without mass do not change.
    #[inline]
    fn changes(&self, a: &LocalBody, b: &LocalBody, j: &Vector3) -> Resolved {
        let mut resolved = Resolved::default();
        if self.masses.a() {
            resolved.linear_a = j.component_mul(&a.free) * -a.inverse_mass;
            resolved.angular_a = a.inverse_inertia * -self.arm_a.cross(j);
        }
        if self.masses.b() {
            resolved.linear_b = j.component_mul(&b.free) * b.inverse_mass;
            resolved.angular_b = b.inverse_inertia * self.arm_b.cross(j);
        }
        resolved
    }
}

/// What a manifold carries in this step. Which of its points took how much is chance, and impulses of two
/// points against each other do nothing outside; so friction is judged for the manifold as a whole: its
/// tangential sum and its torsion about the middle of its points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// Sum of the normal impulses, N·s.
    pub(super) normal: Real,
    /// Sum of the tangential impulses, N·s.
    tangential: Vector3,
    /// Sum of their moments about the middle along the normal, N·m·s.
    torsion: Real,
    /// Middle of the points, arm from A, m.
    middle: Vector3,
    /// Largest tangential sum, N·s, and torsion, N·m·s, that static friction takes.
    limits: [Real; 2],
    /// Kinetic over static friction.
    kinetic_share: Real,
}

impl Load {
    /// The load of the rows of one manifold, of which there is at least one.
    pub(super) fn of(rows: &[Row]) -> Self {
        let first = &rows[0];
        let n = first.normal;
        let share = 1.0 / rows.len() as Real;
        let middle = rows.iter().fold(Vector3::zeros(), |sum, row| sum + row.arm_a) * share;
        let radius = rows.iter().map(|row| (row.arm_a - middle).norm()).sum::<Real>() * share;
        let sum = rows.iter().fold(Vector3::zeros(), |sum, row| sum + row.impulse);
        let normal = n.dot(&sum);
        let cone = first.material.static_friction * normal;
        Self {
            normal,
            tangential: sum - n * normal,
            torsion: rows.iter().map(|row| n.dot(&(row.arm_a - middle).cross(&row.impulse))).sum(),
            middle,
            limits: [cone, cone * radius],
            kinetic_share: if first.material.static_friction > 0.0 {
                first.material.kinetic_friction / first.material.static_friction
            } else {
                0.0
            },
        }
    }

    /// True when the rows of one manifold push.
    #[inline]
    pub(super) fn carries(rows: &[Row]) -> bool {
        let sum = rows.iter().fold(Vector3::zeros(), |sum, row| sum + row.impulse);
        rows.first().is_some_and(|row| row.normal.dot(&sum) > 0.0)
    }

    /// True while the manifold is inside its static cone.
    pub(super) fn sticks(&self) -> bool {
        self.normal > 0.0
            && self.tangential.norm_squared() <= self.limits[0] * self.limits[0]
            && self.torsion.abs() <= self.limits[1]
    }

    /// Tangential sum and torsion with an impulse at a row.
    fn with(&self, row: &Row, j: &Vector3) -> (Vector3, Real) {
        let n = row.normal;
        (self.tangential + j - n * n.dot(j), self.torsion + n.dot(&(row.arm_a - self.middle).cross(j)))
    }

    fn add(&mut self, row: &Row, j: &Vector3) {
        (self.tangential, self.torsion) = self.with(row, j);
    }

    /// The share of an impulse at a row that friction takes, in [0, 1]: all of it when the manifold stays
    /// inside its static cone (or comes nearer to it); otherwise it slides, and takes what is left of the
    /// kinetic cone.
    fn share_of(&self, row: &Row, j: &Vector3) -> Real {
        let (tangential, torsion) = self.with(row, j);
        let is_inside = |new: Real, old: Real, limit: Real| new <= limit.max(old);
        if is_inside(tangential.norm(), self.tangential.norm(), self.limits[0])
            && is_inside(torsion.abs(), self.torsion.abs(), self.limits[1])
        {
            return 1.0;
        }
        let [cone, moment] = self.limits.map(|limit| limit * self.kinetic_share);
        // |T + s (T' - T)|² = cone², the larger root; none when the sum is outside already.
        let way = tangential - self.tangential;
        let (a, b, c) =
            (way.norm_squared(), self.tangential.dot(&way), self.tangential.norm_squared() - cone * cone);
        let by_sum = if c >= 0.0 {
            0.0
        } else if a > 0.0 {
            (-b + (b * b - a * c).sqrt()) / a
        } else {
            1.0
        };
        let turn = torsion - self.torsion;
        let by_torsion = if turn == 0.0 { 1.0 } else { (moment - self.torsion * turn.signum()) / turn.abs() };
        by_sum.min(by_torsion).clamp(0.0, 1.0)
    }
}

/// Share of a holding impulse below which it is not worth applying.
const LEAST_SHARE: Real = 0.01;

/// Share of the normal effective mass below which the sliding solution is not trusted.
pub(super) const MIN_EFFECTIVE_SHARE: Real = 0.05;

/// Bodies of the contact with the worst residual, for the report.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Worst {
    pub(super) speed: Real,
    pub(super) bodies: Option<[BodyIndex; 2]>,
}
