//! Joints in the graph: edges that are linked whatever touches (S3-02, L-L), so that groups, levels, batches and sleep know them.

use super::edge::Role;
use super::{ContactGraph, Edge, EdgeIndex};
use crate::error::ContactError;
use crate::{Bodies, ColliderHandle, Manifold, PairMaterial, Tie};

/// Ties by place; the edge of a tie knows its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Ties {
    list: Vec<Tie>,
    /// The edge of each.
    edges: Vec<EdgeIndex>,
    free: Vec<u32>,
}

drystone_math::carried!(Ties { part: [list, edges, free] });

impl ContactGraph {
    /// Adds the edge of a joint. It is linked from now on until it is removed ([`ContactGraph::remove_edge`]), and counts as one contact
    /// point of its group. Groups follow with [`ContactGraph::update_groups`].
    ///
    /// # Errors
    /// A tie that is refused ([`Tie::validate`]), one of a body with itself or between what cannot move
    /// ([`ContactError::NothingToTie`]); [`ContactError::Full`] when the index width is exhausted.
    pub fn add_tie(&mut self, bodies: &Bodies, tie: Tie) -> Result<EdgeIndex, ContactError> {
        tie.validate()?;
        let movable = tie.bodies.map(|body| bodies.hot(body).is_dynamic());
        if tie.bodies[0] == tie.bodies[1] || movable == [false; 2] {
            return Err(ContactError::NothingToTie(tie.bodies.map(|body| bodies.handle(body))));
        }
        let place = if let Some(place) = self.ties.free.pop() {
            self.ties.list[place as usize] = tie;
            place
        } else {
            self.ties.list.push(tie);
            self.ties.edges.push(EdgeIndex::default());
            // Room for all of them to be removed, whenever that is.
            self.ties.free.reserve(self.ties.list.capacity() - self.ties.free.len());
            self.ties.list.len() as u32 - 1
        };
        let manifold = Manifold::new(tie.bodies[0], tie.bodies[1], PairMaterial::default());
        let colliders = [ColliderHandle { index: place, generation: 0 }; 2];
        let mut edge = Edge::new(colliders, tie.bodies, manifold, movable == [true; 2]);
        edge.role = Role::Tie;
        let index = match self.put(edge) {
            Ok(index) => index,
            Err(error) => {
                self.ties.free.push(place);
                return Err(error);
            }
        };
        self.ties.edges[place as usize] = index;
        self.relink(bodies, index);
        Ok(index)
    }

    /// The tie of an edge; `None` for contacts.
    #[inline]
    pub fn tie(&self, index: EdgeIndex) -> Option<&Tie> {
        let edge = self.edges.get(index.get())?;
        if edge.is_in_use() && edge.is_tie() {
            self.ties.list.get(edge.colliders[0].index as usize)
        } else {
            None
        }
    }

    /// The tie of an edge, for methods to write what they gave, and to change what it asks for. Its bodies must stay.
    #[inline]
    pub fn tie_mut(&mut self, index: EdgeIndex) -> Option<&mut Tie> {
        let edge = self.edges.get(index.get())?;
        let place = edge.colliders[0].index as usize;
        if edge.is_in_use() && edge.is_tie() { self.ties.list.get_mut(place) } else { None }
    }

    /// Number of ties.
    #[inline]
    pub fn tie_count(&self) -> usize {
        self.ties.list.len() - self.ties.free.len()
    }

    /// Frees the place of a tie; its edge stops to be one.
    pub(super) fn untie(&mut self, index: EdgeIndex) {
        let edge = &mut self.edges[index.get()];
        edge.role = Role::Further;
        self.ties.free.push(edge.colliders[0].index);
    }
}
