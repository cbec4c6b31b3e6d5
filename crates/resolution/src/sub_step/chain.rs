//! Columns solved directly.
//!
//! Sweeps correct the bending of a column of `n` bodies at a rate that falls with the fourth power of `n`: from
//! some forty on it buckles before they notice. Where bodies stand one on the other and on nothing else, the
//! contacts between them form a chain, and a chain is a block-tridiagonal system: in every sub-step that finds
//! it moving it is solved exactly, in `f64`, for the wrench at every contact that stops all relative motion there. What a contact
//! cannot give (it would pull, or leave its cone of static friction) is taken out of the chain, and the
//! parts are solved anew; the sweeps that follow deal with it.

use super::block::Block;
use super::layout::{CLASS_POINTS, ChainLink};
use drystone_contact::SharedBodyStates;
use drystone_math::{Displacement, Real, Vector3, narrow, widen};
use nalgebra::{Cholesky, Const, Matrix3, Matrix6, Vector6};

/// Points of the blocks that a chain runs through.
const P: usize = CLASS_POINTS[0];
/// A block that a chain runs through.
type ChainBlock = Block<P, 10>;
/// Most rounds of taking contacts out.
const ROUNDS: usize = 4;
/// Contacts below which sweeps are as good.
const SHORTEST: usize = 3;
/// Largest relative speed, m/s, and turning, rad/s, of a contact that a chain runs through.
const SLOW: f64 = 1.0;
/// Share of `g h` of the relative motion below which a chain is at rest: sweeps keep it there.
const QUIET: Real = 1e-5;
/// Share of the cone of static friction that a chain may use.
const CONE_SHARE: f64 = 0.95;

/// One contact of a chain, world axes, `f64`.
#[derive(Clone, Debug)]
struct Joint {
    place: ChainLink,
    bodies: [u32; 2],
    /// `1/m`, `I⁻¹` and the arm of both sides.
    sides: [Side; 2],
    axes: [Displacement; 3],
    /// Relative motion that is to stop: velocity at the middle, angular velocity.
    motion: Vector6<f64>,
    /// Wrench on B.
    wrench: Vector6<f64>,
    diagonal: Option<Cholesky<f64, Const<6>>>,
    /// Coupling with the joint before.
    lower: Matrix6<f64>,
    is_open: bool,
}

#[derive(Clone, Copy, Debug)]
struct Side {
    inverse_mass: f64,
    inverse_inertia: Matrix3<f64>,
    arm: Displacement,
}

impl Side {
    /// Motion at the arm `at` by a unit wrench at the own arm.
    fn response(&self, at: &Displacement) -> Matrix6<f64> {
        let (r, s) = (self.arm.cross_matrix(), at.cross_matrix());
        let turned = self.inverse_inertia * r;
        let mut m = Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Matrix3::identity() * self.inverse_mass - s * turned));
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-(s * self.inverse_inertia)));
        m.fixed_view_mut::<3, 3>(3, 0).copy_from(&turned);
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.inverse_inertia);
        m
    }
}

/// Memory of the solve.
#[derive(Clone, Debug, Default)]
pub(super) struct ChainSolver {
    joints: Vec<Joint>,
}

impl ChainSolver {
    /// Room for chains up to this length.
    pub(super) fn reserve(&mut self, longest: usize) {
        self.joints.clear();
        self.joints.reserve(longest);
    }

    /// Stops the relative motion at the contacts of a chain as far as they can.
    ///
    /// # Safety
    /// The bodies of the chain belong to this call alone.
    #[expect(unsafe_code, reason = "changes disjoint bodies of one array")]
    pub(super) unsafe fn solve(
        &mut self,
        chain: &[ChainLink],
        blocks: &mut [ChainBlock],
        first_block: u32,
        speed_unit: Real,
        hot: &SharedBodyStates<'_>,
    ) {
        if chain.len() < SHORTEST {
            return;
        }
        let quiet = QUIET * speed_unit;
        let is_quiet = |link: &ChainLink| {
            let block = &blocks[(link.block - first_block) as usize];
            // SAFETY: passed on.
            let (u, w) = unsafe { relative_motion(link, block, hot) };
            let reach = block.radius[link.lane as usize];
            u.norm_squared() + w.norm_squared() * reach * reach < quiet * quiet
        };
        if chain.iter().all(is_quiet) {
            return;
        }
        self.joints.clear();
        for link in chain {
            let block = &blocks[(link.block - first_block) as usize];
            // SAFETY: passed on.
            self.joints.push(unsafe { joint(link, block, hot) });
        }
        for _ in 0..ROUNDS {
            self.factor_and_solve();
            let mut opened = false;
            for joint in self.joints.iter_mut().filter(|j| !j.is_open) {
                let block = &blocks[(joint.place.block - first_block) as usize];
                if give(block, joint).is_none() {
                    (joint.is_open, opened) = (true, true);
                }
            }
            if !opened {
                break;
            }
        }
        for joint in self.joints.iter().filter(|j| !j.is_open) {
            let block = &mut blocks[(joint.place.block - first_block) as usize];
            let Some(given) = give(block, joint) else { continue };
            let lane = joint.place.lane as usize;
            for i in 0..P {
                block.lambda[i][lane] = given.lambda[i];
            }
            for k in 0..3 {
                block.rub[k][lane] = given.rub[k];
            }
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let Side { inverse_mass, inverse_inertia, arm } = &joint.sides[side];
                if *inverse_mass == 0.0 {
                    continue;
                }
                let force = given.force * sign;
                let torque = given.torque * sign;
                // SAFETY: passed on.
                let record = unsafe { hot.record(joint.bodies[side]) };
                record.linear += narrow(&(force * *inverse_mass));
                record.angular += narrow(&(inverse_inertia * (arm.cross(&force) + torque)));
            }
        }
    }

    /// Block-tridiagonal elimination over the joints that are not open.
    fn factor_and_solve(&mut self) {
        for i in 0..self.joints.len() {
            let (before, rest) = self.joints.split_at_mut(i);
            let joint = &mut rest[0];
            joint.wrench = Vector6::zeros();
            if joint.is_open {
                continue;
            }
            let mut diagonal =
                joint.sides[0].response(&joint.sides[0].arm) + joint.sides[1].response(&joint.sides[1].arm);
            let mut right = -joint.motion;
            joint.lower = Matrix6::zeros();
            if let Some(last) = before.last().filter(|j| !j.is_open)
                && let Some(factor) = &last.diagonal
            {
                let coupling = coupling(joint, last);
                let solved = factor.solve(&coupling.transpose());
                diagonal -= coupling * solved;
                right -= solved.transpose() * last.wrench;
                joint.lower = solved.transpose();
            }
            joint.diagonal = Cholesky::new(diagonal);
            joint.is_open = joint.diagonal.is_none();
            joint.wrench = if joint.is_open { Vector6::zeros() } else { right };
        }
        // `wrench` holds the eliminated right sides; go back from the end.
        for i in (0..self.joints.len()).rev() {
            let (upto, after) = self.joints.split_at_mut(i + 1);
            let joint = &mut upto[i];
            if joint.is_open {
                continue;
            }
            if let Some(factor) = &joint.diagonal {
                joint.wrench = factor.solve(&joint.wrench);
            }
            if let Some(next) = after.first().filter(|j| !j.is_open) {
                let back = next.lower.transpose() * next.wrench;
                joint.wrench -= back;
            }
        }
    }
}

/// Motion at `joint` by a unit wrench at `last`, through the body that they share.
fn coupling(joint: &Joint, last: &Joint) -> Matrix6<f64> {
    let mut sum = Matrix6::zeros();
    for side in 0..2 {
        for other in 0..2 {
            if joint.bodies[side] == last.bodies[other] && joint.sides[side].inverse_mass > 0.0 {
                let sign = if side == other { 1.0 } else { -1.0 };
                sum += last.sides[other].response(&joint.sides[side].arm) * sign;
            }
        }
    }
    sum
}

/// Motion of the surface of B relative to that of A at the middle of a contact: velocity, angular velocity.
///
/// # Safety
/// Nobody writes its bodies meanwhile.
#[expect(unsafe_code, reason = "reads bodies of an array that threads share")]
unsafe fn relative_motion(
    link: &ChainLink,
    block: &ChainBlock,
    hot: &SharedBodyStates<'_>,
) -> (Vector3, Vector3) {
    let lane = link.lane as usize;
    let at = |side: usize| {
        // SAFETY: passed on.
        let body = unsafe { &*hot.record(block.ends[side][lane].index()) };
        let arm = &block.arms[side];
        (body.velocity_at(&Vector3::new(arm[0][lane], arm[1][lane], arm[2][lane])), body.angular)
    };
    let ((va, wa), (vb, wb)) = (at(0), at(1));
    let vector = |rows: &[[f32; 8]; 3]| Vector3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
    let (n, t1) = (vector(&block.normal), vector(&block.tangent));
    let [s1, s2] = &block.surface_velocity;
    (vb - va + t1 * s1[lane] + n.cross(&t1) * s2[lane], wb - wa)
}

/// Reads a contact.
///
/// # Safety
/// Nobody writes its bodies meanwhile.
#[expect(unsafe_code, reason = "reads bodies of an array that threads share")]
unsafe fn joint(link: &ChainLink, block: &ChainBlock, hot: &SharedBodyStates<'_>) -> Joint {
    let lane = link.lane as usize;
    let vector = |rows: &[[f32; 8]; 3]| Vector3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
    let (n, t1) = (widen(&vector(&block.normal)), widen(&vector(&block.tangent)));
    let bodies = [0, 1].map(|side: usize| block.ends[side][lane].index());
    let sides = [0, 1].map(|side: usize| {
        let i = |k: usize| f64::from(block.inverse_inertia[side][k][lane]);
        Side {
            inverse_mass: f64::from(block.inverse_mass[side][lane]),
            inverse_inertia: Matrix3::new(i(0), i(3), i(4), i(3), i(1), i(5), i(4), i(5), i(2)),
            arm: widen(&vector(&block.arms[side])),
        }
    });
    // SAFETY: passed on.
    let (u, w) = unsafe { relative_motion(link, block, hot) };
    let (u, w) = (widen(&u), widen(&w));
    let count = (0..P).filter(|&i| block.point_mass[i][lane] > 0.0).count();
    let touches = (0..P).all(|i| block.point_mass[i][lane] == 0.0 || block.gap[i][lane] <= 0.0);
    let is_slow = u.norm_squared() < SLOW * SLOW && w.norm_squared() < SLOW * SLOW;
    Joint {
        place: *link,
        bodies,
        sides,
        axes: [n, t1, n.cross(&t1)],
        motion: Vector6::new(u.x, u.y, u.z, w.x, w.y, w.z),
        wrench: Vector6::zeros(),
        diagonal: None,
        lower: Matrix6::zeros(),
        is_open: count < 3 || !touches || !is_slow,
    }
}

/// What a contact gives.
struct Given {
    lambda: [Real; P],
    rub: [Real; 3],
    force: Displacement,
    torque: Displacement,
}

/// The impulses of a contact with its wrench; `None` when it cannot give it: a point would pull, or friction
/// would leave its static cone.
fn give(block: &ChainBlock, joint: &Joint) -> Option<Given> {
    let lane = joint.place.lane as usize;
    let w = &joint.wrench;
    let (force, torque) = (Displacement::new(w[0], w[1], w[2]), Displacement::new(w[3], w[4], w[5]));
    let [n, t1, t2] = &joint.axes;
    let [fx, mx, my] = [force.dot(n), torque.dot(t1), torque.dot(t2)];
    let there = |i: usize| block.point_mass[i][lane] > 0.0;
    let at = |i: usize| (f64::from(block.offsets[0][i][lane]), f64::from(block.offsets[1][i][lane]));
    // Smallest changes with the sum and the moments `Σ y d = τ·t1`, `−Σ x d = τ·t2`.
    let (mut count, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0);
    for i in (0..P).filter(|&i| there(i)) {
        let (x, y) = at(i);
        (count, xx, yy, xy) = (count + 1.0, xx + x * x, yy + y * y, xy + x * y);
    }
    let det = xx * yy - xy * xy;
    if det <= 1e-6 * (xx + yy) * (xx + yy) {
        return None;
    }
    let slope = [(-my * yy - mx * xy) / det, (mx * xx + my * xy) / det];
    let (mut lambda, mut load) = ([0.0; P], 0.0);
    for i in (0..P).filter(|&i| there(i)) {
        let (x, y) = at(i);
        let next = f64::from(block.lambda[i][lane]) + fx / count + slope[0] * x + slope[1] * y;
        if next < 0.0 {
            return None;
        }
        lambda[i] = next as Real;
        load += next;
    }
    let cone = CONE_SHARE * f64::from(block.friction[0][lane]) * load;
    let add = [force.dot(t1), force.dot(t2), torque.dot(n)];
    let rub = [0, 1, 2].map(|k: usize| f64::from(block.rub[k][lane]) + add[k]);
    let is_held = rub[0] * rub[0] + rub[1] * rub[1] <= cone * cone
        && rub[2].abs() <= cone * f64::from(block.radius[lane]);
    is_held.then_some(Given { lambda, rub: rub.map(|v| v as Real), force, torque })
}
