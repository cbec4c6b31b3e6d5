//! Contacts, events, rays, and what is likely to go badly.

use crate::body::{ds_body, number};
use crate::call::{Failure, call, change, ds_status, give, give_all, read};
use crate::collider::{ds_position, ds_vec3};
use crate::world::ds_world;
use drystone::math::Displacement;
use drystone::{EventDetail, EventKind, QueryFilter, Ray};
use std::ffi::{CString, c_char, c_void};

/// A contact point.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_contact {
    pub a: ds_body,
    pub b: ds_body,
    pub point: ds_position,
    /// Unit, from A to B.
    pub normal: ds_vec3,
    /// m; negative when overlapping.
    pub distance: f32,
    /// On B in the last step, N·s.
    pub impulse: ds_vec3,
}

/// What happened.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_event_kind {
    TriggerIn = 0,
    TriggerOut = 1,
    TouchBegin = 2,
    TouchPersist = 3,
    TouchEnd = 4,
    ProximityBegin = 5,
    ProximityPersist = 6,
    ProximityEnd = 7,
    TimerTick = 8,
    Hit = 9,
    /// Of a later version.
    Other = 10,
}

/// Something that happened in a step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_event {
    pub kind: ds_event_kind,
    /// s.
    pub time: f64,
    /// Of triggers: that of the trigger, then the other. Zero for ticks of timers.
    pub a: ds_body,
    pub b: ds_body,
    /// Of hits: closing speed, m/s.
    pub speed: f32,
}

/// What a ray hit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_ray_hit {
    pub body: ds_body,
    /// Along the ray, m; 0 for one that begins inside.
    pub distance: f64,
    pub point: ds_position,
    pub normal: ds_vec3,
}

/// Told of each finding: what is wrong, the bodies that it is about (zero for none), the figure and the bound that it passes.
pub type ds_finding_callback = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        message: *const c_char,
        a: ds_body,
        b: ds_body,
        value: f64,
        bound: f64,
    ),
>;

/// All contact points: as many as there is room for, and how many there are.
///
/// # Safety
/// `world` is one; `contacts` is null with a capacity of 0, or has room for `capacity` values; `count` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_contacts(
    world: *const ds_world,
    contacts: *mut ds_contact,
    capacity: usize,
    count: *mut usize,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { read(world, "world") }?.to_read()?;
        let all = world.contacts().map(|contact| ds_contact {
            a: number(contact.bodies[0]),
            b: number(contact.bodies[1]),
            point: (&contact.point).into(),
            normal: (&contact.normal).into(),
            distance: contact.distance,
            impulse: (&contact.impulse).into(),
        });
        // SAFETY: as the caller promises.
        unsafe { give_all(all, contacts, capacity, count) }
    })
}

fn event_of(event: &drystone::Event) -> ds_event {
    let kind = match event.kind() {
        EventKind::TriggerIn => ds_event_kind::TriggerIn,
        EventKind::TriggerOut => ds_event_kind::TriggerOut,
        EventKind::TouchBegin => ds_event_kind::TouchBegin,
        EventKind::TouchPersist => ds_event_kind::TouchPersist,
        EventKind::TouchEnd => ds_event_kind::TouchEnd,
        EventKind::ProximityBegin => ds_event_kind::ProximityBegin,
        EventKind::ProximityPersist => ds_event_kind::ProximityPersist,
        EventKind::ProximityEnd => ds_event_kind::ProximityEnd,
        EventKind::TimerTick => ds_event_kind::TimerTick,
        EventKind::Hit => ds_event_kind::Hit,
        _ => ds_event_kind::Other,
    };
    let (bodies, speed) = match &event.detail {
        EventDetail::Trigger(event) => (event.bodies.map(number), 0.0),
        EventDetail::Touch(event) => (event.bodies.map(number), 0.0),
        EventDetail::Proximity(event) => (event.bodies.map(number), 0.0),
        EventDetail::Hit(hit) => (hit.bodies.map(number), hit.speed),
        _ => ([0; 2], 0.0),
    };
    ds_event { kind, time: event.time, a: bodies[0], b: bodies[1], speed }
}

/// What happened since this was asked the last time, told one by one; `tell` may not call this world. Until then all is kept, without bound;
/// with "events.queue" set to "false" (`ds_config_set`) nothing is, and nothing told.
///
/// # Safety
/// `world` is one; `tell` may be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_take_events(
    world: *mut ds_world,
    tell: Option<unsafe extern "C" fn(user: *mut c_void, event: *const ds_event)>,
    user: *mut c_void,
) -> ds_status {
    call(|| {
        let tell = tell.ok_or_else(|| Failure::null("tell"))?;
        // SAFETY: as the caller promises.
        let world = unsafe { change(world, "world") }?.alive()?;
        for event in world.take_events() {
            // SAFETY: as the caller promises.
            unsafe { tell(user, &event_of(&event)) };
        }
        Ok(())
    })
}

/// What a ray hits first, not farther than `max_distance` (m, may be infinite). `has_hit` is false for a miss, and `hit` untouched.
///
/// # Safety
/// `world` is one; `has_hit` and `hit` are valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_cast_ray(
    world: *const ds_world,
    origin: ds_position,
    direction: ds_vec3,
    max_distance: f64,
    has_hit: *mut bool,
    hit: *mut ds_ray_hit,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { read(world, "world") }?.to_read()?;
        let way = Displacement::new(f64::from(direction.x), f64::from(direction.y), f64::from(direction.z));
        let ray = Ray::new(origin.into(), way)?;
        let found = world.cast_ray(&ray, max_distance, &QueryFilter::default())?;
        // SAFETY: as the caller promises.
        unsafe { give(has_hit, found.is_some(), "has_hit") }?;
        let Some(found) = found else { return Ok(()) };
        let told = ds_ray_hit {
            body: number(found.body),
            distance: found.hit.distance,
            point: (&found.hit.point).into(),
            normal: (&found.hit.normal).into(),
        };
        // SAFETY: as the caller promises.
        unsafe { give(hit, told, "hit") }
    })
}

/// What is likely to go badly with steps of `dt` seconds, told one by one, with the remedy; nothing is told when all is well.
///
/// # Safety
/// `world` is one; `tell` may be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_lint(
    world: *const ds_world,
    dt: f32,
    tell: ds_finding_callback,
    user: *mut c_void,
) -> ds_status {
    call(|| {
        let tell = tell.ok_or_else(|| Failure::null("tell"))?;
        // SAFETY: as the caller promises.
        for finding in unsafe { read(world, "world") }?.to_read()?.lint(dt)? {
            let [a, b] = finding.bodies.map(|body| body.map_or(0, number));
            let message = CString::new(finding.to_string()).unwrap_or_default();
            // SAFETY: as the caller promises.
            unsafe { tell(user, message.as_ptr(), a, b, finding.value, finding.bound) };
        }
        Ok(())
    })
}
