//! Solids against surfaces of triangles (meshes and height fields): several manifolds per pair.
//!
//! In: a surface, a solid and where it is, a margin. Out: [`SurfaceContacts`]: up to [`MAX_PATCHES`] manifolds, each of
//! contacts with about the same normal, in places that they keep from step to step. Start reading at [`surface_contacts`].
//!
//! A surface has a front and a back, as in Jolt and Box3D, and touches from the front alone. Each triangle near the solid is
//! met as the wedge of solid behind it, by the code for boxes and hulls. What that tells is then judged by what is around:
//! - **Inner edges never catch.** A contact along a direction `m` other than the triangle's normal is one of its rim. It
//!   counts only if the whole surface around the point lies below the plane square to `m` there: the Voronoi region of an edge
//!   or a corner, found without any adjacency by looking at the triangles there. So it makes no difference whether triangles share
//!   vertices, only places, or meet at T-junctions. What does not count is a contact along the triangle's own normal instead, where
//!   the solid lies above it.
//! - **Directions near the normal are the normal** (`NEAR_NORMAL`): edges of a smooth ground do not show.
//! - **What has sunk in** with its centre comes out in front: of the triangle nearest to the centre the centre is pushed
//!   away until it is in front by the solid's inner radius. The limit is that the surface is inside of the solid: what has passed
//!   whole within a step is behind, and stays.
//! - **What is beside an open rim**, with its centre below the plane of the triangles there, is not under them: it meets the rim alone.
//! - **What is out in the open** past a wall thinner than the wedge is not in it, unless the solid has come in through the triangle.
//!
//! All is computed seen from the origin of the solid, so that large surfaces cost no digits. Nothing allocates, and the answer
//! depends on input and memory alone.

mod facets;
mod patches;

pub use patches::{MAX_PATCHES, SurfaceContacts, SurfaceMemory};

use super::{LocalManifold, MAX_OFFSET, NarrowStatus};
use crate::Shape;
use crate::shape::Surface;
use drystone_math::{Displacement, Real, RelativePose, Rotation, Vector3, widen};
use facets::Solid;
use patches::Patches;

/// Cosine of the angle, 10 degrees, within which a direction counts as the triangle's normal. Larger hides larger bumps, smaller
/// lets a tilted box meet an edge of the ground along its own face.
const NEAR_NORMAL: Real = 0.985;

/// Contacts of a solid (not a surface, not a half-space) with `surface`.
///
/// `origin` is the solid's origin in the frame of the surface, m, `rotation` turns from the solid's frame to the surface's.
/// Contacts within `margin` (m) are reported. `contacts` is overwritten: normals from the surface to the solid, points in the axes of
/// the surface relative to the solid's origin. `memory` belongs to the pair: it keeps places and names of points.
///
/// O(log n + triangles in the solid's box). Total: what is not finite or beyond [`MAX_OFFSET`] touches nothing.
pub fn surface_contacts(
    surface: &Surface<'_>,
    solid: &Shape,
    origin: &Displacement,
    rotation: &Rotation,
    margin: Real,
    memory: &mut SurfaceMemory,
    contacts: &mut SurfaceContacts,
) -> NarrowStatus {
    contacts.clear();
    let is_usable = origin.amax() <= f64::from(MAX_OFFSET) && (rotation.coords * 0.0).sum() == 0.0;
    let Some(solid) = Solid::new(surface, solid, origin, rotation, margin).filter(|_| is_usable) else {
        memory.forget();
        return NarrowStatus::Exact;
    };
    let mut patches = Patches::new(&solid);
    let status = solid.collect(&mut patches);
    patches.finish(memory, contacts);
    if patches.is_limited() { NarrowStatus::RoundLimit } else { status }
}

/// The deepest manifold of a surface (A) and a solid (B) at `pose`, for those who take one: see [`super::contact`].
pub(super) fn deepest_contact(
    surface: &Surface<'_>,
    solid: &Shape,
    pose: &RelativePose,
    margin: Real,
    manifold: &mut LocalManifold,
) -> NarrowStatus {
    let (mut memory, mut contacts) = (SurfaceMemory::default(), SurfaceContacts::default());
    let origin = widen(&pose.translation);
    let status =
        surface_contacts(surface, solid, &origin, &pose.rotation, margin, &mut memory, &mut contacts);
    let deepest = contacts
        .patches
        .iter()
        .filter(|patch| patch.count > 0)
        .reduce(|best, patch| if patch.deepest() < best.deepest() { patch } else { best });
    if let Some(deepest) = deepest {
        *manifold = *deepest;
        manifold.points_mut().iter_mut().for_each(|point| point.point += pose.translation);
    }
    status
}

/// Half the edges (m) of the box around a solid turned by `rotation`, and its middle relative to the solid's origin.
fn box_of(solid: &Shape, rotation: &Rotation) -> [Vector3; 2] {
    let axis = |k: usize| {
        let mut unit = Vector3::zeros();
        unit[k] = 1.0;
        let local = rotation.inverse_transform_vector(&unit);
        (solid.reach(&local), -solid.reach(&-local))
    };
    let reaches = [axis(0), axis(1), axis(2)];
    let high = Vector3::from(reaches.map(|(high, _)| high));
    let low = Vector3::from(reaches.map(|(_, low)| low));
    [(high + low) * 0.5, (high - low) * 0.5]
}
