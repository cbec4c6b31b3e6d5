//! Couplings: a sum of two coordinates of ties that has one value, or is between limits ([`drystone_contact::TieCoupling`]).
//!
//! ```text
//! s = f₀ q₀ + f₁ q₁        λ = −ṡ / (J M⁻¹ Jᵀ)        J = f₀ J₀ + f₁ J₁
//! ```
//! with the rows `J` of both coordinates as the blocks have them, each with what keeps the locks of its own tie meanwhile ([`super::block::Row`]): up to four bodies take
//! part, and what the coupling does to one body its joints hand on to what carries it. Limits act where a sub-step would pass them, errors of what is locked are taken back by
//! displacement, as for ties. The impulse lies in the rows, so that it is repeated, turned and noted with them.
//!
//! Couplings are few. They are solved one after the other, after the ties of a unit, and lie in its first block: units without any ask that block, and no more.
#![expect(unsafe_code, reason = "changes bodies of one array, which are the caller's alone")]

use super::algebra::get;
use super::block::TieBlock;
use super::layout::{EMPTY, TieLayout};
use super::member::arc;
use super::sets::Member;
use super::single::{FAR, RECOVERY};
use super::{Cut, RHYTHMS, TiePass};
use drystone_contact::{ContactGraph, EdgeIndex, SPAN, SharedBodyStates, TWIST, TieCoupling};
use drystone_math::{Real, Vector3};

/// Place among the impulses of a row.
pub(super) const COUPLED: usize = 3;
/// Share of an impulse that a sweep lets go: what is coupled twice would work against itself for ever.
const LET_GO: Real = 1e-6;
/// Largest turn, rad, that an error gives a body in a sub-step.
const MOST_TURN: Real = 0.3;

/// A coupling in the sub-steps.
#[derive(Clone, Debug)]
pub(super) struct Coupling {
    /// Place of its tie in the graph.
    place: u32,
    /// Where the ties of its coordinates are; `is_own`: both are its own.
    members: [Member; 2],
    is_own: bool,
    axes: [usize; 2],
    factors: [Real; 2],
    /// Limits of the sum, less the revolutions that were counted when the step began.
    least: f64,
    greatest: f64,
    /// Inverse response of the sum to an impulse; 0 where nothing moves.
    mass: Real,
    /// Ways that are left to the limits within the sub-step, as speeds, and what is beyond them.
    room: [Real; 2],
    beyond: Real,
    /// Impulse of the sub-step, and the sum over all.
    given: Real,
    total: Real,
}

/// Where the tie of an edge is in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    edge: u32,
    unit: usize,
    member: Member,
}

/// What an impulse does to a body.
#[derive(Clone, Copy)]
struct Change {
    body: u32,
    linear: Vector3,
    angular: Vector3,
}

/// Finds the couplings of a step that is cut like this, and gives each to the first block of its unit.
/// O(ties log ties) with couplings, nothing without; `places` is memory.
///
/// One whose ties are not both solved in this step holds nothing: a coordinate between bodies that no force moves is nobody's to change.
pub(super) fn prepare(
    blocks: &mut [TieBlock],
    places: &mut Vec<Place>,
    layout: &TieLayout,
    graph: &ContactGraph,
    cuts: &[Cut; RHYTHMS],
) {
    if graph.coupling_count() == 0 {
        return;
    }
    places.clear();
    places.extend(ties_of(layout));
    places.sort_unstable_by_key(|place| place.edge);
    for Place { edge, unit, member } in ties_of(layout) {
        let place = layout.places[member.block as usize][member.lane as usize];
        let tie = &graph.ties()[place as usize];
        let Some(coupling) = &tie.coupling else { continue };
        let edges = coupling.edges.unwrap_or([EdgeIndex(edge); 2]);
        let find = |edge: EdgeIndex| {
            let at = places.binary_search_by_key(&edge.0, |place| place.edge).ok()?;
            (places[at].unit == unit).then_some(places[at].member)
        };
        let [Some(first), Some(second)] = edges.map(find) else { continue };
        let members = [first, second];
        let has_row = |k: usize| {
            let member = members[k];
            blocks[member.block as usize].rows_of(member.lane as usize) >> coupling.axes[k] & 1 == 1
        };
        if !(has_row(0) && has_row(1)) {
            continue;
        }
        let mut own = Coupling::new(place, members, coupling, turned(graph, edges, coupling));
        let Cut { sub_steps, h } = layout.cut_of(layout.offsets[unit] as usize, cuts);
        own.given = tie.memory.coupling / sub_steps as Real;
        own.note(blocks, 0, own.given);
        own.renew(blocks, 0, h);
        blocks[layout.offsets[unit] as usize].couplings.push(own);
    }
}

/// The ties of a layout, unit after unit.
fn ties_of(layout: &TieLayout) -> impl Iterator<Item = Place> + '_ {
    let units = layout.offsets.windows(2).enumerate();
    let blocks = units.flat_map(|(unit, range)| (range[0]..range[1]).map(move |block| (unit, block)));
    blocks.flat_map(|(unit, block)| {
        let lanes = layout.slots[block as usize].iter().enumerate();
        lanes.filter(|(_, edge)| **edge != EMPTY).map(move |(lane, &edge)| Place {
            edge,
            unit,
            member: Member { block, lane: lane as u32 },
        })
    })
}

/// What revolutions that were counted by now are to the sum.
fn turned(graph: &ContactGraph, edges: [EdgeIndex; 2], coupling: &TieCoupling) -> f64 {
    let of = |k: usize| {
        let turns = graph.tie(edges[k]).filter(|tie| tie.counts_turns()).map_or(0, |tie| tie.memory.turns);
        let is_twist = coupling.axes[k] == TWIST;
        if is_twist { f64::from(coupling.factors[k]) * f64::from(turns) * std::f64::consts::TAU } else { 0.0 }
    };
    of(0) + of(1)
}

/// One pass over the couplings of a unit, whose blocks these are, from this one on.
///
/// # Safety
/// The bodies of the blocks belong to this call alone.
pub(crate) unsafe fn over(
    pass: TiePass,
    h: Real,
    blocks: &mut [TieBlock],
    first: u32,
    hot: &SharedBodyStates<'_>,
) {
    let Some(block) = blocks.first_mut().filter(|block| !block.couplings.is_empty()) else { return };
    let mut couplings = std::mem::take(&mut block.couplings);
    for k in 0..couplings.len() {
        let k = if pass.is_backward() { couplings.len() - 1 - k } else { k };
        let coupling = &mut couplings[k];
        // SAFETY: passed on, one after the other.
        unsafe {
            match pass {
                TiePass::WarmStart | TiePass::Calm | TiePass::Slacken | TiePass::Stiffen => {}
                TiePass::Sweep(_) => coupling.solve(blocks, first, hot, h),
                TiePass::Note => coupling.total += coupling.given,
                TiePass::Place { .. } => {
                    coupling.total += coupling.given;
                    coupling.renew(blocks, first, h);
                    coupling.take_back(blocks, first, hot);
                }
            }
        }
    }
    blocks[0].couplings = couplings;
}

/// Scales the impulses of the sub-step of the couplings of a unit by the scale of a body of each, as [`TieBlock::scale_by`] does those of its rows.
pub(crate) fn scale_by(blocks: &mut [TieBlock], first: u32, scale_of: impl Fn(u32) -> Real) {
    let Some(block) = blocks.first_mut().filter(|block| !block.couplings.is_empty()) else { return };
    let mut couplings = std::mem::take(&mut block.couplings);
    for coupling in &mut couplings {
        let ends = [0, 1].map(|k: usize| {
            let (block, lane) = coupling.at(k, blocks, first);
            block.pushed_ends(lane)
        });
        if let Some(body) = ends.into_iter().flatten().find(|&body| body != 0) {
            coupling.scale(scale_of(body));
        }
    }
    blocks[0].couplings = couplings;
}

/// Writes what couplings gave. (Those of a tie of its own are in what the tie gave.)
pub(super) fn write_back(
    blocks: &[TieBlock],
    layout: &TieLayout,
    cuts: &[Cut; RHYTHMS],
    graph: &mut ContactGraph,
) {
    if graph.coupling_count() == 0 {
        return;
    }
    let couplings =
        blocks.iter().enumerate().flat_map(|(k, block)| block.couplings.iter().map(move |own| (k, own)));
    for (block, coupling) in couplings {
        let [impulse, torque] = coupling.on_second(blocks);
        let of_second = coupling.members[1];
        let second = &blocks[of_second.block as usize];
        let tie = &mut graph.ties_mut()[coupling.place as usize];
        tie.memory.coupling = coupling.given * layout.cut_of(block, cuts).sub_steps as Real;
        if !coupling.is_own {
            // On B of the coupling, which may be A of the second tie.
            let is_b = second.ends[1][of_second.lane as usize] == tie.bodies[1].0;
            let sign = if is_b { 1.0 } else { -1.0 };
            (tie.impulse, tie.torque) = (impulse * sign, torque * sign);
        }
    }
}

impl Coupling {
    fn new(place: u32, members: [Member; 2], coupling: &TieCoupling, turned: f64) -> Self {
        Self {
            place,
            members,
            is_own: coupling.edges.is_none(),
            axes: coupling.axes,
            factors: coupling.factors,
            least: coupling.least - turned,
            greatest: coupling.greatest - turned,
            mass: 0.0,
            room: [FAR; 2],
            beyond: 0.0,
            given: 0.0,
            total: 0.0,
        }
    }

    /// Scales the impulse of the sub-step, as the rows that it is in.
    pub(super) fn scale(&mut self, share: Real) {
        self.given = crate::energy::share_of(self.given, share);
    }

    /// The block and the lane of a coordinate.
    fn at<'b>(&self, k: usize, blocks: &'b [TieBlock], first: u32) -> (&'b TieBlock, usize) {
        let Member { block, lane } = self.members[k];
        (&blocks[(block - first) as usize], lane as usize)
    }

    /// Force and torque on B of the tie of a coordinate, for a unit of the sum.
    fn row(&self, k: usize, blocks: &[TieBlock], first: u32) -> [Vector3; 2] {
        let (block, lane) = self.at(k, blocks, first);
        let row = &block.row[self.axes[k]];
        [get(&row.force, lane) * self.factors[k], get(&row.torque, lane) * self.factors[k]]
    }

    /// What a unit impulse does to both bodies of the tie of a coordinate.
    fn changes(&self, k: usize, blocks: &[TieBlock], first: u32) -> [Change; 2] {
        let (block, lane) = self.at(k, blocks, first);
        let [force, torque] = self.row(k, blocks, first);
        [0, 1].map(|side: usize| {
            let sign = if side == 0 { -1.0 } else { 1.0 };
            let (force, turn) = block.change(lane, side, force, torque);
            let share = if block.inverse_mass[side][lane] > 0.0 { sign } else { 0.0 };
            let linear = force.component_mul(&(block.mass(lane, side) * share));
            Change { body: block.ends[side][lane], linear, angular: turn * share }
        })
    }

    /// How fast the part of a coordinate in the sum changes by such changes of velocities.
    fn rate_by(&self, k: usize, changes: &[Change; 4], blocks: &[TieBlock], first: u32) -> Real {
        let (block, lane) = self.at(k, blocks, first);
        let [force, torque] = self.row(k, blocks, first);
        let mut rate = 0.0;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if block.inverse_mass[side][lane] == 0.0 {
                continue;
            }
            let arm = get(&block.arms[side], lane);
            for change in changes.iter().filter(|change| change.body == block.ends[side][lane]) {
                let speed = change.linear + change.angular.cross(&arm);
                rate += sign * (force.dot(&speed) + torque.dot(&change.angular));
            }
        }
        rate
    }

    /// What depends on where the bodies are.
    fn renew(&mut self, blocks: &[TieBlock], first: u32, h: Real) {
        let ([a, b], [c, d]) = (self.changes(0, blocks, first), self.changes(1, blocks, first));
        let changes = [a, b, c, d];
        let response: Real = (0..2).map(|k| self.rate_by(k, &changes, blocks, first)).sum();
        self.mass = if response > 0.0 { 1.0 / response } else { 0.0 };
        let value: f64 = (0..2)
            .map(|k| {
                let (block, lane) = self.at(k, blocks, first);
                f64::from(self.factors[k]) * f64::from(block.row[self.axes[k]].value[lane])
            })
            .sum();
        let [down, up] = [(value - self.least) as Real, (self.greatest - value) as Real];
        self.room = [down, up].map(|way| (way.max(0.0) / h).min(FAR));
        self.beyond = down.min(0.0) - up.min(0.0);
    }

    /// How fast a part of the sum changes over a sub-step of `h` seconds.
    ///
    /// # Safety
    /// The bodies of the blocks belong to this call alone.
    unsafe fn rate(
        &self,
        k: usize,
        blocks: &[TieBlock],
        first: u32,
        (hot, h): (&SharedBodyStates<'_>, Real),
    ) -> Real {
        let (block, lane) = self.at(k, blocks, first);
        // SAFETY: passed on.
        let [a, b] = [0, 1].map(|side: usize| unsafe { block.velocity(lane, side, hot) });
        let arms = [0, 1].map(|side: usize| get(&block.arms[side], lane));
        if self.axes[k] == SPAN {
            // The distance at the end of the sub-step, as ties have it (`kernel::bend`).
            let d = get(&block.span, lane);
            let way = arc(&b.0, &b.1, &arms[1], h) - arc(&a.0, &a.1, &(arms[0] - d), h);
            let grown = 2.0 * d.dot(&way) + h * way.norm_squared();
            let lengths = (d.norm_squared() + h * grown).max(0.0).sqrt() + d.norm();
            return if lengths > 0.0 { self.factors[k] * grown / lengths } else { 0.0 };
        }
        let [force, torque] = self.row(k, blocks, first);
        let relative = b.0 + b.1.cross(&arms[1]) - a.0 - a.1.cross(&arms[0]);
        force.dot(&relative) + torque.dot(&(b.1 - a.1))
    }

    /// Velocities with which the sum stays, or keeps to its limits.
    ///
    /// # Safety
    /// As [`over`].
    unsafe fn solve(&mut self, blocks: &mut [TieBlock], first: u32, hot: &SharedBodyStates<'_>, h: Real) {
        // SAFETY: passed on.
        let rate = unsafe { self.rate(0, blocks, first, (hot, h)) + self.rate(1, blocks, first, (hot, h)) };
        let next = if self.least == self.greatest {
            self.given * (1.0 - LET_GO) - self.mass * rate
        } else {
            let [down, up] = self.room;
            (self.given - self.mass * (rate + down)).max(0.0)
                + (self.given - self.mass * (rate - up)).min(0.0)
        };
        let more = next - self.given;
        self.given = next;
        self.note(blocks, first, more);
        for k in 0..2 {
            let (block, lane) = self.at(k, blocks, first);
            let [force, torque] = self.row(k, blocks, first).map(|part| part * more);
            // SAFETY: passed on.
            unsafe { block.push(lane, hot, |side| block.change(lane, side, force, torque)) };
        }
    }

    /// Adds an impulse to those of both rows.
    fn note(&self, blocks: &mut [TieBlock], first: u32, more: Real) {
        for k in 0..2 {
            let Member { block, lane } = self.members[k];
            let row = &mut blocks[(block - first) as usize].row[self.axes[k]];
            row.given[COUPLED][lane as usize] += self.factors[k] * more;
        }
    }

    /// Takes a share of what is beyond limits back, by displacement.
    ///
    /// # Safety
    /// As [`over`].
    unsafe fn take_back(&self, blocks: &[TieBlock], first: u32, hot: &SharedBodyStates<'_>) {
        let wanted = -RECOVERY * self.beyond * self.mass;
        let turn = |k: usize| {
            let (block, lane) = self.at(k, blocks, first);
            let is_turn = (TWIST..SPAN).contains(&self.axes[k]);
            let turn = (wanted * self.factors[k] * block.row[self.axes[k]].response[lane]).abs();
            if is_turn && turn > MOST_TURN { MOST_TURN / turn } else { 1.0 }
        };
        let push = wanted * turn(0).min(turn(1));
        if push == 0.0 {
            return;
        }
        for k in 0..2 {
            let (block, lane) = self.at(k, blocks, first);
            let [force, torque] = self.row(k, blocks, first).map(|part| part * push);
            // SAFETY: passed on.
            unsafe { block.displace(lane, hot, force, torque) };
        }
    }

    /// Impulse and angular impulse of the step on B of the tie of the second coordinate, without what its locks gave.
    fn on_second(&self, blocks: &[TieBlock]) -> [Vector3; 2] {
        let (block, lane) = self.at(1, blocks, 0);
        let size = self.total * self.factors[1];
        let none = Vector3::zeros();
        match self.axes[1] {
            axis @ 0..TWIST => [get(&block.frame[axis], lane) * size, none],
            SPAN => [get(&block.row[SPAN].force, lane) * size, none],
            axis => [none, get(&block.frame[axis - TWIST], lane) * size],
        }
    }
}
