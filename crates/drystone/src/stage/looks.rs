//! Looks at the pairs of one part, kind by kind: what has the same closed form is looked at side by side, and what a branch would have
//! to be foreseen for comes together.

use super::gate::Gate;
use super::memory::PairMemory;
use super::pair::{Context, Glance, Look, News, Seen};
use super::rounds::{Round, Waits};
use super::screen::Reaches;
use drystone_collision::narrow::{BoxBatch, OfBalls, OfCapsules, PAIR_BATCH};
use drystone_contact::Edge;
use drystone_math::wide::{Isa, Kernel, Lanes};
use drystone_math::{Real, bits, prefetch};

/// Looks at pairs between asking for what a look reads and the look.
const LOOK_AHEAD: usize = 2;

/// Edges, a bit each, and what the last step found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    /// Edges with an awake body.
    pub(super) awake: u64,
    /// Edges to look at in this step.
    pub(super) active: u64,
    /// First and further edges of pairs with a surface, which have a stage of their own; joints are among the further ones.
    pub(super) surfaces: u64,
    pub(super) further: u64,
    /// Edges of a ball with a ball, capsule or box, and of two capsules.
    pub(super) balls: u64,
    pub(super) capsules: u64,
    /// Edges of what sleeps or cannot move whose points were renewed, and edges with another number of points than before.
    pub(super) renewed: u64,
    pub(super) recounted: u64,
    /// Edges whose shapes were not looked at, of these those whose points were carried along, and those where the
    /// look hit a limit.
    pub(super) skipped_count: u32,
    pub(super) carried_count: u32,
    pub(super) limited_count: u32,
}

/// Pairs of boxes of a part that wait until their axes are looked at together.
#[derive(Default)]
struct Boxes {
    batch: BoxBatch,
    waiting: [(u32, Glance); PAIR_BATCH],
}

/// All looks at the pairs of a part. No lanes of its own: what is written pair by pair takes the instruction set's shorter code too.
pub(super) struct PartLooks<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) part: &'a mut Part,
    pub(super) memory: &'a mut [PairMemory],
    pub(super) gates: &'a mut [Gate],
    pub(super) edges: &'a mut [Edge],
    pub(super) isa: Isa,
}

impl Kernel for PartLooks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let Self { context, part, memory, gates, edges, isa } = self;
        let ordinary = part.active & !part.surfaces;
        let mut reaches = Reaches::default();
        let shut = context.screen(ordinary, gates, &mut reaches, isa);
        (part.renewed, part.recounted) = (0, 0);
        part.skipped_count = shut.count_ones();
        (part.carried_count, part.limited_count) = (0, 0);
        let open = ordinary & !shut;
        let [balls, capsules] = [part.balls & open, part.capsules & open];
        let mut looks = Looks { context, part, memory, gates, edges, reaches: &reaches };
        let alone = looks.at_round::<OfBalls>(balls, isa) | looks.at_round::<OfCapsules>(capsules, isa);
        looks.at_others(open & !(balls | capsules) | alone, isa);
    }
}

/// A part at work.
struct Looks<'a> {
    context: &'a Context<'a>,
    part: &'a mut Part,
    memory: &'a mut [PairMemory],
    gates: &'a mut [Gate],
    edges: &'a mut [Edge],
    reaches: &'a Reaches,
}

impl Looks<'_> {
    /// Fetches what the look at an edge will read.
    #[inline]
    fn expect(&self, k: u32) {
        let i = k as usize;
        prefetch(&self.memory[i]);
        prefetch(&self.edges[i]);
        self.expect_colliders(k);
    }

    /// Looks at round pairs of one kind; tells which have to be looked at alone.
    #[inline(always)]
    fn at_round<K: Round>(&mut self, edges: u64, isa: Isa) -> u64 {
        if edges == 0 {
            return 0;
        }
        let last = last(edges);
        let (mut waits, mut alone) = (Waits::<K>::default(), 0);
        for (k, next) in with_next(edges) {
            if let Some(next) = next {
                self.expect_colliders(next);
            }
            prefetch(&self.edges[k as usize]);
            K::wait(self.context, k, &self.gates[k as usize], self.reach(k), &mut waits);
            if waits.is_full() || k == last {
                alone |= self.end_round(&mut waits, isa);
            }
        }
        alone
    }

    /// Ends the looks at those that wait.
    #[inline(always)]
    fn end_round<K: Round>(&mut self, waits: &mut Waits<K>, isa: Isa) -> u64 {
        let mut alone = 0;
        let (waiting, contacts, is_alone) = waits.take(isa);
        for (lane, (pair, contact)) in waiting.iter().zip(&contacts).enumerate() {
            if is_alone >> lane & 1 == 1 {
                alone |= 1 << pair.k;
                continue;
            }
            let (gate, edge) = (&mut self.gates[pair.k as usize], &mut self.edges[pair.k as usize]);
            let seen = self.context.look_at_round(pair, contact, gate, edge);
            self.note(pair.k, &seen);
        }
        alone
    }

    /// How far the surfaces of an edge can approach each other, m.
    #[inline]
    fn reach(&self, k: u32) -> Real {
        self.reaches.as_flattened()[k as usize]
    }

    /// Fetches the colliders of an edge.
    #[inline]
    fn expect_colliders(&self, k: u32) {
        self.context.expect(&self.gates[k as usize]);
    }

    /// Looks at pairs of all kinds, boxes side by side.
    #[inline(always)]
    fn at_others(&mut self, edges: u64, isa: Isa) {
        if edges == 0 {
            return;
        }
        let last = last(edges);
        let mut boxes = Boxes::default();
        for (k, next) in with_next(edges) {
            if let Some(next) = next {
                self.expect(next);
            }
            self.at(k, &mut boxes);
            if boxes.batch.is_full() || k == last {
                self.at_boxes(&mut boxes, isa);
            }
        }
    }

    /// Looks at an edge of the part; two boxes may have to wait.
    #[inline(always)]
    fn at(&mut self, k: u32, boxes: &mut Boxes) {
        let i = k as usize;
        let reach = self.reach(k);
        match self.context.look(reach, &mut self.memory[i], &mut self.gates[i], &mut self.edges[i]) {
            Look::Done(seen) => self.note(k, &seen),
            Look::Boxes { glance, half_extents: [a, b] } => {
                boxes.waiting[boxes.batch.len()] = (k, glance);
                boxes.batch.push(&a, &b, &glance.pose);
                self.context.expect_bodies(&self.gates[i]);
            }
        }
    }

    /// Looks at the boxes that wait.
    #[inline(always)]
    fn at_boxes(&mut self, boxes: &mut Boxes, isa: Isa) {
        let count = boxes.batch.len();
        if count == 0 {
            return;
        }
        let axes = boxes.batch.take(isa);
        for ((k, glance), axes) in boxes.waiting[..count].iter().zip(&axes) {
            let i = *k as usize;
            let (memory, gate, edge) = (&mut self.memory[i], &mut self.gates[i], &mut self.edges[i]);
            let seen = self.context.look_at_boxes(glance, axes, memory, gate, edge);
            self.note(*k, &seen);
        }
    }

    #[inline]
    fn note(&mut self, k: u32, seen: &Seen) {
        self.part.renewed |= u64::from(seen.news == News::Renewed) << k;
        self.part.recounted |= u64::from(seen.news == News::Recounted) << k;
        self.part.skipped_count += u32::from(seen.is_skipped);
        self.part.carried_count += u32::from(seen.is_carried);
        self.part.limited_count += u32::from(seen.is_limited);
    }
}

/// The last of some edges of a part.
#[inline]
fn last(edges: u64) -> u32 {
    edges.checked_ilog2().unwrap_or_default()
}

/// The edges of a part, each with the one to fetch meanwhile.
fn with_next(edges: u64) -> impl Iterator<Item = (u32, Option<u32>)> {
    let mut ahead = bits(edges).skip(LOOK_AHEAD);
    bits(edges).map(move |k| (k, ahead.next()))
}
