//! Balls and capsules whose centre or axis is inside of a hull with nearly coplanar faces: there is a way out. Trusted: all axes in `f64`.

use crate::support::*;
use drystone_collision::Shape;
use drystone_collision::shape::{ConvexHull, HullEdge};
use drystone_math::{Displacement, Real, RelativePose, Rotation, Vector3, widen};

/// The solid under a dome of `corners` that falls by `fall` m at 1 m from its middle, and 1 m deep.
fn dome(corners: usize, fall: Real, rng: &mut Rng) -> Shape {
    let mut points = Vec::new();
    for _ in 0..corners {
        let (x, z) = (rng.within(-1.0, 1.0), rng.within(-1.0, 1.0));
        points.push(Vector3::new(x, -fall * (x * x + z * z), z));
    }
    for (x, z) in [(1.2, 1.2), (1.2, -1.2), (-1.2, -1.2), (-1.2, 1.2)] {
        points.extend([Vector3::new(x, -3.0 * fall, z), Vector3::new(x, -1.0, z)]);
    }
    Shape::hull(&points).expect("it has a volume")
}

/// A polytope and the ends of a segment, m, frame of the polytope.
struct Oracle {
    vertices: Vec<Displacement>,
    normals: Vec<Displacement>,
    edges: Vec<Displacement>,
    ends: [Displacement; 2],
}

impl Oracle {
    fn new(hull: &ConvexHull, pose: &RelativePose, half_length: Real) -> Self {
        let vertices: Vec<_> = hull.vertices.iter().map(widen).collect();
        let edge = |e: &HullEdge| vertices[e.vertices[1] as usize] - vertices[e.vertices[0] as usize];
        let half = widen(&(pose.rotation * Vector3::y())).normalize() * f64::from(half_length);
        Self {
            normals: hull.faces.iter().map(|f| widen(&f.normal).normalize()).collect(),
            edges: hull.edges.iter().map(|e| edge(e).normalize()).collect(),
            ends: [widen(&pose.translation) - half, widen(&pose.translation) + half],
            vertices,
        }
    }

    /// Signed gap along a unit vector out of the polytope, m.
    fn gap(&self, n: &Displacement) -> f64 {
        let highest = self.vertices.iter().map(|v| v.dot(n)).fold(f64::NEG_INFINITY, f64::max);
        self.ends[0].dot(n).min(self.ends[1].dot(n)) - highest
    }

    /// The largest over all face normals.
    fn widest_face(&self) -> f64 {
        self.normals.iter().map(|n| self.gap(n)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The largest over all crossings of an edge and the segment, and faces: minus the least depth of what overlaps.
    fn widest(&self) -> f64 {
        let way = self.ends[1] - self.ends[0];
        let crossing = |edge: &Displacement| {
            let cross = edge.cross(&way);
            let axis = cross.normalize();
            if cross.norm() > 1e-9 { self.gap(&axis).max(self.gap(&-axis)) } else { f64::NEG_INFINITY }
        };
        self.edges.iter().map(crossing).fold(self.widest_face(), f64::max)
    }
}

/// One core inside of one hull: the contact leads out, as deep as it must be up to the preference for faces (see `round_polytope`).
/// False where the core is not inside, up to rounding.
fn leads_out(hull: &Shape, half_length: Real, radius: Real, pose: &RelativePose) -> bool {
    let Shape::Hull(polytope) = hull else { panic!("made as a hull") };
    let oracle = Oracle::new(polytope, pose, half_length);
    let (truth, face) = (oracle.widest(), oracle.widest_face());
    let round = if half_length > 0.0 { capsule(half_length, radius) } else { sphere(radius) };
    let rounding = f64::from(4.0 * rounding(hull, &round, pose));
    if truth >= -rounding {
        return false;
    }
    let found = run(hull, &round, pose, 0.01);
    let center = polytope.unit_mass.center;
    let thinness =
        polytope.faces.iter().map(|f| f.offset - f.normal.dot(&center)).fold(Real::INFINITY, Real::min);
    let allowed = 0.02 * face.abs() + 1e-3 * f64::from(thinness) + rounding;
    let context =
        || format!("{truth} m, face {face} m, {polytope:?} {half_length} {radius} {pose:?} {found:?}");
    assert!(found.count > 0, "no contact: {}", context());
    let along = oracle.gap(&widen(&found.normal));
    assert!(along >= truth - allowed, "{along} m along the normal: {}", context());
    let depth = truth - f64::from(radius);
    assert!((f64::from(deepest(&found)) - depth).abs() <= allowed, "for {depth} m: {}", context());
    true
}

#[test]
fn cores_inside_of_nearly_coplanar_hulls_are_led_out() {
    let mut rng = Rng(90);
    let (mut balls, mut capsules) = (0, 0);
    for _ in 0..400 {
        let fall = 10f32.powf(rng.within(-6.5, -1.5));
        let hull = dome(4 + rng.below(30), fall, &mut rng);
        for k in 0..20 {
            let (x, z) = (rng.within(-0.9, 0.9), rng.within(-0.9, 0.9));
            let below = 10f32.powf(rng.within(-5.0, -1.0));
            let center = Vector3::new(x, -fall * (x * x + z * z) - below, z);
            let (angle, tilt) = (rng.within(0.0, 3.2), 10f32.powf(rng.within(-4.0, 0.0)) - 1e-4);
            let along = Vector3::new(angle.cos(), tilt, angle.sin());
            let turn = Rotation::rotation_between(&Vector3::y(), &along).expect("not opposite");
            let half_length = if k % 4 == 0 { 0.0 } else { 10f32.powf(rng.within(-2.0, 0.3)) };
            let radius = 10f32.powf(rng.within(-3.0, -1.0));
            let is_inside = leads_out(&hull, half_length, radius, &RelativePose::new(center, turn));
            *if half_length > 0.0 { &mut capsules } else { &mut balls } += u32::from(is_inside);
        }
    }
    assert!(balls > 1_000 && capsules > 4_000, "{balls} {capsules}");
}

/// Near the edges and corners of the dome, where rounding may put the centre beside both faces.
#[test]
fn balls_under_an_edge_of_nearly_coplanar_faces_are_led_out() {
    let mut rng = Rng(91);
    let mut inside = 0;
    for _ in 0..40 {
        let fall = 10f32.powf(rng.within(-7.0, -3.0));
        let hull = dome(4 + rng.below(30), fall, &mut rng);
        let Shape::Hull(polytope) = &hull else { panic!("made as a hull") };
        for edge in &polytope.edges {
            let [p, q] = edge.vertices.map(|v| polytope.vertices[v as usize]);
            let normal = polytope.faces[edge.faces[0] as usize].normal;
            for share in [0.0, 0.01, 0.3, 0.5, 0.999] {
                let below = 10f32.powf(rng.within(-5.0, -0.7));
                let place = p + (q - p) * share - normal * below + rng.vector(1e-6);
                let pose = RelativePose::new(place, Rotation::identity());
                inside += u32::from(leads_out(&hull, 0.0, 0.02, &pose));
            }
        }
    }
    assert!(inside > 3_000, "{inside}");
}

/// A rod in a block whose top falls by 3 mm from a square of 1 m to the rim: it lies under a diagonal edge, beside the square, whose plane
/// is nearest. There was no contact, and it fell through.
#[test]
fn a_rod_inside_of_a_block_with_shoulders_is_held() {
    let mut points = Vec::new();
    for (half, y) in [(0.5, 0.0), (2.0, -0.003), (2.0, -3.0)] {
        points.extend(
            [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)]
                .map(|(x, z)| Vector3::new(half * x, y, half * z)),
        );
    }
    let block = Shape::hull(&points).expect("it has a volume");
    let turn =
        Rotation::rotation_between(&Vector3::y(), &Vector3::new(-1.0, 0.0, 1.0)).expect("not opposite");
    for below in [0.05, 0.2, 0.5, 1.0] {
        let pose = RelativePose::new(Vector3::new(1.0, -below, 1.0), turn);
        assert!(leads_out(&block, 1.2728, 0.02, &pose), "{below} m below");
    }
}

/// An axis under the edge of a box, at depths below and above what faces are preferred by.
#[test]
fn an_axis_just_under_an_edge_is_led_outwards() {
    let mut rng = Rng(92);
    let cube = box_hull(0.5, 0.5, 0.5);
    let mut inside = 0;
    for _ in 0..20_000 {
        let along = Vector3::new(1.0, -1.0, rng.within(-0.5, 0.5)) + rng.vector(0.3);
        let turn = Rotation::rotation_between(&Vector3::y(), &along).expect("not opposite");
        let under = 10f32.powf(rng.within(-6.0, -2.5));
        let place = Vector3::new(0.5 - under, 0.5 - under, rng.within(-0.45, 0.45)) + rng.vector(under);
        inside += u32::from(leads_out(&cube, 0.2, 0.05, &RelativePose::new(place, turn)));
    }
    assert!(inside > 10_000, "{inside}");
}
