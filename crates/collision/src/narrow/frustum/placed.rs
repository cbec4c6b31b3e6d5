//! A cylinder or cone in the frame of a contact, and which part of it looks along a direction.

use super::super::segment::{Segment, unit};
use super::patch::{Disc, Line, Patch};
use crate::shape::Frustum;
use drystone_math::{Real, RelativePose, Vector3};

/// Names of the corners of the base begin here; those of the top at 0.
const NAME_BASE: u32 = 16;

/// A cylinder or cone with its place.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub solid: Frustum,
    /// Middle of the height, m.
    pub center: Vector3,
    /// Unit, from the base to the top.
    pub axis: Vector3,
    /// Unit, square to the axis: the x axis of its frame.
    zero: Vector3,
}

/// The caps of a solid, without an apex.
const CAPS: [bool; 2] = [true, false];

impl Placed {
    /// In its own frame.
    pub(super) fn at_home(solid: Frustum) -> Self {
        Self { solid, center: Vector3::zeros(), axis: Vector3::y(), zero: Vector3::x() }
    }

    /// In the frame that sees its own at `pose`.
    pub(super) fn new(solid: Frustum, pose: &RelativePose) -> Self {
        Self {
            solid,
            center: pose.translation,
            axis: pose.rotation * Vector3::y(),
            zero: pose.rotation * Vector3::x(),
        }
    }

    /// Height of the lowest point along the unit `direction`, m.
    pub(super) fn lowest(&self, direction: &Vector3) -> Real {
        let cosine = self.axis.dot(direction);
        let sine = (direction - self.axis * cosine).norm();
        let h = self.solid.half_height * cosine;
        self.center.dot(direction) + (h - self.solid.top * sine).min(-h - self.solid.base * sine)
    }

    /// Height of a point above its surface, m; see [`Frustum::height`].
    pub(super) fn height(&self, point: &Vector3) -> Real {
        let arm = point - self.center;
        let along = arm.dot(&self.axis);
        // `Frustum::height` reads the distance from the axis and the place along it only.
        let across = (arm - self.axis * along).norm();
        self.solid.height(&Vector3::new(across, along, 0.0))
    }

    /// The caps: which one, its outward unit normal, its distance (m) from the origin along it.
    pub(super) fn caps(&self) -> impl Iterator<Item = (bool, Vector3, Real)> {
        let Self { solid, center, axis, .. } = *self;
        CAPS.into_iter().filter(move |is_top| !is_top || solid.top > 0.0).map(move |is_top| {
            let normal = if is_top { axis } else { -axis };
            (is_top, normal, center.dot(&normal) + solid.half_height)
        })
    }

    /// A cap.
    pub(super) fn cap(&self, is_top: bool) -> Patch {
        let (normal, radius) =
            if is_top { (self.axis, self.solid.top) } else { (-self.axis, self.solid.base) };
        let center = self.center + normal * self.solid.half_height;
        Patch::Disc(Disc {
            center,
            normal,
            radius,
            zero: self.zero,
            name: if is_top { 0 } else { NAME_BASE },
        })
    }

    /// The line of the side that looks along the unit `direction` most: from the base to the top.
    pub(super) fn side(&self, direction: &Vector3) -> Line {
        let square_to_axis = |v: &Vector3| v - self.axis * self.axis.dot(v);
        let across = square_to_axis(direction);
        // Along the axis rounding is all that is left, and may point anywhere: then a second pass takes most of it.
        let again = square_to_axis(&across);
        let is_across = again.norm_squared() > 0.5 * across.norm_squared();
        let radial = unit(&again).filter(|_| is_across).map_or(self.zero, |(radial, _)| radial);
        let Frustum { half_height, top, base } = self.solid;
        let ends = [
            self.center - self.axis * half_height + radial * base,
            self.center + self.axis * half_height + radial * top,
        ];
        Line { ends, radii: [base, top], names: [NAME_BASE, 0] }
    }

    /// The cap or the line of the side whose normal goes along the unit `direction` most.
    pub(super) fn facing(&self, direction: &Vector3) -> Patch {
        let cosine = self.axis.dot(direction);
        let sine = (direction - self.axis * cosine).norm();
        let (across, along) = self.solid.side_normal();
        let side = across * sine + along * cosine;
        if self.solid.top > 0.0 && cosine > side {
            self.cap(true)
        } else if -cosine > side {
            self.cap(false)
        } else {
            Patch::Line(self.side(direction))
        }
    }

    /// The axis of a cylinder; `None` for a cone.
    pub(super) fn cylinder_axis(&self) -> Option<(Segment, Real)> {
        let Frustum { half_height, top, base } = self.solid;
        let segment = Segment { center: self.center, direction: self.axis, half_length: half_height };
        (top == base).then_some((segment, base))
    }
}
