//! Articulations among the bodies of a world: trees of links that are solved by the coordinates of their joints.
//!
//! In: joint constraints of the contact graph ([`drystone_contact::JointConstraint`]) that form a tree, and the bodies that they join. Out: an articulation
//! ([`drystone_articulation::Articulation`]) per tree, whose links are these bodies. The constraints stay in the graph, where they keep islands and sleep as they are and
//! say what limits and motors are; methods that take articulations leave them out of what they solve. Knows no shape. Start reading at
//! [`Articulations::add`]; what a step does with them is in `sub_step/articulated`.
//!
//! | file | what |
//! |---|---|
//! | `tree` | which joint constraints make a tree, which close loops |
//! | `freedom` | what a joint constraint is as a joint of a tree: kind, limits, friction, motor |
//! | `reduced` | one articulation with its bodies: what comes in before a step, what goes out after it |
//! | `reactions` | what its joints gave in a step |
//!
//! Invariants: an articulation that is refused changes nothing; between steps the bodies are where the joints say.

mod error;
mod freedom;
mod reactions;
mod reduced;
mod tree;

pub use error::ReducedError;
pub use reduced::Reduced;

use drystone_articulation::State;
use drystone_contact::{ArticulationHandle, Bodies, BodyIndex, ContactGraph, EdgeIndex, Slots};

/// What stands for no articulation.
const NONE: u32 = u32::MAX;

/// All articulations of a world.
#[derive(Debug, Default)]
pub struct Articulations {
    slots: Slots,
    pub(crate) list: Vec<Option<Box<Reduced>>>,
    /// The articulation of each body; [`NONE`] and shorter where there is none.
    of_body: Vec<u32>,
}

impl drystone_math::Carried for Articulations {
    fn copy_from(&mut self, source: &Self) {
        self.slots.copy_from(&source.slots);
        self.of_body.copy_from(&source.of_body);
        self.list.resize_with(source.list.len(), || None);
        for (own, other) in self.list.iter_mut().zip(&source.list) {
            let Some(other) = other else {
                *own = None;
                continue;
            };
            if !own.as_mut().is_some_and(|own| own.restore_state(other)) {
                *own = Some(other.clone());
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        let each = self.list.iter().flatten().map(|reduced| reduced.heap_bytes());
        self.slots.heap_bytes() + self.of_body.heap_bytes() + each.sum::<usize>()
    }
}

impl Articulations {
    /// Makes an articulation of joint constraints. Its links are moved onto the joints, which takes out what the constraints were off.
    ///
    /// # Errors
    /// What is wrong with the tree or a joint of it; nothing is changed.
    pub fn add(
        &mut self,
        edges: &[EdgeIndex],
        bodies: &mut Bodies,
        graph: &ContactGraph,
    ) -> Result<ArticulationHandle, ReducedError> {
        let reduced = tree::build(edges, bodies, graph, |body| self.of(body).is_some())?;
        let (index, generation) = self.slots.take().ok_or(ReducedError::Full)?;
        let mut reduced = Box::new(reduced);
        reduced.write(bodies);
        for link in reduced.links() {
            let body = link.body.get();
            self.of_body.resize(self.of_body.len().max(body + 1), NONE);
            self.of_body[body] = index;
        }
        self.list.resize_with(self.list.len().max(index as usize + 1), || None);
        self.list[index as usize] = Some(reduced);
        Ok(ArticulationHandle { index, generation })
    }

    /// Removes an articulation; its joints are constraints again, and its bodies stay as they are. Returns what it was.
    pub fn remove(&mut self, handle: ArticulationHandle) -> Option<Box<Reduced>> {
        if !self.slots.release(handle.index, handle.generation) {
            return None;
        }
        self.of_body.iter_mut().filter(|of| **of == handle.index).for_each(|of| *of = NONE);
        self.list.get_mut(handle.index as usize).and_then(Option::take)
    }

    /// An articulation; `None` for a stale handle.
    pub fn get(&self, handle: ArticulationHandle) -> Option<&Reduced> {
        let is_alive = self.slots.is_alive(handle.index, handle.generation);
        self.list.get(handle.index as usize).filter(|_| is_alive)?.as_deref()
    }

    /// Puts an articulation into a state of its model, and its bodies where that has them; false for a stale handle.
    ///
    /// # Errors
    /// A state of another model, or one that is not finite; nothing is changed.
    pub fn set_state(
        &mut self,
        handle: ArticulationHandle,
        state: &State,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
    ) -> Result<bool, ReducedError> {
        let Some(reduced) = self.get_mut(handle) else { return Ok(false) };
        reduced.set_state(state)?;
        reduced.write(bodies);
        reduced.write_turns(graph);
        Ok(true)
    }

    /// Sets the inertia of the rotor (kg m² or kg) and the damping (N m s/rad or N s/m) of a joint of an articulation; false where it has no such joint.
    ///
    /// # Errors
    /// A value that is out of range; nothing is changed.
    pub fn set_rotor(
        &mut self,
        handle: ArticulationHandle,
        edge: EdgeIndex,
        [armature, damping]: [f64; 2],
    ) -> Result<bool, ReducedError> {
        self.get_mut(handle).map_or(Ok(false), |reduced| reduced.set_rotor(edge, [armature, damping]))
    }

    /// All articulations, by slot.
    pub fn iter(&self) -> impl Iterator<Item = (ArticulationHandle, &Reduced)> + '_ {
        self.slots.iter().filter_map(|(index, generation)| {
            let reduced = self.list.get(index as usize)?.as_deref()?;
            Some((ArticulationHandle { index, generation }, reduced))
        })
    }

    /// Number of articulations.
    pub fn count(&self) -> usize {
        self.slots.count()
    }

    /// The articulation that a body is a link of.
    #[inline]
    pub fn of(&self, body: BodyIndex) -> Option<ArticulationHandle> {
        let index = self.slot_of(body)?;
        self.slots.generation(index).map(|generation| ArticulationHandle { index, generation })
    }

    /// The slot of the articulation that a body is a link of.
    #[inline]
    pub fn slot_of(&self, body: BodyIndex) -> Option<u32> {
        self.of_body.get(body.get()).copied().filter(|&index| index != NONE)
    }

    /// The articulation that stands on a body that cannot move.
    pub fn on_base(&self, base: BodyIndex) -> Option<ArticulationHandle> {
        self.iter().find(|(_, reduced)| reduced.bases().contains(&base)).map(|(handle, _)| handle)
    }

    /// The articulation that a joint constraint belongs to.
    pub fn of_edge(&self, edge: EdgeIndex) -> Option<ArticulationHandle> {
        self.iter().find(|(_, reduced)| reduced.edges().any(|own| own == edge)).map(|(handle, _)| handle)
    }

    /// Takes the inverse masses of all links away, so that a stage takes them for what cannot move; [`Articulations::give_back_masses`].
    pub fn lend_masses(&self, bodies: &mut Bodies) {
        let hot = bodies.view_mut().hot;
        for link in self.list.iter().flatten().flat_map(|reduced| reduced.links()) {
            hot[link.body.get()].inverse_mass = 0.0;
        }
    }

    /// See [`Articulations::lend_masses`].
    pub fn give_back_masses(&self, bodies: &mut Bodies) {
        let hot = bodies.view_mut().hot;
        for link in self.list.iter().flatten().flat_map(|reduced| reduced.links()) {
            hot[link.body.get()].inverse_mass = link.inverse_mass;
        }
    }

    /// After a step: the articulation of this slot goes a share (0 to 1) of its way in the step alone, because something is in its way. Its bodies keep its velocities.
    pub fn move_back(&mut self, slot: u32, share: f64, bodies: &mut Bodies, graph: &mut ContactGraph) {
        if let Some(reduced) = self.list.get_mut(slot as usize).and_then(Option::as_deref_mut) {
            reduced.move_back(share, bodies);
            reduced.write_turns(graph);
        }
    }

    /// After bodies were put to sleep: articulations of which all links sleep stand still.
    pub fn follow_sleep(&mut self, bodies: &Bodies) {
        for reduced in self.list.iter_mut().flatten() {
            if reduced.bodies().all(|body| bodies.is_asleep(body)) {
                reduced.is_broken |= reduced.take_velocities(bodies).is_err();
            }
        }
    }

    fn get_mut(&mut self, handle: ArticulationHandle) -> Option<&mut Reduced> {
        let is_alive = self.slots.is_alive(handle.index, handle.generation);
        self.list.get_mut(handle.index as usize).filter(|_| is_alive)?.as_deref_mut()
    }
}
