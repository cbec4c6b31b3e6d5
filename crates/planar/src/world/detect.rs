//! Detection: boxes, pairs, manifolds. Each is a stage over parts; a part is a worker's share of the quad-tree when that is
//! cut, a run of bodies otherwise. What is found is put in order afterwards, so it does not depend on the parts.

use super::PlanarWorld;
use crate::PlanarConfig;
use crate::bodies::{Bodies, Colliders};
use crate::contacts::{Contact, Contacts, Seen, State};
use crate::frame::{Box2, cross, offset};
use crate::narrow::{Manifold, Placement, collide, gap_along};
use crate::shape::Core;
use drystone_exec::{Exec, Shared, items_mut};
use drystone_math::{BitSet, Real};

/// Colliders and contacts of a part, where the tree is not cut.
const PART: usize = 256;
/// Steps of motion that a box is stretched by.
const STRETCH: f64 = 4.0;

/// Motion, as a share of the smaller shape's width, up to which a manifold is carried along.
const COHERENT: Real = 1e-3;

/// What became of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It has points now.
    Link,
    /// It has none any more.
    Unlink,
    /// The boxes do not overlap any more.
    End,
}

/// One part of the work.
#[derive(Clone, Debug, Default)]
struct Part {
    colliders: Vec<u32>,
    refits: Vec<(u32, Box2)>,
    moved: Vec<u32>,
    found: Vec<[u32; 2]>,
    contacts: Vec<u32>,
    changes: Vec<(u32, Change)>,
}

/// Memory of the detection.
#[derive(Clone, Debug, Default)]
pub(super) struct Detection {
    parts: Vec<Part>,
    /// Colliders whose box moved in this step.
    moved: BitSet,
    /// Of those the box before.
    before: Vec<Box2>,
    pairs: Vec<[u32; 2]>,
    pub(super) changes: Vec<(u32, Change)>,
}

/// What boxes and margins depend on.
#[derive(Clone, Copy)]
struct Rule {
    dt: Real,
    /// Gap at which contacts are made, m, besides the motion of a step.
    margin: Real,
    box_margin: Real,
}

impl Rule {
    fn new(config: &PlanarConfig, dt: Real) -> Self {
        let margin = config.contact_margin * config.reference_acceleration * dt * dt;
        Self { dt, margin, box_margin: config.box_margin }
    }
}

impl PlanarWorld {
    /// Boxes of what moved or was changed from outside.
    pub(super) fn update_boxes(&mut self, dt: Real, exec: &Exec) {
        let rule = Rule::new(&self.config, dt);
        let Self { partition, tree, bodies, colliders, .. } = self;
        partition.begin_step(tree, |collider| bodies.is_awake(colliders.get(collider).body));
        self.bodies.update_list();
        self.disturbed.sort_unstable();
        self.disturbed.dedup();
        self.deal_colliders();
        let Self { detection, bodies, colliders, boxes, .. } = self;
        let (bodies, colliders, boxes) = (&*bodies, &*colliders, &*boxes);
        exec.for_each_dynamic(items_mut(&mut detection.parts), |_, part| {
            part.refits.clear();
            for &collider in &part.colliders {
                if let Some(fat) = refit(bodies, colliders, boxes, collider, &rule) {
                    part.refits.push((collider, fat));
                }
            }
        });
        self.apply_refits();
    }

    /// Deals the colliders of awake and disturbed bodies out to parts.
    fn deal_colliders(&mut self) {
        let Self { detection, bodies, colliders, tree, partition, boxes, .. } = self;
        let is_cut = partition.is_cut();
        let mut count = if is_cut { usize::from(partition.master()) + 1 } else { 1 };
        detection.reset(count);
        let calm = |b: &&u32| !bodies.is_awake(**b);
        for &body in bodies.list.iter().chain(self.disturbed.iter().filter(calm)) {
            for collider in colliders.of(bodies.facts[body as usize].first_collider) {
                let to = if !is_cut {
                    if detection.parts[count - 1].colliders.len() >= PART {
                        count += 1;
                        detection.reset_part(count - 1);
                    }
                    count - 1
                } else if boxes[collider as usize] == Box2::EMPTY {
                    // Not in the tree yet.
                    usize::from(partition.master())
                } else {
                    usize::from(tree.owner(collider))
                };
                detection.parts[to].colliders.push(collider);
            }
        }
        detection.idle_from(count);
        if is_cut {
            for (load, part) in partition.report.loads.iter_mut().zip(&detection.parts) {
                *load = part.colliders.len() as u32;
            }
        }
    }

    /// The tree follows the boxes; who moved is noted.
    fn apply_refits(&mut self) {
        let Self { detection, tree, partition, boxes, report, .. } = self;
        detection.moved.clear();
        detection.moved.resize(boxes.len() as u32);
        detection.before.resize(boxes.len(), Box2::EMPTY);
        for part in &mut detection.parts {
            part.moved.clear();
            for &(collider, fat) in &part.refits {
                let own = &mut boxes[collider as usize];
                if *own == Box2::EMPTY {
                    tree.insert(collider, &fat);
                    report.reinserted += 1;
                } else {
                    let before = tree.owner(collider);
                    report.reinserted += u32::from(tree.set(collider, &fat));
                    partition.report.migrations +=
                        u32::from(partition.is_cut() && tree.owner(collider) != before);
                }
                detection.before[collider as usize] = std::mem::replace(own, fat);
                detection.moved.insert(collider);
                part.moved.push(collider);
                report.moved_boxes += 1;
            }
        }
        if report.moved_boxes > 0 {
            tree.tighten();
        }
        report.tree = tree.report();
    }

    /// Begins contacts of pairs whose boxes begin to overlap, in ascending order.
    pub(super) fn find_pairs(&mut self, exec: &Exec) {
        let Self { detection, bodies, colliders, boxes, tree, contacts, .. } = self;
        let Detection { parts, moved, before, .. } = detection;
        let (bodies, colliders, boxes, tree, moved) = (&*bodies, &*colliders, &*boxes, &*tree, &*moved);
        let before = &*before;
        let known = &*contacts;
        exec.for_each_dynamic(items_mut(parts), |_, part| {
            part.found.clear();
            for &collider in &part.moved {
                let own = colliders.get(collider);
                let is_dynamic = bodies.is_dynamic(own.body);
                let was = &before[collider as usize];
                tree.search(&boxes[collider as usize], |other| {
                    let has_moved = moved.contains(other);
                    // Of two that moved, the smaller one finds the pair.
                    if other == collider || (other < collider && has_moved) {
                        return;
                    }
                    // A pair whose boxes overlapped before was found then.
                    let other_was = if has_moved { before } else { boxes };
                    if was.overlaps(&other_was[other as usize]) {
                        return;
                    }
                    let second = colliders.get(other);
                    let meets = own.member_of & second.meets != 0 && second.member_of & own.meets != 0;
                    let may_move = is_dynamic || bodies.is_dynamic(second.body);
                    let pair = [collider.min(other), collider.max(other)];
                    if own.body != second.body && meets && may_move && !known.is_known(pair) {
                        part.found.push(pair);
                    }
                });
            }
        });
        let pairs = &mut self.detection.pairs;
        pairs.clear();
        for part in &mut self.detection.parts {
            pairs.append(&mut part.found);
        }
        pairs.sort_unstable();
        for i in 0..self.detection.pairs.len() {
            let has_begun = self.begin_contact(self.detection.pairs[i]);
            self.report.begun += u32::from(has_begun);
        }
    }

    /// Begins a contact; false for one that must not be.
    fn begin_contact(&mut self, pair: [u32; 2]) -> bool {
        let [a, b] = pair.map(|c| self.colliders.get(c));
        let ends = [a.body, b.body];
        // Bodies in quarantine meet nobody.
        if ends.iter().any(|&body| self.bodies.facts[body as usize].is_quarantined) {
            return false;
        }
        let material = self.materials.pair(a.material, b.material);
        let is_round = a.core.corners.len() == 1 || b.core.corners.len() == 1;
        let drive = a.surface_speed + b.surface_speed;
        self.contacts.begin(&mut self.bodies, pair, ends, material, drive, is_round);
        true
    }

    /// Manifolds of all contacts with something awake.
    pub(super) fn update_manifolds(&mut self, dt: Real, exec: &Exec) {
        let rule = Rule::new(&self.config, dt);
        self.deal_contacts();
        let Self { detection, bodies, colliders, boxes, contacts, .. } = self;
        let (bodies, colliders, boxes) = (&*bodies, &*colliders, &*boxes);
        let list = Shared::new(&mut contacts.list);
        exec.for_each_dynamic(items_mut(&mut detection.parts), |_, part| {
            part.changes.clear();
            for &index in &part.contacts {
                // SAFETY: each contact is dealt to one part.
                #[expect(unsafe_code, reason = "changes disjoint contacts of one array")]
                let contact = unsafe { list.get_mut(index) };
                if let Some(change) = update(contact, bodies, colliders, boxes, &rule) {
                    part.changes.push((index, change));
                }
            }
        });
        let changes = &mut detection.changes;
        changes.clear();
        for part in &mut detection.parts {
            changes.append(&mut part.changes);
        }
        changes.sort_unstable_by_key(|&(index, _)| index);
    }

    /// Deals the contacts to be looked at out to parts.
    fn deal_contacts(&mut self) {
        let Self { detection, contacts, tree, partition, report, .. } = self;
        let is_cut = partition.is_cut();
        let mut count = if is_cut { usize::from(partition.master()) + 1 } else { 1 };
        detection.reset(count);
        let Contacts { list, state, .. } = contacts;
        for (index, _) in state.iter().enumerate().filter(|(_, s)| **s == State::Awake) {
            let to = if is_cut {
                usize::from(partition.owner_of_pair(tree, list[index].colliders))
            } else {
                if detection.parts[count - 1].contacts.len() >= PART {
                    count += 1;
                    detection.reset_part(count - 1);
                }
                count - 1
            };
            detection.parts[to].contacts.push(index as u32);
        }
        detection.idle_from(count);
        report.examined_pairs = detection.parts.iter().map(|p| p.contacts.len() as u32).sum();
        if is_cut {
            for (pairs, part) in partition.report.pairs.iter_mut().zip(&detection.parts) {
                *pairs = part.contacts.len() as u32;
            }
        }
    }
}

impl Detection {
    /// Empties the first `count` parts.
    fn reset(&mut self, count: usize) {
        (0..count).for_each(|k| self.reset_part(k));
    }

    fn reset_part(&mut self, k: usize) {
        if self.parts.len() <= k {
            self.parts.resize_with(k + 1, Part::default);
        }
        self.parts[k].colliders.clear();
        self.parts[k].contacts.clear();
    }

    /// Parts from `count` on are not needed: they do nothing, and keep their memory.
    fn idle_from(&mut self, count: usize) {
        (count..self.parts.len()).for_each(|k| self.reset_part(k));
    }
}

/// A new box for a collider whose motion of this step leaves the old one.
#[inline]
fn refit(bodies: &Bodies, colliders: &Colliders, boxes: &[Box2], index: u32, rule: &Rule) -> Option<Box2> {
    let collider = colliders.get(index);
    let (row, pose) = (&bodies.rows[collider.body as usize], &bodies.pose[collider.body as usize]);
    let core = &collider.core;
    let spin =
        if core.corners.len() == 1 && core.reach == core.radius { 0.0 } else { row[2].abs() * core.reach };
    let tight = core.bounds(pose);
    let (dx, dy) = (f64::from(row[0] * rule.dt), f64::from(row[1] * rule.dt));
    // The margin is room for what gravity does, mostly.
    let pulled = (bodies.pull[collider.body as usize] - 0.5 * rule.margin).max(0.0);
    let near = tight.grown(f64::from(0.5 * rule.margin + spin * rule.dt + pulled));
    let needed = stretched(&near, dx, dy);
    if boxes[index as usize].contains(&needed) {
        return None;
    }
    let room = f64::from(rule.box_margin * core.extent.min(2.0 * core.reach));
    Some(stretched(&near, STRETCH * dx, STRETCH * dy).grown(room))
}

/// A box that also holds itself moved.
#[inline]
fn stretched(own: &Box2, dx: f64, dy: f64) -> Box2 {
    let mut out = *own;
    out.min.x += dx.min(0.0);
    out.min.y += dy.min(0.0);
    out.max.x += dx.max(0.0);
    out.max.y += dy.max(0.0);
    out
}

/// A new manifold for a contact; the same features keep their impulses.
#[inline]
fn update(
    contact: &mut Contact,
    bodies: &Bodies,
    colliders: &Colliders,
    boxes: &[Box2],
    rule: &Rule,
) -> Option<Change> {
    let [a, b] = contact.colliders;
    if !boxes[a as usize].overlaps(&boxes[b as usize]) {
        return Some(Change::End);
    }
    let [a, b] = [colliders.get(a), colliders.get(b)];
    let (pa, pb) = (&bodies.pose[a.body as usize], &bodies.pose[b.body as usize]);
    let (va, vb) = (&bodies.rows[a.body as usize], &bodies.rows[b.body as usize]);
    let offset = offset(&pa.translation, &pb.translation);
    // What may close within the step.
    let (x, y) = (vb[0] - va[0], vb[1] - va[1]);
    let closing = (x * x + y * y).sqrt() + va[2].abs() * a.core.reach + vb[2].abs() * b.core.reach;
    let pulled = bodies.pull[a.body as usize] + bodies.pull[b.body as usize];
    let margin = rule.margin + closing * rule.dt + (pulled - rule.margin).max(0.0);
    let reach = a.core.reach + b.core.reach + margin;
    let is_far = offset.norm_squared() > reach * reach;
    if is_far && !contact.is_linked {
        return None;
    }
    let place = Placement { offset, turn_a: pa.turn, turn_b: pb.turn };
    if is_carried(contact, [&a.core, &b.core], &place, [margin, rule.margin]) {
        return None;
    }
    let manifold = if is_far { Manifold::default() } else { collide(&a.core, &b.core, &place, margin) };
    take_impulses(contact, &manifold);
    contact.manifold = manifold;
    contact.seen = Some(Seen { place, gaps: manifold.points.map(|p| p.distance) });
    let is_linked = manifold.count > 0;
    match (contact.is_linked, is_linked) {
        (false, true) => Some(Change::Link),
        (true, false) => Some(Change::Unlink),
        _ => None,
    }
}

/// True when the bodies have hardly moved since the manifold was made: its gaps follow to first order, with an error of the
/// square of the motion over the shape's size; of shapes that were apart by more than they moved nothing is needed. Margins: that
/// of this step, and the least that any step has.
#[inline(always)]
fn is_carried(
    contact: &mut Contact,
    cores: [&Core; 2],
    place: &Placement,
    [margin, least_margin]: [Real; 2],
) -> bool {
    let Some(seen) = &contact.seen else { return false };
    let manifold = &mut contact.manifold;
    let shift = place.offset - seen.place.offset;
    let [da, db] = [seen.place.turn_a.relative(&place.turn_a), seen.place.turn_b.relative(&place.turn_b)];
    let moved = shift.norm() + da.sin.abs() * cores[0].reach + db.sin.abs() * cores[1].reach;
    if manifold.count == 0 {
        // The sine is less than the angle by less than a third of it here.
        if da.cos.min(db.cos) >= 0.5 && 1.5 * moved + margin < manifold.clearance {
            return true;
        }
        return is_still_apart(contact, cores, place, margin);
    }
    if da.cos.min(db.cos) < 0.5 {
        return false;
    }
    let width = cores[0].extent.min(cores[1].extent).max(cores[0].radius.min(cores[1].radius));
    if moved > COHERENT * width {
        return false;
    }
    // A second point was farther away than the margin: of what is large it could have come in meanwhile.
    let may_have_more = manifold.count == 1 && !contact.is_round;
    if may_have_more && moved > least_margin {
        return false;
    }
    let n = manifold.normal;
    let mut is_near = true;
    for (point, gap) in manifold.points.iter_mut().zip(seen.gaps).take(usize::from(manifold.count)) {
        let turned = db.sin * cross(&point.arm_b, &n) - da.sin * cross(&point.arm_a, &n);
        point.distance = gap + n.dot(&shift) + turned;
        is_near &= point.distance <= margin;
    }
    is_near
}

/// True when the edge that told two shapes apart still does.
#[inline(never)]
fn is_still_apart(contact: &mut Contact, cores: [&Core; 2], place: &Placement, margin: Real) -> bool {
    let (Some(axis), Some(seen)) = (contact.manifold.axis, &mut contact.seen) else { return false };
    let gap = gap_along(axis, cores[0], cores[1], place);
    if gap <= margin {
        return false;
    }
    (contact.manifold.clearance, seen.place) = (gap, *place);
    true
}

/// Impulses of points with the same features stay.
#[inline]
fn take_impulses(contact: &mut Contact, new: &Manifold) {
    let old = &contact.manifold;
    let mut impulse = [0.0; 2];
    for (i, point) in new.points().iter().enumerate() {
        if let Some(k) = old.points().iter().position(|p| p.feature == point.feature) {
            impulse[i] = contact.normal_impulse[k];
        }
    }
    contact.normal_impulse = impulse;
    if impulse == [0.0; 2] {
        contact.friction_impulse = 0.0;
        contact.rolling_impulse = 0.0;
    }
}
