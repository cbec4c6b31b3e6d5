//! Trusted here: Algorithms 1 and 2 of S1 word by word, recursive, in `f64`, with vectors, all four
//! approaches to the end, every contact updated after each correction. Slow, and obviously the paper.
//! Compared: where every body ends, and every distance.

use super::pile::{Pile, SLACK, THRESHOLD, paper};
use drystone_contact::{BodyIndex, EdgeIndex};
use drystone_math::{Displacement, Real, Vector3, widen};
use proptest::prelude::*;

/// A contact as the oracle keeps it: its own copy, in `f64`.
struct Contact {
    a: usize,
    b: usize,
    normal: Displacement,
    distance: f64,
    arms: [Vector3; 2],
}

struct Oracle {
    contacts: Vec<Contact>,
    is_movable: Vec<bool>,
    moved: Vec<Displacement>,
    /// Smallest difference (m) of two numbers that a decision compared. Rounding may decide otherwise below
    /// it.
    closest: f64,
    /// Rounding of the ways back, in f32, m.
    rounding: f64,
}

impl Oracle {
    /// Algorithm 1, with (2.5.6). False when the approach is invalid.
    fn visit(&mut self, x: usize, d: Displacement, other: usize, associated: &mut Vec<Displacement>) -> bool {
        for c in 0..self.contacts.len() {
            let contact = &self.contacts[c];
            let (y, n) = match x {
                x if x == contact.a => (contact.b, contact.normal),
                x if x == contact.b => (contact.a, -contact.normal),
                _ => continue,
            };
            let (push, gap) = (d.dot(&n), contact.distance + f64::from(SLACK));
            self.closest = self.closest.min((push - gap.max(0.0)).abs());
            if !(push > 0.0 && push > gap) {
                continue;
            }
            if !self.is_movable[y] || y == other {
                return false;
            }
            // The gap has rounding of the distances it came from, which the fraction carries at |d| / push.
            self.rounding += f64::from(Real::EPSILON) * f64::from(THRESHOLD + SLACK) * d.norm() / push;
            let dy = if gap > 0.0 { d * ((push - gap) / push) } else { d };
            if dy.norm() > associated[y].norm() * (1.0 + 1e-12) {
                associated[y] = dy;
                if !self.visit(y, dy, other, associated) {
                    return false;
                }
            }
        }
        true
    }

    /// Equations 2.3.1 to 2.3.3 for the body `x` of contact `c`: backward, then along the normal.
    fn ways(&mut self, c: usize, x: usize, pile: &mut Pile) -> Vec<(Displacement, bool)> {
        let contact = &self.contacts[c];
        let n = if x == contact.a { contact.normal } else { -contact.normal };
        let depth = -(contact.distance + f64::from(SLACK));
        if !self.is_movable[x] {
            return Vec::new();
        }
        let last_move = widen(&pile.bodies.view_mut().last_move[x]);
        let came = last_move.dot(&n);
        self.closest = self.closest.min((came - depth).abs());
        let mut ways = vec![(n * -depth, false)];
        if came >= depth {
            // The dot product `came` has rounding of the whole last translation, which the way back carries
            // at (length / came)² of the depth.
            self.rounding += f64::from(Real::EPSILON) * depth * last_move.norm_squared() / (came * came);
            ways.insert(0, (last_move * -(depth / came), true));
        }
        ways
    }

    /// Lines 3 to 13 of Algorithm 2. False when the contact cannot be resolved.
    fn resolve(&mut self, c: usize, pile: &mut Pile) -> bool {
        let contact = &self.contacts[c];
        let (a, b, n) = (contact.a, contact.b, contact.normal);
        let hot = pile.bodies.view().hot;
        let speed_a = widen(&hot[a].velocity_at(&contact.arms[0])).dot(&n);
        let speed_b = -widen(&hot[b].velocity_at(&contact.arms[1])).dot(&n);
        let order = if speed_a > speed_b { [(a, b), (b, a)] } else { [(b, a), (a, b)] };
        let mut best: Option<(usize, bool, Vec<Displacement>)> = None;
        for (x, other) in order {
            for (d, is_backward) in self.ways(c, x, pile) {
                let mut associated = vec![Displacement::zeros(); self.moved.len()];
                associated[x] = d;
                if !self.visit(x, d, other, &mut associated) {
                    continue;
                }
                let count = associated.iter().filter(|d| d.norm() > 0.0).count();
                let wins = best.as_ref().is_none_or(|(fewest, best_is_backward, _)| {
                    count < *fewest || (count == *fewest && is_backward && !best_is_backward)
                });
                if wins {
                    best = Some((count, is_backward, associated));
                }
            }
        }
        let Some((_, _, displacements)) = best else { return false };
        for contact in &mut self.contacts {
            contact.distance += (displacements[contact.b] - displacements[contact.a]).dot(&contact.normal);
        }
        for (moved, d) in self.moved.iter_mut().zip(&displacements) {
            *moved += d;
        }
        true
    }

    /// Algorithm 2, the deepest contact first. How many contacts were not resolved.
    fn run(&mut self, pile: &mut Pile) -> u32 {
        let mut order: Vec<usize> = (0..self.contacts.len()).collect();
        order.sort_by(|&i, &j| self.contacts[i].distance.total_cmp(&self.contacts[j].distance));
        let before: Vec<f64> = self.contacts.iter().map(|c| c.distance).collect();
        let mut unresolved = 0;
        for c in order {
            for distance in [before[c], self.contacts[c].distance] {
                self.closest = self.closest.min((distance + f64::from(THRESHOLD)).abs());
            }
            if before[c] < f64::from(-THRESHOLD) && self.contacts[c].distance < f64::from(-THRESHOLD) {
                unresolved += u32::from(!self.resolve(c, pile));
            }
        }
        unresolved
    }
}

fn direction() -> impl Strategy<Value = Vector3> {
    (-1.0f32..1.0, -1.0f32..1.0, -1.0f32..1.0)
        .prop_filter_map("long enough", |(x, y, z)| Vector3::new(x, y, z).try_normalize(0.1))
}

/// What a random body has: fixed (one in eight), last translation (m) and velocity (m/s).
fn body() -> impl Strategy<Value = (bool, Vector3, Vector3)> {
    (0..8u8, direction(), 0.0f32..0.06, direction())
        .prop_map(|(kind, way, length, velocity)| (kind == 0, way * length, velocity))
}

fn contact() -> impl Strategy<Value = (usize, usize, Vector3, Real)> {
    (0..64usize, 0..64usize, direction(), -0.02f32..0.012)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, max_global_rejects: 20_000, ..Default::default() })]
    /// On random graphs (any bodies, any normals), the stack search with its early abort moves the same
    /// bodies by the same displacements as the recursion without.
    #[test]
    fn stack_search_equals_the_recursion_without_abort(
        bodies in prop::collection::vec(body(), 2..12),
        contacts in prop::collection::vec(contact(), 1..24),
    ) {
        let mut pile = Pile::default();
        for (is_fixed, last_move, velocity) in &bodies {
            let index = if *is_fixed { pile.fixed() } else { pile.ball(0.0, 0.0) };
            pile.came_by(index, *last_move);
            if !is_fixed {
                pile.bodies.view_mut().hot[index.get()].linear = *velocity;
            }
        }
        let mut oracle = Oracle {
            contacts: Vec::new(),
            is_movable: pile.bodies.view().hot.iter().map(|h| h.is_dynamic()).collect(),
            moved: vec![Displacement::zeros(); bodies.len() + 1],
            closest: f64::INFINITY,
            rounding: 0.0,
        };
        for (a, b, normal, distance) in contacts {
            let (a, b) = (a % bodies.len() + 1, b % bodies.len() + 1);
            if a == b || !(oracle.is_movable[a] || oracle.is_movable[b]) {
                continue;
            }
            pile.touch(BodyIndex(a as u32), BodyIndex(b as u32), normal, &[distance]);
            let (normal, distance, arms) = (widen(&normal), distance.into(), [normal * 0.5, normal * -0.5]);
            oracle.contacts.push(Contact { a, b, normal, distance, arms });
        }
        let unresolved = oracle.run(&mut pile);
        let tolerance = 1e-6 + 4.0 * oracle.rounding;
        prop_assume!(oracle.closest > tolerance);
        let (moves, report) = pile.moves(&paper());
        prop_assert_eq!(report.unresolved_count, unresolved);
        for (i, (ours, theirs)) in moves.iter().zip(&oracle.moved).enumerate() {
            prop_assert!((ours - theirs).norm() < tolerance, "body {}: {} instead of {}", i, ours, theirs);
        }
        for (i, contact) in oracle.contacts.iter().enumerate() {
            let ours = f64::from(pile.distance(EdgeIndex(i as u32)));
            prop_assert!((ours - contact.distance).abs() < tolerance, "contact {}", i);
        }
    }
}
