//! The switches of S3 that act on a step's contacts and bodies whatever the method: zeroing, damping, forgotten forces (S3-22, S3-26, S3-27);
//! and who wakes and sleeps by its rule (S3-21, S3-25, S3-28), or by the method's own.

use crate::world::World;
use drystone_contact::{BodyIndex, EdgeIndex, StepParams};
use drystone_exec::Exec;
use drystone_math::{Real, Vector3};
use drystone_sleeping::SleepReport;

impl World {
    /// Before the response: what the switches take away. Costs nothing while they are as by default.
    pub(super) fn begin_switches(&mut self, step: &StepParams) {
        let config = &self.config.coherence;
        if config.damping > 0.0 {
            let share = 1.0 / (1.0 + config.damping * step.dt);
            self.damp(share);
        }
        if !self.config.coherence.cache_forces {
            self.forget_forces();
        }
        if self.config.coherence.zero_restitution {
            self.zero_restitution();
        }
    }

    /// After the response: what was taken away for a step only comes back.
    pub(super) fn end_switches(&mut self) {
        for (edge, restitution) in self.zeroed.drain(..) {
            self.graph.edges_mut()[edge.get()].manifold.material.restitution = restitution;
        }
    }

    /// Viscous damping of all that is awake (S3-27).
    fn damp(&mut self, share: Real) {
        self.note_awake();
        for &body in &self.scratch {
            let hot = &mut self.bodies.view_mut().hot[body.get()];
            if hot.is_dynamic() {
                hot.linear *= share;
                hot.angular *= share;
            }
        }
    }

    /// Solvers begin with nothing.
    fn forget_forces(&mut self) {
        for &index in self.batches.all_edges() {
            let manifold = &mut self.graph.edges_mut()[index.get()].manifold;
            manifold.rolling_impulse = Vector3::zeros();
            manifold.points_mut().iter_mut().for_each(|point| point.warm_start_impulse = Vector3::zeros());
        }
    }

    /// Contacts of what is sleepy do not bounce (S3-26).
    fn zero_restitution(&mut self) {
        let (sleepy, config, bodies) = (&self.sleepy, &self.config.coherence.sleepy, &self.bodies);
        for &index in self.batches.all_edges() {
            let manifold = &mut self.graph.edges_mut()[index.get()].manifold;
            let restitution = manifold.material.restitution;
            let ends = [manifold.body_a, manifold.body_b];
            if restitution > 0.0 && ends.iter().any(|&body| sleepy.is_sleepy(config, bodies, body)) {
                manifold.material.restitution = 0.0;
                self.zeroed.push((index, restitution));
            }
        }
    }

    /// Beside the six rules: what S3's islands wake. What wakes gets a batch.
    pub(super) fn wake_sleepy_groups(&mut self, exec: &Exec) {
        let config = &self.config.coherence;
        let Some(rule) = config.sleepy_rule() else { return };
        let woken =
            self.sleepy.wake_members(&config.sleepy, rule, &mut self.bodies, &self.graph, &self.batches);
        if woken > 0 {
            self.batches.update(&self.bodies, &self.graph, self.config.small_batch_size, exec);
        }
    }

    /// `scratch` has who is awake now.
    pub(super) fn note_awake(&mut self) {
        self.scratch.clear();
        self.scratch.extend(self.bodies.view().awake.iter().map(BodyIndex));
    }

    /// After the response: what the method itself put to sleep (S2-18) sleeps as what the rules put to sleep. What carries it is counted, or rule 5 would miss the
    /// loss of a part of it (S1-41), and its boxes and contacts follow once more. Returns how many. O(awake bodies and contacts of the frozen ones).
    pub(super) fn follow_frozen(&mut self, step: &StepParams) -> u32 {
        let mut frozen = 0;
        for &body in &self.scratch {
            if self.bodies.is_asleep(body) {
                let config = &self.config.sleeping;
                let supports = drystone_sleeping::supports_of(config, &self.bodies, &self.graph, body, step);
                self.bodies.view_mut().supports[body.get()] = supports.counted;
                self.solved.note_too(body);
                self.disturbed.insert(body);
                frozen += 1;
            }
        }
        frozen
    }

    /// Puts to sleep by S1's rule or by S3's; `scratch` has those that were awake before.
    pub(super) fn let_sleep(&mut self, step: &StepParams) -> SleepReport {
        let (sleeping, config) = (&self.config.sleeping, &self.config.coherence);
        let (bodies, graph, scratch) = (&mut self.bodies, &self.graph, &mut self.scratch);
        let memory = &mut self.sleep_memory;
        match config.sleepy_rule() {
            None => drystone_sleeping::put_to_sleep(sleeping, bodies, graph, step, scratch, memory),
            Some(rule) => {
                self.sleepy.put_to_sleep(&config.sleepy, rule, sleeping, bodies, graph, step, scratch, memory)
            }
        }
    }
}

/// A contact that does not bounce in this step, and the restitution that it had.
pub(crate) type Zeroed = (EdgeIndex, Real);
