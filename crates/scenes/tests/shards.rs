//! Sharp hulls with the fast preset: what is thin, pointed and light beside its neighbours comes to rest, and gets no energy from nothing.

use drystone_scenes::{Body, Preset, RunOptions, Runner, Scene, scene};

/// What stands around the shards of the scene, and the shards.
fn parts() -> (Scene, Vec<Body>) {
    let mut pit = scene("shards:500").expect("listed");
    let (shards, walls) = pit.bodies.drain(..).partition(|body: &Body| body.name.starts_with("shard"));
    pit.bodies = walls;
    (pit, shards)
}

fn begin(scene: &Scene) -> Runner {
    Runner::new(scene, &RunOptions { preset: Preset::Fast, ..RunOptions::default() }).expect("it begins")
}

/// Kinetic energy and that of the height, J.
fn energy(runner: &Runner) -> f64 {
    let world = runner.world();
    let pull = f64::from(-world.config().gravity.y);
    let height = |body: drystone::BodyRef| f64::from(body.mass) * pull * body.center.y;
    world.kinetic_energy() + world.bodies().filter(|body| body.mass > 0.0).map(height).sum::<f64>()
}

/// A fifth of these rocked on the ground for ever, each alone: corners on which they lay were not among the four of their contact, or sweeps began
/// anew in each sub-step beside the answer that they had.
#[test]
fn a_shard_alone_comes_to_rest() {
    let (mut pit, shards) = parts();
    pit.seconds = 8.0;
    for shard in shards.iter().take(100) {
        let alone = Body { position: [0.0, 0.8, 0.0], ..shard.clone() };
        let one = Scene { bodies: pit.bodies.iter().cloned().chain([alone]).collect(), ..pit.clone() };
        let mut runner = begin(&one);
        while runner.step().expect("it goes on") {}
        assert_eq!(runner.world().report().asleep, 1, "{} is awake after 8 s", shard.name);
    }
}

/// Splinters that spun by radians in a step came out of it with a hundred times their energy, and left the pit with 650 m/s.
#[test]
fn a_pile_of_shards_comes_to_rest_and_gains_no_energy() {
    let mut pile = scene("shards:500").expect("listed");
    pile.seconds = 14.0;
    let mut runner = begin(&pile);
    let mut least = energy(&runner);
    let first = least;
    while runner.step().expect("it goes on") {
        let now = energy(&runner);
        // Taking overlap back lifts, by less than a ten thousandth of what they fall with.
        assert!(now < least + 1e-4 * first, "{} s: {now} J after {least} J", runner.time());
        least = least.min(now);
    }
    let report = runner.world().report();
    assert!(report.asleep >= 475, "{} of 500 sleep", report.asleep);
    assert!(runner.world().kinetic_energy() < 0.05, "{} J", runner.world().kinetic_energy());
    for body in runner.world().bodies().filter(|body| body.mass > 0.0) {
        assert!(body.center.y > -0.01, "{:?} is below the ground", body.center);
    }
}
