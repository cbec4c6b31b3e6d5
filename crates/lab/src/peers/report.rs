//! The tables: `peers.md` for people, `peers.csv` with every run.

use super::build::Builds;
use super::measure::{Group, Measured, Memory, Run};
use crate::shell::Outcome;
use std::fmt::Write as _;
use std::path::Path;

/// What no table says.
const CAVEATS: &str = "\
## What is not comparable

- All pairs of a scene have one friction and one restitution (those of the scene's `contact`, or 0.2 and 0.25), so that the
  engines' mixing rules agree. The peers have one coefficient of friction and treat slow impacts as inelastic (Box3D and Jolt below
  1 m/s); drystone does not.
- Half-spaces are boxes of 500 x 10 x 500 m for the peers, whose upper face is the plane. The judge uses the half-space for all.
- The peers run with their defaults at every rate (four sub-steps; Jolt one collision step with 10 + 2 iterations), which are made for 60 Hz and
  shapes of about a metre: slops of 5 mm (Box3D, Rapier) and 20 mm (Jolt) are a twentieth and a fifth of a 10 cm box.
- `joltc-sys` is Jolt 5.0.0 with its profiler's hooks compiled in and exposes neither gravity nor the solver's settings: gravity is a factor
  on Jolt's own. Its damping (0.05 by default) is 0 here; the convex radius of boxes is at most 5 cm and a quarter of the shortest half edge.
- Jolt is compiled for AVX2 and FMA, Box3D for SSE2, the builds of Rust code for SSE2 but for `rapier-simd8`; drystone's kernels for contacts
  (preset `fast`) choose AVX2 at run time where the machine has it.
- Joints: Rapier has no cones (both swings have the cone's angle) and no dry friction (a motor of no speed with that largest torque, in Box3D too); `joltc-sys` has no joints. How far
  they are apart is judged from poses, ten times a simulated second.
- Overlap is judged on the shapes of the scene; rounded corners of an engine count as overlap where it lets them sink in.
- Where bodies keep coming during a run (`heap_stream`: from 4 s on), times are of the steps from the first of them on; quality is of the whole run.
- Bodies that appear during a run are added within the time of the step. Building the world at the start is not in the times.
- CPU time is that of the process, all threads, so waiting in a loop counts. Below about 500 bodies the peers lose time with a second thread.
";

/// A comparison in a line, for the terminal.
pub(crate) fn line(group: &Group) -> String {
    let by_cpu = group.case.is_by_cpu();
    let ours = group.ours().map_or(f64::NAN, |e| group.time(e, by_cpu));
    let Some(peer) = group.best_peer() else {
        return format!("{}: drystone {ours:.3} ms, no peer", group.case);
    };
    let ratio = group.ratio(peer).map_or(f64::NAN, |r| r.median);
    let time = group.time(peer, by_cpu);
    format!(
        "{}: drystone {ours:.3} ms, best peer {} {time:.3} ms, ratio {ratio:.2}",
        group.case, peer.variant.name
    )
}

/// Writes both files: this place with the endings `.md` and `.csv`.
///
/// # Errors
/// What the file system refuses.
pub(crate) fn write(
    place: &Path,
    command: &str,
    machine: &[String],
    builds: &Builds,
    groups: &[Group],
    memory: &[Memory],
) -> Outcome {
    let mut text = format!(
        "# drystone beside other engines\n\n\
         Written by `{command}`; edits are lost. The program is `benches/peers`; it runs one scene in one engine and judges\n\
         the poses it ends with by one measure for all. Runs of a comparison take turns; times are medians over the rounds of the mean\n\
         time of a step. With one thread CPU time counts, with more wall time. A ratio is the peer's time over drystone's: above 1\n\
         drystone is faster; in brackets the range over the rounds.\n\n"
    );
    machine.iter().for_each(|line| text += &format!("- {line}\n"));
    text += "\n";
    text += &engines(builds, groups);
    text += &summary(groups);
    for scene in scenes(groups) {
        text += &quality(scene, groups);
    }
    text += &memory_table(memory);
    text += CAVEATS;
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let page = place.with_extension("md");
    std::fs::write(&page, text)?;
    std::fs::write(place.with_extension("csv"), csv(builds, groups))?;
    println!("\nwritten: {}", page.display());
    Ok(())
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn header(cells: &[&str]) -> String {
    let rule: Vec<&str> =
        cells.iter().enumerate().map(|(i, _)| if i == 0 { "---" } else { "---:" }).collect();
    format!("| {} |\n| {} |\n", cells.join(" | "), rule.join(" | "))
}

/// What was built, how, and what is missing.
fn engines(builds: &Builds, groups: &[Group]) -> String {
    let mut text = String::from("## Engines\n\n| engine | version | built with | SIMD | settings |\n");
    text += "|---|---|---|---|---|\n";
    let said = |name: &str, field: &str| -> String {
        let all = groups.iter().flat_map(|g| &g.engines).filter(|e| e.variant.name == name);
        let first = all.flat_map(|e| &e.runs).next();
        first.and_then(|run| run.json[field].as_str()).unwrap_or("not run").to_owned()
    };
    for program in &builds.programs {
        let name = program.variant.name;
        text += &row(&[
            name.into(),
            format!("{} {}", program.variant.package, program.version),
            program.built_with(),
            said(name, "lanes"),
            said(name, "settings"),
        ]);
    }
    text += "\nBox3D and Jolt need cmake, a C++ compiler and libclang to build.\n";
    for (name, reason) in &builds.missing {
        let _ = writeln!(text, "\nMissing: {name}, because {reason}");
    }
    text + "\n"
}

/// Best peer beside drystone.
fn summary(groups: &[Group]) -> String {
    let mut text = String::from("## Times\n\n");
    text += &header(&[
        "scene",
        "bodies",
        "Hz",
        "sleeping",
        "threads",
        "steps compared",
        "drystone ms",
        "best peer",
        "its ms",
        "ratio",
    ]);
    for group in groups {
        let case = &group.case;
        let by_cpu = case.is_by_cpu();
        let first = group.engines.first().and_then(|e| e.runs.first());
        let mut cells = vec![
            case.scene.clone(),
            first.map_or(String::new(), |run| format!("{}", run.number("bodies"))),
            case.hz.to_string(),
            case.sleep.clone(),
            case.threads.to_string(),
            steps(group),
            group.ours().map_or("-".into(), |e| format!("{:.3}", group.time(e, by_cpu))),
        ];
        if let Some(peer) = group.best_peer() {
            cells.push(peer.variant.name.into());
            cells.push(format!("{:.3}", group.time(peer, by_cpu)));
            cells.push(ratio(group, peer));
        } else {
            cells.extend(["-".into(), "-".into(), "-".into()]);
        }
        text += &row(&cells);
    }
    text + "\n"
}

fn steps(group: &Group) -> String {
    let asked =
        group.engines.iter().flat_map(|e| &e.runs).map(|r| r.number("steps_asked")).fold(0.0, f64::max);
    let common = group.common_steps();
    match (common.start, common.end) {
        (0, end) if end as f64 == asked => end.to_string(),
        (0, end) => format!("{end} of {asked}"),
        (start, end) => format!("{} to {end} of {asked}", start + 1),
    }
}

fn ratio(group: &Group, peer: &Measured) -> String {
    let text = |r: super::measure::Ratio| {
        if peer.runs.len() > 1 {
            format!("{:.2} [{:.2}, {:.2}]", r.median, r.min, r.max)
        } else {
            format!("{:.2}", r.median)
        }
    };
    group.ratio(peer).map_or("-".into(), text)
}

fn scenes(groups: &[Group]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for group in groups {
        if !names.contains(&group.case.scene.as_str()) {
            names.push(&group.case.scene);
        }
    }
    names
}

/// Every engine of a scene with its times and how good it was. What is not a time is that of the first round.
fn quality(scene: &str, groups: &[Group]) -> String {
    let mut text = format!("## {scene}\n\n");
    text += &header(&[
        "engine",
        "Hz",
        "sleeping",
        "threads",
        "CPU ms",
        "wall ms",
        "99th ms",
        "ratio",
        "overlap at end, worst / mean mm",
        "in the run, worst / mean mm",
        "joints apart, run / end mm",
        "drift mm",
        "residual motion, worst / mean mm/s",
        "lost",
        "kinetic J",
        "largest gain of energy J",
        "asleep",
        "until s",
    ]);
    for group in groups.iter().filter(|g| g.case.scene == scene) {
        for engine in &group.engines {
            let Some(run) = engine.runs.first() else { continue };
            let is_ours = engine.variant.name == "drystone";
            let mm = |name: &str| number(1e3 * run.number(name));
            let pair = |a: &str, b: &str| format!("{} / {}", mm(a), mm(b));
            text += &row(&[
                engine.variant.name.into(),
                group.case.hz.to_string(),
                group.case.sleep.clone(),
                group.case.threads.to_string(),
                format!("{:.3}", group.time(engine, true)),
                format!("{:.3}", group.time(engine, false)),
                format!("{:.3}", group.slow_step(engine, group.case.is_by_cpu())),
                if is_ours { String::new() } else { ratio(group, engine) },
                pair("overlap_end_max", "overlap_end_mean"),
                pair("overlap_run_max", "overlap_run_mean"),
                pair("stretch_run", "stretch_end"),
                mm("drift_max"),
                pair("residual_max", "residual_mean"),
                number(run.number("lost")),
                number(run.number("kinetic_end")),
                number(run.number("energy_rise")),
                number(run.number("asleep_end")),
                number(run.number("time")),
            ]);
        }
        for (engine, reason) in &group.failed {
            text += &row(&[format!("{engine} failed"), reason.replace('|', "/")]);
        }
    }
    text + "\n"
}

/// What the engines hold in memory.
fn memory_table(memory: &[Memory]) -> String {
    let mut text = String::from(
        "## Memory\n\n\
         Growth of the resident anonymous memory of the process (`RssAnon`: pages that no file backs) from an empty world, one thread,\n\
         sleeping off. It includes room to grow that has been touched and the allocator's books, not what is reserved and untouched\n\
         (Jolt, Box3D) nor program code. Per body: the bodies of the scene far apart in the air. Per touching pair (surfaces within\n\
         1 mm at the end, by the judge): growth of the scene less that of its bodies apart, so everything that comes with contacts is in it.\n\
         Pages have 4 KiB and allocators take many at once: small scenes say little.\n\n",
    );
    text += &header(&[
        "scene",
        "engine",
        "grown KiB",
        "bytes per body",
        "touching pairs",
        "bytes per touching pair",
    ]);
    for entry in memory {
        let cells = match &entry.result {
            Ok([apart, scene]) => {
                let more = scene.grown - apart.grown;
                vec![
                    format!("{:.0}", scene.grown / 1024.0),
                    number(apart.grown / apart.bodies.max(1.0)),
                    number(scene.pairs),
                    if scene.pairs > 0.0 { number(more / scene.pairs) } else { "-".into() },
                ]
            }
            Err(reason) => vec![reason.replace('|', "/")],
        };
        text += &row(&[vec![entry.scene.clone(), entry.engine.clone()], cells].concat());
    }
    text + "\n"
}

/// Three digits that count, without an exponent where that is readable.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if !value.is_finite() {
        "not finite".into()
    } else if (1e5..).contains(&size) || size < 1e-4 {
        format!("{value:.1e}")
    } else if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else if size >= 1.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// Every run in a line.
fn csv(builds: &Builds, groups: &[Group]) -> String {
    const NUMBERS: [&str; 23] = [
        "bodies",
        "steps",
        "steps_asked",
        "setup_ms",
        "cpu_ms",
        "wall_ms",
        "time",
        "overlap_end_max",
        "overlap_end_mean",
        "overlap_run_max",
        "overlap_run_mean",
        "overlapping_pairs_end",
        "stretch_run",
        "stretch_end",
        "drift_max",
        "sink_max",
        "residual_max",
        "residual_mean",
        "lost",
        "kinetic_end",
        "energy_rise",
        "energy_change",
        "asleep_end",
    ];
    let mut text = format!("scene,hz,threads,sleep,engine,version,simd,round,{}\n", NUMBERS.join(","));
    for group in groups {
        let case = &group.case;
        for engine in &group.engines {
            let name = engine.variant.name;
            let program = builds.programs.iter().find(|p| p.variant.name == name);
            let version = program.map_or("unknown", |p| p.version.as_str());
            for run in &engine.runs {
                let simd = run.json["lanes"].as_str().unwrap_or("unknown").replace(',', ";");
                let fixed = [&case.scene, &case.hz.to_string(), &case.threads.to_string(), &case.sleep];
                let fixed: Vec<&str> = fixed.iter().map(|s| s.as_str()).collect();
                let values: Vec<String> = NUMBERS.iter().map(|n| csv_number(run, n)).collect();
                let _ = writeln!(
                    text,
                    "{},{name},{version},{simd},{},{}",
                    fixed.join(","),
                    run.round + 1,
                    values.join(",")
                );
            }
        }
    }
    text
}

fn csv_number(run: &Run, name: &str) -> String {
    let value = run.number(name);
    if value.is_finite() { value.to_string() } else { "inf".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_that_count() {
        let cases = [
            (0.0, "0"),
            (693.77, "694"),
            (27.86, "27.9"),
            (1.234, "1.23"),
            (0.0157, "0.016"),
            (2e-6, "2.0e-6"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(number(f64::INFINITY), "not finite");
    }
}
