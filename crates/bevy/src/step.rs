//! One step, and what it tells.

use crate::message::bodies_of;
use crate::{
    Asleep, ConstantForce, Coupling, Happened, Joint, JointBroke, Physics, Refused, StepClock, Velocity,
    convert,
};
use bevy_ecs::entity::Entity;
use bevy_ecs::prelude::{Commands, MessageWriter, Query, Res, ResMut, With};
use bevy_ecs::system::SystemParam;
use drystone::WorldError;

/// What a step tells.
#[derive(SystemParam)]
pub(crate) struct Tell<'w> {
    happened: MessageWriter<'w, Happened>,
    broke: MessageWriter<'w, JointBroke>,
    refused: MessageWriter<'w, Refused>,
}

/// Applies the forces that stay, steps, and tells what happened.
pub(crate) fn step(
    mut physics: ResMut<Physics>,
    clock: Res<StepClock>,
    clock_entity: Query<Entity, With<StepClock>>,
    forces: Query<(Entity, &ConstantForce)>,
    mut velocities: Query<&mut Velocity>,
    mut commands: Commands,
    mut tell: Tell,
) {
    let physics = &mut *physics;
    if let Err(error) = clock.check() {
        let refused = clock_entity.iter().map(|entity| Refused { entity, error: error.clone() });
        tell.refused.write_batch(refused);
        return;
    }
    for (entity, constant) in &forces {
        let Some(body) = physics.body_of(entity) else { continue };
        let (force, torque) = (convert::vector(constant.force), convert::vector(constant.torque));
        if let Err(error) = physics.world.add_force(body, force, torque) {
            tell.refused.write(Refused { entity, error });
        }
    }
    let dt = clock.step_length() as f32;
    physics.world.step(dt).expect("the length of a step was checked above");
    physics.follow();
    show_motion(physics, &mut velocities, &mut commands);
    // A queue is taken, so that the next step does not tell the same; without one all are those of the step.
    let queued = physics.world.take_events();
    let events = queued.into_iter().chain(physics.world.events()).map(|event| Happened {
        event,
        entities: bodies_of(&event).map_or([None; 2], |bodies| bodies.map(|body| physics.entity_of(body))),
    });
    tell.happened.write_batch(events);
    for &body in &physics.world.report().quarantined {
        let entity = physics.entity_of(body);
        tell.refused
            .write_batch(entity.map(|entity| Refused { entity, error: WorldError::Quarantined(body) }));
    }
    let broken: Vec<_> = physics.world.broken_joints().to_vec();
    for handle in broken {
        if let Some(entity) = physics.joints.unlink(handle) {
            commands.entity(entity).try_remove::<Joint>();
            tell.broke.write(JointBroke { entity });
        } else if let Some(entity) = physics.couplings.unlink(handle) {
            commands.entity(entity).try_remove::<Coupling>();
            tell.broke.write(JointBroke { entity });
        }
    }
}

/// Velocities, and who sleeps, of what moved.
fn show_motion(physics: &mut Physics, velocities: &mut Query<&mut Velocity>, commands: &mut Commands) {
    for at in 0..physics.moving.len() {
        let body = physics.moving[at];
        let Ok(state) = physics.world.body(body) else { continue };
        let Some(slot) = physics.slot_mut(body) else { continue };
        let velocity = convert::velocity(&state);
        if slot.velocity != velocity {
            slot.velocity = velocity;
            if let Ok(mut shown) = velocities.get_mut(slot.entity) {
                *shown = velocity;
            }
        }
        if slot.is_asleep != state.is_asleep {
            slot.is_asleep = state.is_asleep;
            let mut entity = commands.entity(slot.entity);
            if state.is_asleep {
                entity.try_insert(Asleep);
            } else {
                entity.try_remove::<Asleep>();
            }
        }
    }
}
