//! `drystone diff A B`: where two recordings of a scene part.
//!
//! In: two recordings. Out: the first step whose state differs, and the first body and value in which frames show it. Steps are compared by
//! their state hashes, to the last bit; frames as they were recorded, which rounds (positions to half of
//! [`Recording::position_step`], other values as [`drystone_viewer`] says) and leaves steps out. Wall times are not compared.
//!
//! Exit codes are those of `diff`: 0 the same, 1 different, 2 what cannot be compared.

use crate::args::DiffArguments;
use crate::failure::Failure;
use crate::lists::print;
use drystone_viewer::{BodyState, Frame, Recording};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

/// Compares two recordings.
pub(crate) fn run(arguments: &DiffArguments) -> Result<ExitCode, Failure> {
    let [a, b] = [load(&arguments.a)?, load(&arguments.b)?];
    check(&a, &b).map_err(|what| Failure::input(format!("cannot compare: {what}")))?;
    let comparison = Comparison::new(&a, &b).map_err(Failure::input)?;
    print(&comparison.text(&a, &b))?;
    Ok(ExitCode::from(u8::from(!comparison.is_same())))
}

/// A recording by its file, or by the folder that a run wrote.
pub(crate) fn load(path: &Path) -> Result<Recording, Failure> {
    let file = if path.is_dir() { path.join("recording.drystone") } else { path.to_owned() };
    let bytes = std::fs::read(&file).map_err(|e| Failure::input(format!("{}: {e}", file.display())))?;
    Recording::from_bytes(&bytes).map_err(|e| Failure::input(format!("{}: {e}", file.display())))
}

/// `Ok` for recordings of the same bodies and the same steps.
fn check(a: &Recording, b: &Recording) -> Result<(), String> {
    let scenes = [&a.meta.scene, &b.meta.scene];
    if scenes[0] != scenes[1] {
        return Err(format!("A is of the scene {:?}, B of {:?}", scenes[0], scenes[1]));
    }
    let counts = [a, b].map(|r| r.bodies().len());
    if counts[0] != counts[1] {
        return Err(format!("A has {} bodies, B has {}", counts[0], counts[1]));
    }
    if a.shapes() != b.shapes() || a.bodies() != b.bodies() {
        let at = a.bodies().iter().zip(b.bodies()).position(|(a, b)| a != b);
        return Err(at.map_or("their shapes differ".into(), |i| {
            format!(
                "body {i} is {:?} in A and {:?} in B, or looks different",
                a.bodies()[i].name,
                b.bodies()[i].name
            )
        }));
    }
    let rates = [a, b].map(|r| (r.meta.frame_dt, r.state_hashes().steps_per_frame));
    // Without hashes nothing is known of steps.
    let is_known = rates.iter().all(|rate| rate.1 > 0);
    if rates[0].0 != rates[1].0 || (is_known && rates[0].1 != rates[1].1) {
        let rate = |(frame_dt, steps): (f64, u32)| f64::from(steps.max(1)) / frame_dt;
        let [of_a, of_b] = rates.map(rate);
        return Err(format!("A takes {of_a:.6} steps or frames per second, B {of_b:.6}"));
    }
    Ok(())
}

/// What was found.
#[derive(Debug, Default, PartialEq)]
struct Comparison {
    /// The first step after which the states differ, with both hashes; 0 is before the first step.
    step: Option<(usize, [u64; 2])>,
    /// Steps compared by their hashes, that before the first included.
    steps: usize,
    seen: Option<Seen>,
    frames: usize,
    /// Whether both have as many frames and steps.
    is_as_long: bool,
}

/// The first frame that shows a difference.
#[derive(Debug, PartialEq)]
struct Seen {
    frame: usize,
    /// What differs first, and its values.
    what: String,
    values: [String; 2],
    /// Bodies that differ in the frame, and the largest distance between their places, m.
    bodies: usize,
    apart: f64,
}

impl Comparison {
    /// Compares as far as both go.
    fn new(a: &Recording, b: &Recording) -> Result<Self, drystone_viewer::RecordingError> {
        let hashes = [a, b].map(|r| &r.state_hashes().hashes);
        let pairs = || hashes[0].iter().zip(hashes[1]);
        let step = pairs().position(|(a, b)| a != b).map(|i| (i, [hashes[0][i], hashes[1][i]]));
        let lengths = [a, b].map(|r| (r.frame_count(), r.state_hashes().hashes.len()));
        let has_all = lengths.iter().all(|length| length.1 > 0);
        let is_as_long = lengths[0].0 == lengths[1].0 && (!has_all || lengths[0].1 == lengths[1].1);
        let mut found = Self { step, steps: pairs().count(), is_as_long, ..Self::default() };
        for (frame, pair) in a.frames().zip(b.frames()).enumerate() {
            let pair = [pair.0?, pair.1?];
            found.frames += 1;
            found.seen = Seen::in_frame(frame, [&pair[0], &pair[1]], a);
            if found.seen.is_some() {
                // What follows differs as well; only how many frames there were is still of interest.
                found.frames = a.frame_count().min(b.frame_count());
                break;
            }
        }
        Ok(found)
    }

    /// True when nothing differs as far as both go.
    fn is_equal(&self) -> bool {
        self.step.is_none() && self.seen.is_none()
    }

    fn is_same(&self) -> bool {
        self.is_equal() && self.is_as_long
    }

    /// For people.
    fn text(&self, a: &Recording, b: &Recording) -> String {
        let mut text = String::new();
        self.write(&mut text, a, b).expect("writing to memory cannot fail");
        text
    }

    fn write(&self, text: &mut String, a: &Recording, b: &Recording) -> std::fmt::Result {
        let per_frame = a.state_hashes().steps_per_frame.max(b.state_hashes().steps_per_frame);
        let dt = a.meta.frame_dt / f64::from(per_frame.max(1));
        if let Some((step, [hash_a, hash_b])) = self.step {
            let time = step as f64 * dt;
            writeln!(
                text,
                "states differ from step {step} on ({time:.4} s): {hash_a:016x} and {hash_b:016x}"
            )?;
        }
        if let Some(Seen { frame, what, values: [in_a, in_b], bodies, apart }) = &self.seen {
            let time = *frame as f64 * a.meta.frame_dt;
            let step = frame * per_frame as usize;
            let at = if per_frame > 0 { format!("step {step}") } else { format!("frame {frame}") };
            writeln!(text, "first seen at {at} ({time:.4} s): {what} is {in_a} in A and {in_b} in B")?;
            writeln!(text, "{bodies} of {} bodies differ there, by {apart:.6} m at most", a.bodies().len())?;
        } else if self.step.is_some() {
            writeln!(text, "no frame shows it: the difference stays below what recordings keep")?;
        }
        let precision = format!("positions of frames are recorded to {:.7} m", 0.5 * a.position_step());
        if self.is_equal() {
            let Self { steps, frames, .. } = self;
            let how = if *steps > 0 { format!("{steps} state hashes, ") } else { String::new() };
            writeln!(text, "the same: {how}{frames} frames compared; {precision}")?;
            if *steps == 0 {
                writeln!(text, "one of them has no state hashes: smaller differences are not seen")?;
            }
        } else {
            writeln!(text, "{precision}")?;
        }
        if !self.is_as_long {
            let [(frames_a, steps_a), (frames_b, steps_b)] =
                [a, b].map(|r| (r.frame_count(), r.state_hashes().hashes.len().saturating_sub(1)));
            writeln!(
                text,
                "A has {frames_a} frames and {steps_a} steps, B {frames_b} and {steps_b}: what only one has is not compared"
            )?;
        }
        Ok(())
    }
}

impl Seen {
    /// What differs in a frame: first by body, then by value; contacts after bodies.
    fn in_frame(frame: usize, [a, b]: [&Frame; 2], recording: &Recording) -> Option<Self> {
        let differs = |i: &usize| a.bodies[*i] != b.bodies[*i];
        let differing: Vec<usize> = (0..a.bodies.len().min(b.bodies.len())).filter(differs).collect();
        let (what, values) = if let Some(&body) = differing.first() {
            let (value, values) = first_value(&a.bodies[body], &b.bodies[body])?;
            (format!("body {body} {:?}: {value}", recording.bodies()[body].name), values)
        } else if a.contact_count != b.contact_count {
            ("the number of contacts".into(), [a.contact_count, b.contact_count].map(|n| n.to_string()))
        } else {
            let at = a.contacts.iter().zip(&b.contacts).position(|(a, b)| a != b)?;
            (format!("contact {at}"), [a, b].map(|f| format!("{:?}", f.contacts[at])))
        };
        let distance = |&i: &usize| {
            let [p, q] = [a.bodies[i].position, b.bodies[i].position];
            (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt()
        };
        let apart = differing.iter().map(distance).fold(0.0, f64::max);
        Some(Self { frame, what, values, bodies: differing.len(), apart })
    }
}

/// The first value in which two states of a body differ, with its unit.
fn first_value(a: &BodyState, b: &BodyState) -> Option<(String, [String; 2])> {
    let axes = ["x", "y", "z", "w"];
    let words = |name: &str, values: [bool; 2]| {
        (values[0] != values[1]).then(|| (name.to_owned(), values.map(|v| v.to_string())))
    };
    let position = || {
        let k = (0..3).find(|&k| a.position[k] != b.position[k])?;
        Some((format!("position.{} (m)", axes[k]), [a, b].map(|s| format!("{:.7}", s.position[k]))))
    };
    let rotation = || {
        let k = (0..4).find(|&k| a.rotation[k] != b.rotation[k])?;
        Some((format!("rotation.{}", axes[k]), [a, b].map(|s| format!("{:.5}", s.rotation[k]))))
    };
    let speed = || (a.speed != b.speed).then(|| ("speed (m/s)".into(), [a, b].map(|s| s.speed.to_string())));
    let island = || (a.island != b.island).then(|| ("island".into(), [a, b].map(|s| s.island.to_string())));
    words("removed", [a.removed, b.removed])
        .or_else(position)
        .or_else(rotation)
        .or_else(speed)
        .or_else(|| words("asleep", [a.asleep, b.asleep]))
        .or_else(island)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_viewer::{BodyVisual, FrameInput, Meta, Part, Recorder, VisualShape};

    /// Two balls for ten frames of four steps; `change` may change the state of the second one.
    fn balls(scene: &str, change: impl Fn(usize, &mut BodyState)) -> Recording {
        let mut recorder = recorder(scene, change);
        (0..37).for_each(|step| recorder.state_hash(step));
        recorder.finish()
    }

    fn recorder(scene: &str, change: impl Fn(usize, &mut BodyState)) -> Recorder {
        let meta = Meta { scene: scene.into(), frame_dt: 1.0 / 15.0, ..Meta::default() };
        let ball = |name: &str| BodyVisual {
            name: name.into(),
            material: "oak".into(),
            fixed: false,
            hidden: false,
            parts: vec![Part::new(0)],
        };
        let shapes = vec![VisualShape::Sphere { radius: 0.5 }];
        let recorder = Recorder::new(meta, shapes, vec![ball("left"), ball("right")]).expect("valid");
        let mut recorder = recorder.with_steps(4);
        for frame in 0..10 {
            let mut states = [-1.0, 1.0].map(|x| BodyState::at([x, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]));
            change(frame, &mut states[1]);
            recorder.frame(&FrameInput { bodies: &states, contacts: &[], series: &[] }).expect("valid");
        }
        recorder
    }

    fn compare(a: &Recording, b: &Recording) -> Comparison {
        Comparison::new(a, b).expect("readable")
    }

    #[test]
    fn the_first_body_and_value_are_named_with_their_frame() {
        let same = balls("balls", |_, _| {});
        let moved = balls("balls", |frame, state| state.position[1] += if frame >= 6 { 0.25 } else { 0.0 });
        assert!(compare(&same, &same).is_same());
        let found = compare(&same, &moved);
        let seen = found.seen.as_ref().expect("a quarter of a metre is seen");
        assert_eq!((seen.frame, seen.what.as_str()), (6, "body 1 \"right\": position.y (m)"));
        assert_eq!((seen.bodies, seen.apart), (1, 0.25));
        let text = found.text(&same, &moved);
        assert!(
            text.contains("step 24 (0.4000 s)") && text.contains("0.5000000 in A and 0.7500000 in B"),
            "{text}"
        );
        let asleep = balls("balls", |frame, state| state.asleep = frame == 9);
        assert_eq!(compare(&same, &asleep).seen.expect("seen").what, "body 1 \"right\": asleep");
    }

    #[test]
    fn what_frames_round_away_is_told_by_hashes() {
        let same = balls("balls", |_, _| {});
        let mut tiny = recorder("balls", |_, state| state.position[0] += 1e-9);
        (0..37).for_each(|step| tiny.state_hash(if step < 13 { step } else { step + 100 }));
        // Hashes are in the file.
        let tiny = Recording::from_bytes(&tiny.finish().to_bytes()).expect("its own");
        let found = compare(&same, &tiny);
        assert_eq!((found.step, &found.seen), (Some((13, [13, 113])), &None));
        let text = found.text(&same, &tiny);
        assert!(text.starts_with("states differ from step 13 on (0.2167 s)"), "{text}");
        assert!(text.contains("no frame shows it"), "{text}");
    }

    #[test]
    fn other_scenes_and_rates_cannot_be_compared() {
        let (here, there) = (balls("here", |_, _| {}), balls("there", |_, _| {}));
        assert!(check(&here, &there).expect_err("other scenes").contains("\"here\""));
        let mut faster = balls("here", |_, _| {});
        faster.meta.frame_dt = 1.0 / 30.0;
        let message = check(&here, &faster).expect_err("other rates");
        assert!(message.contains("60.0") && message.contains("120.0"), "{message}");
    }
}
