//! What the suite works on: the bodies and contact points of a step, in double precision.

use super::SuiteConfig;
use crate::interior::{IMMOVABLE, ProgramContact};
use drystone_contact::{
    Batches, Bodies, BodyHot, BodyIndex, ContactGraph, ContactPoint, EdgeIndex, Manifold, StepParams,
};
use drystone_math::widen;
use nalgebra::{Matrix3, Vector3};

type Vector = Vector3<f64>;

/// A body that touches something.
#[derive(Clone, Copy, Debug)]
pub(super) struct SuiteBody {
    pub(super) index: BodyIndex,
    pub(super) linear: Vector,
    pub(super) angular: Vector,
    /// 1/kg along each axis; 0 where it is locked.
    pub(super) inverse_mass: Vector,
    /// 1/kg, whatever is locked.
    pub(super) unlocked_inverse_mass: f64,
    pub(super) inverse_inertia: Matrix3<f64>,
    /// Speed that all global forces give it in a step, m/s.
    pub(super) fall_speed: f64,
    /// Acceleration by all global forces along the axes that are not locked, m/s².
    pub(super) pull: Vector,
    /// Impulses move it.
    pub(super) is_dynamic: bool,
    pub(super) is_frozen: bool,
    /// It hangs together with something that a kinematic body moves.
    pub(super) is_driven: bool,
}

/// A contact point.
#[derive(Clone, Copy, Debug)]
pub(super) struct SuitePoint {
    /// A and B, by place in [`State::bodies`].
    pub(super) bodies: [u32; 2],
    pub(super) edge: EdgeIndex,
    pub(super) place: u32,
    /// Rows: normal, two tangents.
    pub(super) frame: Matrix3<f64>,
    pub(super) arms: [Vector; 2],
    /// Speed with which the gap closes within the step, m/s, at least 0.
    pub(super) gap_speed: f64,
    pub(super) restitution: f64,
    pub(super) friction: f64,
    /// On B so far, N·s, in its frame.
    pub(super) impulse: Vector,
    /// Touches without a gap.
    pub(super) is_closed: bool,
}

/// Bodies and points of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) bodies: Vec<SuiteBody>,
    pub(super) points: Vec<SuitePoint>,
    /// Manifolds with a surface velocity or rolling friction, of which S2 knows nothing.
    pub(super) surfaces_left_out: u32,
    /// Place of each body in `bodies`, by index; stale where the body is not in it.
    places: Vec<u32>,
}

impl State {
    /// Takes in everything that shares an island with something awake.
    pub(super) fn gather(
        &mut self,
        config: &SuiteConfig,
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        step: &StepParams,
    ) {
        self.bodies.clear();
        self.points.clear();
        self.surfaces_left_out = 0;
        self.places.clear();
        self.places.resize(bodies.capacity(), u32::MAX);
        let slip_speed = f64::from(config.slip_threshold * step.speed_unit());
        for &edge in batches.all_edges() {
            let manifold = &graph.edge(edge).manifold;
            let ends = [manifold.body_a, manifold.body_b].map(|body| self.place(bodies, body, step));
            let frame = frame(&widen(&manifold.normal));
            let has_more = manifold.has_surface_velocity() || manifold.material.rolling_friction > 0.0;
            self.surfaces_left_out += u32::from(has_more);
            for (place, point) in manifold.points().iter().enumerate() {
                let distance = f64::from(point.distance);
                let mut new = SuitePoint {
                    bodies: ends,
                    edge,
                    place: place as u32,
                    frame,
                    arms: [widen(&point.arm_a), widen(&point.arm_b)],
                    gap_speed: distance.max(0.0) / f64::from(step.dt),
                    restitution: f64::from(manifold.material.restitution),
                    friction: 0.0,
                    impulse: Vector::zeros(),
                    is_closed: distance <= 0.0,
                };
                let slip = self.velocity(&new).yz().norm();
                let is_sliding = slip > slip_speed;
                let material = &manifold.material;
                let friction = if is_sliding { material.kinetic_friction } else { material.static_friction };
                new.friction = f64::from(friction);
                self.points.push(new);
            }
        }
        if bodies.kinematic_count() > 0 {
            self.unfreeze_driven(bodies, graph, batches, step);
        }
    }

    /// Unfreezes what hangs together with something that a kinematic body touches or reaches within the step while it moves. No impulse tells that anything
    /// frozen was hit there, since neither end of such a contact is active; and what is frozen on top or behind would be a wall to what is pushed.
    fn unfreeze_driven(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        step: &StepParams,
    ) {
        for batch in batches.list() {
            if batches.edges(batch).iter().any(|&edge| is_driven(bodies, &graph.edge(edge).manifold, step)) {
                for &body in batches.bodies(batch) {
                    if let Some(place) = self.find(body) {
                        let body = &mut self.bodies[place];
                        (body.is_driven, body.is_frozen) = (true, false);
                    }
                }
            }
        }
    }

    fn place(&mut self, bodies: &Bodies, body: BodyIndex, step: &StepParams) -> u32 {
        let known = self.places[body.get()];
        if known != u32::MAX {
            return known;
        }
        let hot = bodies.hot(body);
        let locks = hot.locks();
        let is_dynamic = hot.is_dynamic() && hot.inverse_mass > 0.0;
        let inverse_mass = f64::from(hot.inverse_mass);
        let acceleration = step.global_acceleration_of(bodies, body);
        self.bodies.push(SuiteBody {
            index: body,
            linear: widen(&hot.linear),
            angular: widen(&hot.angular),
            inverse_mass: Vector::from(
                locks.translation.map(|is_locked| if is_locked { 0.0 } else { inverse_mass }),
            ),
            unlocked_inverse_mass: inverse_mass,
            inverse_inertia: bodies.inverse_inertia(body).to_matrix().map(f64::from),
            fall_speed: f64::from(acceleration.norm() * step.dt),
            pull: widen(&step.pull_on(bodies, body)),
            is_dynamic,
            is_frozen: is_dynamic && !bodies.is_awake(body),
            is_driven: false,
        });
        let place = self.bodies.len() as u32 - 1;
        self.places[body.get()] = place;
        place
    }

    /// Place of a body; `None` when it touches nothing that is awake.
    pub(super) fn find(&self, body: BodyIndex) -> Option<usize> {
        self.places.get(body.get()).copied().filter(|&place| place != u32::MAX).map(|place| place as usize)
    }

    /// Renews velocities after forces.
    pub(super) fn reload(&mut self, bodies: &Bodies) {
        for body in &mut self.bodies {
            let hot = bodies.hot(body.index);
            (body.linear, body.angular) = (widen(&hot.linear), widen(&hot.angular));
        }
    }

    /// Velocity of B relative to A at a point, in its frame, m/s.
    #[inline]
    pub(super) fn velocity(&self, point: &SuitePoint) -> Vector {
        let [a, b] = [0, 1].map(|side| {
            let body = &self.bodies[point.bodies[side] as usize];
            body.linear + body.angular.cross(&point.arms[side])
        });
        point.frame * (b - a)
    }

    /// Closing speed beyond what closes the gap, m/s.
    #[inline]
    pub(super) fn excess(&self, point: &SuitePoint) -> f64 {
        -self.velocity(point).x - point.gap_speed
    }

    /// Contacts between what is frozen or fixed are ignored (S2-19), and those of kinematic bodies with each other; what these drive is not frozen.
    #[inline]
    pub(super) fn is_active(&self, point: &SuitePoint) -> bool {
        point.bodies.iter().any(|&body| {
            let body = &self.bodies[body as usize];
            body.is_dynamic && !body.is_frozen
        })
    }

    /// Kinetic energy of the bodies that move freely, J.
    pub(super) fn kinetic_energy(&self) -> f64 {
        self.bodies.iter().filter(|body| body.is_dynamic).map(SuiteBody::kinetic_energy).sum()
    }

    /// Applies an impulse (N·s, in the point's frame) on B.
    pub(super) fn push(&mut self, point: usize, impulse: &Vector) {
        let p = &mut self.points[point];
        p.impulse += impulse;
        let world = p.frame.tr_mul(impulse);
        let (ends, arms) = (p.bodies, p.arms);
        for ((body, arm), sign) in ends.into_iter().zip(arms).zip([-1.0, 1.0]) {
            self.bodies[body as usize].push(&arm, &(world * sign));
        }
    }

    /// The point as a contact of a program; bodies for which `place` gives nothing cannot move.
    pub(super) fn contact(&self, point: &SuitePoint, place: impl Fn(u32) -> Option<u32>) -> ProgramContact {
        let u = self.velocity(point);
        let mut contact = ProgramContact {
            bodies: [IMMOVABLE; 2],
            jacobian: [[[0.0; 6]; 3]; 2],
            free: [u.x + point.gap_speed, u.y, u.z],
            friction: point.friction,
        };
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let Some(place) = place(point.bodies[side]) else { continue };
            contact.bodies[side] = place;
            let body = &self.bodies[point.bodies[side] as usize];
            for (row, jacobian) in contact.jacobian[side].iter_mut().enumerate() {
                let direction = point.frame.row(row).transpose();
                let turning = point.arms[side].cross(&direction);
                for axis in 0..3 {
                    let is_free = body.inverse_mass[axis] > 0.0;
                    jacobian[axis] = if is_free { sign * direction[axis] } else { 0.0 };
                    let turns = body.inverse_inertia[(axis, axis)] > 0.0;
                    jacobian[3 + axis] = if turns { sign * turning[axis] } else { 0.0 };
                }
            }
        }
        contact
    }
}

impl SuiteBody {
    /// Changes the velocities by an impulse (N·s, world) at an arm.
    pub(super) fn push(&mut self, arm: &Vector, impulse: &Vector) {
        if self.is_dynamic {
            self.linear += impulse.component_mul(&self.inverse_mass);
            self.angular += self.inverse_inertia * arm.cross(impulse);
        }
    }

    /// `M`: mass and inertia, with ones for locked axes.
    pub(super) fn mass(&self) -> [[f64; 6]; 6] {
        let mut mass = [[0.0; 6]; 6];
        let inertia = self.inertia();
        for axis in 0..3 {
            let inverse = self.inverse_mass[axis];
            mass[axis][axis] = if inverse > 0.0 { 1.0 / inverse } else { 1.0 };
            for other in 0..3 {
                mass[3 + axis][3 + other] = inertia[(axis, other)];
            }
        }
        mass
    }

    fn inertia(&self) -> Matrix3<f64> {
        let mut inverse = self.inverse_inertia;
        for axis in 0..3 {
            if inverse[(axis, axis)] <= 0.0 {
                inverse[(axis, axis)] = 1.0;
            }
        }
        // Rounded from single precision, so symmetric to the bit; positive definite as every inertia.
        inverse.try_inverse().map_or_else(Matrix3::identity, |inertia| (inertia + inertia.transpose()) * 0.5)
    }

    /// `M v`, kg m/s and kg m²/s.
    pub(super) fn momentum(&self) -> [f64; 6] {
        let mass = self.mass();
        let velocity = [self.linear, self.angular];
        std::array::from_fn(|row| (0..6).map(|k| mass[row][k] * velocity[k / 3][k % 3]).sum())
    }

    /// True when it has a velocity.
    pub(super) fn is_moving(&self) -> bool {
        self.linear != Vector::zeros() || self.angular != Vector::zeros()
    }

    /// Kinetic energy, J.
    pub(super) fn kinetic_energy(&self) -> f64 {
        let momentum = self.momentum();
        (0..6).map(|k| 0.5 * momentum[k] * [self.linear, self.angular][k / 3][k % 3]).sum()
    }

    /// Adds to the velocities.
    pub(super) fn change(&mut self, change: &[f64; 6], share: f64) {
        for axis in 0..3 {
            self.linear[axis] += share * change[axis];
            self.angular[axis] += share * change[3 + axis];
        }
    }
}

/// True for a contact with a kinematic body that moves, where the gap is closed or closes within the step.
fn is_driven(bodies: &Bodies, manifold: &Manifold, step: &StepParams) -> bool {
    let [a, b] = [manifold.body_a, manifold.body_b].map(|body| bodies.hot(body));
    let moves = |hot: &BodyHot| hot.is_kinematic() && (hot.linear, hot.angular) != Default::default();
    let closes = |point: &ContactPoint| {
        let opening = (b.velocity_at(&point.arm_b) - a.velocity_at(&point.arm_a)).dot(&manifold.normal);
        point.distance <= 0.0 || point.distance + opening * step.dt < 0.0
    };
    (moves(a) || moves(b)) && manifold.points().iter().any(closes)
}

/// Normal and two tangents, by rows.
fn frame(normal: &Vector) -> Matrix3<f64> {
    let normal = normal.normalize();
    let least = normal.iamin();
    let first = normal.cross(&Vector::ith(least, 1.0)).normalize();
    let second = normal.cross(&first);
    Matrix3::from_rows(&[normal.transpose(), first.transpose(), second.transpose()])
}
