//! Inertias that keep steps stable where strong ties turn light bodies.
//!
//! A force `F` at an arm `r` turns a body back like a spring of the stiffness `K = (F·r) 1 - r Fᵀ`. The impulses of a sub-step `h` are
//! explicit in that, which is unstable where `h² K` comes near four times the inertia: rods of 30 g under 260 kg, or thin planks that boxes fall
//! on, tore themselves about. So what a tie gives turns such a body as if it had the inertia
//!
//! ```text
//! I + EXTRA (h² |F| |r| - CALM I) (1 - r rᵀ/|r|²)
//! ```
//!
//! which slows down turns that are too fast for the sub-step, and leaves alone all others: the body's own turning, and what contacts do,
//! keep its inertia. Of the turning of the two bodies against each other, which the sub-step cannot follow, it takes a share. Source: Tournier, Nesme, Gilles and Faure, "Stable constrained dynamics" (2015), who add the stiffness to the masses of all
//! bodies; here only what the sub-step cannot bear, as the whole of it would damp every pendulum.

use super::super::vector::{Sym3, Vec3};
use super::algebra::{full, get, inertia, set_inertia};
use drystone_math::wide::{Lanes, Mask, Wide};
use drystone_math::{Matrix3, Real, Symmetric3, Vector3};

/// `h² K/I` up to which a sub-step is accurate.
pub(super) const CALM: Real = 0.5;
/// What is beyond counts so many times: the stiffness of one tie is at most 1/1.5 of the inertia, that of six ties of a body at most 4.
const EXTRA: Real = 1.5;

/// Most that a sub-step takes of the relative turning.
const DAMPING: Real = 0.7;

/// A body that is turned by a strong tie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stiff {
    /// Inverse inertia for what the tie gives.
    pub(super) inverse: Symmetric3,
    /// Share of the turning of the two bodies against each other that a sub-step takes.
    pub(super) damping: Real,
}

/// The inverse inertia of a body that a tie pulls at this arm by `pull`, kg m (force times the square of a sub-step); none where that is its own.
pub(super) fn stiffened(inverse: &Symmetric3, arm: &Vector3, pull: &Vector3) -> Option<Stiff> {
    // Nearly all are far below, about any axis.
    let trace = inverse.xx + inverse.yy + inverse.zz;
    let most = pull.norm_squared() * arm.norm_squared() * trace * trace;
    if most <= CALM * CALM {
        return None;
    }
    let (length, pull) = (arm.norm(), pull.norm());
    let own = full(inverse);
    let axis = arm / length.max(Real::MIN_POSITIVE);
    // At least the largest one about an axis across the arm.
    let across = own.trace() - axis.dot(&(own * axis));
    let stiffness = pull * length;
    // Also where something is no number.
    if !(stiffness * across > CALM && stiffness < Real::INFINITY) {
        return None;
    }
    let extra = f64::from(EXTRA * (stiffness - CALM / across));
    // A unit vector in f64: what it is short of would count as often as the body turns more easily about it than across.
    let (own, axis) = (own.cast::<f64>(), arm.cast::<f64>().normalize());
    // (A⁻¹ + e)⁻¹, and from that (A⁻¹ + e - e a aᵀ)⁻¹ by Sherman and Morrison.
    let all = (nalgebra::Matrix3::identity() + own * extra).try_inverse()? * own;
    let along = all * axis;
    let left = 1.0 - extra * axis.dot(&along);
    let found = if left > 1e-12 { all + along * along.transpose() * (extra / left) } else { all };
    let found: Matrix3 = found.cast();
    let [xx, yy, zz] = [found[(0, 0)], found[(1, 1)], found[(2, 2)]];
    let [xy, xz, yz] = [found[(0, 1)], found[(0, 2)], found[(1, 2)]];
    let inverse = Symmetric3 { xx, yy, zz, xy, xz, yz };
    Some(Stiff { inverse, damping: DAMPING * (1.0 - CALM / (stiffness * across)) })
}

/// [`stiffened`] for eight bodies: their inverse inertias, which are their own where they are not stiffened, and the shares of turning that a
/// sub-step takes, 0 there.
///
/// Most are far below, which lanes tell; the others are done one by one, in `f64`. (In lanes, with axes along the arm and across it, the inverse is
/// as good as its own rounding to `f32` but for a factor of two to three, and that is too little: nine chains of 90 to 110 rods under 264 kg
/// held for 4 s this way, and tore themselves about that way.)
#[inline(always)]
pub(super) fn stiffened_eight<L: Lanes>(
    lanes: L,
    own: Sym3<L::F32>,
    arm: Vec3<L::F32>,
    pull: Vec3<L::F32>,
) -> (Sym3<L::F32>, L::F32) {
    let entries = own.entries();
    let trace = entries[0] + entries[1] + entries[2];
    let most = pull.dot(pull) * arm.dot(arm) * trace * trace;
    let far = most.greater(lanes.splat(CALM * CALM)).bits();
    let zero = lanes.splat(0.0);
    if far == 0 {
        return (own, zero);
    }
    let (mut inertias, mut arms, mut pulls, mut damping) =
        ([[0.0; 8]; 6], [[0.0; 8]; 3], [[0.0; 8]; 3], [0.0; 8]);
    arm.store(&mut arms);
    pull.store(&mut pulls);
    let mut k = 0;
    while k < 6 {
        entries[k].store(&mut inertias[k]);
        k += 1;
    }
    let mut lane = 0;
    while lane < 8 {
        if far >> lane & 1 == 1 {
            let stiff = stiffened(&inertia(&inertias, lane), &get(&arms, lane), &get(&pulls, lane));
            if let Some(stiff) = stiff {
                set_inertia(&mut inertias, lane, &stiff.inverse);
                damping[lane] = stiff.damping;
            }
        }
        lane += 1;
    }
    (Sym3::load(lanes, &inertias), lanes.load(&damping))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::wide::{Isa, Kernel};

    const ROD: Symmetric3 = Symmetric3 { xx: 1e6, yy: 200.0, zz: 300.0, xy: 0.0, xz: 0.0, yz: 0.0 };

    /// So strong, in some direction.
    fn pull(strength: Real) -> Vector3 {
        Vector3::new(0.6, 0.0, -0.8) * strength
    }

    #[test]
    fn what_a_sub_step_bears_is_left_alone() {
        let arm = Vector3::new(0.1, 0.0, 0.0);
        assert_eq!(stiffened(&ROD, &arm, &pull(0.0)), None);
        assert_eq!(
            stiffened(&ROD, &arm, &pull(0.009)),
            None,
            "0.009 * 0.1 * (200 + 300) is less than a half"
        );
        assert!(stiffened(&ROD, &arm, &pull(0.011)).is_some());
        assert_eq!(stiffened(&ROD, &Vector3::zeros(), &pull(1e9)), None, "without an arm nothing turns");
        assert_eq!(stiffened(&ROD, &arm, &pull(Real::NAN)), None);
        assert_eq!(stiffened(&Symmetric3::ZERO, &arm, &pull(1.0)), None, "what cannot turn stays so");
    }

    /// As the definition has it, from the inverse: across the arm the extra inertia, along it none.
    #[test]
    fn inertia_grows_across_the_arm() {
        let (arm, strength) = (Vector3::new(0.1, 0.0, 0.0), 5.0);
        let found = stiffened(&ROD, &arm, &pull(strength)).expect("far beyond").inverse;
        let extra = EXTRA * (strength * 0.1 - CALM / 500.0);
        assert!((found.xx / 1e6 - 1.0).abs() < 1e-4, "{found:?}");
        assert!((found.yy * (1.0 / 200.0 + extra) - 1.0).abs() < 1e-5, "{found:?}");
        assert!((found.zz * (1.0 / 300.0 + extra) - 1.0).abs() < 1e-5, "{found:?}");
        // No tie stiffens by more than 1/EXTRA of what it leaves, however strong.
        for strength in [0.02, 0.2, 20.0, 1e4] {
            let found = stiffened(&ROD, &arm, &pull(strength)).expect("beyond").inverse;
            assert!(strength * 0.1 * found.zz < 1.0 / EXTRA + CALM, "{strength}: {found:?}");
        }
    }

    #[test]
    fn an_arm_in_any_direction_does_the_same() {
        let turn = drystone_math::rotation_from_vector(&Vector3::new(0.3, -0.7, 0.4)).to_rotation_matrix();
        let turned = turn.matrix() * full(&ROD) * turn.matrix().transpose();
        let own = Symmetric3 {
            xx: turned[(0, 0)],
            yy: turned[(1, 1)],
            zz: turned[(2, 2)],
            xy: turned[(0, 1)],
            xz: turned[(0, 2)],
            yz: turned[(1, 2)],
        };
        let arm = Vector3::new(0.1, 0.0, 0.0);
        let straight = full(&stiffened(&ROD, &arm, &pull(5.0)).expect("beyond").inverse);
        let found = full(&stiffened(&own, &(turn * arm), &pull(5.0)).expect("beyond").inverse);
        let back = turn.matrix().transpose() * found * turn.matrix();
        assert!((back - straight).norm() < 1e-3 * straight.norm(), "{back}");
    }

    /// Eight bodies with arms in eight directions, under one pull.
    struct Eight<'a>(&'a [[f32; 8]; 6], &'a [[f32; 8]; 3], Vector3);

    impl Kernel for Eight<'_> {
        type Output = ([[f32; 8]; 6], [f32; 8]);

        fn run<L: Lanes>(self, lanes: L) -> Self::Output {
            let pull = self.2;
            let pull = Vec3 { x: lanes.splat(pull.x), y: lanes.splat(pull.y), z: lanes.splat(pull.z) };
            let own = Sym3::load(lanes, self.0);
            let (inverse, damping) = stiffened_eight(lanes, own, Vec3::load(lanes, self.1), pull);
            let mut rows = [[0.0; 8]; 6];
            rows.iter_mut().zip(inverse.entries()).for_each(|(row, value)| value.store(row));
            (rows, damping.to_array())
        }
    }

    /// Also where only some of them are beyond.
    #[test]
    fn eight_are_as_one() {
        let [xx, yy, zz, xy, xz, yz] = [4e4, 300.0, 500.0, 700.0, -300.0, 40.0].map(|value| [value; 8]);
        let own = Symmetric3 { xx: 4e4, yy: 300.0, zz: 500.0, xy: 700.0, xz: -300.0, yz: 40.0 };
        let arms = [
            [0.1, 0.0, 0.0, -0.1, 0.05, 0.03, 0.0, 0.07],
            [0.0, 0.1, 0.0, 0.02, -0.05, 0.03, 0.0, 0.01],
            [0.0, 0.0, -0.1, 0.0, 0.05, 0.03, 0.0, -0.02],
        ];
        for strength in [1e-5, 0.02, 3.0, 1e4] {
            for isa in Isa::all() {
                let (found, damping) = isa.run(Eight(&[xx, yy, zz, xy, xz, yz], &arms, pull(strength)));
                for lane in 0..8 {
                    let arm = Vector3::new(arms[0][lane], arms[1][lane], arms[2][lane]);
                    let wanted = stiffened(&own, &arm, &pull(strength));
                    let (inverse, share) = wanted.map_or((own, 0.0), |stiff| (stiff.inverse, stiff.damping));
                    let wanted = [inverse.xx, inverse.yy, inverse.zz, inverse.xy, inverse.xz, inverse.yz];
                    assert_eq!(found.map(|row| row[lane]), wanted, "{strength}, lane {lane}");
                    assert_eq!(damping[lane], share);
                }
            }
        }
    }
}
