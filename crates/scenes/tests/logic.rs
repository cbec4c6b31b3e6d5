//! Composites, rules, timers, triggers and motions of scene files do in a run what the file says. Trusted reference: the example file,
//! whose numbers are written down here.

use drystone::{EventDetail, TouchPhase, TriggerPhase};
use drystone_scenes::{RunOptions, Runner, Scene};
use std::path::Path;

#[test]
fn the_example_does_what_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/every_field.ron");
    let scene = Scene::load(&path).expect("the example is valid");
    let index = |name: &str| scene.bodies.iter().position(|b| b.name == name).expect("in the example");
    let mut runner = Runner::new(&scene, &RunOptions::default()).expect("valid");
    let [lift, zone, foot, arm, ghost] =
        ["lift", "zone", "foot", "arm", "ghost"].map(|name| runner.body(index(name)).expect("in the world"));
    let (mut ticks, mut seen, mut ghost_touches) = (Vec::new(), Vec::new(), Vec::new());
    let (mut top, mut whole) = (0.0_f64, 0.0_f64);
    while runner.step().expect("it runs") {
        let world = runner.world();
        for event in world.events() {
            match event.detail {
                EventDetail::Tick(tick) => ticks.push((tick.timer.index, event.time)),
                EventDetail::Trigger(e) if e.phase == TriggerPhase::In => {
                    assert_eq!(e.bodies[0], zone);
                    seen.push(e.bodies[1]);
                }
                EventDetail::Touch(e) if e.phase == TouchPhase::Begin && e.bodies.contains(&ghost) => {
                    ghost_touches.extend(e.bodies.into_iter().filter(|&b| b != ghost));
                }
                _ => {}
            }
        }
        let height = |body| world.pose(body).expect("in the world").translation.y;
        top = top.max(height(lift));
        let is_whole = world.composite_of(foot).expect("in the world").is_some();
        assert_eq!(is_whole, runner.time() < 1.25 + 1e-9, "it breaks at 1.25 s, now {} s", runner.time());
        whole += f64::from(u8::from(is_whole));
    }
    assert!(whole > 50.0, "whole for {whole} steps");
    assert!((top - 0.5).abs() < 1e-3, "the lift went up to {top} m");
    let of = |timer: u32| -> Vec<f64> { ticks.iter().filter(|t| t.0 == timer).map(|t| t.1).collect() };
    let (once, often) = (of(0), of(1));
    assert!(once.len() == 1 && (once[0] - 0.25).abs() < 1e-6, "{once:?}");
    // The first tick at 0 s is told by the first step, the last one by the step that ends at 2 s or a rounding before it.
    assert!((20..=21).contains(&often.len()), "{often:?}");
    assert!([lift, foot, arm, ghost].iter().all(|body| seen.contains(body)), "{seen:?}");
    assert!(ghost_touches.contains(&lift) && !ghost_touches.contains(&foot) && !ghost_touches.contains(&arm));
}
