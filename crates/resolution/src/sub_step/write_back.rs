//! Impulses and gaps back into the contact graph, and what the step's report says of them.

use super::SubStepAdvance;
use super::block::Block;
use super::layout::{Slot, Unit};
use super::units::Done;
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
        class(&self.blocks.four, &self.layout.slots[0], graph, threshold, open, report);
        class(&self.blocks.two, &self.layout.slots[1], graph, threshold, open, report);
        class(&self.blocks.one, &self.layout.slots[2], graph, threshold, open, report);
    }
}

fn class<const P: usize, const Q: usize>(
    blocks: &[Block<P, Q>],
    slots: &[[Slot; 8]],
    graph: &mut ContactGraph,
    threshold: Real,
    open: Real,
    report: &mut AdvanceReport,
) {
    for (block, slots) in blocks.iter().zip(slots) {
        for (lane, slot) in slots.iter().enumerate() {
            if let Some((edge, is_flipped)) = slot.edge() {
                let manifold = &mut graph.edges_mut()[edge.get()].manifold;
                let closing = block.residual[lane];
                if closing > threshold {
                    report.unsolved_points += 1;
                }
                if closing > report.worst_residual {
                    report.worst_residual = closing;
                    report.worst_bodies = Some([manifold.body_a, manifold.body_b]);
                }
                report.points += manifold.points().len() as u32;
                write_points(block, lane, if is_flipped { -1.0 } else { 1.0 }, manifold.points_mut(), open);
            }
        }
    }
}

/// Spreads friction over the points such that its sum and its torque about the middle come out.
fn write_points<const P: usize, const Q: usize>(
    block: &Block<P, Q>,
    lane: usize,
    sign: Real,
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
        point.resting = n * (sign * block.lambda[i][lane]) + slides[1] + around * twists[1];
    }
}
