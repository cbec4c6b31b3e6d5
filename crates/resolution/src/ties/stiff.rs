//! Inertias that keep steps stable where strong ties turn light bodies.
//!
//! A force `F` at an arm `r` turns a body back like a spring of the stiffness `K = (F·r) 1 - r Fᵀ`. The impulses of a sub-step `h` are
//! explicit in that, which is unstable where `h² K` comes near four times the inertia: rods of 30 g under 260 kg, or thin planks that boxes fall
//! on, tore themselves about. So what its ties give turns such a body as if it had the inertia
//!
//! ```text
//! I + EXTRA (h² |F| |r| - CALM I⊥) 1
//! ```
//!
//! (with `1/I⊥` the trace of the inverse inertia across the arm), which slows down turns that are too fast for the sub-step, and leaves alone all
//! others: the body's own turning, and what contacts do, keep its inertia. `F` is the strongest of late ([`fade`]): waves run along a taut
//! chain, and a link that was slack for one sub-step would be stiffened too little for the next. The extra inertia is the same about all axes: about the arm a rod would
//! turn ten thousand times as easily as across, and two ties with axes that differ by what joints are apart would spin it up. Of the turning of the two
//! bodies against each other, which the sub-step cannot follow, it takes a share. Source: Tournier, Nesme, Gilles and Faure, "Stable constrained
//! dynamics" (2015), who add the stiffness to the masses of all bodies; here only what the sub-step cannot bear, as the whole of it would damp every pendulum.

use super::algebra::full;
use super::frames::{inverse_of, scaled};
use crate::vector::{Sym3, Vec3};
use drystone_math::wide::{Lanes, Mask, Wide};
use drystone_math::{Matrix3, Real, Symmetric3, Vector3, larger, smaller};

/// `h² K/I` up to which a sub-step is accurate.
pub(crate) const CALM: Real = 0.5;
/// What is beyond counts so many times: the stiffness of one tie is at most 1/1.5 of the inertia, that of six ties of a body at most 4.
const EXTRA: Real = 1.5;
/// Most that a sub-step takes of the relative turning.
const DAMPING: Real = 0.7;
/// Share of the strongest impulse of late that is left after a sub-step without a stronger one: half of it after 70.
const FADE: Real = 0.99;
/// Strongest impulse that counts, N·s.
const STRONGEST: Real = 1e18;
/// Stiffness times the trace of the inverse inertia that counts: cubes of it are numbers in `f32`.
const STIFFEST: Real = 1e9;

/// The strongest impulse of late, after a sub-step with that one.
pub(super) fn fade(so_far: Real, now: Real) -> Real {
    smaller(larger(now, so_far * FADE), STRONGEST)
}

/// [`fade`] of eight.
#[inline(always)]
pub(super) fn fade_eight<L: Lanes>(lanes: L, so_far: L::F32, now: L::F32) -> L::F32 {
    now.max(so_far * lanes.splat(FADE)).min(lanes.splat(STRONGEST))
}

/// Most that `h² K/I` can be, in whatever direction the arm points; `pull`: as [`stiffened`] has it.
pub(crate) fn most_stiffness(inverse: &Symmetric3, length: Real, pull: Real) -> Real {
    pull * length * (inverse.xx + inverse.yy + inverse.zz)
}

/// A body that is turned by a strong tie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stiff {
    /// Inverse inertia for what the tie gives.
    pub(super) inverse: Symmetric3,
    /// Share of the turning of the two bodies against each other that a sub-step takes.
    pub(super) damping: Real,
}

/// The inertia that a tie adds which pulls a body at this arm by `pull`, kg m (force times the square of a sub-step), and the share of the turning of its bodies against each other
/// that a sub-step takes; 0 where the sub-step follows it.
pub(super) fn extra_inertia(inverse: &Symmetric3, arm: &Vector3, pull: Real) -> (Real, Real) {
    let trace = inverse.xx + inverse.yy + inverse.zz;
    let length = arm.norm();
    let axis = arm / larger(length, Real::MIN_POSITIVE);
    let stiffness = smaller(STIFFEST / trace, pull * length);
    // At least the largest one about an axis across the arm.
    let about = axis.dot(&(full(inverse) * axis));
    let across = trace - about;
    // Also where something is no number.
    let is_beyond = stiffness * across > CALM;
    if !is_beyond {
        return (0.0, 0.0);
    }
    (EXTRA * (stiffness - CALM / across), DAMPING * (1.0 - CALM / (stiffness * across)))
}

/// The inverse inertia of a body that a tie pulls at this arm by `pull` ([`extra_inertia`]) and to which all of its ties add at least `least`, kg m²; none where that is its own.
pub(super) fn stiffened(inverse: &Symmetric3, arm: &Vector3, pull: Real, least: Real) -> Option<Stiff> {
    let (own_extra, damping) = extra_inertia(inverse, arm, pull);
    let extra = larger(own_extra, least);
    let is_any = extra > 0.0;
    if !is_any {
        return None;
    }
    let own: nalgebra::Matrix3<f64> = full(inverse).cast();
    let found: Matrix3 =
        ((nalgebra::Matrix3::identity() + own * f64::from(extra)).try_inverse()? * own).cast();
    let [xx, yy, zz] = [found[(0, 0)], found[(1, 1)], found[(2, 2)]];
    let [xy, xz, yz] = [found[(0, 1)], found[(0, 2)], found[(1, 2)]];
    let inverse = Symmetric3 { xx, yy, zz, xy, xz, yz };
    Some(Stiff { inverse, damping })
}

/// [`stiffened`] for eight bodies: their inverse inertias, which are their own where they are not stiffened, and the shares of turning that a
/// sub-step takes, 0 there.
#[inline(always)]
pub(super) fn stiffened_eight<L: Lanes>(
    lanes: L,
    own: Sym3<L::F32>,
    arm: Vec3<L::F32>,
    pull: L::F32,
    least_extra: L::F32,
) -> (Sym3<L::F32>, L::F32) {
    let (zero, one, calm) = (lanes.splat(0.0), lanes.splat(1.0), lanes.splat(CALM));
    let entries = own.entries();
    let trace = entries[0] + entries[1] + entries[2];
    let square = arm.dot(arm);
    let stiffness = (lanes.splat(STIFFEST) / trace).min(pull * square.sqrt());
    // Nearly all are far below, about any axis.
    if !((stiffness * trace).greater(calm) | least_extra.greater(zero)).any() {
        return (own, zero);
    }
    let least = lanes.splat(Real::MIN_POSITIVE);
    let about = arm.dot(own.times(arm)) / square.max(least);
    let across = trace - about;
    let ratio = stiffness * across;
    let is_beyond = ratio.greater(calm);
    let of_tie = L::F32::select(is_beyond, lanes.splat(EXTRA) * (stiffness - calm / across), zero);
    let extra = of_tie.max(least_extra);
    let is_any = extra.greater(zero);
    let [xx, yy, zz, xy, xz, yz] = scaled(entries, extra);
    let (adjugate, determinant) = inverse_of([one + xx, one + yy, one + zz, xy, xz, yz]);
    // n = (1 + e A)⁻¹, and wanted is n A, which is (1 - n)/e as well: each where it is the better known one.
    let n = scaled(adjugate, one / determinant);
    let is_much = (extra * trace).greater(one);
    let less = one / extra;
    let by_product = [
        n[0] * entries[0] + n[3] * entries[3] + n[4] * entries[4],
        n[3] * entries[3] + n[1] * entries[1] + n[5] * entries[5],
        n[4] * entries[4] + n[5] * entries[5] + n[2] * entries[2],
        n[0] * entries[3] + n[3] * entries[1] + n[4] * entries[5],
        n[0] * entries[4] + n[3] * entries[5] + n[4] * entries[2],
        n[3] * entries[4] + n[1] * entries[5] + n[5] * entries[2],
    ];
    let mut found = entries;
    let mut k = 0;
    while k < 6 {
        let by_rest = (if k < 3 { one - n[k] } else { zero - n[k] }) * less;
        let stiff = L::F32::select(is_much, by_rest, by_product[k]);
        found[k] = L::F32::select(is_any, stiff, entries[k]);
        k += 1;
    }
    let damping = lanes.splat(DAMPING) * (one - calm / ratio);
    (Sym3::of(found), L::F32::select(is_beyond, damping, zero))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::wide::{Isa, Kernel};

    const ROD: Symmetric3 = Symmetric3 { xx: 1e6, yy: 200.0, zz: 300.0, xy: 0.0, xz: 0.0, yz: 0.0 };

    #[test]
    fn what_a_sub_step_bears_is_left_alone() {
        let arm = Vector3::new(0.1, 0.0, 0.0);
        assert_eq!(stiffened(&ROD, &arm, 0.0, 0.0), None);
        assert_eq!(stiffened(&ROD, &arm, 0.009, 0.0), None, "0.009 * 0.1 * (200 + 300) is less than a half");
        assert!(stiffened(&ROD, &arm, 0.011, 0.0).is_some());
        assert_eq!(stiffened(&ROD, &Vector3::zeros(), 1e9, 0.0), None, "without an arm nothing turns");
        assert_eq!(stiffened(&ROD, &arm, Real::NAN, 0.0), None);
        assert_eq!(stiffened(&Symmetric3::ZERO, &arm, 1.0, 0.0), None, "what cannot turn stays so");
    }

    #[test]
    fn the_strongest_pull_fades() {
        assert_eq!(fade(0.0, 3.0), 3.0);
        assert_eq!(fade(4.0, 3.97), 3.97);
        assert_eq!(fade(4.0, 1.0), 4.0 * FADE);
        assert_eq!(fade(4.0, Real::NAN), 4.0 * FADE);
        assert_eq!(fade(1.0, Real::INFINITY), STRONGEST);
    }

    /// As the definition has it, from the inverse: the same extra inertia about all axes.
    #[test]
    fn inertia_grows_by_what_is_beyond() {
        let (arm, strength) = (Vector3::new(0.1, 0.0, 0.0), 5.0);
        let found = stiffened(&ROD, &arm, strength, 0.0).expect("far beyond").inverse;
        let extra = EXTRA * (strength * 0.1 - CALM / 500.0);
        assert!((found.xx * (1.0 / 1e6 + extra) - 1.0).abs() < 1e-5, "{found:?}");
        assert!((found.yy * (1.0 / 200.0 + extra) - 1.0).abs() < 1e-5, "{found:?}");
        assert!((found.zz * (1.0 / 300.0 + extra) - 1.0).abs() < 1e-5, "{found:?}");
        // No tie stiffens by more than 1/EXTRA of what it leaves, however strong.
        for strength in [0.02, 0.2, 20.0, 1e4] {
            let found = stiffened(&ROD, &arm, strength, 0.0).expect("beyond").inverse;
            assert!(strength * 0.1 * found.zz < 1.0 / EXTRA + CALM, "{strength}: {found:?}");
        }
    }

    /// The rod about other axes.
    fn turned_rod() -> (Symmetric3, Matrix3) {
        let turn = drystone_math::rotation_from_vector(&Vector3::new(0.3, -0.7, 0.4)).to_rotation_matrix();
        let m = turn.matrix() * full(&ROD) * turn.matrix().transpose();
        let own = Symmetric3 {
            xx: m[(0, 0)],
            yy: m[(1, 1)],
            zz: m[(2, 2)],
            xy: m[(0, 1)],
            xz: m[(0, 2)],
            yz: m[(1, 2)],
        };
        (own, *turn.matrix())
    }

    #[test]
    fn an_arm_in_any_direction_does_the_same() {
        let (own, turn) = turned_rod();
        let arm = Vector3::new(0.1, 0.0, 0.0);
        let straight = full(&stiffened(&ROD, &arm, 5.0, 0.0).expect("beyond").inverse);
        let found = full(&stiffened(&own, &(turn * arm), 5.0, 0.0).expect("beyond").inverse);
        let back = turn.transpose() * found * turn;
        assert!((back - straight).norm() < 1e-3 * straight.norm(), "{back}");
    }

    /// Eight bodies with arms in eight directions, under one pull.
    struct Eight<'a>(&'a [[f32; 8]; 6], &'a [[f32; 8]; 3], Real, Real);

    impl Kernel for Eight<'_> {
        type Output = ([[f32; 8]; 6], [f32; 8]);

        fn run<L: Lanes>(self, lanes: L) -> Self::Output {
            let own = Sym3::load(lanes, self.0);
            let (inverse, damping) = stiffened_eight(
                lanes,
                own,
                Vec3::load(lanes, self.1),
                lanes.splat(self.2),
                lanes.splat(self.3),
            );
            let mut rows = [[0.0; 8]; 6];
            rows.iter_mut().zip(inverse.entries()).for_each(|(row, value)| value.store(row));
            (rows, damping.to_array())
        }
    }

    /// Also where only some of them are beyond, and where a body turns a thousand times as easily about one axis as about others.
    #[test]
    fn eight_are_as_one() {
        let plank = Symmetric3 { xx: 4e4, yy: 300.0, zz: 500.0, xy: 700.0, xz: -300.0, yz: 40.0 };
        let arms = [
            [0.1, 0.0, 0.0, -0.1, 0.05, 0.03, 0.0, 0.07],
            [0.0, 0.1, 0.0, 0.02, -0.05, 0.03, 0.0, 0.01],
            [0.0, 0.0, -0.1, 0.0, 0.05, 0.03, 0.0, -0.02],
        ];
        for own in [ROD, plank, turned_rod().0, Symmetric3::ZERO] {
            let rows = [own.xx, own.yy, own.zz, own.xy, own.xz, own.yz].map(|value| [value; 8]);
            let strengths = [0.0, 1e-5, 3e-4, 0.02, 3.0, 1e4, 1e30];
            for (strength, least) in
                strengths.into_iter().flat_map(|strength| [0.0, 1e-3].map(|l| (strength, l)))
            {
                for isa in Isa::all() {
                    let (found, damping) = isa.run(Eight(&rows, &arms, strength, least));
                    for lane in 0..8 {
                        let arm = Vector3::new(arms[0][lane], arms[1][lane], arms[2][lane]);
                        let wanted = stiffened(&own, &arm, strength, least);
                        let (inverse, share) =
                            wanted.map_or((own, 0.0), |stiff| (stiff.inverse, stiff.damping));
                        let [xx, yy, zz, xy, xz, yz] = found.map(|row| row[lane]);
                        let off = full(&Symmetric3 { xx, yy, zz, xy, xz, yz }) - full(&inverse);
                        let size = full(&inverse).norm();
                        // A rounding counts as often as axes differ: 5000 times, and there are some sixteen.
                        assert!(
                            off.norm() <= 16.0 * 5000.0 * Real::EPSILON * size,
                            "{strength}, lane {lane}: {off} of {inverse:?}"
                        );
                        // Across a rod is left of its trace what is beside its largest entry.
                        assert!((damping[lane] - share).abs() <= 1e-3, "{strength}, lane {lane}");
                        assert!(wanted.is_some() || off.norm() == 0.0, "left alone");
                    }
                }
            }
        }
    }
}
