//! What fast bodies may meet of what is not fast, by boxes around their ways.

use super::path::Path;
use super::{Continuous, MEETINGS, MOVERS_PER_PART, Mover, ROUNDING, Start, is_fixed};
use crate::world::World;
use drystone_contact::BodyIndex;
use drystone_exec::{Exec, chunks_mut, items_mut};
use drystone_math::{Aabb, Displacement, Pose, Real};
use std::ops::ControlFlow;

/// What a part of the fast bodies may meet.
#[derive(Clone, Debug, Default)]
pub(super) struct Near {
    /// Slots near one of them.
    found: Vec<u32>,
    /// Movers, and the slots that each may meet.
    pub(super) pairs: Vec<(u32, u32)>,
}

impl Near {
    pub(super) fn with_room() -> Self {
        let room = MEETINGS * MOVERS_PER_PART;
        Self { found: Vec::with_capacity(room), pairs: Vec::with_capacity(room) }
    }
}

impl World {
    /// Finds what each fast body may meet of what is not, in the order of bodies and slots; in how many parts.
    pub(super) fn look_around(&self, own: &mut Continuous, slow_reach: f64, exec: &Exec) -> usize {
        let fast_count = own.movers.len() as u32;
        let part_count = own.movers.len().div_ceil(MOVERS_PER_PART);
        own.near.resize_with(own.near.len().max(part_count), Near::with_room);
        let (starts, mover_of) = (&own.starts, &own.mover_of);
        let parts = (chunks_mut(&mut own.movers, MOVERS_PER_PART), items_mut(&mut own.near[..part_count]));
        exec.for_each_dynamic(parts, |part, (movers, near)| {
            near.pairs.clear();
            for (k, mover) in movers.iter_mut().enumerate() {
                self.find_near(mover, slow_reach, &mut near.found);
                for &slot in &near.found {
                    let body = self.colliders.get(slot).body;
                    if mover_of[body.get()] >= fast_count
                        && self.may_meet_slow(body)
                        && self.swept_collider(slot, &self.path(starts, body)).overlaps(&mover.swept)
                    {
                        near.pairs.push(((part * MOVERS_PER_PART + k) as u32, slot));
                    }
                }
            }
        });
        part_count
    }

    /// Finds the slots of what may be in the way of a fast body, and its box where that is needed.
    fn find_near(&self, mover: &mut Mover, slow_reach: f64, found: &mut Vec<u32>) {
        found.clear();
        let is_moving = self.config.continuous.moving;
        if is_moving {
            mover.swept = self.swept_box(mover.body, &mover.path);
        }
        if !mover.can_stop {
            return;
        }
        let mut find = |slot| {
            // The broad phase still knows what was removed. What changed otherwise without its body being disturbed, as by a rule,
            // is where it was.
            let exists = self.colliders.handle(slot).is_some();
            if exists && !self.disturbed.contains(self.colliders.get(slot).body) {
                found.push(slot);
            }
            ControlFlow::Continue(())
        };
        if is_moving {
            self.broad.visit_box(&mover.swept.grown(slow_reach), &mut find);
        } else {
            // Most are near nothing that is fixed, which balls around them tell for less than their boxes cost.
            self.broad.visit_fixed(&self.swept_ball(mover.body, &mover.path), &mut find);
        }
        for &body in self.disturbed.list() {
            found.extend(self.colliders.of(body));
        }
        // The order is that of the slots, whatever the broad phase.
        found.sort_unstable();
        if !is_moving && !found.is_empty() {
            mover.swept = self.swept_box(mover.body, &mover.path);
        }
    }

    /// Whether what is not fast is swept against.
    fn may_meet_slow(&self, body: BodyIndex) -> bool {
        if is_fixed(self.bodies.hot(body)) {
            self.config.continuous.fixed
        } else {
            self.config.continuous.moving
        }
    }

    /// Where a body went.
    pub(super) fn path(&self, starts: &[Start], body: BodyIndex) -> Path {
        let to = *self.bodies.center_pose(body);
        let start = starts.get(body.get()).filter(|_| self.bodies.is_awake(body));
        Path { from: start.map_or(to, |start| start.pose), to, limit: 1.0 }
    }

    /// Around all that the colliders of a body sweep, m.
    fn swept_box(&self, body: BodyIndex, path: &Path) -> Aabb {
        let boxes = self.colliders.solid(body).map(|slot| self.swept_collider(slot, path));
        boxes.fold(Aabb::EMPTY, |all, swept| all.merged(&swept))
    }

    /// Around all that a collider sweeps, m.
    fn swept_collider(&self, slot: u32, path: &Path) -> Aabb {
        let collider = self.colliders.get(slot);
        let at = |pose: &Pose| collider.shape.aabb(&self.colliders.pose_on(slot, pose));
        let Path { from, to, .. } = path;
        let (a, b) = (from.rotation.coords, to.rotation.coords);
        if a == b {
            return at(from).swept(&(to.translation - from.translation));
        }
        // Points leave the straight way between their ends by the height of their arc: radius (1 - cos(angle / 2)).
        at(from).merged(&at(to)).grown(f64::from(self.colliders.reach(slot)) * height_of_arc(path))
    }

    /// Around the way of a ball that holds all colliders of a body, m: holds its [box](World::swept_box).
    fn swept_ball(&self, body: BodyIndex, path: &Path) -> Aabb {
        let reach = self.colliders.solid(body).map(|slot| self.colliders.reach(slot)).fold(0.0, Real::max);
        let reach = f64::from(reach) * (1.0 + ROUNDING + height_of_arc(path));
        let way = path.to.translation - path.from.translation;
        Aabb::from_center(path.from.translation, Displacement::repeat(reach)).swept(&way)
    }
}

/// How far points leave the straight way between their ends at most, as a share of their distance from the centre: 1 - cos(angle / 2).
fn height_of_arc(path: &Path) -> f64 {
    let cosine = path.from.rotation.coords.dot(&path.to.rotation.coords).abs();
    (1.0 - f64::from(cosine)).max(0.0) + ROUNDING
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodySpec, ColliderSpec, Shape, WorldConfig};
    use drystone_math::{Position, RelativePose, Rotation, Vector3, widen};
    use proptest::prelude::*;

    fn unit() -> impl Strategy<Value = Vector3> {
        prop::array::uniform3(-1.0f32..1.0).prop_map(Vector3::from)
    }

    fn pose() -> impl Strategy<Value = Pose> {
        let turn = unit().prop_map(|turn| Rotation::from_scaled_axis(turn * 3.0));
        (unit(), turn).prop_map(|(at, turn)| Pose::new(Position::from(widen(&at)), turn))
    }

    proptest! {
        /// What the ball on its way is not near, the box is not near either.
        #[test]
        fn balls_around_ways_hold_boxes_around_them(
            (half, radius) in (unit(), 0.01f32..1.0), places in prop::array::uniform2((unit(), unit())), (from, to) in (pose(), pose()),
            turns in any::<bool>(),
        ) {
            let shapes = [Shape::cuboid(half.abs().add_scalar(0.01)), Shape::capsule(radius, 0.3 * radius)];
            let collider = |(shape, (at, turn)): (Result<Shape, _>, (Vector3, Vector3))| {
                let local = RelativePose::new(at, Rotation::from_scaled_axis(turn));
                ColliderSpec::new(shape.expect("in range")).local(local)
            };
            let body = shapes.into_iter().zip(places).map(collider).fold(BodySpec::dynamic(), BodySpec::collider);
            let mut world = World::new(WorldConfig::fast()).expect("in range");
            let body = BodyIndex(world.add_body(body).expect("in range").index);
            let to = if turns { to } else { Pose { rotation: from.rotation, ..to } };
            let path = Path { from, to, limit: 1.0 };
            let (ball, swept) = (world.swept_ball(body, &path), world.swept_box(body, &path));
            prop_assert!(ball.contains(&swept), "{ball:?} {swept:?}");
        }
    }
}
