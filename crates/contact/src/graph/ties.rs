//! Joints in the graph: edges that are linked whatever touches (S3-02, L-L), so that islands, levels, batches and sleep know them.

use super::edge::{NONE, Role, list_from};
use super::{ContactGraph, Edge, EdgeIndex};
use crate::error::ContactError;
use crate::{
    ActiveAxes, Bodies, BodyIndex, ColliderHandle, ConstraintAxis, JointConstraint, Manifold, PairMaterial,
    TIE_AXES,
};

/// Ties by place; the edge of a tie knows its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Ties {
    list: Vec<JointConstraint>,
    /// What each holds ([`JointConstraint::holds`]): a tie is half a kilobyte, and who lays ties out asks for no more of them.
    holds: Vec<ActiveAxes>,
    /// The edge of each.
    edges: Vec<EdgeIndex>,
    free: Vec<u32>,
    /// How many of them couple coordinates.
    couplings: usize,
}

drystone_math::carried!(Ties { part: [list, holds, edges, free], value: [couplings] });

impl ContactGraph {
    /// Adds the edge of a joint. It is linked from now on until it is removed ([`ContactGraph::remove_edge`]), and counts as one contact
    /// point of its island. Islands follow with [`ContactGraph::update_islands`].
    ///
    /// # Errors
    /// A tie that is refused ([`JointConstraint::validate`]), one of a body with itself or between what cannot move
    /// ([`ContactError::NothingToTie`]); [`ContactError::Full`] when the index width is exhausted.
    pub fn add_tie(&mut self, bodies: &Bodies, tie: JointConstraint) -> Result<EdgeIndex, ContactError> {
        tie.validate()?;
        let movable = tie.bodies.map(|body| bodies.hot(body).is_dynamic());
        if tie.bodies[0] == tie.bodies[1] || movable == [false; 2] {
            return Err(ContactError::NothingToTie(tie.bodies.map(|body| bodies.handle(body))));
        }
        let place = if let Some(place) = self.ties.free.pop() {
            self.ties.list[place as usize] = tie;
            self.ties.holds[place as usize] = tie.holds();
            place
        } else {
            self.ties.list.push(tie);
            self.ties.holds.push(tie.holds());
            self.ties.edges.push(EdgeIndex::default());
            // Room for all of them to be removed, whenever that is.
            self.ties.free.reserve(self.ties.list.capacity() - self.ties.free.len());
            self.ties.list.len() as u32 - 1
        };
        let manifold = Manifold::new(tie.bodies[0], tie.bodies[1], PairMaterial::default());
        let colliders = [ColliderHandle { index: place, generation: 0 }; 2];
        let mut edge = Edge::new(colliders, tie.bodies, manifold, movable == [true; 2]);
        edge.role = Role::JointConstraint;
        let index = match self.put(edge) {
            Ok(index) => index,
            Err(error) => {
                self.ties.free.push(place);
                return Err(error);
            }
        };
        self.ties.edges[place as usize] = index;
        self.ties.couplings += usize::from(tie.coupling.is_some());
        self.relink(bodies, index);
        Ok(index)
    }

    /// The tie of an edge; `None` for contacts.
    #[inline]
    pub fn tie(&self, index: EdgeIndex) -> Option<&JointConstraint> {
        self.ties.list.get(self.tie_place(index)? as usize)
    }

    /// Changes the tie of an edge, and gives what `change` gives; `None` for contacts. Its bodies must stay, and whether it couples anything.
    pub fn change_tie<T>(
        &mut self,
        index: EdgeIndex,
        change: impl FnOnce(&mut JointConstraint) -> T,
    ) -> Option<T> {
        let place = self.tie_place(index)? as usize;
        let tie = self.ties.list.get_mut(place)?;
        let given = change(tie);
        self.ties.holds[place] = tie.holds();
        Some(given)
    }

    /// Changes the ties of a body ([`ContactGraph::change_tie`]). O(linked edges of the body).
    pub fn change_ties_of(&mut self, body: BodyIndex, mut change: impl FnMut(&mut JointConstraint)) {
        let first = self.heads.get(body.get()).map_or(NONE, |heads| heads.linked);
        for end in list_from(&self.links, first) {
            let edge = &self.edges[end.edge().get()];
            if edge.is_tie() {
                let place = edge.colliders[0].index as usize;
                change(&mut self.ties.list[place]);
                self.ties.holds[place] = self.ties.list[place].holds();
            }
        }
    }

    /// Where the tie of an edge is among [`ContactGraph::ties`]; `None` for contacts.
    #[inline]
    pub fn tie_place(&self, index: EdgeIndex) -> Option<u32> {
        let edge = self.edges.get(index.get())?;
        (edge.is_in_use() && edge.is_tie()).then_some(edge.colliders[0].index)
    }

    /// All ties by their places, also such as are no more.
    #[inline]
    pub fn ties(&self) -> &[JointConstraint] {
        &self.ties.list
    }

    /// What the ties hold, by their places.
    #[inline]
    pub fn tie_holds(&self) -> &[ActiveAxes] {
        &self.ties.holds
    }

    /// The ties by their places, for methods to write what they gave; all else of them is changed by [`ContactGraph::change_tie`].
    #[inline]
    pub fn ties_mut(&mut self) -> &mut [JointConstraint] {
        &mut self.ties.list
    }

    /// Number of ties that couple coordinates ([`crate::TieCoupling`]).
    #[inline]
    pub fn coupling_count(&self) -> usize {
        self.ties.couplings
    }

    /// Number of ties.
    #[inline]
    pub fn tie_count(&self) -> usize {
        self.ties.list.len() - self.ties.free.len()
    }

    /// Frees the place of a tie; its edge stops to be one.
    pub(super) fn untie(&mut self, index: EdgeIndex) {
        let edge = &mut self.edges[index.get()];
        edge.role = Role::Untied;
        let place = edge.colliders[0].index;
        // Who looks at all ties finds nothing there.
        let tie = &mut self.ties.list[place as usize];
        tie.axes = [ConstraintAxis::FREE; TIE_AXES];
        self.ties.couplings -= usize::from(tie.coupling.take().is_some());
        self.ties.free.push(place);
    }
}
