//! Joints and contacts of a batch, in turns.
//!
//! S1 knows no joints. Here a batch with joints is solved in rounds: the contacts as S1 has it (`resolve`), then the joints, which hold what is locked
//! exactly where they hang together, until no contact closes any more or the rounds are over
//! ([`ImpulseConfig::joint_rounds`](super::ImpulseConfig::joint_rounds)). Each half leaves of the other one's error a share that depends on the masses:
//! half of it where they are alike. Shock propagation is the last resort; it knows nothing of joints.
//!
//! Joints come last. What is left is that contacts close, by a share of what gravity gives in a step, which correction takes back as overlap; the other
//! way round joints would be pulled apart.
//!
//! S1's impulses are never taken back. Where contacts and joints ask for what cannot be (a limb that is jammed), each undoes what the other one did, and
//! every round gives energy. So the whole of a step is scaled back to where energy is least when it gave some, as sub-steps do.

use super::ImpulseConfig;
use super::batch::BatchSolver;
use super::order::ContactOrder;
use super::row::{LocalBody, Row};
use super::speeds::StepSpeeds;
use crate::SolverReport;
use crate::energy::{EnergyWay, between};
use crate::step_ties::{BatchBodies, Tied};
use drystone_contact::{Bodies, BodyHot, BodyIndex};
use drystone_math::{Real, Symmetric3, Vector3};

impl<O: ContactOrder> BatchSolver<O> {
    /// Solves joints and contacts.
    pub(super) fn resolve_tied(
        &mut self,
        config: &ImpulseConfig,
        speeds: &StepSpeeds,
        tied: &mut Tied<'_, '_>,
        report: &mut SolverReport,
    ) {
        let all = 0..self.rows.len();
        tied.stiffen(&mut self.tied_bodies());
        self.begin_ties(tied, config, speeds);
        let mut closes = self.refresh(all.clone(), speeds.threshold);
        if closes {
            self.link_touches();
        }
        let closing = self.rows.iter().zip(&self.excess).map(|(row, excess)| excess + row.allowed_approach);
        let speeds = &speeds.calmed_above(closing.fold(0.0, Real::max));
        for _ in 0..config.joint_rounds {
            if !closes {
                return;
            }
            let limit = config.most_resolutions(config.global_limit, all.len());
            let end = self.run_held(all.clone(), limit, 0, speeds, report);
            report.iterations += end.iterations;
            if !end.is_solved {
                self.finish_blows(all.clone(), config, speeds, report);
            }
            self.settle(tied, config, speeds);
            closes = self.refresh(all.clone(), speeds.threshold);
        }
        if closes {
            self.propagate_tied(config, speeds, report);
            self.settle(tied, config, speeds);
        }
    }

    /// Shock propagation where there are levels; the report says that the rounds were over before contacts stopped to close.
    fn propagate_tied(&mut self, config: &ImpulseConfig, speeds: &StepSpeeds, report: &mut SolverReport) {
        if config.shock_limit.is_some() && self.bodies.iter().skip(1).any(|b| b.level == 1) {
            self.propagate_shock(config, speeds, report);
        }
        report.limit_hits += 1;
    }

    /// What joints gave in the step before, and what is left to them then.
    fn begin_ties(&mut self, tied: &mut Tied<'_, '_>, config: &ImpulseConfig, speeds: &StepSpeeds) {
        tied.read(&self.tied_bodies());
        tied.warm_start();
        tied.take(&mut self.tied_bodies());
        self.settle(tied, config, speeds);
    }

    /// Solves the joints: directly what hangs together, and by sweeps until they change less than the threshold.
    fn settle(&mut self, tied: &mut Tied<'_, '_>, config: &ImpulseConfig, speeds: &StepSpeeds) {
        tied.read(&self.tied_bodies());
        tied.solve_sets();
        tied.take(&mut self.tied_bodies());
        for _ in 0..config.joint_sweeps {
            tied.sweep();
            tied.solve_sets();
            if tied.take(&mut self.tied_bodies()) <= speeds.threshold {
                return;
            }
        }
    }

    fn tied_bodies(&mut self) -> LocalBodies<'_> {
        LocalBodies { bodies: &mut self.bodies, local_of: &self.local_of }
    }

    /// Scales all impulses of the step back to where energy is least, when joints and contacts together gave some beside the work of drives, and solves the joints from there: these
    /// hold whatever is left of the contacts. What a belt, a kinematic body or a coupling gives is theirs to give. Joints alone may give more, as a swing gains and loses by the second order of its turning, and
    /// are not solved again: what is beyond is no motion that a step can follow. Joints take in the work of their drives.
    pub(super) fn limit_energy(
        &mut self,
        (bodies, members): (&Bodies, &[BodyIndex]),
        (config, speeds): (&ImpulseConfig, &StepSpeeds),
        tied: &mut Tied<'_, '_>,
        report: &mut SolverReport,
    ) {
        let is_belt = |row: &Row| row.surface_velocity != Vector3::zeros();
        let is_moved = self.bodies.len() > members.len() + 1 || self.rows.iter().any(is_belt);
        if !(is_moved || tied.has_couplings())
            && let Some(share) = self.share_within_limit((bodies, members), speeds, tied)
        {
            for (local, &member) in self.bodies.iter_mut().skip(1).zip(members) {
                let hot = bodies.hot(member);
                local.linear = between(&hot.linear, &local.linear, share);
                local.angular = between(&hot.angular, &local.angular, share);
            }
            self.rows
                .iter_mut()
                .for_each(|row| row.impulse = between(&Vector3::zeros(), &row.impulse, share));
            tied.scale(share);
            if self.is_struck() {
                self.settle(tied, config, speeds);
            }
            report.energy_scaled += self.rows.len() as u32;
        }
        self.count_work(bodies, speeds, tied, true);
    }

    /// Where the impulses of the step gave energy: the share of them that is left.
    fn share_within_limit(
        &mut self,
        (bodies, members): (&Bodies, &[BodyIndex]),
        speeds: &StepSpeeds,
        tied: &mut Tied<'_, '_>,
    ) -> Option<Real> {
        let worked = self.count_work(bodies, speeds, tied, false).max(0.0);
        let way = self.energy_way(bodies, members);
        let share = if self.is_struck() {
            way.least_of_step(worked)
        } else {
            let mass = members.iter().map(|&member| f64::from(bodies.mass(member))).sum();
            way.least_with_joints(mass, speeds.step.speed_unit(), worked)
        };
        share.or_else(|| way.start_if_endless())
    }

    /// True where a contact gave something.
    fn is_struck(&self) -> bool {
        self.rows.iter().any(|row| row.impulse != Vector3::zeros())
    }

    /// What drives gave by the impulses of the step, J; where it `is_final`, joints take in what they worked.
    fn count_work(
        &mut self,
        bodies: &Bodies,
        speeds: &StepSpeeds,
        tied: &mut Tied<'_, '_>,
        is_final: bool,
    ) -> f64 {
        if !tied.has_drives() {
            return 0.0;
        }
        tied.read(&self.tied_bodies());
        tied.count_work(is_final, |body| {
            let (body, hot) = (BodyIndex(body), bodies.hot(BodyIndex(body)));
            let gained = speeds.gained(bodies, body) + bodies.force(body).0 * (hot.inverse_mass * speeds.dt);
            // Of forces on single bodies those that turn are not told from impulses: energy of what they act on is not limited.
            [hot.linear, hot.linear - gained].map(|linear| (linear, hot.angular))
        })
    }

    /// Kinetic energy of the batch along the way from no impulses of the step to all of them.
    fn energy_way(&self, bodies: &Bodies, members: &[BodyIndex]) -> EnergyWay {
        let given =
            |local: &LocalBody, hot: &BodyHot| (local.linear - hot.linear, local.angular - hot.angular);
        let free = self.energy_of(bodies, members, |_, hot| (hot.linear, hot.angular));
        let all = self.kinetic_energy(bodies, members);
        let square = self.energy_of(bodies, members, given);
        EnergyWay { free, linear: all - free - square, square }
    }
}

/// The bodies of a batch, by their indices in the world.
struct LocalBodies<'a> {
    bodies: &'a mut [LocalBody],
    local_of: &'a [u32],
}

impl LocalBodies<'_> {
    fn local(&mut self, body: u32) -> &mut LocalBody {
        &mut self.bodies[self.local_of[body as usize] as usize]
    }
}

impl BatchBodies for LocalBodies<'_> {
    fn velocities(&self, body: u32) -> [Vector3; 2] {
        let local = &self.bodies[self.local_of[body as usize] as usize];
        [local.linear, local.angular]
    }

    fn free_ways(&self, body: u32) -> Vector3 {
        self.bodies[self.local_of[body as usize] as usize].free
    }

    fn set_velocities(&mut self, body: u32, velocities: [Vector3; 2]) {
        let local = self.local(body);
        [local.linear, local.angular] = velocities;
    }

    fn stiffen(&mut self, body: u32, inverse_inertia: &Symmetric3) {
        let local = self.local(body);
        let trace = |i: &Symmetric3| i.xx + i.yy + i.zz;
        if trace(inverse_inertia) < trace(&local.inverse_inertia) {
            local.inverse_inertia = *inverse_inertia;
        }
    }
}
