//! Faces of many corners, split into triangles.
//!
//! Method: ears (Meisters 1975). A corner whose triangle with its two neighbours has no other corner in it is cut off, until three are left. O(n²) for n
//! corners where an ear is never far, O(n³) at worst.

use drystone::math::{Real, Vector3};

/// Most corners of a face that is not convex.
const MOST: usize = 4096;
/// Sine of the angle by which a corner may turn back in a face that counts as convex: corners on an edge do by rounding.
const STRAIGHT: Real = 1e-3;

/// The faces that a face is split into, by places in `around`: itself where it is convex, since triangles about its first corner are right then.
///
/// # Errors
/// One that is not convex and has too many corners, in words.
pub(super) fn triangles_of(around: &[[Real; 3]]) -> Result<Vec<Vec<usize>>, String> {
    let whole = (0..around.len()).collect::<Vec<_>>();
    let corners: Vec<Vector3> = around.iter().map(|corner| Vector3::from(*corner)).collect();
    // Twice its area, along its normal (Newell); about the first corner, so that far ones do not lose digits.
    let arms: Vec<Vector3> = corners.iter().map(|corner| corner - corners[0]).collect();
    let normal: Vector3 = arms.windows(2).map(|pair| pair[0].cross(&pair[1])).sum();
    let turn = |a: usize, b: usize, c: usize| {
        (corners[b] - corners[a]).cross(&(corners[c] - corners[b])).dot(&normal)
    };
    let count = corners.len();
    let is_straight = |k: usize| {
        let [a, b, c] = [k, (k + 1) % count, (k + 2) % count];
        let lengths = (corners[b] - corners[a]).norm() * (corners[c] - corners[b]).norm();
        turn(a, b, c) >= -STRAIGHT * lengths * normal.norm()
    };
    if count <= 3 || (0..count).all(is_straight) {
        return Ok(vec![whole]);
    }
    if count > MOST {
        return Err(format!("a face that is not convex has {count} corners, at most {MOST} are split"));
    }
    let mut left = whole;
    let mut triangles = Vec::with_capacity(count - 2);
    let mut k = 0;
    while left.len() > 3 {
        let size = left.len();
        let ear = |&k: &usize| {
            let [a, b, c] = [left[(k + size - 1) % size], left[k], left[(k + 1) % size]];
            let is_in = |&p: &usize| {
                // Where an edge leads to a hole and back, corners come twice.
                ![a, b, c].iter().any(|&own| corners[own] == corners[p])
                    && turn(a, b, p) >= 0.0
                    && turn(b, c, p) >= 0.0
                    && turn(c, a, p) >= 0.0
            };
            turn(a, b, c) > 0.0 && !left.iter().any(is_in)
        };
        // A face that crosses itself may have no ear: then any corner is as good.
        k = (0..size).map(|step| (k + step) % size).find(ear).unwrap_or(0);
        triangles.push(vec![left[(k + size - 1) % size], left[k], left[(k + 1) % size]]);
        left.remove(k);
    }
    triangles.push(left);
    Ok(triangles)
}
