//! Eight contacts of one colour, side by side.

use crate::bodies::{NONE, Row};
use crate::contacts::Contact;
use crate::frame::{cross, perpendicular};
use drystone_math::Real;

/// Eight numbers, one of each contact.
pub(super) type Lanes8 = [f32; 8];

/// Gap of a point that is not there, m: it never closes.
pub(super) const NOWHERE: f32 = 1e9;
/// Square of the least lever, over that of the arm, at which something that can only turn gives way: that of an arm that points to
/// the pivot is what rounding leaves of it, about 1e-6 of the arm and less.
const LEAST_LEVER: Real = 1e-6;
/// Least determinant of two points over the product of their own entries: below it they are taken apart that far.
const LEAST_DETERMINANT: Real = 1e-3;

/// Contacts of up to `P` points.
#[derive(Clone, Debug)]
pub(super) struct Block<const P: usize> {
    /// Bodies A and B.
    pub(super) ends: [[u32; 8]; 2],
    /// Which contact; [`NONE`] where there is none.
    pub(super) contact: [u32; 8],
    /// Lanes whose body A, or B, can be pushed.
    pub(super) is_pushed: [u8; 2],
    /// Lanes of contacts that close fast and carried nothing before: blows.
    pub(super) is_blow: u8,
    /// Some contact overlaps by more than the rest band.
    pub(super) is_deep: bool,
    /// Some contact bounces, or resists rolling.
    pub(super) has_bounce: bool,
    pub(super) has_rolling: bool,
    pub(super) normal: [Lanes8; 2],
    /// Arms crossed with the normal, of A and B, m.
    pub(super) arms: [[Lanes8; P]; 2],
    /// Gap at the start of the step less half of the rest band, m.
    pub(super) gap: [Lanes8; P],
    /// Normal impulses of this sub-step, N·s.
    pub(super) lambda: [Lanes8; P],
    /// Response of the points to impulses at themselves and at the other one, 1/kg.
    pub(super) response: [Lanes8; P],
    pub(super) coupling: Lanes8,
    /// One over the determinant of both, times `scale`; with one point, one over the response.
    pub(super) inverse: Lanes8,
    /// One over the power of two next to the larger response: the determinant is a square of responses, and those of very
    /// heavy and very light bodies have none in `f32`. Being a power of two it changes no bit.
    pub(super) scale: Lanes8,
    /// Arms of friction crossed with the tangent, m; one over the response there.
    pub(super) tangent_arms: [Lanes8; 2],
    pub(super) tangent_mass: Lanes8,
    /// Speed at which B is to slide over A, m/s.
    pub(super) drive: Lanes8,
    pub(super) rub: Lanes8,
    /// Coefficients of static and kinetic friction.
    pub(super) friction: [Lanes8; 2],
    /// Normal impulses of the step so far, and friction's.
    pub(super) total: [Lanes8; P],
    pub(super) total_rub: Lanes8,
    /// Coefficient of rolling friction, m; one over the response; impulse of this sub-step, N·m·s.
    pub(super) rolling: [Lanes8; 3],
    /// Speed with which a point is to part when it was pushed, m/s; 0 for one that does not bounce.
    pub(super) bounce: [Lanes8; P],
    /// Largest closing speed that the last sweep found, m/s.
    pub(super) residual: Lanes8,
}

/// What a contact is prepared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preparation {
    /// Half of the rest band, m.
    pub(super) half_band: Real,
    /// Closing speed from which a contact bounces, m/s.
    pub(super) bounce_speed: Real,
    /// The sub-step, s.
    pub(super) h: Real,
}

impl<const P: usize> Block<P> {
    /// No contacts: all lanes belong to body 0, which cannot move.
    pub(super) const EMPTY: Self = Self {
        ends: [[0; 8]; 2],
        contact: [NONE; 8],
        is_pushed: [0; 2],
        is_blow: 0,
        is_deep: false,
        has_bounce: false,
        has_rolling: false,
        normal: [[0.0; 8]; 2],
        arms: [[[0.0; 8]; P]; 2],
        gap: [[NOWHERE; 8]; P],
        lambda: [[0.0; 8]; P],
        response: [[1.0; 8]; P],
        coupling: [0.0; 8],
        inverse: [1.0; 8],
        scale: [1.0; 8],
        tangent_arms: [[0.0; 8]; 2],
        tangent_mass: [0.0; 8],
        drive: [0.0; 8],
        rub: [0.0; 8],
        friction: [[0.0; 8]; 2],
        total: [[0.0; 8]; P],
        total_rub: [0.0; 8],
        rolling: [[0.0; 8]; 3],
        bounce: [[0.0; 8]; P],
        residual: [0.0; 8],
    };

    /// Puts a contact into a lane.
    #[inline]
    pub(super) fn set(
        &mut self,
        lane: usize,
        index: u32,
        contact: &Contact,
        rows: &[Row],
        with: &Preparation,
    ) {
        let manifold = &contact.manifold;
        let [a, b] = contact.bodies.map(|body| &rows[body as usize]);
        let (n, t) = (manifold.normal, perpendicular(&manifold.normal));
        self.contact[lane] = index;
        for (side, body) in contact.bodies.iter().enumerate() {
            self.ends[side][lane] = *body;
        }
        self.is_pushed[0] |= u8::from(a[3] + a[7] > 0.0) << lane;
        self.is_pushed[1] |= u8::from(b[3] + b[7] > 0.0) << lane;
        self.normal[0][lane] = n.x;
        self.normal[1][lane] = n.y;
        let (mass, spin) = (a[3] + b[3], [a[7], b[7]]);
        // Impulses are those of a sub-step, and sub-steps may differ in length.
        let warm = if contact.h > 0.0 { with.h / contact.h } else { 1.0 };
        let count = usize::from(manifold.count).min(P);
        let mut middle = [manifold.points[0].arm_a, manifold.points[0].arm_b];
        let mut arms = [[0.0; 2]; 2];
        #[expect(clippy::needless_range_loop, reason = "one of several arrays by point")]
        for i in 0..P {
            if i >= count {
                (self.gap[i][lane], self.lambda[i][lane], self.bounce[i][lane]) = (NOWHERE, 0.0, 0.0);
                self.response[i][lane] = 1.0;
                self.arms[0][i][lane] = 0.0;
                self.arms[1][i][lane] = 0.0;
                continue;
            }
            let point = &manifold.points[i];
            let [ra, rb] = [cross(&point.arm_a, &n), cross(&point.arm_b, &n)];
            (self.arms[0][i][lane], self.arms[1][i][lane]) = (ra, rb);
            arms[i] = [ra, rb];
            self.gap[i][lane] = point.distance - with.half_band;
            self.lambda[i][lane] = warm * contact.normal_impulse[i];
            self.response[i][lane] = mass + spin[0] * ra * ra + spin[1] * rb * rb;
            let turning = spin[0] * ra * ra + spin[1] * rb * rb;
            let widest = spin[0] * point.arm_a.norm_squared() + spin[1] * point.arm_b.norm_squared();
            if mass <= 0.0 && turning <= LEAST_LEVER * widest {
                // Nothing gives way there, a pivot that is pressed towards its axis: it is left out.
                (self.gap[i][lane], self.lambda[i][lane], self.response[i][lane]) = (NOWHERE, 0.0, 1.0);
            }
            let apart = n.x * (b[0] - a[0]) + n.y * (b[1] - a[1]) + rb * b[2] - ra * a[2];
            let bounce = if -apart > with.bounce_speed { -contact.material.restitution * apart } else { 0.0 };
            self.bounce[i][lane] = bounce;
            self.has_bounce |= bounce > 0.0;
            if -apart > with.bounce_speed && contact.normal_impulse == [0.0; 2] {
                self.is_blow |= 1 << lane;
            }
            self.is_deep |= point.distance < -with.half_band;
            if i == 1 {
                middle = [0.5 * (middle[0] + point.arm_a), 0.5 * (middle[1] + point.arm_b)];
            }
        }
        if count == 2 {
            let [first, second] = [self.response[0][lane], self.response[P - 1][lane]];
            let unit = power_of_two(first.max(second));
            let own = (first / unit) * (second / unit);
            let limit = (own * (1.0 - LEAST_DETERMINANT)).sqrt();
            let coupling = mass + spin[0] * arms[0][0] * arms[1][0] + spin[1] * arms[0][1] * arms[1][1];
            let is_whole = self.gap[0][lane] < NOWHERE && self.gap[P - 1][lane] < NOWHERE;
            let coupling = if is_whole { (coupling / unit).clamp(-limit, limit) } else { 0.0 };
            self.coupling[lane] = coupling * unit;
            self.scale[lane] = 1.0 / unit;
            self.inverse[lane] = (1.0 / (own - coupling * coupling)) / unit;
        } else {
            self.coupling[lane] = 0.0;
            (self.scale[lane], self.inverse[lane]) = (1.0, 1.0 / self.response[0][lane]);
        }
        let [ta, tb] = [cross(&middle[0], &t), cross(&middle[1], &t)];
        (self.tangent_arms[0][lane], self.tangent_arms[1][lane]) = (ta, tb);
        let across = mass + spin[0] * ta * ta + spin[1] * tb * tb;
        self.tangent_mass[lane] = if across > 0.0 { 1.0 / across } else { 0.0 };
        self.drive[lane] = contact.drive;
        self.rub[lane] = warm * contact.friction_impulse;
        self.friction[0][lane] = contact.material.static_friction;
        self.friction[1][lane] = contact.material.kinetic_friction;
        (0..P).for_each(|i| self.total[i][lane] = 0.0);
        self.total_rub[lane] = 0.0;
        let rolling = contact.material.rolling_friction;
        self.has_rolling |= rolling > 0.0;
        self.rolling[0][lane] = rolling;
        self.rolling[1][lane] = if spin[0] + spin[1] > 0.0 { 1.0 / (spin[0] + spin[1]) } else { 0.0 };
        self.rolling[2][lane] = warm * contact.rolling_impulse;
        self.residual[lane] = 0.0;
    }

    /// Empties the lanes from `lane` on, and all flags when that is the first.
    pub(super) fn clear(&mut self) {
        (self.is_pushed, self.is_blow) = ([0; 2], 0);
        (self.is_deep, self.has_bounce, self.has_rolling) = (false, false, false);
    }

    /// Makes a lane empty.
    pub(super) fn clear_lane(&mut self, lane: usize) {
        self.contact[lane] = NONE;
        for side in 0..2 {
            self.ends[side][lane] = 0;
            self.normal[side][lane] = 0.0;
            self.tangent_arms[side][lane] = 0.0;
            self.friction[side][lane] = 0.0;
            for i in 0..P {
                self.arms[side][i][lane] = 0.0;
            }
        }
        for i in 0..P {
            (self.gap[i][lane], self.lambda[i][lane], self.bounce[i][lane]) = (NOWHERE, 0.0, 0.0);
            (self.response[i][lane], self.total[i][lane]) = (1.0, 0.0);
        }
        self.total_rub[lane] = 0.0;
        (self.coupling[lane], self.inverse[lane], self.scale[lane]) = (0.0, 1.0, 1.0);
        (self.tangent_mass[lane], self.rub[lane], self.residual[lane]) = (0.0, 0.0, 0.0);
        self.drive[lane] = 0.0;
        (0..3).for_each(|k| self.rolling[k][lane] = 0.0);
    }
}

/// The largest power of two that is not above a positive number.
#[inline]
fn power_of_two(x: Real) -> Real {
    Real::from_bits(x.to_bits() & Real::INFINITY.to_bits()).max(Real::MIN_POSITIVE)
}
