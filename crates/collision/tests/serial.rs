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
