//! Collision detection alone: which of a list of shapes touch, where, and what a ray meets. No body, no mass, no time.
//! `cargo run -p drystone-collision --example detection_alone`

use drystone_collision::Shape;
use drystone_collision::broad::{BroadPhase, DynamicTree, PairChanges, Proxies, ProxyFilter};
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_collision::query::{Ray, cast_ray};
use drystone_exec::Exec;
use drystone_math::{BitSet, Displacement, Pose, Position, Vector3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A floor, and a row of shapes of which each sinks 5 mm into it; the two in the middle touch each other too.
    let things = [
        (Shape::half_space(Vector3::y())?, Pose::at(0.0, 0.0, 0.0)),
        (Shape::cuboid(Vector3::repeat(0.5))?, Pose::at(-2.0, 0.495, 0.0)),
        (Shape::sphere(0.5)?, Pose::at(0.0, 0.495, 0.0)),
        (Shape::cylinder(0.5, 0.5)?, Pose::at(0.998, 0.495, 0.0)),
        (Shape::cone(0.5, 0.5)?, Pose::at(4.0, 0.495, 0.0)),
    ];

    // Broad phase: boxes that overlap.
    let boxes: Vec<_> = things.iter().map(|(shape, pose)| shape.aabb(pose)).collect();
    let filters: Vec<_> =
        (0..5).map(|owner| ProxyFilter { member_of: 1, meets: 1, fixed: owner == 0, owner }).collect();
    let mut changed = BitSet::new();
    changed.resize(5);
    (0..5).for_each(|proxy| changed.insert(proxy));
    let (mut tree, mut changes) = (DynamicTree::new(), PairChanges::default());
    let proxies = Proxies { boxes: &boxes, filters: &filters, changed: &changed };
    tree.update(proxies, &Exec::serial(), &mut changes);
    assert_eq!(changes.begun.len(), 5, "each on the floor, and the ball beside the cylinder");

    // Narrow phase: points, a normal and gaps. The caches are kept where pairs are looked at again and again.
    for pair in &changes.begun {
        let [(a, pose_a), (b, pose_b)] = [pair.a, pair.b].map(|k| &things[k as usize]);
        let (mut cache, mut found) = (PairCache::default(), LocalManifold::default());
        contact(a, b, &pose_a.relative(pose_b), 0.01, &mut cache, &mut found);
        let normal = pose_a.rotation * found.normal;
        println!("{:?} and {:?}: normal {:.2?}", a.kind(), b.kind(), normal.as_slice());
        for point in found.points() {
            let at = pose_a.transform_point(&point.point);
            println!("  at {:.3?}, gap {:.1} mm", at.coords.as_slice(), 1e3 * point.distance);
            assert!((point.distance + if pair.a == 0 { 0.005 } else { 0.002 }).abs() < 1e-5);
        }
        assert!(!found.points().is_empty());
    }

    // A query: what is above the cone's tip?
    let ray = Ray::new(Position::new(4.0, 3.0, 0.0), Displacement::new(0.0, -1.0, 0.0))?;
    let (cone, pose) = &things[4];
    let hit = cast_ray(cone, pose, &ray, 10.0)?.ok_or("the ray goes down onto the tip")?;
    println!("a ray from 3 m meets the cone after {:.3} m", hit.distance);
    assert!((hit.distance - 2.005).abs() < 1e-5);
    Ok(())
}
