//! New contacts begin with the load above them, so that a pile set down in one piece holds.
//!
//! From the highest body down, each body's weight, and what it was handed from above, is dealt out to the points that carry
//! it: in proportion `a + b x` along the horizontal, so that force and moment match. Done only in steps in which many
//! contacts begin at once; elsewhere impulses of neighbours are remembered and sweeps do the rest.

use crate::PlanarConfig;
use crate::bodies::Bodies;
use crate::contacts::Contacts;
use crate::frame::Vector2;
use drystone_math::Real;

/// Fewest contacts that begin at once, and most contacts in all for each of them.
const FEWEST: u32 = 8;
const SHARE: u32 = 8;
/// Cosine between a normal and the way up from which a contact carries.
const CARRIES: Real = 0.3;
/// Largest gap of a point that carries, m, in units of `g dt²`.
const NEAR: Real = 2.0;
/// Largest closing speed of a contact that was set down, in units of `g dt`.
const SET_DOWN: Real = 2.0;
/// Regularisation of the tilt, m²: a share of the square of the lever.
const TILT: f64 = 1e-3;

/// What a body was handed.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    /// Impulse of a sub-step, N·s.
    force: f64,
    /// Times its lever along the horizontal, N·s·m.
    moment: f64,
}

/// A point that carries.
#[derive(Clone, Copy, Debug)]
struct Support {
    contact: u32,
    point: usize,
    /// Lever from the carried body and from the one below, m.
    levers: [f64; 2],
    below: u32,
    /// Cosine between the normal and the way up.
    cosine: f64,
    is_new: bool,
    force: f64,
}

/// Memory of the estimate.
#[derive(Clone, Debug, Default)]
pub(super) struct Loads {
    order: Vec<(f64, u32)>,
    loads: Vec<Load>,
    supports: Vec<Support>,
}

impl Loads {
    /// Gives contacts that were set down in this step the load above them. `begun` contacts got points; a sub-step has
    /// `h` s of the step's `dt`.
    pub(super) fn seed(
        &mut self,
        config: &PlanarConfig,
        bodies: &Bodies,
        contacts: &mut Contacts,
        begun: u32,
        [h, dt]: [Real; 2],
    ) {
        let pull = config.gravity.norm();
        if begun < FEWEST || begun * SHARE < contacts.count || pull <= Real::MIN_POSITIVE {
            return;
        }
        let up = -config.gravity / pull;
        let wide_up = crate::frame::widen(&up);
        self.order.clear();
        let movable = bodies.list.iter().filter(|&&b| bodies.is_dynamic(b));
        self.order.extend(movable.map(|&b| (bodies.pose[b as usize].translation.coords.dot(&wide_up), b)));
        self.order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.loads.clear();
        self.loads.resize(bodies.rows.len(), Load::default());
        let unit = config.reference_acceleration * dt;
        for k in 0..self.order.len() {
            let body = self.order[k].1;
            self.find_supports(bodies, contacts, body, &up, [NEAR * unit * dt, SET_DOWN * unit]);
            let facts = &bodies.facts[body as usize];
            if facts.locks.translation {
                // Its pivot carries it, and what it carries.
                continue;
            }
            let own = f64::from(facts.mass.mass * pull * facts.gravity_scale.max(0.0) * h);
            let load = self.loads[body as usize];
            self.deal(Load { force: load.force + own, moment: load.moment });
            for support in &self.supports {
                let below = &mut self.loads[support.below as usize];
                below.force += support.force;
                below.moment += support.force * support.levers[1];
                if support.is_new {
                    let contact = &mut contacts.list[support.contact as usize];
                    contact.normal_impulse[support.point] = (support.force / support.cosine) as Real;
                    contact.h = h;
                }
            }
        }
    }

    /// Points below a body that touch and carry it.
    fn find_supports(
        &mut self,
        bodies: &Bodies,
        contacts: &Contacts,
        body: u32,
        up: &Vector2,
        [near, set_down]: [Real; 2],
    ) {
        let side = Vector2::new(up.y, -up.x);
        self.supports.clear();
        let mut at = contacts.first(bodies, body);
        while let Some(index) = at {
            let contact = &contacts.list[index as usize];
            at = contacts.after(index, body);
            let own = contact.side(body);
            // Up along the normal from what is below.
            let normal = if own == 1 { contact.manifold.normal } else { -contact.manifold.normal };
            let cosine = normal.dot(up);
            if !contact.is_linked || cosine < CARRIES {
                continue;
            }
            let below = contact.other(body);
            let [a, b] = [body, below].map(|k| &bodies.rows[k as usize]);
            let closing = normal.x * (b[0] - a[0]) + normal.y * (b[1] - a[1]);
            let is_new = contact.normal_impulse == [0.0; 2] && closing <= set_down;
            for (point, p) in contact.manifold.points().iter().enumerate().filter(|(_, p)| p.distance <= near)
            {
                let arms = if own == 1 { [p.arm_b, p.arm_a] } else { [p.arm_a, p.arm_b] };
                let levers = arms.map(|arm| f64::from(side.dot(&arm)));
                let cosine = f64::from(cosine);
                self.supports.push(Support {
                    contact: index,
                    point,
                    levers,
                    below,
                    cosine,
                    is_new,
                    force: 0.0,
                });
            }
        }
    }

    /// Deals a load out to the supports: forces `a + b x`, none below zero.
    fn deal(&mut self, load: Load) {
        let count = self.supports.len() as f64;
        if self.supports.is_empty() || load.force <= 0.0 {
            return;
        }
        let mean = self.supports.iter().map(|s| s.levers[0]).sum::<f64>() / count;
        let spread: f64 = self.supports.iter().map(|s| (s.levers[0] - mean).powi(2)).sum();
        let tilt =
            if spread > 0.0 { (load.moment - load.force * mean) / (spread * (1.0 + TILT)) } else { 0.0 };
        let mut sum = 0.0;
        for support in &mut self.supports {
            support.force = (load.force / count + tilt * (support.levers[0] - mean)).max(0.0);
            sum += support.force;
        }
        for support in &mut self.supports {
            support.force *= load.force / sum;
        }
    }
}
