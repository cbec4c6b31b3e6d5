//! Models and states for tests.
#![allow(dead_code, reason = "each suite uses its share")]

use drystone_articulation::dynamics::{Factor, ForwardDynamics, Loads, kinetic_energy, potential_energy};
use drystone_articulation::spatial::SpatialForce;
use drystone_articulation::{JointSpec, Kinematics, LinkSpec, Model, ModelBuilder, State, Transform};
use nalgebra::{DVector, Matrix3, Translation3, UnitQuaternion, Vector3};

/// Numbers for tests: a permuted congruential generator (O'Neill 2014), -1 to 1.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = (((self.0 >> 18) ^ self.0) >> 27) as u32;
        f64::from(x.rotate_right((self.0 >> 59) as u32)) / f64::from(u32::MAX) * 2.0 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (((self.next() + 1.0) * 0.5 * count as f64) as usize).min(count - 1)
    }
}

/// A body with a positive mass and a valid inertia of any orientation.
pub(crate) fn any_body(link: LinkSpec, numbers: &mut Numbers) -> LinkSpec {
    let edges = Vector3::repeat(0.4) + numbers.vector() * 0.25;
    let mass = 1.5 + numbers.next();
    let link = link.cuboid(mass, numbers.vector() * 0.3, edges);
    let turn = UnitQuaternion::from_scaled_axis(numbers.vector() * 3.0).to_rotation_matrix();
    LinkSpec { inertia: turn * link.inertia * turn.transpose(), ..link }
}

/// A tree of `count` links with joints of all kinds.
pub(crate) fn random_tree(seed: u64, count: usize, gravity: bool) -> (Model, State) {
    let mut numbers = Numbers(seed);
    let mut builder = ModelBuilder::new();
    if gravity {
        builder.gravity(numbers.vector() * 9.0).expect("finite");
    }
    let mut links = Vec::new();
    for k in 0..count {
        let axis = numbers.vector() + Vector3::new(0.0, 0.0, 1.5);
        let joint = match numbers.below(8) {
            0 => JointSpec::spherical(),
            1 | 2 => JointSpec::prismatic(axis),
            3 => JointSpec::fixed(),
            4 if k == 0 => JointSpec::free(),
            _ => JointSpec::revolute(axis),
        };
        let joint = if numbers.below(3) == 0 && k > 0 { joint.armature(0.1) } else { joint };
        let turn = UnitQuaternion::from_scaled_axis(numbers.vector() * 2.0);
        let place = Transform::from_parts(Translation3::from(numbers.vector() * 0.6), turn);
        let spec = any_body(LinkSpec::new(joint).placed(place), &mut numbers);
        let link = match links.len() {
            0 => builder.root(spec),
            n => builder.child(links[numbers.below(n)], spec),
        };
        links.push(link.expect("valid"));
    }
    let model = builder.build().expect("valid");
    let state = random_state(&model, seed ^ 0x5DEE_CE66, 2.0);
    (model, state)
}

/// Any positions, and velocities up to `speed`.
pub(crate) fn random_state(model: &Model, seed: u64, speed: f64) -> State {
    let mut numbers = Numbers(seed);
    let mut state = State::zero(model);
    let positions: Vec<f64> = state.positions().iter().map(|p| p + numbers.next()).collect();
    state.set_positions(model, &positions).expect("finite");
    let velocities: Vec<f64> = (0..model.dof_count()).map(|_| speed * numbers.next()).collect();
    state.set_velocities(model, &velocities).expect("finite");
    state
}

/// Numbers for forces along joints.
pub(crate) fn random_forces(model: &Model, seed: u64) -> Vec<f64> {
    let mut numbers = Numbers(seed ^ 77);
    (0..model.dof_count()).map(|_| 5.0 * numbers.next()).collect()
}

/// Wrenches on all links.
pub(crate) fn random_wrenches(model: &Model, seed: u64) -> Vec<SpatialForce> {
    let mut numbers = Numbers(seed ^ 1234);
    (0..model.link_count()).map(|_| SpatialForce::new(numbers.vector(), numbers.vector() * 5.0)).collect()
}

/// The kinematics of a state.
pub(crate) fn kinematics(model: &Model, state: &State) -> Kinematics {
    let mut kinematics = Kinematics::new(model);
    kinematics.update(model, state);
    kinematics
}

/// Kinetic and potential energy, J.
pub(crate) fn energy(model: &Model, state: &State) -> f64 {
    let kinematics = kinematics(model, state);
    kinetic_energy(model, &kinematics, state.velocities()) + potential_energy(model, &kinematics)
}

/// Accelerations by articulated bodies.
pub(crate) fn accelerations(
    model: &Model,
    state: &State,
    forces: &[f64],
    wrenches: &[SpatialForce],
) -> Vec<f64> {
    let kinematics = kinematics(model, state);
    let mut factor = Factor::new(model);
    factor.factorize(model, &kinematics).expect("inertia everywhere");
    let mut out = vec![0.0; model.dof_count()];
    let loads = Loads { joint_forces: forces, wrenches };
    ForwardDynamics::new(model).accelerate(model, &kinematics, &factor, &loads, &mut out);
    out
}

/// A slice as a vector.
pub(crate) fn column(values: &[f64]) -> DVector<f64> {
    DVector::from_column_slice(values)
}

/// A pendulum of point masses in the plane of x and y, joints along z, gravity along -y: masses (kg) and lengths (m).
pub(crate) fn planar_pendulum(links: &[(f64, f64)]) -> Model {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vector3::new(0.0, -9.81, 0.0)).expect("finite");
    let mut above = None;
    for (k, &(mass, length)) in links.iter().enumerate() {
        let spec = LinkSpec::new(JointSpec::revolute(Vector3::z()))
            .point_mass(mass, Vector3::new(0.0, -length, 0.0));
        above = Some(
            match above {
                None => builder.root(spec),
                Some(parent) => builder.child(parent, spec.at(0.0, -links[k - 1].1, 0.0)),
            }
            .expect("valid"),
        );
    }
    builder.build().expect("valid")
}

/// An arm of seven links in space with the axes of common robots, about 1.1 m long, 18 kg.
pub(crate) fn seven_link_arm(joint: impl Fn(JointSpec) -> JointSpec) -> Model {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vector3::new(0.0, 0.0, -9.81)).expect("finite");
    let (y, z) = (Vector3::y(), Vector3::z());
    let rows = [
        (z, 0.0, 0.15, 4.0),
        (y, 0.15, 0.2, 4.0),
        (z, 0.2, 0.2, 3.0),
        (y, 0.2, 0.2, 2.7),
        (z, 0.2, 0.2, 1.7),
        (y, 0.2, 0.1, 1.8),
        (z, 0.1, 0.06, 0.8),
    ];
    let mut above = None;
    for (axis, from, length, mass) in rows {
        let edges = Vector3::new(0.1, 0.12, length);
        let center = Vector3::new(0.01, -0.02, 0.5 * length);
        let spec =
            LinkSpec::new(joint(JointSpec::revolute(axis))).at(0.0, 0.0, from).cuboid(mass, center, edges);
        above = Some(
            match above {
                None => builder.root(spec),
                Some(parent) => builder.child(parent, spec),
            }
            .expect("valid"),
        );
    }
    builder.build().expect("valid")
}

/// A cube's inertia about its centre, kg m².
pub(crate) fn cube_inertia(mass: f64, edge: f64) -> Matrix3<f64> {
    Matrix3::from_diagonal_element(mass * edge * edge / 6.0)
}
