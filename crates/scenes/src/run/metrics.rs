//! Measures of a world, from poses, velocities and contact distances alone.

use super::build::{BuiltShape, mass_properties};
use super::outcome::Quality;
use crate::model::{Body, Kind, Scene, Standing};
use drystone::math::inertia::MassProperties;
use drystone::math::{Position, Real, Rotation, Vector3};
use drystone::{BodyHandle, World};

/// A body of the scene during a run.
#[derive(Debug)]
pub(super) struct Tracked {
    pub(super) shape: BuiltShape,
    /// While it is in the world.
    pub(super) handle: Option<BodyHandle>,
    pub(super) is_dynamic: bool,
    /// Of dynamic bodies.
    mass: Option<MassProperties>,
    /// Where it should stay.
    home: Option<Position>,
    /// The engine gave it up.
    pub(super) is_quarantined: bool,
}

impl Tracked {
    pub(super) fn new(scene: &Scene, body: &Body, shape: BuiltShape, density: Real) -> Self {
        let is_dynamic = body.kind == Kind::Dynamic;
        let stands = match &scene.standing {
            Standing::None => false,
            Standing::All => is_dynamic,
            Standing::Bodies(names) => names.contains(&body.name),
        };
        Self {
            mass: is_dynamic.then(|| mass_properties(body, &shape, density)).flatten(),
            shape,
            handle: None,
            is_dynamic,
            home: stands.then(|| Position::from(body.position)),
            is_quarantined: false,
        }
    }
}

/// What the contact points of a world say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Contacts {
    /// Number of points, near ones and those of sleepers included.
    pub(super) count: u32,
    /// Deepest overlap, m.
    pub(super) deepest: f64,
    /// Mean overlap of those that overlap, m.
    pub(super) mean: f64,
}

impl Contacts {
    pub(super) fn of(world: &World) -> Self {
        let (mut all, mut sum, mut overlapping) = (Self::default(), 0.0, 0_u32);
        for contact in world.contacts() {
            all.count += 1;
            // False for a distance that is not a number.
            if contact.distance < 0.0 {
                let depth = f64::from(-contact.distance);
                all.deepest = all.deepest.max(depth);
                sum += depth;
                overlapping += 1;
            }
        }
        all.mean = sum / f64::from(overlapping.max(1));
        all
    }
}

/// Farthest that what a joint of a world holds together is apart, m; infinite for what is no number.
pub(super) fn stretch(world: &World) -> f64 {
    let of = |(handle, _)| world.joint(handle).map_or(0.0, |joint| f64::from(joint.error[0]));
    let worst = |worst: f64, error: f64| if error.is_finite() { worst.max(error) } else { f64::INFINITY };
    world.joints().map(of).fold(0.0, worst)
}

/// Measures at the end of a run.
pub(super) fn quality(world: &World, scene: &Scene, tracked: &[Tracked], pen_run_max_m: f64) -> Quality {
    let contacts = Contacts::of(world);
    let mut quality = Quality {
        pen_end_max_m: contacts.deepest,
        pen_end_mean_m: contacts.mean,
        pen_run_max_m: pen_run_max_m.max(contacts.deepest),
        ..Quality::default()
    };
    for body in tracked {
        let Some(handle) = body.handle else { continue };
        let (Ok(pose), Ok((linear, angular))) = (world.pose(handle), world.velocity(handle)) else {
            quality.lost += usize::from(body.is_dynamic);
            continue;
        };
        let is_finite = pose.is_finite() && linear.iter().chain(angular.iter()).all(|c| c.is_finite());
        // An origin may lie on the surface or outside of a hull, and so below the ground the body rests on.
        let center = body.mass.as_ref().map_or(pose.translation, |mass| pose.transform_point(&mass.center));
        let is_inside = scene.bounds.is_none_or(|b| b.contains(&center.coords.into()));
        if body.is_dynamic && (body.is_quarantined || !is_finite || !is_inside) {
            quality.lost += 1;
        }
        if let Some(home) = body.home {
            let way = (pose.translation - home).norm();
            quality.drift_max_m = quality.drift_max_m.max(if way.is_finite() { way } else { f64::INFINITY });
        }
        if let Some(mass) = &body.mass
            && is_finite
        {
            quality.kinetic_energy_end_j += kinetic_energy(mass, &pose.rotation, &linear, &angular);
        }
    }
    quality
}

/// Kinetic energy of a solid, J: (m v² + ω·Iω) / 2, in `f64`.
pub(crate) fn kinetic_energy(
    mass: &MassProperties,
    rotation: &Rotation,
    linear: &Vector3,
    angular: &Vector3,
) -> f64 {
    let spin = (rotation * mass.frame).inverse() * angular;
    let square = |v: Real| f64::from(v) * f64::from(v);
    let turning: f64 = (0..3).map(|i| f64::from(mass.principal[i]) * square(spin[i])).sum();
    let moving: f64 = linear.iter().map(|&v| square(v)).sum();
    0.5 * (f64::from(mass.mass) * moving + turning)
}

/// Kinetic energy of all dynamic bodies, J; those that are not finite are left out.
pub(super) fn total_kinetic_energy(world: &World, tracked: &[Tracked]) -> f64 {
    let energy = |body: &Tracked| {
        let (mass, handle) = (body.mass.as_ref()?, body.handle?);
        let (pose, (linear, angular)) = (world.pose(handle).ok()?, world.velocity(handle).ok()?);
        Some(kinetic_energy(mass, &pose.rotation, &linear, &angular)).filter(|e| e.is_finite())
    };
    tracked.iter().filter_map(energy).sum()
}
