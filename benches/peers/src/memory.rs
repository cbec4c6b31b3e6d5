//! What an engine holds in memory: growth of the resident anonymous pages of the process from an empty world.
//!
//! Anonymous pages are those that no file backs, so program code that is used for the first time does not count;
//! what an engine reserves and does not touch does not count either. What it keeps free for growth, and the
//! allocator's own books, do. Poses and times are not kept in these runs.

use crate::engines;
use crate::quality::touching_pairs;
use crate::run::{Options, act};
use crate::task::{Event, Task, TaskBody};
use drystone_collision::Shape;
use drystone_math::{Pose, Vector3};
use serde_json::{Value, json};

/// Height at which bodies fall apart from each other, m.
const ALOFT: f64 = 1000.0;

/// Runs a task with nothing but steps.
///
/// # Errors
/// What the engine refuses; a system that does not say what is resident.
pub(crate) fn measure(engine: &str, task: &Task, options: &Options) -> Result<Value, String> {
    let mut engine = engines::start(engine, task, options)?;
    let empty = resident()?;
    let steps = (options.seconds * options.hz).round().max(1.0) as u64;
    let mut due = task.events.iter().map(|(t, e)| ((t * options.hz).round() as u64, *e)).peekable();
    let mut gravity = task.gravity;
    for step in 0..steps {
        while let Some((_, event)) = due.next_if(|(at, _)| *at <= step) {
            act(engine.as_mut(), task, event, &mut gravity)?;
        }
        engine.step((1.0 / options.hz) as f32)?;
    }
    let grown = resident()?.saturating_sub(empty);
    let pairs = touching_pairs(task, &engine.motions(task.bodies.len()));
    Ok(json!({ "grown_bytes": grown, "bodies": task.dynamic_count(), "touching_pairs": pairs }))
}

/// The task with all that moves far apart and in the air, and small balls deep below in place of what does not move:
/// the walls of a cage are half-spaces, and most bodies would start beyond them.
pub(crate) fn apart(mut task: Task) -> Task {
    task.joints.clear();
    task.events.retain(|(_, event)| !matches!(event, Event::Join(_)));
    let ball = Shape::sphere(0.1).expect("a radius above 0");
    for (i, body) in task.bodies.iter_mut().filter(|body| body.is_fixed).enumerate() {
        body.shape = ball.clone();
        body.pose = Pose::at(0.0, -ALOFT - i as f64, 0.0);
    }
    let size = |body: &TaskBody| body.shape.aabb(&Pose::at(0.0, 0.0, 0.0)).longest_edge();
    let moving = task.bodies.iter().filter(|body| !body.is_fixed);
    let pitch = 4.0 * moving.map(size).fold(0.0, f64::max);
    let side = (task.dynamic_count() as f64).sqrt().ceil().max(1.0) as usize;
    for (i, body) in task.bodies.iter_mut().filter(|body| !body.is_fixed).enumerate() {
        let place = Pose::at(pitch * (i % side) as f64, ALOFT, pitch * (i / side) as f64);
        body.pose = Pose::new(place.translation, body.pose.rotation);
        (body.linear, body.angular) = (Vector3::zeros(), Vector3::zeros());
    }
    task
}

/// Resident anonymous memory of the process, bytes.
fn resident() -> Result<u64, String> {
    let text = std::fs::read_to_string("/proc/self/status").map_err(|e| format!("/proc/self/status: {e}"))?;
    parse(&text).ok_or_else(|| "/proc/self/status has no RssAnon".into())
}

fn parse(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kb| 1024 * kb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read() {
        assert_eq!(parse("VmRSS:\t  900 kB\nRssAnon:\t     12 kB\nRssFile:\t 3 kB\n"), Some(12 * 1024));
        assert_eq!(parse("VmRSS: 1 kB\n"), None);
    }

    #[test]
    fn bodies_apart_touch_nothing_and_those_of_a_pyramid_what_lies_below() {
        let task = Task::of_test("metre_pyramid:4");
        let options = Options { seconds: 0.2, ..Options::of_test() };
        let pairs =
            |task: &Task| measure("drystone", task, &options).expect("it runs")["touching_pairs"].clone();
        // Four on the ground, and two below each of the six above.
        assert_eq!(pairs(&task), 16);
        assert_eq!(pairs(&apart(task)), 0);
        assert_eq!(pairs(&apart(Task::of_test("cage384"))), 0, "walls do not reach what is far apart");
    }
}
