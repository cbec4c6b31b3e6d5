//! From manifolds to blocks at the start of a step.
#![expect(clippy::needless_range_loop, reason = "iterators over lane values may stay calls")]

use super::block::{Block, triangle};
use super::layout::{Slot, fetch_ahead};
use crate::sweep::is_pushed;
use crate::vector::{F8, Sym3, Vec3, load_all};
use drystone_contact::{Bodies, ContactGraph, Manifold, StateSlot, StepParams};
use drystone_math::wide::{Isa, Kernel, Lanes, Wide};
use drystone_math::{Symmetric3, Vector3};

/// Share of the spread of a manifold's points below which they count as lying on a line. Its inverse square is
/// what rounding is multiplied by: much smaller, and the joint solve overshoots.
const LINE_SHARE: f32 = 3e-3;
/// Share of the squared arms below which the spread of the points counts as none: their places in `f32` are not
/// known better.
const POINT_SHARE: f32 = 1e-5;
/// Share of the diagonal product below which a matrix counts as singular.
const SINGULAR: f32 = 1e-5;

/// What blocks are made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input<'a> {
    pub(super) bodies: &'a Bodies,
    pub(super) graph: &'a ContactGraph,
    pub(super) step: &'a StepParams,
    /// Half of the rest band, m: gaps count from there.
    pub(super) open: f32,
    /// Sub-steps of coarse islands, and of the others.
    pub(super) sub_steps: [u32; 2],
    /// Whether some surface runs over its body.
    pub(super) has_belts: bool,
    pub(super) isa: Isa,
}

/// What a manifold brings, eight of them side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw<const P: usize> {
    arms: [[[F8; 3]; P]; 2],
    impulses: [[F8; 3]; P],
    /// 1 for points that are there.
    is_there: [F8; P],
    /// 1 / number of points.
    share: F8,
    /// See [`Block::surface_velocity`], world axes: meant only where there are some.
    surface_velocity: [F8; 3],
    has_belts: bool,
}

impl<const P: usize> Raw<P> {
    const EMPTY: Self = Self {
        arms: [[[[0.0; 8]; 3]; P]; 2],
        impulses: [[[0.0; 8]; 3]; P],
        is_there: [[0.0; 8]; P],
        share: [1.0; 8],
        surface_velocity: [[0.0; 8]; 3],
        has_belts: false,
    };
}

/// Makes blocks from the manifolds in their lanes; the first `coarse` belong to islands with coarse sub-steps.
pub(super) fn prepare_blocks<const P: usize, const Q: usize>(
    slots: &[[Slot; 8]],
    blocks: &mut [Block<P, Q>],
    coarse: usize,
    input: &Input<'_>,
) {
    let mut raw = Raw::EMPTY;
    raw.has_belts = input.has_belts;
    for (k, block) in blocks.iter_mut().enumerate() {
        let count = input.sub_steps[usize::from(k >= coarse)];
        fill(&slots[k..], input, 1.0 / count as f32, block, &mut raw);
        input.isa.run(Prepare { raw: &raw, block });
    }
}

/// Copies the first eight manifolds into a block and `raw`; a sub-step begins with a `share` of the impulses of a step.
fn fill<const P: usize, const Q: usize>(
    slots: &[[Slot; 8]],
    input: &Input<'_>,
    share: f32,
    block: &mut Block<P, Q>,
    raw: &mut Raw<P>,
) {
    let &Input { bodies, graph, open, .. } = input;
    let empty = const { &Block::<P, Q>::EMPTY };
    (block.restitution, block.pull) = (empty.restitution, empty.pull);
    (block.blow_total, block.blow_total_rub) = (empty.blow_total, empty.blow_total_rub);
    block.is_struck = empty.is_struck;
    (block.total, block.total_rub) = (empty.total, empty.total_rub);
    block.surface_velocity = empty.surface_velocity;
    // What follows, here and in `prepare`, writes everything else, in every lane that has a manifold.
    let own = &slots[0];
    if own.contains(&Slot::EMPTY) {
        *raw = Raw { has_belts: input.has_belts, ..Raw::EMPTY };
        (block.ends, block.normal) = (empty.ends, empty.normal);
        (block.inverse_mass, block.inverse_inertia) = (empty.inverse_mass, empty.inverse_inertia);
        (block.gap_0, block.friction) = (empty.gap_0, empty.friction);
    }
    for (lane, slot) in own.iter().enumerate() {
        fetch_ahead(slots, lane, graph);
        let Some((edge, is_flipped)) = slot.edge() else { continue };
        let manifold = &graph.edge(edge).manifold;
        let (body_a, body_b) = (manifold.body_a, manifold.body_b);
        let (sign, a, b) = if is_flipped { (-1.0, body_b, body_a) } else { (1.0, body_a, body_b) };
        for k in 0..3 {
            block.normal[k][lane] = sign * manifold.normal[k];
        }
        debug_assert!(is_pushed(bodies, b), "what is not pushed is A");
        block.put_body::<1>(lane, StateSlot::of(b.0), bodies.hot(b).inverse_mass, bodies.inverse_inertia(b));
        if is_pushed(bodies, a) {
            let mass = bodies.hot(a).inverse_mass;
            block.put_body::<0>(lane, StateSlot::of(a.0), mass, bodies.inverse_inertia(a));
        } else {
            let is_moved = bodies.hot(a).is_kinematic();
            let place = if is_moved { StateSlot::of(a.0) } else { StateSlot::DUMMY };
            block.put_body::<0>(lane, place, 0.0, &Symmetric3::default());
        }
        let points = manifold.points();
        raw.share[lane] = 1.0 / points.len() as f32;
        for (i, point) in points.iter().take(P).enumerate() {
            raw.is_there[i][lane] = 1.0;
            block.gap_0[i][lane] = point.distance - open;
            let arms = if is_flipped { [point.arm_b, point.arm_a] } else { [point.arm_a, point.arm_b] };
            for k in 0..3 {
                raw.arms[0][i][k][lane] = arms[0][k];
                raw.arms[1][i][k][lane] = arms[1][k];
                raw.impulses[i][k][lane] = sign * share * point.warm_start_impulse[k];
            }
        }
        for i in points.len()..P {
            raw.is_there[i][lane] = 0.0;
            block.gap_0[i][lane] = 0.0;
            for k in 0..3 {
                raw.arms[0][i][k][lane] = 0.0;
                raw.arms[1][i][k][lane] = 0.0;
                raw.impulses[i][k][lane] = 0.0;
            }
        }
        if input.has_belts {
            for k in 0..3 {
                raw.surface_velocity[k][lane] = sign * manifold.surface_velocity[k];
            }
        }
        block.friction[0][lane] = manifold.material.static_friction;
        block.friction[1][lane] = manifold.material.kinetic_friction;
        if manifold.material.restitution > 0.0 {
            block.restitution[lane] = manifold.material.restitution;
            block.pull[lane] = pull(manifold, input);
        }
    }
    block.gap = block.gap_0;
}

impl<const P: usize, const Q: usize> Block<P, Q> {
    /// Puts a body into a lane, as A or B.
    #[inline(always)]
    fn put_body<const SIDE: usize>(
        &mut self,
        lane: usize,
        place: StateSlot,
        inverse_mass: f32,
        inertia: &Symmetric3,
    ) {
        self.ends[SIDE][lane] = place;
        self.inverse_mass[SIDE][lane] = inverse_mass;
        let &Symmetric3 { xx, yy, zz, xy, xz, yz } = inertia;
        for (k, value) in [xx, yy, zz, xy, xz, yz].into_iter().enumerate() {
            self.inverse_inertia[SIDE][k][lane] = value;
        }
    }
}

/// Acceleration of the bodies towards each other by gravity and global forces, m/s².
fn pull(manifold: &Manifold, input: &Input<'_>) -> f32 {
    let &Input { bodies, step, .. } = input;
    let [a, b] = [manifold.body_a, manifold.body_b].map(|e| {
        if is_pushed(bodies, e) { step.global_acceleration_of(bodies, e) } else { Vector3::zeros() }
    });
    manifold.normal.dot(&(a - b))
}

/// [`prepare`] for the best instruction set.
struct Prepare<'a, const P: usize, const Q: usize> {
    raw: &'a Raw<P>,
    block: &'a mut Block<P, Q>,
}

impl<const P: usize, const Q: usize> Kernel for Prepare<'_, P, Q> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        prepare(lanes, self.raw, self.block);
    }
}

/// Computes frame, responses, masses and warm-start impulses of a filled block.
#[inline(always)]
fn prepare<L: Lanes, const P: usize, const Q: usize>(lanes: L, raw: &Raw<P>, block: &mut Block<P, Q>) {
    let zero = lanes.splat(0.0);
    let one = lanes.splat(1.0);
    let n = Vec3::load(lanes, &block.normal);
    let t1 = tangent(lanes, n);
    let t2 = n.cross(t1);
    t1.store(&mut block.tangent);
    if raw.has_belts {
        let velocity = Vec3::load(lanes, &raw.surface_velocity);
        t1.dot(velocity).store(&mut block.surface_velocity[0]);
        t2.dot(velocity).store(&mut block.surface_velocity[1]);
    }
    let share = lanes.load(&raw.share);
    let there: [L::F32; P] = load_all(lanes, &raw.is_there);
    let mut arms = [Vec3 { x: zero, y: zero, z: zero }; 2];
    for side in 0..2 {
        for i in 0..P {
            arms[side] = arms[side].plus(Vec3::load(lanes, &raw.arms[side][i]));
        }
        arms[side] = arms[side].times(share);
    }
    arms[0].store(&mut block.arms[0]);
    arms[1].store(&mut block.arms[1]);
    let (mut x, mut y) = ([zero; P], [zero; P]);
    let mut radius = zero;
    if P > 1 {
        for i in 0..P {
            let d = Vec3::load(lanes, &raw.arms[1][i]).minus(arms[1]);
            x[i] = t1.dot(d) * there[i];
            y[i] = t2.dot(d) * there[i];
            radius = radius + (x[i] * x[i] + y[i] * y[i]).sqrt();
            x[i].store(&mut block.offsets[0][i]);
            y[i].store(&mut block.offsets[1][i]);
        }
        radius = radius * share;
        radius.store(&mut block.radius);
    }

    // Responses of both bodies to unit wrenches in the frame.
    let mut r = Responses::zero(zero);
    for side in 0..2 {
        let mass = lanes.load(&block.inverse_mass[side]);
        let inertia = Sym3::load(lanes, &block.inverse_inertia[side]);
        r.add(&inertia, mass, arms[side], n, t1, t2);
    }
    if P > 1 {
        for k in 0..6 {
            r.normal[k].store(&mut block.response[k]);
        }
        for row in 0..3 {
            for k in 0..3 {
                r.cross[row][k].store(&mut block.cross[row][k]);
            }
        }
        r.twist_cross[0].store(&mut block.twist_cross[0]);
        r.twist_cross[1].store(&mut block.twist_cross[1]);
        invert(lanes, r.twist).store(&mut block.twist_mass);
    } else {
        // Of a single point nothing else is read: what is not stored is not worked out.
        r.cross[0][0].store(&mut block.cross[0][0]);
        r.cross[1][0].store(&mut block.cross[1][0]);
    }
    let [s11, s22, s12] = r.slide;
    let det = s11 * s22 - s12 * s12;
    let regular = det.greater(s11 * s22 * lanes.splat(SINGULAR));
    let inverse_det = L::F32::select(regular, one / det, zero);
    (s22 * inverse_det).store(&mut block.slide_mass[0]);
    (s11 * inverse_det).store(&mut block.slide_mass[1]);
    (zero - s12 * inverse_det).store(&mut block.slide_mass[2]);
    let half = lanes.splat(0.5);
    let uneven = half * (s11 - s22);
    let most = half * (s11 + s22) + (uneven * uneven + s12 * s12).sqrt();
    L::F32::select(regular, one / most, zero).store(&mut block.least_slide_mass);

    let g = r.normal;
    for i in 0..P {
        (invert(lanes, entry(&g, x[i], y[i], x[i], y[i])) * there[i]).store(&mut block.point_mass[i]);
    }
    let reach = arms[0].dot(arms[0]) + arms[1].dot(arms[1]);
    joint_mass(lanes, &g, &x, &y, &there, share, reach, &mut block.joint_mass);

    // Impulses of the last step, in the frame of this one.
    let mut rub = [zero; 3];
    for i in 0..P {
        let j = Vec3::load(lanes, &raw.impulses[i]);
        (n.dot(j).max(zero)).store(&mut block.lambda[i]);
        let (j1, j2) = (t1.dot(j), t2.dot(j));
        rub = [rub[0] + j1, rub[1] + j2, rub[2] + x[i] * j2 - y[i] * j1];
    }
    for k in 0..3 {
        rub[k].store(&mut block.rub[k]);
    }
}

/// A unit tangent of a unit normal (Duff et al. 2017), as [`drystone_math::ContactBasis`] has it.
#[inline(always)]
fn tangent<L: Lanes>(lanes: L, n: Vec3<L::F32>) -> Vec3<L::F32> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let sign = L::F32::select(n.z.less(zero), zero - one, one);
    let a = zero - one / (sign + n.z);
    Vec3 { x: one + sign * n.x * n.x * a, y: sign * (n.x * n.y * a), z: zero - sign * n.x }
}

/// Sums of both bodies' responses.
struct Responses<W> {
    normal: [W; 6],
    cross: [[W; 3]; 3],
    twist_cross: [W; 2],
    slide: [W; 3],
    twist: W,
}

impl<W: Wide> Responses<W> {
    #[inline(always)]
    fn zero(zero: W) -> Self {
        Self {
            normal: [zero; 6],
            cross: [[zero; 3]; 3],
            twist_cross: [zero; 2],
            slide: [zero; 3],
            twist: zero,
        }
    }

    /// Adds one body with the arm `r`: with `c_e = r × e`, a force along `e` turns it by `I⁻¹ c_e` and moves
    /// the middle along `e'` by `δ/m + c_e'·I⁻¹ c_e`; a torque about `e` by `I⁻¹ e` and `c_e'·I⁻¹ e`.
    #[inline(always)]
    fn add(&mut self, inertia: &Sym3<W>, mass: W, r: Vec3<W>, n: Vec3<W>, t1: Vec3<W>, t2: Vec3<W>) {
        let (cn, c1, c2) = (r.cross(n), r.cross(t1), r.cross(t2));
        let (icn, ic1, ic2) = (inertia.times(cn), inertia.times(c1), inertia.times(c2));
        let (i_n, i_1, i_2) = (inertia.times(n), inertia.times(t1), inertia.times(t2));
        self.normal[0] = self.normal[0] + mass + cn.dot(icn);
        self.normal[1] = self.normal[1] + t1.dot(i_1);
        self.normal[2] = self.normal[2] + t2.dot(i_2);
        self.normal[3] = self.normal[3] + t1.dot(icn);
        self.normal[4] = self.normal[4] + t2.dot(icn);
        self.normal[5] = self.normal[5] + t1.dot(i_2);
        self.cross[0][0] = self.cross[0][0] + c1.dot(icn);
        self.cross[0][1] = self.cross[0][1] + t1.dot(ic1);
        self.cross[0][2] = self.cross[0][2] + t2.dot(ic1);
        self.cross[1][0] = self.cross[1][0] + c2.dot(icn);
        self.cross[1][1] = self.cross[1][1] + t1.dot(ic2);
        self.cross[1][2] = self.cross[1][2] + t2.dot(ic2);
        self.cross[2][0] = self.cross[2][0] + n.dot(icn);
        self.cross[2][1] = self.cross[2][1] + t1.dot(i_n);
        self.cross[2][2] = self.cross[2][2] + t2.dot(i_n);
        self.twist_cross[0] = self.twist_cross[0] + n.dot(ic1);
        self.twist_cross[1] = self.twist_cross[1] + n.dot(ic2);
        self.slide[0] = self.slide[0] + mass + c1.dot(ic1);
        self.slide[1] = self.slide[1] + mass + c2.dot(ic2);
        self.slide[2] = self.slide[2] + c1.dot(ic2);
        self.twist = self.twist + n.dot(i_n);
    }
}

/// `1 / v`, or 0 where `v` is not positive.
#[inline(always)]
fn invert<L: Lanes>(lanes: L, v: L::F32) -> L::F32 {
    let zero = lanes.splat(0.0);
    L::F32::select(v.greater(zero), lanes.splat(1.0) / v, zero)
}

/// `full d` where the matrix is regular, `alone` elsewhere.
#[inline(always)]
fn pick<L: Lanes>(regular: L::Mask, d: L::F32, full: L::F32, alone: L::F32) -> L::F32 {
    L::F32::select(regular, full * d, alone)
}

/// Normal velocity at the second place by a unit impulse at the first one.
#[inline(always)]
fn entry<W: Wide>(g: &[W; 6], x: W, y: W, x2: W, y2: W) -> W {
    g[0] + g[3] * (y + y2) - g[4] * (x + x2) + g[1] * y * y2 + g[2] * x * x2 - g[5] * (x * y2 + y * x2)
}

/// The pseudo-inverse of the matrix `K` from normal impulses to normal velocities. With the columns
/// `w_i = (1, y_i, −x_i)` in `W` and the response `G`, `K = Wᵀ G W`, and `K⁺ = Wᵀ S G⁻¹ S W`,
/// `S = (W Wᵀ)⁻¹`, as long as the points do not lie on a line.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the parts of one formula, called from one place")]
fn joint_mass<L: Lanes, const P: usize, const Q: usize>(
    lanes: L,
    g: &[L::F32; 6],
    x: &[L::F32; P],
    y: &[L::F32; P],
    there: &[L::F32; P],
    share: L::F32,
    reach: L::F32,
    out: &mut [F8; Q],
) {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    if P == 1 {
        (invert(lanes, entry(g, x[0], y[0], x[0], y[0])) * there[0]).store(&mut out[0]);
        return;
    }
    if P == 2 {
        let (a, b, c) = (
            entry(g, x[0], y[0], x[0], y[0]),
            entry(g, x[1], y[1], x[1], y[1]),
            entry(g, x[0], y[0], x[1], y[1]),
        );
        let det = a * b - c * c;
        let regular = det.greater(a * b * lanes.splat(SINGULAR));
        let inverse_det = one / det;
        let even = invert(lanes, a + b + c + c);
        let both = there[0] * there[1];
        (L::F32::select(regular, b * inverse_det, even) * both).store(&mut out[0]);
        (L::F32::select(regular, zero - c * inverse_det, even) * both).store(&mut out[1]);
        (L::F32::select(regular, a * inverse_det, even) * both).store(&mut out[2]);
        return;
    }
    let (mut sxx, mut syy, mut sxy) = (zero, zero, zero);
    for i in 0..P {
        sxx = sxx + x[i] * x[i];
        syy = syy + y[i] * y[i];
        sxy = sxy + x[i] * y[i];
    }
    let floor = (sxx + syy) * lanes.splat(LINE_SHARE) + reach * lanes.splat(POINT_SHARE);
    let (a, b, c) = (syy + floor, sxx + floor, zero - sxy);
    let inverse_det = invert(lanes, a * b - c * c);
    // S in the basis (1, y, −x).
    let (s11, s22, s12) = (b * inverse_det, a * inverse_det, zero - c * inverse_det);
    // G⁻¹; without turning, only the push along the normal.
    let c00 = g[1] * g[2] - g[5] * g[5];
    let c01 = g[4] * g[5] - g[3] * g[2];
    let c02 = g[3] * g[5] - g[4] * g[1];
    let det = g[0] * c00 + g[3] * c01 + g[4] * c02;
    let regular = det.greater(g[0] * g[1] * g[2] * lanes.splat(SINGULAR));
    let d = one / det;
    let h = [
        pick::<L>(regular, d, c00, invert(lanes, g[0])),
        pick::<L>(regular, d, g[0] * g[2] - g[4] * g[4], zero),
        pick::<L>(regular, d, g[0] * g[1] - g[3] * g[3], zero),
        pick::<L>(regular, d, c01, zero),
        pick::<L>(regular, d, c02, zero),
        pick::<L>(regular, d, g[3] * g[4] - g[0] * g[5], zero),
    ];
    // N = S G⁻¹ S.
    let s0 = share;
    let n00 = s0 * h[0] * s0;
    let n01 = s0 * (h[3] * s11 + h[4] * s12);
    let n02 = s0 * (h[3] * s12 + h[4] * s22);
    let m11 = [h[1] * s11 + h[5] * s12, h[1] * s12 + h[5] * s22];
    let m22 = [h[5] * s11 + h[2] * s12, h[5] * s12 + h[2] * s22];
    let n11 = s11 * m11[0] + s12 * m22[0];
    let n12 = s11 * m11[1] + s12 * m22[1];
    let n22 = s12 * m11[1] + s22 * m22[1];
    for i in 0..P {
        for j in i..P {
            let value =
                n00 + n01 * (y[i] + y[j]) - n02 * (x[i] + x[j]) + n11 * y[i] * y[j] + n22 * x[i] * x[j]
                    - n12 * (x[i] * y[j] + y[i] * x[j]);
            (value * there[i] * there[j]).store(&mut out[triangle(P, i, j)]);
        }
    }
}
