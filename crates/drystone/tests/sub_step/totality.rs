//! Promise 1 with the fast preset: whatever comes in, a step ends, and all is finite or quarantined.

use crate::common::*;
use crate::{HZ, fast_awake};
use drystone::SolverChoice;
use drystone::math::Vector3;

fn check(run: &Run, name: &str) {
    for &body in &run.bodies {
        let state = run.world.body(body).expect("it exists");
        assert!(
            state.pose.is_finite() && state.linear_velocity.iter().all(|c| c.is_finite()),
            "{name}: {state:?}"
        );
    }
}

#[test]
fn huge_velocities_are_survived() {
    for size in [1e4, 1e10, 1e20, 3e38] {
        let scene = Scene::on_ground().with_all(tower(5, 0.0, 0.0)).with_all(heap(10, 3.0, 0.0, 1));
        let mut run = scene.start(&fast_awake(), 1);
        run.steps(HZ, 0.2, |_| ());
        let blow = Vector3::new(size, -size, 0.5 * size);
        run.world.set_velocity(run.bodies[3], blow, blow).expect("finite");
        let mut quarantined = 0;
        for _ in 0..60 {
            quarantined += run.step(HZ).quarantined.len();
            check(&run, &format!("{size} m/s"));
        }
        assert!(quarantined <= 5, "{quarantined} bodies at {size} m/s");
        assert!(size > 1e5 || quarantined == 0, "nothing is broken at {size} m/s");
    }
}

#[test]
fn masses_of_all_sizes_and_no_gravity() {
    for gravity in [0.0, -9.81, 1000.0] {
        let heavy = |i: u32| {
            let size = if i.is_multiple_of(2) { 0.1 } else { 2.0 };
            cube(size, 0.0, 1.1 + 2.2 * f64::from(i), 0.0)
        };
        let scene = Scene::on_ground().with_all((0..6).map(heavy));
        let mut config = fast_awake();
        config.gravity = Vector3::new(0.0, gravity, 0.0);
        let mut run = scene.start(&config, 1);
        run.steps(HZ, 3.0, |_| ());
        check(&run, &format!("gravity {gravity}"));
    }
}

#[test]
fn any_number_of_sub_steps_stands() {
    for count in [1, 2, 64] {
        let mut config = fast_awake();
        if let SolverChoice::SubStep { config } = &mut config.solver {
            config.sub_steps = count;
        }
        let outcome = settle(&Scene::on_ground().with_all(tower(5, 0.0, 0.0)), &config, HZ, 3.0);
        assert!(outcome.drift < 1e-3, "{count} sub-steps: {} m", outcome.drift);
    }
}
