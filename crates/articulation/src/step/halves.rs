//! A semi-implicit step in two halves, for a solver of one's own (contacts) between them.
//!
//! ```text
//! predict   v from motors, damping, friction, limits, loop closures, gravity        Ĥ = H + h D + h² K, factored
//! between   Δq̇ = Ĥ⁻¹ Jᵀ j for impulses j on links: motors yield as implicit ones do, loop closures stay closed
//! finish    q ← q ⊕ h v with kinetic energy and momentum in balance (`balance`), then correction
//! ```

use super::Articulation;
use super::config::StepReport;
use super::rows::{Row, RowKind, ball_limits};
use crate::dynamics::{add_jacobian, spring_energy};
use crate::error::{ArticulationError, all_finite, in_range, length};
use crate::model::{JointDirection, LinkIndex, Model};
use crate::spatial::SpatialForce;
use crate::state::{advance, way_between};
use nalgebra::{Matrix6, Vector3};

/// Share of energies up to which they count as equal.
const ROUNDING: f64 = 1e-12;

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
        self.has_inverses = false;
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

    /// Between the halves: adds the rows of impulses on a link (moment N m s, force N s; at its origin, world axes), with loop closures held: to `jacobian` what each is
    /// along the joints, to `responses` what it makes of all velocities. Row `k` begins at `places[k]` in both and has an entry per degree of freedom. O(n) and, with
    /// closures, their rows times n for each. Changes nothing of the articulation.
    ///
    /// # Errors
    /// Outside of the halves of a step, for a link that does not exist, or where there is not a place for each impulse with room for its row.
    pub fn add_impulse_rows(
        &mut self,
        link: LinkIndex,
        impulses: &[SpatialForce],
        places: &[usize],
        jacobian: &mut [f64],
        responses: &mut [f64],
    ) -> Result<(), ArticulationError> {
        self.half()?;
        self.model.link(link)?;
        let count = self.model.dof_count();
        let (expected, got) = (impulses.len(), places.len());
        if expected != got {
            return Err(ArticulationError::Length { field: "places", expected, got });
        }
        let room = jacobian.len().min(responses.len());
        if let Some(place) = places.iter().find(|&&place| place.saturating_add(count) > room) {
            let (field, expected) = ("jacobian and responses", place.saturating_add(count));
            return Err(ArticulationError::Length { field, expected, got: room });
        }
        let Self { model, kinematics, factor, row_response, response, loops, base, .. } = self;
        if loops.is_empty() {
            row_response.add_rows(model, kinematics, factor, link, impulses, places, jacobian, responses);
            return Ok(());
        }
        let origin = kinematics.links[link.index()].origin;
        for (impulse, &place) in impulses.iter().zip(places) {
            let direction = [(impulse.moment, impulse.force)];
            add_jacobian(
                model,
                kinematics,
                link,
                &origin,
                &direction,
                1.0,
                &mut jacobian[place..place + count],
            );
            response.to_impulse(model, kinematics, factor, link, impulse, base);
            loops.measure_velocity(base);
            loops.cancel(base);
            responses[place..place + count].iter_mut().zip(&*base).for_each(|(sum, part)| *sum += part);
        }
        Ok(())
    }

    /// Between the halves: the velocity change (angular, linear) of a link at a point of the world (m) per impulse (moment, force) on it there,
    /// without loop closures. O(links) for the first call after [`Articulation::predict`].
    ///
    /// # Errors
    /// Outside of the halves of a step, or for a link that does not exist.
    pub fn inverse_inertia_at(
        &mut self,
        link: LinkIndex,
        point: &Vector3<f64>,
    ) -> Result<Matrix6<f64>, ArticulationError> {
        self.half()?;
        self.model.link(link)?;
        if !self.has_inverses {
            self.operational.update(&self.model, &self.kinematics, &self.factor);
            self.has_inverses = true;
        }
        Ok(self.operational.inverse_at(&self.kinematics, link, point))
    }

    /// Between the halves: what an impulse along a direction would change of the velocity of `link` against `other` (or against the world) along it, if each degree of freedom between
    /// the two acted with all of its arm: the sum of the squared arms over the inertias that are felt along them while what carries them stands still. What an impulse does in truth
    /// ([`Articulation::add_impulse_rows`]) is a vanishing share of this where the joints between leave the direction no motion: what is left then is rounding, or a lever so
    /// short that an error of the direction counts for more.
    ///
    /// The direction is a turn (its size in rad/s per rad/s) and a way (m/s per m/s) at a point of the world (m); both are measured by their lengths. O(depth).
    ///
    /// # Errors
    /// Outside of the halves of a step, or for a link that does not exist.
    pub fn response_by_levers(
        &self,
        link: LinkIndex,
        other: Option<LinkIndex>,
        point: &Vector3<f64>,
        direction: (&Vector3<f64>, &Vector3<f64>),
    ) -> Result<f64, ArticulationError> {
        self.half()?;
        self.model.link(link)?;
        other.map_or(Ok(()), |other| self.model.link(other).map(|_| ()))?;
        let (turn, way) = (direction.0.norm(), direction.1.norm());
        let (mut at, mut sum) = ([Some(link), other], 0.0);
        // Parents come before children: the later one of two is no ancestor of the other.
        while at[0] != at[1] {
            let side = usize::from(at[1] > at[0]);
            let Some(own) = at[side] else { break };
            let (link, origin) = (&self.model.links[own.index()], self.kinematics.links[own.index()].origin);
            let arm = (point - origin).norm();
            for dof in link.dofs() {
                let axis = &self.kinematics.axes[dof];
                let most = axis.angular.norm() * (turn + arm * way) + axis.linear.norm() * way;
                sum += most * most / self.factor.felt_inertia(dof);
            }
            at[side] = link.parent;
        }
        Ok(sum)
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
            self.kinematics.update(&self.model, &self.state);
        }
        outcome.map(|()| report)
    }

    /// Between the halves: the changes of all velocities by an impulse along a direction of one joint (N m s or N s), with loop closures held, into
    /// `out`. O(n). Changes nothing.
    ///
    /// # Errors
    /// Outside of the halves of a step, for a degree of freedom that does not exist, or where `out` has the wrong length.
    pub fn joint_impulse_response(
        &mut self,
        at: &JointDirection,
        impulse: f64,
        out: &mut [f64],
    ) -> Result<(), ArticulationError> {
        self.half()?;
        let count = self.model.dof_count();
        length("out", out, count)?;
        if !at.fits(count) {
            let (JointDirection::Dof(index) | JointDirection::Ball(index, _)) = *at;
            return Err(ArticulationError::UnknownDof { index, count });
        }
        self.forces.fill(0.0);
        at.add_to(impulse, &mut self.forces);
        self.response.to_joint_impulses(&self.model, &self.kinematics, &self.factor, &self.forces, out);
        if !self.loops.is_empty() {
            self.loops.measure_velocity(out);
            self.loops.cancel(out);
        }
        Ok(())
    }

    /// Between the halves: the bounded forces along joints that [`Articulation::predict`] found (limits that push, dry friction, motors at their largest
    /// force). What acts between the halves may ask them for more or less.
    pub fn bounded_impulses(&self) -> impl Iterator<Item = BoundedImpulse> + '_ {
        let is_open = self.half.is_some();
        let rows = self.rows.rows.iter().zip(&self.rows.impulses).filter(move |_| is_open);
        rows.map(|(row, &impulse)| BoundedImpulse::new(row, impulse))
    }

    /// Between the halves: limits that no row of [`Articulation::bounded_impulses`] is about yet and that `velocities` would pass within `reach` steps, or any
    /// velocities that are larger by 1 rad/s or m/s: what acts between the halves may push joints onto them. None outside of the halves.
    ///
    /// # Errors
    /// For too few or too many velocities.
    pub fn visit_near_limits(
        &self,
        velocities: &[f64],
        reach: f64,
        mut visit: impl FnMut(BoundedImpulse),
    ) -> Result<(), ArticulationError> {
        length("velocities", velocities, self.model.dof_count())?;
        let Some(h) = self.half else { return Ok(()) };
        let (model, positions) = (&self.model, &self.state.positions);
        let mut note = |row: Row, room: f64| {
            let is_near = room < reach * (1.0 + row.at.rate(velocities).abs());
            let is_known = self.rows.rows.iter().any(|other| other.dof == row.dof && other.kind == row.kind);
            if is_near && !is_known {
                visit(BoundedImpulse::new(&row, 0.0));
            }
        };
        for link in model.links() {
            for (dof, place) in link.dofs().zip(link.positions()) {
                let Some([lower, upper]) = model.dofs[dof].limits else { continue };
                let (at, position) = (JointDirection::Dof(dof), positions[place]);
                for (kind, gap, sign, bounds) in [
                    (RowKind::LowerLimit, position - lower, 1.0, (0.0, f64::INFINITY)),
                    (RowKind::UpperLimit, upper - position, -1.0, (f64::NEG_INFINITY, 0.0)),
                ] {
                    let room = gap.max(0.0) / h;
                    note(Row { dof, at, kind, bounds, offset: sign * room, compliance: 0.0 }, room);
                }
            }
        }
        for ball in model.balls.iter().filter(|ball| ball.spec.is_limited()) {
            ball_limits(ball, model, positions, velocities, |limit| {
                let room = limit.gap.max(0.0) / h;
                note(limit.row(room), room);
            });
        }
        Ok(())
    }

    /// Moves positions along `step` (an entry per degree of freedom, rad or m), without velocity: what a solver of one's own takes back by displacement.
    /// Ends a step that was predicted and not finished.
    ///
    /// # Errors
    /// For too few or too many entries, or one that is not finite.
    pub fn displace(&mut self, step: &[f64]) -> Result<(), ArticulationError> {
        self.check_displacement(step)?;
        self.half = None;
        advance(&self.model, &mut self.state.positions, step, 1.0);
        self.kinematics.update(&self.model, &self.state);
        Ok(())
    }

    /// As [`Articulation::displace`], by something within the articulation: with the momentum that there is, and without more energy afterwards. What gravity and the springs of motors gain
    /// is taken out of the motion within trees; where that has less, it goes half of the way, a quarter, an eighth, or stays. Hinges and sliders stop at their limits. Returns the share of
    /// the way that it went.
    ///
    /// # Errors
    /// As [`Articulation::displace`].
    pub fn displace_without_gain(&mut self, step: &[f64]) -> Result<f64, ArticulationError> {
        self.check_displacement(step)?;
        self.half = None;
        let budget = self.energy() + spring_energy(&self.model, &self.state);
        self.before.copy_from(&self.state);
        self.note_momenta();
        for share in [1.0, 0.5, 0.25, 0.125] {
            let Self { model, state, before, .. } = self;
            advance(model, &mut state.positions, step, share);
            stop_at_limits(model, &before.positions, &mut state.positions);
            self.kinematics.update(&self.model, &self.state);
            let stored = spring_energy(&self.model, &self.state);
            self.keep_momenta(budget - stored);
            let energy = self.energy();
            if energy + stored <= budget + ROUNDING * (energy.abs() + stored) {
                return Ok(share);
            }
            self.state.copy_from(&self.before);
        }
        self.kinematics.update(&self.model, &self.state);
        Ok(0.0)
    }

    fn check_displacement(&self, step: &[f64]) -> Result<(), ArticulationError> {
        length("displacement", step, self.model.dof_count())?;
        all_finite("displacement", step)
    }

    /// Moves positions back to where a share (0 to 1) of the way from `start` leads, joint by joint; velocities stay. For what was stopped within a step by something
    /// that it would have passed through. Loop closures hold at both ends of the way, and are off in between by the square of how far joints turned; the next step
    /// takes that back. Ends a step that was predicted and not finished.
    ///
    /// # Errors
    /// For too few or too many positions, one that is not finite, or a share that is not in 0 to 1.
    pub fn move_back(&mut self, start: &[f64], share: f64) -> Result<(), ArticulationError> {
        length("start", start, self.model.position_count())?;
        all_finite("start", start)?;
        in_range("share", "in 0 to 1", share, |x| (0.0..=1.0).contains(&x))?;
        self.half = None;
        way_between(&self.model, start, &self.state.positions, &mut self.predicted);
        self.state.positions.copy_from_slice(start);
        advance(&self.model, &mut self.state.positions, &self.predicted, share);
        self.kinematics.update(&self.model, &self.state);
        Ok(())
    }

    /// Changes all velocities by an impulse on each link (moment N m s, force N s; at its origin, world axes), with loop closures held. O(n). Ends a
    /// step that was predicted and not finished.
    ///
    /// # Errors
    /// For too few or too many impulses, one that is not finite, or when a degree of freedom has no inertia here.
    pub fn apply_impulses(&mut self, impulses: &[SpatialForce]) -> Result<(), ArticulationError> {
        let (expected, got) = (self.model.link_count(), impulses.len());
        if expected != got {
            return Err(ArticulationError::Length { field: "impulses", expected, got });
        }
        for impulse in impulses {
            all_finite("impulses", impulse.moment.as_slice())?;
            all_finite("impulses", impulse.force.as_slice())?;
        }
        self.half = None;
        self.factor.factorize(&self.model, &self.kinematics)?;
        let Self { model, kinematics, factor, response, loops, predicted, .. } = self;
        response.to_impulses(model, kinematics, factor, impulses, predicted);
        if !loops.is_empty() {
            loops.prepare(model, kinematics, factor, response);
            loops.measure_velocity(predicted);
            loops.cancel(predicted);
        }
        self.state.velocities.iter_mut().zip(&self.predicted).for_each(|(v, change)| *v += change);
        self.kinematics.update_velocities(&self.model, &self.state.velocities);
        Ok(())
    }

    /// Takes all velocity away. Ends a step that was predicted and not finished.
    pub fn stop_moving(&mut self) {
        self.half = None;
        self.state.velocities.fill(0.0);
        self.kinematics.update_velocities(&self.model, &self.state.velocities);
    }

    /// Takes the state of another articulation of the same shape, to the bit, and what acts along its joints. Allocates nothing. False, and nothing
    /// changed, where links or degrees of freedom differ in number.
    pub fn restore_state(&mut self, other: &Self) -> bool {
        let is_same = self.model.link_count() == other.model.link_count()
            && other.state.fits(&self.model)
            && self.loops.specs() == other.loops.specs();
        if is_same {
            self.half = None;
            self.model.dofs.copy_from_slice(&other.model.dofs);
            self.model.balls.clone_from(&other.model.balls);
            self.model.gravity = other.model.gravity;
            self.state.copy_from(&other.state);
            self.kinematics.update(&self.model, &self.state);
        }
        is_same
    }

    fn half(&self) -> Result<f64, ArticulationError> {
        self.half.ok_or(ArticulationError::NotPredicted)
    }
}

/// Of a displacement of positions: hinges and sliders that it takes beyond a limit are on it, or, where they were beyond before, where they were.
fn stop_at_limits(model: &Model, before: &[f64], positions: &mut [f64]) {
    for link in model.links() {
        for (dof, place) in link.dofs().zip(link.positions()) {
            let Some([lower, upper]) = model.dofs()[dof].limits else { continue };
            let was = before[place];
            positions[place] = positions[place].clamp(lower.min(was), upper.max(was));
        }
    }
}

/// A bounded force along a degree of freedom, as an impulse over the step: `v + compliance * impulse + offset = 0` unless the impulse is at a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundedImpulse {
    /// Along what it acts.
    pub at: JointDirection,
    /// Least and largest impulse, N m s or N s.
    pub bounds: (f64, f64),
    /// What is added to the velocity, rad/s or m/s.
    pub offset: f64,
    /// Velocity that it yields per impulse.
    pub compliance: f64,
    /// What it gives, N m s or N s.
    pub impulse: f64,
}

impl BoundedImpulse {
    fn new(row: &Row, impulse: f64) -> Self {
        let &Row { at, bounds, offset, compliance, .. } = row;
        Self { at, bounds, offset, compliance, impulse }
    }
}
