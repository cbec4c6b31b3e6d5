//! What a query looks at.

use drystone_contact::{BodyHandle, ColliderHandle};
use std::fmt;

/// What a query does with triggers ([`crate::ColliderSpec::trigger`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Triggers {
    /// They are not there.
    #[default]
    Without,
    /// They are looked at beside all else.
    With,
    /// Nothing else is looked at.
    Only,
}

/// A user's condition on a collider.
type Predicate<'a> = &'a dyn Fn(BodyHandle, ColliderHandle) -> bool;

/// What a query of a world looks at. The default: all colliders of active bodies but triggers.
///
/// ```
/// use drystone::math::{Displacement, Pose, Position};
/// use drystone::{BodySpec, ColliderSpec, QueryFilter, Ray, Shape, World, WorldConfig};
/// let mut world = World::new(WorldConfig::default())?;
/// let ball = |groups| ColliderSpec::new(Shape::sphere(0.5).expect("positive")).filter(groups, u32::MAX);
/// let near = world.add_body(BodySpec::fixed().collider(ball(0b01)))?;
/// let far = world.add_body(BodySpec::fixed().pose(Pose::at(5.0, 0.0, 0.0)).collider(ball(0b10)))?;
/// let ray = Ray::new(Position::new(-2.0, 0.0, 0.0), Displacement::x())?;
/// let first = |filter: QueryFilter| world.cast_ray(&ray, 100.0, &filter).map(|hit| hit.map(|found| found.body));
/// assert_eq!(first(QueryFilter::default())?, Some(near));
/// assert_eq!(first(QueryFilter::default().groups(u32::MAX, 0b10))?, Some(far));
/// assert_eq!(first(QueryFilter::default().without(near))?, Some(far));
/// assert_eq!(first(QueryFilter::default().only(&|body, _| body != near && body != far))?, None);
/// # Ok::<(), drystone::WorldError>(())
/// ```
#[derive(Clone, Copy)]
pub struct QueryFilter<'a> {
    pub(super) member_of: u32,
    pub(super) meets: u32,
    pub(super) triggers: Triggers,
    pub(super) without: Option<BodyHandle>,
    pub(super) predicate: Option<Predicate<'a>>,
}

impl Default for QueryFilter<'_> {
    fn default() -> Self {
        Self {
            member_of: u32::MAX,
            meets: u32::MAX,
            triggers: Triggers::Without,
            without: None,
            predicate: None,
        }
    }
}

impl fmt::Debug for QueryFilter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryFilter")
            .field("member_of", &self.member_of)
            .field("meets", &self.meets)
            .field("triggers", &self.triggers)
            .field("without", &self.without)
            .field("has_predicate", &self.predicate.is_some())
            .finish()
    }
}

impl<'a> QueryFilter<'a> {
    /// Groups (bits) that the query belongs to, and groups it meets, as colliders have them ([`crate::ColliderSpec::filter`]): a
    /// collider is looked at when each meets a group of the other. All at first.
    pub fn groups(self, member_of: u32, meets: u32) -> Self {
        Self { member_of, meets, ..self }
    }

    /// Whether triggers are looked at. They are not at first.
    pub fn triggers(self, triggers: Triggers) -> Self {
        Self { triggers, ..self }
    }

    /// Leaves a body out, with all that it is fastened to: who asks from within.
    pub fn without(self, body: BodyHandle) -> Self {
        Self { without: Some(body), ..self }
    }

    /// Only colliders for which `predicate` is true. It is asked about what the query comes near, maybe more than once, in no order.
    pub fn only(self, predicate: &'a dyn Fn(BodyHandle, ColliderHandle) -> bool) -> Self {
        Self { predicate: Some(predicate), ..self }
    }
}
