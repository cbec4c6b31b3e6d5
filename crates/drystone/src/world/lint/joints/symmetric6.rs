//! Symmetric matrices of six rows, of turns about three axes and ways along them.

/// About x, y and z, then along them.
pub(super) type Vector6 = [f64; 6];

/// A symmetric matrix that is positive semi-definite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symmetric6([Vector6; 6]);

impl Symmetric6 {
    pub(super) const ZERO: Self = Self([[0.0; 6]; 6]);

    /// Adds `factor` times `v vᵀ`.
    pub(super) fn add(&mut self, v: &Vector6, factor: f64) {
        for (row, a) in self.0.iter_mut().zip(v) {
            for (entry, b) in row.iter_mut().zip(v) {
                *entry += factor * a * b;
            }
        }
    }

    fn times(&self, v: &Vector6) -> Vector6 {
        self.0.map(|row| dot(&row, v))
    }

    /// `vᵀ S v`.
    pub(super) fn along(&self, v: &Vector6) -> f64 {
        dot(v, &self.times(v))
    }

    /// `S - S v (vᵀ S v)⁻¹ vᵀ S`: what is left of a response where nothing happens along `v`, a step of elimination. `least` is what `vᵀ S v` must be
    /// more than to count.
    pub(super) fn eliminate(&mut self, v: &Vector6, least: f64) {
        let (image, along) = (self.times(v), self.along(v));
        if along > least {
            self.add(&image, -1.0 / along);
        }
    }

    /// Number of independent rows, by elimination of the largest diagonal entry in turn, until it is below `tolerance` times the largest at first.
    pub(super) fn rank(mut self, tolerance: f64) -> usize {
        let largest = |matrix: &Self| {
            (0..6)
                .map(|k| (matrix.0[k][k], k))
                .fold((0.0, 0), |most, next| if next.0 > most.0 { next } else { most })
        };
        let least = tolerance * largest(&self).0;
        for rank in 0..6 {
            let (pivot, k) = largest(&self);
            if pivot <= least {
                return rank;
            }
            let unit = std::array::from_fn(|row| f64::from(u8::from(row == k)));
            self.eliminate(&unit, 0.0);
        }
        6
    }
}

fn dot(a: &Vector6, b: &Vector6) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_counts_what_is_independent() {
        let vectors: [Vector6; 4] = [
            [1.0, 0.0, 0.0, 0.0, 2.0, 0.0],
            [0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
            [1.0, 1.0, 0.0, 1.0, 2.0, 0.0],
            [0.0, 0.0, 0.3, 0.0, 0.0, 4.0],
        ];
        let mut gram = Symmetric6::ZERO;
        for (vector, rank) in vectors.iter().zip([1, 2, 2, 3]) {
            gram.add(vector, 1.0);
            assert_eq!(gram.rank(1e-6), rank);
        }
        assert_eq!(Symmetric6::ZERO.rank(1e-6), 0);
    }

    #[test]
    fn what_is_eliminated_responds_no_more() {
        let mut response = Symmetric6::ZERO;
        for (k, factor) in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].into_iter().enumerate() {
            response.add(&std::array::from_fn(|i| if i <= k { 1.0 } else { 0.5 }), factor);
        }
        let (held, free) = ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        let before = response.along(&free);
        response.eliminate(&held, 0.0);
        assert!(response.along(&held).abs() < 1e-12);
        assert!(response.along(&free) < before && response.along(&free) > 0.0);
    }
}
