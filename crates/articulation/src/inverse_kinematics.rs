//! Positions of joints at which a frame of a link is where it should be.
//!
//! Damped least squares (Nakamura and Hanafusa, J. Dyn. Sys. Meas. Control 108, 1986; Wampler 1986), with the damping of Levenberg and
//! Marquardt: less after a round that helped, more after one that did not, which is taken back.
//! ```text
//! Δ = Jᵀ (J Jᵀ + λ² 1)⁻¹ e         e: what is missing, REACH at most
//! ```
//! Limits: joints that are on a limit and would be drawn beyond it are left out of J; what a round moves further is cut off.

use crate::dynamics::add_jacobian;
use crate::error::{ArticulationError, in_range};
use crate::kinematics::Kinematics;
use crate::model::{LinkIndex, Model, Transform};
use crate::spatial::rotation_vector;
use crate::state::{State, advance};
use nalgebra::{Matrix6, Vector3, Vector6};

/// Settings of [`reach`].
#[derive(Clone, Debug, PartialEq)]
pub struct ReachConfig {
    /// Rounds at most. Default 200; at least 1.
    pub max_iterations: u32,
    /// Distance that is near enough, m. Default 1e-6; above 0.
    pub distance: f64,
    /// Angle that is near enough, rad. Default 1e-6; above 0.
    pub angle: f64,
    /// What a radian counts as, m. Default 0.3; 0 leaves the turn of the link free.
    pub meters_per_radian: f64,
    /// The damping λ of the first round, m. Default 0.01; above 0. Larger goes slower and more surely.
    pub damping: f64,
}

impl Default for ReachConfig {
    fn default() -> Self {
        Self { max_iterations: 200, distance: 1e-6, angle: 1e-6, meters_per_radian: 0.3, damping: 0.01 }
    }
}

/// How [`reach`] ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// True when distance and angle are near enough. False where the pose is out of reach, or rounds ran out.
    pub converged: bool,
    /// Rounds taken.
    pub iterations: u32,
    /// Distance that is left, m.
    pub distance: f64,
    /// Angle that is left, rad; not asked for where the turn is free.
    pub angle: f64,
}

/// Most that one round goes for, m.
const REACH: f64 = 0.2;
/// Damping below which it falls no further, and above which no step helps any more, m.
const DAMPING: [f64; 2] = [1e-9, 1e3];

/// Moves the positions of `state` so that `frame` (in the link's frame) is at `target` (in the world), within the limits of the joints, from
/// where they are: among many solutions a near one is found, and none beyond a local minimum. Velocities are left as they are. Where it
/// does not get there, the nearest state found is left, and the outcome says so. Allocates once.
///
/// # Errors
/// When there is no such link, a setting is out of range, or the state is that of another model.
pub fn reach(
    model: &Model,
    state: &mut State,
    link: LinkIndex,
    frame: &Transform,
    target: &Transform,
    config: &ReachConfig,
) -> Result<Reached, ArticulationError> {
    model.link(link)?;
    in_range("max_iterations", "at least 1", f64::from(config.max_iterations), |x| x >= 1.0)?;
    in_range("distance", "finite and above 0", config.distance, |x| x > 0.0)?;
    in_range("angle", "finite and above 0", config.angle, |x| x > 0.0)?;
    in_range("meters_per_radian", "finite and at least 0", config.meters_per_radian, |x| x >= 0.0)?;
    in_range("damping", "finite and above 0", config.damping, |x| x > 0.0)?;
    let own = state.positions.clone();
    state.set_positions(model, &own)?;
    clamp(model, &mut state.positions);

    let mut search = Search::new(model, link, frame, target, config.meters_per_radian);
    let mut missing = search.missing(state);
    let (mut damping, mut iterations, mut trial) = (config.damping, 0, state.clone());
    let is_near = |missing: &Missing| {
        missing.distance <= config.distance
            && (config.meters_per_radian == 0.0 || missing.angle <= config.angle)
    };
    while !is_near(&missing) && iterations < config.max_iterations && damping < DAMPING[1] {
        iterations += 1;
        search.step(state, &missing, damping);
        trial.copy_from(state);
        advance(model, &mut trial.positions, &search.step, 1.0);
        clamp(model, &mut trial.positions);
        let next = search.missing(&trial);
        if next.weighted.norm() < missing.weighted.norm() {
            state.copy_from(&trial);
            missing = next;
            damping = (damping / 3.0).max(DAMPING[0]);
        } else {
            damping *= 4.0;
        }
    }
    let (distance, angle) = (missing.distance, missing.angle);
    Ok(Reached { converged: is_near(&missing), iterations, distance, angle })
}

/// What is missing to the target.
struct Missing {
    /// Turn (times metres per radian) and way, world axes, m.
    weighted: Vector6<f64>,
    distance: f64,
    angle: f64,
}

struct Search<'a> {
    model: &'a Model,
    link: LinkIndex,
    frame: &'a Transform,
    target: &'a Transform,
    meters_per_radian: f64,
    kinematics: Kinematics,
    /// J by rows: turn, way.
    jacobian: Vec<f64>,
    step: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(
        model: &'a Model,
        link: LinkIndex,
        frame: &'a Transform,
        target: &'a Transform,
        weight: f64,
    ) -> Self {
        let n = model.dof_count();
        let (jacobian, step) = (vec![0.0; 6 * n], vec![0.0; n]);
        let kinematics = Kinematics::new(model);
        Self { model, link, frame, target, meters_per_radian: weight, kinematics, jacobian, step }
    }

    fn missing(&mut self, state: &State) -> Missing {
        self.kinematics.update(self.model, state);
        let now = self.kinematics.pose(self.link) * self.frame;
        let way = self.target.translation.vector - now.translation.vector;
        let turn = rotation_vector(&(self.target.rotation * now.rotation.inverse()));
        let mut weighted = Vector6::zeros();
        weighted.fixed_rows_mut::<3>(0).copy_from(&(turn * self.meters_per_radian));
        weighted.fixed_rows_mut::<3>(3).copy_from(&way);
        Missing { weighted, distance: way.norm(), angle: turn.norm() }
    }

    /// The step of a round, from the state.
    fn step(&mut self, state: &State, missing: &Missing, damping: f64) {
        let n = self.model.dof_count();
        self.kinematics.update(self.model, state);
        let point = self.kinematics.point(self.link, &self.frame.translation.vector);
        let zero = Vector3::zeros();
        let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
        let turns = [x, y, z].map(|axis| (axis * self.meters_per_radian, zero));
        let ways = [x, y, z].map(|axis| (zero, axis));
        self.jacobian.fill(0.0);
        let (upper, lower) = self.jacobian.split_at_mut(3 * n);
        add_jacobian(self.model, &self.kinematics, self.link, &point, &turns, 1.0, upper);
        add_jacobian(self.model, &self.kinematics, self.link, &point, &ways, 1.0, lower);
        self.leave_out_blocked(state, missing);
        let mut square = Matrix6::from_diagonal_element(damping * damping);
        for i in 0..6 {
            for j in 0..6 {
                let (a, b) = (&self.jacobian[i * n..(i + 1) * n], &self.jacobian[j * n..(j + 1) * n]);
                square[(i, j)] += a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            }
        }
        // Positive definite by the damping, unless rounding of a huge arm swallows it.
        let size = missing.weighted.norm();
        let wanted = if size > REACH { missing.weighted * (REACH / size) } else { missing.weighted };
        let solved = square.cholesky().map_or_else(Vector6::zeros, |factor| factor.solve(&wanted));
        for (dof, step) in self.step.iter_mut().enumerate() {
            *step = (0..6).map(|row| self.jacobian[row * n + dof] * solved[row]).sum();
        }
    }

    /// Columns of joints that are on a limit and drawn beyond it become zero.
    fn leave_out_blocked(&mut self, state: &State, missing: &Missing) {
        let n = self.model.dof_count();
        for link in self.model.links() {
            for (k, dof) in link.dofs().enumerate() {
                let Some([lower, upper]) = self.model.dofs[dof].limits else { continue };
                let position = state.positions[link.first_position as usize + k];
                let drawn: f64 = (0..6).map(|row| self.jacobian[row * n + dof] * missing.weighted[row]).sum();
                if position <= lower && drawn < 0.0 || position >= upper && drawn > 0.0 {
                    (0..6).for_each(|row| self.jacobian[row * n + dof] = 0.0);
                }
            }
        }
    }
}

/// Puts joints that are beyond a limit on it.
fn clamp(model: &Model, positions: &mut [f64]) {
    for link in model.links() {
        for (k, dof) in link.dofs().enumerate() {
            if let Some([lower, upper]) = model.dofs[dof].limits {
                let position = &mut positions[link.first_position as usize + k];
                *position = position.clamp(lower, upper);
            }
        }
    }
}
