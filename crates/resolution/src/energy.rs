//! How much of a group's impulses may stay where they gave energy together (S2-31).

use drystone_math::Real;

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
        assert_eq!(way(f64::NAN, f64::INFINITY).start_if_endless(), Some(0.0));
        assert_eq!(way(-1.0, 2.0).start_if_endless(), None);
    }
}
