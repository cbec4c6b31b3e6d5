//! Triangle meshes and height fields from hostile lists.

use crate::input::Input;
use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_collision::query::{Ray, cast_ray, closest_points, project_point};
use drystone_collision::shape::{HeightField, TriangleMesh, closed_mesh_mass};
use drystone_math::{Displacement, Pose, Position, Real, RelativePose, Vector3};

/// Vertices, indices and heights of any kind: an error, or a surface whose search misses no triangle and whose queries give numbers.
///
/// # Panics
/// When a mesh that was accepted breaks a promise.
pub fn mesh(data: &[u8]) {
    let mut input = Input::new(data);
    let shape = if input.below(4) == 0 { field_of(&mut input) } else { mesh_of(&mut input) };
    let Some(shape) = shape else { return };
    let Some(solid) = input.convex() else { return };
    let scale = shape.bounding_radius();
    let near = input.vector() * (0.2 * scale);
    let pose = RelativePose::new(near, input.rotation());
    for (a, b, pose) in [(&shape, &solid, pose), (&solid, &shape, pose.inverse())] {
        let mut manifold = LocalManifold::default();
        contact(a, b, &pose, 0.01, &mut PairCache::default(), &mut manifold);
        for point in manifold.points() {
            let is_number = point.point.iter().chain(manifold.normal.iter()).all(|c| c.is_finite());
            assert!(is_number && point.distance <= 0.01, "{manifold:?}");
        }
    }
    ask(&shape, &solid, &pose, &mut input);
}

/// Rays, points and another shape.
fn ask(shape: &Shape, solid: &Shape, pose: &RelativePose, input: &mut Input<'_>) {
    let at = |v: &Vector3| Position::from(v.map(f64::from));
    let here = at(&pose.translation);
    let direction = input.direction().map(f64::from);
    if let Ok(ray) = Ray::new(here, direction)
        && let Some(hit) = cast_ray(shape, &Pose::IDENTITY, &ray, 1e9).expect("the distance is in range")
    {
        assert!((0.0..=1e9).contains(&hit.distance) && (hit.normal.norm() - 1.0).abs() < 1e-4, "{hit:?}");
    }
    if let Some(found) = project_point(shape, &Pose::IDENTITY, &here).expect("the point is finite") {
        let way: Displacement = found.point - here;
        let rounding = 1e-5 * (f64::from(shape.bounding_radius()) + here.coords.norm());
        assert!((way.norm() - found.distance.abs()).abs() <= rounding, "{found:?} from {here:?}");
    }
    let found = closest_points(shape, &Pose::IDENTITY, solid, &Pose::new(here, pose.rotation), f64::INFINITY);
    assert!(found.is_none_or(|found| found.distance.is_finite()), "{found:?}");
}

fn mesh_of(input: &mut Input<'_>) -> Option<Shape> {
    let kind = input.below(4);
    let scale = input.scale();
    let vertices: Vec<Vector3> = (0..input.below(40))
        .map(|_| match kind {
            0 => input.wild_vector(),
            1 => input.vector() * scale,
            _ => input.grid_vector() * scale,
        })
        .collect();
    let range = vertices.len() + usize::from(input.below(8) == 0);
    let triangles: Vec<[u32; 3]> =
        (0..input.below(64)).map(|_| [0; 3].map(|_| input.below(range) as u32)).collect();
    if let Ok(mass) = closed_mesh_mass(&vertices, &triangles, input.seldom_wild()) {
        assert!(mass.is_valid(), "{mass:?}");
    }
    let mesh = TriangleMesh::new(&vertices, &triangles).ok()?;
    let [min, max] = between(mesh.extents(), input);
    check_search(
        mesh.triangles().len(),
        |i| mesh.corners(i),
        [min, max],
        |visit| {
            mesh.search(&min, &max, |index, _| visit(index));
        },
    );
    Shape::mesh(&vertices, &triangles).ok()
}

fn field_of(input: &mut Input<'_>) -> Option<Shape> {
    let (rows, columns) = (input.below(9), input.below(9));
    let missing = usize::from(input.below(8) == 0);
    let heights: Vec<Real> = (0..rows * columns + missing).map(|_| input.seldom_wild()).collect();
    let cell = [input.seldom_wild().abs(), input.size()];
    let field = HeightField::new(rows, columns, &heights, cell).ok()?;
    let [min, max] = between(field.extents(), input);
    check_search(
        field.triangle_count(),
        |i| field.corners(i),
        [min, max],
        |visit| {
            field.search(&min, &max, |index, _| visit(index));
        },
    );
    Shape::height_field(rows, columns, &heights, cell).ok()
}

/// A box of points between two corners.
fn between([low, high]: [Vector3; 2], input: &mut Input<'_>) -> [Vector3; 2] {
    let mut point = || {
        let share = Vector3::from([0; 3].map(|_| Real::from(input.byte()) / 255.0));
        low + (high - low).component_mul(&share)
    };
    let (p, q) = (point(), point());
    [p.inf(&q), p.sup(&q)]
}

/// Every triangle whose box overlaps is visited, each once.
fn check_search(
    count: usize,
    corners: impl Fn(u32) -> [Vector3; 3],
    [min, max]: [Vector3; 2],
    search: impl FnOnce(&mut dyn FnMut(u32)),
) {
    let mut visits = vec![0; count];
    search(&mut |index| visits[index as usize] += 1);
    for (index, &visited) in (0u32..).zip(&visits) {
        let [a, b, c] = corners(index);
        let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
        let overlaps = (0..3).all(|axis| low[axis] <= max[axis] && min[axis] <= high[axis]);
        assert!(visited <= 1 && (visited == 1 || !overlaps), "triangle {index} visited {visited} times");
    }
}
