//! Sleepers that are struck wake before the step is solved (S1-39), and so does what a blow runs on to.
//!
//! What sleeps counts as immovable in a joint solve, so whatever a blow can set in motion has to be awake before. How far it
//! runs on is judged as if the struck body were free: its velocity and its turning by the blow, at each of its contacts.
//! A plank that is hit on one end frees what lies on the other one.
//!
//! What slides away below a sleeper drags it by friction, and wakes it too: a box that is pushed away takes along what lies on it.
//!
//! What joints hold to a body that is awake wakes with it, and with it all that joints hold to that.

use drystone_contact::{
    Batches, Bodies, BodyIndex, ContactGraph, EdgeIndex, Manifold, StepParams, WakeCause,
};
use drystone_math::{Real, Vector3};

/// Drag counts from half the speed of a blow on: it comes back in every step, and a blow does not.
const DRAG_SHARE: Real = 0.5;

/// Cosine between the global forces and the way down to what counts as lain on, above which it does: 60 degrees.
const STEEP: Real = 0.5;

/// What counts as a strike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StrikeRule {
    /// Closing speed above which a sleeper wakes, m/s.
    pub(crate) wake: Real,
    /// Closing speed from which a contact bounces, m/s.
    pub(crate) bounce: Real,
    /// Gap at which the method takes a contact for closed, m.
    pub(crate) open: Real,
}

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strikes {
    /// Woken bodies, with the velocity and angular velocity that a blow may give them.
    struck: Vec<(BodyIndex, [Vector3; 2])>,
    /// Bodies whose joints are to be followed.
    tied: Vec<BodyIndex>,
}

impl Strikes {
    /// Wakes them; returns how many.
    pub(crate) fn wake(
        &mut self,
        rule: StrikeRule,
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
        self.tied.clear();
        let has_ties = graph.tie_count() > 0;
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
            let striker = ends[usize::from(!awake[0])];
            if has_ties && graph.edge(index).is_tie() {
                bodies.wake(sleeper, WakeCause::Impact);
                self.tied.push(sleeper);
                woken += 1;
                continue;
            }
            let fastest = strike(bodies, manifold, striker, rule.open, step);
            if fastest <= rule.wake && drag(bodies, manifold, sleeper, step) > DRAG_SHARE * rule.wake {
                bodies.wake(sleeper, WakeCause::Impact);
                self.tied.push(sleeper);
                woken += 1;
            }
            if fastest > rule.wake {
                bodies.wake(sleeper, WakeCause::Impact);
                self.tied.push(sleeper);
                woken += 1;
                self.hand_on(bodies, graph, index, striker, fastest);
            }
        }
        while let Some((body, motion)) = self.struck.pop() {
            let closes = |index: EdgeIndex| closing_of(graph, index, body, &motion, rule.open, step.dt);
            let sum: Real = graph.edges_of(body).map(closes).sum();
            for index in graph.edges_of(body) {
                let other = graph.edge(index).other(body);
                let closing = closes(index);
                if bodies.is_asleep(other) && closing > rule.bounce {
                    bodies.wake(other, WakeCause::Impact);
                    self.tied.push(other);
                    woken += 1;
                    self.hand_on(bodies, graph, index, body, closing * closing / sum);
                }
            }
        }
        if has_ties {
            woken += self.wake_tied(bodies, graph);
        }
        woken
    }

    /// Wakes what joints hold to those that woke.
    fn wake_tied(&mut self, bodies: &mut Bodies, graph: &ContactGraph) -> u32 {
        let mut woken = 0;
        while let Some(body) = self.tied.pop() {
            for index in graph.edges_of(body).filter(|&index| graph.edge(index).is_tie()) {
                let other = graph.edge(index).other(body);
                let was_asleep = bodies.is_asleep(other);
                bodies.wake(other, WakeCause::Impact);
                // What is in quarantine sleeps on.
                if was_asleep && bodies.is_awake(other) {
                    self.tied.push(other);
                    woken += 1;
                }
            }
        }
        woken
    }

    /// Notes what a contact that closes at this speed (m/s) gives the body that is struck by the other one.
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
        let is_a = manifold.body_a == striker;
        let away = if is_a { manifold.normal } else { -manifold.normal };
        let [arm_striker, arm] = middle(manifold, is_a);
        let inverse_mass = bodies.hot(struck).inverse_mass;
        let turned = *bodies.inverse_inertia(struck) * arm.cross(&away);
        let give = inverse_mass + away.dot(&turned.cross(&arm));
        // What cannot move pushes with all its speed.
        let of_striker = *bodies.inverse_inertia(striker) * arm_striker.cross(&away);
        let other = bodies.hot(striker).inverse_mass + away.dot(&of_striker.cross(&arm_striker));
        if give > 0.0 {
            // As if nothing were lost, whatever the restitution: a row takes a blow as one, and the share that each of its
            // bodies hands on without restitution falls far below what the last one gets of it. In a heap the contacts that
            // close share the blow, or every layer would have it in full.
            let impulse = 2.0 * closing / (give + other);
            self.struck.push((struck, [away * (inverse_mass * impulse), turned * impulse]));
        }
    }
}

/// Fastest approach (m/s) of a manifold's points that a solve of this step would stop, when one body is awake. What the forces on all bodies add before
/// counts for the way and not for the speed: a contact that was left out here and closes within the step would find an immovable body.
fn strike(bodies: &Bodies, manifold: &Manifold, awake: BodyIndex, open: Real, step: &StepParams) -> Real {
    let [a, b] = [manifold.body_a, manifold.body_b].map(|body| bodies.hot(body));
    let towards = if manifold.body_a == awake { manifold.normal } else { -manifold.normal };
    let hot = bodies.hot(awake);
    let pull = step.global_acceleration_of(bodies, awake);
    let gain = if hot.is_dynamic() { (towards.dot(&pull) * step.dt).max(0.0) } else { 0.0 };
    let mut fastest = 0.0_f32;
    for p in manifold.points() {
        let u = b.velocity_at(&p.arm_b) - a.velocity_at(&p.arm_a);
        let closing = -manifold.normal.dot(&u);
        if (closing + gain) * step.dt > p.distance - open {
            fastest = fastest.max(closing);
        }
    }
    fastest
}

/// Speed (m/s) that friction under the load of the last step gives a sleeper in one step when what it lies on slides: at most that of the slip. 0 for
/// what slides beside or above it: the rest of a heap holds it.
fn drag(bodies: &Bodies, manifold: &Manifold, sleeper: BodyIndex, step: &StepParams) -> Real {
    let [a, b] = [manifold.body_a, manifold.body_b].map(|body| bodies.hot(body));
    let pull = step.global_acceleration_of(bodies, sleeper);
    let down = if manifold.body_a == sleeper { manifold.normal } else { -manifold.normal };
    if down.dot(&pull) <= STEEP * pull.norm() {
        return 0.0;
    }
    let (mut load, mut slip) = (0.0, 0.0_f32);
    for p in manifold.points() {
        let normal_load = manifold.normal.dot(&p.warm_start_impulse);
        if normal_load > 0.0 {
            load += normal_load;
            let u = b.velocity_at(&p.arm_b) - a.velocity_at(&p.arm_a);
            slip = slip.max((u - manifold.normal * manifold.normal.dot(&u)).norm());
        }
    }
    slip.min(manifold.material.kinetic_friction * load * bodies.hot(sleeper).inverse_mass)
}

/// Fastest approach (m/s) of a contact's points that arrive within the step, when one of its bodies moves like this (velocity and
/// angular velocity) and the other one stands.
fn closing_of(
    graph: &ContactGraph,
    index: EdgeIndex,
    body: BodyIndex,
    motion: &[Vector3; 2],
    open: Real,
    dt: Real,
) -> Real {
    let manifold = &graph.edge(index).manifold;
    let is_a = manifold.body_a == body;
    let towards = if is_a { manifold.normal } else { -manifold.normal };
    let closing = manifold.points().iter().filter_map(|p| {
        let arm = if is_a { &p.arm_a } else { &p.arm_b };
        let closing = towards.dot(&(motion[0] + motion[1].cross(arm)));
        (closing * dt > p.distance - open).then_some(closing)
    });
    closing.fold(0.0, Real::max)
}

/// Arms (m) of the middle of a manifold's points: from the striker, which is A or B, and from what it strikes.
fn middle(manifold: &Manifold, is_a: bool) -> [Vector3; 2] {
    let points = manifold.points();
    let share = 1.0 / points.len().max(1) as Real;
    let [a, b] =
        points.iter().fold([Vector3::zeros(); 2], |[a, b], p| [a + p.arm_a * share, b + p.arm_b * share]);
    if is_a { [a, b] } else { [b, a] }
}
