//! What a ray points at among what is seen. Hidden bodies (walls of a cage, a drum) are outlines at most: who looks through them means what is behind.

use drystone::math::{Pose, Position};
use drystone::{BodyHandle, ColliderHandle, QueryFilter, Ray, Shape, World};
use drystone_scenes::Runner;

/// Places on the way of a ball that are looked at.
const MOST_PLACES: u32 = 512;

/// What a ray points at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    pub(crate) body: BodyHandle,
    /// Where it is met.
    pub(crate) point: Position,
    /// How far from the beginning of the ray, m.
    pub(crate) distance: f64,
}

impl Aim {
    /// The first body on a ray that a filter lets through.
    pub(crate) fn of(world: &World, ray: &Ray, filter: &QueryFilter<'_>) -> Option<Self> {
        let found = world.cast_ray(ray, f64::INFINITY, filter).ok()??;
        Some(Self { body: found.body, point: found.hit.point, distance: found.hit.distance })
    }

    /// The first body on a ray that is not hidden.
    pub(crate) fn at_seen(runner: &Runner, ray: &Ray) -> Option<Self> {
        let is_seen = |body: BodyHandle, _: ColliderHandle| !is_hidden(runner, body);
        Self::of(runner.world(), ray, &QueryFilter::default().only(&is_seen))
    }
}

/// How far along a ray a ball begins (m) to fly freely to what is `distance` (m) away: at once or, where something hidden is in between, behind that. Where
/// it has no room there, in the next free place beyond; `None` where there is none. The ball is looked at in places as far apart as its radius; on the way
/// farther apart where these were more than 512.
pub(crate) fn free_start(
    runner: &Runner,
    ray: &Ray,
    distance: f64,
    ball: &Shape,
    radius: f64,
) -> Option<f64> {
    let hidden = |body: BodyHandle, _: ColliderHandle| is_hidden(runner, body);
    let filter = QueryFilter::default().only(&hidden);
    let is_free = |along: f64| {
        let place = ray.at(along);
        let found = runner.world().overlap(ball, &Pose::at(place.x, place.y, place.z), &filter);
        found.is_ok_and(|found| found.is_none())
    };
    let step = radius.max(distance / f64::from(MOST_PLACES));
    let count = (distance / step).ceil() as u32;
    let back = (0..=count).map(|k| (distance - f64::from(k) * step).max(0.0));
    let stretch = back.skip_while(|&along| !is_free(along)).take_while(|&along| is_free(along));
    // Where what is aimed at leaves no room before a wall, into it: better than in the wall, which would throw the ball out.
    stretch
        .last()
        .or_else(|| (1..=MOST_PLACES).map(|k| distance + f64::from(k) * radius).find(|&along| is_free(along)))
}

fn is_hidden(runner: &Runner, body: BodyHandle) -> bool {
    let facts = runner.world().body(body).ok();
    let index = facts.and_then(|facts| usize::try_from(facts.user_data).ok());
    index.and_then(|index| runner.scene().bodies.get(index)).is_some_and(|spec| spec.hidden)
}
