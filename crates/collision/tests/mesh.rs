//! Meshes and height fields as shapes: what is refused, what is dropped, what is found in a box, and the mass of what is closed.

use drystone_collision::shape::{HeightField, TriangleMesh, closed_mesh_mass};
use drystone_collision::{Shape, ShapeError};
use drystone_math::inertia::MassProperties;
use drystone_math::{Real, Rotation, Vector3};
use proptest::prelude::*;

fn points(list: &[[Real; 3]]) -> Vec<Vector3> {
    list.iter().copied().map(Vector3::from).collect()
}

/// A box from `low` to `high` as twelve triangles, seen from outside counter-clockwise.
fn box_mesh(low: [Real; 3], high: [Real; 3]) -> (Vec<Vector3>, Vec<[u32; 3]>) {
    let corner =
        |i: usize| Vector3::from_fn(|axis, _| if i >> axis & 1 == 1 { high[axis] } else { low[axis] });
    let sides: [[u32; 4]; 6] =
        [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

#[test]
fn what_is_no_mesh_is_refused_by_name_and_value() {
    let good = points(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    let refused = |vertices: &[Vector3], triangles: &[[u32; 3]]| {
        Shape::mesh(vertices, triangles).expect_err("refused").to_string()
    };
    let bad = |x: Real| points(&[[0.0, 0.0, 0.0], [1.0, x, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(refused(&bad(Real::NAN), &[[0, 1, 2]]), "vertices[1] must be finite, got (1, NaN, 0)");
    assert!(refused(&bad(2e6), &[[0, 1, 2]]).starts_with("vertices[1] must lie within 1000000 m"));
    assert_eq!(
        refused(&good, &[[0, 1, 2], [0, 7, 1]]),
        "triangles[1] names vertex 7, but there are 3 vertices"
    );
    assert_eq!(refused(&good, &[]), "a mesh needs a triangle with an area, none of the 0 given has one");
    assert_eq!(refused(&[], &[]), "a mesh needs a triangle with an area, none of the 0 given has one");
    assert!(refused(&good, &[[0, 1, 1], [2, 2, 2]]).contains("none of the 2 given"));
}

#[test]
fn triangles_without_area_and_doubles_are_dropped_and_counted() {
    let mut vertices = points(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]);
    // The same places once more, one with a negative zero.
    vertices.extend(points(&[[-0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]));
    let triangles = [[0, 2, 1], [0, 1, 3], [2, 1, 0], [5, 4, 6], [0, 1, 2], [3, 3, 1], [1, 6, 3]];
    let mesh = TriangleMesh::new(&vertices, &triangles).expect("a mesh");
    assert_eq!((mesh.dropped().degenerate, mesh.dropped().duplicate), (2, 2));
    // The other way round is another triangle.
    assert_eq!(mesh.triangles(), [[0, 2, 1], [0, 1, 2], [1, 6, 3]]);
}

#[test]
fn what_is_no_height_field_is_refused_by_name_and_value() {
    let refused = |rows, columns, heights: &[Real], cell| {
        Shape::height_field(rows, columns, heights, cell).expect_err("refused").to_string()
    };
    assert!(refused(1, 3, &[0.0; 3], [1.0, 1.0]).starts_with("rows of a height field must be between 2"));
    assert!(refused(2, usize::MAX, &[0.0; 3], [1.0, 1.0]).starts_with("columns of a height field"));
    assert!(refused(2, 2, &[0.0; 3], [1.0, 1.0]).ends_with("has 4 heights, got 3"));
    assert!(refused(2, 2, &[0.0; 4], [1.0, 0.0]).starts_with("cell[1] must be"));
    let heights = [0.0, 0.0, 0.0, Real::NAN];
    assert!(refused(2, 2, &heights, [1.0, 1.0]).starts_with("the height at row 1, column 1 must be finite"));
    assert!(
        refused(2, 30_000, &vec![0.0; 60_000], [100.0, 1.0]).starts_with("columns * cell[0] / 2 must be")
    );
}

/// Triangles found in a box are those whose own boxes meet it, each once.
fn check_search(
    search: impl Fn(&Vector3, &Vector3) -> Vec<u32>,
    all: &[[Vector3; 3]],
    at: Vector3,
    half: Vector3,
) {
    let (min, max) = (at - half, at + half);
    let mut found = search(&min, &max);
    found.sort_unstable();
    let expected: Vec<u32> = (0..)
        .zip(all)
        .filter(|(_, [a, b, c])| {
            let (low, high) = (a.inf(b).inf(c), a.sup(b).sup(c));
            (0..3).all(|i| low[i] <= max[i] && min[i] <= high[i])
        })
        .map(|(index, _)| index)
        .collect();
    assert_eq!(found, expected);
}

fn vector(range: std::ops::Range<Real>) -> impl Strategy<Value = Vector3> {
    prop::array::uniform3(range).prop_map(Vector3::from)
}

proptest! {
    #[test]
    fn a_mesh_finds_all_triangles_in_a_box(
        vertices in prop::collection::vec(vector(-5.0..5.0), 3..60),
        picks in prop::collection::vec(prop::array::uniform3(0_u32..60), 1..300),
        at in vector(-6.0..6.0), half in vector(0.0..4.0),
    ) {
        let count = vertices.len() as u32;
        let triangles: Vec<_> = picks.iter().map(|t| t.map(|i| i % count)).collect();
        let Ok(mesh) = TriangleMesh::new(&vertices, &triangles) else { return Ok(()) };
        prop_assert_eq!(mesh.triangles().len() + mesh.dropped().degenerate + mesh.dropped().duplicate, triangles.len());
        let all: Vec<_> = (0..mesh.triangles().len() as u32).map(|i| mesh.corners(i)).collect();
        let search = |min: &Vector3, max: &Vector3| {
            let mut found = Vec::new();
            mesh.search(min, max, |i, corners| { assert_eq!(*corners, mesh.corners(i)); found.push(i); });
            found
        };
        check_search(search, &all, at, half);
    }

    #[test]
    fn a_field_finds_all_triangles_in_a_box(
        rows in 2_usize..9, columns in 2_usize..9, seed in prop::collection::vec(-2.0_f32..2.0, 64),
        cell in prop::array::uniform2(0.1_f32..2.0), at in vector(-6.0..6.0), half in vector(0.0..4.0),
    ) {
        let field = HeightField::new(rows, columns, &seed[..rows * columns], cell).expect("a field");
        let all: Vec<_> = (0..field.triangle_count() as u32).map(|i| field.corners(i)).collect();
        let search = |min: &Vector3, max: &Vector3| {
            let mut found = Vec::new();
            field.search(min, max, |i, _| found.push(i));
            found
        };
        check_search(search, &all, at, half);
    }

    /// Where a box is and how it is turned changes its mass properties as it must.
    #[test]
    fn the_mass_of_a_turned_box_is_that_of_a_box(
        half in prop::array::uniform3(0.2_f32..3.0), at in vector(-4.0..4.0), turn in vector(-3.0..3.0),
    ) {
        let (mut vertices, triangles) = box_mesh(half.map(|h| -h), half);
        let rotation = Rotation::from_scaled_axis(turn);
        vertices.iter_mut().for_each(|v| *v = rotation * *v + at);
        let found = closed_mesh_mass(&vertices, &triangles, 700.0).expect("closed");
        let expected = MassProperties::cuboid(&Vector3::from(half), 700.0).transformed(&at, &rotation);
        prop_assert!((found.mass - expected.mass).abs() < 1e-4 * expected.mass, "{} {}", found.mass, expected.mass);
        prop_assert!((found.center - at).norm() < 1e-4);
        let (a, b) = (found.tensor().to_matrix(), expected.tensor().to_matrix());
        prop_assert!((a - b).norm() < 1e-3 * b.norm(), "{a} {b}");
    }
}

/// An L of two boxes that share no triangle: mass is that of its parts.
#[test]
fn the_mass_of_a_concave_solid_is_that_of_its_parts() {
    // A profile in x-y, one metre deep: eight faces, of which the two ends are concave.
    let profile = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let vertices: Vec<_> =
        [0.0, 1.0].iter().flat_map(|&z| profile.map(|[x, y]| Vector3::new(x, y, z))).collect();
    let mut triangles = Vec::new();
    for cap in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        let [a, b, c] = cap;
        triangles.extend([[c, b, a], [a + 6, b + 6, c + 6]]);
    }
    for i in 0..6_u32 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    let found = closed_mesh_mass(&vertices, &triangles, 2.0).expect("closed");
    let part = |half: [Real; 3], at: [Real; 3]| {
        MassProperties::cuboid(&Vector3::from(half), 2.0)
            .transformed(&Vector3::from(at), &Rotation::identity())
    };
    let parts = [part([1.5, 0.5, 0.5], [1.5, 0.5, 0.5]), part([0.5, 0.5, 0.5], [0.5, 1.5, 0.5])];
    let expected = MassProperties::combined(&parts).expect("two boxes");
    assert!((found.mass - 8.0).abs() < 1e-5 && (found.center - expected.center).norm() < 1e-5, "{found:?}");
    let (a, b) = (found.tensor().to_matrix(), expected.tensor().to_matrix());
    assert!((a - b).norm() < 1e-4 * b.norm(), "{a} {b}");
}

#[test]
fn open_and_inverted_meshes_have_no_mass() {
    let (vertices, triangles) = box_mesh([-1.0; 3], [1.0; 3]);
    assert!(closed_mesh_mass(&vertices, &triangles, 1.0).is_ok());
    let open = closed_mesh_mass(&vertices, &triangles[1..], 1.0).expect_err("open");
    assert!(matches!(open, ShapeError::OpenMesh { .. }), "{open}");
    assert!(open.to_string().contains("is open: its edge from vertex"), "{open}");
    let inverted: Vec<_> = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let refused = closed_mesh_mass(&vertices, &inverted, 1.0).expect_err("inverted");
    assert!(matches!(refused, ShapeError::NoVolume { volume } if (volume + 8.0).abs() < 1e-9), "{refused}");
    // One triangle the wrong way round leaves its edges unmatched.
    let mut turned = triangles.clone();
    turned[3].swap(0, 1);
    assert!(matches!(closed_mesh_mass(&vertices, &turned, 1.0), Err(ShapeError::OpenMesh { .. })));
    assert!(matches!(closed_mesh_mass(&vertices, &triangles, 0.0), Err(ShapeError::OutOfRange { .. })));
}

/// The mass of a box mesh is that of the box between its corners, wherever these are; `more` are vertices that no triangle names.
fn assert_is_box(low: [Real; 3], high: [Real; 3], more: &[[Real; 3]]) {
    let (mut vertices, triangles) = box_mesh(low, high);
    vertices.extend(points(more));
    let found = closed_mesh_mass(&vertices, &triangles, 1000.0).unwrap_or_else(|e| panic!("{low:?}: {e}"));
    // As large as rounding left it there.
    let half = (Vector3::from(high) - Vector3::from(low)) * 0.5;
    let expected = MassProperties::cuboid(&half, 1000.0);
    assert!((found.mass - expected.mass).abs() < 1e-5 * expected.mass, "{found:?} for {expected:?}");
    let middle = (Vector3::from(high) + Vector3::from(low)) * 0.5;
    assert!((found.center - middle).amax() <= Real::EPSILON * middle.amax(), "{found:?} around {middle}");
    let (a, b) = (found.tensor().to_matrix(), expected.tensor().to_matrix());
    assert!((a - b).norm() < 1e-5 * b.norm(), "{a} {b}");
}

/// A part of a centimetre in the frame of its assembly, a metre 11 km away, and a vertex 1000 km away that nothing names: whether there is a volume
/// was asked of the distance from the origin, and they had none.
#[test]
fn solids_have_their_mass_wherever_they_are() {
    assert_is_box([199.995, -0.005, -0.005], [200.005, 0.005, 0.005], &[]);
    assert_is_box([10_999.5, -0.5, -0.5], [11_000.5, 0.5, 0.5], &[]);
    assert_is_box([-0.5; 3], [0.5; 3], &[[1e5, 0.0, 0.0]]);
    // Taken into the point that moments are summed about, it left four of their digits.
    assert_is_box([-0.05, -0.1, -0.2], [0.05, 0.1, 0.2], &[[1e6, 1e6, 1e6]]);
    // Nothing is still nothing far away: a sheet of two sides.
    let (mut sheet, triangles) = box_mesh([-1.0; 3], [1.0; 3]);
    sheet.iter_mut().for_each(|v| *v = Vector3::new(v.x + 3e3, v.z, v.x + v.z));
    let refused = closed_mesh_mass(&sheet, &triangles, 1.0).expect_err("flat");
    assert!(matches!(refused, ShapeError::NoVolume { .. }), "{refused}");
}

/// What `TriangleMesh::new` drops as double is no second solid.
#[test]
fn triangles_given_twice_weigh_once() {
    let (mut vertices, triangles) = box_mesh([-1.0; 3], [1.0; 3]);
    let once = closed_mesh_mass(&vertices, &triangles, 1.0).expect("closed");
    assert_eq!(closed_mesh_mass(&vertices, &[&triangles[..], &triangles[..]].concat(), 1.0), Ok(once));
    // Also by place, beginning with another corner.
    vertices.extend_from_within(..);
    let again: Vec<_> = triangles.iter().map(|&[a, b, c]| [b + 8, c + 8, a + 8]).collect();
    let found = closed_mesh_mass(&vertices, &[&triangles[..], &again[..]].concat(), 1.0);
    assert_eq!(found.map(|found| found.mass), Ok(8.0));
}

/// A million triangles end in a working shape of bounded size; how long it takes is for `cargo bench` to say.
#[test]
fn a_million_triangles_are_a_shape() {
    let n = 708_u32;
    let at = |i: u32, j: u32| {
        let (x, z) = (i as Real * 0.5, j as Real * 0.5);
        Vector3::new(x, (x * 0.3).sin() + (z * 0.2).cos(), z)
    };
    let vertices: Vec<_> = (0..=n).flat_map(|i| (0..=n).map(move |j| at(i, j))).collect();
    let index = |i: u32, j: u32| i * (n + 1) + j;
    let triangles: Vec<_> = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [index(i, j), index(i, j + 1), index(i + 1, j + 1), index(i + 1, j)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    assert!(triangles.len() > 1_000_000);
    let mesh = TriangleMesh::new(&vertices, &triangles).expect("a mesh");
    assert_eq!(mesh.triangles().len(), triangles.len());
    let bytes = mesh.size_in_bytes() as f64 / triangles.len() as f64;
    assert!(bytes < 80.0, "{bytes} bytes per triangle");
    let mut found = 0;
    let middle = at(300, 400);
    mesh.search(&(middle - Vector3::repeat(0.4)), &(middle + Vector3::repeat(0.4)), |_, _| found += 1);
    assert!((4..30).contains(&found), "{found}");
}
