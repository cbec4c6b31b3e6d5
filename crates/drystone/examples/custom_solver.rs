//! A method of one's own in a world: a penalty method (springs and dampers at the contact points), in place of the configured one.
//! Detection, contact graph, sleep, reports and events are the engine's. `cargo run -p drystone --example custom_solver`

use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Real, Vector3, integrate_rotation, widen};
use drystone::{
    Batches, Bodies, BodySpec, ColliderSpec, ContactGraph, Exec, Shape, Solver, SolverReport, StepParams,
    World, WorldConfig, WorldError,
};

/// Springs that push what overlaps apart.
struct Penalty {
    /// N/m at each contact point.
    stiffness: Real,
    /// N s/m at each contact point.
    damping: Real,
}

impl Solver for Penalty {
    fn integrates_before_detection(&self) -> bool {
        false
    }

    fn solve(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        _exec: &Exec,
    ) -> SolverReport {
        let mut report = SolverReport::default();
        // Forces at the contacts. What cannot move has neither inverse mass nor inertia, so both ends are written alike.
        for &edge in batches.all_edges() {
            let manifold = graph.edge(edge).manifold;
            let [a, b] = [manifold.body_a, manifold.body_b];
            for (k, point) in manifold.points().iter().enumerate() {
                let apart = bodies.hot(b).velocity_at(&point.arm_b) - bodies.hot(a).velocity_at(&point.arm_a);
                let closing = -apart.dot(&manifold.normal);
                let force = (self.damping * closing - self.stiffness * point.distance).max(0.0);
                let impulse = manifold.normal * if point.distance < 0.0 { force * step.dt } else { 0.0 };
                for (body, arm, sign) in [(a, &point.arm_a, -1.0), (b, &point.arm_b, 1.0)] {
                    let turn = *bodies.inverse_inertia(body) * arm.cross(&impulse);
                    let hot = &mut bodies.view_mut().hot[body.get()];
                    hot.linear += impulse * (sign * hot.inverse_mass);
                    hot.angular += turn * sign;
                }
                graph.edges_mut()[edge.get()].manifold.points_mut()[k].impulse = impulse;
                report.points += 1;
            }
        }
        // Gravity, and the motion of what is awake.
        for body in bodies.indices().collect::<Vec<_>>() {
            if bodies.hot(body).is_dynamic() && bodies.is_awake(body) {
                let pull = step.global_acceleration_of(bodies, body);
                let view = bodies.view_mut();
                let (hot, pose) = (&mut view.hot[body.get()], &mut view.pose[body.get()]);
                hot.linear += pull * step.dt;
                pose.translation += widen(&(hot.linear * step.dt));
                pose.rotation = integrate_rotation(&pose.rotation, &hot.angular, step.dt);
                bodies.refresh_inertia(body);
            }
        }
        report
    }
}

fn main() -> Result<(), WorldError> {
    let mut config = WorldConfig::default();
    // The springs shall carry, not correction.
    config.correction.enabled = false;
    let mut world = World::new(config)?;
    world.set_solver(Box::new(Penalty { stiffness: 4e6, damping: 2e4 }))?;
    world.add_body(BodySpec::fixed().collider(ColliderSpec::new(Shape::half_space(Vector3::y())?)))?;
    let half = Vector3::repeat(0.5);
    let tonne = BodySpec::dynamic().mass(MassProperties::cuboid(&half, 1000.0));
    let cube = ColliderSpec::new(Shape::cuboid(half)?);
    let falling = world.add_body(tonne.pose(Pose::at(0.0, 1.0, 0.0)).collider(cube))?;
    for _ in 0..600 {
        world.step(1.0 / 600.0)?;
    }
    // One tonne on four springs: m g / 4 k.
    let sag = 1000.0 * 9.81 / (4.0 * 4e6);
    let depth = 0.5 - world.pose(falling)?.translation.y;
    println!("rests {:.3} mm deep; four springs give {:.3} mm", 1e3 * depth, 1e3 * sag);
    assert!((depth - sag).abs() < 2e-5);
    Ok(())
}
