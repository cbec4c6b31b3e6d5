//! Sleeping of single bodies in piles with the fast preset: how much of a pile sleeps, and whether what sleeps is carried.

use drystone::BodyHandle;
use drystone::math::Position;
use drystone_scenes::{Action, Preset, RunOptions, Runner, Scene, TimedAction, scene};

/// At this time all wake: gravity is set to what it is then. Piles are chaotic: a little more of it makes another pile.
fn with_reveille(name: &str, at: f64, more: f32) -> Scene {
    let mut scene = scene(name).expect(name);
    scene.seconds = at + 0.5;
    scene.gravity[1] *= 1.0 + more;
    let mut last = scene.gravity;
    for timed in &mut scene.actions {
        if let Action::SetGravity { gravity } = &mut timed.action {
            gravity[1] *= 1.0 + more;
            last = *gravity;
        }
    }
    assert!(last[1] < 0.0, "{name} ends without gravity");
    scene.actions.push(TimedAction { at, action: Action::SetGravity { gravity: last } });
    scene
}

fn sleepers(runner: &Runner) -> Vec<(BodyHandle, Position)> {
    let is_asleep = |b: &drystone::BodyRef| b.is_asleep;
    runner.world().bodies().filter(is_asleep).map(|b| (b.handle, b.center)).collect()
}

/// Runs a scene until all wake; returns who slept then, and how far each has fallen a fifth of a second later, m.
fn reveille(name: &str, at: f64, more: f32) -> (u32, Vec<f64>) {
    let scene = with_reveille(name, at, more);
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
/// others or slide: slower than the threshold of sleep when they fell asleep. One of some 2000 was held by so little that it fell 0.12 m.)
#[test]
fn most_of_a_pile_sleeps_though_others_in_it_move_and_none_hangs() {
    for (name, at, share) in [("cage384", 8.0, 0.9), ("heap_stream", 8.0, 0.5), ("rain:1000", 8.0, 0.9)] {
        let (mut asleep, mut count) = (0.0, 0.0);
        for more in [0.0, 1e-5, 1e-4] {
            let (awake, falls) = reveille(name, at, more);
            assert!(awake > 0, "{name}: all of it rests");
            let farthest = falls.iter().copied().fold(0.0, f64::max);
            let far = falls.iter().filter(|&&fall| fall > 0.1).count();
            assert!(far <= 1 && farthest < 0.15, "{name}: {far} of {} fell, {farthest} m", falls.len());
            asleep += falls.len() as f64;
            count += falls.len() as f64 + f64::from(awake);
        }
        assert!(asleep > share * count, "{name}: {asleep} of {count} sleep, in three piles");
    }
}
