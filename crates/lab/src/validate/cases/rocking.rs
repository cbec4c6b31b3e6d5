//! B11, B12, B13: a block that rocks, and rods on the ground.

use crate::shell::Outcome;
use crate::validate::lab::{G, Lab, Setup, bisect, cuboid, turned, vector, wide};
use crate::validate::row::Row;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, Vector3};
use drystone::{AxisLocks, BodyHandle, BodySpec, ColliderSpec, Shape, World};

/// Width and height of the block, m.
const WIDE: f64 = 0.1;
const HIGH: f64 = 0.4;

/// B11: Housner's block rocks from edge to edge.
pub(crate) fn housner(setup: &Setup) -> Outcome<Vec<Row>> {
    let slender = (WIDE / HIGH).atan();
    let start = 0.5 * slender;
    let (leans, first) = swings(setup, start)?;
    let (fine, _) = swings(&setup.refined(), start)?;
    // Height of the centre over its lowest place, as a share of the diagonal: what the speed at the impact becomes.
    let rise = |lean: f64| (slender - lean).cos() - slender.cos();
    let kept = |leans: &[f64], n: usize| {
        leans.get(n).map_or(f64::NAN, |&lean| (rise(lean) / rise(start)).powf(0.5 / n as f64))
    };
    let exact = 1.0 - 1.5 * slender.sin().powi(2);
    Ok(vec![
        Row::absolute(
            "time of the first impact",
            "s",
            0.220836,
            first,
            0.01 * 0.220836 + 0.5 * setup.lag().abs(),
        )
        .from("B11, quadrature; 1 % + lag/2 of the integrator"),
        Row::relative("share of speed that the first impact leaves", "", exact, kept(&leans, 1), 0.01)
            .from("B11: 1 - 3/2 sin^2 a"),
        Row::relative("mean share of five impacts", "", exact, kept(&leans, 5), 0.01).from("B11"),
        Row::told("mean share of five impacts with dt/4", "", kept(&fine, 5)).from("B11, told"),
    ])
}

/// Farthest lean of each half swing (rad), and when the first ends (s).
fn swings(setup: &Setup, start: f64) -> Outcome<(Vec<f64>, f64)> {
    let mut lab = setup.lab(G, 0.0, 1.0)?;
    lab.plane([0.0, 1.0, 0.0])?;
    // On its right lower edge; leaning to the right is positive.
    let (sin, cos) = start.sin_cos();
    let at = [-0.5 * WIDE * cos + 0.5 * HIGH * sin, 0.5 * WIDE * sin + 0.5 * HIGH * cos, 0.0];
    let body = lab.add(cuboid([WIDE, HIGH, WIDE], 1.0)?.pose(turned(at, -start)))?;
    let (mut leans, mut first, mut last) = (vec![start], f64::NAN, (0.0, start));
    lab.run(2.5, |world, t| {
        let up = wide(&(world.pose(body)?.rotation * Vector3::y()));
        let lean = up.x.atan2(up.y);
        let (before, was): (f64, f64) = last;
        if lean * was < 0.0 {
            if first.is_nan() {
                first = before + (t - before) * was / (was - lean);
            }
            leans.push(0.0);
        }
        if let Some(most) = leans.last_mut() {
            *most = most.max(lean.abs());
        }
        last = (t, lean);
        Ok(())
    })?;
    Ok((leans, first))
}

/// A rod of 1 kg per metre and metre of length: its ends are balls of this radius, m.
fn rod(length: f64, mass: f64, radius: f64) -> Outcome<BodySpec> {
    let shape = Shape::capsule((0.5 * length) as f32, radius as f32)?;
    let across = mass * length * length / 12.0;
    // Thin: about its axis it has what a wire of that radius has.
    let along = 0.5 * mass * radius * radius;
    let mass = MassProperties::aligned(mass as f32, vector([across, along, across]));
    Ok(BodySpec::dynamic()
        .collider(ColliderSpec::new(shape))
        .mass(mass)
        .locks(AxisLocks::PLANE_XY)
        .can_sleep(false))
}

/// B12: a rod slides with its lower end ahead (Painlevé): beyond mu 4/3 pushing on makes the normal force grow without bound.
pub(crate) fn painleve(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for mu in [1.2, 1.5] {
        let slid = slide_rod(setup, mu)?;
        rows.push(
            Row::at_most(format!("mu {mu}: energy gained / E0"), "", slid.gained, 1e-6)
                .from("B12: friction takes energy"),
        );
        rows.push(
            Row::at_most(format!("mu {mu}: deepest overlap"), "m", slid.overlap, 1e-3).from("B12: < 1 mm"),
        );
        if mu > 4.0 / 3.0 {
            rows.push(
                Row::at_most(
                    format!("mu {mu}: slip of the end that touches after 50 ms"),
                    "m/s",
                    slid.slip,
                    0.01,
                )
                .from("B12: it jams or lifts"),
            );
        }
    }
    Ok(rows)
}

/// What became of a sliding rod.
struct Slide {
    gained: f64,
    overlap: f64,
    slip: f64,
}

/// 1 s of a rod of 1 m at an angle whose tangent is 2, with 2 m/s towards its lower end.
fn slide_rod(setup: &Setup, mu: f64) -> Outcome<Slide> {
    const RADIUS: f64 = 0.005;
    const SPEED: f64 = 2.0;
    let angle = 2.0_f64.atan();
    let mut lab = setup.lab(G, 0.0, mu)?;
    lab.plane([0.0, 1.0, 0.0])?;
    // The axis leans to the right, so the lower end is ahead on the way to the left.
    let lean = std::f64::consts::FRAC_PI_2 - angle;
    let pose = turned([0.0, 0.5 * angle.sin() + RADIUS, 0.0], -lean);
    let body = lab.add(rod(1.0, 1.0, RADIUS)?.pose(pose).linear_velocity(vector([-SPEED, 0.0, 0.0])))?;
    let energy = |world: &World| -> Outcome<f64> {
        // A fall that lags keeps its energy with the speed half a lag later.
        let v = world.velocity(body)?.0.y;
        let height = world.pose(body)?.translation.y + 0.5 * setup.lag() * f64::from(v);
        Ok(world.kinetic_energy() + G * height)
    };
    let begin = energy(&lab.world)?;
    let mut slide = Slide { gained: 0.0, overlap: 0.0, slip: 0.0 };
    lab.run(1.0, |world, t| {
        let gained = energy(world)? / begin - 1.0;
        slide.gained = if gained.is_nan() { gained } else { slide.gained.max(gained) };
        let at = world.pose(body)?;
        let (linear, angular) = world.velocity(body)?;
        for contact in world.contacts() {
            slide.overlap = slide.overlap.max(-f64::from(contact.distance));
            if t > 0.05 && t < 0.2 && contact.distance <= 0.0 {
                let arm = contact.point - at.translation;
                let slip = f64::from(linear.x) - f64::from(angular.z) * arm.y;
                slide.slip = slide.slip.max(slip.abs());
            }
        }
        Ok(())
    })?;
    Ok(slide)
}

/// B13: how steep a ladder must stand.
pub(crate) fn ladder(setup: &Setup) -> Outcome<Vec<Row>> {
    const FLOOR: f64 = 0.4;
    let mut rows = Vec::new();
    for (name, wall) in [("smooth wall", 0.0), ("rough wall", 0.4)] {
        let exact = ((1.0 - FLOOR * wall) / (2.0 * FLOOR)).atan().to_degrees();
        let ours = bisect(exact - 6.0, exact + 6.0, 0.05, |degrees| {
            let (mut lab, body) = leaning(setup, degrees, FLOOR, wall)?;
            let start = lab.position(body)?;
            lab.settle(2.0)?;
            Ok((lab.position(body)? - start).norm() < 5e-3)
        })?;
        rows.push(
            Row::absolute(format!("{name}: least angle that stands"), "deg", exact, ours, 0.3)
                .from("B13: tan = (1 - mf mw)/(2 mf)"),
        );
    }
    Ok(rows)
}

/// A ladder of 4 m that touches floor and wall.
fn leaning(setup: &Setup, degrees: f64, floor: f64, wall: f64) -> Outcome<(Lab, BodyHandle)> {
    // So thin that its ends are points: the angle shifts by 0.02 degrees.
    const RADIUS: f64 = 0.001;
    let (sin, cos) = degrees.to_radians().sin_cos();
    let mut lab = setup.lab(G, 0.0, floor)?;
    lab.plane([0.0, 1.0, 0.0])?;
    lab.other_plane(Pose::IDENTITY, [1.0, 0.0, 0.0], wall)?;
    let centre = Displacement::new(2.0 * cos + RADIUS, 2.0 * sin + RADIUS, 0.0);
    let lean = std::f64::consts::FRAC_PI_2 - degrees.to_radians();
    // Its upper end is on the left, at the wall.
    let body = lab.add(rod(4.0, 10.0, RADIUS)?.pose(turned([centre.x, centre.y, 0.0], lean)))?;
    Ok((lab, body))
}
