//! drystone, through its facade alone.

use crate::engine::{Engine, Motion, compiled_for};
use crate::joint::{JointForm, TaskJoint};
use crate::run::Options;
use crate::task::{Task, TaskBody};
use drystone::{
    BodyHandle, BodySpec, ColliderSpec, Exec, JointSpec, Material, MaterialId, PairMaterial, SolverChoice,
    World, WorldConfig,
};
use drystone_math::wide::Isa;
use drystone_math::{Pose, Real, Vector3};

/// A world of drystone.
pub(super) struct Drystone {
    world: World,
    /// A material per density.
    materials: Vec<(Real, MaterialId)>,
    /// Of each body of the task, by its index.
    handles: Vec<Option<BodyHandle>>,
    /// Taken out of the motion, since their state was no number.
    broken: Vec<BodyHandle>,
    /// What it runs with, for the report.
    settings: String,
}

impl Drystone {
    pub(super) fn new(task: &Task, options: &Options) -> Result<Self, String> {
        let said = |e: &dyn std::fmt::Display| e.to_string();
        let preset = options.preset;
        let mut config = preset.apply(preset.config(), &options.set).map_err(|e| said(&e))?;
        let settings = settings(&config, options);
        config.gravity = task.gravity;
        config.reference_acceleration = task.reference_acceleration;
        config.sleeping.enabled = options.sleep;
        let exec =
            if options.threads == 1 { Ok(Exec::serial()) } else { Exec::with_threads(options.threads) };
        let mut world = World::with_exec(config, exec.map_err(|e| said(&e))?).map_err(|e| said(&e))?;
        let mut materials: Vec<(Real, MaterialId)> = Vec::new();
        let table = world.materials_mut();
        for body in &task.bodies {
            if materials.iter().any(|(density, _)| *density == body.density) {
                continue;
            }
            let name = format!("{} kg/m3", body.density);
            // What a pair does is set below for all; the rest of a material has no effect there.
            let material = Material {
                name,
                density: body.density,
                restitution: task.restitution,
                static_friction: task.friction,
                kinetic_friction: task.friction,
                rolling_friction: 0.0,
                poisson: 0.3,
                young: 10.0,
                stiffness: 10.0,
            };
            materials.push((body.density, table.add(material).map_err(|e| said(&e))?));
        }
        let pair = PairMaterial {
            restitution: task.restitution,
            static_friction: task.friction,
            kinetic_friction: task.friction,
            rolling_friction: 0.0,
        };
        table.set_all_pairs(pair).map_err(|e| said(&e))?;
        let handles = vec![None; task.bodies.len()];
        Ok(Self { world, materials, handles, broken: Vec::new(), settings })
    }
}

/// The preset, its method and what was set beside it, in a sentence.
fn settings(config: &WorldConfig, options: &Options) -> String {
    let method = match &config.solver {
        SolverChoice::Impulse { .. } => "impulse".into(),
        SolverChoice::SubStep { config } => format!("{} sub-steps", config.sub_steps),
        _ => "another method".into(),
    };
    let set: String = options.set_texts().iter().map(|set| format!(", {set}")).collect();
    format!("preset {}, {method}{set}", options.preset.name())
}

impl Engine for Drystone {
    fn add(&mut self, index: usize, body: &TaskBody) -> Result<(), String> {
        let spec = if body.is_fixed { BodySpec::fixed() } else { BodySpec::dynamic() };
        let material = self.materials.iter().find(|(density, _)| *density == body.density);
        let (_, material) = material.ok_or("every density has a material")?;
        let collider = ColliderSpec::new(body.shape.clone()).material(*material);
        let spec = spec
            .pose(body.pose)
            .linear_velocity(body.linear)
            .angular_velocity(body.angular)
            .collider(collider);
        let handle = self.world.add_body(spec).map_err(|e| e.to_string())?;
        self.handles[index] = Some(handle);
        Ok(())
    }

    fn join(&mut self, joint: &TaskJoint, _bodies: &[TaskBody]) -> Result<(), String> {
        let [Some(a), Some(b)] = joint.bodies.map(|body| self.handles[body]) else {
            return Err("a joint of a body that is not there".into());
        };
        // Where it is comes before its axis.
        let placed = |spec: JointSpec| spec.between(joint.places[0], joint.places[1]);
        let mut spec = match joint.form {
            JointForm::Ball => placed(JointSpec::ball(a, b)),
            JointForm::Hinge([lower, upper]) => {
                placed(JointSpec::hinge(a, b)).along(joint.axis).limits(lower, upper)
            }
            JointForm::Cone { cone, twist: [lower, upper] } => {
                placed(JointSpec::cone_twist(a, b)).along(joint.axis).limits(lower, upper).cone(cone)
            }
            JointForm::Rod(_) => placed(JointSpec::distance(a, b)),
        };
        if joint.friction > 0.0 {
            spec = spec.friction(joint.friction);
        }
        self.world.add_joint(&spec).map(drop).map_err(|e| e.to_string())
    }

    fn set_gravity(&mut self, gravity: Vector3) -> Result<(), String> {
        self.world.set_gravity(gravity).map_err(|e| e.to_string())
    }

    fn step(&mut self, dt: f32) -> Result<(), String> {
        let report = self.world.step(dt).map_err(|e| e.to_string())?;
        self.broken.extend(&report.quarantined);
        Ok(())
    }

    fn motions(&self, body_count: usize) -> Vec<Option<Motion>> {
        let mut motions = vec![None; body_count];
        for (index, handle) in self.handles.iter().enumerate() {
            let Some(handle) = *handle else { continue };
            let (Ok(pose), Ok((linear, angular))) = (self.world.pose(handle), self.world.velocity(handle))
            else {
                continue;
            };
            // It stays where it was, which no other engine's do: what is no number counts as lost.
            let is_broken = self.broken.contains(&handle);
            let pose = if is_broken { Pose::at(f64::NAN, f64::NAN, f64::NAN) } else { pose };
            motions[index] = Some(Motion { pose, linear, angular });
        }
        motions
    }

    fn asleep(&self) -> usize {
        self.world.bodies().filter(|body| body.is_asleep).count()
    }

    fn settings(&self) -> String {
        self.settings.clone()
    }

    fn lanes(&self) -> String {
        let compiled = compiled_for();
        match &self.world.config().solver {
            // What its kernels run with is chosen when the method is made.
            SolverChoice::SubStep { .. } => {
                format!(
                    "8 lanes, {}, chosen at run time; the rest compiled for {compiled}",
                    Isa::best().name()
                )
            }
            _ => format!("no lanes, compiled for {compiled}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::judge;
    use crate::run::Sample;

    /// It stood where it was put back to, without drift, and was not lost.
    #[test]
    fn a_body_that_is_taken_out_of_the_motion_is_lost() {
        let task = Task::of_test("tower:3");
        let mut engine = Drystone::new(&task, &Options::of_test()).expect("a preset");
        for (index, body) in task.bodies.iter().enumerate() {
            engine.add(index, body).expect("valid");
        }
        let look = |engine: &Drystone, time| {
            let motions = engine.motions(task.bodies.len());
            Sample { time, gravity: task.gravity, is_undisturbed: true, motions }
        };
        let start = look(&engine, 0.0);
        let top = engine.handles.last().copied().flatten().expect("added");
        for _ in 0..2 {
            engine.world.add_force(top, Vector3::new(0.0, -3e38, 0.0), Vector3::zeros()).expect("finite");
        }
        engine.step(1.0 / 60.0).expect("it steps");
        let quality = judge(&task, &[start, look(&engine, 1.0 / 60.0)]);
        // With those that it touches, which the same arithmetic breaks.
        assert!(quality.lost > 0 && quality.drift_max == f64::INFINITY, "{quality:?}");
    }
}
