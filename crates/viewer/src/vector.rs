//! The little vector algebra that drawing needs, on plain arrays.

/// A vector or point in m, usually relative to the recording's origin.
pub(crate) type Vec3 = [f32; 3];
/// A unit quaternion (x, y, z, w).
pub(crate) type Quat = [f32; 4];

pub(crate) fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scale(a: Vec3, s: f32) -> Vec3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

pub(crate) fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: Vec3) -> f32 {
    dot(a, a).sqrt()
}

/// The unit vector along `a`, or `otherwise` where `a` has no direction.
pub(crate) fn unit_or(a: Vec3, otherwise: Vec3) -> Vec3 {
    let size = length(a);
    if size > 1e-12 && size.is_finite() { scale(a, 1.0 / size) } else { otherwise }
}

pub(crate) fn mix(a: Vec3, b: Vec3, t: f32) -> Vec3 {
    add(scale(a, 1.0 - t), scale(b, t))
}

/// `v` turned by the unit quaternion `q`.
pub(crate) fn rotate(q: Quat, v: Vec3) -> Vec3 {
    let axis = [q[0], q[1], q[2]];
    let twice = scale(cross(axis, v), 2.0);
    add(add(v, scale(twice, q[3])), cross(axis, twice))
}

/// The rotation that undoes `q`.
pub(crate) fn conjugate(q: Quat) -> Quat {
    [-q[0], -q[1], -q[2], q[3]]
}

/// First `b`, then `a`.
pub(crate) fn compose(a: Quat, b: Quat) -> Quat {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// The unit quaternion along `q`, or no rotation where `q` has no direction.
pub(crate) fn unit_quat(q: Quat) -> Quat {
    let size = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    if size > 1e-12 && size.is_finite() { q.map(|c| c / size) } else { [0.0, 0.0, 0.0, 1.0] }
}

/// A unit vector across the unit vector `a`.
pub(crate) fn perpendicular(a: Vec3) -> Vec3 {
    let least = if a[0].abs() <= a[1].abs() && a[0].abs() <= a[2].abs() {
        [1.0, 0.0, 0.0]
    } else if a[1].abs() <= a[2].abs() {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    unit_or(cross(a, least), [1.0, 0.0, 0.0])
}

/// The largest whole number at or below `x`; `f32::floor` is a call where the processor is not known.
pub(crate) fn whole_below(x: f32) -> i32 {
    let towards_zero = x as i32;
    towards_zero - i32::from(towards_zero as f32 > x)
}

/// 0 below `low`, 1 above `high`, smooth in between.
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composing_rotations_equals_rotating_twice() {
        let a = unit_quat([0.3, -0.2, 0.7, 0.5]);
        let b = unit_quat([-0.1, 0.9, 0.2, 0.4]);
        let v = [1.0, -2.0, 0.5];
        let (twice, once) = (rotate(a, rotate(b, v)), rotate(compose(a, b), v));
        assert!(length(sub(twice, once)) < 1e-5, "{twice:?} {once:?}");
        assert!(length(sub(rotate(conjugate(a), rotate(a, v)), v)) < 1e-5);
    }
}
