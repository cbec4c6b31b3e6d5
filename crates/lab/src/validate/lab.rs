//! The bench of a case: a world with one preset, one pair of surfaces, and helpers to put bodies into it.

use super::row::Row;
use crate::shell::{Failure, Outcome};
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, Position, Real, Rotation, Vector3};
use drystone::{
    BodyHandle, BodySpec, ColliderSpec, MaterialId, PairMaterial, Shape, SolverChoice, World, WorldConfig,
};
use drystone_scenes::{Preset, Scene, parse_setting};

/// Standard gravity of the cases, m/s²; also what thresholds refer to.
pub(crate) const G: f64 = 9.81;
/// Density of everything without a mass of its own, kg/m³; no case depends on it.
const DENSITY: Real = 1000.0;

/// What a case is run with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    /// The engine's settings.
    pub(crate) preset: Preset,
    /// Whether long runs are wanted.
    pub(crate) is_full: bool,
    /// Factor on the preset's rate, to measure orders of convergence.
    pub(crate) refinement: f64,
    /// Settings that differ from the preset's, each `FIELD=VALUE`, to find what a miss depends on.
    settings: &'static [String],
}

impl Setup {
    /// The preset at its own rate.
    pub(crate) fn new(preset: Preset, is_full: bool) -> Self {
        Self { preset, is_full, refinement: 1.0, settings: &[] }
    }

    /// The same with settings (`FIELD=VALUE`) that differ from the preset's, at a multiple of the rate.
    ///
    /// # Errors
    /// Settings that this preset does not have, values that it refuses, a multiple that is not above 0.
    pub(crate) fn varied(self, settings: &'static [String], refinement: f64) -> Outcome<Self> {
        changed(self.preset, self.preset.config(), settings)?;
        if !(refinement > 0.0 && refinement.is_finite()) {
            return Err(Failure::new(format!(
                "the rate's multiple must be finite and above 0, got {refinement}"
            )));
        }
        Ok(Self { refinement, settings, ..self })
    }

    /// The same at four times the rate.
    pub(crate) fn refined(self) -> Self {
        Self { refinement: 4.0 * self.refinement, ..self }
    }

    /// Steps per second: the preset's own where a scene does not say otherwise, times the refinement.
    pub(crate) fn hz(&self) -> f64 {
        self.preset.hz(&Scene::new("")) * self.refinement
    }

    /// Step, s.
    pub(crate) fn dt(&self) -> f64 {
        1.0 / self.hz()
    }

    /// The shorter or the longer of two times, s.
    pub(crate) fn seconds(&self, quick: f64, full: f64) -> f64 {
        if self.is_full { full } else { quick }
    }

    /// True for the accurate settings and the joint solves, which take about a second or more of processor time per second of some dozen bodies.
    pub(crate) fn is_slow(&self) -> bool {
        matches!(self.preset, Preset::ThesisAccurate | Preset::Nsgs | Preset::Lcp)
    }

    /// How long velocities are old when they move bodies, s. The impulse pipeline moves them at the start of
    /// a step, by a step; sub-steps move them after their forces, which is a sub-step too early, and joint solves a step.
    pub(crate) fn lag(&self) -> f64 {
        lag(&self.config(G), self.dt())
    }

    /// The same of turning without contacts: sub-steps turn such bodies once per step, after its torques.
    pub(crate) fn turning_lag(&self) -> f64 {
        match self.config(G).solver {
            SolverChoice::SubStep { .. } => -self.dt(),
            _ => self.lag(),
        }
    }

    /// How long bodies move in a first step before its contacts are found, s: what is to touch at the begin starts this far back.
    pub(crate) fn early(&self) -> f64 {
        self.lag().max(0.0)
    }

    /// A body that touches in this pose with these velocities when contacts of the first step are found.
    pub(crate) fn arriving(
        &self,
        spec: BodySpec,
        pose: Pose,
        linear: [f64; 3],
        angular: [f64; 3],
    ) -> BodySpec {
        let back = -self.early();
        let turn = Rotation::from_scaled_axis(vector(angular.map(|w| w * back)));
        let at = pose.translation + Displacement::from(linear) * back;
        spec.pose(Pose::new(at, turn * pose.rotation))
            .linear_velocity(vector(linear))
            .angular_velocity(vector(angular))
    }

    /// The preset's settings with this gravity, m/s² downwards.
    pub(crate) fn config(&self, gravity: f64) -> WorldConfig {
        let gravity = Vector3::new(0.0, -gravity as Real, 0.0);
        let config = WorldConfig { gravity, reference_acceleration: G as Real, ..self.preset.config() };
        changed(self.preset, config, self.settings)
            .expect("tried when they were taken up; gravity has no part in them")
    }

    /// An empty lab in which all surfaces have this restitution and friction.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(crate) fn lab(&self, gravity: f64, restitution: f64, friction: f64) -> Outcome<Lab> {
        Lab::new(self.config(gravity), self.dt(), restitution, friction)
    }
}

/// A preset's settings with these changes, each `FIELD=VALUE`.
///
/// # Errors
/// What is no such pair; a name or value that is refused.
fn changed(preset: Preset, config: WorldConfig, settings: &[String]) -> Outcome<WorldConfig> {
    let settings = settings.iter().map(|text| parse_setting(text)).collect::<Result<Vec<_>, _>>()?;
    Ok(preset.apply(config, &settings)?)
}

/// See [`Setup::lag`]: of these settings with this step, s.
pub(crate) fn lag(config: &WorldConfig, dt: f64) -> f64 {
    match &config.solver {
        SolverChoice::SubStep { config } => -dt / f64::from(config.sub_steps),
        SolverChoice::Impulse { .. } => dt,
        _ => -dt,
    }
}

/// A world and its step.
#[derive(Debug)]
pub(crate) struct Lab {
    pub(crate) world: World,
    /// s.
    dt: f64,
}

impl Lab {
    /// An empty world in which all surfaces have this restitution and friction.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(crate) fn new(config: WorldConfig, dt: f64, restitution: f64, friction: f64) -> Outcome<Self> {
        let mut world = World::new(config)?;
        let friction = friction as Real;
        world.materials_mut().set_all_pairs(PairMaterial {
            restitution: restitution as Real,
            static_friction: friction,
            kinetic_friction: friction,
            rolling_friction: 0.0,
        })?;
        Ok(Self { world, dt })
    }

    /// Adds a body.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(crate) fn add(&mut self, spec: BodySpec) -> Outcome<BodyHandle> {
        Ok(self.world.add_body(spec)?)
    }

    /// Adds a fixed half-space through the origin.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(crate) fn plane(&mut self, normal: [f64; 3]) -> Outcome<BodyHandle> {
        let shape = Shape::half_space(vector(normal))?;
        self.add(BodySpec::fixed().collider(ColliderSpec::new(shape)))
    }

    /// Adds a fixed half-space through a point, with a friction of its own against everything else.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(crate) fn other_plane(&mut self, at: Pose, normal: [f64; 3], friction: f64) -> Outcome<BodyHandle> {
        let (usual, other) = (MaterialId::default(), MaterialId(1));
        let friction = friction as Real;
        let pair = self.world.materials().pair(usual, usual);
        let pair = PairMaterial { static_friction: friction, kinetic_friction: friction, ..pair };
        self.world.materials_mut().set_pair(usual, other, pair)?;
        let collider = ColliderSpec::new(Shape::half_space(vector(normal))?).material(other);
        self.add(BodySpec::fixed().pose(at).collider(collider))
    }

    /// Steps for this long, s; `look` sees the world after each step, with the time since the begin, s.
    ///
    /// # Errors
    /// What the engine or `look` refuses.
    pub(crate) fn run(&mut self, seconds: f64, mut look: impl FnMut(&World, f64) -> Outcome) -> Outcome {
        for step in 1..=(seconds / self.dt).round() as u64 {
            self.step()?;
            look(&self.world, step as f64 * self.dt)?;
        }
        Ok(())
    }

    /// Steps for this long, s.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(crate) fn settle(&mut self, seconds: f64) -> Outcome {
        self.run(seconds, |_, _| Ok(()))
    }

    /// Steps for this long, s; `push` sees the world before each step, with the time since the begin, s.
    ///
    /// # Errors
    /// What the engine or `push` refuses.
    pub(crate) fn drive(
        &mut self,
        seconds: f64,
        mut push: impl FnMut(&mut World, f64) -> Outcome,
    ) -> Outcome {
        for step in 0..(seconds / self.dt).round() as u64 {
            push(&mut self.world, step as f64 * self.dt)?;
            self.step()?;
        }
        Ok(())
    }

    /// Makes so many steps.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(crate) fn steps(&mut self, count: u32) -> Outcome {
        (0..count).try_for_each(|_| self.step())
    }

    /// Makes a step.
    ///
    /// # Errors
    /// What the engine refuses. A body that is taken out of the motion, since it stays where it was: a case that looks for bodies that
    /// stand still would find one.
    fn step(&mut self) -> Outcome {
        let report = self.world.step(self.dt as Real)?;
        match report.quarantined.first() {
            None => Ok(()),
            Some(body) => Err(Failure::new(format!(
                "{body:?} was taken out of the motion in step {} (a state that is no number)",
                report.step
            ))),
        }
    }

    /// Where a body is.
    ///
    /// # Errors
    /// An unknown body.
    pub(crate) fn position(&self, body: BodyHandle) -> Outcome<Displacement> {
        Ok(self.world.pose(body)?.translation.coords)
    }

    /// Velocity and angular velocity of a body.
    ///
    /// # Errors
    /// An unknown body.
    pub(crate) fn velocity(&self, body: BodyHandle) -> Outcome<(Displacement, Displacement)> {
        let (linear, angular) = self.world.velocity(body)?;
        Ok((wide(&linear), wide(&angular)))
    }
}

/// A ball that never sleeps.
///
/// # Errors
/// A size that is out of range.
pub(crate) fn ball(radius: f64, mass: f64) -> Outcome<BodySpec> {
    let shape = Shape::sphere(radius as Real)?;
    Ok(weighing(shape, MassProperties::sphere(radius as Real, DENSITY), mass))
}

/// A box with these edges that never sleeps.
///
/// # Errors
/// A size that is out of range.
pub(crate) fn cuboid(edges: [f64; 3], mass: f64) -> Outcome<BodySpec> {
    let half = vector(edges) * 0.5;
    Ok(weighing(Shape::cuboid(half)?, MassProperties::cuboid(&half, DENSITY), mass))
}

/// A cylinder about the y axis that never sleeps.
///
/// # Errors
/// A size that is out of range.
pub(crate) fn cylinder(height: f64, radius: f64, mass: f64) -> Outcome<BodySpec> {
    let (half, radius) = (0.5 * height as Real, radius as Real);
    Ok(weighing(Shape::cylinder(half, radius)?, MassProperties::cylinder(half, radius, DENSITY), mass))
}

/// A fixed box with these edges.
///
/// # Errors
/// A size that is out of range.
pub(crate) fn fixed_cuboid(edges: [f64; 3]) -> Outcome<BodySpec> {
    Ok(BodySpec::fixed().collider(ColliderSpec::new(Shape::cuboid(vector(edges) * 0.5)?)))
}

fn weighing(shape: Shape, unscaled: MassProperties, mass: f64) -> BodySpec {
    let factor = mass as Real / unscaled.mass;
    let scaled = MassProperties { mass: mass as Real, principal: unscaled.principal * factor, ..unscaled };
    BodySpec::dynamic().collider(ColliderSpec::new(shape)).mass(scaled).can_sleep(false)
}

/// A pose turned about z, rad.
pub(crate) fn turned(at: [f64; 3], about_z: f64) -> Pose {
    Pose::new(Position::from(at), Rotation::from_euler_angles(0.0, 0.0, about_z as Real))
}

/// A vector of the references, whose z axis is up, in our axes: y is up.
pub(crate) fn upright([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, z, -y]
}

/// The engine's vector.
pub(crate) fn vector(v: [f64; 3]) -> Vector3 {
    Vector3::new(v[0] as Real, v[1] as Real, v[2] as Real)
}

/// A vector of the engine in double precision.
pub(crate) fn wide(v: &Vector3) -> Displacement {
    drystone::math::widen(v)
}

/// The border between `false` (at `low`) and `true` (at `high`), to within `width`.
///
/// # Errors
/// What `is_above` refuses.
pub(crate) fn bisect(
    mut low: f64,
    mut high: f64,
    width: f64,
    mut is_above: impl FnMut(f64) -> Outcome<bool>,
) -> Outcome<f64> {
    while high - low > width {
        let middle = 0.5 * (low + high);
        if is_above(middle)? { high = middle } else { low = middle }
    }
    Ok(0.5 * (low + high))
}

/// Order of convergence from the errors at a step and at a quarter of it.
pub(crate) fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).abs().log(4.0)
}

/// A row for the observed order of convergence from errors at a step and at a quarter of it: at least the scheme's. Errors
/// below `floor` are rounding, whose order says nothing: then the row only tells.
pub(crate) fn converges(quantity: impl Into<String>, least: f64, coarse: f64, fine: f64, floor: f64) -> Row {
    let found = order(coarse, fine);
    // A tenth off is how far a leading term is from the whole at these steps.
    let row = Row::at_least(quantity, "", least - 0.1, found);
    if fine.abs() < floor { row.only_told() } else { row }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It stays where it was, and so stood as well as one can.
    #[test]
    fn a_body_that_is_taken_out_of_the_motion_fails_its_case() {
        let mut lab = Setup::new(Preset::Fast, false).lab(G, 0.0, 0.5).expect("valid");
        let body = lab.add(ball(0.1, 1.0).expect("a size in range")).expect("valid");
        lab.steps(1).expect("it falls");
        for _ in 0..2 {
            lab.world.add_force(body, Vector3::new(0.0, -3e38, 0.0), Vector3::zeros()).expect("finite");
        }
        let refused = lab.settle(0.1).unwrap_err().to_string();
        assert!(refused.contains("taken out of the motion"), "{refused}");
    }
}
