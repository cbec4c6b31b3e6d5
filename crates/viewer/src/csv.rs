//! A recording as tables for other programs: comma-separated values (RFC 4180), a header in the first line, SI units.
//!
//! In: a [`Recording`]. Out: text; [`series`] has a line per frame, [`bodies`] one per frame and body, [`contacts`] one per recorded contact point.

use crate::recording::{NO_ISLAND, Recording, RecordingError};
use std::fmt::Write as _;

/// The recorded quantities over time: `time` and a column for each, named with its unit; of every `stride`-th frame.
///
/// ```
/// use drystone_viewer::{FrameInput, Meta, Recorder, SeriesInfo, csv};
/// let overlap = SeriesInfo { name: "worst overlap".into(), unit: "mm".into() };
/// let meta = Meta { scene: "nothing".into(), frame_dt: 0.5, series: vec![overlap], ..Meta::default() };
/// let mut recorder = Recorder::new(meta, Vec::new(), Vec::new())?;
/// for overlap in [0.0, 1.5] {
///     recorder.frame(&FrameInput { bodies: &[], contacts: &[], series: &[overlap] })?;
/// }
/// assert_eq!(csv::series(&recorder.finish(), 1), "time (s),worst overlap (mm)\n0,0\n0.5,1.5\n");
/// # Ok::<(), drystone_viewer::RecordingError>(())
/// ```
pub fn series(recording: &Recording, stride: usize) -> String {
    let mut text = "time (s)".to_owned();
    for series in recording.series() {
        let (name, unit) = (&series.info.name, &series.info.unit);
        let title = if unit.is_empty() { name.clone() } else { format!("{name} ({unit})") };
        text += &format!(",{}", quoted(&title));
    }
    text.push('\n');
    for frame in (0..recording.frame_count()).step_by(stride.max(1)) {
        let _ = write!(text, "{}", time(recording, frame));
        for series in recording.series() {
            match series.values.get(frame) {
                Some(value) if value.is_finite() => _ = write!(text, ",{value}"),
                _ => text.push(','),
            }
        }
        text.push('\n');
    }
    text
}

/// Where bodies are: every `stride`-th frame, those of each that are there. The island of a body in none is empty, and so is a coordinate
/// beyond [`Recording::reach`], which was not kept.
///
/// # Errors
/// A recording that is damaged.
pub fn bodies(recording: &Recording, stride: usize) -> Result<String, RecordingError> {
    let mut text = "time (s),body,name,x (m),y (m),z (m),qx,qy,qz,qw,speed (m/s),asleep,island\n".to_owned();
    for (number, frame) in recording.frames().enumerate() {
        let frame = frame?;
        if number % stride.max(1) != 0 {
            continue;
        }
        let time = time(recording, number);
        for (index, state) in frame.bodies.iter().enumerate().filter(|(_, state)| !state.removed) {
            let name = recording.bodies().get(index).map_or("", |body| &body.name);
            let ([x, y, z], [a, b, c, d]) = (places(recording, state.position), state.rotation);
            let asleep = u8::from(state.asleep);
            let island = if state.island == NO_ISLAND { String::new() } else { state.island.to_string() };
            let _ = writeln!(
                text,
                "{time},{index},{},{x},{y},{z},{a},{b},{c},{d},{},{asleep},{island}",
                quoted(name),
                state.speed
            );
        }
    }
    Ok(text)
}

/// The contact points that were recorded (a frame may have more than it keeps): every `stride`-th frame. Coordinates beyond
/// [`Recording::reach`] are empty.
///
/// # Errors
/// A recording that is damaged.
pub fn contacts(recording: &Recording, stride: usize) -> Result<String, RecordingError> {
    let mut text = "time (s),x (m),y (m),z (m),nx,ny,nz,depth (m),impulse (N s)\n".to_owned();
    for (number, frame) in recording.frames().enumerate() {
        let frame = frame?;
        if number % stride.max(1) != 0 {
            continue;
        }
        let time = time(recording, number);
        for contact in &frame.contacts {
            let ([x, y, z], [a, b, c]) = (places(recording, contact.point), contact.normal);
            let _ = writeln!(text, "{time},{x},{y},{z},{a},{b},{c},{},{}", contact.depth, contact.impulse);
        }
    }
    Ok(text)
}

/// Coordinates as fields.
fn places(recording: &Recording, position: [f64; 3]) -> [String; 3] {
    let (kept, mut fields) = (recording.keeps(position), position.map(|c| c.to_string()));
    fields.iter_mut().zip(kept).filter(|(_, is_kept)| !is_kept).for_each(|(field, _)| field.clear());
    fields
}

fn time(recording: &Recording, frame: usize) -> f64 {
    // Rounded to what is meant: 0.1 and not 0.1000000000000002.
    (recording.meta.frame_dt * frame as f64 * 1e9).round() / 1e9
}

/// A text as a field.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyState, BodyVisual, Contact, FrameInput, Meta, Part, Recorder, VisualShape};

    #[test]
    fn bodies_and_contacts_have_a_line_each() {
        let meta = Meta { scene: "two".into(), frame_dt: 0.1, ..Meta::default() };
        let body = |name: &str| BodyVisual {
            name: name.into(),
            material: "oak".into(),
            fixed: false,
            hidden: false,
            parts: vec![Part::new(0)],
        };
        let shapes = vec![VisualShape::Sphere { radius: 1.0 }];
        let mut recorder = Recorder::new(meta, shapes, vec![body("a, \"b\""), body("c")]).expect("valid");
        for k in 0..4 {
            let mut states = [0.0, 8.0].map(|x| BodyState::at([x, f64::from(k), 0.0], [0.0, 0.0, 0.0, 1.0]));
            states[1].removed = k == 3;
            states[1].island = 7;
            if k == 2 {
                // Two hundred thousand kilometres are more than a recording of such balls reaches.
                states[0].position[0] = 2e8;
            }
            let contact =
                Contact { point: [0.5, 0.0, 0.0], normal: [0.0, 1.0, 0.0], depth: 0.0, impulse: 2.0 };
            let contacts = if k == 0 { vec![contact] } else { Vec::new() };
            recorder.frame(&FrameInput { bodies: &states, contacts: &contacts, series: &[] }).expect("taken");
        }
        let recording = recorder.finish();
        let text = bodies(&recording, 1).expect("readable");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 4 * 2 - 1);
        assert!(lines[1].starts_with("0,0,\"a, \"\"b\"\"\",0,0,0,0,0,0,1,"), "{}", lines[1]);
        assert!(lines[4].starts_with("0.1,1,c,8,"), "{}", lines[4]);
        // In no island, and in one.
        assert!(lines[3].ends_with(",0,") && lines[4].ends_with(",0,7"), "{text}");
        assert!(
            recording.reach() < 2e8 && lines[5].starts_with("0.2,0,\"a, \"\"b\"\"\",,2,0,"),
            "{}",
            lines[5]
        );
        assert_eq!(bodies(&recording, 3).expect("readable").lines().count(), 1 + 2 + 1);
        let text = contacts(&recording, 1).expect("readable");
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().nth(1).expect("there is one").starts_with("0,0.5,"), "{text}");
    }
}
