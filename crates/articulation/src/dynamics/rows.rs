//! Several impulses on one link at once: what each is along the joints, and what it makes of their velocities.
//!
//! ```text
//! J_k = f̂_kᵀ J        a row per impulse: from the link to its root, `Sᵀ f̂` with the impulse seen from each link's origin
//! Δq̇_k = H⁻¹ J_kᵀ     the loops of [`super::Response`]: towards the root along the path of the link alone, as no other link is given anything, and outwards over
//!                      the links of its tree
//! ```
//! Four impulses go through the loops together, which reads links and factors once for all of them and does the arithmetic of two or four at a time. The
//! operations of each are those of [`super::Response::to_impulse`] in the same order.

use super::factor::{DofFactor, Factor};
use crate::kinematics::Kinematics;
use crate::model::{LinkIndex, Model};
use crate::spatial::{SpatialForce, SpatialMotion};
use drystone_math::Carried;
use nalgebra::Vector3;

/// Impulses that go together.
const LANES: usize = 4;

type Lane = [f64; LANES];

/// Four vectors of three numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Vectors([Lane; 3]);

/// Four forces, impulses, or motions: (moment, force) or (angular, linear).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sixes {
    first: Vectors,
    second: Vectors,
}

/// A number per lane, written out: so it is vectors of two or four in the end.
#[inline(always)]
fn each(number: impl Fn(usize) -> f64) -> Lane {
    [number(0), number(1), number(2), number(3)]
}

impl Vectors {
    #[inline(always)]
    fn dot(&self, v: &Vector3<f64>) -> Lane {
        let [x, y, z] = &self.0;
        each(|k| v.x * x[k] + v.y * y[k] + v.z * z[k])
    }

    #[inline(always)]
    fn plus_scaled(&self, v: &Vector3<f64>, by: &Lane) -> Self {
        let [x, y, z] = &self.0;
        Self([each(|k| x[k] + v.x * by[k]), each(|k| y[k] + v.y * by[k]), each(|k| z[k] + v.z * by[k])])
    }

    /// `a × own`.
    #[inline(always)]
    fn crossed(&self, a: &Vector3<f64>) -> Self {
        let [x, y, z] = &self.0;
        Self([
            each(|k| a.y * z[k] - a.z * y[k]),
            each(|k| a.z * x[k] - a.x * z[k]),
            each(|k| a.x * y[k] - a.y * x[k]),
        ])
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        let ([x, y, z], [a, b, c]) = (&self.0, &other.0);
        Self([each(|k| x[k] + a[k]), each(|k| y[k] + b[k]), each(|k| z[k] + c[k])])
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        let ([x, y, z], [a, b, c]) = (&self.0, &other.0);
        Self([each(|k| x[k] - a[k]), each(|k| y[k] - b[k]), each(|k| z[k] - c[k])])
    }
}

impl Sixes {
    fn of(impulses: &[SpatialForce]) -> Self {
        let mut all = Self::default();
        for (lane, impulse) in impulses.iter().enumerate() {
            for k in 0..3 {
                all.first.0[k][lane] = impulse.moment[k];
                all.second.0[k][lane] = impulse.force[k];
            }
        }
        all
    }

    /// As forces seen from the origin that lies `arm` back ([`SpatialForce::moved_back`]).
    #[inline(always)]
    fn moved_back(&self, arm: &Vector3<f64>) -> Self {
        Self { first: self.first.plus(&self.second.crossed(arm)), second: self.second }
    }

    /// As motions at the point that lies `arm` away ([`SpatialMotion::moved`]).
    #[inline(always)]
    fn moved(&self, arm: &Vector3<f64>) -> Self {
        Self { first: self.first, second: self.second.minus(&self.first.crossed(arm)) }
    }

    #[inline(always)]
    fn along(&self, axis: &SpatialMotion) -> Lane {
        let (turn, way) = (self.first.dot(&axis.angular), self.second.dot(&axis.linear));
        each(|k| turn[k] + way[k])
    }

    #[inline(always)]
    fn against(&self, force: &SpatialForce) -> Lane {
        let (turn, way) = (self.first.dot(&force.moment), self.second.dot(&force.force));
        each(|k| turn[k] + way[k])
    }

    #[inline(always)]
    fn plus_scaled(&self, [first, second]: [&Vector3<f64>; 2], by: &Lane) -> Self {
        Self { first: self.first.plus_scaled(first, by), second: self.second.plus_scaled(second, by) }
    }
}

/// Working memory.
#[derive(Clone, Debug, PartialEq)]
pub struct RowResponse {
    /// What is left for each degree of freedom of the path.
    rest: Vec<Lane>,
    changes: Vec<Sixes>,
    /// How the links move: not at all, by what is above them, or with an own part in `rest`.
    moves: Vec<Moves>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moves {
    Not,
    Carried,
    OnPath,
}

impl RowResponse {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.rest.heap_bytes() + self.changes.heap_bytes() + self.moves.heap_bytes()
    }

    /// Room for a model.
    pub fn new(model: &Model) -> Self {
        Self {
            rest: vec![Lane::default(); model.dof_count()],
            changes: vec![Sixes::default(); model.link_count()],
            moves: vec![Moves::Not; model.link_count()],
        }
    }

    /// Adds the rows of impulses on a link (N m s, N s; at its origin, world axes): to `jacobian` what each is along the joints, to `responses` what it makes of
    /// their velocities (rad/s or m/s). Row `k` begins at `places[k]` in both, and has an entry per degree of freedom. O(links of the tree), no allocation.
    #[expect(clippy::too_many_arguments, reason = "a model at a place, one link, and where the answers go")]
    pub fn add_rows(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        factor: &Factor,
        link: LinkIndex,
        impulses: &[SpatialForce],
        places: &[usize],
        jacobian: &mut [f64],
        responses: &mut [f64],
    ) {
        debug_assert!(impulses.len() == places.len(), "a place per impulse");
        self.moves.fill(Moves::Not);
        model.path(link).for_each(|at| self.moves[at.index()] = Moves::OnPath);
        for (impulses, places) in impulses.chunks(LANES).zip(places.chunks(LANES)) {
            self.inwards(model, kinematics, factor, link, impulses, places, jacobian);
            self.outwards(model, kinematics, factor, places, responses);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "as those of `add_rows`")]
    fn inwards(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        factor: &Factor,
        link: LinkIndex,
        impulses: &[SpatialForce],
        places: &[usize],
        jacobian: &mut [f64],
    ) {
        let mut whole = Sixes::of(impulses);
        let mut left = whole;
        for at in model.path(link) {
            let (own, arm) = (&model.links[at.index()], &kinematics.links[at.index()].arm);
            for dof in own.dofs().rev() {
                let (axis, DofFactor { u, inverse }) = (&kinematics.axes[dof], &factor.dofs[dof]);
                let along = whole.along(axis);
                places.iter().zip(along).for_each(|(place, along)| jacobian[place + dof] += along);
                let rest = left.along(axis);
                self.rest[dof] = rest;
                left = left.plus_scaled([&u.moment, &u.force], &each(|k| -(rest[k] * inverse)));
            }
            whole = whole.moved_back(arm);
            left = left.moved_back(arm);
        }
    }

    fn outwards(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        factor: &Factor,
        places: &[usize],
        responses: &mut [f64],
    ) {
        for (index, link) in model.links.iter().enumerate() {
            let is_on_path = self.moves[index] == Moves::OnPath;
            let mut change = match link.parent {
                Some(parent) if self.moves[parent.index()] != Moves::Not => {
                    self.changes[parent.index()].moved(&kinematics.links[index].arm)
                }
                _ if is_on_path => Sixes::default(),
                _ => continue,
            };
            for dof in link.dofs() {
                let (axis, DofFactor { u, inverse }) = (&kinematics.axes[dof], &factor.dofs[dof]);
                let felt = change.against(u);
                let out = if is_on_path {
                    let rest = &self.rest[dof];
                    each(|k| (rest[k] - felt[k]) * inverse)
                } else {
                    each(|k| -felt[k] * inverse)
                };
                places.iter().zip(out).for_each(|(place, out)| responses[place + dof] += out);
                change = change.plus_scaled([&axis.angular, &axis.linear], &out);
            }
            self.changes[index] = change;
            if !is_on_path {
                self.moves[index] = Moves::Carried;
            }
        }
    }
}
