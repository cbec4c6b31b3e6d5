//! Energy of a linkage, and the work that is done on it. The rules are those of the [module](super).

use super::linkage::{Built, Linkage, wide};
use super::{Case, LinkageError};
use crate::run::kinetic_energy;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Vector3};
use drystone::{JointAxis, JointKind, JointRef, Motor, SolverChoice, World, WorldConfig};
use std::f64::consts::{PI, TAU};

/// Share of a motor's speed that the rate of a link that others hold as well may change by in a step, so that the mean of both rates is good enough.
const EVEN: f64 = 0.1;

/// Drop of every link, as a share of its length, that counts as put in at least: joints hold places to some 1e-5 of a length, and that of what hangs as low as
/// it gets would be compared with nothing.
const LEAST_DROP: f64 = 1e-3;

/// How far the direction of a coordinate may turn in a step, rad, so that the mean force along it is that along where it is.
const STILL: f64 = 0.05;

/// A motor that keeps a speed.
#[derive(Debug)]
struct Drive {
    hold: usize,
    axis: JointAxis,
    /// Largest power that it gives, W.
    power: f64,
    /// Whether its work is known from its force and rate: one end is fixed, and nothing else of the joint acts along the coordinate.
    is_exact: bool,
    /// Whether nothing else holds its link, so that the rate changes as its force says.
    is_alone: bool,
    /// Speed that it keeps, without sign, m/s or rad/s.
    speed: f64,
    /// Rate after the last step, m/s or rad/s.
    rate: f64,
    /// What it was the rate of: directions of the way and of the turn, world.
    directions: [Displacement; 2],
}

/// A spring, undamped or not: what it stores.
#[derive(Debug)]
struct Spring {
    hold: usize,
    axis: JointAxis,
    target: f64,
    stiffness: f64,
    most: f64,
    /// Whether it takes the shorter way around.
    wraps: bool,
    /// Stretch after the last step, m or rad.
    stretch: f64,
}

/// Energy as it is seen after a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sight {
    /// Kinetic, of gravity and of springs, J.
    pub(super) energy: f64,
    /// How far that may be from the energy of an exact solution because of when velocities are seen, J.
    pub(super) ripple: f64,
    /// Fastest that a link turns across its length, rad/s.
    pub(super) spin: f64,
    /// Links whose state is no number.
    pub(super) non_finite: usize,
}

/// Keeps the books of a run.
#[derive(Debug)]
pub(super) struct Ledger<'a> {
    linkage: &'a Linkage,
    masses: Vec<MassProperties>,
    lowest: Vec<f64>,
    drives: Vec<Drive>,
    springs: Vec<Spring>,
    dt: f64,
    /// Half of what a velocity is seen late or early by, s.
    half: f64,
    /// Ripple at the start, J.
    first_ripple: f64,
    /// Energy at the start and all work since, J.
    net: f64,
    /// Least that counts as put in, J ([`LEAST_DROP`]).
    least: f64,
    /// Energy at the start and work that was positive, J.
    pub(super) put_in: f64,
}

impl<'a> Ledger<'a> {
    /// The books of a linkage that was just built.
    pub(super) fn open(
        case: &Case,
        linkage: &'a Linkage,
        built: &Built,
        config: &WorldConfig,
    ) -> Result<Self, LinkageError> {
        let dt = 1.0 / case.hz;
        let sub_step = match &config.solver {
            SolverChoice::SubStep { config } => dt / f64::from(config.sub_steps),
            _ => dt,
        };
        let mut ledger = Self {
            linkage,
            masses: linkage.links.iter().map(|link| link.mass_properties()).collect(),
            lowest: linkage.lowest_potential()?,
            drives: drives(linkage),
            springs: springs(linkage),
            dt,
            half: 0.5 * sub_step,
            first_ripple: 0.0,
            net: 0.0,
            least: least_drop(linkage),
            put_in: 0.0,
        };
        ledger.follow_springs(built)?;
        let start = ledger.sight(built)?;
        ledger.first_ripple = start.ripple;
        (ledger.net, ledger.put_in) = (start.energy, start.energy);
        for drive in &mut ledger.drives {
            let joint = built.world.joint(built.joints[drive.hold])?;
            drive.rate = rate(&built.world, &joint, drive.axis)?;
            drive.directions = directions(&joint, drive.axis);
        }
        Ok(ledger)
    }

    /// Takes in the work of the step that was just made; what there is after it.
    pub(super) fn step(&mut self, built: &Built) -> Result<Sight, LinkageError> {
        let mut work = [0.0; 2];
        for drive in &mut self.drives {
            let joint = built.world.joint(built.joints[drive.hold])?;
            let (now, along) = (rate(&built.world, &joint, drive.axis)?, directions(&joint, drive.axis));
            let given = 0.5 * (drive.rate + now) * effort(&joint, drive.axis) * self.dt;
            let is_still = (0..2).all(|k| (along[k] - drive.directions[k]).norm() <= STILL);
            let is_even = drive.is_alone || (now - drive.rate).abs() <= EVEN * drive.speed;
            (drive.rate, drive.directions) = (now, along);
            let most = drive.power * self.dt;
            let given = if drive.is_exact && is_still && is_even && given.is_finite() {
                given.min(most)
            } else {
                most
            };
            work[0] += given;
            work[1] += given.max(0.0);
        }
        self.net += work[0];
        self.put_in += work[1];
        let before: Vec<f64> = self.springs.iter().map(|spring| spring.stretch).collect();
        self.follow_springs(built)?;
        let mut sight = self.sight(built)?;
        for (spring, before) in self.springs.iter().zip(before) {
            sight.ripple += self.half * (spring.force() * (spring.stretch - before) / self.dt).abs();
        }
        Ok(sight)
    }

    /// Takes in what a blow changed: kinetic energy of the link, J.
    pub(super) fn blow(&mut self, change: f64) {
        self.net += change;
        self.put_in += change.max(0.0);
    }

    /// Kinetic energy of a link, J.
    pub(super) fn kinetic(&self, built: &Built, link: usize) -> Result<f64, LinkageError> {
        let body = built.world.body(built.bodies[link])?;
        Ok(kinetic_energy(
            &self.masses[link],
            &body.pose.rotation,
            &body.linear_velocity,
            &body.angular_velocity,
        ))
    }

    /// Share of what was put in that there is at most, and at least: without and with what may be ripple.
    pub(super) fn shares(&self, sight: &Sight) -> [f64; 2] {
        let ripple = sight.ripple + self.first_ripple;
        [-ripple, ripple].map(|ripple| {
            let more = sight.energy + ripple - self.net;
            match self.put_in.max(self.least) {
                0.0 if more <= 0.0 => 1.0,
                put_in => 1.0 + more / put_in,
            }
        })
    }

    /// Force that moves the heaviest link by the rounding of its place in a sub-step, N: `m ε l / h²`.
    pub(super) fn force_noise(&self) -> f64 {
        let sub_step = 2.0 * self.half;
        let moving = self.linkage.links.iter().filter(|link| !link.is_fixed);
        let of_one = |link: &super::Link| {
            link.mass * f64::from(f32::EPSILON) * 2.0 * link.half.max() / (sub_step * sub_step)
        };
        moving.map(of_one).fold(0.0, f64::max)
    }

    fn follow_springs(&mut self, built: &Built) -> Result<(), LinkageError> {
        for spring in &mut self.springs {
            let joint = built.world.joint(built.joints[spring.hold])?;
            let stretch = f64::from(joint.value(spring.axis)) - spring.target;
            spring.stretch = if spring.wraps { (stretch + PI).rem_euclid(TAU) - PI } else { stretch };
        }
        Ok(())
    }

    /// All but the ripple of springs.
    fn sight(&self, built: &Built) -> Result<Sight, LinkageError> {
        let mut sight = Sight { energy: self.springs.iter().map(Spring::energy).sum(), ..Sight::default() };
        for (place, link) in self.linkage.links.iter().enumerate().filter(|(_, link)| !link.is_fixed) {
            let body = built.world.body(built.bodies[place])?;
            let (linear, angular) = (wide(&body.linear_velocity), wide(&body.angular_velocity));
            let pull = self.linkage.gravity * link.mass;
            let kinetic = kinetic_energy(
                &self.masses[place],
                &body.pose.rotation,
                &body.linear_velocity,
                &body.angular_velocity,
            );
            let potential = -pull.dot(&body.center.coords) - self.lowest[place];
            let length = wide(&(body.pose.rotation * Vector3::x()));
            let across = (angular - length * angular.dot(&length)).norm();
            sight.energy += kinetic + potential;
            sight.ripple += self.half * pull.dot(&linear).abs();
            sight.spin = sight.spin.max(across);
            sight.non_finite += usize::from(!(kinetic + potential).is_finite());
        }
        Ok(sight)
    }
}

impl Spring {
    /// Potential energy, J: quadratic up to the largest force, linear beyond.
    fn energy(&self) -> f64 {
        let stretch = self.stretch.abs();
        let bound = self.most / self.stiffness;
        if stretch <= bound {
            return 0.5 * self.stiffness * stretch * stretch;
        }
        self.most * (stretch - 0.5 * bound)
    }

    fn force(&self) -> f64 {
        (self.stiffness * self.stretch.abs()).min(self.most)
    }
}

fn least_drop(linkage: &Linkage) -> f64 {
    let moving = linkage.links.iter().filter(|link| !link.is_fixed);
    moving.map(|link| LEAST_DROP * link.mass * linkage.gravity.norm() * 2.0 * link.half.max()).sum()
}

fn drives(linkage: &Linkage) -> Vec<Drive> {
    let of = |(hold, spec): (usize, &super::Hold)| {
        let (axis, Motor::Speed { speed, most }) = spec.motor? else { return None };
        let is_on_base = spec.ends.iter().any(|&end| linkage.links[end].is_fixed);
        // Friction of a ball or cone-twist joint acts along the twist as well.
        let is_only = match spec.kind {
            JointKind::Hinge | JointKind::Generic => axis == JointAxis::Twist,
            JointKind::Slider => axis == JointAxis::X,
            JointKind::Ball | JointKind::ConeTwist => axis == JointAxis::Twist && spec.friction == 0.0,
            _ => false,
        };
        Some(Drive {
            hold,
            axis,
            power: f64::from(most) * f64::from(speed).abs(),
            is_exact: is_on_base && is_only,
            is_alone: linkage.holds.len() == 1,
            speed: f64::from(speed).abs(),
            rate: 0.0,
            directions: [Displacement::zeros(); 2],
        })
    };
    linkage.holds.iter().enumerate().filter_map(of).collect()
}

fn springs(linkage: &Linkage) -> Vec<Spring> {
    let of = |(hold, spec): (usize, &super::Hold)| {
        let (axis, Motor::Spring { target, stiffness, most, .. }) = spec.motor? else { return None };
        let wraps = axis == JointAxis::Twist && !spec.limits.iter().any(|(own, _)| *own == axis);
        let [target, stiffness, most] = [target, stiffness, most].map(f64::from);
        Some(Spring { hold, axis, target, stiffness, most, wraps, stretch: 0.0 })
    };
    linkage.holds.iter().enumerate().filter_map(of).collect()
}

/// Direction of a way or turn of a joint, world: what a unit impulse along it is.
fn directions(joint: &JointRef, axis: JointAxis) -> [Displacement; 2] {
    joint.coordinates.direction(axis as usize).map(|direction| wide(&direction))
}

/// Mean force along a way (N) or torque about an axis (N·m) of the last step, on B: how often the joint gave the direction of the coordinate, which of a twist
/// beside a swing is longer than 1.
fn effort(joint: &JointRef, axis: JointAxis) -> f64 {
    let [way, turn] = directions(joint, axis);
    let along = way.dot(&wide(&joint.force)) + turn.dot(&wide(&joint.torque));
    along / (way.norm_squared() + turn.norm_squared())
}

/// Rate of a coordinate, m/s or rad/s, where its bodies do not turn about each other's centres: on a fixed body.
fn rate(world: &World, joint: &JointRef, axis: JointAxis) -> Result<f64, LinkageError> {
    let [a, b] = joint.bodies;
    let ((linear_a, angular_a), (linear_b, angular_b)) = (world.velocity(a)?, world.velocity(b)?);
    let [way, turn] = directions(joint, axis);
    Ok(way.dot(&wide(&(linear_b - linear_a))) + turn.dot(&wide(&(angular_b - angular_a))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spring_with_a_bound_stores_what_it_takes_to_stretch_it() {
        let mut spring = Spring {
            hold: 0,
            axis: JointAxis::X,
            target: 0.0,
            stiffness: 100.0,
            most: 20.0,
            wraps: false,
            stretch: -0.1,
        };
        assert!((spring.energy() - 0.5).abs() < 1e-12 && (spring.force() - 10.0).abs() < 1e-12);
        // 2 J up to 0.2 m, and 20 N for another 0.3 m.
        spring.stretch = 0.5;
        assert!((spring.energy() - 8.0).abs() < 1e-12 && (spring.force() - 20.0).abs() < 1e-12);
        spring.most = f64::INFINITY;
        assert!((spring.energy() - 12.5).abs() < 1e-12);
    }
}
