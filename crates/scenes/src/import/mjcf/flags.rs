//! `flag`: what of the simulation is switched off.

use crate::import::filter::Filter;
use crate::import::rig::{How, Rig};
use crate::model::MotorSpec;
use roxmltree::Node;

/// What is off; the last flag that says something counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    gravity: bool,
    contact: bool,
    /// Contacts, limits, dry friction and what equalities hold, all at once.
    constraint: bool,
    limit: bool,
    frictionloss: bool,
    equality: bool,
    spring: bool,
    damper: bool,
    /// Parents and children meet.
    filterparent: bool,
}

impl Flags {
    /// Takes what an element says.
    pub(super) fn read(&mut self, node: Node<'_, '_>) {
        let off = |name: &str, was: bool| node.attribute(name).map_or(was, |text| text == "disable");
        let passive = off("passive", false);
        *self = Self {
            gravity: off("gravity", self.gravity),
            contact: off("contact", self.contact),
            constraint: off("constraint", self.constraint),
            limit: off("limit", self.limit),
            frictionloss: off("frictionloss", self.frictionloss),
            equality: off("equality", self.equality),
            spring: off("spring", self.spring) || passive,
            damper: off("damper", self.damper) || passive,
            filterparent: off("filterparent", self.filterparent),
        };
    }

    /// Switches off in a robot what is off.
    pub(super) fn apply(self, rig: &mut Rig) {
        if self.gravity {
            rig.gravity = [0.0; 3];
        }
        if self.contact || self.constraint {
            let none = Filter { is: 0, asks: 0 };
            rig.links.iter_mut().flat_map(|link| &mut link.filters).for_each(|filter| *filter = none);
            rig.fixtures.iter_mut().for_each(|(_, filter)| *filter = none);
        }
        if self.equality || self.constraint {
            let before = rig.holds.len();
            rig.holds.retain(|hold| !matches!(hold.how, How::Joint(_)));
            let dofs = rig.holds.iter_mut().filter_map(|hold| match &mut hold.how {
                How::Chain { dofs, .. } => Some(dofs),
                _ => None,
            });
            let locks = dofs.flatten().filter_map(|dof| dof.held.take()).count();
            let gone = before - rig.holds.len() + locks + std::mem::take(&mut rig.mimics).len();
            if gone > 0 {
                rig.notes.push(format!("left out: {gone} equalities, which a flag disables"));
            }
        }
        for hold in &mut rig.holds {
            let How::Chain { dofs, collides } = &mut hold.how else { continue };
            *collides |= self.filterparent;
            for dof in dofs {
                if self.limit || self.constraint {
                    (dof.lower, dof.upper) = (None, None);
                }
                if self.frictionloss || self.constraint {
                    dof.friction = None;
                }
                dof.motor = dof.motor.and_then(|motor| self.motor(motor));
            }
        }
    }

    fn motor(self, motor: MotorSpec) -> Option<MotorSpec> {
        let MotorSpec::Spring { target, stiffness, damping, most } = motor else { return Some(motor) };
        let stiffness = if self.spring { 0.0 } else { stiffness };
        let damping = if self.damper { 0.0 } else { damping };
        (stiffness > 0.0 || damping > 0.0).then_some(MotorSpec::Spring { target, stiffness, damping, most })
    }
}
