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

mod numbers;

use drystone_contact::{LocalInertia, TurnRemainder};
use drystone_math::{Real, Rotation, Symmetric3, Vector3, integrate_rotation, widen};
use numbers::{Numbers, Quaternions, Vectors, conjugate, dot, product, rotated, scaled, turns, unit};
use std::array::from_fn;

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
    /// their axes are held from outside. So does that of bodies without inertia (kinematic ones). O(1), no
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
        let mut alone = Turnings::<1>::load(|_| (self, inertia, top_axes(inertia)));
        alone.turn(dt);
        alone.store(0, self);
    }
}

/// The turning of `N` bodies side by side, none of them with equal moments or locked axes. All are [turned](Turning::turn) alike, so each gives to the bit what
/// it would give alone. Numbers are in double precision, with what is stored of them rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turnings<const N: usize> {
    rotation: Quaternions<N>,
    angular: Vectors<N>,
    /// What rounding left out of both.
    rotation_rest: Vectors<N>,
    angular_rest: Vectors<N>,
    /// The principal frame, of unit length, and the moments about it.
    frame: Quaternions<N>,
    moments: Vectors<N>,
    /// The axes as those of a top: numbers of the principal axes.
    top: Vectors<N>,
}

impl<const N: usize> Turnings<N> {
    /// From the body that `of` gives for each place, with its [`top_axes`].
    #[inline(always)]
    pub(crate) fn load<'b>(of: impl Fn(usize) -> (&'b Turning, &'b LocalInertia, [u8; 3])) -> Self {
        let bodies: [_; N] = from_fn(of);
        let column = |of: &dyn Fn(usize) -> Real| Numbers(from_fn(|k| f64::from(of(k))));
        let vectors = |of: &dyn Fn(usize) -> Vector3| from_fn(|axis| column(&|k| of(k)[axis]));
        let rotations = |of: &dyn Fn(usize) -> Rotation| from_fn(|axis| column(&|k| of(k).coords[axis]));
        Self {
            rotation: rotations(&|k| bodies[k].0.rotation),
            angular: vectors(&|k| bodies[k].0.angular),
            rotation_rest: vectors(&|k| bodies[k].0.remainder.rotation),
            angular_rest: vectors(&|k| bodies[k].0.remainder.angular),
            frame: unit(&rotations(&|k| bodies[k].1.frame)),
            moments: vectors(&|k| bodies[k].1.principal),
            top: from_fn(|axis| Numbers(from_fn(|k| f64::from(bodies[k].2[axis])))),
        }
    }

    /// What became of one.
    #[inline(always)]
    pub(crate) fn store(&self, k: usize, turning: &mut Turning) {
        let vector = |all: &Vectors<N>| Vector3::from(all.map(|x| x.0[k] as Real));
        let coords = self.rotation.map(|x| x.0[k] as Real);
        turning.rotation = Rotation::new_unchecked(nalgebra::Vector4::from(coords).into());
        turning.angular = vector(&self.angular);
        turning.remainder = TurnRemainder {
            rotation: vector(&self.rotation_rest),
            angular: vector(&self.angular_rest),
            ..TurnRemainder::default()
        };
    }

    /// Turns the bodies for `dt` seconds.
    #[inline(always)]
    pub(crate) fn turn(&mut self, dt: Real) {
        let mut axes = product(&self.exact_rotation(), &self.frame);
        let own = rotated(&conjugate(&axes), &self.exact_angular());
        let momentum = rotated(&axes, &from_fn(|i| own[i] * self.moments[i]));
        axes = self.turned(&axes, &momentum, f64::from(dt));
        let own = rotated(&conjugate(&axes), &momentum);
        let angular = rotated(&axes, &from_fn(|i| own[i] / self.moments[i]));
        let rotation = product(&axes, &conjugate(&self.frame));

        // Both are rounded, and what that leaves out is kept. For so small a turn the rotation vector is twice the quaternion's vector part.
        self.rotation = rotation.map(Numbers::rounded);
        self.angular = angular.map(Numbers::rounded);
        let left_out = product(&rotation, &conjugate(&unit(&self.rotation)));
        self.rotation_rest = from_fn(|i| (left_out[i] * Numbers::all(2.0)).rounded());
        self.angular_rest = from_fn(|i| (angular[i] - self.angular[i]).rounded());
    }

    /// The orientation with what its rounding left out.
    #[inline(always)]
    fn exact_rotation(&self) -> Quaternions<N> {
        // The series to second order: what rounding leaves out is so small that the next term is none in `f64`.
        let half = scaled(&self.rotation_rest, Numbers::all(0.5));
        let real = Numbers::all(1.0) - Numbers::all(0.5) * dot(&half, &half);
        product(&[half[0], half[1], half[2], real], &unit(&self.rotation))
    }

    /// The angular velocity with what its rounding left out.
    #[inline(always)]
    fn exact_angular(&self) -> Vectors<N> {
        from_fn(|i| {
            let (rounded, rest) = (self.angular[i], self.angular_rest[i]);
            let is_of_it = from_fn(|k| rest.0[k].abs() <= rounded.0[k].abs() * HALF_EPSILON);
            rounded + rest.select(is_of_it, Numbers::ZERO)
        })
    }

    /// The principal axes (principal frame to world) after `dt` seconds with this angular momentum (N·m·s, world): half the remainder, the top, half
    /// the remainder.
    #[inline(always)]
    fn turned(&self, axes: &Quaternions<N>, momentum: &Vectors<N>, dt: f64) -> Quaternions<N> {
        let dt = Numbers::all(dt);
        let inverse = self.moments.map(|moment| Numbers::all(1.0) / moment);
        let [one, two, three] = self.top.map(|axis| along(&inverse, axis));
        let half_remainder = Numbers::all(0.5) * dt * (two - one);
        let begun = about_own(axes, momentum, self.top[1], half_remainder);
        let spun = about_own(&begun, momentum, self.top[2], dt * (three - one));
        let top = product(&turns(&scaled(momentum, one * dt)), &spun);
        about_own(&top, momentum, self.top[1], half_remainder)
    }
}

/// Turns about one's own axis by the rate `share` times the momentum along it.
#[inline(always)]
fn about_own<const N: usize>(
    axes: &Quaternions<N>,
    momentum: &Vectors<N>,
    axis: Numbers<N>,
    share: Numbers<N>,
) -> Quaternions<N> {
    // Two equal moments: a top, and no remainder.
    let is_none = share.are(0.0);
    if is_none == [true; N] {
        return *axes;
    }
    let own = along(&rotated(&conjugate(axes), momentum), axis);
    let turned = product(axes, &turns(&about(share * own, axis)));
    from_fn(|i| axes[i].select(is_none, turned[i]))
}

/// Largest relative error of a rounded number.
const HALF_EPSILON: f64 = 0.5 * Real::EPSILON as f64;

/// The component along a numbered axis.
#[inline(always)]
fn along<const N: usize>(vectors: &Vectors<N>, axis: Numbers<N>) -> Numbers<N> {
    vectors[0].select(axis.are(0.0), vectors[1].select(axis.are(1.0), vectors[2]))
}

/// A vector along a numbered axis.
#[inline(always)]
fn about<const N: usize>(length: Numbers<N>, axis: Numbers<N>) -> Vectors<N> {
    [0.0, 1.0, 2.0].map(|number| length.select(axis.are(number), Numbers::ZERO))
}

/// The principal axes as those of a top: the two with the nearest inverse moments, then the third.
pub(crate) fn top_axes(inertia: &LocalInertia) -> [u8; 3] {
    let inverse = widen(&inertia.principal).map(|moment| 1.0 / moment);
    let apart = |pair: [u8; 3]| (inverse[usize::from(pair[0])] - inverse[usize::from(pair[1])]).abs();
    let candidates = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];
    let nearer = |best: [u8; 3], next: [u8; 3]| if apart(next) < apart(best) { next } else { best };
    candidates.into_iter().reduce(nearer).unwrap_or(candidates[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_contact::{AxisLocks, Bodies, BodyDesc};
    use drystone_math::inertia::MassProperties;
    use drystone_math::{Displacement, WideRotation, widen_rotation};
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

    fn bits(turning: &Turning) -> Vec<u32> {
        let Turning { rotation, angular, remainder } = turning;
        let all = rotation.coords.iter().chain(angular).chain(&remainder.rotation).chain(&remainder.angular);
        // One of the many that are no number is as good as another.
        all.map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() }).collect()
    }

    fn spinning(angular: [Real; 3]) -> Turning {
        Turning {
            rotation: Rotation::identity(),
            angular: Vector3::from(angular),
            remainder: TurnRemainder::default(),
        }
    }

    /// Orientation and angular velocity with what their rounding left out.
    fn exact(turning: &Turning, inertia: &LocalInertia) -> (WideRotation, Displacement) {
        let alone = Turnings::<1>::load(|_| (turning, inertia, [0, 1, 2]));
        let (q, v) = (alone.exact_rotation().map(|x| x.0[0]), alone.exact_angular().map(|x| x.0[0]));
        (WideRotation::new_unchecked(nalgebra::Vector4::from(q).into()), v.into())
    }

    /// Angular momentum (world) and energy, in double precision.
    fn invariants(turning: &Turning, inertia: &LocalInertia) -> (Displacement, f64) {
        let (rotation, angular) = exact(turning, inertia);
        let axes = rotation * widen_rotation(&inertia.frame);
        let own = axes.inverse_transform_vector(&angular);
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
            exact(&turning, &inertia).0
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
            exact(&turning, &inertia).0
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
            exact(&turning, &free([1.0, 2.0, 3.0])).1,
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

        /// Every lane gives to the bit what one body alone would, whatever is in the others: tops, bodies that spin by several turns, and what is no number.
        #[test]
        fn four_turn_as_one_does(
            moments in prop::array::uniform4(prop::array::uniform3(prop::sample::select(vec![1.0f32, 1.0, 1.5, 2.7, 0.1]))),
            angular in prop::array::uniform4(prop::array::uniform3(-1.0f32..1.0)),
            size in prop::array::uniform4(prop::sample::select(vec![0.0f32, 1e-3, 1.0, 10.0, 200.0, 5e3, 1e20, Real::NAN])),
        ) {
            let inertias = moments.map(free);
            let mut all = [0, 1, 2, 3].map(|k| spinning(angular[k].map(|x| x * size[k])));
            for _ in 0..3 {
                let mut alone = all;
                for (turning, inertia) in alone.iter_mut().zip(&inertias) {
                    let mut one = Turnings::<1>::load(|_| (turning, inertia, top_axes(inertia)));
                    (0..2).for_each(|_| one.turn(DT));
                    one.store(0, turning);
                }
                let mut four = Turnings::<4>::load(|k| (&all[k], &inertias[k], top_axes(&inertias[k])));
                (0..2).for_each(|_| four.turn(DT));
                all.iter_mut().enumerate().for_each(|(k, turning)| four.store(k, turning));
                for (four, alone) in all.iter().zip(&alone) {
                    prop_assert_eq!(bits(four), bits(alone));
                }
            }
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
