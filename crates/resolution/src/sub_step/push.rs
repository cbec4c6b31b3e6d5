//! What a sub-step does to a body without contacts, and its velocity before the contacts of the sub-step.
//!
//! Rows of eight floats, like those of the hot records: a body is worked on in one go. The entries of a hot row that
//! are no velocities (its inverse mass and its flags) take no part and keep their bits.
#![expect(unsafe_code, reason = "changes disjoint bodies of one array")]

mod energies;

use super::rest::{squared_radius, squared_speed};
use drystone_contact::{Bodies, BodyHot, BodyIndex, Row, SharedBodyStates, StepParams};
use drystone_math::wide::{Isa, Kernel, Lanes, Wide};
use drystone_math::{Real, Symmetric3, Vector3};

pub(super) use energies::{Energies, Looked, energies, gain, is_open, may_give};

/// Entries of a row that are velocities.
const VELOCITIES: u8 = 0b0111_0111;
/// A row of nothing.
const NOTHING: Row = [0.0; 8];

/// A row of two vectors.
fn row(linear: Vector3, angular: Vector3) -> Row {
    [linear.x, linear.y, linear.z, 0.0, angular.x, angular.y, angular.z, 0.0]
}

/// Both vectors of a row.
fn vectors(row: &Row) -> [Vector3; 2] {
    [Vector3::new(row[0], row[1], row[2]), Vector3::new(row[4], row[5], row[6])]
}

/// See the module.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Push {
    /// Change of the velocity by forces, m/s and rad/s.
    forces: Row,
    /// What damping leaves, and 0 for locked axes; 1 and 0 for locked ones.
    keep: Row,
    free: Row,
    /// Velocity before the contacts.
    before: Row,
    /// Velocity before the blows of a sub-step, and what they gave: meant only in sub-steps that have some.
    unblown: Row,
    blown: Row,
    /// Mass three times, kg; square of the mean radius of gyration, m²; moments of inertia in the world frame, xx, yy, zz, kg m², 0
    /// where it cannot turn.
    weights: Row,
    /// Behind four zeros, twice the products of inertia xy, yz, xz, kg m²: each is what an axis has to do with the next one.
    products: Row,
    /// What is left of the impulses of the contacts after a look at the energy.
    scale: Real,
    /// Share of the forces of a sub-step that the first one has.
    first: Real,
    /// What of the impulses of a sub-step the next one begins with: all, or nothing where they are found anew.
    repeat: Real,
    /// Work of drives of its ties in the sub-step, J: of each with one body.
    worked: f64,
}

impl Push {
    pub(super) const NONE: Self = Self {
        forces: NOTHING,
        keep: [1.0; 8],
        free: [1.0; 8],
        before: NOTHING,
        unblown: NOTHING,
        blown: NOTHING,
        weights: NOTHING,
        products: NOTHING,
        scale: 1.0,
        first: 1.0,
        repeat: 1.0,
        worked: 0.0,
    };

    /// Of a body in sub-steps of `h` seconds. In line, so that it is made where it goes.
    #[inline]
    pub(super) fn new(bodies: &Bodies, body: BodyIndex, step: &StepParams, h: Real) -> Self {
        let hot = bodies.hot(body);
        let (force, torque) = bodies.force(body);
        let (linear_damping, angular_damping) = bodies.damping(body);
        let pull = step.global_acceleration_of(bodies, body);
        let inverse_inertia = bodies.inverse_inertia(body);
        let (view, mass) = (bodies.view(), bodies.mass(body));
        let free = hot.free_axes();
        let kept = [1.0 / (1.0 + linear_damping * h), 1.0 / (1.0 + angular_damping * h)];
        let free = row(free[0], free[1]);
        let Symmetric3 { xx, yy, zz, xy, xz, yz } =
            view.local_inertia[body.get()].world(&view.pose[body.get()].rotation);
        Self {
            forces: row((pull + force * hot.inverse_mass) * h, (*inverse_inertia * torque) * h),
            keep: std::array::from_fn(|k| kept[k / 4] * free[k]),
            free,
            weights: [mass, mass, mass, squared_radius(hot.inverse_mass, inverse_inertia), xx, yy, zz, 0.0],
            products: [0.0, 0.0, 0.0, 0.0, 2.0 * xy, 2.0 * yz, 2.0 * xz, 0.0],
            ..Self::NONE
        }
    }

    /// The first sub-step takes this share of the forces of a sub-step.
    pub(super) fn set_first(&mut self, first: Real) {
        self.first = first;
    }

    /// Sub-steps begin without the impulses of the one before.
    pub(super) fn begin_afresh(&mut self) {
        self.repeat = 0.0;
    }

    /// Velocities before the contacts of a sub-step, and before its forces.
    pub(super) fn before(&self, is_first: bool) -> [[Vector3; 2]; 2] {
        let share = if is_first { self.first } else { 1.0 };
        let last = |k: usize| {
            let kept = if self.keep[k] > 0.0 { self.before[k] / self.keep[k] } else { 0.0 };
            (kept - share * self.forces[k]) * self.free[k]
        };
        [vectors(&self.before), vectors(&std::array::from_fn(last))]
    }

    /// Takes in the work of drives in this sub-step, J.
    pub(super) fn add_work(&mut self, work: f64) {
        self.worked += work;
    }

    /// The sub-step is over.
    pub(super) fn forget_work(&mut self) {
        self.worked = 0.0;
    }

    /// Work of drives in this sub-step that is counted with this body, J.
    pub(super) fn worked(&self) -> f64 {
        self.worked
    }

    /// Mass, kg.
    pub(super) fn mass(&self) -> Real {
        self.weights[0]
    }

    /// Takes the inertia of a body that has turned, kg m², world.
    pub(super) fn set_inertia(&mut self, inertia: &Symmetric3) {
        let &Symmetric3 { xx, yy, zz, xy, xz, yz } = inertia;
        self.weights[4..7].copy_from_slice(&[xx, yy, zz]);
        self.products[4..7].copy_from_slice(&[2.0 * xy, 2.0 * yz, 2.0 * xz]);
    }

    /// Starts the first sub-step: forces and damping.
    pub(super) fn begin_step(&mut self, hot: &mut BodyHot) {
        let [force, torque] = vectors(&self.forces);
        let [keep, spin_keep] = vectors(&self.keep);
        hot.linear = (hot.linear + force * self.first).component_mul(&keep);
        hot.angular = (hot.angular + torque * self.first).component_mul(&spin_keep);
        self.before = row(hot.linear, hot.angular);
    }

    /// What impulses gave the body in this sub-step, rad/s.
    pub(super) fn given_angular(&self, hot: &BodyHot) -> Vector3 {
        hot.angular - vectors(&self.before)[1]
    }

    /// The angular velocity from which impulses are counted, rad/s.
    pub(super) fn angular_before(&self) -> Vector3 {
        vectors(&self.before)[1]
    }

    /// Adds what no impulse gave to the velocity from which impulses are counted, rad/s.
    pub(super) fn add_angular(&mut self, change: &Vector3) {
        self.before[4..7].iter_mut().zip(change.iter()).for_each(|(before, change)| *before += change);
    }

    /// Before the blows of a sub-step.
    pub(super) fn begin_blows(&mut self, hot: &BodyHot) {
        self.unblown = row(hot.linear, hot.angular);
    }

    /// After them: what they gave is not to be given again. Exactly nothing changes for who had no part in them.
    pub(super) fn end_blows(&mut self, hot: &mut BodyHot) {
        hot.apply_locks();
        let [linear, angular] = vectors(&self.unblown);
        self.blown = row(hot.linear - linear, hot.angular - angular);
        for (before, given) in self.before.iter_mut().zip(self.blown) {
            *before += given;
        }
    }

    /// Kinetic energy of the body, J.
    #[inline]
    pub(super) fn kinetic_energy(&self, hot: &BodyHot) -> f64 {
        let [mass, _, _, _, xx, yy, zz, _] = self.weights;
        let [xy, yz, xz] = [4, 5, 6].map(|k| 0.5 * self.products[k]);
        let spin = Symmetric3 { xx, yy, zz, xy, xz, yz } * hot.angular;
        0.5 * f64::from(mass * hot.linear.norm_squared() + spin.dot(&hot.angular))
    }

    /// Scales what the contacts gave, and the blows where there were some; [`Push::scale`] tells.
    pub(super) fn scale_given(&mut self, has_blows: bool, hot: &mut BodyHot, scale: Real) {
        let blown = if has_blows { vectors(&self.blown) } else { [Vector3::zeros(); 2] };
        let before = vectors(&self.before);
        let [v, w] = [before[0] - blown[0], before[1] - blown[1]];
        (hot.linear, hot.angular) = (v + (hot.linear - v) * scale, w + (hot.angular - w) * scale);
        let blown = blown.map(|given| given * scale);
        (self.blown, self.before) = (row(blown[0], blown[1]), row(v + blown[0], w + blown[1]));
        self.scale = scale;
    }

    /// Forgets the scale: impulses follow it by now.
    pub(super) fn forget_scale(&mut self) {
        self.scale = 1.0;
    }

    /// What the last [`Push::scale_given`] left.
    pub(super) fn scale(&self) -> Real {
        self.scale
    }

    /// Square of the speed of the body and of its turning at its radius of gyration, m²/s².
    #[inline]
    pub(super) fn squared_speed(&self, hot: &BodyHot) -> Real {
        squared_speed(hot, self.weights[3])
    }

    /// All sub-steps of a body without contacts; without damping at once, as the sum of an arithmetic series that is rounded
    /// once.
    pub(super) fn fly(&mut self, hot: &mut BodyHot, sub_steps: u32, h: Real) {
        if self.keep != self.free {
            for _ in 0..sub_steps {
                self.begin_step(hot);
                move_by(hot, h);
            }
            return;
        }
        let [force, torque] = vectors(&self.forces);
        let n = sub_steps as Real;
        let begin = (hot.linear, hot.angular);
        let mean = 0.5 * (n + 1.0);
        (hot.linear, hot.angular) = (begin.0 + force * mean, begin.1 + torque * mean);
        move_by(hot, n * h);
        (hot.linear, hot.angular) = (begin.0 + force * n, begin.1 + torque * n);
    }
}

/// Moves a body by its velocity for a sub-step.
pub(super) fn move_by(hot: &mut BodyHot, h: Real) {
    hot.apply_locks();
    hot.delta_translation += hot.linear * h;
    hot.delta_rotation += hot.angular * h;
}

/// Takes all speed from a body.
#[inline]
pub(super) fn stop(hot: &mut BodyHot) {
    (hot.linear, hot.angular) = (Vector3::zeros(), Vector3::zeros());
}

/// Ends a sub-step of these bodies: they move, and unless it was the last one the next begins (the position pass between them
/// reads no velocities, and one visit costs less than two). It begins with forces and damping, then with what the
/// contacts gave in the last sub-step once more (arms, normals and inertias are frozen, so that is exactly
/// their warm start), but for bodies that [`Push::begin_afresh`].
///
/// # Safety
/// The members belong to this call alone.
pub(super) unsafe fn end_sub_step(
    isa: Isa,
    members: &[u32],
    pushes: &mut [Push],
    hot: &SharedBodyStates<'_>,
    h: Real,
    is_last: bool,
) {
    isa.run(End { members, pushes, hot, h, is_last });
}

struct End<'a, 'c> {
    members: &'a [u32],
    pushes: &'a mut [Push],
    hot: &'a SharedBodyStates<'c>,
    h: Real,
    is_last: bool,
}

impl Kernel for End<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let (meant, zero, h) = (lanes.mask(VELOCITIES), lanes.splat(0.0), lanes.splat(self.h));
        for (push, &body) in self.pushes.iter_mut().zip(self.members) {
            // SAFETY: who makes this value promises that the members are its alone.
            let [velocity, delta] = unsafe { self.hot.halves(body) };
            let (raw, way) = (lanes.load(velocity), lanes.load(delta));
            let free = lanes.load(&push.free);
            // Flags in the guise of a float are no number to reckon with.
            let v = L::F32::select(meant, raw, zero) * free;
            L::F32::select(meant, way + v * h, way).store(delta);
            if self.is_last {
                L::F32::select(meant, v, raw).store(velocity);
                continue;
            }
            let next = (v + lanes.load(&push.forces)) * lanes.load(&push.keep);
            let given = (v - lanes.load(&push.before)) * lanes.splat(push.repeat);
            next.store(&mut push.before);
            L::F32::select(meant, (next + given) * free, raw).store(velocity);
        }
    }
}
