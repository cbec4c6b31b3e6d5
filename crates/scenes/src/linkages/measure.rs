//! Runs a case.

use super::ledger::{Ledger, Sight};
use super::linkage::{Built, wide};
use super::{Case, Linkage, LinkageError, Outcome};
use drystone::math::Real;

/// Multiple of what was put in at which a run is over: it flew apart.
const FLOWN: f64 = 1e4;
/// Most steps of a case.
const MAX_STEPS: f64 = 1e7;

/// Runs a case to its end, or until it flew apart, on the calling thread.
///
/// # Errors
/// A rate or length out of range, a link that nothing holds up, or what the world refuses.
pub fn measure(case: &Case) -> Result<Outcome, LinkageError> {
    let checks = [
        ("hz", "finite and positive", case.hz, case.hz.is_finite() && case.hz > 0.0),
        (
            "seconds",
            "positive, and at most 1e7 steps",
            case.seconds,
            case.seconds > 0.0 && case.seconds * case.hz <= MAX_STEPS,
        ),
    ];
    for (field, expected, value, is_valid) in checks {
        if !is_valid {
            return Err(LinkageError::OutOfRange { field, expected, value });
        }
    }
    let mut outcome = run(case, &case.linkage)?;
    if let Some(released) = &case.expects.released {
        outcome.released_force = Some(run(case, released)?.force);
    }
    Ok(outcome)
}

fn run(case: &Case, linkage: &Linkage) -> Result<Outcome, LinkageError> {
    let config = case.preset.config();
    let mut built = linkage.build(config.clone())?;
    let mut ledger = Ledger::open(case, linkage, &built, &config)?;
    let mut outcome = Outcome { largest: f64::NEG_INFINITY, ..Outcome::default() };
    let mut watch = Watch::new(case, &built)?;
    for step in 0..case.steps() {
        for blow in linkage.blows.iter().filter(|blow| blow.step == step) {
            let before = ledger.kinetic(&built, blow.link)?;
            let [impulse, angular] = [blow.impulse, blow.angular].map(|v| drystone::math::narrow(&v));
            built.world.add_impulse(built.bodies[blow.link], impulse, angular)?;
            ledger.blow(ledger.kinetic(&built, blow.link)? - before);
        }
        let report = built.world.step((1.0 / case.hz) as Real)?;
        outcome.steps += 1;
        outcome.quarantined += report.quarantined.len();
        outcome.limit_hits += u64::from(report.limit_hits);
        outcome.unsolved += u64::from(!report.is_solved);
        let sight = ledger.step(&built)?;
        note(&mut outcome, &built, &ledger, &sight)?;
        watch.look(case, &built, step)?;
        if outcome.non_finite > 0 || outcome.quarantined > 0 || outcome.largest > FLOWN {
            break;
        }
    }
    (outcome.put_in, outcome.force_noise) = (ledger.put_in, ledger.force_noise());
    (outcome.turning, outcome.amplitude) = (watch.turning(), watch.amplitude());
    Ok(outcome)
}

/// Takes in what is seen after a step.
fn note(
    outcome: &mut Outcome,
    built: &Built,
    ledger: &Ledger<'_>,
    sight: &Sight,
) -> Result<(), LinkageError> {
    let [least, most] = ledger.shares(sight);
    // What is no number stays one.
    outcome.largest = if least.is_nan() { least } else { outcome.largest.max(least) };
    outcome.last = most;
    outcome.non_finite = outcome.non_finite.max(sight.non_finite);
    outcome.spin = outcome.spin.max(sight.spin);
    for &joint in &built.joints {
        let joint = built.world.joint(joint)?;
        outcome.distance = outcome.distance.max(f64::from(joint.error[0]));
        outcome.force = outcome.force.max(f64::from(joint.force.norm()));
    }
    Ok(())
}

/// What is looked at beside energy: how a motor turns, how far a spring swings.
#[derive(Debug, Default)]
struct Watch {
    turning: Option<[f64; 2]>,
    /// Farthest from the target at the start and in the last period, m or rad.
    swing: Option<[f64; 2]>,
}

impl Watch {
    fn new(case: &Case, built: &Built) -> Result<Self, LinkageError> {
        let swing = case.expects.swings.map(|(hold, _)| stretch(case, built, hold)).transpose()?;
        Ok(Self { turning: case.expects.turns.map(|_| [0.0; 2]), swing: swing.map(|start| [start, 0.0]) })
    }

    fn look(&mut self, case: &Case, built: &Built, step: usize) -> Result<(), LinkageError> {
        if let (Some((hold, speed)), Some([off, across])) = (case.expects.turns, &mut self.turning)
            && step >= case.steps() / 2
        {
            let joint = built.world.joint(built.joints[hold])?;
            let angular = wide(&built.world.velocity(joint.bodies[1])?.1);
            let axis = wide(&joint.coordinates.axes[0]);
            let rate = angular.dot(&axis);
            *off = off.max((rate - speed).abs());
            *across = across.max((angular - axis * rate).norm());
        }
        if let (Some((hold, period)), Some([_, end])) = (case.expects.swings, &mut self.swing)
            && (case.steps() - step) as f64 <= period * case.hz
        {
            *end = end.max(stretch(case, built, hold)?);
        }
        Ok(())
    }

    fn turning(&self) -> Option<[f64; 2]> {
        self.turning
    }

    fn amplitude(&self) -> Option<f64> {
        self.swing.map(|[start, end]| end / start)
    }
}

/// How far a spring is stretched, m or rad.
fn stretch(case: &Case, built: &Built, hold: usize) -> Result<f64, LinkageError> {
    let Some((axis, drystone::Motor::Spring { target, .. })) = case.linkage.holds[hold].motor else {
        return Ok(0.0);
    };
    let joint = built.world.joint(built.joints[hold])?;
    Ok(f64::from((joint.value(axis) - target).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use crate::linkages::linkage::Blow;
    use crate::linkages::rods::{GRAVITY, Style, chain};
    use crate::linkages::{Expectation, random};
    use drystone::math::{Displacement, Position};
    use drystone::{JointAxis, Motor};

    /// A second of it, as thick as half of its length: such links every method follows, so that what is found is what the books say.
    fn case(linkage: Linkage) -> Case {
        let expects = Expectation::default();
        Case { linkage, seconds: 1.0, hz: 60.0, preset: Preset::Fast, expects, ..random(0) }
    }

    #[test]
    fn a_pendulum_begins_with_its_whole_drop() {
        let mut linkage = chain(Style::Hinge, &[0.0], 0.5, 0.25, 2.0, true);
        linkage.gravity = Displacement::y() * -GRAVITY;
        let outcome = measure(&case(linkage)).expect("valid");
        // 2 kg, whose centre can drop by 0.25 m.
        assert!((outcome.put_in - 2.0 * GRAVITY * 0.25).abs() < 1e-6, "{outcome:?}");
        assert!((outcome.largest - 1.0).abs() < 0.01 && (outcome.last - 1.0).abs() < 0.01, "{outcome:?}");
    }

    #[test]
    fn a_blow_puts_in_what_it_changes() {
        let at = |x: f64| Position::new(x, 0.0, 0.0);
        let impulse = Displacement::new(0.0, 3.0, 0.0);
        let mut linkage = chain(Style::Ball, &[0.0], 1.0, 0.5, 2.0, false).spun(at(0.5), Displacement::z());
        let moment = 2.0 * (1.0 + 0.25) / 12.0;
        let blow = |step| Blow { step, link: 0, impulse, angular: Displacement::zeros() };
        linkage.blows = vec![blow(10), blow(20)];
        let outcome = measure(&case(linkage)).expect("valid");
        // 3 m/s in the end, 1.5 m/s at a time.
        let put_in = 0.5 * moment + 0.5 * 2.0 * 9.0;
        assert!((outcome.put_in - put_in).abs() < 1e-5 * put_in, "{outcome:?}");
        assert!((outcome.largest - 1.0).abs() < 1e-4 && (outcome.last - 1.0).abs() < 1e-4, "{outcome:?}");
    }

    #[test]
    fn a_motor_puts_in_what_it_turns() {
        for style in [Style::Hinge, Style::Ball, Style::ConeTwist, Style::Generic] {
            let mut linkage = chain(style, &[0.0], 1.0, 0.5, 1.0, true);
            linkage.holds[0].motor = Some((JointAxis::Twist, Motor::Speed { speed: 3.0, most: 4.0 }));
            let outcome = measure(&case(linkage)).expect("valid");
            let moment: f64 = 1.0 / 3.0 + 0.25 / 12.0;
            assert!((outcome.put_in / (0.5 * moment * 9.0) - 1.0).abs() < 0.01, "{style:?} {outcome:?}");
            let is_whole = |share: f64| (share - 1.0).abs() < 0.01;
            assert!(is_whole(outcome.largest) && is_whole(outcome.last), "{style:?} {outcome:?}");
        }
    }

    #[test]
    fn what_hangs_as_low_as_it_gets_has_nothing_to_gain_from_rounding() {
        let turn = drystone::math::WideRotation::new(Displacement::z() * -std::f64::consts::FRAC_PI_2);
        let mut linkage = chain(Style::Ball, &[0.0], 0.5, 0.25, 2.0, true).turned(&turn);
        linkage.gravity = Displacement::y() * -GRAVITY;
        let outcome = measure(&case(linkage)).expect("valid");
        assert!(outcome.put_in < 1e-6 && (outcome.largest - 1.0).abs() < 0.02, "{outcome:?}");
    }

    #[test]
    fn a_run_without_steps_is_refused() {
        let refused = |hz: f64, seconds: f64| {
            measure(&Case { hz, seconds, ..random(0) }).expect_err("out of range").to_string()
        };
        assert_eq!(refused(f64::NAN, 1.0), "hz must be finite and positive, got NaN");
        assert!(refused(60.0, -1.0).contains("seconds must be positive"));
    }
}
