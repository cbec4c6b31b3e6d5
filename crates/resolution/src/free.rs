//! Free turning of one body: what it does between impulses, for every method that moves bodies.
//!
//! Without torque the angular momentum `L` (world) stays and the orientation follows `ω = R I⁻¹ Rᵀ L`. The
//! kinetic energy splits into that of a symmetric top and a remainder, and both have closed forms. With
//! principal axes 1, 2, 3, where 1 and 2 are those with the nearest moments:
//! ```text
//! top        R ← exp(L/I₁ dt) R exp((1/I₃ − 1/I₁) L₃ dt e₃)       L₃ = e₃ · Rᵀ L, constant
//! remainder  R ← R exp((1/I₂ − 1/I₁) L₂ dt e₂)                    L₂ = e₂ · Rᵀ L, constant
//! ```
//! A step is half the remainder, the top, half the remainder: symmetric in time, of second order with an
//! error that vanishes with `I₂ − I₁`, exact in `L` (which is never changed), and with an energy that swings about its
//! value without a trend. Nothing is iterated, and a step of any size gives a rotation. Source: the splitting
//! of the free rigid body into integrable parts (Touma and Wisdom, Astronomical Journal 107 (1994) 1189).
//!
//! Orientation and angular velocity are stored in `f32`. What their rounding leaves out is handed on to the
//! next step, or a body would gather it: some 1e-6 of `L` and of the energy in 20 s, and a body that turns over
//! and over is so near to the border between two kinds of motion that this shifts its flips by a thousandth.

use drystone_contact::{LocalInertia, TurnRemainder};
use drystone_math::{
    Displacement, Real, Rotation, Symmetric3, Vector3, WideRotation, integrate_rotation, narrow,
    narrow_rotation, wide_rotation_from_vector, widen, widen_rotation,
};

/// The turning of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turning {
    /// Orientation.
    pub(crate) rotation: Rotation,
    /// Angular velocity, rad/s, world.
    pub(crate) angular: Vector3,
    /// What rounding left out of both.
    pub(crate) remainder: TurnRemainder,
}

impl Turning {
    /// Turns a free body for `dt` seconds. Gives the inverse inertia in the new orientation (world axes,
    /// 1/(kg m²)) when that may have changed.
    ///
    /// The angular velocity of bodies with equal moments stays, as does that of bodies with locked rotations:
    /// their axes are held from outside. So does that of bodies without inertia (scripted ones). O(1), no
    /// allocation. An angular velocity that is not finite leaves the orientation as it is.
    pub(crate) fn step(&mut self, inertia: &LocalInertia, dt: Real) -> Option<Symmetric3> {
        if self.angular == Vector3::zeros() {
            return None;
        }
        self.turn(inertia, dt);
        (!inertia.is_isotropic).then(|| inertia.inverse_world(&self.rotation))
    }

    /// [`Turning::step`] for who does not ask for the inverse inertia.
    pub(crate) fn turn(&mut self, inertia: &LocalInertia, dt: Real) {
        if self.angular == Vector3::zeros() {
            return;
        }
        if inertia.is_isotropic || !inertia.turns_freely() {
            self.rotation = integrate_rotation(&self.rotation, &self.angular, dt);
            return;
        }
        let moments = widen(&inertia.principal);
        let frame = widen_rotation(&inertia.frame);
        let mut axes = self.exact_rotation() * frame;
        let own = axes.inverse_transform_vector(&self.exact_angular());
        let momentum = axes.transform_vector(&own.component_mul(&moments));
        axes = turned(&axes, &momentum, &moments, f64::from(dt));
        let own = axes.inverse_transform_vector(&momentum);
        let angular = axes.transform_vector(&own.component_div(&moments));
        self.store(&(axes * frame.inverse()), &angular);
    }

    /// The orientation with what its rounding left out.
    fn exact_rotation(&self) -> WideRotation {
        // The series to second order: what rounding leaves out is so small that the next term is none in `f64`.
        let half = widen(&self.remainder.rotation) * 0.5;
        let rest = nalgebra::Quaternion::from_parts(1.0 - 0.5 * half.norm_squared(), half);
        WideRotation::new_unchecked(rest) * widen_rotation(&self.rotation)
    }

    /// The angular velocity with what its rounding left out.
    fn exact_angular(&self) -> Displacement {
        self.angular.zip_map(&self.remainder.angular, |rounded, rest| {
            let is_of_it = rest.abs() <= rounded.abs() * HALF_EPSILON;
            f64::from(rounded) + if is_of_it { f64::from(rest) } else { 0.0 }
        })
    }

    /// Rounds both and keeps what that leaves out.
    fn store(&mut self, rotation: &WideRotation, angular: &Displacement) {
        self.rotation = narrow_rotation(rotation);
        self.angular = narrow(angular);
        // For so small a turn the rotation vector is twice the quaternion's vector part.
        let left_out = (rotation * widen_rotation(&self.rotation).inverse()).imag() * 2.0;
        self.remainder =
            TurnRemainder { rotation: narrow(&left_out), angular: narrow(&(angular - widen(&self.angular))) };
    }
}

/// Largest relative error of a rounded number.
const HALF_EPSILON: Real = 0.5 * Real::EPSILON;

/// The principal axes (principal frame to world) after `dt` seconds with this angular momentum (N·m·s, world)
/// and these moments (kg m²): half the remainder, the top, half the remainder.
fn turned(axes: &WideRotation, momentum: &Displacement, moments: &Displacement, dt: f64) -> WideRotation {
    let inverse = moments.map(|moment| 1.0 / moment);
    let [one, two, three] = top_axes(&inverse);
    // Turns about one's own axis by the rate `share` times the momentum along it.
    let about_own = |axes: &WideRotation, axis: usize, share: f64| {
        // Two equal moments: a top, and no remainder.
        if share == 0.0 {
            return *axes;
        }
        let along = axes.inverse_transform_vector(momentum)[axis];
        let mut vector = Displacement::zeros();
        vector[axis] = share * along;
        axes * wide_rotation_from_vector(&vector)
    };
    let half_remainder = 0.5 * dt * (inverse[two] - inverse[one]);
    let begun = about_own(axes, two, half_remainder);
    let spun = about_own(&begun, three, dt * (inverse[three] - inverse[one]));
    let top = wide_rotation_from_vector(&(momentum * (inverse[one] * dt))) * spun;
    about_own(&top, two, half_remainder)
}

/// The axes as a top: the two with the nearest inverse moments, then the third.
fn top_axes(inverse: &Displacement) -> [usize; 3] {
    let apart = |a: usize, b: usize| (inverse[a] - inverse[b]).abs();
    let candidates = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];
    let nearer = |best: [usize; 3], next: [usize; 3]| {
        if apart(next[0], next[1]) < apart(best[0], best[1]) { next } else { best }
    };
    candidates.into_iter().reduce(nearer).unwrap_or(candidates[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_contact::{AxisLocks, Bodies, BodyDesc};
    use drystone_math::inertia::MassProperties;
    use proptest::prelude::*;

    const DT: Real = 1.0 / 240.0;

    /// The inertia of a body with these moments (kg m²) in a frame of its own.
    fn inertia(moments: [Real; 3], locks: AxisLocks) -> LocalInertia {
        let mut mass = MassProperties::aligned(1.0, Vector3::from(moments));
        mass.frame = Rotation::from_euler_angles(0.3, -1.1, 0.7);
        let mut bodies = Bodies::default();
        let body = bodies.add(&BodyDesc { locks, ..BodyDesc::dynamic(mass, 1.0) }).expect("valid");
        let index = bodies.index(body).expect("alive");
        bodies.view().local_inertia[index.get()]
    }

    fn free(moments: [Real; 3]) -> LocalInertia {
        inertia(moments, AxisLocks::default())
    }

    fn spinning(angular: [Real; 3]) -> Turning {
        Turning {
            rotation: Rotation::identity(),
            angular: Vector3::from(angular),
            remainder: TurnRemainder::default(),
        }
    }

    /// Angular momentum (world) and energy, in double precision.
    fn invariants(turning: &Turning, inertia: &LocalInertia) -> (Displacement, f64) {
        let axes = turning.exact_rotation() * widen_rotation(&inertia.frame);
        let own = axes.inverse_transform_vector(&turning.exact_angular());
        let moments = widen(&inertia.principal);
        let momentum = own.component_mul(&moments);
        (axes.transform_vector(&momentum), 0.5 * own.dot(&momentum))
    }

    #[test]
    fn an_hour_of_tumbling_gathers_no_momentum_and_no_energy() {
        let inertia = free([1.0, 2.0, 3.0]);
        let mut turning = spinning([0.1, 5.0, 0.1]);
        let (momentum, energy) = invariants(&turning, &inertia);
        let (mut off, mut gained) = (0.0_f64, 0.0_f64);
        let steps = 240 * 3600;
        for _ in 0..steps {
            turning.step(&inertia, DT);
            let (now, energy_now) = invariants(&turning, &inertia);
            off = off.max((now - momentum).norm() / momentum.norm());
            gained = gained.max((energy_now / energy - 1.0).abs());
        }
        // The rounding of f64, a few times per step.
        let rounding = 4.0 * f64::EPSILON * f64::from(steps);
        assert!(off < rounding, "momentum off by {off}");
        // (ω dt)² / 12 times the inverse moments' difference; a trend would be a multiple of it.
        assert!(gained < 2e-5, "energy swings by {gained}");
    }

    /// The error of the orientation after a second is of second order in the step.
    #[test]
    fn a_quarter_of_the_step_leaves_a_sixteenth_of_the_error() {
        let inertia = free([1.0, 2.0, 3.0]);
        let end = |steps: u32| {
            let mut turning = spinning([3.0, 2.0, -4.0]);
            (0..steps).for_each(|_| _ = turning.step(&inertia, 1.0 / steps as Real));
            turning.exact_rotation()
        };
        let exact = end(1 << 14);
        let [coarse, fine] = [64, 256].map(|steps| end(steps).angle_to(&exact));
        assert!((coarse / fine - 16.0).abs() < 1.0, "{coarse} and {fine}");
    }

    /// For a symmetric top both parts are exact, whatever the step: the axis goes round `L` at `L / I₁`.
    #[test]
    fn a_symmetric_top_is_exact_at_any_step() {
        let inertia = free([1.0, 1.0, 2.0]);
        let end = |steps: u32| {
            let mut turning = spinning([3.0, 2.0, -4.0]);
            (0..steps).for_each(|_| _ = turning.step(&inertia, 1.0 / steps as Real));
            turning.exact_rotation()
        };
        assert!(end(1).angle_to(&end(1000)) < 1e-6);
    }

    #[test]
    fn a_locked_body_turns_about_its_free_axis_at_its_rate() {
        let locks = AxisLocks { rotation: [true, false, true], ..AxisLocks::default() };
        let inertia = inertia([1.0, 2.0, 3.0], locks);
        let mut turning = spinning([0.0, 5.0, 0.0]);
        (0..1000).for_each(|_| _ = turning.step(&inertia, DT));
        assert_eq!(turning.angular, Vector3::new(0.0, 5.0, 0.0));
    }

    #[test]
    fn a_remainder_out_of_date_is_left_out() {
        let mut turning = spinning([1e-3, 1.0, 0.0]);
        turning.remainder.angular = Vector3::repeat(5e-8);
        assert_eq!(
            turning.exact_angular(),
            Displacement::new(f64::from(1e-3_f32), 1.0 + f64::from(5e-8_f32), 0.0)
        );
    }

    proptest! {
        /// Any size, any spin: a rotation of unit length, and the momentum that was there. Moments further
        /// apart than a needle's lose what one `f32` cannot say beside the other.
        #[test]
        fn any_spin_gives_a_rotation(
            size in -15.0f32..15.0,
            moments in prop::array::uniform3(-3.0f32..3.0),
            angular in prop::array::uniform3(-12.0f32..12.0),
            signs in prop::array::uniform3(any::<bool>()),
        ) {
            let inertia = free(moments.map(|e| (10.0 as Real).powf(size + e)));
            let spin = [0, 1, 2].map(|i| (10.0 as Real).powf(angular[i]) * if signs[i] { 1.0 } else { -1.0 });
            let mut turning = spinning(spin);
            let before = invariants(&turning, &inertia).0;
            for _ in 0..3 {
                turning.step(&inertia, DT);
                prop_assert!((turning.rotation.norm() - 1.0).abs() < 1e-6, "{turning:?}");
            }
            let off = (invariants(&turning, &inertia).0 - before).norm() / before.norm();
            let spread = inertia.principal.max() / inertia.principal.min();
            prop_assert!(off < 1e-13 * f64::from(spread), "{off} at a spread of {spread}");
        }

        /// What is not a number is for the quarantine to find; turning goes on without a panic.
        #[test]
        fn spins_that_are_not_finite_leave_a_rotation(bad in 0..3_usize, is_nan in any::<bool>()) {
            let mut turning = spinning([1.0, 2.0, 3.0]);
            turning.angular[bad] = if is_nan { Real::NAN } else { Real::INFINITY };
            turning.step(&free([1.0, 2.0, 3.0]), DT);
            prop_assert!((turning.rotation.norm() - 1.0).abs() < 1e-6 && !drystone_math::is_finite(&turning.angular));
        }
    }
}
