//! Contacts of the plane solved in sub-steps, eight at a time.
//!
//! In: bodies' rows, contacts with colours. Out: velocities, displacements within the step, impulses. Start reading at
//! [`Solver::solve`].
//!
//! Method: that of the engine in three dimensions (`docs/sub-step.md`) where it carries over. A step is cut into sub-steps;
//! each applies forces, repeats the impulses of the sub-step before, solves all contacts once there and once back in
//! reverse order, moves the bodies, and takes overlap beyond a band back by displacing them. Contacts are rigid, so nothing
//! sags. What bounces does so at the end of the step. Colours are the same for all islands, so that eight contacts fill a
//! block in a gas of pairs as in a pile; threads take blocks of a colour, whatever island they are of.
//!
//! Invariants: what cannot move is never written; bits do not depend on threads or instruction set; no allocation once
//! capacities have settled.

mod block;
mod chain;
mod kernel;
mod load;

use crate::PlanarConfig;
use crate::bodies::{Bodies, NONE, Row};
use crate::contacts::{COLOURS, Contact, Contacts};
use block::{Block, Preparation};
use chain::Chains;
use drystone_contact::BodyKind;
use drystone_exec::{Exec, PerWorker, Shared, chunks, chunks_mut, ranges};
use drystone_math::Real;
use drystone_math::wide::Isa;
use kernel::{Pass, PassParams, Sweep};
use load::Loads;

/// Blocks per part of a stage.
const BLOCKS_PER_PART: usize = 16;
/// Bodies per part of a stage.
const BODIES_PER_PART: usize = 256;
/// Share of `g dt` of the relative motion below which a column is at rest: sweeps keep it there.
const QUIET: Real = 3e-5;
/// Blocks of a step below which one thread is faster.
const FEW_BLOCKS: usize = 64;

/// What pushes a body in a sub-step.
#[derive(Clone, Copy, Debug, Default)]
struct Push {
    /// Velocity that forces add.
    gain: [f32; 3],
    /// Factors of damping.
    keep: [f32; 2],
}

impl Push {
    /// A velocity after `count` sub-steps without contacts.
    fn repeated(&self, velocity: [f32; 3], count: u32) -> [f32; 3] {
        let [mut x, mut y, mut turning] = velocity;
        for _ in 0..count {
            x = (x + self.gain[0]) * self.keep[0];
            y = (y + self.gain[1]) * self.keep[0];
            turning = (turning + self.gain[2]) * self.keep[1];
        }
        [x, y, turning]
    }
}

/// Blocks of one colour: first of the flat and of the round ones.
#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    flat: [u32; 2],
    round: [u32; 2],
}

/// What a solve found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solved {
    /// Contact points; of these, points that began with an impulse.
    pub(crate) points: u32,
    pub(crate) warm: u32,
    /// Colours in use; contacts that found none.
    pub(crate) colours: u32,
    pub(crate) uncoloured: u32,
    /// Largest closing speed that the last sweep found, m/s, and its contact.
    pub(crate) residual: Option<(Real, u32)>,
    /// Deepest overlap that the step began with, m, and its contact.
    pub(crate) overlap: Option<(Real, u32)>,
}

/// Per worker: what it found, and contacts that begin to touch.
#[derive(Clone, Debug, Default)]
struct Found {
    solved: Solved,
    touches: Vec<u32>,
}

/// Memory of the solver.
#[derive(Debug)]
pub(crate) struct Solver {
    isa: Isa,
    flat: Vec<Block<2>>,
    round: Vec<Block<1>>,
    segments: Vec<Segment>,
    /// Bodies with contacts, and what pushes them.
    members: Vec<u32>,
    pushes: Vec<Push>,
    /// Of each body: its velocity after the forces of the sub-step, before contacts.
    free: Vec<[f32; 3]>,
    /// Of each member: the velocity that the step would leave it with if it had no contacts.
    unpushed: Vec<[f32; 3]>,
    is_member: drystone_math::BitSet,
    chains: Chains,
    loads: Loads,
    found: PerWorker<Found>,
    /// Contacts that begin to touch.
    pub(crate) touches: Vec<u32>,
}

impl Solver {
    pub(crate) fn new(exec: &Exec) -> Self {
        Self {
            isa: Isa::best(),
            flat: Vec::new(),
            round: Vec::new(),
            segments: Vec::new(),
            members: Vec::new(),
            pushes: Vec::new(),
            free: Vec::new(),
            unpushed: Vec::new(),
            is_member: drystone_math::BitSet::new(),
            chains: Chains::default(),
            loads: Loads::default(),
            found: PerWorker::new(exec, Found::default),
            touches: Vec::new(),
        }
    }

    /// Another instruction set than the best one: for tests.
    pub(crate) fn set_isa(&mut self, isa: Isa) {
        self.isa = isa;
    }

    /// Bodies with contacts, and the velocities that the step would leave them with if they had none.
    pub(crate) fn members(&self) -> impl Iterator<Item = (u32, &[f32; 3])> + '_ {
        self.members.iter().copied().zip(&self.unpushed)
    }

    /// True for a body that this step's contacts moved in sub-steps.
    pub(crate) fn moved(&self, body: u32) -> bool {
        self.is_member.contains(body)
    }

    /// Solves the contacts of a step of `dt` s and moves the bodies that have any; `begun` contacts got points in it.
    pub(crate) fn solve(
        &mut self,
        config: &PlanarConfig,
        bodies: &mut Bodies,
        contacts: &mut Contacts,
        begun: u32,
        dt: Real,
        exec: &Exec,
    ) -> Solved {
        let unit = config.reference_acceleration * dt;
        let h = dt / config.sub_steps as Real;
        let half_band = 0.5 * config.contact_slop * unit * dt;
        self.collect_members(config, bodies, contacts, h);
        self.loads.seed(config, bodies, contacts, begun, [h, dt]);
        let with = Preparation { half_band, bounce_speed: config.restitution_threshold * unit, h };
        exec.part("lay out");
        self.lay_out(bodies, contacts, &with, exec);
        self.chains.find(&self.members, &self.segments, bodies, contacts);
        let params = PassParams {
            inverse_h: 1.0 / h,
            band: 2.0 * half_band,
            recovery: (config.recovery_rate * h).min(0.5),
            recovery_limit: config.recovery_speed * h,
            unit,
        };
        exec.part("sub-steps");
        let serial = Exec::serial();
        let exec_of_passes = if self.flat.len() + self.round.len() < FEW_BLOCKS { &serial } else { exec };
        self.run(config.sub_steps, h, bodies, &params, exec_of_passes);
        exec.part("write back");
        self.write_back(h, contacts, exec)
    }

    /// Awake bodies with linked contacts, and what pushes them.
    fn collect_members(&mut self, config: &PlanarConfig, bodies: &mut Bodies, contacts: &Contacts, h: Real) {
        self.members.clear();
        self.pushes.clear();
        self.unpushed.clear();
        self.is_member.clear();
        self.is_member.resize(bodies.rows.len() as u32);
        self.free.resize(bodies.rows.len(), [0.0; 3]);
        bodies.update_list();
        for &contact in contacts.colours[COLOURS].flat.iter().chain(&contacts.colours[COLOURS].round) {
            for body in contacts.list[contact as usize].bodies {
                if bodies.is_awake(body) {
                    self.is_member.insert(body);
                }
            }
        }
        for &body in &bodies.list {
            let facts = &bodies.facts[body as usize];
            if bodies.colours[body as usize] == 0
                && facts.kind == BodyKind::Dynamic
                && !self.is_member.contains(body)
            {
                continue;
            }
            self.is_member.insert(body);
            self.members.push(body);
            let push = push_of(config, bodies, body, h);
            let row = &bodies.rows[body as usize];
            self.unpushed.push(push.repeated([row[0], row[1], row[2]], config.sub_steps));
            self.pushes.push(push);
        }
    }

    /// Fills the blocks, colour by colour.
    fn lay_out(&mut self, bodies: &Bodies, contacts: &Contacts, with: &Preparation, exec: &Exec) {
        self.segments.clear();
        let (mut flat, mut round) = (0, 0);
        for (k, colour) in contacts.colours.iter().enumerate() {
            let width = if k < COLOURS { 8 } else { 1 };
            let counts = [colour.flat.len().div_ceil(width), colour.round.len().div_ceil(width)];
            if counts != [0, 0] {
                let ends = [flat + counts[0] as u32, round + counts[1] as u32];
                self.segments.push(Segment { flat: [flat, ends[0]], round: [round, ends[1]] });
                [flat, round] = ends;
            }
        }
        self.flat.resize(flat as usize, Block::EMPTY);
        self.round.resize(round as usize, Block::EMPTY);
        let mut segments = self.segments.iter();
        for (k, colour) in contacts.colours.iter().enumerate() {
            let width = if k < COLOURS { 8 } else { 1 };
            if colour.flat.is_empty() && colour.round.is_empty() {
                continue;
            }
            let Some(segment) = segments.next() else { break };
            let range = |r: [u32; 2]| r[0] as usize..r[1] as usize;
            fill(
                &mut self.flat[range(segment.flat)],
                &colour.flat,
                width,
                bodies,
                &contacts.list,
                with,
                exec,
            );
            fill(
                &mut self.round[range(segment.round)],
                &colour.round,
                width,
                bodies,
                &contacts.list,
                with,
                exec,
            );
        }
    }

    /// All sub-steps.
    fn run(&mut self, sub_steps: u32, h: Real, bodies: &mut Bodies, params: &PassParams, exec: &Exec) {
        let resting_speed = QUIET * params.unit;
        let rows = Shared::new(&mut bodies.rows);
        for sub_step in 0..sub_steps {
            self.apply_forces(sub_step == 0, &rows, exec);
            if sub_step == 0 {
                self.pass(Pass::Warm, false, &rows, params, exec);
            }
            self.chains.solve(&mut self.flat, &rows, resting_speed);
            self.pass(Pass::There, false, &rows, params, exec);
            let back = if sub_step + 1 == sub_steps { Pass::LastBack } else { Pass::Back };
            self.pass(back, true, &rows, params, exec);
            self.move_members(h, &rows, exec);
            forget_blows(&mut self.flat, &mut self.free, &rows);
            forget_blows(&mut self.round, &mut self.free, &rows);
            self.pass(Pass::Place, false, &rows, params, exec);
        }
        self.pass(Pass::Bounce, false, &rows, params, exec);
    }

    /// One pass over all colours, the last one first when `is_back`.
    fn pass(&mut self, pass: Pass, is_back: bool, rows: &Shared<'_, Row>, params: &PassParams, exec: &Exec) {
        let count = self.segments.len();
        for k in 0..count {
            let segment = self.segments[if is_back { count - 1 - k } else { k }];
            let range = |r: [u32; 2]| r[0] as usize..r[1] as usize;
            let (flat, round) = (&mut self.flat[range(segment.flat)], &mut self.round[range(segment.round)]);
            // What has no colour comes last, in blocks of one contact, in order.
            let is_ordered = flat.first().is_some_and(is_alone) || round.first().is_some_and(is_alone);
            sweep(self.isa, flat, is_back, is_ordered, rows, params, pass, exec);
            sweep(self.isa, round, is_back, is_ordered, rows, params, pass, exec);
        }
    }

    /// Forces and damping of a sub-step. Later sub-steps begin with what contacts gave in the one before: arms do not
    /// change within a step, so repeating their impulses gives each body the same again.
    #[expect(unsafe_code, reason = "changes disjoint bodies of one array")]
    fn apply_forces(&mut self, is_first: bool, rows: &Shared<'_, Row>, exec: &Exec) {
        let free = Shared::new(&mut self.free);
        let parts = (chunks(&self.members, BODIES_PER_PART), chunks(&self.pushes, BODIES_PER_PART));
        exec.for_each_static(parts, |_, (members, pushes)| {
            for (&body, push) in members.iter().zip(pushes) {
                // SAFETY: each body is a member once.
                let (row, free) = unsafe { (rows.get_mut(body), free.get_mut(body)) };
                for (k, speed) in row[..3].iter_mut().enumerate() {
                    let given = if is_first { 0.0 } else { *speed - free[k] };
                    free[k] = (*speed + push.gain[k]) * push.keep[k / 2];
                    *speed = free[k] + given;
                }
            }
        });
    }

    /// Moves the members by their velocities.
    #[expect(unsafe_code, reason = "changes disjoint bodies of one array")]
    fn move_members(&mut self, h: Real, rows: &Shared<'_, Row>, exec: &Exec) {
        exec.for_each_static(chunks(&self.members, BODIES_PER_PART), |_, members| {
            for &body in members {
                // SAFETY: each body is a member once.
                let row = unsafe { rows.get_mut(body) };
                for k in 0..3 {
                    row[k + 4] += h * row[k];
                }
            }
        });
    }

    /// Impulses go back to the contacts.
    fn write_back(&mut self, h: Real, contacts: &mut Contacts, exec: &Exec) -> Solved {
        self.found.resize(exec, Found::default);
        for found in self.found.iter_mut() {
            found.solved = Solved::default();
            found.touches.clear();
        }
        let list = Shared::new(&mut contacts.list);
        store(&self.flat, h, &list, &mut self.found, exec);
        store(&self.round, h, &list, &mut self.found, exec);
        let mut solved = Solved::default();
        self.touches.clear();
        for found in self.found.iter_mut() {
            solved.points += found.solved.points;
            solved.warm += found.solved.warm;
            solved.residual = worse(solved.residual, found.solved.residual);
            solved.overlap = worse(solved.overlap, found.solved.overlap);
            self.touches.append(&mut found.touches);
        }
        solved.colours = self.segments.len() as u32;
        let last = &contacts.colours[COLOURS];
        solved.uncoloured = (last.flat.len() + last.round.len()) as u32;
        solved
    }
}

/// The larger of two figures; of equal ones that of the smaller contact.
fn worse(a: Option<(Real, u32)>, b: Option<(Real, u32)>) -> Option<(Real, u32)> {
    match (a, b) {
        (Some(a), Some(b)) if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) => Some(b),
        (None, b) => b,
        (a, _) => a,
    }
}

/// What pushes a body in a sub-step of `h` s.
fn push_of(config: &PlanarConfig, bodies: &Bodies, body: u32, h: Real) -> Push {
    let (facts, row) = (&bodies.facts[body as usize], &bodies.rows[body as usize]);
    if facts.kind != BodyKind::Dynamic {
        return Push { keep: [1.0; 2], ..Push::default() };
    }
    let gained = facts.acceleration(row[3], &config.gravity);
    Push {
        gain: [h * gained.x, h * gained.y, h * facts.force[2] * row[7]],
        keep: facts.damping.map(|c| 1.0 / (1.0 + c * h)),
    }
}

/// True for a block of a contact that found no colour.
fn is_alone<const P: usize>(block: &Block<P>) -> bool {
    block.contact[1..].iter().all(|&c| c == NONE)
}

/// Fills the blocks of one colour.
fn fill<const P: usize>(
    blocks: &mut [Block<P>],
    list: &[u32],
    width: usize,
    bodies: &Bodies,
    contacts: &[Contact],
    with: &Preparation,
    exec: &Exec,
) {
    let parts = (chunks(list, width * BLOCKS_PER_PART), chunks_mut(blocks, BLOCKS_PER_PART));
    exec.for_each_dynamic(parts, |_, (list, blocks)| {
        for (block, indices) in blocks.iter_mut().zip(list.chunks(width)) {
            block.clear();
            for (lane, &index) in indices.iter().enumerate() {
                block.set(lane, index, &contacts[index as usize], &bodies.rows, with);
            }
            for lane in indices.len()..8 {
                block.clear_lane(lane);
            }
        }
    });
}

/// A pass over the blocks of one colour.
#[expect(clippy::too_many_arguments, reason = "all of them differ between the two classes of blocks")]
fn sweep<const P: usize>(
    isa: Isa,
    blocks: &mut [Block<P>],
    is_back: bool,
    is_ordered: bool,
    rows: &Shared<'_, Row>,
    params: &PassParams,
    pass: Pass,
    exec: &Exec,
) {
    if blocks.is_empty() {
        return;
    }
    if is_ordered {
        // One after the other, also backwards.
        let count = blocks.len();
        for k in 0..count {
            let at = if is_back { count - 1 - k } else { k };
            isa.run(Sweep { blocks: &mut blocks[at..=at], rows, params, pass });
        }
        return;
    }
    if exec.thread_count() == 1 || blocks.len() <= BLOCKS_PER_PART {
        isa.run(Sweep { blocks, rows, params, pass });
        return;
    }
    exec.for_each_dynamic(chunks_mut(blocks, BLOCKS_PER_PART), |_, blocks| {
        isa.run(Sweep { blocks, rows, params, pass });
    });
}

/// What a blow gave is not repeated in the next sub-step: it counts as the bodies' own velocity. Repeated, the sweeps take
/// it back only in part where several bodies meet, and it adds energy. Only contacts that carried nothing before count as
/// blows: where loads are forgotten as well, piles that fall together stay pressed into each other.
#[expect(unsafe_code, reason = "reads bodies of one array")]
fn forget_blows<const P: usize>(blocks: &mut [Block<P>], free: &mut [[f32; 3]], rows: &Shared<'_, Row>) {
    for block in blocks.iter_mut().filter(|block| block.is_blow != 0) {
        for lane in (0..8).filter(|lane| block.is_blow & (1 << lane) != 0) {
            let ends = block.ends.map(|side| side[lane]);
            let n = [block.normal[0][lane], block.normal[1][lane]];
            let rub = std::mem::take(&mut block.rub[lane]);
            let (mut pressed, mut about) =
                (0.0, [block.tangent_arms[0][lane] * rub, block.tangent_arms[1][lane] * rub]);
            for i in 0..P {
                let excess = std::mem::take(&mut block.lambda[i][lane]);
                pressed += excess;
                about =
                    [about[0] + block.arms[0][i][lane] * excess, about[1] + block.arms[1][i][lane] * excess];
            }
            let (x, y) = (n[0] * pressed - n[1] * rub, n[1] * pressed + n[0] * rub);
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if block.is_pushed[side] & (1 << lane) != 0 {
                    // SAFETY: nobody writes bodies between two passes.
                    let row = unsafe { rows.get(ends[side]) };
                    let own = &mut free[ends[side] as usize];
                    own[0] += sign * x * row[3];
                    own[1] += sign * y * row[3];
                    own[2] += sign * about[side] * row[7];
                }
            }
        }
    }
}

/// Impulses of blocks go back to their contacts.
#[expect(unsafe_code, reason = "changes disjoint contacts of one array")]
fn store<const P: usize>(
    blocks: &[Block<P>],
    h: Real,
    contacts: &Shared<'_, Contact>,
    found: &mut PerWorker<Found>,
    exec: &Exec,
) {
    let parts = (chunks(blocks, BLOCKS_PER_PART), ranges(blocks.len(), BLOCKS_PER_PART));
    exec.for_each_static_with(found, parts, |found, _, (blocks, _)| {
        for block in blocks {
            for lane in 0..8 {
                let index = block.contact[lane];
                if index == NONE {
                    continue;
                }
                // SAFETY: each contact is in one lane of one block.
                let contact = unsafe { contacts.get_mut(index) };
                for i in 0..P {
                    // It still has the impulse that the step began with.
                    found.solved.warm += u32::from(contact.normal_impulse[i] > 0.0);
                    contact.normal_impulse[i] = block.lambda[i][lane];
                }
                contact.h = h;
                contact.friction_impulse = block.rub[lane];
                contact.rolling_impulse = block.rolling[2][lane];
                let pressed = (0..P).map(|i| block.total[i][lane]).sum();
                contact.total = [pressed, block.total_rub[lane]];
                let points = contact.manifold.points();
                let least = points.iter().map(|p| p.distance).fold(Real::INFINITY, Real::min);
                found.solved.points += points.len() as u32;
                if !contact.is_touching && (least <= 0.0 || contact.total[0] > 0.0) {
                    contact.is_touching = true;
                    found.touches.push(index);
                }
                if least < 0.0 {
                    found.solved.overlap = worse(found.solved.overlap, Some((-least, index)));
                }
                let residual = block.residual[lane];
                if residual > 0.0 {
                    found.solved.residual = worse(found.solved.residual, Some((residual, index)));
                }
            }
        }
    });
}
