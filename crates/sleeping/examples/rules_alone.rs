//! The rules of sleep alone, under a solver of one's own (here: bodies that merely are told to be slow). A ball on a table falls asleep, and wakes when the table
//! is taken away. `cargo run -p drystone-sleeping --example rules_alone`

use drystone_contact::{
    Bodies, BodyDesc, ColliderHandle, ContactError, ContactGraph, ContactPoint, Manifold, PairMaterial,
    StepParams, WakeCause,
};
use drystone_math::Vector3;
use drystone_math::inertia::MassProperties;
use drystone_sleeping::{SleepConfig, SleepMemory, put_to_sleep, wake_unsupported};

fn main() -> Result<(), ContactError> {
    let (mut bodies, mut graph) = (Bodies::default(), ContactGraph::default());
    let mut add = |desc: BodyDesc| {
        let handle = bodies.add(&desc)?;
        bodies.index(handle).inspect(|&index| graph.add_body(&bodies, index))
    };
    let table = add(BodyDesc::fixed())?;
    let slow = Vector3::x() * 0.001;
    let ball = add(BodyDesc { linear: slow, ..BodyDesc::dynamic(MassProperties::sphere(0.1, 1000.0), 0.1) })?;

    let colliders = [table, ball].map(|body| ColliderHandle { index: body.0, generation: 1 });
    let edge = graph.add_edge(colliders, &bodies, [table, ball], PairMaterial::default())?;
    let mut manifold = Manifold::new(table, ball, PairMaterial::default());
    manifold.normal = Vector3::y();
    manifold.push(ContactPoint { arm_b: Vector3::y() * -0.1, ..ContactPoint::default() });
    graph.set_manifold(&bodies, edge, &manifold);

    let config = SleepConfig::default();
    let mut step = StepParams {
        dt: 1.0 / 240.0,
        acceleration: Vector3::new(0.0, -9.81, 0.0),
        force: Vector3::zeros(),
        reference_acceleration: 9.81,
        index: 0,
        may_sleep: false,
    };
    let (mut scratch, mut memory) = (Vec::new(), SleepMemory::default());
    while !bodies.is_asleep(ball) {
        put_to_sleep(&config, &mut bodies, &graph, &step, &mut scratch, &mut memory);
        step.index += 1;
        assert!(step.index < 240, "a ball that slow sleeps within a second");
    }
    println!("asleep after {:.3} s at 1 mm/s", step.index as f64 / 240.0);

    // The table goes: the contact ends, and with the next look the ball wakes, and says why.
    graph.begin_step();
    bodies.take_wakes();
    graph.remove_edge(&bodies, edge);
    let report = wake_unsupported(&config, &mut bodies, &graph, &step, &mut memory);
    assert_eq!((report.floating, bodies.take_wakes().get(WakeCause::Floating)), (1, 1));
    assert!(bodies.is_awake(ball));
    println!("woken: nothing carries it");
    Ok(())
}
