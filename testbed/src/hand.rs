//! A hand that takes the body that is aimed at, pulls it by the point it was picked at, and lets it fly.
//!
//! It pulls with a force in each step that would bring the point most of the way to where the hand is, bounded by the body's weight, so that it moves
//! heavy and light bodies alike and tears nothing apart.

use crate::aim::Aim;
use drystone::math::{Displacement, Position, Real, Symmetric3, Vector3, narrow, widen};
use drystone::{BodyHandle, BodyKind, World, WorldError};

/// Share of the way to the hand that the point is to go in a second, 1/s.
const RATE: Real = 10.0;
/// Most speed to the hand, m/s, for each metre of the scene's size.
const MOST_SPEED: Real = 4.0;
/// Most force, as a multiple of the body's weight (10 m/s²).
const MOST_ACCELERATION: Real = 300.0;
/// How fast the turning of what is held dies away, 1/s: it would swing for long.
const CALM: Real = 5.0;
/// Share of the difference in velocity taken away in a step: not all, so that what is held gives way to contacts.
const GRIP: Real = 0.5;

/// A body that is held.
#[derive(Clone, Copy, Debug)]
struct Hold {
    body: BodyHandle,
    /// The point it is held at, m, in the body's frame.
    local: Vector3,
    /// How far from the eye, m.
    distance: f64,
    /// Where the hand is.
    target: Position,
}

/// A hand, empty or not.
#[derive(Debug, Default)]
pub(crate) struct Hand {
    hold: Option<Hold>,
}

impl Hand {
    /// Takes the body that is aimed at, if it is dynamic.
    pub(crate) fn take(&mut self, world: &World, aim: &Aim) {
        let Aim { body, point, distance } = *aim;
        if let Ok(facts) = world.body(body)
            && facts.kind == BodyKind::Dynamic
        {
            let local = facts.pose.rotation.inverse() * narrow(&(point - facts.pose.translation));
            self.hold = Some(Hold { body, local, distance, target: point });
        }
    }

    /// Moves the hand to where a ray from the eye is as far away as what is held was picked.
    pub(crate) fn move_along(&mut self, origin: &Position, direction: &Displacement) {
        if let Some(hold) = &mut self.hold {
            hold.target = origin + direction.normalize() * hold.distance;
        }
    }

    /// Lets go; the body keeps its velocity.
    pub(crate) fn release(&mut self) {
        self.hold = None;
    }

    /// The line from the point that is held to the hand.
    pub(crate) fn line(&self, world: &World) -> Option<[Position; 2]> {
        let hold = self.hold?;
        let pose = world.pose(hold.body).ok()?;
        Some([pose.translation + widen(&(pose.rotation * hold.local)), hold.target])
    }

    /// Pulls during the next step, which is `dt` long, in a scene of this size (m). A body that is gone is let go.
    pub(crate) fn pull(&mut self, world: &mut World, dt: Real, size: Real) {
        if let Some(hold) = self.hold
            && pull(world, &hold, dt, size).is_err()
        {
            self.hold = None;
        }
    }
}

fn pull(world: &mut World, hold: &Hold, dt: Real, size: Real) -> Result<(), WorldError> {
    let facts = world.body(hold.body)?;
    let point = facts.pose.translation + widen(&(facts.pose.rotation * hold.local));
    let arm = narrow(&(point - facts.center));
    let way = narrow(&(hold.target - point));
    let wanted = way * RATE;
    let most = MOST_SPEED * size;
    let wanted = if wanted.norm() > most { wanted * (most / wanted.norm()) } else { wanted };
    let difference = wanted - (facts.linear_velocity + facts.angular_velocity.cross(&arm));
    let store = world.body_store();
    let inertia: &Symmetric3 = store.inverse_inertia(store.index(hold.body)?);
    let response = inertia.collision_matrix(1.0 / facts.mass, &arm);
    let inverse = response
        .inverse()
        .map_or_else(|| drystone::math::Matrix3::identity() * facts.mass, |inverse| inverse.to_matrix());
    let mut force = inverse * difference * (GRIP / dt) - world.config().gravity * facts.mass;
    let bound = MOST_ACCELERATION * facts.mass;
    if force.norm() > bound {
        force *= bound / force.norm();
    }
    let turning =
        inertia.inverse().map_or_else(Vector3::zeros, |inertia| inertia.to_matrix() * facts.angular_velocity);
    world.add_force(hold.body, force, arm.cross(&force) - turning * CALM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone::math::Pose;
    use drystone::{BodySpec, ColliderSpec, QueryFilter, Ray, Shape, WorldConfig};

    fn world() -> (World, [BodyHandle; 2]) {
        let mut world = World::new(WorldConfig::default()).expect("valid");
        let floor = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("unit"));
        let floor = world.add_body(BodySpec::fixed().collider(floor)).expect("valid");
        let cube = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5)).expect("positive"));
        let cube =
            world.add_body(BodySpec::dynamic().pose(Pose::at(0.0, 0.5, 0.0)).collider(cube)).expect("valid");
        (world, [floor, cube])
    }

    /// Takes what a ray points at; which body, whatever it is.
    fn pick(hand: &mut Hand, world: &World, from: [f64; 3], along: [f64; 3]) -> Option<BodyHandle> {
        let ray = Ray::new(Position::from(from), Displacement::from(along)).expect("finite");
        let aim = Aim::of(world, &ray, &QueryFilter::default())?;
        hand.take(world, &aim);
        Some(aim.body)
    }

    #[test]
    fn what_is_held_follows_and_flies_on_when_it_is_let_go() {
        let (mut world, [_, cube]) = world();
        let mut hand = Hand::default();
        let eye = [0.2, 0.8, 5.0];
        assert_eq!(pick(&mut hand, &world, eye, [0.0, 0.0, -1.0]), Some(cube));
        // Up by 2 m at the distance of 4.5 m.
        hand.move_along(&Position::from(eye), &Displacement::new(0.0, 2.0, -4.0311));
        for _ in 0..120 {
            hand.pull(&mut world, 1.0 / 60.0, 5.0);
            world.step(1.0 / 60.0).expect("it steps");
        }
        let [point, target] = hand.line(&world).expect("it holds");
        assert!((point - target).norm() < 0.05, "{point} {target}");
        assert!((target.y - 2.8).abs() < 0.01, "{target}");
        // A throw: the hand moves on, and lets go.
        hand.move_along(&Position::from(eye), &Displacement::new(4.0, 4.0, -4.0));
        for _ in 0..6 {
            hand.pull(&mut world, 1.0 / 60.0, 5.0);
            world.step(1.0 / 60.0).expect("it steps");
        }
        hand.release();
        let before = world.velocity(cube).expect("it is there").0;
        assert!(before.x > 1.0, "{before}");
        hand.pull(&mut world, 1.0 / 60.0, 5.0);
        world.step(1.0 / 60.0).expect("it steps");
        let after = world.velocity(cube).expect("it is there").0;
        assert!((after.x - before.x).abs() < 1e-3 && after.y < before.y, "{before} {after}");
    }

    #[test]
    fn what_cannot_move_is_pointed_at_and_not_held() {
        let (mut world, [floor, cube]) = world();
        let mut hand = Hand::default();
        assert_eq!(pick(&mut hand, &world, [3.0, 1.0, 0.0], [0.0, -1.0, 0.0]), Some(floor));
        assert!(hand.line(&world).is_none());
        assert_eq!(pick(&mut hand, &world, [3.0, 1.0, 0.0], [0.0, 1.0, 0.0]), None);
        // A body that is removed is let go.
        pick(&mut hand, &world, [0.0, 5.0, 0.0], [0.0, -1.0, 0.0]);
        assert!(hand.line(&world).is_some());
        world.remove_body(cube).expect("it is there");
        hand.pull(&mut world, 1.0 / 60.0, 5.0);
        assert!(hand.line(&world).is_none());
        world.step(1.0 / 60.0).expect("it steps");
    }
}
