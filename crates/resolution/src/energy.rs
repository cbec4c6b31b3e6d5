//! How much of an island's impulses may stay where they gave energy together (S2-31).

use drystone_math::Real;

/// Share of its energy that an island with joints and contacts may gain in a whole step by rounding and by the second order of its turning.
const OF_STEPS: f64 = 1e-2;
/// Share of its energy that an island with joints may gain at once: their impulses give and take some by the second order of the turning. What is beyond is no motion that steps or sub-steps can follow.
const OF_JOINTS: f64 = 0.05;
/// Speed, in units of `g dt` (of a step, or of a sub-step), below which bodies on joints count as if they had it: what joints carry of their weight is a gain as any other.
const SPEED_OF_JOINTS: f64 = 50.0;

/// Energy along the way from no impulses to all of them: `free + linear s + square s²`, J.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EnergyWay {
    pub(crate) free: f64,
    pub(crate) linear: f64,
    pub(crate) square: f64,
}

impl EnergyWay {
    /// Where on the way the energy is least, when its end gave more than this share of what there is without impulses.
    pub(crate) fn least(&self, tolerance: f64) -> Option<Real> {
        self.least_with(tolerance * self.free)
    }

    /// The same of an island with joints and contacts in a whole step, whose drives worked this much, J.
    pub(crate) fn least_of_step(&self, worked: f64) -> Option<Real> {
        self.least_with(OF_STEPS * self.free + worked.max(0.0))
    }

    /// The same of an island with joints of this mass, kg, whose drives worked this much, J; `speed_unit` is `g dt`, m/s.
    pub(crate) fn least_with_joints(&self, mass: f64, speed_unit: Real, worked: f64) -> Option<Real> {
        let speed = SPEED_OF_JOINTS * f64::from(speed_unit);
        self.least_with(OF_JOINTS * (self.free + 0.5 * mass * speed * speed) + worked.max(0.0))
    }

    /// The start of the way where its end gave more than numbers hold, so that nothing else is known of it.
    pub(crate) fn start_if_endless(&self) -> Option<Real> {
        let is_endless = !(self.linear + self.square).is_finite() && self.free.is_finite();
        is_endless.then_some(0.0)
    }

    /// The same where its end gave more than this, J.
    pub(crate) fn least_with(&self, most: f64) -> Option<Real> {
        let given = self.linear + self.square;
        let is_given = given > most && self.square > 0.0;
        is_given.then(|| (-0.5 * self.linear / self.square).clamp(0.0, 1.0) as Real)
    }
}

/// A share of what was given; none of what is no number, where nothing is left.
pub(crate) fn share_of<T: nalgebra::RealField + Copy>(given: T, share: T) -> T {
    if share == T::zero() { share } else { given * share }
}

/// The velocity at a share of the way between two: the first one where nothing is left, whatever the second is.
pub(crate) fn between<T: nalgebra::RealField + Copy>(
    start: &nalgebra::Vector3<T>,
    end: &nalgebra::Vector3<T>,
    share: T,
) -> nalgebra::Vector3<T> {
    start + (end - start).map(|way| share_of(way, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gave_energy_goes_back_to_where_it_is_least() {
        let way = |linear, square| EnergyWay { free: 1.0, linear, square };
        assert_eq!(way(-1.0, 2.0).least(1e-2), Some(0.25));
        assert_eq!(way(1.0, 2.0).least(1e-2), Some(0.0), "every part of it would give some");
        assert_eq!(way(-2.0, 2.0).least(1e-2), None);
        assert_eq!(way(-1.995, 2.0).least(1e-2), None, "half of what is let through");
        assert_eq!(way(f64::NAN, 2.0).least(1e-2), None);
        assert_eq!(way(-2.0, 2.015).least_of_step(0.01), None, "a hundredth, and what drives worked");
        assert_eq!(way(-2.0, 2.5).least_of_step(-1.0), Some(0.4));
        assert_eq!(way(-2.0, 2.04).least_with_joints(0.0, 0.1, -1.0), None, "less than a twentieth");
        assert_eq!(way(-2.0, 2.5).least_with_joints(0.0, 0.1, 0.6), None, "drives worked more");
        assert_eq!(way(-2.0, 2.5).least_with_joints(1.0, 0.1, 0.0), None, "beside a speed of fifty units");
        assert_eq!(way(-2.0, 2.5).least_with_joints(0.0, 0.1, 0.4), Some(0.4));
        assert_eq!(way(f64::NAN, f64::INFINITY).start_if_endless(), Some(0.0));
        assert_eq!(way(-1.0, 2.0).start_if_endless(), None);
    }

    #[test]
    fn nothing_is_left_of_what_is_no_number() {
        let (start, end) =
            (nalgebra::Vector3::new(1.0, 2.0, 3.0), nalgebra::Vector3::new(f32::NAN, 0.0, 0.0));
        assert_eq!(between(&start, &end, 0.0), start);
        assert_eq!(between(&start, &(start * 3.0), 0.5), start * 2.0);
        assert_eq!((share_of(Real::INFINITY, 0.0), share_of(2.0, 0.5)), (0.0, 1.0));
    }
}
