//! Groups: connected components of movable bodies, maintained as links come and go; and levels.

use super::edge::{Edge, EdgeEnd, NONE};
use crate::BodyIndex;

/// Index of a group; stable while the group neither merges into a larger one nor splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupIndex(pub u32);

impl GroupIndex {
    fn get(self) -> usize {
        self.0 as usize
    }
}

/// Group of a body that cannot move.
pub const NO_GROUP: GroupIndex = GroupIndex(u32::MAX);
/// Level of a body whose group touches nothing fixed.
pub const NO_LEVEL: u32 = u32::MAX;

/// Facts of one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// One of its bodies.
    pub first: BodyIndex,
    /// Number of bodies.
    pub body_count: u32,
    /// Linked edges of its bodies, those to fixed bodies included.
    pub edge_count: u32,
    /// Contact points of these edges.
    pub point_count: u32,
    /// A link inside was lost: it may have come apart.
    lost_link: bool,
    /// Links changed: levels are stale.
    stale_levels: bool,
    in_use: bool,
}

/// All groups: a label and a ring of members per group.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    list: Vec<Group>,
    free: Vec<u32>,
    label: Vec<GroupIndex>,
    /// Next member of the same group; a ring.
    ring: Vec<u32>,
    level: Vec<u32>,
    /// Groups with `lost_link` or `stale_levels`, unsorted, once each.
    marked: Vec<u32>,
    members: Vec<u32>,
    queue: Vec<u32>,
}

impl Groups {
    pub(super) fn add_body(&mut self, body: BodyIndex, capacity: usize, is_dynamic: bool) {
        if self.label.len() < capacity {
            self.label.resize(capacity, NO_GROUP);
            self.ring.resize(capacity, 0);
            self.level.resize(capacity, NO_LEVEL);
        }
        self.ring[body.get()] = body.0;
        self.level[body.get()] = NO_LEVEL;
        self.label[body.get()] = if is_dynamic { self.new_group(body, 1) } else { NO_GROUP };
    }

    /// Takes a body without links out of its group.
    pub(super) fn remove_body(&mut self, body: BodyIndex) {
        let group = self.label[body.get()];
        self.label[body.get()] = NO_GROUP;
        if group == NO_GROUP {
            return;
        }
        let record = &mut self.list[group.get()];
        record.body_count -= 1;
        if record.body_count == 0 {
            record.in_use = false;
            self.free.push(group.0);
            return;
        }
        // The ring is walked once: removal is rare and costs at most the group.
        let next = self.ring[body.get()];
        let mut at = next;
        while self.ring[at as usize] != body.0 {
            at = self.ring[at as usize];
        }
        self.ring[at as usize] = next;
        record.first = BodyIndex(next);
    }

    pub(super) fn link(&mut self, a: BodyIndex, b: BodyIndex, is_internal: bool) {
        let (mut keep, mut give) = (self.label[a.get()], self.label[b.get()]);
        if is_internal && keep != give {
            let size = |g: GroupIndex| self.list[g.get()].body_count;
            if size(give) > size(keep) || (size(give) == size(keep) && give < keep) {
                std::mem::swap(&mut keep, &mut give);
            }
            self.merge(keep, give);
        }
        let group = if keep == NO_GROUP { give } else { keep };
        if group != NO_GROUP {
            self.list[group.get()].edge_count += 1;
            self.mark(group, false);
        }
    }

    pub(super) fn unlink(&mut self, a: BodyIndex, b: BodyIndex, is_internal: bool) {
        let (ga, gb) = (self.label[a.get()], self.label[b.get()]);
        let group = if ga == NO_GROUP { gb } else { ga };
        if group != NO_GROUP {
            self.list[group.get()].edge_count -= 1;
            self.mark(group, is_internal);
        }
    }

    /// The number of points of an edge changed. Comes after `link` and before `unlink`.
    pub(super) fn count_points(&mut self, a: BodyIndex, b: BodyIndex, before: u32, now: u32) {
        let (ga, gb) = (self.label[a.get()], self.label[b.get()]);
        let group = if ga == NO_GROUP { gb } else { ga };
        if group != NO_GROUP {
            let count = &mut self.list[group.get()].point_count;
            *count = *count + now - before;
        }
    }

    pub(super) fn group_of(&self, body: BodyIndex) -> GroupIndex {
        self.label.get(body.get()).copied().unwrap_or(NO_GROUP)
    }

    pub(super) fn get(&self, group: GroupIndex) -> Option<&Group> {
        self.list.get(group.get()).filter(|g| g.in_use)
    }

    pub(super) fn count(&self) -> usize {
        self.list.len() - self.free.len()
    }

    pub(super) fn level(&self, body: BodyIndex) -> u32 {
        self.level.get(body.get()).copied().unwrap_or(NO_LEVEL)
    }

    pub(super) fn bodies_of(&self, group: GroupIndex) -> impl Iterator<Item = BodyIndex> + '_ {
        let record = self.get(group);
        let mut next = record.map_or(0, |g| g.first.0);
        (0..record.map_or(0, |g| g.body_count)).map(move |_| {
            let current = next;
            next = self.ring[current as usize];
            BodyIndex(current)
        })
    }

    /// Splits marked groups and renews their levels.
    pub(super) fn update(&mut self, edges: &[Edge], heads: &[EdgeEnd]) {
        let mut marked = std::mem::take(&mut self.marked);
        // Splitting pushes the parts behind; they need levels too.
        self.marked = Vec::new();
        marked.sort_unstable();
        let before = marked.len();
        for i in 0..before {
            let group = GroupIndex(marked[i]);
            let record = &mut self.list[group.get()];
            if record.in_use && std::mem::take(&mut record.lost_link) {
                self.split(group, edges, heads, &mut marked);
            }
        }
        for &group in &marked {
            let record = &mut self.list[group as usize];
            if std::mem::take(&mut record.stale_levels) && record.in_use {
                self.renew_levels(GroupIndex(group), edges, heads);
            }
        }
        marked.clear();
        self.marked = marked;
    }

    fn new_group(&mut self, first: BodyIndex, body_count: u32) -> GroupIndex {
        let record = Group {
            first,
            body_count,
            edge_count: 0,
            point_count: 0,
            lost_link: false,
            stale_levels: false,
            in_use: true,
        };
        if let Some(free) = self.free.pop() {
            // A freed group may still be marked; the fresh record's flags say what is to be done.
            self.list[free as usize] = record;
            return GroupIndex(free);
        }
        self.list.push(record);
        GroupIndex(self.list.len() as u32 - 1)
    }

    fn mark(&mut self, group: GroupIndex, lost_link: bool) {
        let record = &mut self.list[group.get()];
        if !record.lost_link && !record.stale_levels {
            self.marked.push(group.0);
        }
        record.lost_link |= lost_link;
        record.stale_levels = true;
    }

    /// Relabels the smaller group's members and joins the rings.
    fn merge(&mut self, keep: GroupIndex, give: GroupIndex) {
        let from = self.list[give.get()];
        let mut at = from.first.get();
        for _ in 0..from.body_count {
            self.label[at] = keep;
            at = self.ring[at] as usize;
        }
        let target = self.list[keep.get()].first;
        self.ring.swap(target.get(), from.first.get());
        self.list[give.get()].in_use = false;
        self.free.push(give.0);
        let into = &mut self.list[keep.get()];
        into.body_count += from.body_count;
        into.edge_count += from.edge_count;
        into.point_count += from.point_count;
        self.mark(keep, from.lost_link);
    }

    /// Searches the members of a group over linked internal edges; the first component keeps the group,
    /// the others get groups of their own.
    fn split(&mut self, group: GroupIndex, edges: &[Edge], heads: &[EdgeEnd], marked: &mut Vec<u32>) {
        self.members.clear();
        let mut at = self.list[group.get()].first.0;
        for _ in 0..self.list[group.get()].body_count {
            self.members.push(at);
            at = self.ring[at as usize];
        }
        // Members leave the group until a search finds them again.
        for &m in &self.members {
            self.label[m as usize] = NO_GROUP;
        }
        let mut is_first = true;
        for i in 0..self.members.len() {
            let seed = BodyIndex(self.members[i]);
            if self.label[seed.get()] != NO_GROUP {
                continue;
            }
            let target = if is_first { group } else { self.new_group(seed, 0) };
            is_first = false;
            let (mut body_count, mut ends, mut internal, mut point_count) = (0u32, 0u32, 0u32, 0u32);
            self.queue.clear();
            self.queue.push(seed.0);
            self.label[seed.get()] = target;
            let mut next = 0;
            while next < self.queue.len() {
                let body = self.queue[next];
                next += 1;
                body_count += 1;
                let mut end = heads[body as usize];
                while end != NONE {
                    let edge = &edges[end.edge().get()];
                    if edge.is_linked() {
                        ends += 1;
                        // An internal edge is met from both ends.
                        if !edge.is_internal || end.side() == 0 {
                            point_count += edge.manifold.points().len() as u32;
                        }
                        if edge.is_internal {
                            internal += 1;
                            let other = edge.body(1 - end.side());
                            if self.label[other.get()] == NO_GROUP {
                                self.label[other.get()] = target;
                                self.queue.push(other.0);
                            }
                        }
                    }
                    end = edge.next[end.side()];
                }
            }
            for (k, &body) in self.queue.iter().enumerate() {
                self.ring[body as usize] = self.queue[(k + 1) % self.queue.len()];
            }
            let record = &mut self.list[target.get()];
            (record.first, record.body_count) = (seed, body_count);
            record.edge_count = ends - internal / 2;
            record.point_count = point_count;
            record.lost_link = false;
            if target != group {
                record.stale_levels = true;
                marked.push(target.0);
            }
        }
    }

    /// Breadth-first search from the members that touch something fixed.
    fn renew_levels(&mut self, group: GroupIndex, edges: &[Edge], heads: &[EdgeEnd]) {
        self.queue.clear();
        let record = self.list[group.get()];
        let mut at = record.first.0;
        for _ in 0..record.body_count {
            let mut end = heads[at as usize];
            let mut is_supported = false;
            while end != NONE && !is_supported {
                let edge = &edges[end.edge().get()];
                is_supported = edge.is_linked() && !edge.is_internal;
                end = edge.next[end.side()];
            }
            self.level[at as usize] = if is_supported { 1 } else { NO_LEVEL };
            if is_supported {
                self.queue.push(at);
            }
            at = self.ring[at as usize];
        }
        let mut next = 0;
        while next < self.queue.len() {
            let body = self.queue[next];
            next += 1;
            let level = self.level[body as usize] + 1;
            let mut end = heads[body as usize];
            while end != NONE {
                let edge = &edges[end.edge().get()];
                if edge.is_linked() && edge.is_internal {
                    let other = edge.body(1 - end.side());
                    if self.level[other.get()] == NO_LEVEL {
                        self.level[other.get()] = level;
                        self.queue.push(other.0);
                    }
                }
                end = edge.next[end.side()];
            }
        }
    }
}
