//! Friction that holds (promise 4), contacts that remember how far they slipped and take it back, and the
//! sweeps that hold what sticks.

use crate::common::{DT, EPS, G, G_DT, RADIUS, Rig, ball_desc, center, strict, surface};
use drystone_contact::{AxisLocks, BodyDesc, BodyIndex, EdgeIndex, PairMaterial};
use drystone_exec::Exec;
use drystone_math::{Real, Vector3};
use drystone_resolution::{ImpulseConfig, ImpulseSolver, Solver};

/// A block of 1 kg that cannot turn, on a floor, under gravity.
fn block(material: PairMaterial) -> (Rig, BodyIndex, EdgeIndex) {
    let mut rig = Rig::with_gravity();
    let floor = rig.fixed();
    let locks = AxisLocks { rotation: [true; 3], ..AxisLocks::default() };
    let at = Vector3::new(0.0, RADIUS, 0.0);
    let body = rig.add(&BodyDesc { locks, ..ball_desc(1.0, at) });
    let edge = rig.touch(floor, body, Vector3::y(), &[Vector3::zeros()], 0.0, material);
    (rig, body, edge)
}

fn slip(rig: &Rig, edge: EdgeIndex) -> Vector3 {
    rig.graph.edge(edge).manifold.points()[0].accumulated_slip
}

/// Steps of the block with a force along x, its contact kept below it.
fn pull(rig: &mut Rig, body: BodyIndex, config: &ImpulseConfig, force: Real, steps: u32) {
    let mut method = ImpulseSolver::new(config.clone());
    let handle = rig.bodies.handle(body).expect("alive");
    for _ in 0..steps {
        method.begin(&mut rig.bodies, &rig.graph, &rig.step, &Exec::serial());
        rig.bodies.add_force(handle, Vector3::new(force, 0.0, 0.0), Vector3::zeros()).expect("finite");
        rig.advance_with(&mut method, &Exec::serial());
        rig.bodies.clear_forces();
    }
}

/// S1-55: inside the static cone nothing moves, over a thousand steps, with each set of settings.
#[test]
fn a_pulled_block_stays_inside_the_static_cone() {
    let material = PairMaterial {
        restitution: 0.25,
        static_friction: 0.5,
        kinetic_friction: 0.4,
        rolling_friction: 0.0,
    };
    let accurate = ImpulseConfig::accurate();
    let totals = ImpulseConfig { accumulate: true, ..ImpulseConfig::accurate() };
    for config in [
        strict(),
        accurate,
        totals,
        ImpulseConfig { gravity_damping_threshold: 0.0, ..ImpulseConfig::fast() },
    ] {
        let (mut rig, body, _) = block(material);
        pull(&mut rig, body, &config, 0.45 * G, 1000);
        let creep = center(&rig.bodies, body).x;
        // The friction of a step cancels the pull of a step up to rounding of that size.
        assert!(creep.abs() <= 1000.0 * 4.0 * EPS * G_DT * DT, "{creep} m");
    }
}

/// S1-56: outside it the block accelerates by the pull less the kinetic friction.
#[test]
fn a_block_pulled_past_the_static_cone_slides_with_kinetic_friction() {
    let material =
        PairMaterial { restitution: 0.0, static_friction: 0.5, kinetic_friction: 0.4, rolling_friction: 0.0 };
    let (mut rig, body, edge) = block(material);
    pull(&mut rig, body, &ImpulseConfig::accurate(), 0.6 * G, 240);
    let expected = 0.2 * G;
    // Within a rounding of the speed per step.
    assert!((rig.linear(body).x - expected).abs() <= 240.0 * EPS * expected);
    assert_eq!(slip(&rig, edge), Vector3::zeros(), "what slides has nothing to return to");
}

/// S1-54: a sliding block stops after `v² / (2 μ g)`, up to the step's order, and stays.
#[test]
fn a_sliding_block_stops_where_coulomb_says() {
    let (mut rig, body, _) = block(surface(0.0, 0.5));
    rig.set_linear(body, Vector3::new(2.0, 0.0, 0.0));
    pull(&mut rig, body, &ImpulseConfig::accurate(), 0.0, 240);
    let distance = 2.0 * 2.0 / (2.0 * 0.5 * G);
    let found = center(&rig.bodies, body).x;
    assert!((found - distance).abs() <= 2.0 * DT, "{found} for {distance}");
    assert!(rig.linear(body).x.abs() <= EPS);
}

/// A sticking contact that slipped goes back to where it stuck, no faster than the recovery.
#[test]
fn a_sticking_contact_takes_its_slip_back() {
    let config = ImpulseConfig { gravity_damping_threshold: 0.0, ..ImpulseConfig::fast() };
    let (mut rig, body, edge) = block(surface(0.0, 0.5));
    let start = Vector3::new(3e-6, 0.0, -4e-6);
    rig.graph.edges_mut()[edge.get()].manifold.points_mut()[0].accumulated_slip = start;
    let per_step = config.recovery_speed * G_DT * DT;
    let mut left = start.norm();
    let mut method = ImpulseSolver::new(config.clone());
    // Positions move one step later than velocities.
    for _ in 0..=(start.norm() / per_step) as u32 + 1 {
        method.begin(&mut rig.bodies, &rig.graph, &rig.step, &Exec::serial());
        rig.advance_with(&mut method, &Exec::serial());
        let expected = (left - per_step).max(0.0);
        left = slip(&rig, edge).norm();
        assert!((left - expected).abs() <= 4.0 * EPS * start.norm(), "{left} for {expected}");
    }
    method.begin(&mut rig.bodies, &rig.graph, &rig.step, &Exec::serial());
    let moved = center(&rig.bodies, body);
    assert!((moved.x + start.x).abs() + (moved.z + start.z).abs() <= 16.0 * EPS * start.norm(), "{moved}");
}

/// Slip is forgotten by contacts that slide, and by those that carry nothing.
#[test]
fn sliding_and_unloaded_contacts_forget_their_slip() {
    let kept = Vector3::new(1e-6, 0.0, 0.0);
    for (velocity, is_kept) in
        [(Vector3::zeros(), true), (Vector3::new(1.0, 0.0, 0.0), false), (Vector3::new(0.0, 1.0, 0.0), false)]
    {
        let (mut rig, body, edge) = block(surface(0.0, 0.1));
        rig.set_linear(body, velocity);
        rig.graph.edges_mut()[edge.get()].manifold.points_mut()[0].accumulated_slip = kept;
        // Too slow a recovery to take anything back.
        rig.advance(&ImpulseConfig { recovery_speed: 1e-9, ..ImpulseConfig::fast() });
        let found = slip(&rig, edge);
        if is_kept {
            assert!((found - kept).norm() <= 1e-3 * kept.norm(), "{found}");
        } else {
            assert_eq!(found, Vector3::zeros());
        }
    }
}

/// The floor's contact is resolved first (gravity closes it faster), then a slow ball pushes the block: S1
/// leaves the block slipping, since its contact no longer closes. Holding stops it, and the ball's contact is
/// resolved once more: half of the slip is left.
#[test]
fn holding_stops_the_slip_that_neighbours_leave() {
    let run = |stick_sweeps| {
        let (mut rig, body, edge) = block(surface(0.0, 0.6));
        let speed = 0.5 * G_DT;
        let at = Vector3::new(2.0 * RADIUS, RADIUS, 0.0);
        let mut desc = BodyDesc { linear: Vector3::new(-speed, 0.0, 0.0), ..ball_desc(1.0, at) };
        desc.gravity_scale = 0.0;
        let ball = rig.add(&desc);
        rig.touch_balls(body, ball, surface(0.0, 0.0));
        let report = rig.advance(&ImpulseConfig { stick_sweeps, ..strict() });
        assert!(report.is_solved());
        let impulse = rig.impulse(edge);
        assert!(impulse.x.hypot(impulse.z) <= 0.6 * impulse.y * (1.0 + 8.0 * EPS), "inside the cone");
        rig.linear(body).x / speed
    };
    let (left, held) = (run(0), run(2));
    assert!((left + 0.5).abs() <= 8.0 * EPS, "S1 to the letter: {left}");
    assert!(held.abs() <= 0.25 + 8.0 * EPS, "held: {held}");
}
