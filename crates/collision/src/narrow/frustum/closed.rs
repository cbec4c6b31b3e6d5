//! A cylinder or cone against a ball and against a half-space: closed forms.

use super::super::half_space::Plane;
use super::super::segment::unit;
use super::super::{LocalManifold, LocalPoint, MAX_POINTS};
use super::patch::Patch;
use super::placed::Placed;
use crate::shape::Frustum;
use drystone_math::{Real, RelativePose, Vector3};

/// A ball as A and a frustum as B.
///
/// In the half-plane through the axis and the ball's centre a frustum is a trapezoid: outside it the closest point of
/// its three sides decides, a centre inside is pushed out through the nearest one (of equal ones the side; a centre on
/// the axis of the frustum along its x axis).
pub(in super::super) fn sphere(
    radius: Real,
    solid: &Frustum,
    b_in_a: &RelativePose,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let center = -b_in_a.rotation.inverse_transform_vector(&b_in_a.translation);
    let across = Vector3::new(center.x, 0.0, center.z);
    let (radial, from_axis) = unit(&across).unwrap_or((Vector3::x(), 0.0));
    let Frustum { half_height, top, base } = *solid;
    let (n_across, n_along) = solid.side_normal();
    let side_height = n_across * (from_axis - base) + n_along * (center.y + half_height);
    let (top_height, base_height) = (center.y - half_height, -center.y - half_height);
    let side = (radial * n_across + Vector3::y() * n_along, side_height);
    let caps = [(top, top_height, Vector3::y()), (base, base_height, -Vector3::y())];
    // From here on in the frame of the frustum; `outward` points from it to the ball.
    let above = caps.iter().find(|(rim, height, _)| *height >= 0.0 && from_axis <= *rim);
    let (outward, core_distance) = if let Some((_, height, outward)) = above {
        (*outward, *height)
    } else if side_height.max(top_height).max(base_height) < 0.0 {
        let is_top = top > 0.0 && top_height > base_height;
        let (_, height, outward) = if is_top { caps[0] } else { caps[1] };
        if height > side_height { (outward, height) } else { side }
    } else {
        // The foot on the side, as a share of the way from the base's rim to the top's.
        let (across, along) = (top - base, 2.0 * half_height);
        let way = (from_axis - base) * across + (center.y + half_height) * along;
        let length_squared = across * across + along * along;
        let rim = |rim: Real, y: Real| {
            let offset = center - radial * rim - Vector3::y() * y;
            unit(&offset).unwrap_or((side.0, 0.0))
        };
        if way <= 0.0 {
            rim(base, -half_height)
        } else if way >= length_squared {
            rim(top, half_height)
        } else {
            side
        }
    };
    let on_solid = center - outward * core_distance;
    let distance = core_distance - radius;
    (manifold.normal, manifold.gap) = (b_in_a.rotation * -outward, distance);
    if distance <= margin {
        let point = b_in_a.transform_point(&(on_solid + outward * (0.5 * distance)));
        manifold.push(LocalPoint { point, distance, feature: 0 });
    }
}

/// Least cosine between the normals of a cap and of the plane it looks at for more than the cap's lowest point to count.
/// Further from flat no step lands on the cap, and what lies or rolls on its side would, looking ahead, be stopped by the
/// flanks of its own rims: they come down in front of it, but never to the ground.
const LEAST_FACING: Real = 0.5;

/// A frustum over a half-space: the lowest point of either rim, and of a cap that is within 60 degrees of lying flat three
/// more, a quarter of the rim apart. A rim that lies flat gives four points at fixed places; see `patch`.
pub(in super::super) fn half_space(
    solid: &Frustum,
    plane: &Plane,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let placed = Placed::at_home(*solid);
    let down = -plane.normal;
    (manifold.normal, manifold.gap) = (down, placed.lowest(&plane.normal) - plane.offset);
    if manifold.gap > margin {
        return;
    }
    let looks_up = down.y > 0.0;
    for is_top in [looks_up, !looks_up] {
        let Patch::Disc(disc) = placed.cap(is_top) else { continue };
        let is_facing = is_top == looks_up && disc.radius > 0.0 && down.y.abs() > LEAST_FACING;
        let (start, _) = disc.start(&down);
        let (towards, count) = if is_facing { (start, 4) } else { (lowest_of_rim(&down, &start), 1) };
        for quarter in 0..count {
            let corner = disc.corner(4 * quarter, &towards);
            let point = plane.contact(&corner, 0.0, disc.name + 4 * quarter as u32);
            if (manifold.count as usize) < MAX_POINTS {
                manifold.push_within(margin, point);
            }
        }
    }
}

/// Direction from the axis in which a rim is lowest along `down`, or `otherwise` where it is level.
fn lowest_of_rim(down: &Vector3, otherwise: &Vector3) -> Vector3 {
    unit(&Vector3::new(down.x, 0.0, down.z)).map_or(*otherwise, |(towards, _)| towards)
}
