//! `cargo xtask bench broad_phases`: what the broad phases cost, from 100 to 100 000 boxes.
//!
//! Prints tables and writes `docs/measurements/broad-phases.md` with log-log plots.

use super::solvers::digits;
use crate::PROFILE;
use crate::machine;
use crate::papers::report::Section;
use crate::shell::Outcome;
use crate::workspace::root;
use drystone::Exec;
use drystone::math::{Aabb, BitSet, Displacement, Position};
use drystone_collision::broad::{
    BroadPhase, BruteForce, DynamicTree, HierarchicalHashGrid, PairChanges, Proxies, ProxyFilter,
    UniformHashGrid,
};
use drystone_viewer::plot::{Curve, lines_svg};
use std::time::Instant;

/// Name of the suite.
pub(super) const SUITE: &str = "broad_phases";
/// Boxes.
const COUNTS: [usize; 4] = [100, 1000, 10_000, 100_000];
/// Percent of the boxes that move before an update.
const MOVING: [usize; 4] = [0, 1, 10, 100];
/// Updates before the clock counts, and updates that are timed.
const WARM_UP: usize = 6;
const TIMED: usize = 12;
/// Boxes up to which all are tested against all.
const BRUTE: usize = 1000;
/// Boxes per cubic metre where they lie evenly.
const DENSITY: f64 = 0.4;

const HEAD: &str = "# Broad phases side by side\n\n\
    Written by `cargo xtask bench broad_phases`; edits are lost. Boxes lie at random places (neighbours are far apart in memory), 0.4 per cubic metre, on a ground\n\
    that is fixed. Before each update the given share of them, others each time, is moved by up to a tenth of its size. Even: 0.8 to 1.2 m. Clumped: the same, nine\n\
    tenths of the boxes as dense, one tenth in twenty clumps, ten times as dense. Mixed: 0.1 to 10 m, as many in every octave (and a larger room). Times are medians of 12 updates\n\
    after six that are not counted, on one thread, microseconds of wall time per update. All find the same pairs. The uniform grid chooses its cells from the\n\
    boxes. The tree is the default (`DetectionConfig::broad_phase`): what the others cost of its time is in the last columns.\n\n";

/// How boxes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Even,
    Clumped,
    Mixed,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Even, Self::Clumped, Self::Mixed];

    fn name(self) -> &'static str {
        match self {
            Self::Even => "even",
            Self::Clumped => "clumped",
            Self::Mixed => "mixed",
        }
    }
}

/// Measures all and writes the document.
///
/// # Errors
/// Files that cannot be written.
pub(super) fn run() -> Outcome {
    let folder = root().join("docs/measurements/broad-phases");
    std::fs::create_dir_all(&folder)?;
    let mut text = String::from(HEAD);
    machine::describe(PROFILE).iter().for_each(|line| text += &format!("- {line}\n"));
    for kind in Kind::ALL {
        eprintln!("  {}", kind.name());
        let section = measure(kind)?;
        section.print();
        text += &format!("\n{}", section.markdown("broad-phases"));
        for (name, svg) in &section.plots {
            std::fs::write(folder.join(format!("{name}.svg")), svg)?;
        }
    }
    let path = root().join("docs/measurements/broad-phases.md");
    std::fs::write(&path, text)?;
    println!("\nwritten: {}", path.display());
    Ok(())
}

/// Names and makers; the last is not run where boxes are many.
type Candidate = (&'static str, fn() -> Box<dyn BroadPhase>);
const CANDIDATES: [Candidate; 4] = [
    ("hash grid", || Box::new(HierarchicalHashGrid::default())),
    ("uniform grid", || Box::new(UniformHashGrid::default())),
    ("tree", || Box::new(DynamicTree::new())),
    ("brute force", || Box::new(BruteForce::new())),
];

fn measure(kind: Kind) -> Outcome<Section> {
    let header = [
        "boxes",
        "moving %",
        "pairs",
        "hash grid us",
        "uniform grid us",
        "tree us",
        "brute force us",
        "hash grid / tree",
        "uniform grid / tree",
    ];
    let mut section = Section::new(kind.name(), "Microseconds per update.", &header);
    let mut curves: Vec<Curve> = Vec::new();
    for moving in MOVING {
        let mut points: [Vec<(f64, f64)>; 3] = Default::default();
        for count in COUNTS {
            let mut row = vec![count.to_string(), moving.to_string()];
            let mut times = Vec::new();
            let mut pairs = None;
            for (_, make) in &CANDIDATES[..if count <= BRUTE { 4 } else { 3 }] {
                let (time, found) = time(&mut *make(), kind, count, moving);
                assert!(pairs.is_none_or(|known| known == found), "all find the same pairs");
                pairs = Some(found);
                times.push(time);
            }
            row.push(pairs.unwrap_or_default().to_string());
            row.extend((0..4).map(|i| times.get(i).map_or_else(String::new, |&time| digits(time))));
            row.extend(times[..2].iter().map(|time| digits(time / times[2])));
            section.rows.push(row);
            for (points, time) in points.iter_mut().zip(&times) {
                points.push(((count as f64).log10(), time.log10()));
            }
        }
        for (points, (name, _)) in points.into_iter().zip(&CANDIDATES) {
            curves.push(Curve { name: format!("{name}, {moving} %"), points });
        }
    }
    let title = format!("{} boxes: time of an update", kind.name());
    let svg = lines_svg(&title, "log10 of boxes", "log10 of microseconds", &curves)?;
    section.plots.push((kind.name().to_owned(), svg));
    Ok(section)
}

/// Median time of an update, microseconds, and the pairs at the end.
fn time(broad: &mut dyn BroadPhase, kind: Kind, count: usize, moving: usize) -> (f64, u32) {
    let exec = Exec::serial();
    let mut random = Random(11);
    let mut boxes = place(kind, count, &mut random);
    let fixed = ProxyFilter { member_of: 1, meets: 1, fixed: true, owner: 0 };
    let filters: Vec<ProxyFilter> =
        (0..boxes.len() as u32).map(|owner| ProxyFilter { fixed: owner == 0, owner, ..fixed }).collect();
    let mut changed = BitSet::new();
    changed.resize(boxes.len() as u32);
    (0..boxes.len() as u32).for_each(|proxy| changed.insert(proxy));
    let mut changes = PairChanges::default();
    let (mut times, mut pairs) = (Vec::new(), 0);
    for update in 0..=WARM_UP + TIMED {
        let proxies = Proxies { boxes: &boxes, filters: &filters, changed: &changed };
        let start = Instant::now();
        pairs = broad.update(proxies, &exec, &mut changes).pairs;
        if update > WARM_UP {
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        changed.clear();
        for proxy in (1..boxes.len()).filter(|proxy| (proxy + 37 * update) % 100 < moving) {
            let by = boxes[proxy].extents() * 0.1;
            let by = Displacement::new(random.sign() * by.x, random.sign() * by.y, random.sign() * by.z);
            boxes[proxy] = Aabb::new(boxes[proxy].min + by, boxes[proxy].max + by);
            changed.insert(proxy as u32);
        }
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], pairs)
}

/// The ground, and then the boxes.
fn place(kind: Kind, count: usize, random: &mut Random) -> Vec<Aabb> {
    let volume = count as f64 / DENSITY;
    // Where sizes differ, the mean volume of a box is larger.
    let side = if kind == Kind::Mixed { 6.0 * volume.cbrt() } else { volume.cbrt() };
    let ground = Aabb::new(Position::new(-side, -2.0, -side), Position::new(2.0 * side, 0.5, 2.0 * side));
    // As many boxes of a clump as fit ten times as dense.
    let clump = (volume / 10.0 / 20.0 / 10.0).cbrt();
    let clumps: Vec<Position> = (0..20).map(|_| random.position() * side).collect();
    let boxes = (0..count).map(|i| {
        let half = match kind {
            Kind::Mixed => 0.05 * 100f64.powf(random.next()),
            Kind::Even | Kind::Clumped => 0.4 + 0.2 * random.next(),
        };
        let center = if kind == Kind::Clumped && i % 10 == 0 {
            clumps[i / 10 % 20] + (random.position() * clump).coords
        } else {
            random.position() * side
        };
        Aabb::from_center(center, Displacement::repeat(half))
    });
    std::iter::once(ground).chain(boxes).collect()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    /// In [0, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In [-1, 1).
    fn sign(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }

    fn position(&mut self) -> Position {
        Position::new(self.next(), self.next(), self.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_of_all_kinds_are_finite_and_overlap_some() {
        for kind in Kind::ALL {
            let (_, pairs) = time(&mut BruteForce::new(), kind, 400, 10);
            assert!((100..6000).contains(&pairs), "{kind:?}: {pairs}");
        }
    }
}
