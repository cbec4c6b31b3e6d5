//! Where entities are shown: between the last two steps.

use crate::{Physics, RigidBody, StepClock, convert};
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{Entity, ParamSet, Query, Res, ResMut, With, Without};
use bevy_ecs::schedule::ScheduleLabel;
use bevy_ecs::system::SystemParam;
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::helper::TransformHelper;

/// Runs once a frame, after its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ScheduleLabel)]
pub(crate) struct WriteOut;

/// Entities without parents. Costs what moves.
pub(crate) fn bodies(
    mut physics: ResMut<Physics>,
    clock: Res<StepClock>,
    mut transforms: Query<&mut Transform, (With<RigidBody>, Without<ChildOf>)>,
) {
    let (physics, fraction) = (&mut *physics, clock.fraction());
    let mut moving = std::mem::take(&mut physics.moving);
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
    places: TransformHelper<'w, 's>,
}

impl Parents<'_, '_> {
    fn all(&self) -> Vec<(Entity, GlobalTransform)> {
        let parent = |child: &ChildOf| self.places.compute_global_transform(child.parent()).ok();
        self.children.iter().filter_map(|(entity, child)| Some((entity, parent(child)?))).collect()
    }
}

/// Entities with parents: in the frame of what they hang on, which may have moved although they have not. Costs as many as there are.
pub(crate) fn children(
    mut physics: ResMut<Physics>,
    clock: Res<StepClock>,
    mut access: ParamSet<(Parents, Query<&mut Transform, With<RigidBody>>)>,
) {
    let fraction = clock.fraction();
    let parents = access.p0().all();
    let mut transforms = access.p1();
    for (entity, parent) in parents {
        let Some(body) = physics.body_of(entity) else { continue };
        let Some(pose) = physics.shown_pose(body, fraction) else { continue };
        let (Some(slot), Ok(mut transform)) = (physics.slot_mut(body), transforms.get_mut(entity)) else {
            continue;
        };
        let mut world = *transform;
        convert::place(&mut world, &pose);
        let mut shown = GlobalTransform::from(world).reparented_to(&parent);
        shown.scale = transform.scale;
        if shown != *transform {
            *transform = shown;
        }
        slot.shown = shown;
    }
}
