//! Sleeping of single bodies in piles with the fast preset: how much of a pile sleeps, and whether what sleeps is carried.

use drystone::BodyHandle;
use drystone::math::Position;
use drystone_scenes::{Action, Preset, RunOptions, Runner, Scene, TimedAction, scene};

/// At this time all wake: gravity is set to what it is.
fn with_reveille(name: &str, at: f64) -> Scene {
    let mut scene = scene(name).expect(name);
    scene.seconds = at + 0.5;
    scene.actions.push(TimedAction { at, action: Action::SetGravity { gravity: scene.gravity } });
    scene
}

fn sleepers(runner: &Runner) -> Vec<(BodyHandle, Position)> {
    let is_asleep = |b: &drystone::BodyRef| b.is_asleep;
    runner.world().bodies().filter(is_asleep).map(|b| (b.handle, b.center)).collect()
}

/// Runs a scene until all wake; returns who slept then, and how far each has fallen a fifth of a second later, m.
fn reveille(name: &str, at: f64) -> (u32, Vec<f64>) {
    let scene = with_reveille(name, at);
    let options = RunOptions { preset: Preset::Fast, hz: Some(60.0), ..RunOptions::default() };
    let mut runner = Runner::new(&scene, &options).expect("it begins");
    for _ in 0..(at * 60.0) as u32 {
        runner.step().expect("it goes on");
    }
    let before = sleepers(&runner);
    let awake = runner.world().bodies().filter(|b| b.mass > 0.0 && !b.is_asleep).count();
    for _ in 0..12 {
        runner.step().expect("it goes on");
    }
    let place = |body| runner.world().body(body).expect("it exists").center;
    (awake as u32, before.iter().map(|&(body, home)| home.y - place(body).y).collect())
}

/// Single bodies sleep, not whole piles: most of each pile sleeps though others in it move. None of them hangs: what
/// nothing holds falls by 0.2 m in a fifth of a second. (Farther than a centimetre go some that are jammed between
/// others or slide: slower than the threshold of sleep when they fell asleep.)
#[test]
fn most_of_a_pile_sleeps_though_others_in_it_move_and_none_hangs() {
    for (name, at, share) in [("cage384", 8.0, 0.9), ("heap_stream", 8.0, 0.6), ("rain:1000", 8.0, 0.9)] {
        let (awake, falls) = reveille(name, at);
        let asleep = falls.len() as f64 / (falls.len() as f64 + f64::from(awake));
        assert!(asleep > share && awake > 0, "{name}: {} sleep, {awake} do not", falls.len());
        let farthest = falls.iter().copied().fold(0.0, f64::max);
        assert!(farthest < 0.1, "{name}: one of {} fell {farthest} m", falls.len());
    }
}
