mod common;
use common::*;
use drystone::math::*;
use drystone::*;

#[test]
fn replace_in_slot() {
    let mut run = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).start(&WorldConfig::thesis_fast(), 1);
    run.steps(FAST, 1.0, |_| {});
    println!("asleep {}", run.is_asleep(1));
    run.world.remove_body(run.bodies[1]).unwrap();
    println!("events after removal {:?}", run.world.events());
    let h = run.world.add_body(cube(0.1, 0.0, 0.05, 0.0)).unwrap();
    run.step(FAST);
    println!("events after the next step {:?}", run.world.events());
    run.steps(FAST, 1.0, |_| {});
    println!("replaced body at {:?}", run.world.pose(h).unwrap().translation);
}

#[test]
fn overflow() {
    for case in 0..6 {
        let mut run = Scene::on_ground()
            .with(ball(0.01, 5.0, 3.0, 0.0))
            .with_all(tower(3, 0.0, 0.0))
            .start(&awake(), 1);
        run.step(FAST);
        let h = run.bodies[1];
        let big = Vector3::new(3e38, 0.0, 0.0);
        match case {
            0 => run.world.add_impulse(h, big, Vector3::zeros()).unwrap(),
            1 => run.world.add_impulse(h, Vector3::zeros(), big).unwrap(),
            2 => run.world.add_force(h, big, Vector3::zeros()).unwrap(),
            3 => run.world.add_force(h, Vector3::zeros(), big).unwrap(),
            4 => run.world.set_velocity(h, big, Vector3::zeros()).unwrap(),
            _ => run.world.set_velocity(h, Vector3::zeros(), big).unwrap(),
        }
        for s in 0..4 {
            let r = run.step(FAST).clone();
            println!("case {case} step {s}: quarantined {:?} energy {} {} solved {} pos {:?} lin {:?} ang {:?} pairs {} events {}", r.quarantined, r.energy_before, r.energy_after, r.is_solved, run.place(1), run.linear(1), run.angular(1), r.edges, run.world.events().len());
        }
        println!("   tower top {:?} {:?}", run.place(4), run.world.remove_body(h));
    }
}

#[test]
fn far_from_plane_origin() {
    for x in [0.0, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7] {
        for order in [0, 1] {
            let base = if order == 0 { Scene::on_ground() } else { Scene::default() };
            let mut s = base.with_all(tower(3, x, 0.0));
            if order == 1 { s = s.with(ground()); }
            let mut run = s.start(&awake(), 1);
            run.steps(FAST, 2.0, |_| {});
            let top = if order == 0 { 3 } else { 2 };
            println!("x {x} order {order}: way {:?} overlap {}", run.way(top), run.world.report().worst_overlap);
        }
    }
}

#[test]
fn foreign() {
    let a = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).start(&awake(), 1);
    let b = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).start(&awake(), 1);
    println!("foreign handle: {:?}", a.world.pose(b.bodies[1]));
}
