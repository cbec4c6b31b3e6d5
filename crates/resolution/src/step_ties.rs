//! Joints of a step of methods that have no sub-steps ([`crate::impulse`], [`crate::island`]): laid out batch by batch, put into place, and handed to whoever
//! solves a batch.
//!
//! What solves them is that of the sub-steps ([`crate::ties`]), with one sub-step as long as the step: velocities that keep, to second order, what is
//! locked where the next step moves the bodies to. Batches share no body that moves, so each has blocks, colours and sets of its own, which one
//! worker solves in turns with its contacts (`impulse/rounds.rs`, `island/tied.rs`).
//!
//! Errors of places are taken back where the bodies stand after they moved, by displacement and without velocity, and contacts follow; before correction
//! ([`crate::Solver::correct_joints`]), which has the last word: the other way round joints pushed into the ground again what it had lifted, and heaps of
//! figures were 2 mm and more deep at their ends. What correction leaves of a joint is taken back in the next step.
//!
//! The passes work on copies of the bodies' records: contacts of a batch are solved on local copies as well ([`BatchBodies`]), and the bodies are written
//! when all batches are done.
#![expect(
    unsafe_code,
    reason = "passes disjoint bodies of one array on; batches and colours keep them apart"
)]

use crate::sweep::{Way, is_pushed};
use crate::ties::{self, Cut, RHYTHMS, TieBlock, TieLayout, TiePass, TieRhythm, TieSet, TieSets, Which};
use drystone_contact::{Batch, Batches, Bodies, BodyHot, ContactGraph, SharedBodyStates, StepParams};
use drystone_exec::{Exec, items, segments_mut};
use drystone_math::wide::Isa;
use drystone_math::{Real, Symmetric3, Vector3, is_finite};
use std::ops::Range;

/// The joints of a step.
#[derive(Debug)]
pub(crate) struct StepTies {
    layout: TieLayout,
    /// Spans of the layout, batch by batch.
    pub(crate) spans: Vec<Range<u32>>,
    blocks: Vec<TieBlock>,
    sets: TieSets,
    /// The records that passes change: those of the bodies, and how far errors displace them.
    hot: Vec<BodyHot>,
    /// What bodies with joints had when the step began.
    start: ties::StartEnergies,
    /// Errors that parts of the joints are left with.
    errors: Vec<ties::Left>,
    /// Whether the joints of this step are in place.
    is_placed: bool,
    isa: Isa,
}

/// What the workers get of it: blocks and sets of all batches.
pub(crate) struct TieParts<'a> {
    pub(crate) blocks: &'a mut [TieBlock],
    pub(crate) sets: &'a mut [TieSet],
    /// First block and first set of each batch, and the ends.
    pub(crate) offsets: [&'a [u32]; 2],
    pub(crate) ranges: &'a [Range<u32>],
    pub(crate) common: Common<'a>,
}

/// What all batches have in common.
pub(crate) struct Common<'a> {
    /// All spans of the layout.
    spans: &'a [Range<u32>],
    hot: SharedBodyStates<'a>,
    dt: Real,
    isa: Isa,
}

impl Default for StepTies {
    fn default() -> Self {
        Self {
            layout: TieLayout::default(),
            spans: Vec::new(),
            blocks: Vec::new(),
            sets: TieSets::default(),
            hot: Vec::new(),
            start: ties::StartEnergies::default(),
            errors: Vec::new(),
            is_placed: false,
            isa: Isa::best(),
        }
    }
}

impl StepTies {
    /// Puts joints into place: bodies are displaced, and their contacts follow. Nothing where there are none.
    pub(crate) fn place(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) {
        if graph.tie_count() == 0 {
            return;
        }
        self.is_placed = false;
        self.prepare(bodies, graph, batches, step, exec);
        self.each(step.dt, exec, |mut tied| tied.place());
        self.displace(bodies, graph, batches);
        self.is_placed = true;
    }

    /// Lays out the joints of a step for its velocities, in place, and takes what strong ones leave of the turning of light bodies. Without joints nothing is
    /// done but that every batch has none.
    pub(crate) fn begin(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) {
        if !self.is_placed {
            self.place(bodies, graph, batches, step, exec);
        }
        self.prepare(bodies, graph, batches, step, exec);
        self.is_placed = false;
        if !self.layout.slots.is_empty() {
            self.each(step.dt, exec, |mut tied| tied.calm());
            self.read_back(bodies, batches);
        }
    }

    /// Notes what bodies with joints have at the start of the step, before anything moves or displaces them.
    pub(crate) fn note_start(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        (step, has_moved): (&StepParams, bool),
    ) {
        self.start.note(graph, bodies, step, signed(step, has_moved));
    }

    /// Notes what bodies that hang together have, after [`StepTies::begin`]: before forces act in the step, or, where bodies move before they do, after that (`has_moved`).
    pub(crate) fn note_energy(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        (step, has_moved): (&StepParams, bool),
        exec: &Exec,
    ) {
        let cuts = [Cut { sub_steps: 1, h: signed(step, has_moved) }; RHYTHMS];
        self.sets.begin_step(bodies, graph, step, (&self.layout, &cuts), Some(&self.start), exec);
    }

    /// Takes from them what they gained beyond the limit, at the end of the step.
    pub(crate) fn limit_energy(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        step: &StepParams,
    ) -> ties::Damped {
        self.sets.limit_energy(bodies, graph, step)
    }

    /// No joints in any of this many batches, whatever the graph has: for who solves what has none.
    pub(crate) fn begin_without(&mut self, batch_count: usize) {
        self.is_placed = false;
        self.layout.begin(0, 0);
        self.spans.clear();
        self.spans.extend((0..batch_count).map(|_| self.layout.pack()));
        self.layout.end();
        self.blocks.clear();
        self.hot.clear();
        self.sets.clear(self.layout.offsets.len());
    }

    /// Lays out the joints where the bodies are.
    fn prepare(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) {
        self.lay_out(bodies, graph, batches);
        self.hot.clear();
        if !self.layout.slots.is_empty() {
            self.hot.extend_from_slice(bodies.view().hot);
        }
        let rhythm = TieRhythm {
            cuts: [Cut { sub_steps: 1, h: step.dt }; RHYTHMS],
            spares_ends: true,
            goes_on: self.is_placed,
            is_direct: true,
            isa: self.isa,
        };
        ties::prepare(&mut self.blocks, &mut self.sets, &self.layout, (bodies, graph), rhythm, exec);
    }

    /// One unit per batch.
    fn lay_out(&mut self, bodies: &Bodies, graph: &ContactGraph, batches: &Batches) {
        self.layout.begin(bodies.capacity(), graph.tie_count());
        self.spans.clear();
        // There may be as many batches as bodies, later than any warm-up.
        let most = bodies.capacity() + 1;
        self.layout.reserve(most);
        self.sets.offsets.reserve((most + 1).saturating_sub(self.sets.offsets.len()));
        self.spans.reserve(most);
        for batch in batches.list() {
            if graph.tie_count() > 0 {
                batches.bodies(batch).iter().for_each(|&body| self.layout.forget(body));
                for &edge in batches.edges(batch).iter().filter(|&&edge| graph.edge(edge).is_tie()) {
                    self.layout.add(bodies, graph, edge);
                }
            }
            self.spans.push(self.layout.pack());
        }
        self.layout.end();
    }

    /// What the workers get.
    pub(crate) fn parts(&mut self, dt: Real) -> TieParts<'_> {
        TieParts {
            blocks: &mut self.blocks,
            sets: &mut self.sets.list,
            offsets: [&self.layout.offsets, &self.sets.offsets],
            ranges: &self.spans,
            common: Common {
                spans: &self.layout.spans,
                hot: SharedBodyStates::new(&mut self.hot),
                dt,
                isa: self.isa,
            },
        }
    }

    /// Does something to the joints of each batch.
    fn each(&mut self, dt: Real, exec: &Exec, work: impl Fn(Tied<'_, '_>) + Sync) {
        let TieParts { blocks, sets, offsets, ranges, common } = self.parts(dt);
        let (Ok(blocks), Ok(sets)) = (segments_mut(blocks, offsets[0]), segments_mut(sets, offsets[1]))
        else {
            debug_assert!(false, "offsets of batches ascend");
            return;
        };
        exec.for_each_dynamic((items(ranges), blocks, sets), |_, (range, blocks, sets)| {
            // SAFETY: batches share no body that moves, and each is one part.
            work(unsafe { common.tied(range, blocks, sets) });
        });
    }

    /// Gives bodies the velocities of the records.
    fn read_back(&self, bodies: &mut Bodies, batches: &Batches) {
        for batch in with_joints(batches, &self.spans) {
            for &body in batches.bodies(batch) {
                if is_pushed(bodies, body) {
                    let (record, hot) = (&self.hot[body.get()], &mut bodies.view_mut().hot[body.get()]);
                    (hot.linear, hot.angular) = (record.linear, record.angular);
                    hot.apply_locks();
                }
            }
        }
    }

    /// Displaces bodies and contacts by what was found.
    fn displace(&mut self, bodies: &mut Bodies, graph: &mut ContactGraph, batches: &Batches) {
        for batch in with_joints(batches, &self.spans) {
            for &body in batches.bodies(batch) {
                if !is_pushed(bodies, body) {
                    continue;
                }
                let record = &mut self.hot[body.get()];
                let [free, free_turns] = bodies.hot(body).free_axes();
                let moved = record.delta_translation.component_mul(&free);
                let turned = record.delta_rotation.component_mul(&free_turns);
                let is_number = is_finite(&moved) && is_finite(&turned);
                let way = if is_number { [moved, turned] } else { [Vector3::zeros(); 2] };
                [record.delta_translation, record.delta_rotation] = way;
                bodies.displace(body, &way[0], &way[1]);
            }
            for &edge in batches.edges(batch) {
                let manifold = &mut graph.edges_mut()[edge.get()].manifold;
                if manifold.points().is_empty() {
                    continue;
                }
                let [a, b] = [manifold.body_a, manifold.body_b].map(|body| {
                    let record = &self.hot[body.get()];
                    [record.delta_translation, record.delta_rotation]
                });
                manifold.displaced_and_turned(&a, &b);
            }
        }
    }

    /// Writes what the joints gave; returns what they are left with.
    pub(crate) fn write_back(&mut self, graph: &mut ContactGraph, exec: &Exec) -> ties::Left {
        // A step of this method leaves velocities of its end.
        let cuts = [Cut { sub_steps: 1, h: 0.0 }; RHYTHMS];
        ties::write_back(&self.blocks, &self.layout, &cuts, graph, &mut self.errors, exec)
    }
}

/// From the place that goes with a velocity to where bodies are, s: it is ahead of them where they move first.
fn signed(step: &StepParams, has_moved: bool) -> Real {
    if has_moved { -step.dt } else { step.dt }
}

/// The batches that have joints, by the spans of each.
fn with_joints<'b>(batches: &'b Batches, spans: &'b [Range<u32>]) -> impl Iterator<Item = &'b Batch> {
    batches.list().iter().zip(spans).filter(|(_, spans)| !spans.is_empty()).map(|(batch, _)| batch)
}

impl<'a> Common<'a> {
    /// The joints of a batch.
    ///
    /// # Safety
    /// While the value lives, nobody else touches the records of the bodies that these ties push.
    pub(crate) unsafe fn tied<'w>(
        &'w self,
        range: &Range<u32>,
        blocks: &'w mut [TieBlock],
        sets: &'w mut [TieSet],
    ) -> Tied<'w, 'a> {
        let spans = &self.spans[range.start as usize..range.end as usize];
        Tied { blocks, sets, spans, common: self }
    }
}

/// Bodies of a batch, as whoever solves its contacts keeps them.
pub(crate) trait BatchBodies {
    /// Velocity, m/s, and angular velocity, rad/s, world, of a body that joints push.
    fn velocities(&self, body: u32) -> [Vector3; 2];
    /// One for each world axis that it is free to move along, else zero.
    fn free_ways(&self, body: u32) -> Vector3;
    /// Sets what [`BatchBodies::velocities`] reads.
    fn set_velocities(&mut self, body: u32, velocities: [Vector3; 2]);
    /// Gives it this inverse inertia (world, 1/(kg m²)) where that is less than its own.
    fn stiffen(&mut self, body: u32, inverse_inertia: &Symmetric3);
}

/// The joints of a batch, whose bodies' records nobody else touches.
pub(crate) struct Tied<'w, 'a> {
    blocks: &'w mut [TieBlock],
    sets: &'w mut [TieSet],
    spans: &'w [Range<u32>],
    common: &'w Common<'a>,
}

impl Tied<'_, '_> {
    /// True without joints.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Applies what the step before gave to the records.
    pub(crate) fn warm_start(&mut self) {
        self.pass(TiePass::WarmStart);
    }

    /// Solves what hangs together, on the records.
    pub(crate) fn solve_sets(&mut self) {
        let (first, common) = (self.first(), self.common);
        for set in self.sets.iter_mut() {
            // SAFETY: the records are this value's alone.
            unsafe { set.solve(Which::All, (self.blocks, first), &common.hot, (common.dt, common.isa)) };
            set.write(self.blocks, first);
        }
    }

    /// A sweep there and back, on the records.
    pub(crate) fn sweep(&mut self) {
        self.pass(TiePass::Sweep(Way::There));
        self.pass(TiePass::Sweep(Way::Between));
    }

    /// Gives bodies the inertia with which their joints turn them, the most of several: impulses of contacts and of joints that turned a body unlike would give
    /// energy as they undo each other. (`bridge:60` lost its planks when boxes hit it.)
    pub(crate) fn stiffen(&self, bodies: &mut impl BatchBodies) {
        for block in self.blocks.iter() {
            block.stiffened().for_each(|(body, inverse)| bodies.stiffen(body, &inverse));
        }
    }

    /// True where a coupling brings energy from elsewhere.
    pub(crate) fn has_couplings(&self) -> bool {
        self.blocks.iter().any(TieBlock::has_couplings)
    }

    /// True where a motor or a spring may give energy.
    pub(crate) fn has_drives(&self) -> bool {
        self.blocks.iter().any(TieBlock::has_drives)
    }

    /// What drives gave by the impulses of the step, J; `before` gives velocities of bodies before these, and before the forces of the step. Where it `is_final`, the work of drives is
    /// taken in.
    pub(crate) fn count_work(&mut self, is_final: bool, before: impl Fn(u32) -> [ties::Velocity; 2]) -> f64 {
        let mut sum = 0.0;
        for block in self.blocks.iter_mut() {
            for lane in block.driven_lanes() {
                // SAFETY: the records are this value's alone, and nobody writes them meanwhile.
                let given = unsafe { block.drive_work(lane, &self.common.hot, &before, is_final) };
                sum += given.map_or(0.0, |(_, given)| given);
            }
        }
        sum
    }

    /// Scales what was given in the step.
    pub(crate) fn scale(&mut self, share: Real) {
        self.blocks.iter_mut().for_each(|block| block.scale(share));
    }

    /// Notes what was given as that of the step.
    pub(crate) fn note(&mut self) {
        self.pass(TiePass::Note);
    }

    /// Takes from the records what strong ties leave of the turning of light bodies.
    fn calm(&mut self) {
        self.pass(TiePass::Calm);
    }

    /// Finds the displacements that take errors back.
    fn place(&mut self) {
        self.pass(TiePass::Place { is_last: true });
        let (first, common) = (self.first(), self.common);
        for set in self.sets.iter_mut() {
            // SAFETY: the records are this value's alone.
            unsafe { set.place(self.blocks, first, &common.hot, (0.0, common.isa)) };
        }
    }

    /// Copies the velocities of the batch into the records.
    pub(crate) fn read(&self, bodies: &impl BatchBodies) {
        for (body, _) in self.blocks.iter().flat_map(TieBlock::pushed) {
            // SAFETY: the records are this value's alone; one reference at a time.
            let record = unsafe { self.common.hot.record(body) };
            [record.linear, record.angular] = bodies.velocities(body);
        }
    }

    /// Copies the records into the velocities of the batch; returns the largest change of a velocity at a joint, m/s.
    pub(crate) fn take(&self, bodies: &mut impl BatchBodies) -> Real {
        let mut most: Real = 0.0;
        for (body, reach) in self.blocks.iter().flat_map(TieBlock::pushed) {
            // SAFETY: the records are this value's alone; one reference at a time.
            let record = unsafe { self.common.hot.record(body) };
            // The passes do not know of locked ways.
            record.linear.component_mul_assign(&bodies.free_ways(body));
            let [linear, angular] = bodies.velocities(body);
            let (linear, angular) = (record.linear - linear, record.angular - angular);
            most = most.max(linear.norm().max(angular.norm() * reach));
            bodies.set_velocities(body, [record.linear, record.angular]);
        }
        most
    }

    fn first(&self) -> u32 {
        self.spans.first().map_or(0, |span| span.start)
    }

    fn pass(&mut self, pass: TiePass) {
        let (first, count, common) = (self.first(), self.spans.len(), self.common);
        for k in 0..count {
            let span = &self.spans[if pass.is_backward() { count - 1 - k } else { k }];
            let blocks = &mut self.blocks[(span.start - first) as usize..(span.end - first) as usize];
            // SAFETY: the records are this value's alone, and the ties of a span share no body that moves.
            unsafe { ties::over(pass, common.isa, common.dt, blocks, &common.hot) };
        }
        // SAFETY: as above.
        unsafe { ties::over_couplings(pass, common.dt, self.blocks, first, &common.hot) };
    }
}
