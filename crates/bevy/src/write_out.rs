//! Where entities are shown: between the last two steps.

use crate::physics::Slot;
use crate::{Physics, RigidBody, StepClock, convert};
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{Entity, Mut, ParamSet, Query, RemovedComponents, Res, ResMut, With, Without};
use bevy_ecs::schedule::ScheduleLabel;
use bevy_ecs::system::SystemParam;
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::helper::TransformHelper;
use drystone::math::Pose;

/// Runs once a frame, after its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ScheduleLabel)]
pub(crate) struct WriteOut;

/// Entities without parents. Costs what moves.
pub(crate) fn bodies(
    mut physics: ResMut<Physics>,
    clock: Res<StepClock>,
    mut left: RemovedComponents<ChildOf>,
    mut transforms: Query<&mut Transform, (With<RigidBody>, Without<ChildOf>)>,
) {
    let (physics, fraction) = (&mut *physics, clock.fraction());
    let mut moving = std::mem::take(&mut physics.moving);
    // What hangs on nothing any more is where it was, but its `Transform` is in the frame of what it hung on.
    moving.extend(left.read().filter_map(|entity| physics.body_of(entity)));
    moving.retain(|&body| {
        let Some(pose) = physics.shown_pose(body, fraction) else { return false };
        let is_awake =
            physics.world.body_store().index(body).is_ok_and(|i| physics.world.body_store().is_awake(i));
        let Some(slot) = physics.slot_mut(body) else { return false };
        if let Ok(mut transform) = transforms.get_mut(slot.entity) {
            let mut shown = *transform;
            convert::place(&mut shown, &pose);
            if shown != *transform {
                *transform = shown;
            }
            slot.shown = shown;
        }
        // What rests and is shown where it rests needs no more.
        is_awake || slot.before != slot.now
    });
    physics.moving = moving;
}

/// Bodies that hang on something, and where that is.
#[derive(SystemParam)]
pub(crate) struct Parents<'w, 's> {
    children: Query<'w, 's, (Entity, &'static ChildOf), With<RigidBody>>,
    above: Query<'w, 's, &'static ChildOf>,
    bodies: Query<'w, 's, (), With<RigidBody>>,
    places: TransformHelper<'w, 's>,
}

/// A body that hangs on something.
struct Child {
    /// On how many other bodies it hangs.
    depth: usize,
    entity: Entity,
    parent: Entity,
}

impl Parents<'_, '_> {
    /// Those that hang on none of the others first.
    fn by_depth(&self) -> Vec<Child> {
        let depth = |e| self.above.iter_ancestors(e).filter(|&above| self.bodies.contains(above)).count();
        let child = |(entity, child): (Entity, &ChildOf)| Child {
            depth: depth(entity),
            entity,
            parent: child.parent(),
        };
        let mut children: Vec<Child> = self.children.iter().map(child).collect();
        children.sort_unstable_by_key(|child| child.depth);
        children
    }

    /// What they hang on, where it is now.
    fn places_of(&self, children: &[Child]) -> Vec<(Entity, GlobalTransform)> {
        let parent = |child: &Child| self.places.compute_global_transform(child.parent).ok();
        children.iter().filter_map(|child| Some((child.entity, parent(child)?))).collect()
    }
}

/// Entities with parents: in the frame of what they hang on, which may have moved although they have not. Where that is a body as well, it is written first.
/// Costs as many as there are, times what each hangs on.
pub(crate) fn children(
    mut physics: ResMut<Physics>,
    clock: Res<StepClock>,
    mut access: ParamSet<(Parents, Query<&mut Transform, With<RigidBody>>)>,
) {
    let fraction = clock.fraction();
    let children = access.p0().by_depth();
    for level in children.chunk_by(|a, b| a.depth == b.depth) {
        let parents = access.p0().places_of(level);
        let mut transforms = access.p1();
        for (entity, parent) in parents {
            let Some(body) = physics.body_of(entity) else { continue };
            let Some(pose) = physics.shown_pose(body, fraction) else { continue };
            let (Some(slot), Ok(mut transform)) = (physics.slot_mut(body), transforms.get_mut(entity)) else {
                continue;
            };
            show(&mut transform, slot, &pose, &parent);
        }
    }
}

/// Shows a body in the frame of what it hangs on.
fn show(transform: &mut Mut<Transform>, slot: &mut Slot, pose: &Pose, parent: &GlobalTransform) {
    let mut world = **transform;
    convert::place(&mut world, pose);
    let mut shown = GlobalTransform::from(world).reparented_to(parent);
    shown.scale = transform.scale;
    if !shown.is_finite() {
        // In the frame of what is scaled to nothing it is nowhere: it stays as it is until that is something again.
        return;
    }
    if shown != **transform {
        **transform = shown;
    }
    slot.shown = shown;
}
