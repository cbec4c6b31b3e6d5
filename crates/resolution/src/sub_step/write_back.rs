//! Impulses and gaps back into the contact graph, and what the step's report says of them.
#![expect(unsafe_code, reason = "changes disjoint edges of one array; each is in one lane of one block")]
#![expect(clippy::needless_range_loop, reason = "iterators over lane values may stay calls")]

use super::BLOCKS_PER_PART;
use super::block::Block;
use super::layout::{Layout, Slot, Unit, ahead, usual_blocks};
use super::pace::Pace;
use super::units::Done;
use super::{Blocks, SubStepSolver};
use crate::SolverReport;
use crate::vector::{F8, Vec3};
use drystone_contact::{BodyIndex, ContactGraph, Edge, StepParams};
use drystone_exec::{Exec, Shared, chunks, items_mut};
use drystone_math::wide::{Isa, Kernel, Lanes, Wide};
use drystone_math::{Real, Vector3, prefetch};

/// What some blocks tell the report.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    points: u32,
    unsolved: u32,
    worst: Real,
    worst_bodies: Option<[BodyIndex; 2]>,
}

impl SubStepSolver {
    /// Writes the points of all manifolds; fills the report.
    pub(super) fn write_back(
        &mut self,
        graph: &mut ContactGraph,
        step: &StepParams,
        report: &mut SolverReport,
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
        let (written, isa) = (&mut self.written, self.isa);
        let class =
            |k: usize| Class { slots: &slots[k], coarse: coarse_blocks[k], sub_steps, threshold, open, isa };
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
                graph.edges_mut()[edge.get()].manifold.rolling_impulse =
                    if is_flipped { -given } else { given };
            }
        }
    }
}

/// What is to be known of the blocks of a class.
struct Class<'a> {
    slots: &'a [[Slot; 8]],
    /// Blocks of coarse islands, which come first.
    coarse: u32,
    /// Sub-steps of coarse islands, and of the others.
    sub_steps: [u32; 2],
    /// Closing speed above which a contact counts as unsolved, m/s.
    threshold: Real,
    /// Half of the rest band, m.
    open: Real,
    isa: Isa,
}

impl Class<'_> {
    /// Writes the manifolds of all blocks, and what is to be said of them into the report; `written` is memory.
    fn write<const P: usize, const Q: usize>(
        &self,
        blocks: &[Block<P, Q>],
        graph: &mut ContactGraph,
        written: &mut Vec<Written>,
        report: &mut SolverReport,
        exec: &Exec,
    ) {
        written.clear();
        written.reserve(usual_blocks(graph).div_ceil(BLOCKS_PER_PART));
        written.resize(blocks.len().div_ceil(BLOCKS_PER_PART), Written::default());
        let edges = Shared::new(graph.edges_mut());
        let parts =
            (chunks(blocks, BLOCKS_PER_PART), chunks(self.slots, BLOCKS_PER_PART), items_mut(&mut *written));
        exec.for_each_static(parts, |part, (blocks, slots, written)| {
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

    /// Writes the manifolds of some blocks, of which the first `coarse` are those of coarse islands.
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
            let (mut sign, mut share) = ([1.0; 8], [1.0; 8]);
            for (lane, slot) in lanes.iter().enumerate() {
                if let Some((edge, _)) = ahead(slots, 8 * k + lane) {
                    // SAFETY: passed on; it is one of the slots.
                    prefetch(unsafe { &edges.get(edge.0).manifold });
                }
                let Some((edge, is_flipped)) = slot.edge() else { continue };
                sign[lane] = if is_flipped { -1.0 } else { 1.0 };
                // SAFETY: passed on.
                let count = if P > 1 { unsafe { edges.get(edge.0).manifold.points().len() } } else { 1 };
                share[lane] = sign[lane] / count as Real;
            }
            let mut rows = [[[0.0; 8]; 8]; P];
            let open = self.open;
            self.isa.run(Spread { block, sign: &sign, share: &share, sub_steps, open, rows: &mut rows });
            for (lane, slot) in lanes.iter().enumerate() {
                let Some((edge, _)) = slot.edge() else { continue };
                // SAFETY: passed on.
                let manifold = unsafe { &mut edges.get_mut(edge.0).manifold };
                let closing = block.residual[lane];
                written.unsolved += u32::from(closing > self.threshold);
                if closing > written.worst {
                    (written.worst, written.worst_bodies) =
                        (closing, Some([manifold.body_a, manifold.body_b]));
                }
                written.points += manifold.points().len() as u32;
                for (point, rows) in manifold.points_mut().iter_mut().zip(&rows) {
                    let [x, y, z, distance, resting_x, resting_y, resting_z, _] = rows[lane];
                    point.distance = distance;
                    point.impulse = Vector3::new(x, y, z);
                    point.warm_start_impulse = Vector3::new(resting_x, resting_y, resting_z);
                }
            }
        }
    }
}

/// Spreads friction over the points of eight manifolds such that its sum and its torque about the middle come out. The next step begins at
/// the rate of the last sub-step.
struct Spread<'a, const P: usize, const Q: usize> {
    block: &'a Block<P, Q>,
    /// -1 for a manifold that is flipped, and the same over the number of its points.
    sign: &'a F8,
    share: &'a F8,
    sub_steps: Real,
    /// Half of the rest band, m.
    open: Real,
    /// Of each point and manifold: its impulse, its gap, and the impulse that the next step begins with.
    rows: &'a mut [[F8; 8]; P],
}

impl<const P: usize, const Q: usize> Kernel for Spread<'_, P, Q> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Block { offsets, total_rub, rub, gap, total, lambda, .. } = self.block;
        let (n, t1) = (Vec3::load(lanes, &self.block.normal), Vec3::load(lanes, &self.block.tangent));
        let t2 = n.cross(t1);
        let (sign, share, zero) = (lanes.load(self.sign), lanes.load(self.share), lanes.splat(0.0));
        let (sub_steps, open) = (lanes.splat(self.sub_steps), lanes.splat(self.open));
        let slide =
            t1.times(lanes.load(&total_rub[0])).plus_times(t2, lanes.load(&total_rub[1])).times(share);
        let last_slide = t1.times(lanes.load(&rub[0])).plus_times(t2, lanes.load(&rub[1])).times(share);
        let mut spread = zero;
        for i in 0..P {
            let (x, y) = (lanes.load(&offsets[0][i]), lanes.load(&offsets[1][i]));
            spread = spread + (x * x + y * y);
        }
        let per_spread = L::F32::select(spread.greater(zero), sign / spread, zero);
        let (twist, last_twist) = (lanes.load(&total_rub[2]) * per_spread, lanes.load(&rub[2]) * per_spread);
        for i in 0..P {
            let (x, y) = (lanes.load(&offsets[0][i]), lanes.load(&offsets[1][i]));
            let around = t2.times(x).minus(t1.times(y));
            let impulse = n.times(sign * lanes.load(&total[i])).plus(slide).plus_times(around, twist);
            let last = n.times(sign * lanes.load(&lambda[i])).plus(last_slide).plus_times(around, last_twist);
            let last = last.times(sub_steps);
            let distance = lanes.load(&gap[i]) + open;
            let rows =
                lanes.transpose([impulse.x, impulse.y, impulse.z, distance, last.x, last.y, last.z, zero]);
            for lane in 0..8 {
                rows[lane].store(&mut self.rows[i][lane]);
            }
        }
    }
}
