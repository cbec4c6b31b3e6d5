//! Impulses and gaps back into the contact graph, and what the step's report says of them.
#![expect(unsafe_code, reason = "changes disjoint edges of one array; each is in one lane of one block")]

use super::BLOCKS_PER_PART;
use super::block::Block;
use super::layout::{Layout, Slot, Unit, ahead, usual_blocks};
use super::pace::Pace;
use super::units::Done;
use super::{Blocks, SubStepAdvance};
use crate::AdvanceReport;
use drystone_contact::{BodyIndex, ContactGraph, Edge, StepParams};
use drystone_exec::{Exec, Shared, chunks, items_mut};
use drystone_math::{Real, Vector3, prefetch};

/// What some blocks tell the report.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    points: u32,
    unsolved: u32,
    worst: Real,
    worst_bodies: Option<[BodyIndex; 2]>,
}

impl SubStepAdvance {
    /// Writes the points of all manifolds; fills the report.
    pub(super) fn write_back(
        &mut self,
        graph: &mut ContactGraph,
        step: &StepParams,
        report: &mut AdvanceReport,
        exec: &Exec,
    ) {
        let threshold = self.config.residual_threshold * step.speed_unit();
        let solves = |(unit, done): (&Unit, &Done)| 2 * u64::from(unit.contacts) * u64::from(done.solved);
        report.iterations = self.layout.units.iter().zip(&self.done).map(solves).sum();
        report.energy_scaled = self.done.iter().map(|done| done.scaled).sum();
        let open = self.config.half_band(step.length_unit());
        let sub_steps = [Pace::Coarse, Pace::Fine].map(|pace| self.config.sub_steps_at(pace));
        let Layout { slots, coarse_blocks, .. } = &self.layout;
        let Blocks { four, two, one } = &self.blocks;
        let written = &mut self.written;
        let class =
            |k: usize| Class { slots: &slots[k], coarse: coarse_blocks[k], sub_steps, threshold, open };
        class(0).write(four, graph, written, report, exec);
        class(1).write(two, graph, written, report, exec);
        class(2).write(one, graph, written, report, exec);
        self.write_rolling(graph);
    }

    /// Angular impulses of rolling friction.
    fn write_rolling(&self, graph: &mut ContactGraph) {
        for (place, rolling) in self.layout.rolling.iter().zip(&self.rolling) {
            let Blocks { four, two, one } = &self.blocks;
            let k = place.block as usize;
            let (normal, tangent) = match place.class {
                0 => (&four[k].normal, &four[k].tangent),
                1 => (&two[k].normal, &two[k].tangent),
                _ => (&one[k].normal, &one[k].tangent),
            };
            for (lane, slot) in self.layout.slots[place.class as usize][k].iter().enumerate() {
                let Some((edge, is_flipped)) = slot.edge() else { continue };
                let vector = |rows: &[[f32; 8]; 3]| Vector3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
                let (n, t1) = (vector(normal), vector(tangent));
                let [about_1, about_2] = rolling.total(lane);
                let given = t1 * about_1 + n.cross(&t1) * about_2;
                graph.edges_mut()[edge.get()].manifold.rolling = if is_flipped { -given } else { given };
            }
        }
    }
}

/// What is to be known of the blocks of a class.
struct Class<'a> {
    slots: &'a [[Slot; 8]],
    /// Blocks of coarse groups, which come first.
    coarse: u32,
    /// Sub-steps of coarse groups, and of the others.
    sub_steps: [u32; 2],
    /// Closing speed above which a contact counts as unsolved, m/s.
    threshold: Real,
    /// Half of the rest band, m.
    open: Real,
}

impl Class<'_> {
    /// Writes the manifolds of all blocks, and what is to be said of them into the report; `written` is memory.
    fn write<const P: usize, const Q: usize>(
        &self,
        blocks: &[Block<P, Q>],
        graph: &mut ContactGraph,
        written: &mut Vec<Written>,
        report: &mut AdvanceReport,
        exec: &Exec,
    ) {
        written.clear();
        written.reserve(usual_blocks(graph).div_ceil(BLOCKS_PER_PART));
        written.resize(blocks.len().div_ceil(BLOCKS_PER_PART), Written::default());
        let edges = Shared::new(graph.edges_mut());
        let parts =
            (chunks(blocks, BLOCKS_PER_PART), chunks(self.slots, BLOCKS_PER_PART), items_mut(&mut *written));
        exec.fixed(parts, |part, (blocks, slots, written)| {
            let coarse = (self.coarse as usize).saturating_sub(part * BLOCKS_PER_PART);
            // SAFETY: an edge is in one lane of one block.
            unsafe { self.write_part(blocks, slots, coarse, &edges, written) };
        });
        for part in written {
            report.points += part.points;
            report.unsolved_points += part.unsolved;
            if part.worst > report.worst_residual {
                (report.worst_residual, report.worst_bodies) = (part.worst, part.worst_bodies);
            }
        }
    }

    /// Writes the manifolds of some blocks, of which the first `coarse` are those of coarse groups.
    ///
    /// # Safety
    /// Nobody else touches the edges in `slots` meanwhile.
    unsafe fn write_part<const P: usize, const Q: usize>(
        &self,
        blocks: &[Block<P, Q>],
        slots: &[[Slot; 8]],
        coarse: usize,
        edges: &Shared<'_, Edge>,
        written: &mut Written,
    ) {
        for (k, (block, lanes)) in blocks.iter().zip(slots).enumerate() {
            let sub_steps = self.sub_steps[usize::from(k >= coarse)] as Real;
            for (lane, slot) in lanes.iter().enumerate() {
                if let Some((edge, _)) = ahead(slots, 8 * k + lane) {
                    // SAFETY: passed on; it is one of the slots.
                    prefetch(unsafe { &edges.get(edge.0).manifold });
                }
                let Some((edge, is_flipped)) = slot.edge() else { continue };
                // SAFETY: passed on.
                let manifold = unsafe { &mut edges.get_mut(edge.0).manifold };
                let closing = block.residual[lane];
                written.unsolved += u32::from(closing > self.threshold);
                if closing > written.worst {
                    (written.worst, written.worst_bodies) =
                        (closing, Some([manifold.body_a, manifold.body_b]));
                }
                written.points += manifold.points().len() as u32;
                let sign = if is_flipped { -1.0 } else { 1.0 };
                write_points(block, lane, [sign, sub_steps], manifold.points_mut(), self.open);
            }
        }
    }
}

/// Spreads friction over the points such that its sum and its torque about the middle come out. The next step begins at
/// the rate of the last sub-step.
fn write_points<const P: usize, const Q: usize>(
    block: &Block<P, Q>,
    lane: usize,
    [sign, sub_steps]: [Real; 2],
    points: &mut [drystone_contact::ContactPoint],
    open: Real,
) {
    let vector = |rows: &[[f32; 8]; 3]| Vector3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
    let (n, t1) = (vector(&block.normal), vector(&block.tangent));
    let t2 = n.cross(&t1);
    let share = sign / points.len() as Real;
    let slide = |rub: &[[f32; 8]; 3]| (t1 * rub[0][lane] + t2 * rub[1][lane]) * share;
    let slides = [slide(&block.total_rub), slide(&block.rub)];
    let offsets = |i: usize| (block.offsets[0][i][lane], block.offsets[1][i][lane]);
    let spread: Real = (0..P).map(offsets).map(|(x, y)| x * x + y * y).sum();
    let per_spread = if spread > 0.0 { sign / spread } else { 0.0 };
    let twists = [block.total_rub[2][lane] * per_spread, block.rub[2][lane] * per_spread];
    for (i, point) in points.iter_mut().take(P).enumerate() {
        let (x, y) = offsets(i);
        let around = t2 * x - t1 * y;
        point.distance = block.gap[i][lane] + open;
        point.impulse = n * (sign * block.total[i][lane]) + slides[0] + around * twists[0];
        let last = n * (sign * block.lambda[i][lane]) + slides[1] + around * twists[1];
        point.resting = last * sub_steps;
    }
}
