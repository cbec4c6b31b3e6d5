//! Rolling friction: a torque in the plane of a contact, against the turning of one body over the other.
//!
//! With `w` the angular velocity of B relative to A in the contact plane (rad/s), `c` the coefficient of rolling friction (m)
//! and `N` the normal impulse of the manifold (N·s), the angular impulse on B is the one that stops `w`, or, where that
//! is larger than `c N`, one of the size `c N` against it. It resists rolling as Coulomb's law resists sliding; a ball of the
//! radius `R` rests on slopes up to `tan a = c / R`, and rolls to a stop from the speed `v` within `0.7 v² R / (c g)`.
//!
//! A span's rolling friction comes after its contacts on the way there and before them on the way back, so that the sweep
//! stays symmetric. It lies apart from the blocks: contacts without it pay nothing. Blows have none.
#![expect(unsafe_code, reason = "changes disjoint bodies of one array; colours keep them apart")]

use super::Blocks;
use super::block::Block;
use super::ends::{Ends, Frame};
use super::layout::{Layout, RollingPlace, Slot};
use super::passes::Pass;
use super::prepare::Input;
use crate::vector::{F8, Vec3, load_all};
use drystone_contact::SharedBodyStates;
use drystone_exec::{Exec, chunks, chunks_mut};
use drystone_math::wide::{Isa, Kernel, Lanes, Wide};
use drystone_math::{Real, Symmetric3, Vector3};

/// Entries per part of the preparation.
const PART: usize = 16;
/// Share of the diagonal product below which the response to torques counts as singular.
const SINGULAR: Real = 1e-5;

/// Rolling friction of the manifolds of a block.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Rolling {
    /// Coefficient, m; 0 in lanes without.
    coefficient: F8,
    /// Inverse of the response of `(w·t1, w·t2)` to torques about them, kg m²: 11, 22, 12.
    mass: [F8; 3],
    /// The least moment that this matrix has for a direction, kg m².
    least_mass: F8,
    /// Angular impulse of a sub-step on B about `t1` and `t2`, N·m·s.
    rub: [F8; 2],
    /// Its sum over the sub-steps.
    total: [F8; 2],
    /// Body B of each lane, where it is moved.
    bodies: [u32; 8],
    /// The block, of its class.
    block: u32,
}

impl Rolling {
    const NONE: Self = Self {
        coefficient: [0.0; 8],
        mass: [[0.0; 8]; 3],
        least_mass: [0.0; 8],
        rub: [[0.0; 8]; 2],
        total: [[0.0; 8]; 2],
        bodies: [0; 8],
        block: 0,
    };

    /// Of the manifolds in the lanes of a prepared block; a sub-step begins with a `share` of the impulse of a step.
    fn new<const P: usize, const Q: usize>(
        block: &Block<P, Q>,
        place: u32,
        slots: &[Slot; 8],
        share: Real,
        input: &Input<'_>,
    ) -> Self {
        let mut new = Self { block: place, ..Self::NONE };
        for (lane, slot) in slots.iter().enumerate() {
            let Some((edge, is_flipped)) = slot.edge() else { continue };
            let manifold = &input.graph.edge(edge).manifold;
            let coefficient = manifold.material.rolling_friction;
            if coefficient <= 0.0 {
                continue;
            }
            let vector = |rows: &[[f32; 8]; 3]| Vector3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
            let (n, t1) = (vector(&block.normal), vector(&block.tangent));
            let [r11, r22, r12] = response(block, lane, [t1, n.cross(&t1)]);
            let det = r11 * r22 - r12 * r12;
            if det <= SINGULAR * r11 * r22 {
                // It cannot turn about some axis of the plane.
                continue;
            }
            let mass = [r22 / det, r11 / det, -r12 / det];
            let given = manifold.rolling_impulse * if is_flipped { -share } else { share };
            new.coefficient[lane] = coefficient;
            (0..3).for_each(|k| new.mass[k][lane] = mass[k]);
            let uneven = 0.5 * (r11 - r22);
            new.least_mass[lane] = 1.0 / (0.5 * (r11 + r22) + (uneven * uneven + r12 * r12).sqrt());
            (new.rub[0][lane], new.rub[1][lane]) = (t1.dot(&given), n.cross(&t1).dot(&given));
            new.bodies[lane] = block.ends[1][lane].index();
        }
        new
    }

    /// Angular impulse of the step on B of a lane about `t1` and `t2`, N·m·s.
    pub(super) fn total(&self, lane: usize) -> [Real; 2] {
        [self.total[0][lane], self.total[1][lane]]
    }

    /// Counts the one sub-step so far for `sub_steps`.
    pub(super) fn multiply(&mut self, sub_steps: Real) {
        self.total.iter_mut().flatten().for_each(|v| *v *= sub_steps);
    }

    /// Scales the sub-step by the scale of the bodies, with the contacts (see [`super::energy`]).
    pub(super) fn scale(&mut self, scale_of: impl Fn(u32) -> Real) {
        for lane in (0..8).filter(|&lane| self.coefficient[lane] > 0.0) {
            let scale = scale_of(self.bodies[lane]);
            for k in 0..2 {
                self.total[k][lane] -= self.rub[k][lane] * (1.0 - scale);
                self.rub[k][lane] *= scale;
            }
        }
    }
}

/// Response of the turning about two axes to torques about them, of both bodies of a lane, 1/(kg m²): 11, 22, 12.
fn response<const P: usize, const Q: usize>(
    block: &Block<P, Q>,
    lane: usize,
    axes: [Vector3; 2],
) -> [Real; 3] {
    let inertia = block.inverse_inertia.map(|rows| {
        let [xx, yy, zz, xy, xz, yz] = rows.map(|row| row[lane]);
        Symmetric3 { xx, yy, zz, xy, xz, yz }
    });
    let turned = axes.map(|axis| inertia[0] * axis + inertia[1] * axis);
    [axes[0].dot(&turned[0]), axes[1].dot(&turned[1]), axes[0].dot(&turned[1])]
}

/// Makes the entries of a layout from its prepared blocks.
pub(super) fn prepare(
    rolling: &mut Vec<Rolling>,
    layout: &Layout,
    blocks: &Blocks,
    input: &Input<'_>,
    exec: &Exec,
) {
    rolling.resize(layout.rolling.len(), Rolling::NONE);
    if rolling.is_empty() {
        return;
    }
    let parts = (chunks(&layout.rolling, PART), chunks_mut(rolling, PART));
    exec.for_each_static(parts, |_, (places, rolling)| {
        for (&RollingPlace { class, block, is_coarse }, new) in places.iter().zip(rolling) {
            let slots = &layout.slots[class as usize][block as usize];
            let share = 1.0 / input.sub_steps[usize::from(!is_coarse)] as Real;
            let k = block as usize;
            *new = match class {
                0 => Rolling::new(&blocks.four[k], block, slots, share, input),
                1 => Rolling::new(&blocks.two[k], block, slots, share, input),
                _ => Rolling::new(&blocks.one[k], block, slots, share, input),
            };
        }
    });
}

/// One pass over the rolling friction of some blocks of a span; `first` is the first of `blocks` in its class.
///
/// # Safety
/// The bodies of the blocks belong to this call alone.
pub(super) unsafe fn over<const P: usize, const Q: usize>(
    pass: Pass<'_>,
    isa: Isa,
    blocks: &[Block<P, Q>],
    first: u32,
    rolling: &mut [Rolling],
    hot: &SharedBodyStates<'_>,
) {
    isa.run(Roll { pass, blocks, first, rolling, hot });
}

struct Roll<'a, 'c, const P: usize, const Q: usize> {
    pass: Pass<'a>,
    blocks: &'a [Block<P, Q>],
    first: u32,
    rolling: &'a mut [Rolling],
    hot: &'a SharedBodyStates<'c>,
}

impl<const P: usize, const Q: usize> Kernel for Roll<'_, '_, P, Q> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for rolling in self.rolling {
            let block = &self.blocks[(rolling.block - self.first) as usize];
            // SAFETY: who makes this value promises that the bodies are this pass's alone.
            unsafe { roll(lanes, block, rolling, self.hot, self.pass) };
        }
    }
}

/// What a pass does to one block.
///
/// # Safety
/// As [`super::kernel::warm_start`].
#[inline(always)]
unsafe fn roll<L: Lanes, const P: usize, const Q: usize>(
    lanes: L,
    block: &Block<P, Q>,
    rolling: &mut Rolling,
    hot: &SharedBodyStates<'_>,
    pass: Pass<'_>,
) {
    let zero = lanes.splat(0.0);
    let frame = Frame::load(lanes, block);
    let rub: [L::F32; 2] = load_all(lanes, &rolling.rub);
    // SAFETY: passed on.
    let ends = unsafe { Ends::gather::<L, P, Q, false>(lanes, block, hot) };
    let mut about = rub;
    if let Pass::Sweep(way) = pass {
        let [_, w] = ends.relative::<false>(&frame.arms);
        let spin = [frame.t1.dot(w), frame.t2.dot(w)];
        let mut load = zero;
        for i in 0..P {
            load = load + lanes.load(&block.lambda[i]);
        }
        let limit = lanes.load(&rolling.coefficient) * load;
        let m = load_all(lanes, &rolling.mass);
        let trial = [rub[0] - m[0] * spin[0] - m[2] * spin[1], rub[1] - m[2] * spin[0] - m[1] * spin[1]];
        let square = trial[0] * trial[0] + trial[1] * trial[1];
        let stops = square.less_or_equal(limit * limit);
        // What rolls on is rubbed against its turning; with the moments of `trial`, which differ by direction, it would be against them times it.
        let even = lanes.load(&rolling.least_mass);
        let against = [rub[0] - even * spin[0], rub[1] - even * spin[1]];
        let square = against[0] * against[0] + against[1] * against[1];
        let share = limit / square.max(lanes.splat(f32::MIN_POSITIVE)).sqrt();
        for k in 0..2 {
            let next = L::F32::select(stops, trial[k], against[k] * share);
            next.store(&mut rolling.rub[k]);
            about[k] = next - rub[k];
            if way.ends() {
                (lanes.load(&rolling.total[k]) + next).store(&mut rolling.total[k]);
            }
        }
    }
    let torque = frame.t1.times(about[0]).plus_times(frame.t2, about[1]);
    let nothing = Vec3 { x: zero, y: zero, z: zero };
    // SAFETY: passed on.
    unsafe { ends.push::<0, L, P, Q, false>(lanes, block, hot, &frame.arms, nothing, Some(torque)) };
}
