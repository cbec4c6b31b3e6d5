//! Shapes as data: what is written is read to the last bit, and what is no shape is refused.
#![cfg(feature = "serde")]

use drystone_collision::Shape;
use drystone_math::Vector3;

fn again(shape: &Shape) -> Shape {
    let text = serde_json::to_string(shape).expect("plain data");
    serde_json::from_str(&text).expect("its own")
}

/// Corners on a ball, so many, from a seed.
fn cloud(count: u32, seed: u32) -> Vec<Vector3> {
    let mut state = seed.wrapping_mul(2_654_435_769) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as f32 / u32::MAX as f32 - 0.5
    };
    (0..count).map(|_| Vector3::new(next(), 1.3 * next(), 0.7 * next())).collect()
}

#[test]
fn every_kind_of_shape_is_read_to_the_last_bit() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.1, 1.0], [1.0, 0.0, 1.0]];
    let corners = corners.map(|[x, y, z]| Vector3::new(x, y, z));
    let shapes = [
        Shape::sphere(0.1),
        Shape::cuboid(Vector3::new(0.1, 0.2, 0.3)),
        Shape::capsule(0.3, 0.1),
        Shape::cylinder(0.3, 0.1),
        Shape::cone(0.3, 0.1),
        Shape::half_space(Vector3::new(0.1, 1.0, -0.3)),
        Shape::mesh(&corners, &[[0, 2, 1], [1, 2, 3]]),
        Shape::height_field(2, 3, &[0.0, 0.1, 0.0, 0.1, 0.2, 0.1], [0.5, 0.25]),
    ];
    for shape in shapes.map(|shape| shape.expect("valid")) {
        assert_eq!(again(&shape), shape);
    }
    for seed in 1..40 {
        let hull = Shape::hull(&cloud(5 + 3 * seed, seed)).expect("it has a volume");
        assert_eq!(again(&hull), hull, "mass, faces, edges and their order, of seed {seed}");
    }
    let block = Shape::hull(&std::array::from_fn::<_, 8, _>(|i| {
        Vector3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)
    }));
    let block = block.expect("a cube with merged faces");
    assert_eq!(again(&block), block);
}

#[test]
fn what_is_no_shape_is_refused_with_a_reason() {
    let read = |text: &str| serde_json::from_str::<Shape>(text).expect_err("refused").to_string();
    assert!(read(r#"{"Sphere":{"radius":-1.0}}"#).contains("radius must be finite"));
    assert!(read(r#"{"Sphere":{"radius":1.0,"colour":2}}"#).contains("colour"));
    assert!(read(r#"{"HalfSpace":{"normal":[0.0,0.0,0.0]}}"#).contains("normal"));

    let hull = Shape::hull(&cloud(20, 7)).expect("it has a volume");
    let data = serde_json::to_value(&hull).expect("plain data");
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut changed = data.clone();
        change(&mut changed["Hull"]);
        serde_json::from_value::<Shape>(changed).expect_err("refused").to_string()
    };
    assert!(
        refused(&|hull| hull["vertices"][0] = serde_json::json!([9.0, 9.0, 9.0]))
            .contains("all others below")
    );
    assert!(refused(&|hull| hull["faces"][0][2][0] = 4000.into()).contains("face 0"));
    assert!(refused(&|hull| hull["edges"][0][2] = 4000.into()).contains("edge 0"));
    assert!(refused(&|hull| drop(hull["faces"].as_array_mut().map(Vec::pop))).contains("V - E + F = 2"));
    assert!(refused(&|hull| hull["tolerance"] = 0.5.into()).contains("tolerance"));
}

/// A hull whose numbers all fit together but that no constructor makes: one edge in place of all, a corner that is in no face, hardly any thickness.
#[test]
fn hulls_that_no_cloud_has_are_refused() {
    let tetrahedron = |size: f32| {
        let far = 3.0_f32.sqrt().recip();
        serde_json::json!({"Hull": {
            "vertices": [[0.0, 0.0, 0.0], [size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size]],
            "faces": [
                [[0.0, 0.0, -1.0], 0.0, [0, 2, 1]],
                [[0.0, -1.0, 0.0], 0.0, [0, 1, 3]],
                [[-1.0, 0.0, 0.0], 0.0, [0, 3, 2]],
                [[far, far, far], size * far, [1, 2, 3]],
            ],
            "edges": [[0, 1, 1, 0], [0, 2, 0, 2], [0, 3, 2, 1], [1, 2, 3, 0], [1, 3, 1, 3], [2, 3, 3, 2]],
            "tolerance": 0.0,
        }})
    };
    let read = |data: serde_json::Value| serde_json::from_value::<Shape>(data);
    let hull = read(tetrahedron(1.0)).expect("a corner of a cube");
    assert!(hull.check().is_ok() && (hull.volume() * 6.0 - 1.0).abs() < 1e-6);

    let mut one_edge = tetrahedron(1.0);
    let first = one_edge["Hull"]["edges"][0].clone();
    one_edge["Hull"]["edges"].as_array_mut().expect("a list").fill(first.clone());
    let refused = read(one_edge).expect_err("refused").to_string();
    assert!(refused.contains("edge 1 of a hull must border two faces"), "{refused}");

    let mut loose = tetrahedron(1.0);
    loose["Hull"]["vertices"].as_array_mut().expect("a list").push(serde_json::json!([0.1, 0.1, 0.1]));
    loose["Hull"]["edges"].as_array_mut().expect("a list").push(first);
    let refused = read(loose).expect_err("refused").to_string();
    assert!(refused.contains("corner 4 of a hull must be one of three faces"), "{refused}");

    let refused = read(tetrahedron(1e-7)).expect_err("refused").to_string();
    assert!(refused.contains("thick"), "{refused}");
}

/// Whatever the constructor takes is read again, the thinnest and smallest as well.
#[test]
fn hulls_just_thick_enough_are_read() {
    let mut count = 0;
    for seed in 1..400 {
        let (mut cloud, scale) = (cloud(5 + seed % 7, seed), 1.1_f32.powi(seed as i32 % 40));
        cloud.iter_mut().for_each(|p| *p *= 1e-5 * scale);
        let thin: Vec<_> = cloud.iter().map(|p| Vector3::new(p.x * 50.0, p.y, p.z)).collect();
        for cloud in [cloud, thin] {
            if let Ok(hull) = Shape::hull(&cloud) {
                assert_eq!(again(&hull), hull, "of seed {seed}");
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count} hulls");
}
