//! Columns solved directly.
//!
//! Sweeps correct the bending of a column of `n` bodies at a rate that falls with the fourth power of `n`: one of fifty buckles
//! before they notice. Where bodies stand one on the other from something fixed upwards and on nothing else, the contacts
//! form a chain, and a chain is a block-tridiagonal system of three unknowns per contact (force along normal and tangent,
//! torque). In every sub-step that finds it moving it is solved in `f64` for what stops all relative motion. What a contact
//! cannot give (a point would pull, or friction leave its cone) is taken out, and the parts are solved anew; the sweeps
//! that follow deal with it.
#![expect(unsafe_code, reason = "reads and changes bodies of one array")]

use super::Segment;
use super::block::Block;
use crate::bodies::{Bodies, Row};
use crate::contacts::{COLOURS, Contacts};
use drystone_exec::Shared;
use drystone_math::Real;
use nalgebra::{Matrix3, Vector3};

/// Contacts below which sweeps are as good.
const SHORTEST: usize = 3;
/// Most rounds of taking contacts out.
const ROUNDS: usize = 4;
/// Largest relative speed, m/s, of a contact that a chain runs through.
const SLOW: f64 = 1.0;
/// Share of the cone of static friction that a chain may use.
const CONE_SHARE: f64 = 0.95;

/// A contact of a chain: where it is, and which of its bodies is the upper one.
#[derive(Clone, Copy, Debug)]
struct Link {
    block: u32,
    lane: u32,
    /// Side of the body that stands on the contact.
    upper: usize,
}

/// One contact in `f64`.
#[derive(Clone, Debug)]
struct Joint {
    link: Link,
    /// What an impulse along normal, tangent and of pure torque at the middle does to the motion there, by side.
    rows: [Matrix3<f64>; 2],
    /// `1/m, 1/m, 1/I` of both sides.
    inverse: [Vector3<f64>; 2],
    motion: Vector3<f64>,
    impulse: Vector3<f64>,
    pivot: Matrix3<f64>,
    lower: Matrix3<f64>,
    is_open: bool,
}

/// The chains of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Chains {
    links: Vec<Link>,
    /// Ends of the chains in `links`.
    ends: Vec<u32>,
    joints: Vec<Joint>,
}

impl Chains {
    /// Finds the columns among the members.
    pub(super) fn find(
        &mut self,
        members: &[u32],
        segments: &[Segment],
        bodies: &Bodies,
        contacts: &Contacts,
    ) {
        self.links.clear();
        self.ends.clear();
        let mut first_blocks = [0_u32; COLOURS];
        let used = contacts.colours[..COLOURS].iter().enumerate();
        let used = used.filter(|(_, c)| !c.flat.is_empty() || !c.round.is_empty());
        for ((colour, _), segment) in used.zip(segments) {
            first_blocks[colour] = segment.flat[0];
        }
        let is_slim = |body: u32| bodies.is_dynamic(body) && bodies.colours[body as usize].count_ones() <= 2;
        for &body in members.iter().filter(|&&body| is_slim(body)) {
            // Every foot of it: a column between two floors has two.
            let mut at = contacts.first(bodies, body);
            while let Some(contact) = at {
                let own = &contacts.list[contact as usize];
                if own.is_linked && !bodies.is_dynamic(own.other(body)) {
                    self.climb(contact, body, &first_blocks, &is_slim, bodies, contacts);
                }
                at = contacts.after(contact, body);
            }
        }
        let longest = self.ends.iter().scan(0, |last, &end| Some(end - std::mem::replace(last, end))).max();
        self.joints.clear();
        self.joints.reserve(longest.unwrap_or(0) as usize);
    }

    /// Follows a column from its foot upwards.
    fn climb(
        &mut self,
        foot: u32,
        body: u32,
        first_blocks: &[u32; COLOURS],
        is_slim: &impl Fn(u32) -> bool,
        bodies: &Bodies,
        contacts: &Contacts,
    ) {
        let start = self.links.len();
        let (mut contact, mut body) = (foot, body);
        loop {
            let own = &contacts.list[contact as usize];
            let Some((colour, place)) = own.coloured() else { break };
            if own.is_round || own.manifold.count != 2 || own.drive != 0.0 {
                break;
            }
            let block = first_blocks[colour] + (place / 8) as u32;
            self.links.push(Link { block, lane: (place % 8) as u32, upper: own.side(body) });
            let mut next = contacts.first(bodies, body);
            while let Some(k) = next {
                if k != contact && contacts.list[k as usize].is_linked {
                    break;
                }
                next = contacts.after(k, body);
            }
            let Some(k) = next else { break };
            let above = contacts.list[k as usize].other(body);
            if !is_slim(above) {
                break;
            }
            (contact, body) = (k, above);
        }
        if self.links.len() - start >= SHORTEST {
            self.ends.push(self.links.len() as u32);
        } else {
            self.links.truncate(start);
        }
    }

    /// Stops the relative motion at the contacts of all chains as far as they can.
    pub(super) fn solve(&mut self, blocks: &mut [Block<2>], rows: &Shared<'_, Row>, resting_speed: Real) {
        let mut start = 0;
        for k in 0..self.ends.len() {
            let end = self.ends[k] as usize;
            self.solve_one(start..end, blocks, rows, resting_speed);
            start = end;
        }
    }

    fn solve_one(
        &mut self,
        range: std::ops::Range<usize>,
        blocks: &mut [Block<2>],
        rows: &Shared<'_, Row>,
        resting_speed: Real,
    ) {
        let Self { links, joints, .. } = self;
        let links = &links[range];
        if links.iter().all(|link| is_quiet(link, &blocks[link.block as usize], rows, resting_speed)) {
            return;
        }
        joints.clear();
        joints.extend(links.iter().map(|&link| joint(link, &blocks[link.block as usize], rows)));
        for _ in 0..ROUNDS {
            factor_and_solve(joints);
            let mut opened = false;
            for joint in joints.iter_mut().filter(|j| !j.is_open) {
                if given(joint, &blocks[joint.link.block as usize]).is_none() {
                    (joint.is_open, opened) = (true, true);
                }
            }
            if !opened {
                break;
            }
        }
        for joint in joints.iter().filter(|j| !j.is_open) {
            let block = &mut blocks[joint.link.block as usize];
            let Some((lambda, rub)) = given(joint, block) else { continue };
            let lane = joint.link.lane as usize;
            for (own, new) in block.lambda.iter_mut().zip(lambda) {
                own[lane] = new as Real;
            }
            block.rub[lane] = rub as Real;
            for side in 0..2 {
                if joint.inverse[side] != Vector3::zeros() {
                    let change = joint.rows[side].transpose() * joint.impulse;
                    // SAFETY: chains are solved one after the other on one thread, between two passes.
                    let row = unsafe { rows.get_mut(block.ends[side][lane]) };
                    for k in 0..3 {
                        row[k] += (joint.inverse[side][k] * change[k]) as Real;
                    }
                }
            }
        }
    }
}

/// True when both bodies of a contact move together, there and in turning.
#[inline]
fn is_quiet(link: &Link, block: &Block<2>, rows: &Shared<'_, Row>, resting_speed: Real) -> bool {
    let lane = link.lane as usize;
    // SAFETY: nobody writes bodies between two passes.
    let [a, b] = block.ends.map(|ends| unsafe { rows.get(ends[lane]) });
    let (x, y, turning) = (b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    let arms = [0, 1].map(|side| 0.5 * (block.arms[side][0][lane] + block.arms[side][1][lane]));
    let (nx, ny) = (block.normal[0][lane], block.normal[1][lane]);
    let along = nx * x + ny * y + arms[1] * b[2] - arms[0] * a[2];
    let across = nx * y - ny * x + block.tangent_arms[1][lane] * b[2] - block.tangent_arms[0][lane] * a[2];
    along * along + across * across + turning * turning < resting_speed * resting_speed
}

/// A contact as it is now.
fn joint(link: Link, block: &Block<2>, rows: &Shared<'_, Row>) -> Joint {
    let lane = link.lane as usize;
    let wide = |own: &[f32; 8]| f64::from(own[lane]);
    let (nx, ny) = (wide(&block.normal[0]), wide(&block.normal[1]));
    let mut out = Joint {
        link,
        rows: [Matrix3::zeros(); 2],
        inverse: [Vector3::zeros(); 2],
        motion: Vector3::zeros(),
        impulse: Vector3::zeros(),
        pivot: Matrix3::zeros(),
        lower: Matrix3::zeros(),
        is_open: false,
    };
    let mut moved = Vector3::zeros();
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        // SAFETY: nobody writes bodies between two passes.
        let row = unsafe { rows.get(block.ends[side][lane]) }.map(f64::from);
        // Arms crossed with normal and tangent, at the middle of both points.
        let about_n = 0.5 * (wide(&block.arms[side][0]) + wide(&block.arms[side][1]));
        let about_t = wide(&block.tangent_arms[side]);
        out.rows[side] = Matrix3::new(nx, ny, about_n, -ny, nx, about_t, 0.0, 0.0, 1.0) * sign;
        out.inverse[side] = Vector3::new(row[3], row[3], row[7]);
        out.motion += out.rows[side] * Vector3::new(row[0], row[1], row[2]);
        moved += out.rows[side] * Vector3::new(row[4], row[5], row[6]);
    }
    // Contacts that are about to open or far from rest are left to the sweeps.
    let half = offset(block, lane);
    let gap = |i: usize, sign: f64| wide(&block.gap[i]) + moved.x + sign * half * moved.z;
    out.is_open = gap(0, -1.0) > 0.0 || gap(1, 1.0) > 0.0 || out.motion.norm() > SLOW;
    out
}

/// By how much the second point's arm crossed with the normal is beyond the middle's, m.
fn offset(block: &Block<2>, lane: usize) -> f64 {
    0.5 * (f64::from(block.arms[1][1][lane]) - f64::from(block.arms[1][0][lane]))
}

/// Impulses of the points and friction of a joint; `None` for what the contact cannot give.
fn given(joint: &Joint, block: &Block<2>) -> Option<([f64; 2], f64)> {
    let lane = joint.link.lane as usize;
    let half = offset(block, lane);
    if half == 0.0 {
        return None;
    }
    let old = |i: usize| f64::from(block.lambda[i][lane]);
    let (even, tilt) = (0.5 * joint.impulse.x, 0.5 * joint.impulse.z / half);
    let lambda = [old(0) + even - tilt, old(1) + even + tilt];
    let rub = f64::from(block.rub[lane]) + joint.impulse.y;
    let most = CONE_SHARE * f64::from(block.friction[0][lane]) * (lambda[0] + lambda[1]);
    (lambda[0] >= 0.0 && lambda[1] >= 0.0 && rub.abs() <= most).then_some((lambda, rub))
}

/// The block-tridiagonal system of the joints that are not open, by elimination upwards and substitution downwards.
fn factor_and_solve(joints: &mut [Joint]) {
    for k in 0..joints.len() {
        let (before, rest) = joints.split_at_mut(k);
        let own = &mut rest[0];
        own.impulse = Vector3::zeros();
        if own.is_open {
            continue;
        }
        let response = |j: &Joint, side: usize| j.rows[side] * Matrix3::from_diagonal(&j.inverse[side]);
        let mut diagonal =
            response(own, 0) * own.rows[0].transpose() + response(own, 1) * own.rows[1].transpose();
        let mut wrong = -own.motion;
        if let Some(below) = before.last().filter(|j| !j.is_open) {
            // They share the body that stands on the one below.
            let (own_side, other_side) = (1 - own.link.upper, below.link.upper);
            own.lower = response(own, own_side) * below.rows[other_side].transpose();
            let factor = own.lower * below.pivot;
            diagonal -= factor * own.lower.transpose();
            wrong -= factor * below.impulse;
        }
        match diagonal.try_inverse() {
            Some(inverse) => (own.pivot, own.impulse) = (inverse, wrong),
            None => own.is_open = true,
        }
    }
    for k in (0..joints.len()).rev() {
        let (own, above) = joints[k..].split_first_mut().map_or((None, None), |(o, a)| (Some(o), a.first()));
        let Some(own) = own.filter(|j| !j.is_open) else { continue };
        let mut wrong = own.impulse;
        if let Some(above) = above.filter(|j| !j.is_open) {
            wrong -= above.lower.transpose() * above.impulse;
        }
        own.impulse = own.pivot * wrong;
    }
}
