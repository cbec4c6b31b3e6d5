//! E3, E4: columns that collapse, and heaps.

use super::grains::{D, Grains, count};
use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, vector};
use crate::validate::row::Row;
use drystone::math::Displacement;
use std::f64::consts::PI;

const MU: f64 = 0.5;
/// Radius of the columns, m.
const R0: f64 = 8.0 * D;
/// Heights over radius.
const ASPECTS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];

/// How a column ended.
#[derive(Clone, Copy, Debug)]
struct Collapse {
    /// Height over radius as it stood.
    aspect: f64,
    /// Run-out over radius, and height at the end over radius.
    run_out: f64,
    height: f64,
    /// Time until 95 % of the run-out, over sqrt(h0/g).
    time: f64,
}

/// E3: Lube's laws of a column whose tube is taken away at once.
pub(crate) fn collapses(setup: &Setup) -> Outcome<Vec<Row>> {
    let ends = ASPECTS.iter().map(|&aspect| collapse(setup, R0, aspect)).collect::<Outcome<Vec<_>>>()?;
    let mut rows = Vec::new();
    for end in &ends {
        let name = format!("a = {:.2}", end.aspect);
        let law = if end.aspect < 1.7 { 1.24 * end.aspect } else { 1.6 * end.aspect.sqrt() };
        let height = if end.aspect < 1.0 { end.aspect } else { 0.88 * end.aspect.powf(1.0 / 6.0) };
        rows.push(
            Row::relative(format!("{name}: run-out / r0"), "", law, end.run_out, 0.15)
                .from("E3: 1.24 a, 1.6 sqrt(a)")
                .over("run-out (r0) over a", end.aspect),
        );
        rows.push(
            Row::relative(format!("{name}: height at the end / r0"), "", height, end.height, 0.1)
                .from("E3: a, 0.88 a^(1/6)")
                .over("height (r0) over a", end.aspect),
        );
        rows.push(Row::relative(format!("{name}: time / sqrt(h0/g)"), "", 3.0, end.time, 0.15).from("E3"));
    }
    let slope = |a: &Collapse, b: &Collapse| (b.run_out / a.run_out).ln() / (b.aspect / a.aspect).ln();
    rows.push(
        Row::absolute("exponent of the run-out, a 0.5 to 1", "", 1.0, slope(&ends[0], &ends[1]), 0.1)
            .from("E3"),
    );
    let half = collapse(setup, 0.5 * R0, ASPECTS[2])?;
    rows.push(
        Row::told(
            "half the radius in grains, a = 2: run-out / r0 / law",
            "",
            half.run_out / (1.6 * half.aspect.sqrt()),
        )
        .from("E3, told"),
    );
    rows.push(
        Row::absolute("exponent of the run-out, a 2 to 4", "", 0.5, slope(&ends[2], &ends[3]), 0.1)
            .from("E3"),
    );
    Ok(rows)
}

/// Lets a column of this height over radius collapse on a rough floor.
fn collapse(setup: &Setup, r0: f64, aspect: f64) -> Outcome<Collapse> {
    const LOOK: f64 = 0.05;
    let mut grains = Grains::new(setup, MU)?;
    grains.rough_floor(4.5 * r0)?;
    let tube = grains.tube(r0, 1.8 * aspect * r0 + 5.0 * D)?;
    grains.pour(r0, count(r0, aspect * r0), 1)?;
    grains.lab.settle(3.0)?;
    let tall = grains.height()?;
    for side in tube {
        grains.lab.world.remove_body(side)?;
    }
    let unit = (tall / G).sqrt();
    let (mut time, mut fronts) = (0.0, Vec::new());
    while time < 8.0 * unit {
        grains.lab.settle(LOOK)?;
        time += LOOK;
        fronts.push((time, front(&grains.places()?)));
    }
    let last = fronts.last().map_or(f64::NAN, |&(_, front)| front);
    let there = r0 + 0.95 * (last - r0);
    let arrived = fronts.iter().find(|&&(_, front)| front >= there).map_or(f64::NAN, |&(time, _)| time);
    let top = profile(&grains.places()?).first().map_or(f64::NAN, |&(_, height)| height);
    Ok(Collapse { aspect: tall / r0, run_out: (last - r0) / r0, height: top / r0, time: arrived / unit })
}

/// Outer radius of the farthest ring, a grain wide, of which grains cover a third: strays roll on.
fn front(places: &[Displacement]) -> f64 {
    let mut rings = vec![0.0_f64; 200];
    for at in places {
        let ring = (at.x.hypot(at.z) / D) as usize;
        if let Some(covered) = rings.get_mut(ring) {
            *covered += 0.25 * PI * D * D;
        }
    }
    let area = |ring: usize| PI * D * D * (2.0 * ring as f64 + 1.0);
    let farthest = (0..rings.len()).rev().find(|&ring| rings[ring] > area(ring) / 3.0);
    farthest.map_or(0.0, |ring| D * (ring as f64 + 1.0))
}

/// Grains of a heap; radius of the rough disc that it stands on and of the tube that held it, m. What falls over the disc's edge is gone.
const GRAINS: u32 = 5000;
const DISC: f64 = 20.0 * D;
const TUBE: f64 = 10.0 * D;

/// E4: the angle of a heap under a tube that is lifted slowly.
pub(crate) fn repose(setup: &Setup) -> Outcome<Vec<Row>> {
    let [rough, later] = heap(setup, 0.5, 20.0)?;
    let [smooth, _] = heap(setup, 0.2, 0.0)?;
    Ok(vec![
        Row::absolute("angle of repose, mu 0.5", "deg", rough.clamp(20.0, 24.0), rough, 2.0)
            .from("E4: 20 to 24 deg without rolling friction"),
        Row::at_least("angle at mu 0.5 less that at mu 0.2", "deg", 0.0, rough - smooth)
            .from("E4: rises with mu"),
        Row::at_most("creep of the angle in 20 s", "deg", (later - rough).abs(), 0.1)
            .from("E4: constant in time"),
    ])
}

/// Angle of a heap when it rests, and after more seconds, degrees.
fn heap(setup: &Setup, mu: f64, more: f64) -> Outcome<[f64; 2]> {
    const SPEED: f64 = 2.0 * D;
    let mut grains = Grains::new(setup, mu)?;
    grains.rough_floor(DISC)?;
    let high = 1.6 * f64::from(GRAINS) / f64::from(count(TUBE, 1.0)) + 5.0 * D;
    let tube = grains.tube(TUBE, high)?;
    grains.pour(TUBE, GRAINS, 1)?;
    grains.lab.settle(2.0)?;
    for &side in &tube {
        grains.lab.world.set_velocity(side, vector([0.0, SPEED, 0.0]), vector([0.0; 3]))?;
    }
    let angle = |grains: &mut Grains, seconds: f64| -> Outcome<f64> {
        for _ in 0..seconds.round() as u32 {
            grains.lab.settle(1.0)?;
            grains.drain(-3.0 * D)?;
        }
        let slope = profile(&grains.places()?);
        let inner =
            slope.iter().filter(|(r, _)| (3.0 * D..0.85 * DISC).contains(r)).copied().collect::<Vec<_>>();
        Ok((-super::grains::line(&inner)[0]).atan().to_degrees())
    };
    let first = angle(&mut grains, high / SPEED + 5.0)?;
    let later = if more > 0.0 { angle(&mut grains, more)? } else { first };
    Ok([first, later])
}

/// Height of the surface over the radius, ring by ring, each two grains wide: the mean of its three highest grains.
fn profile(places: &[Displacement]) -> Vec<(f64, f64)> {
    const WIDE: f64 = 2.0 * D;
    let mut rings: Vec<Vec<f64>> = vec![Vec::new(); 100];
    for at in places {
        if let Some(ring) = rings.get_mut((at.x.hypot(at.z) / WIDE) as usize) {
            ring.push(at.y + 0.5 * D);
        }
    }
    let mut heights = Vec::new();
    for (k, ring) in rings.iter_mut().enumerate().filter(|(_, ring)| ring.len() >= 3) {
        ring.sort_by(f64::total_cmp);
        let highest = ring.iter().rev().take(3).sum::<f64>() / 3.0;
        heights.push((WIDE * (k as f64 + 0.5), highest));
    }
    heights
}
