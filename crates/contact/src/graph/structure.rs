//! What users make of bodies changes the graph: composites take over the edges of their members (S3, edges R–C), the links of a
//! multibody are one island whether they touch or not (edges L–M).

use super::{ContactGraph, Edge, EdgeIndex};
use crate::{Bodies, BodyIndex};
use drystone_math::{Vector3, narrow};

impl ContactGraph {
    /// Hands those edges of `from` for which `is_carried` holds over to `to`, which moves their colliders from now on: touches,
    /// impulses and memory of the edges stay, arms are counted from the centre of mass of `to`. `carried` is called for each. The other
    /// body of such an edge must not be `to`. O(edges of `from`).
    pub fn carry_edges(
        &mut self,
        bodies: &Bodies,
        [from, to]: [BodyIndex; 2],
        is_carried: impl Fn(&Edge) -> bool,
        mut carried: impl FnMut(EdgeIndex),
    ) {
        let way = narrow(&(bodies.center_pose(from).translation - bodies.center_pose(to).translation));
        let list: Vec<EdgeIndex> =
            self.edges_of(from).filter(|&index| is_carried(&self.edges[index.get()])).collect();
        // The newest is handed over last, so that lists keep their order.
        for &index in list.iter().rev() {
            let side = usize::from(self.edges[index.get()].manifold.body_a != from);
            debug_assert!(self.edges[index.get()].other(from) != to, "an edge needs two bodies");
            self.carry(index, side, to);
            self.shift_side(index, side, &way);
            carried(index);
        }
        self.edge_changes += u64::from(!list.is_empty());
        self.changed.insert(from.0);
        self.changed.insert(to.0);
    }

    /// The centre of mass of a body was displaced by `way` (m, world) within the body: arms are counted from there.
    pub fn shift_center(&mut self, body: BodyIndex, way: &Vector3) {
        let list: Vec<EdgeIndex> = self.edges_of(body).collect();
        for index in list {
            let side = usize::from(self.edges[index.get()].manifold.body_a != body);
            self.shift_side(index, side, &-way);
        }
    }

    /// Makes bodies the links of a multibody: they are one island from now on. None of them may be such a link.
    pub fn join(&mut self, links: &[BodyIndex]) {
        self.islands.join(links);
        self.link_changes += 1;
    }

    /// Takes a body out of its multibody: islands follow with [`ContactGraph::update_islands`].
    pub fn part(&mut self, link: BodyIndex) {
        self.islands.part(link);
        self.link_changes += 1;
    }

    /// Gives an end of an edge to another body; islands, lists and manifold follow.
    fn carry(&mut self, index: EdgeIndex, side: usize, to: BodyIndex) {
        let link = self.links[index.get()];
        let [a, b] = link.bodies;
        if link.point_count > 0 {
            self.islands.count_points(a, b, link.point_count, 0);
            self.islands.unlink(a, b, link.is_internal);
            self.link_changes += 1;
        }
        self.detach(index, side);
        self.links[index.get()].bodies[side] = to;
        let manifold = &mut self.edges[index.get()].manifold;
        *(if side == 0 { &mut manifold.body_a } else { &mut manifold.body_b }) = to;
        self.attach(index, side);
        if link.point_count > 0 {
            let [a, b] = self.links[index.get()].bodies;
            self.islands.link(a, b, link.is_internal);
            self.islands.count_points(a, b, 0, link.point_count);
            self.changed.insert(a.0);
            self.changed.insert(b.0);
        }
    }

    /// Adds `way` (m, world) to the arms of one side.
    fn shift_side(&mut self, index: EdgeIndex, side: usize, way: &Vector3) {
        for point in self.edges[index.get()].manifold.points_mut() {
            *(if side == 0 { &mut point.arm_a } else { &mut point.arm_b }) += way;
        }
    }
}
