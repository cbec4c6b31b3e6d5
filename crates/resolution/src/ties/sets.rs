//! Which ties hang together, from step to step.
//!
//! A set is what ties hold together among bodies that are pushed. Its pattern is found once and kept as long as its ties, their locks, masses and locked axes stay,
//! also while it sleeps. Members are in the order of their edges, so that a set is the same whenever it was found.
#![expect(unsafe_code, reason = "passes bodies of one array on")]

use super::block::TieBlock;
use super::direct::Direct;
use super::energy_limit::{SETS_PER_PART, has_points};
use super::layout::TieLayout;
use drystone_contact::{BodyIndex, ContactGraph, EdgeIndex, SharedBodyStates};
use drystone_exec::{Exec, chunks_mut};
use drystone_math::Real;
use drystone_math::wide::Isa;
use hashbrown::HashMap;

/// Hasher with a fixed seed; the maps are never iterated.
pub(super) type FixedState = foldhash::fast::FixedState;

/// Unit of a set that takes no part in a step.
const DORMANT: u32 = u32::MAX;

/// A tie of a set: its block and lane in this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) block: u32,
    pub(super) lane: u32,
}

impl Member {
    /// Bodies of it that are pushed; 0 for what is not.
    pub(super) fn pushed(self, blocks: &[TieBlock]) -> [u32; 2] {
        blocks[self.block as usize].pushed_ends(self.lane as usize)
    }

    /// The same with their locked world axes ([`TieBlock::body_locks`]).
    pub(super) fn locked(self, blocks: &[TieBlock]) -> [(u32, u8); 2] {
        let (bodies, locks) = (self.pushed(blocks), &blocks[self.block as usize].body_locks);
        [0, 1].map(|side: usize| (bodies[side], locks[side][self.lane as usize]))
    }
}

/// What of a tie the pattern of its set depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// Bodies that are pushed; 0 for what is not.
    pub(super) ends: [u32; 2],
    /// Bits of their inverse masses.
    pub(super) masses: [u32; 2],
    /// Their locked world axes ([`TieBlock::body_locks`]).
    pub(super) body_locks: [u8; 2],
    pub(super) locks: u8,
    pub(super) limits_turns: bool,
    pub(super) has_drives: bool,
    pub(super) bounds_drives: bool,
}

impl Key {
    /// True where no place is locked, as of distances: such a tie hangs together with the others and is solved by sweeps.
    fn is_loose(&self) -> bool {
        self.locks & 0b111 == 0
    }
}

/// A tie of this step.
#[derive(Clone, Copy, Debug)]
struct Found {
    edge: u32,
    unit: u32,
    member: Member,
    key: Key,
    is_taken: bool,
}

/// Which sets a solve is of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    All,
    /// Those that nothing touches.
    Untouched,
    /// Those of them for which more than this was wrong before their last solve, m/s or rad/s; for the last time.
    WrongBy(f64, bool),
}

/// Ties that hang together.
#[derive(Clone, Debug)]
pub(crate) struct TieSet {
    unit: u32,
    /// By edge, ascending.
    pub(super) edges: Vec<u32>,
    /// Bodies that are pushed, ascending.
    pub(super) bodies: Vec<u32>,
    /// What they have before the sub-steps, J; none where something else gives them energy ([`super::energy_limit`]).
    pub(super) energy: Option<f64>,
    /// Length of its sub-steps, s.
    pub(super) h: Real,
    /// Whether something touches one of its bodies: sweeps have its locks as well then, so that contacts feel them, and the last word.
    pub(super) has_contacts: bool,
    /// Whether sweeps alone do in this step: it is modest ([`super::direct`]), moves, and something touches it.
    is_swept: bool,
    /// Whether nothing else acts on its bodies: they begin sub-steps without the impulses of the one before, as all of them are found anew.
    is_alone: bool,
    keys: Vec<Key>,
    /// Its ties in this step, and those of them that are solved together: all that lock places ([`Key::is_loose`]).
    places: Vec<Member>,
    members: Vec<Member>,
    /// `None` where sweeps do.
    direct: Option<Direct>,
    /// Whether the last pass over sets solved it.
    is_solved: bool,
}

/// All sets: those of a step first, unit after unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct TieSets {
    pub(crate) list: Vec<TieSet>,
    /// First set of each unit, and the end.
    pub(crate) offsets: Vec<u32>,
    found: Vec<Found>,
    /// First blocks of the units for which the sets were found.
    units: Vec<u32>,
    /// Memory of [`super::coupling::prepare`].
    pub(super) places: Vec<super::coupling::Place>,
}

impl TieSets {
    /// A step without sets, with so many units and one.
    pub(crate) fn clear(&mut self, offsets: usize) {
        self.list.clear();
        self.units.clear();
        self.offsets.clear();
        self.offsets.resize(offsets, 0);
    }

    /// Finds the sets of a step: O(blocks) where nothing changed, else O(ties log ties), and where ties are new, what their patterns cost. Factors stay where
    /// the step goes on.
    pub(super) fn update(
        &mut self,
        blocks: &mut [TieBlock],
        layout: &TieLayout,
        graph: &ContactGraph,
        goes_on: bool,
        exec: &Exec,
    ) {
        if self.units != layout.offsets || blocks.iter().any(|block| !block.is_same) {
            self.find(blocks, layout, graph);
        }
        let look = |set: &mut TieSet| {
            // Couplings are the sweeps', which have the last word with them as well.
            let is_coupled = |edge: &u32| graph.tie(EdgeIndex(*edge)).is_some_and(|tie| tie.coupled != 0);
            set.has_contacts = set.bodies.iter().any(|&body| has_points(graph, BodyIndex(body)))
                || (graph.coupling_count() > 0 && set.edges.iter().any(is_coupled));
            set.is_alone = !set.has_contacts && set.direct.is_some() && !set.keys.iter().any(Key::is_loose);
        };
        exec.for_each_static(chunks_mut(&mut self.list, SETS_PER_PART), |_, sets| {
            sets.iter_mut().filter(|set| set.is_active()).for_each(look);
        });
        for set in self.list.iter_mut().filter(|set| set.is_active()) {
            let is_coarse = set.first_block().is_some_and(|block| layout.is_coarse(block));
            let Some(direct) = &mut set.direct else { continue };
            set.is_swept = set.has_contacts && is_coarse && direct.is_modest;
            if !goes_on {
                direct.begin(set.has_contacts);
            }
            if !set.is_swept {
                set.members.iter().for_each(|m| blocks[m.block as usize].enter_set(m.lane as usize));
                let alone = set.is_alone;
                set.members
                    .iter()
                    .for_each(|m| blocks[m.block as usize].begin_afresh(m.lane as usize, alone));
                direct.is_first = true;
                direct.look_at(&set.members, blocks);
                if direct.has_loops {
                    set.members.iter().for_each(|m| blocks[m.block as usize].looped |= 1 << m.lane);
                }
            }
        }
    }

    /// Bodies whose sub-steps begin without the impulses of the one before.
    pub(crate) fn afresh(&self) -> impl Iterator<Item = BodyIndex> + '_ {
        let sets = self.list.iter().filter(|set| set.is_active() && set.is_alone);
        sets.flat_map(|set| &set.bodies).map(|&body| BodyIndex(body))
    }

    /// Ties that are solved directly in this step.
    pub(crate) fn direct_ties(&self) -> u32 {
        let direct = self.list.iter().filter(|set| set.is_active() && set.direct.is_some() && !set.is_swept);
        direct.map(|set| set.members.len() as u32).sum()
    }

    fn find(&mut self, blocks: &[TieBlock], layout: &TieLayout, graph: &ContactGraph) {
        self.units.clone_from(&layout.offsets);
        self.look(blocks, layout);
        let found = &mut self.found;
        self.list.retain_mut(|set| set.find(found));
        if found.iter().any(|tie| !tie.is_taken) {
            self.add(blocks, graph);
        }
        self.list.sort_unstable_by_key(|set| (set.unit, set.edges[0]));
        self.offsets.clear();
        let units = layout.offsets.len() as u32 - 1;
        let starts = |unit: u32| self.list.partition_point(|set| set.unit < unit) as u32;
        self.offsets.extend((0..=units).map(starts));
    }

    /// Lists the ties of the step.
    fn look(&mut self, blocks: &[TieBlock], layout: &TieLayout) {
        self.found.clear();
        for (unit, range) in layout.offsets.windows(2).enumerate() {
            for block in range[0]..range[1] {
                for (lane, &edge) in layout.slots[block as usize].iter().enumerate() {
                    let own = &blocks[block as usize];
                    if own.there >> lane & 1 == 1 {
                        let member = Member { block, lane: lane as u32 };
                        let (unit, key) = (unit as u32, own.key(lane));
                        self.found.push(Found { edge, unit, member, key, is_taken: false });
                    }
                }
            }
        }
        self.found.sort_unstable_by_key(|tie| tie.edge);
    }

    /// Makes sets of the ties that are in none.
    fn add(&mut self, blocks: &[TieBlock], graph: &ContactGraph) {
        let found = &mut self.found;
        // Sets that new ties reach are made anew, and those whose ties are gone are dropped.
        let mut reached: Vec<u32> = found
            .iter()
            .filter(|tie| !tie.is_taken)
            .flat_map(|tie| tie.key.ends)
            .filter(|&body| body != 0)
            .collect();
        reached.sort_unstable();
        self.list.retain(|set| {
            let is_there = set.edges.iter().all(|&edge| graph.tie(EdgeIndex(edge)).is_some());
            let meets = |key: &Key| key.ends.iter().any(|body| reached.binary_search(body).is_ok());
            let stays = is_there && (set.unit == DORMANT || !set.keys.iter().any(meets));
            if !stays && set.unit != DORMANT {
                set.edges.iter().for_each(|&edge| {
                    if let Ok(k) = found.binary_search_by_key(&edge, |tie| tie.edge) {
                        found[k].is_taken = false;
                    }
                });
            }
            stays
        });
        let mut of_body: HashMap<u32, Vec<u32>, FixedState> = HashMap::default();
        for (k, tie) in found.iter().enumerate().filter(|(_, tie)| !tie.is_taken) {
            for body in tie.key.ends.into_iter().filter(|&body| body != 0) {
                of_body.entry(body).or_default().push(k as u32);
            }
        }
        for first in 0..found.len() {
            if std::mem::replace(&mut found[first].is_taken, true) {
                continue;
            }
            let mut set = vec![first as u32];
            let mut at = 0;
            while at < set.len() {
                for body in found[set[at] as usize].key.ends.into_iter().filter(|&body| body != 0) {
                    for &other in &of_body[&body] {
                        if !std::mem::replace(&mut found[other as usize].is_taken, true) {
                            set.push(other);
                        }
                    }
                }
                at += 1;
            }
            set.sort_unstable();
            let ties = || set.iter().map(|&k| found[k as usize]);
            let places: Vec<Member> = ties().map(|tie| tie.member).collect();
            let members: Vec<Member> =
                ties().filter(|tie| !tie.key.is_loose()).map(|tie| tie.member).collect();
            let direct = Direct::new(blocks, &members);
            let unit = found[first].unit;
            let (edges, keys) = (ties().map(|tie| tie.edge).collect(), ties().map(|tie| tie.key).collect());
            let mut bodies: Vec<u32> =
                ties().flat_map(|tie| tie.key.ends).filter(|&body| body != 0).collect();
            bodies.sort_unstable();
            bodies.dedup();
            self.list.push(TieSet {
                unit,
                edges,
                bodies,
                energy: None,
                h: 0.0,
                has_contacts: false,
                is_swept: false,
                is_alone: false,
                keys,
                places,
                members,
                direct,
                is_solved: false,
            });
        }
    }
}

impl TieSet {
    /// Finds its ties in this step, and takes them; false where some are missing or changed: then it is no set any more.
    fn find(&mut self, found: &mut [Found]) -> bool {
        let place = |edge: &u32| found.binary_search_by_key(edge, |tie| tie.edge).ok();
        let count = self.edges.iter().filter_map(place).count();
        self.unit = DORMANT;
        if count == 0 {
            // It may wake while a step goes on.
            self.direct.iter_mut().for_each(|direct| direct.begin(false));
            return true;
        }
        let is_same = |(edge, key): (&u32, &Key)| place(edge).is_some_and(|k| found[k].key == *key);
        if !self.edges.iter().zip(&self.keys).all(is_same) {
            return false;
        }
        for (edge, member) in self.edges.iter().zip(&mut self.places) {
            if let Ok(k) = found.binary_search_by_key(edge, |tie| tie.edge) {
                (*member, self.unit, found[k].is_taken) = (found[k].member, found[k].unit, true);
            }
        }
        let own = self.places.iter().zip(&self.keys).filter(|(_, key)| !key.is_loose());
        self.members.clear();
        self.members.extend(own.map(|(member, _)| *member));
        true
    }

    /// The first block that it has ties in.
    pub(super) fn first_block(&self) -> Option<usize> {
        self.places.first().map(|member| member.block as usize)
    }

    /// Whether it takes part in the step.
    pub(super) fn is_active(&self) -> bool {
        self.unit != DORMANT
    }

    /// Before the sub-steps: leaves its locks to the sweeps as well where something touches it.
    pub(crate) fn share(&self, blocks: &mut [TieBlock], first: u32) {
        if self.has_contacts && !self.is_swept {
            self.members.iter().for_each(|m| blocks[(m.block - first) as usize].sweep(m.lane as usize));
        }
    }

    /// Whether the last solve of it had more to do than this (m/s or rad/s): what it left is of second order in that.
    pub(crate) fn was_wrong_by(&self, most: f64) -> bool {
        !self.has_contacts
            && self.direct.as_ref().is_some_and(|direct| direct.wrong() > most && !direct.is_done())
    }

    /// Before the first sub-step: [`Direct::settle`].
    ///
    /// # Safety
    /// The bodies of the set belong to this call alone.
    pub(crate) unsafe fn settle(&mut self, blocks: &[TieBlock], first: u32, hot: &SharedBodyStates<'_>) {
        if let Some(direct) = self.direct.as_mut().filter(|_| !self.is_swept) {
            // SAFETY: passed on.
            unsafe { direct.settle(&self.members, (blocks, first), hot) };
        }
    }

    /// [`Direct::solve`]: bodies change, blocks do not. Sets share no bodies, so any number may be at it.
    ///
    /// # Safety
    /// The bodies of the set belong to this call alone.
    pub(crate) unsafe fn solve(
        &mut self,
        which: Which,
        blocks: (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
        rhythm: (Real, Isa),
    ) {
        self.is_solved = match which {
            Which::All => true,
            Which::Untouched => self
                .direct
                .as_ref()
                .is_some_and(|direct| (!self.has_contacts || direct.is_uneven) && !direct.is_done()),
            Which::WrongBy(most, _) => self.was_wrong_by(most),
        };
        let Some(direct) = self.direct.as_mut().filter(|_| self.is_solved && !self.is_swept) else { return };
        // SAFETY: passed on.
        unsafe {
            match which {
                Which::WrongBy(_, is_last) => direct.solve_again(&self.members, blocks, hot, rhythm, is_last),
                Which::All | Which::Untouched => direct.solve(&self.members, blocks, hot, rhythm),
            }
        }
    }

    /// [`Direct::write`]: what the last solve gave, for the blocks.
    pub(crate) fn write(&self, blocks: &mut [TieBlock], first: u32) {
        if let Some(direct) = self.direct.as_ref().filter(|_| self.is_solved && !self.is_swept) {
            direct.write(&self.members, (blocks, first));
        }
    }

    /// After bodies moved for `h` seconds: [`Direct::place`].
    ///
    /// # Safety
    /// The bodies of the set belong to this call alone.
    pub(crate) unsafe fn place(
        &mut self,
        blocks: &[TieBlock],
        first: u32,
        hot: &SharedBodyStates<'_>,
        (h, isa): (Real, Isa),
    ) {
        if let Some(direct) = self.direct.as_mut().filter(|_| !self.is_swept) {
            // SAFETY: passed on.
            unsafe {
                direct.is_first = true;
                direct.follow(&self.members, (blocks, first), hot, h);
                direct.place(&self.members, (blocks, first), hot, isa);
            }
        }
    }
}
