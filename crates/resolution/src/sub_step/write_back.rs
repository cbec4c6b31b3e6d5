//! Impulses and gaps back into the contact graph, and what the step's report says of them.

use super::block::Block;
use super::layout::{Layout, Slot, Unit, fetch_ahead};
use super::pace::Pace;
use super::units::Done;
use super::{Blocks, SubStepAdvance};
use crate::AdvanceReport;
use drystone_contact::{ContactGraph, StepParams};
use drystone_math::{Real, Vector3};

impl SubStepAdvance {
    /// Writes the points of all manifolds; fills the report.
    pub(super) fn write_back(&self, graph: &mut ContactGraph, step: &StepParams, report: &mut AdvanceReport) {
        let threshold = self.config.residual_threshold * step.speed_unit();
        let solves = |(unit, done): (&Unit, &Done)| 2 * u64::from(unit.contacts) * u64::from(done.solved);
        report.iterations = self.layout.units.iter().zip(&self.done).map(solves).sum();
        report.energy_scaled = self.done.iter().map(|done| done.scaled).sum();
        let open = self.config.half_band(step.length_unit());
        let sub_steps = [Pace::Coarse, Pace::Fine].map(|pace| self.config.sub_steps_at(pace));
        let Layout { slots, coarse_blocks, .. } = &self.layout;
        let mut class = Class { slots: &slots[0], coarse: coarse_blocks[0], sub_steps, threshold, open };
        class.write(&self.blocks.four, graph, report);
        (class.slots, class.coarse) = (&slots[1], coarse_blocks[1]);
        class.write(&self.blocks.two, graph, report);
        (class.slots, class.coarse) = (&slots[2], coarse_blocks[2]);
        class.write(&self.blocks.one, graph, report);
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
    fn write<const P: usize, const Q: usize>(
        &self,
        blocks: &[Block<P, Q>],
        graph: &mut ContactGraph,
        report: &mut AdvanceReport,
    ) {
        for (k, (block, slots)) in blocks.iter().zip(self.slots).enumerate() {
            let sub_steps = self.sub_steps[usize::from(k >= self.coarse as usize)] as Real;
            for (lane, slot) in slots.iter().enumerate() {
                fetch_ahead(self.slots, 8 * k + lane, graph);
                let Some((edge, is_flipped)) = slot.edge() else { continue };
                let manifold = &mut graph.edges_mut()[edge.get()].manifold;
                let closing = block.residual[lane];
                if closing > self.threshold {
                    report.unsolved_points += 1;
                }
                if closing > report.worst_residual {
                    report.worst_residual = closing;
                    report.worst_bodies = Some([manifold.body_a, manifold.body_b]);
                }
                report.points += manifold.points().len() as u32;
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
