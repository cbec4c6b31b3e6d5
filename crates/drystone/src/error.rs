//! Why a request to the world was refused.

use drystone_contact::{ArticulationHandle, BodyHandle, ColliderHandle, JointHandle};

/// Why a request to the world was refused; the world is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The handle was never issued by this world, or its collider was removed.
    #[error("collider {0:?} does not exist (removed, or from another world?)")]
    UnknownCollider(ColliderHandle),
    /// The collider is no trigger.
    #[error("collider {0:?} is no trigger (see ColliderSpec::trigger)")]
    NotATrigger(ColliderHandle),
    /// The body is not kinematic, so it cannot follow a motion.
    #[error("body {0:?} is not kinematic (see BodySpec::kinematic)")]
    NotKinematic(BodyHandle),
    /// A setting is out of range.
    #[error("{field} must be {expected}, got {value}")]
    OutOfRange {
        /// The setting, as spelled in its struct.
        field: &'static str,
        /// Its valid range, in words.
        expected: &'static str,
        /// The value refused.
        value: f64,
    },
    /// A dynamic body without a collider, or whose colliders have no mass (half-spaces).
    #[error("a dynamic body needs colliders with a volume, got {0}")]
    NoMass(String),
    /// A body has so many colliders that the index would overflow.
    #[error("the number of colliders exceeds 2^32 - 2")]
    Full,
    /// The body is in quarantine: its state turned non-finite.
    #[error("body {0:?} is in quarantine since its state turned non-finite; remove it")]
    Quarantined(BodyHandle),
    /// A setting that does not exist.
    #[error("there is no setting {name:?}; known settings: {}", known.join(", "))]
    UnknownField {
        /// The name given.
        name: String,
        /// All names.
        known: Vec<&'static str>,
    },
    /// A setting's text does not read as its type.
    #[error("{field} must be {expected}, got {value:?}")]
    BadValue {
        /// The setting.
        field: String,
        /// What was expected.
        expected: &'static str,
        /// The text given.
        value: String,
    },
    /// A joint was refused.
    #[error(transparent)]
    Joint(#[from] drystone_joint::JointError),
    /// The method in use solves no joints.
    #[error("the method {} solves no joints; presets with sub_step do (`fast`, `fine`), with one problem per group (`nsgs`, `lcp`), and with impulses that do not accumulate (`thesis_fast`, `thesis_accurate`)", without_paths(.0))]
    NoJoints(&'static str),
    /// The method in use solves no articulations.
    #[error("the method {} solves no articulations; presets with sub_step do (`fast`, `fine`)", without_paths(.0))]
    NoArticulations(&'static str),
    /// Joints were refused as an articulation, or a change of one was.
    #[error(transparent)]
    Articulation(Box<drystone_resolution::ReducedError>),
    /// The handle was never issued by this world, or its articulation is no more.
    #[error(
        "articulation {0:?} does not exist (removed, a joint or link of it removed, or from another world?)"
    )]
    UnknownArticulation(ArticulationHandle),
    /// The joint is a constraint, or closes a loop.
    #[error("joint {0:?} is not in the tree of an articulation (see World::add_articulation)")]
    NotArticulated(JointHandle),
    /// A joint in an articulation was to be coupled to another one.
    #[error(
        "joint {joint:?} is in articulation {articulation:?}, whose joints cannot be coupled; remove the articulation first (World::remove_articulation)"
    )]
    Coupled {
        /// The joint.
        joint: JointHandle,
        /// The articulation.
        articulation: ArticulationHandle,
    },
    /// Something else says where the body is.
    #[error(
        "body {body:?} is where the joints of articulation {articulation:?} have it; put its joints there (World::set_articulation_state), or \
         remove the articulation first"
    )]
    Articulated {
        /// The body: a link, or what the articulation stands on.
        body: BodyHandle,
        /// The articulation.
        articulation: ArticulationHandle,
    },
    /// A setting that cannot change while the world runs.
    #[error("{0} is chosen when a world is made and cannot change; make another world")]
    Fixed(&'static str),
    /// The body has joints, and what was asked for needs one without.
    #[error("body {0:?} has joints; remove them first")]
    Jointed(BodyHandle),
    /// Refused by bodies, materials or the contact graph.
    #[error(transparent)]
    Contact(#[from] drystone_contact::ContactError),
    /// A shape was refused.
    #[error(transparent)]
    Shape(#[from] drystone_collision::ShapeError),
    /// The resolution's settings were refused.
    #[error("resolution: {0}")]
    Resolution(#[from] drystone_resolution::ResolutionError),
    /// The correction's settings were refused.
    #[error("correction: {0}")]
    Correction(#[from] drystone_correction::CorrectionError),
    /// The sleeping's settings were refused.
    #[error("sleeping: {0}")]
    Sleeping(#[from] drystone_sleeping::SleepError),
    /// A query was refused.
    #[error(transparent)]
    Query(#[from] drystone_collision::query::QueryError),
    /// The broad phase's settings were refused.
    #[error("broad phase: {0}")]
    Broad(#[from] drystone_collision::broad::BroadError),
}

/// The name of a type without the modules that it is in: `IslandSolver<NsgsThenInterior>`.
fn without_paths(name: &str) -> String {
    let mut short = String::new();
    for part in name.split_inclusive(['<', ',', ' ', '>']) {
        short.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_named_without_their_modules() {
        assert_eq!(without_paths("a::b::Outer<c::Inner, d::Other>"), "Outer<Inner, Other>");
        assert_eq!(without_paths("a::Plain"), "Plain");
        let error = WorldError::NoJoints("x::group::IslandSolver<x::NsgsThenInterior>").to_string();
        assert!(error.starts_with("the method IslandSolver<NsgsThenInterior> solves no joints"), "{error}");
    }
}
