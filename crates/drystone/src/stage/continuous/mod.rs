//! Continuous detection: bodies that move far in one step are stopped where they would pass through something (S4-29, S5-18, in place of
//! S5-06's bisection).
//!
//! In: where bodies were when they were last looked at, where a method has moved them, the broad phase. Out: poses of what is stopped.
//! Velocities stay: the next detection finds the contact, and the method resolves it. Start reading at [`World::stop_at_impacts`].
//!
//! 1. A body is fast that moved by more than a share of the least distance of its surface from the centre of one of its colliders. One
//!    pass over what is awake finds these; without one that is all.
//! 2. Each is paired with what the box around its way overlaps; fast ones with each other by their boxes along x.
//! 3. Each pair is asked when it first meets ([`path::impact`]). A hit that is the earliest of both its bodies is certain: nothing changes
//!    their ways before. Both stop there, and pairs of what was stopped are asked again, until no pair meets. After [`ROUNDS`] rounds all
//!    hits count, earliest or not; after as many again what still meets is put back to where it began, where all were apart.
//!
//! Links of an articulation go as far as the first of them: where one is stopped, its articulation goes that share of its way, joint by joint, and all its links with it. Links of one
//! articulation do not stop each other.
//!
//! Invariants: boxes and pairs are asked side by side, each by itself, and all that is decided is serial, in the order of indices, so equal at any
//! number of threads; what is slow pays for the pass alone; every loop ends.

mod near;
mod path;

use super::words_per_part;
use crate::ContinuousReport;
use crate::world::World;
use drystone_collision::broad::Pair;
use drystone_contact::{BodyHot, BodyIndex};
use drystone_exec::{Exec, chunks, chunks_mut, items_mut};
use drystone_math::{Aabb, Pose, Real, bits, indices};
use near::Near;
use path::{Path, Side, impact};

/// Rounds in which only earliest hits count, and then rounds in which all do.
const ROUNDS: u32 = 16;
/// Change of a limit that counts, in steps.
const SOONER: f64 = 1.0e-9;
/// Pairs of each body that there is room for from the beginning.
const MEETINGS: usize = 8;
/// Boxes of fast bodies per part, and pairs: some 10 µs of work.
const MOVERS_PER_PART: usize = 32;
const MEETINGS_PER_PART: usize = 16;
/// Rounding of a cosine of two rotations.
const ROUNDING: f64 = 1.0e-6;
/// No mover.
const NONE: u32 = u32::MAX;

/// Where a body was when it was last looked at.
#[derive(Clone, Copy, Debug)]
struct Start {
    pose: Pose,
    /// Square of the way up to which it is slow, m²; infinite for what is never swept.
    slow_squared: f64,
}

impl Start {
    const NEVER: Self = Self { pose: Pose::IDENTITY, slow_squared: f64::INFINITY };
}

/// A body that is swept, or that one of these may push aside.
#[derive(Clone, Copy, Debug)]
struct Mover {
    body: BodyIndex,
    path: Path,
    /// Around all of its way, m; empty where it is slow, and where nothing is near it and it is not asked for otherwise.
    swept: Aabb,
    is_fast: bool,
    /// Dynamic: what is kinematic goes its way.
    can_stop: bool,
    /// Its earliest hit of a round.
    first: f64,
    /// Whether its limit changed since its pairs were asked.
    is_new: bool,
    /// The slot of the articulation that it is a link of; [`NONE`] for others.
    articulation: u32,
}

/// Two colliders that may meet, the thinner one of a pair of dynamic bodies first.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    slots: [u32; 2],
    /// Their movers; [`NONE`] for what does not move.
    movers: [u32; 2],
    /// When they meet; `None` when they do not or have been stopped there.
    time: Option<f64>,
}

/// Continuous detection: its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Continuous {
    starts: Vec<Start>,
    /// What is fast, a bit for each body.
    fast: Vec<u64>,
    /// Square of the farthest way of what is not, m², of each part of the bodies.
    slow: Vec<f64>,
    movers: Vec<Mover>,
    /// Mover of each body, by index.
    mover_of: Vec<u32>,
    meetings: Vec<Meeting>,
    /// What parts of the fast bodies may meet.
    near: Vec<Near>,
    by_x: Vec<u32>,
    /// The earliest hit, and the least limit, of the movers of each articulation, by slot; empty where no mover is a link.
    of_articulation: Vec<f64>,
}

drystone_math::carried!(Continuous {
    part: [starts, mover_of],
    scratch: [fast, slow, movers, meetings, near, by_x, of_articulation]
});

impl Continuous {
    /// Makes room for so many bodies: what is fast for the first time long after shall not allocate.
    fn make_room(&mut self, capacity: usize) {
        if self.starts.len() < capacity {
            self.starts.resize(capacity, Start::NEVER);
            self.mover_of.resize(capacity, NONE);
            self.movers.reserve(capacity);
            self.by_x.reserve(capacity);
            self.near.resize_with(capacity.div_ceil(MOVERS_PER_PART), Near::with_room);
            self.meetings.reserve(MEETINGS * capacity);
        }
    }

    /// Remembers where a body is; nothing where it was never told of.
    #[inline]
    pub(super) fn note(&mut self, body: BodyIndex, pose: &Pose) {
        if let Some(start) = self.starts.get_mut(body.get()) {
            start.pose = *pose;
        }
    }
}

impl World {
    /// Learns of bodies that were added or changed from outside, and where they are, before anything moves them.
    pub(super) fn note_disturbed(&mut self) {
        if !self.config.continuous.is_on() {
            return;
        }
        for &body in self.disturbed.list() {
            let threshold = self.config.continuous.threshold;
            let inners = self.colliders.solid(body).map(|slot| self.colliders.inner(slot));
            let inner = inners.fold(Real::INFINITY, Real::min);
            let slow = if is_fixed(self.bodies.hot(body)) { Real::INFINITY } else { inner * threshold };
            let slow_squared = f64::from(slow) * f64::from(slow);
            let capacity = self.bodies.capacity().max(body.get() + 1);
            self.continuous.make_room(capacity);
            self.continuous.starts[body.get()] = Start { pose: *self.bodies.center_pose(body), slow_squared };
        }
    }

    /// Remembers where bodies are before they are moved.
    pub(super) fn note_starts(&mut self) {
        if !self.config.continuous.is_on() {
            return;
        }
        self.note_disturbed();
        let view = self.bodies.view();
        for i in view.awake.iter() {
            self.continuous.note(BodyIndex(i), &view.pose[i as usize]);
        }
    }

    /// Stops what moved so far since [`World::note_starts`] that it would pass through something. The broad phase must know the boxes
    /// of where bodies were then, but for those of what was disturbed.
    pub(super) fn stop_at_impacts(&mut self, exec: &Exec) {
        if !self.config.continuous.is_on() || !self.bodies.view().awake.has_any() {
            return;
        }
        let mut own = std::mem::take(&mut self.continuous);
        if let Some(slow_reach) = self.collect_fast(&mut own, exec) {
            self.pair_fast(&mut own, slow_reach, exec);
            let put_back = self.stop(&mut own, exec);
            self.place_stopped(&own, put_back);
            own.movers.iter().for_each(|mover| own.mover_of[mover.body.get()] = NONE);
        }
        self.continuous = own;
    }

    /// Lists what is fast; the farthest way of what is not, m, or `None` when nothing dynamic is fast.
    fn collect_fast(&self, own: &mut Continuous, exec: &Exec) -> Option<f64> {
        own.movers.clear();
        let (view, starts) = (self.bodies.view(), &own.starts);
        let awake = view.awake.words();
        let per_part = words_per_part(awake.len());
        own.fast.resize(awake.len(), 0);
        own.slow.resize(awake.len().div_ceil(per_part), 0.0);
        let parts = (chunks(awake, per_part), chunks_mut(&mut own.fast, per_part), items_mut(&mut own.slow));
        exec.for_each_static(parts, |part, (awake, fast, slow)| {
            *slow = 0.0;
            for (k, (&awake, fast)) in awake.iter().zip(fast).enumerate() {
                *fast = 0;
                for bit in bits(awake) {
                    let i = (part * per_part + k) * 64 + bit as usize;
                    let Some(start) = starts.get(i) else { continue };
                    let way = (view.pose[i].translation - start.pose.translation).norm_squared();
                    if way <= start.slow_squared {
                        *slow = if way > *slow { way } else { *slow };
                    } else {
                        *fast |= 1 << bit;
                    }
                }
            }
        });
        let mut has_fast = false;
        for body in indices(own.fast.iter().copied()).map(BodyIndex) {
            let (start, pose) = (&own.starts[body.get()], &view.pose[body.get()]);
            let can_stop = view.hot[body.get()].is_dynamic();
            has_fast |= can_stop;
            let path = Path { from: start.pose, to: *pose, limit: 1.0 };
            own.movers.push(Mover {
                body,
                path,
                swept: Aabb::EMPTY,
                is_fast: true,
                can_stop,
                first: f64::INFINITY,
                is_new: true,
                articulation: self.articulations.slot_of(body).unwrap_or(NONE),
            });
        }
        has_fast.then(|| own.slow.iter().copied().fold(0.0, f64::max).sqrt())
    }

    /// Pairs of colliders that may meet.
    fn pair_fast(&self, own: &mut Continuous, slow_reach: f64, exec: &Exec) {
        own.meetings.clear();
        let fast_count = own.movers.len();
        for k in 0..fast_count {
            own.mover_of[own.movers[k].body.get()] = k as u32;
        }
        let part_count = self.look_around(own, slow_reach, exec);
        for part in 0..part_count {
            for i in 0..own.near[part].pairs.len() {
                let (mover, other) = own.near[part].pairs[i];
                for slot in self.colliders.of(own.movers[mover as usize].body) {
                    self.meet(own, [slot, other]);
                }
            }
        }
        if self.config.continuous.moving {
            self.pair_fast_with_fast(own, fast_count);
        }
    }

    /// Fast bodies whose boxes overlap, by the lower ends of these along x.
    fn pair_fast_with_fast(&self, own: &mut Continuous, fast_count: usize) {
        own.by_x.clear();
        own.by_x.extend(0..fast_count as u32);
        let movers = &own.movers;
        own.by_x.sort_unstable_by(|&a, &b| {
            let x = |k: u32| movers[k as usize].swept.min.x;
            x(a).total_cmp(&x(b)).then(a.cmp(&b))
        });
        for i in 0..fast_count {
            for j in i + 1..fast_count {
                let [a, b] = [own.by_x[i], own.by_x[j]].map(|k| &own.movers[k as usize]);
                if b.swept.min.x > a.swept.max.x {
                    break;
                }
                if !a.swept.overlaps(&b.swept) || !(a.can_stop || b.can_stop) {
                    continue;
                }
                let bodies = [a.body, b.body];
                for slot in self.colliders.of(bodies[0]) {
                    for other in self.colliders.of(bodies[1]) {
                        self.meet(own, [slot, other]);
                    }
                }
            }
        }
    }

    /// Takes note of a pair, unless it must not meet.
    fn meet(&self, own: &mut Continuous, slots: [u32; 2]) {
        let colliders = &self.colliders;
        let bodies = slots.map(|slot| colliders.get(slot).body);
        // Who looks ahead knows contacts with the triangles of a surface before it could be passed.
        let is_ahead = self.config.detection.look_ahead >= 1.0;
        let is_held = |k: usize| is_ahead && colliders.get(slots[k]).shape.surface().is_some();
        let is_out = |k: usize| {
            colliders.is_trigger(slots[k]) || self.bodies.hot(bodies[k]).is_passive() || is_held(k)
        };
        if is_out(0) || is_out(1) || !colliders.may_meet(slots) {
            return;
        }
        if self.logic.screen.is_in_use() {
            if !self.is_allowed(Pair::new(slots[0], slots[1])) {
                return;
            }
        } else if !colliders.filters_allow(slots[0], slots[1]) {
            return;
        }
        let [a, b] = bodies.map(|body| self.articulations.slot_of(body));
        if a.is_some() && a == b {
            return;
        }
        let movers = bodies.map(|body| self.mover(own, body));
        let is_dynamic = bodies.map(|body| self.bodies.hot(body).is_dynamic());
        // What cannot be stopped may be as thin as it likes: the centre of the other one does not pass it.
        let swaps = match is_dynamic {
            [true, true] => colliders.inner(slots[1]) < colliders.inner(slots[0]),
            [first, _] => !first,
        };
        let order = if swaps { [1, 0] } else { [0, 1] };
        own.meetings.push(Meeting {
            slots: order.map(|k| slots[k]),
            movers: order.map(|k| movers[k]),
            time: None,
        });
    }

    /// The mover of a body; made for what is slow, none for what stays where it is.
    fn mover(&self, own: &mut Continuous, body: BodyIndex) -> u32 {
        let known = own.mover_of[body.get()];
        if known != NONE || !self.bodies.is_awake(body) {
            return known;
        }
        let path = self.path(&own.starts, body);
        own.mover_of[body.get()] = own.movers.len() as u32;
        own.movers.push(Mover {
            body,
            path,
            swept: Aabb::EMPTY,
            is_fast: false,
            can_stop: self.bodies.hot(body).is_dynamic(),
            first: f64::INFINITY,
            is_new: true,
            articulation: self.articulations.slot_of(body).unwrap_or(NONE),
        });
        own.mover_of[body.get()]
    }

    /// Finds how far each mover goes; returns how many were put back.
    fn stop(&self, own: &mut Continuous, exec: &Exec) -> u32 {
        own.of_articulation.clear();
        if let Some(slots) =
            own.movers.iter().filter(|mover| mover.articulation != NONE).map(|m| m.articulation + 1).max()
        {
            own.of_articulation.resize(slots as usize, f64::INFINITY);
        }
        for round in 0..2 * ROUNDS {
            self.ask(own, exec);
            if !accept(own, round < ROUNDS) {
                return 0;
            }
        }
        // Where they began all were as they had been. Each is put back at most once.
        let mut put_back = 0;
        loop {
            self.ask(own, exec);
            let mut is_done = true;
            for i in 0..own.meetings.len() {
                let Meeting { movers, time, .. } = own.meetings[i];
                for k in movers.into_iter().filter(|&k| time.is_some() && k != NONE) {
                    let mover = &mut own.movers[k as usize];
                    if mover.can_stop && mover.path.limit > 0.0 {
                        (mover.path.limit, mover.is_new) = (0.0, true);
                        put_back += 1;
                        is_done = false;
                    }
                }
            }
            if is_done {
                return put_back;
            }
            share_limits(own);
        }
    }

    /// Asks the pairs of what is new when they meet.
    fn ask(&self, own: &mut Continuous, exec: &Exec) {
        let movers = &own.movers;
        let ask = |meeting: &mut Meeting| {
            let is_new = |k: u32| k != NONE && movers[k as usize].is_new;
            if !meeting.movers.into_iter().any(is_new) {
                return;
            }
            let side = |k: usize| {
                let slot = meeting.slots[k];
                let path = match meeting.movers[k] {
                    NONE => Path::resting(*self.bodies.center_pose(self.colliders.get(slot).body)),
                    mover => movers[mover as usize].path,
                };
                Side { colliders: &self.colliders, slot, path }
            };
            // A hit that stops nobody sooner is one at which they were stopped.
            let stops = |time: &f64| {
                let is_later = |k: u32| {
                    k != NONE && movers[k as usize].can_stop && movers[k as usize].path.limit > time + SOONER
                };
                meeting.movers.into_iter().any(is_later)
            };
            let is_free = |k: u32| k != NONE && movers[k as usize].can_stop;
            let are_free = meeting.movers.into_iter().all(is_free);
            meeting.time = impact(&side(0), &side(1), are_free).filter(stops);
        };
        exec.for_each_dynamic(chunks_mut(&mut own.meetings, MEETINGS_PER_PART), |_, meetings| {
            meetings.iter_mut().for_each(ask);
        });
        own.movers.iter_mut().for_each(|mover| mover.is_new = false);
    }

    /// Puts what was stopped where it stopped, and says so.
    fn place_stopped(&mut self, own: &Continuous, put_back: u32) {
        let mut stopped = 0;
        self.place_articulations(own);
        for mover in own.movers.iter().filter(|mover| mover.path.limit < 1.0) {
            stopped += 1;
            // Methods write gaps back as if it had gone all the way.
            self.colliders.doubt_rest(mover.body);
            if mover.articulation != NONE {
                continue;
            }
            let hot = self.bodies.hot(mover.body);
            let velocity = [hot.linear, hot.angular];
            self.bodies.place(mover.body, mover.path.at(1.0), velocity);
        }
        let report: &mut ContinuousReport = &mut self.report.continuous;
        report.swept += own.movers.iter().filter(|mover| mover.is_fast).count() as u32;
        report.pairs += own.meetings.len() as u32;
        report.stopped += stopped;
        report.put_back += put_back;
    }
}

impl World {
    /// Articulations whose links were stopped go as far as these.
    fn place_articulations(&mut self, own: &Continuous) {
        for (slot, &share) in (0..).zip(&own.of_articulation).filter(|(_, share)| **share < 1.0) {
            self.articulations.move_back(slot, share, &mut self.bodies, &mut self.graph);
        }
    }
}

/// All links of an articulation go as far as the one that goes least.
fn share_limits(own: &mut Continuous) {
    let Continuous { movers, of_articulation, .. } = own;
    if of_articulation.is_empty() {
        return;
    }
    of_articulation.fill(f64::INFINITY);
    for mover in movers.iter().filter(|mover| mover.articulation != NONE) {
        let least = &mut of_articulation[mover.articulation as usize];
        *least = least.min(mover.path.limit);
    }
    for mover in movers.iter_mut().filter(|mover| mover.articulation != NONE) {
        let least = of_articulation[mover.articulation as usize];
        if least < mover.path.limit {
            (mover.path.limit, mover.is_new) = (least, true);
        }
    }
}

/// What any link of an articulation hits first is the first hit of all of them.
fn share_first_hits(own: &mut Continuous) {
    let Continuous { movers, of_articulation, .. } = own;
    if of_articulation.is_empty() {
        return;
    }
    of_articulation.fill(f64::INFINITY);
    for mover in movers.iter().filter(|mover| mover.articulation != NONE) {
        let first = &mut of_articulation[mover.articulation as usize];
        *first = first.min(mover.first);
    }
    for mover in movers.iter_mut().filter(|mover| mover.articulation != NONE) {
        mover.first = of_articulation[mover.articulation as usize];
    }
}

/// True for what neither impulses nor a script moves.
fn is_fixed(hot: &BodyHot) -> bool {
    !hot.is_dynamic() && !hot.is_kinematic()
}

/// Stops the bodies of hits: with `only_first`, of those that are the earliest of both. True when any was stopped.
fn accept(own: &mut Continuous, only_first: bool) -> bool {
    own.movers.iter_mut().for_each(|mover| mover.first = f64::INFINITY);
    for meeting in &own.meetings {
        if let Some(time) = meeting.time {
            for k in meeting.movers.into_iter().filter(|&k| k != NONE) {
                let mover = &mut own.movers[k as usize];
                mover.first = mover.first.min(time);
            }
        }
    }
    share_first_hits(own);
    let mut is_any = false;
    for meeting in &mut own.meetings {
        let Some(time) = meeting.time else { continue };
        let is_first = |k: u32| k == NONE || own.movers[k as usize].first >= time;
        if only_first && !meeting.movers.into_iter().all(is_first) {
            continue;
        }
        for k in meeting.movers.into_iter().filter(|&k| k != NONE) {
            let mover = &mut own.movers[k as usize];
            if mover.can_stop && mover.path.limit > time {
                (mover.path.limit, mover.is_new) = (time, true);
            }
        }
        meeting.time = None;
        is_any = true;
    }
    share_limits(own);
    is_any
}
