//! Sleepers that are struck wake before the step is solved (S1-39), and so does what a blow runs on to.

use drystone_contact::{Batches, Bodies, BodyIndex, ContactGraph, EdgeIndex, StepParams, WakeCause};
use drystone_math::{Real, Vector3};

/// Closing speeds that count, m/s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StrikeSpeeds {
    /// Above it a sleeper wakes.
    pub(crate) wake: Real,
    /// From it a contact bounces.
    pub(crate) bounce: Real,
}

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strikes {
    /// Woken bodies, and the speed that a blow may give them.
    struck: Vec<(BodyIndex, Vector3)>,
}

impl Strikes {
    /// Wakes them; returns how many.
    pub(crate) fn wake(
        &mut self,
        speeds: StrikeSpeeds,
        bodies: &mut Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        step: &StepParams,
    ) -> u32 {
        if bodies.awake_dynamic_count() == bodies.dynamic_count() {
            return 0;
        }
        let mut woken = 0;
        self.struck.clear();
        for &index in batches.all_edges() {
            let manifold = &graph.edge(index).manifold;
            let ends = [manifold.body_a, manifold.body_b];
            let awake = ends.map(|e| bodies.is_awake(e));
            if awake[0] == awake[1] {
                continue;
            }
            let sleeper = ends[usize::from(awake[0])];
            if !bodies.is_asleep(sleeper) {
                continue;
            }
            let [a, b] = ends.map(|e| bodies.hot(e));
            let mut fastest = 0.0_f32;
            for p in manifold.points() {
                let u = b.velocity_at(&p.arm_b) - a.velocity_at(&p.arm_a);
                let closing = -manifold.normal.dot(&u);
                if closing * step.dt > p.distance {
                    fastest = fastest.max(closing);
                }
            }
            if fastest > speeds.wake {
                bodies.wake(sleeper, WakeCause::Struck);
                woken += 1;
                let striker = ends[usize::from(!awake[0])];
                self.hand_on(bodies, graph, index, striker, fastest);
            }
        }
        while let Some((body, velocity)) = self.struck.pop() {
            for index in graph.edges_of(body) {
                let manifold = &graph.edge(index).manifold;
                let other = graph.edge(index).other(body);
                let towards = if manifold.body_a == body { manifold.normal } else { -manifold.normal };
                let closing = towards.dot(&velocity);
                let reaches = manifold.min_distance().is_some_and(|d| closing * step.dt > d);
                if bodies.is_asleep(other) && closing > speeds.bounce && reaches {
                    bodies.wake(other, WakeCause::Struck);
                    woken += 1;
                    self.hand_on(bodies, graph, index, body, closing);
                }
            }
        }
        woken
    }

    /// Notes the speed of the body that was struck through a contact by another one, if it bounces.
    fn hand_on(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        index: EdgeIndex,
        striker: BodyIndex,
        closing: Real,
    ) {
        let manifold = &graph.edge(index).manifold;
        let struck = graph.edge(index).other(striker);
        let restitution = manifold.material.restitution;
        if restitution <= 0.0 {
            return;
        }
        let [m_striker, m_struck] = [striker, struck].map(|b| bodies.hot(b).inverse_mass);
        // As of two balls that meet head on; what cannot move pushes with all its speed.
        let share = (1.0 + restitution) * m_struck / (m_striker + m_struck);
        let away = if manifold.body_a == striker { manifold.normal } else { -manifold.normal };
        self.struck.push((struck, away * (closing * share)));
    }
}
