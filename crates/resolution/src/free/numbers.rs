//! Numbers side by side in double precision, and the algebra of rotations on them.
//!
//! Loops over arrays whose every function goes into the kernel that calls it, where the compiler makes vectors of them: the generic ones of `nalgebra` stay functions of
//! their own, without the kernel's instructions. Sums and products are in the order of `nalgebra`, so that bits are those of a quaternion of its own.

use drystone_math::{Displacement, short_wide_turns, wide_rotation_from_vector};
use std::array::from_fn;
use std::ops::{Add, Div, Mul, Sub};

/// A number of each of `N` bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numbers<const N: usize>(pub(super) [f64; N]);

/// Vectors, by components.
pub(super) type Vectors<const N: usize> = [Numbers<N>; 3];
/// Quaternions, by components: the real part last.
pub(super) type Quaternions<const N: usize> = [Numbers<N>; 4];

macro_rules! by_lanes {
    ($($operation:ident, $function:ident;)*) => {$(
        impl<const N: usize> $operation for Numbers<N> {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self(from_fn(|k| self.0[k].$function(other.0[k])))
            }
        }
    )*};
}

by_lanes! { Add, add; Sub, sub; Mul, mul; Div, div; }

impl<const N: usize> Numbers<N> {
    pub(super) const ZERO: Self = Self([0.0; N]);

    #[inline(always)]
    pub(super) fn all(value: f64) -> Self {
        Self([value; N])
    }

    /// Where `is_own` these, elsewhere the others.
    #[inline(always)]
    pub(super) fn select(self, is_own: [bool; N], others: Self) -> Self {
        Self(from_fn(|k| if is_own[k] { self.0[k] } else { others.0[k] }))
    }

    #[inline(always)]
    pub(super) fn are(self, value: f64) -> [bool; N] {
        self.0.map(|x| x == value)
    }

    /// Rounded to what is stored.
    #[inline(always)]
    pub(super) fn rounded(self) -> Self {
        Self(self.0.map(|x| f64::from(x as f32)))
    }
}

#[inline(always)]
pub(super) fn dot<const N: usize>(a: &Vectors<N>, b: &Vectors<N>) -> Numbers<N> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn scaled<const N: usize>(v: &Vectors<N>, by: Numbers<N>) -> Vectors<N> {
    v.map(|x| x * by)
}

#[inline(always)]
fn cross<const N: usize>(a: &Vectors<N>, b: &Vectors<N>) -> Vectors<N> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `v` turned by unit quaternions.
#[inline(always)]
pub(super) fn rotated<const N: usize>(q: &Quaternions<N>, v: &Vectors<N>) -> Vectors<N> {
    let vector = [q[0], q[1], q[2]];
    let t = scaled(&cross(&vector, v), Numbers::all(2.0));
    let c = cross(&vector, &t);
    from_fn(|i| t[i] * q[3] + c[i] + v[i])
}

#[inline(always)]
pub(super) fn conjugate<const N: usize>(q: &Quaternions<N>) -> Quaternions<N> {
    let [i, j, k, w] = *q;
    let minus = |x: Numbers<N>| Numbers(x.0.map(|x| -x));
    [minus(i), minus(j), minus(k), w]
}

#[inline(always)]
pub(super) fn product<const N: usize>(a: &Quaternions<N>, b: &Quaternions<N>) -> Quaternions<N> {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// Scaled to unit length.
#[inline(always)]
pub(super) fn unit<const N: usize>(q: &Quaternions<N>) -> Quaternions<N> {
    let square = (q[0] * q[0] + q[2] * q[2]) + (q[1] * q[1] + q[3] * q[3]);
    let scale = Numbers(square.0.map(|square| 1.0 / square.sqrt()));
    q.map(|x| x * scale)
}

/// [`wide_rotation_from_vector`] of each.
#[inline(always)]
pub(super) fn turns<const N: usize>(v: &Vectors<N>) -> Quaternions<N> {
    match short_wide_turns(&v.map(|x| x.0.map(|x| x * 0.5))) {
        Some(turns) => turns.map(Numbers),
        None => far_turns(v),
    }
}

/// One by one: some of them are not small.
#[cold]
fn far_turns<const N: usize>(v: &Vectors<N>) -> Quaternions<N> {
    let mut turns = [Numbers::ZERO; 4];
    for k in 0..N {
        let turn = wide_rotation_from_vector(&Displacement::new(v[0].0[k], v[1].0[k], v[2].0[k]));
        turns.iter_mut().zip(turn.coords.iter()).for_each(|(all, &one)| all.0[k] = one);
    }
    turns
}
