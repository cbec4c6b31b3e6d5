//! How far impulses are from Signorini's and Coulomb's laws.

use super::cone::tangential_norm;
use super::{Local, Problem, project_on_cone};

/// How far an answer is from the law. All figures are 0 for an exact one, but for [`Measure::work`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measure {
    /// Relative error of the natural map, as RR-9118 has it in all its comparisons:
    /// `‖ r − P_K( r − (u + mu |u_T| e_N) ) ‖ / ‖q‖` with `rho = 1`, and absolute where `q = 0`. It compares
    /// N·s with m/s, so it depends on units.
    pub natural_map: f64,
    /// The same divided by `max(‖q‖, ‖r‖, ‖u‖)`, as Siconos prints it today.
    pub natural_map_siconos: f64,
    /// Fastest penetration, `max(0, −u_N)`, m/s.
    pub penetration_velocity: f64,
    /// Largest impulse outside of Coulomb's cone, `max(0, |r_T| − mu r_N, −r_N)`, N·s.
    pub cone_violation: f64,
    /// Largest product of normal impulse and normal velocity, `|r_N u_N|`, J.
    pub complementarity: f64,
    /// Largest power that friction fails to take: `mu r_N |u_T| + r_T · u_T`, J. 0 where it opposes slip in full.
    pub coulomb_violation: f64,
    /// Work of the contacts, `Σ r · u`, J; `−Σ mu r_N |u_T|` (at most 0) for an exact answer.
    pub work: f64,
}

impl Measure {
    /// Of these impulses (three per contact). O(blocks of `W`), no allocation.
    ///
    /// # Panics
    /// When there are not three impulses per contact.
    pub fn of(problem: &Problem, impulses: &[f64]) -> Self {
        assert_eq!(impulses.len(), 3 * problem.contact_count(), "three impulses per contact");
        let mut measure = Self::default();
        let [mut map, mut r_squared, mut u_squared] = [0.0; 3];
        for (k, &mu) in problem.friction().iter().enumerate() {
            let r = Local::from_column_slice(&impulses[3 * k..][..3]);
            let u = problem.velocity(k, impulses);
            map += natural_map(&r, &u, mu).norm_squared();
            r_squared += r.norm_squared();
            u_squared += u.norm_squared();
            measure.add(&r, &u, mu);
        }
        let q = problem.free_velocities().iter().map(|q| q * q).sum::<f64>().sqrt();
        let over = |scale: f64| if scale > 0.0 { map.sqrt() / scale } else { map.sqrt() };
        measure.natural_map = over(q);
        measure.natural_map_siconos = over(q.max(r_squared.sqrt()).max(u_squared.sqrt()));
        measure
    }

    /// The figures that are no norms.
    fn add(&mut self, r: &Local, u: &Local, mu: f64) {
        let slip = tangential_norm(u);
        // A maximum would hide what is no number.
        let larger = |old: f64, new: f64| if new > old || new.is_nan() { new } else { old };
        self.penetration_velocity = larger(self.penetration_velocity, -u.x);
        self.cone_violation = larger(self.cone_violation, (tangential_norm(r) - mu * r.x).max(-r.x));
        self.complementarity = larger(self.complementarity, (r.x * u.x).abs());
        self.coulomb_violation = larger(self.coulomb_violation, mu * r.x * slip + r.y * u.y + r.z * u.z);
        self.work += r.dot(u);
    }

    /// True when the natural-map error is a number and within the tolerance.
    pub fn is_within(&self, tolerance: f64) -> bool {
        self.natural_map <= tolerance
    }
}

/// `r − P_K( r − (u + mu |u_T| e_N) )` of one contact.
#[inline]
pub(crate) fn natural_map(r: &Local, u: &Local, mu: f64) -> Local {
    let raised = Local::new(u.x + mu * tangential_norm(u), u.y, u.z);
    r - project_on_cone(&(r - raised), mu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{BlockRows, Triplets};

    /// A body of 1 kg with this free velocity on the ground.
    fn one(q: [f64; 3], mu: f64) -> Problem {
        let mut w = Triplets::new(3, 3);
        (0..3).for_each(|i| w.push(i, i, 1.0));
        Problem::new(BlockRows::from_triplets("W", &w).expect("fits"), q.to_vec(), vec![mu]).expect("fits")
    }

    #[test]
    fn exact_answers_measure_nothing() {
        // Separating; sticking; sliding with mu = 1/2 against a slip of (0, 2, 0).
        let cases = [
            ([1.0, 3.0, 0.0], [0.0, 0.0, 0.0]),
            ([-2.0, 0.5, 0.5], [2.0, -0.5, -0.5]),
            ([-2.0, 3.0, 0.0], [2.0, -1.0, 0.0]),
        ];
        for (q, r) in cases {
            let measure = Measure::of(&one(q, 0.5), &r);
            let work = measure.work;
            assert!(work <= 0.0);
            assert_eq!(measure, Measure { work, ..Measure::default() }, "{q:?}");
        }
    }

    #[test]
    fn each_way_to_break_the_law_shows() {
        let problem = one([-2.0, 3.0, 0.0], 0.5);
        let of = |r: [f64; 3]| Measure::of(&problem, &r);
        assert_eq!(of([1.5, -0.75, 0.0]).penetration_velocity, 0.5);
        assert_eq!(of([2.0, -3.0, 0.0]).cone_violation, 2.0);
        assert_eq!(of([2.5, -1.25, 0.0]).complementarity, 1.25);
        // Friction across the slip takes nothing out: 1 N·s against a slip of |(3, 1)|.
        let across = of([2.0, 0.0, 1.0]).coulomb_violation;
        assert!((across - (10.0_f64.sqrt() + 1.0)).abs() < 1e-12);
        for r in [[1.5, -0.75, 0.0], [2.0, -3.0, 0.0], [2.5, -1.25, 0.0], [2.0, 0.0, 1.0]] {
            assert!(of(r).natural_map > 0.1, "{r:?}");
        }
        assert!(!of([f64::NAN, 0.0, 0.0]).is_within(1e30));
    }

    #[test]
    fn normalisations_are_those_of_their_sources() {
        let problem = one([-3.0, 0.0, 4.0], 0.0);
        let measure = Measure::of(&problem, &[10.0, 0.0, 0.0]);
        // u_N = 7: r − max(0, r − u) = 7.
        assert_eq!((measure.natural_map, measure.natural_map_siconos), (7.0 / 5.0, 7.0 / 10.0));
    }
}
