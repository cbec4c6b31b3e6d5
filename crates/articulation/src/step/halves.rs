//! A semi-implicit step in two halves, for a solver of one's own (contacts) between them.
//!
//! ```text
//! predict   v from motors, damping, friction, limits, loop closures, gravity        Ĥ = H + h D + h² K, factored
//! between   Δq̇ = Ĥ⁻¹ Jᵀ j for impulses j on links: motors yield as implicit ones do, loop closures stay closed
//! finish    q ← q ⊕ h v with kinetic energy and momentum in balance (`balance`), then correction
//! ```

use super::Articulation;
use super::config::StepReport;
use crate::error::{ArticulationError, all_finite, in_range, length};
use crate::model::LinkIndex;
use crate::spatial::SpatialForce;
use nalgebra::{Matrix6, Vector3};

impl Articulation {
    /// First half of a step of `dt` seconds: the velocities at its end as far as nothing outside acts but forces that were added. Positions
    /// stay. Always [`super::Integrator::SemiImplicit`], in one split.
    ///
    /// # Errors
    /// As [`Articulation::step`]; the state is then that before.
    pub fn predict(&mut self, dt: f64) -> Result<StepReport, ArticulationError> {
        in_range("dt", "finite and above 0", dt, |x| x > 0.0)?;
        let mut report = StepReport { splits: 1, ..StepReport::default() };
        self.half = None;
        self.drives.begin(&self.model);
        self.drives.motor_forces.fill(0.0);
        self.drives.linearize(&self.model, &self.state.positions, dt, None);
        self.balance.begin(&self.model, &self.kinematics, &self.state.velocities);
        let outcome = self.find_held_forces(dt, &mut report);
        self.joint_forces.fill(0.0);
        self.wrenches.fill(SpatialForce::default());
        outcome?;
        all_finite("predicted velocity", &self.predicted)?;
        self.state.velocities.copy_from_slice(&self.predicted);
        // The responses between the halves are those of where links are; only velocities are new.
        self.kinematics.update_velocities(&self.model, &self.state.velocities);
        self.operational.update(&self.model, &self.kinematics, &self.factor);
        self.half = Some(dt);
        Ok(report)
    }

    /// Between the halves: the changes of all velocities by an impulse (moment N m s, force N s) at a point of the world (m) on a link, with loop
    /// closures held, into `out`. O(n) and, with closures, their rows times n. Changes nothing.
    ///
    /// # Errors
    /// Outside of the halves of a step, for a link that does not exist, or where `out` has the wrong length.
    pub fn impulse_response(
        &mut self,
        link: LinkIndex,
        point: &Vector3<f64>,
        impulse: &SpatialForce,
        out: &mut [f64],
    ) -> Result<(), ArticulationError> {
        self.half()?;
        self.model.link(link)?;
        length("out", out, self.model.dof_count())?;
        let turned = SpatialForce::new(impulse.moment, Vector3::zeros());
        let wrench = self.kinematics.force_at(link, point, impulse.force) + turned;
        self.response.to_impulse(&self.model, &self.kinematics, &self.factor, link, &wrench, out);
        if !self.loops.is_empty() {
            self.loops.measure_velocity(out);
            self.loops.cancel(out);
        }
        Ok(())
    }

    /// Between the halves: the velocity change (angular, linear) of a link at a point of the world (m) per impulse (moment, force) on it there,
    /// without loop closures.
    ///
    /// # Errors
    /// Outside of the halves of a step, or for a link that does not exist.
    pub fn inverse_inertia_at(
        &self,
        link: LinkIndex,
        point: &Vector3<f64>,
    ) -> Result<Matrix6<f64>, ArticulationError> {
        self.half()?;
        self.model.link(link)?;
        Ok(self.operational.inverse_at(&self.kinematics, link, point))
    }

    /// Between the halves: adds to all velocities, `factor` times.
    ///
    /// # Errors
    /// Outside of the halves of a step, for too few or too many changes, or one that is not finite.
    pub fn add_velocities(&mut self, changes: &[f64], factor: f64) -> Result<(), ArticulationError> {
        self.half()?;
        length("changes", changes, self.model.dof_count())?;
        all_finite("changes", changes)?;
        in_range("factor", "finite", factor, |_| true)?;
        self.state.velocities.iter_mut().zip(changes).for_each(|(v, change)| *v += factor * change);
        self.kinematics.update_velocities(&self.model, &self.state.velocities);
        Ok(())
    }

    /// Second half: moves positions on by the velocities that there are now, and takes back what limits and loop closures are off.
    ///
    /// # Errors
    /// Outside of the halves of a step, when a degree of freedom has no inertia, or the motion leaves the range of numbers; the state is
    /// then that before this half.
    pub fn finish(&mut self) -> Result<StepReport, ArticulationError> {
        let dt = self.half()?;
        self.half = None;
        let mut report = StepReport { splits: 1, ..StepReport::default() };
        self.before.copy_from(&self.state);
        self.advance_in_balance(dt);
        let outcome = self.correct(&mut report).and_then(|()| self.check(dt));
        if outcome.is_err() {
            self.state.copy_from(&self.before);
        }
        self.kinematics.update(&self.model, &self.state);
        outcome.map(|()| report)
    }

    fn half(&self) -> Result<f64, ArticulationError> {
        self.half.ok_or(ArticulationError::NotPredicted)
    }
}
