//! The problem itself.

use super::error::{ProblemError, check_finite, check_size};
use super::{BlockRows, GlobalForm, Local};

/// A discrete contact problem: `u = W r + q` with Signorini's and Coulomb's laws (see the module).
///
/// ```
/// use drystone_resolution::problem::{BlockRows, Problem, Triplets};
///
/// // A body of 2 kg that closes at 3 m/s on the ground, without friction.
/// let mut w = Triplets::new(3, 3);
/// (0..3).for_each(|i| w.push(i, i, 0.5));
/// let problem = Problem::new(BlockRows::from_triplets("W", &w)?, vec![-3.0, 0.0, 0.0], vec![0.0])?;
/// assert_eq!(problem.velocity(0, &[6.0, 0.0, 0.0]).x, 0.0);
/// # Ok::<(), drystone_resolution::problem::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    pub(crate) coupling: BlockRows,
    pub(crate) free: Vec<f64>,
    pub(crate) friction: Vec<f64>,
    pub(crate) global: Option<GlobalForm>,
}

impl Problem {
    /// From the local form: `W`, `q` (three numbers per contact) and `mu` (one per contact).
    ///
    /// # Errors
    /// Sizes that do not fit, numbers that are not finite, negative friction.
    pub fn new(coupling: BlockRows, free: Vec<f64>, friction: Vec<f64>) -> Result<Self, ProblemError> {
        coupling.check("W")?;
        check_size("mu", coupling.row_count(), friction.len())?;
        check_size("q", 3 * coupling.row_count(), free.len())?;
        check_finite("q", &free)?;
        check_finite("mu", &friction)?;
        if let Some(contact) = friction.iter().position(|&mu| mu < 0.0) {
            return Err(ProblemError::NegativeFriction { contact, value: friction[contact] });
        }
        Ok(Self { coupling, free, friction, global: None })
    }

    /// From the global form, which is kept; `W` and `q` are formed from it.
    ///
    /// # Errors
    /// As [`Problem::new`], and a mass matrix that cannot be inverted.
    pub fn from_global(global: GlobalForm, friction: Vec<f64>) -> Result<Self, ProblemError> {
        let (coupling, free) = global.to_local()?;
        Ok(Self { global: Some(global), ..Self::new(coupling, free, friction)? })
    }

    /// The local problem with the global form that its source gives for it. Not checked to be the same problem.
    ///
    /// # Errors
    /// A global form whose sizes do not fit with each other or with the number of contacts.
    pub fn with_global(self, global: GlobalForm) -> Result<Self, ProblemError> {
        global.check()?;
        check_size("w", self.free.len(), global.w.len())?;
        Ok(Self { global: Some(global), ..self })
    }

    /// Number of contacts.
    #[inline]
    pub fn contact_count(&self) -> usize {
        self.friction.len()
    }

    /// `W`: velocities (m/s) per impulse (N·s). Maybe unsymmetric.
    #[inline]
    pub fn coupling(&self) -> &BlockRows {
        &self.coupling
    }

    /// `q`: velocities without any contact impulse, m/s, with what gaps and restitution add.
    #[inline]
    pub fn free_velocities(&self) -> &[f64] {
        &self.free
    }

    /// `mu`: a coefficient of friction per contact.
    #[inline]
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }

    /// The bodies behind `W`, where the source gives them.
    #[inline]
    pub fn global(&self) -> Option<&GlobalForm> {
        self.global.as_ref()
    }

    /// `q` of a contact.
    #[inline]
    pub fn free_velocity(&self, contact: usize) -> Local {
        Local::from_column_slice(&self.free[3 * contact..][..3])
    }

    /// `u = W r + q` of a contact, m/s.
    #[inline]
    pub fn velocity(&self, contact: usize, impulses: &[f64]) -> Local {
        self.coupling.row_times(contact, impulses) + self.free_velocity(contact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Triplets;

    fn unit(contacts: usize) -> BlockRows {
        let mut w = Triplets::new(3 * contacts, 3 * contacts);
        (0..3 * contacts as u32).for_each(|i| w.push(i, i, 1.0));
        BlockRows::from_triplets("W", &w).expect("fits")
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_value() {
        let refused =
            |q: Vec<f64>, mu: Vec<f64>| Problem::new(unit(2), q, mu).expect_err("refused").to_string();
        assert_eq!(refused(vec![0.0; 5], vec![0.5; 2]), "q must have 6 entries, got 5");
        assert_eq!(refused(vec![0.0; 6], vec![0.5; 3]), "mu must have 2 entries, got 3");
        assert_eq!(refused(vec![0.0; 6], vec![0.5, -0.1]), "mu[1] must be at least 0, got -0.1");
        let mut q = vec![0.0; 6];
        q[4] = f64::INFINITY;
        assert_eq!(refused(q, vec![0.5; 2]), "q[4] must be finite, got inf");
    }
}
