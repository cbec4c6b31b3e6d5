//! Queries of a world: rays, moving shapes, overlap, closest points, points inside.
//!
//! In: where bodies are now, the broad phase as the last detection left it. Out: which collider of which body, and where. Start reading
//! at [`World::cast_ray`].
//!
//! Invariants: answers are those of where bodies are, whatever was added, moved or removed since the last step, and do not depend on the
//! broad phase. They do not change the world: a query takes `&World`. A first hit allocates nothing once lists have
//! their size; of what is equally near the smaller slot comes first.
//! The first query after a change looks at all bodies that may have moved: O(bodies awake).

mod filter;
mod strays;

pub use filter::{QueryFilter, Triggers};
use strays::Stray;
pub(crate) use strays::Strays;

use super::World;
use crate::WorldError;
use drystone_collision::Shape;
use drystone_collision::broad::BoxCast;
use drystone_collision::query::{
    self, ClosestPoints, PointProjection, Ray, RayHit, ShapeHit, check_length, check_point,
};
use drystone_contact::{BodyHandle, ColliderHandle};
use drystone_math::{Aabb, Displacement, Pose, Position};
use std::ops::ControlFlow;

/// What a query found, and on which body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryHit<T> {
    /// The body: of a composite the member.
    pub body: BodyHandle,
    /// Its collider.
    pub collider: ColliderHandle,
    /// Where and how.
    pub hit: T,
}

/// How much farther a search for the closest looks each time it found nothing.
const WIDER: f64 = 4.0;
/// How often it looks at most before it looks everywhere.
const WIDENINGS: u32 = 32;

impl World {
    /// What a ray hits first, not farther than `max_distance` (m, may be infinite). A ray that begins inside of a collider hits that at
    /// once.
    ///
    /// ```
    /// use drystone::math::{Displacement, Pose, Position, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, QueryFilter, Ray, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let cube = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5))?);
    /// let body = world.add_body(BodySpec::fixed().pose(Pose::at(0.0, 0.0, 4.0)).collider(cube))?;
    /// let ray = Ray::new(Position::origin(), Displacement::new(0.0, 0.0, 1.0))?;
    /// let found = world.cast_ray(&ray, f64::INFINITY, &QueryFilter::default())?.expect("it points at the cube");
    /// assert!(found.body == body && found.hit.distance == 3.5 && found.hit.normal == -Vector3::z());
    /// // What is moved is found where it is, without a step.
    /// world.set_pose(body, Pose::at(9.0, 0.0, 4.0))?;
    /// assert!(world.cast_ray(&ray, f64::INFINITY, &QueryFilter::default())?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A `max_distance` that is no number or negative.
    pub fn cast_ray(
        &self,
        ray: &Ray,
        max_distance: f64,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<QueryHit<RayHit>>, WorldError> {
        let mut best: Option<(u32, RayHit)> = None;
        self.visit_ray(ray, max_distance, filter, &mut |slot, hit| {
            if best.is_none_or(|(other, nearest)| (hit.distance, slot) < (nearest.distance, other)) {
                best = Some((slot, hit));
            }
            best.map_or(max_distance, |(_, nearest)| nearest.distance)
        })?;
        Ok(best.and_then(|(slot, hit)| self.found(slot, hit)))
    }

    /// Everything that a ray hits within `max_distance` (m), each collider where it is entered, the nearest first; in place of what is in
    /// `hits`.
    ///
    /// # Errors
    /// As [`World::cast_ray`].
    pub fn cast_ray_all(
        &self,
        ray: &Ray,
        max_distance: f64,
        filter: &QueryFilter<'_>,
        hits: &mut Vec<QueryHit<RayHit>>,
    ) -> Result<(), WorldError> {
        hits.clear();
        self.visit_ray(ray, max_distance, filter, &mut |slot, hit| {
            hits.extend(self.found(slot, hit));
            max_distance
        })?;
        let key = |found: &QueryHit<RayHit>| (found.hit.distance, found.collider.index);
        hits.sort_unstable_by(|a, b| key(a).0.total_cmp(&key(b).0).then(key(a).1.cmp(&key(b).1)));
        Ok(())
    }

    /// What a shape hits first that begins at `from` and moves by `way` (m) without turning. What it overlaps at the start is hit at
    /// once ([`crate::CastStatus::StartsOverlapping`]).
    ///
    /// ```
    /// use drystone::math::{Displacement, Pose, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, QueryFilter, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let ground = ColliderSpec::new(Shape::half_space(Vector3::y())?);
    /// world.add_body(BodySpec::fixed().collider(ground))?;
    /// let (ball, down) = (Shape::sphere(0.5)?, Displacement::new(0.0, -10.0, 0.0));
    /// let found = world.cast_shape(&ball, &Pose::at(7.0, 5.5, 0.0), &down, &QueryFilter::default())?;
    /// assert!((found.expect("the ground").hit.fraction - 0.5).abs() < 1e-6);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// A way that is not finite, a pose that is not, and a shape without bounds.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        from: &Pose,
        way: &Displacement,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<QueryHit<ShapeHit>>, WorldError> {
        let mut best: Option<(u32, ShapeHit)> = None;
        self.visit_swept(shape, from, way, filter, &mut |slot, hit| {
            if best.is_none_or(|(other, nearest)| (hit.fraction, slot) < (nearest.fraction, other)) {
                best = Some((slot, hit));
            }
            best.map_or(1.0, |(_, nearest)| nearest.fraction)
        })?;
        Ok(best.and_then(|(slot, hit)| self.found(slot, hit)))
    }

    /// Everything that a moving shape hits, each collider where it is touched first, the first first; in place of what is in `hits`.
    ///
    /// # Errors
    /// As [`World::cast_shape`].
    pub fn cast_shape_all(
        &self,
        shape: &Shape,
        from: &Pose,
        way: &Displacement,
        filter: &QueryFilter<'_>,
        hits: &mut Vec<QueryHit<ShapeHit>>,
    ) -> Result<(), WorldError> {
        hits.clear();
        self.visit_swept(shape, from, way, filter, &mut |slot, hit| {
            hits.extend(self.found(slot, hit));
            1.0
        })?;
        let key = |found: &QueryHit<ShapeHit>| (found.hit.fraction, found.collider.index);
        hits.sort_unstable_by(|a, b| key(a).0.total_cmp(&key(b).0).then(key(a).1.cmp(&key(b).1)));
        Ok(())
    }

    /// A collider that overlaps a shape: that of the smallest slot. `None` when none does.
    ///
    /// # Errors
    /// A pose that is not finite.
    pub fn overlap(
        &self,
        shape: &Shape,
        pose: &Pose,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<QueryHit<()>>, WorldError> {
        let mut first: Option<u32> = None;
        self.visit_near(&checked_box(shape, pose)?, filter, &mut |slot| {
            if first.is_none_or(|first| slot < first) && self.overlaps_slot(shape, pose, slot) {
                first = Some(slot);
            }
            ControlFlow::Continue(())
        });
        Ok(first.and_then(|slot| self.found(slot, ())))
    }

    /// All colliders that overlap a shape, by their slots; in place of what is in `found`.
    ///
    /// ```
    /// use drystone::math::{Pose, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, QueryFilter, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// for x in 0..10 {
    ///     let ball = ColliderSpec::new(Shape::sphere(0.4)?);
    ///     world.add_body(BodySpec::dynamic().pose(Pose::at(f64::from(x), 0.0, 0.0)).collider(ball))?;
    /// }
    /// let (zone, mut found) = (Shape::cuboid(Vector3::new(1.0, 1.0, 1.0))?, Vec::new());
    /// world.overlap_all(&zone, &Pose::at(5.0, 0.0, 0.0), &QueryFilter::default(), &mut found)?;
    /// assert_eq!(found.len(), 3);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// As [`World::overlap`].
    pub fn overlap_all(
        &self,
        shape: &Shape,
        pose: &Pose,
        filter: &QueryFilter<'_>,
        found: &mut Vec<QueryHit<()>>,
    ) -> Result<(), WorldError> {
        found.clear();
        self.visit_near(&checked_box(shape, pose)?, filter, &mut |slot| {
            if self.overlaps_slot(shape, pose, slot) {
                found.extend(self.found(slot, ()));
            }
            ControlFlow::Continue(())
        });
        found.sort_unstable_by_key(|found| found.collider.index);
        Ok(())
    }

    /// The collider nearest to a shape, not farther than `max_distance` (m, may be infinite), with the closest points of the shape (A)
    /// and of the collider (B); of those that overlap the one that does so deepest.
    ///
    /// # Errors
    /// A pose that is not finite, a `max_distance` that is no number or negative.
    pub fn closest(
        &self,
        shape: &Shape,
        pose: &Pose,
        max_distance: f64,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<QueryHit<ClosestPoints>>, WorldError> {
        check_length("max_distance", max_distance)?;
        let around = checked_box(shape, pose)?;
        let best = self.nearest(
            &around,
            f64::from(shape.bounding_radius()),
            max_distance,
            filter,
            &|slot, limit| {
                let collider = self.colliders.get(slot);
                let at = self.collider_pose(slot);
                query::closest_points(shape, pose, &collider.shape, &at, limit)
                    .map(|found| (found.distance, found))
            },
        );
        Ok(best.and_then(|(slot, hit)| self.found(slot, hit)))
    }

    /// The collider whose surface or inside is nearest to a point, not farther than `max_distance` (m, may be infinite); of those that
    /// contain the point the one that does so deepest.
    ///
    /// ```
    /// use drystone::math::{Pose, Position};
    /// use drystone::{BodySpec, ColliderSpec, QueryFilter, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let ball = ColliderSpec::new(Shape::sphere(1.0)?);
    /// world.add_body(BodySpec::fixed().pose(Pose::at(100.0, 0.0, 0.0)).collider(ball))?;
    /// let found = world.closest_point(&Position::origin(), f64::INFINITY, &QueryFilter::default())?;
    /// assert!((found.expect("the ball").hit.distance - 99.0).abs() < 1e-9);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// A point that is not finite, a `max_distance` that is no number or negative.
    pub fn closest_point(
        &self,
        point: &Position,
        max_distance: f64,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<QueryHit<PointProjection>>, WorldError> {
        check_length("max_distance", max_distance)?;
        check_point("point", point)?;
        let around = Aabb::new(*point, *point);
        let best = self.nearest(&around, 0.25, max_distance, filter, &|slot, limit| {
            let found =
                query::project_point(&self.colliders.get(slot).shape, &self.collider_pose(slot), point);
            // The point was checked.
            let found = found.ok().flatten().filter(|found| found.distance <= limit)?;
            Some((found.distance, found))
        });
        Ok(best.and_then(|(slot, hit)| self.found(slot, hit)))
    }

    /// A collider that contains a point: that of the smallest slot. `None` when none does.
    ///
    /// # Errors
    /// A point that is not finite.
    pub fn contains_point(
        &self,
        point: &Position,
        filter: &QueryFilter<'_>,
    ) -> Result<Option<QueryHit<()>>, WorldError> {
        let mut first: Option<u32> = None;
        self.visit_containing(point, filter, &mut |slot| {
            first = Some(first.map_or(slot, |first| first.min(slot)));
        })?;
        Ok(first.and_then(|slot| self.found(slot, ())))
    }

    /// All colliders that contain a point, by their slots; in place of what is in `found`.
    ///
    /// # Errors
    /// As [`World::contains_point`].
    pub fn contains_point_all(
        &self,
        point: &Position,
        filter: &QueryFilter<'_>,
        found: &mut Vec<QueryHit<()>>,
    ) -> Result<(), WorldError> {
        found.clear();
        self.visit_containing(point, filter, &mut |slot| found.extend(self.found(slot, ())))?;
        found.sort_unstable_by_key(|found| found.collider.index);
        Ok(())
    }

    fn visit_ray(
        &self,
        ray: &Ray,
        max_distance: f64,
        filter: &QueryFilter<'_>,
        visit: &mut dyn FnMut(u32, RayHit) -> f64,
    ) -> Result<(), WorldError> {
        check_length("max_distance", max_distance)?;
        let cast = BoxCast::ray(ray.origin(), ray.direction(), max_distance)?;
        let mut end = max_distance;
        self.visit_cast(&cast, filter, &mut |slot| {
            let (shape, pose) = (&self.colliders.get(slot).shape, self.collider_pose(slot));
            // The distance was checked.
            if let Ok(Some(hit)) = query::cast_ray(shape, &pose, ray, end) {
                end = visit(slot, hit);
            }
            end
        });
        Ok(())
    }

    fn visit_swept(
        &self,
        shape: &Shape,
        from: &Pose,
        way: &Displacement,
        filter: &QueryFilter<'_>,
        visit: &mut dyn FnMut(u32, ShapeHit) -> f64,
    ) -> Result<(), WorldError> {
        let around = checked_box(shape, from)?;
        let cast = BoxCast::swept(&around, *way)?;
        let mut end = 1.0;
        self.visit_cast(&cast, filter, &mut |slot| {
            let target = &self.colliders.get(slot).shape;
            // The way was checked.
            if let Ok(Some(hit)) = query::cast_shape(shape, from, way, target, &self.collider_pose(slot))
                && hit.fraction <= end
            {
                end = visit(slot, hit);
            }
            end
        });
        Ok(())
    }

    fn visit_containing(
        &self,
        point: &Position,
        filter: &QueryFilter<'_>,
        visit: &mut dyn FnMut(u32),
    ) -> Result<(), WorldError> {
        check_point("point", point)?;
        self.visit_near(&Aabb::new(*point, *point), filter, &mut |slot| {
            let collider = self.colliders.get(slot);
            if query::contains_point(&collider.shape, &self.collider_pose(slot), point) == Ok(true) {
                visit(slot);
            }
            ControlFlow::Continue(())
        });
        Ok(())
    }

    fn overlaps_slot(&self, shape: &Shape, pose: &Pose, slot: u32) -> bool {
        query::overlaps(shape, pose, &self.colliders.get(slot).shape, &self.collider_pose(slot))
    }

    /// The nearest of what `measure` tells the signed distance of, m, within a limit: first near by, then farther and farther.
    fn nearest<T: Copy>(
        &self,
        around: &Aabb,
        scale: f64,
        max_distance: f64,
        filter: &QueryFilter<'_>,
        measure: &dyn Fn(u32, f64) -> Option<(f64, T)>,
    ) -> Option<(u32, T)> {
        let mut radius = scale.clamp(1e-3, 1e6).min(max_distance);
        for widening in 0..=WIDENINGS {
            let mut best: Option<(u32, f64, T)> = None;
            let is_last = radius >= max_distance || widening == WIDENINGS;
            let window = if widening == WIDENINGS { Aabb::EVERYTHING } else { around.grown(radius) };
            self.visit_near(&window, filter, &mut |slot| {
                let limit = best.map_or(max_distance, |(_, distance, _)| distance);
                if let Some((distance, found)) = measure(slot, limit)
                    && best.is_none_or(|(other, nearest, _)| (distance, slot) < (nearest, other))
                {
                    best = Some((slot, distance, found));
                }
                ControlFlow::Continue(())
            });
            match best {
                // What is nearer than the window is wide is in it.
                Some((slot, distance, found)) if distance <= radius || is_last => return Some((slot, found)),
                Some((_, distance, _)) => radius = distance.next_up().min(max_distance),
                None if is_last => return None,
                None => radius = (radius * WIDER).min(max_distance),
            }
        }
        None
    }

    /// Visits the colliders that a cast may meet and the filter lets through, each once; the visitor says how far to go on.
    fn visit_cast(&self, cast: &BoxCast, filter: &QueryFilter<'_>, visit: &mut dyn FnMut(u32) -> f64) {
        let strays = self.collect_strays();
        let mut cast = *cast;
        for &Stray { slot, aabb } in strays {
            if cast.entry(&aabb).is_some() && self.passes(slot, filter) {
                cast.shorten(visit(slot));
            }
        }
        let rest = cast;
        self.broad.visit_cast(&rest, &mut |slot, _| {
            if self.is_in_place(slot, strays) && self.passes(slot, filter) {
                cast.shorten(visit(slot));
            }
            cast.end()
        });
    }

    /// Visits the colliders whose boxes overlap one and that the filter lets through, each once.
    pub(super) fn visit_near(
        &self,
        aabb: &Aabb,
        filter: &QueryFilter<'_>,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) {
        let strays = self.collect_strays();
        for &Stray { slot, aabb: own } in strays {
            if own.overlaps(aabb) && self.passes(slot, filter) && visit(slot).is_break() {
                return;
            }
        }
        self.broad.visit_box(aabb, &mut |slot| {
            if self.is_in_place(slot, strays) && self.passes(slot, filter) {
                return visit(slot);
            }
            ControlFlow::Continue(())
        });
    }

    /// True when the broad phase's box of a slot holds: it is that of a collider, which has not left it.
    fn is_in_place(&self, slot: u32, strays: &[Stray]) -> bool {
        !self.colliders.is_changed(slot) && strays.binary_search_by_key(&slot, |stray| stray.slot).is_err()
    }

    /// All colliders that are not where the broad phase has them, by slot, ascending.
    fn collect_strays(&self) -> &[Stray] {
        self.colliders.strays().get(|list| {
            list.extend(self.colliders.all().filter_map(|slot| {
                let body = self.colliders.get(slot).body;
                let may_have_moved = || self.bodies.is_awake(body) || self.disturbed.contains(body);
                let is_changed = self.colliders.is_changed(slot);
                if self.bodies.hot(body).is_passive() || !(is_changed || may_have_moved()) {
                    return None;
                }
                let aabb = self.colliders.get(slot).shape.aabb(&self.collider_pose(slot));
                let has_left = || !self.colliders.box_of(slot).contains(&aabb);
                (is_changed || has_left()).then_some(Stray { slot, aabb })
            }));
        })
    }

    /// Where a collider is now.
    pub(super) fn collider_pose(&self, slot: u32) -> Pose {
        self.colliders.pose_on(slot, self.bodies.center_pose(self.colliders.get(slot).body))
    }

    fn passes(&self, slot: u32, filter: &QueryFilter<'_>) -> bool {
        let (member_of, meets) = self.colliders.filter(slot);
        let mover = self.colliders.get(slot).body;
        let is_let_through = match filter.triggers {
            Triggers::With => true,
            Triggers::Without => !self.colliders.is_trigger(slot),
            Triggers::Only => self.colliders.is_trigger(slot),
        };
        if !is_let_through
            || filter.member_of & meets == 0
            || member_of & filter.meets == 0
            || self.bodies.hot(mover).is_passive()
        {
            return false;
        }
        if let Some(Ok(left_out)) = filter.without.map(|body| self.bodies.index(body))
            && (self.carrier(left_out) == mover || self.colliders.owner(slot) == left_out)
        {
            return false;
        }
        let Some(predicate) = filter.predicate else { return true };
        self.found(slot, ()).is_some_and(|found| predicate(found.body, found.collider))
    }

    fn found<T>(&self, slot: u32, hit: T) -> Option<QueryHit<T>> {
        let body = self.bodies.handle(self.colliders.owner(slot))?;
        let collider = self.colliders.handle(slot)?;
        Some(QueryHit { body, collider, hit })
    }
}

/// The box of a shape at a pose.
fn checked_box(shape: &Shape, pose: &Pose) -> Result<Aabb, WorldError> {
    check_point("pose", &pose.translation)?;
    if !pose.is_finite() {
        let value = pose.rotation.coords.iter().copied().find(|c| !c.is_finite()).unwrap_or_default();
        return Err(query::QueryError::NotFinite { field: "pose", value: f64::from(value) }.into());
    }
    Ok(shape.aabb(pose))
}
