//! What joints leave of the response of bodies to contacts: bilateral rows, eliminated.
//!
//! In: the movers of an island and its joints. Out: `Y`, by which the coupling of contacts is less with joints than without. Start reading at
//! [`Bilateral::prepare`].
//!
//! A joint's locked coordinates are rows `G` with `G v = 0`. Their multipliers eliminated, contacts have
//! ```text
//! W = Hᵀ M⁻¹ H − Yᵀ Y      L Y = G M⁻¹ H      L Lᵀ = G M⁻¹ Gᵀ + ε diag
//! ```
//! so any solver of discrete problems feels all that hangs on a body by joints (the Schur complement of the rows; Featherstone, Rigid Body Dynamics Algorithms,
//! ch. 3 and 8). `L` is dense, one for each set of bodies that hang together, in double precision.
//!
//! This `W` is that with which contacts are solved, not the answer of the joints: these are solved by `crate::ties`, with limits, motors, friction and the second order of
//! their turning, in turns with the contacts (`tied`). What the two make of an impulse differs little, so turns are few; `W` is kept on the safe side: rows yield by `ε`,
//! [`YIELD`], which is also what becomes of rows that say the same (loops), and a thousandth of `Yᵀ Y` is left out, [`LEFT_OUT`], so that a contact on a body that joints
//! hold in every direction still has a response of its own. The turns converge from that side, and overshoot from the other.

use super::rows::{End, Mover};
use crate::problem::{Block, Local};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, EdgeIndex, JointConstraint, SPAN};
use drystone_math::{Vector3, widen};

/// Share of a row's response that is added to it.
const YIELD: f64 = 1e-6;
/// Share of what joints take of a contact's response that they do not, in its problem.
const LEFT_OUT: f64 = 1e-3;
/// Most rows of a set: the factors cost their cube. Contacts of larger sets are solved as if their bodies were free, in more turns.
pub(super) const MOST_ROWS: usize = 512;
/// No set.
const NONE: u32 = u32::MAX;

/// What a row does to a mover: its rate per velocity and angular velocity.
#[derive(Clone, Copy, Debug)]
struct RowEnd {
    /// Place of the row in its set.
    row: u32,
    linear: Local,
    angular: Local,
}

/// Movers that hang together, and the factors of their rows.
#[derive(Clone, Debug, Default)]
struct Set {
    row_count: usize,
    /// `L`, row by row, the lower triangle.
    lower: Vec<f64>,
    /// Contacts that touch it, ascending.
    contacts: Vec<u32>,
}

/// `Y` of a contact in a set: three columns, of as many entries as the set has rows.
#[derive(Clone, Copy, Debug)]
struct Response {
    set: u32,
    start: u32,
}

/// The rows of an island, with their memory.
#[derive(Debug, Default)]
pub(super) struct Bilateral {
    /// Set of each mover; [`NONE`] without.
    set_of: Vec<u32>,
    /// Parents of movers while sets are found.
    parents: Vec<u32>,
    ends: Vec<Vec<RowEnd>>,
    sets: Vec<Set>,
    set_count: usize,
    /// Of each contact: one for each of its sides.
    responses: Vec<[Option<Response>; 2]>,
    values: Vec<f64>,
    candidates: Vec<u32>,
}

impl Bilateral {
    /// Finds the rows of an island's joints and factorises them; false without any. `mover_of` has the places of movers.
    pub(super) fn prepare(
        &mut self,
        (bodies, graph, edges): (&Bodies, &ContactGraph, &[EdgeIndex]),
        movers: &[Mover],
        mover_of: impl Fn(BodyIndex) -> u32,
    ) -> bool {
        self.parents.clear();
        self.parents.extend(0..movers.len() as u32);
        self.ends.iter_mut().for_each(Vec::clear);
        if self.ends.len() < movers.len() {
            self.ends.resize_with(movers.len(), Vec::new);
        }
        let ties = || {
            let own = edges.iter().filter(|&&edge| graph.edge(edge).is_tie());
            let found = own.filter_map(|&edge| graph.tie(edge)).filter(|tie| tie.is_active(bodies));
            found.map(|tie| (tie, tie.bodies.map(&mover_of)))
        };
        for (_, ends) in ties() {
            if let [Some(a), Some(b)] = ends.map(|mover| (mover != NONE).then_some(mover)) {
                let [a, b] = [a, b].map(|mover| root(&self.parents, mover));
                self.parents[a.max(b) as usize] = a.min(b);
            }
        }
        self.number_sets(movers.len());
        for (tie, ends) in ties() {
            let Some(&first) = ends.iter().find(|&&mover| mover != NONE) else { continue };
            let set = root(&self.parents, first);
            self.add_rows(bodies, tie, ends, self.set_of[set as usize]);
        }
        for set in 0..self.set_count {
            self.sets[set].contacts.clear();
        }
        self.factorise(movers);
        self.sets[..self.set_count].iter().any(|set| set.row_count > 0)
    }

    /// Numbers the sets by their first movers, empty ones too: a mover without joints is alone in its own, without rows.
    fn number_sets(&mut self, count: usize) {
        self.set_of.clear();
        self.set_of.resize(count, NONE);
        self.set_count = 0;
        for mover in 0..count {
            let first = root(&self.parents, mover as u32) as usize;
            if first == mover {
                self.set_of[mover] = self.set_count as u32;
                self.set_count += 1;
            } else {
                self.set_of[mover] = self.set_of[first];
            }
        }
        if self.sets.len() < self.set_count {
            self.sets.resize_with(self.set_count, Set::default);
        }
        self.sets[..self.set_count].iter_mut().for_each(|set| set.row_count = 0);
    }

    /// Adds the locked coordinates of a joint to its set.
    fn add_rows(&mut self, bodies: &Bodies, tie: &JointConstraint, movers: [u32; 2], set: u32) {
        let found = tie.coordinates(bodies);
        let (_, arms, centers) = tie.place(bodies);
        for axis in (0..tie.axes.len()).filter(|&axis| tie.axes[axis].is_locked()) {
            let [force, torque] = found.direction(axis);
            if force == Vector3::zeros() && torque == Vector3::zeros() {
                continue;
            }
            // Ways are along the axes of A, which turn with it: its arm goes to the point on B.
            let [force, torque] = [widen(&force), widen(&torque)];
            let arm_a = widen(&(centers + arms[1]));
            let arm_a = if axis == SPAN { widen(&arms[0]) } else { arm_a };
            let row = self.sets[set as usize].row_count as u32;
            self.sets[set as usize].row_count += 1;
            for (mover, sign, arm) in [(movers[0], -1.0, arm_a), (movers[1], 1.0, widen(&arms[1]))] {
                if let Some(list) = self.ends.get_mut(mover as usize).filter(|_| mover != NONE) {
                    let angular = (arm.cross(&force) + torque) * sign;
                    list.push(RowEnd { row, linear: force * sign, angular });
                }
            }
        }
    }

    /// Cholesky factors of each set.
    fn factorise(&mut self, movers: &[Mover]) {
        for set in &mut self.sets[..self.set_count] {
            if set.row_count > MOST_ROWS {
                set.row_count = 0;
            }
            set.lower.clear();
            set.lower.resize(set.row_count * (set.row_count + 1) / 2, 0.0);
        }
        for (k, mover) in movers.iter().enumerate() {
            let (list, set) = (&self.ends[k], &mut self.sets[self.set_of[k] as usize]);
            if set.row_count == 0 {
                continue;
            }
            for end in list {
                let linear = end.linear.component_mul(&mover.inverse_mass);
                let angular = mover.inverse_inertia * end.angular;
                // A joint between two points of one body would be twice in a row; worlds refuse it.
                for other in list.iter().filter(|other| other.row <= end.row) {
                    let value = linear.dot(&other.linear) + angular.dot(&other.angular);
                    set.lower[place(end.row as usize, other.row as usize)] += value;
                }
            }
        }
        self.sets[..self.set_count].iter_mut().for_each(|set| cholesky(&mut set.lower, set.row_count));
    }

    /// Finds `Y` of all contacts: the movers and ends of each, in order.
    pub(super) fn respond<'a>(
        &mut self,
        contacts: impl Iterator<Item = ([u32; 2], &'a [End; 2])>,
        movers: &[Mover],
    ) {
        self.responses.clear();
        self.values.clear();
        for (k, (of, ends)) in contacts.enumerate() {
            let mut found = [None; 2];
            for side in 0..2 {
                let Some(mover) = movers.get(of[side] as usize) else { continue };
                let set = self.set_of[of[side] as usize];
                let rows = self.sets[set as usize].row_count;
                if rows == 0 {
                    continue;
                }
                let known = found.iter().flatten().find(|known: &&Response| known.set == set).copied();
                let response = known.unwrap_or_else(|| {
                    let start = self.values.len() as u32;
                    self.values.resize(self.values.len() + 3 * rows, 0.0);
                    self.sets[set as usize].contacts.push(k as u32);
                    Response { set, start }
                });
                if known.is_none() {
                    found[side] = Some(response);
                }
                let linear = Block::from_diagonal(&mover.inverse_mass) * ends[side].linear.transpose();
                let angular = mover.inverse_inertia * ends[side].angular.transpose();
                let values = &mut self.values[response.start as usize..];
                for end in &self.ends[of[side] as usize] {
                    for column in 0..3 {
                        let value =
                            end.linear.dot(&linear.column(column)) + end.angular.dot(&angular.column(column));
                        values[column * rows + end.row as usize] += value;
                    }
                }
            }
            for response in found.iter().flatten() {
                let set = &self.sets[response.set as usize];
                let values = &mut self.values[response.start as usize..][..3 * set.row_count];
                values.chunks_exact_mut(set.row_count).for_each(|column| solve_lower(&set.lower, column));
            }
            self.responses.push(found);
        }
    }

    /// Finds the contacts that a contact is coupled with, ascending: those given, which have a body in common with it, and those of its sets. Returns their number.
    pub(super) fn find_coupled(&mut self, contact: usize, common: impl Iterator<Item = u32>) -> usize {
        self.candidates.clear();
        self.candidates.extend(common);
        for response in self.responses[contact].iter().flatten() {
            self.candidates.extend_from_slice(&self.sets[response.set as usize].contacts);
        }
        self.candidates.sort_unstable();
        self.candidates.dedup();
        self.candidates.len()
    }

    /// One of the contacts that [`Bilateral::find_coupled`] found last.
    pub(super) fn candidate(&self, place: usize) -> u32 {
        self.candidates[place]
    }

    /// What joints take of the response of contact `k` to contact `l`.
    pub(super) fn taken(&self, k: usize, l: usize) -> Block {
        let mut block = Block::zeros();
        for a in self.responses[k].iter().flatten() {
            for b in self.responses[l].iter().flatten().filter(|b| b.set == a.set) {
                let rows = self.sets[a.set as usize].row_count;
                let of = |start: u32, column: usize| &self.values[start as usize + column * rows..][..rows];
                block += Block::from_fn(|i, j| dot(of(a.start, i), of(b.start, j)));
            }
        }
        block * (1.0 - LEFT_OUT)
    }
}

/// The first of the movers that hang together with one.
fn root(parents: &[u32], mut mover: u32) -> u32 {
    while parents[mover as usize] != mover {
        mover = parents[mover as usize];
    }
    mover
}

/// Where an entry of a lower triangle is.
fn place(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Factorises in place, each row yielding by [`YIELD`] of its diagonal.
fn cholesky(lower: &mut [f64], count: usize) {
    for i in 0..count {
        let (before, own) = lower.split_at_mut(place(i, 0));
        let own = &mut own[..=i];
        let diagonal = own[i];
        for j in 0..i {
            let row = &before[place(j, 0)..=place(j, j)];
            own[j] = (own[j] - dot(&own[..j], &row[..j])) / row[j];
        }
        let least = YIELD * diagonal;
        let pivot = (diagonal + least - dot(&own[..i], &own[..i])).max(least);
        // A row between what cannot move along it takes nothing from anyone.
        own[i] = if pivot > 0.0 { pivot.sqrt() } else { 1.0 };
    }
}

/// `L y = g` in place.
fn solve_lower(lower: &[f64], values: &mut [f64]) {
    for i in 0..values.len() {
        let row = &lower[place(i, 0)..=place(i, i)];
        values[i] = (values[i] - dot(&row[..i], &values[..i])) / row[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `L Lᵀ` is the matrix with its diagonal raised, and solving with `L` undoes it.
    #[test]
    fn factors_give_the_matrix_back() {
        let matrix = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];
        let mut lower: Vec<f64> = (0..3).flat_map(|i| matrix[i][..=i].to_vec()).collect();
        cholesky(&mut lower, 3);
        for (i, row) in matrix.iter().enumerate() {
            for (j, entry) in row[..=i].iter().enumerate() {
                let [a, b] = [i, j].map(|row| &lower[place(row, 0)..][..=j]);
                let wanted = entry * if i == j { 1.0 + YIELD } else { 1.0 };
                assert!((dot(a, b) - wanted).abs() < 1e-12, "{i}, {j}");
            }
        }
        let wanted = [0.3, -0.7, 1.1];
        let mut values: Vec<f64> =
            (0..3).map(|i| dot(&lower[place(i, 0)..=place(i, i)], &wanted[..=i])).collect();
        solve_lower(&lower, &mut values);
        values.iter().zip(wanted).for_each(|(is, wanted)| assert!((is - wanted).abs() < 1e-12));
    }

    /// Rows that say the same leave factors that are finite and take no more than the row alone does.
    #[test]
    fn what_is_held_twice_is_held_once() {
        let mut lower = vec![1.0, 1.0, 1.0];
        cholesky(&mut lower, 2);
        let mut values = [1.0, 1.0];
        solve_lower(&lower, &mut values);
        let taken = dot(&values, &values);
        assert!((1.0 - 2.0 * YIELD..=1.0).contains(&taken), "{taken}");
    }
}
