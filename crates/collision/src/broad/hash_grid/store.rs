//! Where every box is: in a cell of a level, outside the grids, or nowhere.

use drystone_math::{Aabb, Position};

use super::super::{Pair, ProxyFilter, has_nan, is_absent};
use super::config::{HashGridConfig, RUNG_COUNT};
use super::level::{ByClass, Level, NONE};

/// Home of a proxy without a box.
pub(super) const ABSENT: u8 = u8::MAX;
/// Home of a proxy that is tested against everything.
pub(super) const OUTSIDE: u8 = u8::MAX - 1;

/// A box that overlaps nothing, not even an infinite one.
const NOWHERE: Aabb = Aabb {
    min: Position::new(f64::NAN, f64::NAN, f64::NAN),
    max: Position::new(f64::NAN, f64::NAN, f64::NAN),
};

/// What a test against a proxy reads: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// The box, m.
    pub(super) aabb: Aabb,
    /// The next proxy in the list of the cell.
    pub(super) next: u32,
    member_of: u32,
    meets: u32,
    owner: u32,
}

impl Node {
    const ABSENT: Self = Self { aabb: NOWHERE, next: NONE, member_of: 0, meets: 0, owner: 0 };

    /// True when the boxes overlap and the filters allow the pair, were not both fixed.
    #[inline]
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.aabb.overlaps(&other.aabb)
            && self.member_of & other.meets != 0
            && other.member_of & self.meets != 0
            && self.owner != other.owner
    }
}

/// What only moving a proxy reads: where it is, so that taking it out is O(1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Index in the member list of the home and class.
    member: u32,
    /// Slot of the cell in the level's table.
    pub(super) slot: u32,
    /// The proxy before it in the list of the cell.
    previous: u32,
    /// The level, [`OUTSIDE`] or [`ABSENT`].
    pub(super) home: u8,
    /// 0 when it moves, 1 when it is fixed.
    pub(super) class: u8,
    /// The box has a corner that is not a number.
    not_a_number: bool,
}

impl Place {
    const ABSENT: Self =
        Self { member: 0, slot: 0, previous: NONE, home: ABSENT, class: 0, not_a_number: false };
}

/// All boxes by place.
#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) nodes: Vec<Node>,
    pub(super) places: Vec<Place>,
    /// One per rung; those never used have no table.
    pub(super) levels: Vec<Level>,
    /// One bit per level that has boxes.
    pub(super) occupied: u64,
    /// Unbounded and huge boxes, and all boxes until the grids are switched on.
    pub(super) outside: ByClass<Vec<u32>>,
    ladder: [f64; RUNG_COUNT],
    is_active: bool,
    pub(super) present_count: u32,
    pub(super) not_a_number_count: u32,
}

drystone_math::carried!(Store {
    part: [nodes, places, outside],
    parts: [levels],
    value: [occupied, ladder, is_active, present_count, not_a_number_count],
});

impl Store {
    pub(super) fn new(config: &HashGridConfig) -> Self {
        let ladder = config.ladder();
        Self {
            nodes: Vec::new(),
            places: Vec::new(),
            levels: ladder.iter().map(|&cell| Level::new(cell)).collect(),
            occupied: 0,
            outside: Default::default(),
            ladder,
            is_active: false,
            present_count: 0,
            not_a_number_count: 0,
        }
    }

    /// Makes room for `proxy_count` proxies; those there stay.
    pub(super) fn grow(&mut self, proxy_count: u32) {
        if self.nodes.len() < proxy_count as usize {
            self.nodes.resize(proxy_count as usize, Node::ABSENT);
            self.places.resize(proxy_count as usize, Place::ABSENT);
        }
    }

    /// True when the two proxies are a pair.
    #[inline]
    pub(super) fn is_pair(&self, pair: Pair) -> bool {
        let [a, b] = [pair.a as usize, pair.b as usize];
        self.nodes[a].meets(&self.nodes[b]) && self.places[a].class + self.places[b].class < 2
    }

    /// Gives a proxy a new box and filter; relinks it only when its cell or class changed. O(1).
    pub(super) fn put(&mut self, proxy: u32, aabb: &Aabb, filter: &ProxyFilter, config: &HashGridConfig) {
        let home = self.home_of(aabb);
        let place = &mut self.places[proxy as usize];
        let not_a_number = has_nan(aabb);
        self.not_a_number_count += u32::from(not_a_number);
        self.not_a_number_count -= u32::from(place.not_a_number);
        self.present_count += u32::from(home != ABSENT);
        self.present_count -= u32::from(place.home != ABSENT);
        place.not_a_number = not_a_number;
        let place = *place;
        let class = u8::from(filter.fixed);
        let slot = match self.levels.get(usize::from(home)) {
            Some(level) if !level.heads.is_empty() => level.slot_of(level.cell_of(&aabb.min)) as u32,
            _ => 0,
        };
        let node = &mut self.nodes[proxy as usize];
        node.aabb = if home == ABSENT { NOWHERE } else { *aabb };
        (node.member_of, node.meets, node.owner) = (filter.member_of, filter.meets, filter.owner);
        if place.home != home || place.class != class || place.slot != slot {
            self.take_out(proxy);
            self.places[proxy as usize].class = class;
            self.put_in(proxy, home, config);
        }
    }

    /// Takes away a proxy's box. O(1).
    pub(super) fn remove(&mut self, proxy: u32) {
        self.take_out(proxy);
        let place = &mut self.places[proxy as usize];
        self.present_count -= u32::from(place.home != ABSENT);
        self.not_a_number_count -= u32::from(place.not_a_number);
        *place = Place::ABSENT;
        self.nodes[proxy as usize] = Node::ABSENT;
    }

    /// Switches the grids on once there are enough boxes; they stay on.
    pub(super) fn activate(&mut self, config: &HashGridConfig) {
        if self.is_active || self.present_count <= config.activation_threshold {
            return;
        }
        self.is_active = true;
        let mut waiting = std::mem::take(&mut self.outside);
        for proxy in waiting.iter().flatten().copied() {
            let home = self.home_of(&self.nodes[proxy as usize].aabb);
            self.put_in(proxy, home, config);
        }
        waiting.iter_mut().for_each(Vec::clear);
    }

    /// Counts what changed per level, and how long its boxes are; after the placing.
    pub(super) fn count_changed(&mut self, changed: &[u32]) {
        self.levels.iter_mut().for_each(|level| level.changed_count = 0);
        for &proxy in changed {
            if let Some(level) = self.levels.get_mut(usize::from(self.places[proxy as usize].home)) {
                level.count(&self.nodes[proxy as usize].aabb);
            }
        }
        for level in self.levels.iter_mut().filter(|level| level.is_worn()) {
            let members = std::mem::take(&mut level.members);
            level.measure(members.iter().flatten().map(|&proxy| &self.nodes[proxy as usize].aabb));
            level.members = members;
            if level.refine() {
                let slots = level.heads.len();
                fill(level, slots, &mut self.nodes, &mut self.places);
            }
        }
    }

    /// The level with the smallest cells that are larger than the box (cell / f <= longest edge < cell).
    ///
    /// A function of the box alone, with no memory of the level before: a box whose size swings around a
    /// border is relinked each time, which is O(1) and allocates nothing, and the grids stay reproducible
    /// from the boxes. (Fat boxes change rarely anyway.)
    fn home_of(&self, aabb: &Aabb) -> u8 {
        if is_absent(aabb) {
            return ABSENT;
        }
        if !self.is_active || !aabb.is_bounded() {
            return OUTSIDE;
        }
        let size = aabb.longest_edge();
        let rung = self.ladder.partition_point(|&cell| cell <= size);
        if rung < RUNG_COUNT { rung as u8 } else { OUTSIDE }
    }

    /// Puts a proxy that is nowhere into its new home.
    fn put_in(&mut self, proxy: u32, home: u8, config: &HashGridConfig) {
        let place = &mut self.places[proxy as usize];
        (place.home, place.slot, place.previous) = (home, 0, NONE);
        let class = usize::from(place.class);
        let members = match home {
            ABSENT => return,
            OUTSIDE => &mut self.outside[class],
            rung => &mut self.levels[usize::from(rung)].members[class],
        };
        place.member = members.len() as u32;
        members.push(proxy);
        if home == OUTSIDE {
            return;
        }
        self.occupied |= 1 << home;
        let level = &mut self.levels[usize::from(home)];
        level.extend(&self.nodes[proxy as usize].aabb);
        let wanted = (level.len() as u64 * u64::from(config.minimal_grid_density)).min(1 << 31);
        if wanted > level.heads.len() as u64 {
            let slots = wanted.next_power_of_two().max(u64::from(config.initial_cells)) as usize;
            fill(level, slots, &mut self.nodes, &mut self.places);
        } else {
            link(level, &mut self.nodes, &mut self.places, proxy);
        }
    }

    /// Takes a proxy out of its cell and its member list.
    fn take_out(&mut self, proxy: u32) {
        let place = self.places[proxy as usize];
        let class = usize::from(place.class);
        let members = match place.home {
            ABSENT => return,
            OUTSIDE => &mut self.outside[class],
            rung => {
                let level = &mut self.levels[usize::from(rung)];
                let next = self.nodes[proxy as usize].next;
                match place.previous {
                    NONE => level.heads[place.slot as usize][class] = next,
                    previous => self.nodes[previous as usize].next = next,
                }
                level.refresh_occupancy(place.slot as usize);
                if next != NONE {
                    self.places[next as usize].previous = place.previous;
                }
                if level.len() == 1 {
                    // An empty level is skipped from now on; its table is kept for its memory.
                    self.occupied &= !(1 << rung);
                }
                &mut level.members[class]
            }
        };
        members.swap_remove(place.member as usize);
        if let Some(&moved) = members.get(place.member as usize) {
            self.places[moved as usize].member = place.member;
        }
    }
}

/// Makes a table of `slot_count` slots and puts all boxes of the level into it.
fn fill(level: &mut Level, slot_count: usize, nodes: &mut [Node], places: &mut [Place]) {
    level.reset_table(slot_count);
    let all: ByClass<Vec<u32>> = std::mem::take(&mut level.members);
    all.iter().flatten().for_each(|&proxy| link(level, nodes, places, proxy));
    level.members = all;
}

/// Puts a proxy at the head of its cell's list.
fn link(level: &mut Level, nodes: &mut [Node], places: &mut [Place], proxy: u32) {
    let (node, place) = (&mut nodes[proxy as usize], &mut places[proxy as usize]);
    let slot = level.slot_of(level.cell_of(&node.aabb.min));
    let head = &mut level.heads[slot][usize::from(place.class)];
    (place.slot, place.previous, node.next) = (slot as u32, NONE, *head);
    if *head != NONE {
        places[*head as usize].previous = proxy;
    }
    *head = proxy;
    level.refresh_occupancy(slot);
}
