//! Joints and contacts of an island, in turns.
//!
//! The contacts are solved as one problem in which the locked coordinates of joints are eliminated (`bilateral`); then the joints are solved as `impulse` does it
//! ([`crate::step_ties`]), with the second order of their turning, limits, motors, friction and couplings, which that problem does not know. What the joints change of
//! the contacts' velocities beside what the problem had goes into its free velocities, and it is solved again from where it was, until that is less than
//! [`super::IslandSolverConfig::joint_tolerance`].
//!
//! Joints come last: what is left when the turns are over is that contacts close, which the report counts and correction takes back.
//!
//! Turns that do not end may give energy, and so may bounces of bodies that hang together (Newton's law at each contact), and joints of what turns by more than a step follows. The impulses
//! of such a step are scaled back to where its energy is least, as `impulse` and sub-steps do (S2-31), and the joints of what is in contact are solved from there: a step that is not solved damps.

use super::assembly::Assembly;
use super::rows::{Mover, widen_symmetric};
use super::{Stage, Worker};
use crate::SolverReport;
use crate::energy::{EnergyWay, between, share_of};
use crate::problem::{Local, ProblemSolver};
use crate::step_ties::{BatchBodies, Tied};
use drystone_contact::BodyIndex;
use drystone_exec::Exec;
use drystone_math::{Real, Symmetric3, Vector3, narrow, widen};

/// Share of its energy that an island may gain in a step that is not solved: rounding of velocities in single precision.
const ROUNDING: f64 = 1e-6;

/// How the turns of joints and contacts ended.
#[derive(Clone, Copy, Debug)]
enum Ends {
    /// Nothing is in contact.
    JointsAlone,
    Solved,
    Unsolved,
}

impl Stage<'_> {
    /// Solves what was built, and the joints; impulses are applied. `has_foreign_energy` where a joint brings energy from elsewhere.
    pub(super) fn solve_tied<S: ProblemSolver>(
        &self,
        Worker { solver, assembly, applied, begun }: &mut Worker<S>,
        (tied, has_foreign_energy): (&mut Tied<'_, '_>, bool),
        report: &mut SolverReport,
        exec: Option<&Exec>,
    ) {
        begun.clear();
        begun.extend(assembly.movers.iter().map(|mover| [mover.linear, mover.angular]));
        // Joints begin with what they gave under the contacts' impulses of the last step.
        assembly.apply();
        tied.read(assembly);
        tied.warm_start();
        tied.take(assembly);
        self.settle(tied, assembly);
        assembly.refresh();
        let mut ends = Ends::JointsAlone;
        if assembly.problem.contact_count() > 0 {
            let mut is_solved = false;
            for _ in 0..self.config.joint_rounds {
                applied.clear();
                applied.extend_from_slice(&assembly.impulses);
                let mut impulses = std::mem::take(&mut assembly.impulses);
                let outcome = solver.solve_on(&assembly.problem, &self.options, &mut impulses, exec);
                assembly.impulses = impulses;
                report.iterations += outcome.iterations * assembly.problem.contact_count() as u64;
                assembly.apply_beyond(applied);
                self.settle(tied, assembly);
                is_solved = assembly.refresh() <= f64::from(self.joint_tolerance()) && outcome.is_solved();
                if is_solved {
                    break;
                }
            }
            report.limit_hits = u32::from(!is_solved);
            ends = if is_solved { Ends::Solved } else { Ends::Unsolved };
        }
        if !(has_foreign_energy || assembly.is_driven()) {
            self.limit_energy(begun, assembly, tied, (ends, report));
        }
        work(begun, assembly, tied, true);
        tied.note();
    }

    /// Scales all impulses of the step back to where energy is least, when joints and contacts together gave some beside the work of drives, and solves the joints of what is in contact from
    /// there. What belts and bodies that are moved otherwise give is theirs to give.
    fn limit_energy(
        &self,
        begun: &[[Local; 2]],
        assembly: &mut Assembly,
        tied: &mut Tied<'_, '_>,
        (ends, report): (Ends, &mut SolverReport),
    ) {
        for is_again in [false, true] {
            let way = energy_way(begun, &assembly.movers);
            let worked = work(begun, assembly, tied, false).max(0.0);
            let share = match ends {
                Ends::JointsAlone => {
                    let mass = assembly.movers.iter().map(Mover::mass).sum();
                    way.least_with_joints(mass, self.step.speed_unit(), worked)
                }
                Ends::Solved => way.least_of_step(worked),
                Ends::Unsolved => way.least_with(ROUNDING * way.free + worked),
            };
            let Some(share) = share.or_else(|| way.start_if_endless()) else { return };
            let kept = f64::from(share);
            for (mover, [linear, angular]) in assembly.movers.iter_mut().zip(begun) {
                mover.linear = between(linear, &mover.linear, kept);
                mover.angular = between(angular, &mover.angular, kept);
            }
            assembly.impulses.iter_mut().for_each(|impulse| *impulse = share_of(*impulse, kept));
            tied.scale(share);
            tied.read(assembly);
            report.energy_scaled += u32::from(!is_again) * assembly.problem.contact_count() as u32;
            let goes_on = !is_again && !matches!(ends, Ends::JointsAlone);
            if goes_on {
                self.settle(tied, assembly);
            }
            assembly.refresh();
            if !goes_on {
                return;
            }
        }
    }

    /// Solves the joints: directly what hangs together, and by sweeps until they change less than a tenth of what may be left.
    fn settle(&self, tied: &mut Tied<'_, '_>, assembly: &mut Assembly) {
        tied.read(assembly);
        tied.solve_sets();
        tied.take(assembly);
        for _ in 0..self.config.joint_sweeps {
            tied.sweep();
            tied.solve_sets();
            if tied.take(assembly) <= 0.1 * self.joint_tolerance() {
                return;
            }
        }
    }

    /// By how much joints may change a contact's velocity after it was solved, m/s.
    fn joint_tolerance(&self) -> Real {
        self.config.joint_tolerance * self.step.speed_unit()
    }
}

/// What drives gave by the impulses of the step, J; where it `is_final`, what they worked beside what gave way to them is taken in by the joints.
fn work(begun: &[[Local; 2]], assembly: &Assembly, tied: &mut Tied<'_, '_>, is_final: bool) -> f64 {
    tied.count_work(is_final, |body| {
        let place = assembly.mover_of(BodyIndex(body)) as usize;
        let (Some(mover), Some([linear, angular])) = (assembly.movers.get(place), begun.get(place)) else {
            return Default::default();
        };
        // Of forces on single bodies those that turn are not told from impulses: energy of what they act on is not limited.
        [*linear, linear - mover.gained].map(|linear| (narrow(&linear), narrow(angular)))
    })
}

/// Kinetic energy along the way from the velocities that forces left to those of the movers.
fn energy_way(begun: &[[Local; 2]], movers: &[Mover]) -> EnergyWay {
    let mut way = EnergyWay::default();
    for (mover, [linear, angular]) in movers.iter().zip(begun) {
        let (mass, inertia) = mover.inertia();
        let (pushed, turned) = (mover.linear - linear, mover.angular - angular);
        let (momentum, angular_momentum) = (mass.component_mul(&pushed), inertia * turned);
        way.free += 0.5 * (linear.dot(&mass.component_mul(linear)) + angular.dot(&(inertia * angular)));
        way.linear += momentum.dot(linear) + angular_momentum.dot(angular);
        way.square += 0.5 * (momentum.dot(&pushed) + angular_momentum.dot(&turned));
    }
    way
}

impl Assembly {
    fn mover(&self, body: u32) -> Option<&Mover> {
        self.movers.get(self.mover_of(BodyIndex(body)) as usize)
    }

    fn mover_mut(&mut self, body: u32) -> Option<&mut Mover> {
        let mover = self.mover_of(BodyIndex(body)) as usize;
        self.movers.get_mut(mover)
    }
}

/// Joints have velocities in single precision: what they change of these goes to the movers, whose own are double.
impl BatchBodies for Assembly {
    fn velocities(&self, body: u32) -> [Vector3; 2] {
        let none = [Vector3::zeros(); 2];
        self.mover(body).map_or(none, |mover| [narrow(&mover.linear), narrow(&mover.angular)])
    }

    fn free_ways(&self, body: u32) -> Vector3 {
        let free = |inverse: f64| if inverse > 0.0 { 1.0 } else { 0.0 };
        self.mover(body).map_or(Vector3::zeros(), |mover| narrow(&mover.inverse_mass.map(free)))
    }

    fn set_velocities(&mut self, body: u32, velocities: [Vector3; 2]) {
        if let Some(mover) = self.mover_mut(body) {
            let [linear, angular] = velocities.map(|v| widen(&v));
            let change = |old: &Local, new: Local| new - widen(&narrow(old));
            mover.linear += change(&mover.linear, linear);
            mover.angular += change(&mover.angular, angular);
        }
    }

    fn stiffen(&mut self, body: u32, inverse_inertia: &Symmetric3) {
        let inverse = widen_symmetric(inverse_inertia);
        if let Some(mover) = self.mover_mut(body)
            && inverse.trace() < mover.inverse_inertia.trace()
        {
            mover.inverse_inertia = inverse;
        }
    }
}
