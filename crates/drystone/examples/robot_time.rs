//! Microseconds per step of 1/60 s of three robots in a world, as articulations and as joint constraints: an arm of seven axes in the air, a quadruped (free
//! base, 12 hinges) that stands on its feet, a humanoid (free base, 30 hinges) that fell to the ground and lies there.
//!
//! `cargo run --release -p drystone --example robot_time`. Each figure is the least mean of 7 rounds: what else the machine did is left out. All joints have springs
//! with dampers as motors; nothing sleeps. Beside other engines: `cargo xtask bench robots`.

#[expect(dead_code, reason = "other programs read more of them")]
mod robots;

use drystone::WorldError;
use robots::robots;
use robots::world::RobotWorld;
use std::time::Instant;

const ROUNDS: u32 = 7;

fn main() -> Result<(), WorldError> {
    println!(
        "{:10} {:>5} {:>14} {:>10} {:>11} {:>14}",
        "robot", "links", "articulation", "contacts", "constraints", "error there, m"
    );
    for robot in robots() {
        let mut reduced = RobotWorld::new(&robot)?;
        reduced.articulate()?;
        let mut constrained = RobotWorld::new(&robot)?;
        let (time, other) = (time(&mut reduced, robot.settle)?, time(&mut constrained, robot.settle)?);
        let error = constrained.joint_error()?;
        assert!(reduced.joint_error()? < 1e-5, "an articulation has no error but that of rounding");
        println!(
            "{:10} {:>5} {time:>14.1} {:>10} {other:>11.1} {error:>14.1e}",
            robot.name,
            reduced.joints.len(),
            reduced.world.report().contacts
        );
    }
    println!("µs each");
    Ok(())
}

/// Least mean time of a step, µs, after so many.
fn time(robot: &mut RobotWorld, settle: u32) -> Result<f64, WorldError> {
    for _ in 0..settle {
        robot.step()?;
    }
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..100 {
            robot.step()?;
        }
        least = least.min(start.elapsed().as_secs_f64() * 1e4);
    }
    Ok(least)
}
