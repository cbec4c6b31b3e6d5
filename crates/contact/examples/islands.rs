//! The contact graph alone: who touches whom, in which islands, and how far from what cannot move. Nothing is moved or solved.
//! `cargo run -p drystone-contact --example islands`

use drystone_contact::{
    Bodies, BodyDesc, BodyIndex, ColliderHandle, ContactError, ContactGraph, ContactPoint, Manifold,
    PairMaterial,
};
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Vector3};

/// Tells the graph that `b` stands on `a`, at one point.
fn stands_on(graph: &mut ContactGraph, bodies: &Bodies, [a, b]: [BodyIndex; 2]) -> Result<(), ContactError> {
    // Whoever detects contacts has colliders; here each body has one, with its own number.
    let colliders = [a, b].map(|body| ColliderHandle { index: body.0, generation: 1 });
    let edge = graph.add_edge(colliders, bodies, [a, b], PairMaterial::default())?;
    let mut manifold = Manifold::new(a, b, PairMaterial::default());
    manifold.normal = Vector3::y();
    manifold.push(ContactPoint {
        arm_a: Vector3::y() * 0.5,
        arm_b: Vector3::y() * -0.5,
        ..Default::default()
    });
    graph.set_manifold(bodies, edge, &manifold);
    Ok(())
}

fn main() -> Result<(), ContactError> {
    let (mut bodies, mut graph) = (Bodies::default(), ContactGraph::default());
    let mut add = |desc: &BodyDesc| {
        let handle = bodies.add(desc)?;
        bodies.index(handle).inspect(|&index| graph.add_body(&bodies, index))
    };
    let ground = add(&BodyDesc::fixed())?;
    let cube = |x: f64, y: f64| {
        let mass = MassProperties::cuboid(&Vector3::repeat(0.5), 1000.0);
        BodyDesc::dynamic(mass, Vector3::repeat(0.5).norm()).at(Pose::at(x, y, 0.0))
    };
    // A tower of three, and one of two beside it: the ground, which cannot move, does not join them.
    let mut towers = Vec::new();
    for (x, height) in [(0.0, 3), (5.0, 2)] {
        let mut below = ground;
        for level in 0..height {
            let above = add(&cube(x, 0.5 + f64::from(level)))?;
            towers.push([below, above]);
            below = above;
        }
    }
    for pair in towers {
        stands_on(&mut graph, &bodies, pair)?;
    }
    graph.update_islands();

    assert_eq!((graph.edge_count(), graph.island_count()), (5, 2));
    for body in bodies.indices().filter(|&body| bodies.hot(body).is_dynamic()) {
        let at = bodies.center_pose(body).translation;
        let neighbours = graph.edges_of(body).map(|edge| graph.edge(edge).other(body).0).collect::<Vec<_>>();
        let (island, level) = (graph.island_of(body), graph.level(body));
        println!("body {} at x {}: {island:?}, level {level}, touches {neighbours:?}", body.0, at.x);
        // The first level stands on what cannot move.
        assert_eq!(f64::from(level), at.y + 0.5);
    }
    Ok(())
}
